"""Cells to their last level: one level of each column for all records, then chains of last levels."""

from __future__ import annotations

from acompass.suggest.problem import Step
from acompass.suggest.search.board import Board
from acompass.suggest.search.cascade import best_chain
from acompass.suggest.search.chains import Chain
from acompass.suggest.search.effort import Effort
from acompass.suggest.search.menu import top_menu

Plan = tuple[float, tuple[Step, ...], Chain]  # loss, always, chain


def best_stars(board: Board, most: int, effort: Effort) -> tuple[tuple[Step, ...], Chain]:
    """Raises the level of one column after the other for all, while that loses less."""
    best = _plan(board, (), most, effort)
    while not effort.over():
        effort.tell(best[0])
        better = min((_plan(board, raised, most, effort) for raised in _raised(board, best[1])), default=best)
        if better[0] >= best[0]:
            break
        best = better
    return best[1], best[2]


def _plan(board: Board, always: tuple[Step, ...], most: int, effort: Effort) -> Plan:
    room = max(0, most - len(always))
    trail = best_chain(board, board.under(always), top_menu(board.problem), room, effort)
    return trail.loss, always, trail.chain


def _raised(board: Board, always: tuple[Step, ...]) -> list[tuple[Step, ...]]:
    """Each column one level higher, for all records."""
    levels = {step.column: step.level for step in always}
    return [
        tuple(
            Step(each, level) for each, level in sorted({**levels, column: levels.get(column, 0) + 1}.items())
        )
        for column, ladder in enumerate(board.problem.ladders)
        if levels.get(column, 0) < len(ladder.up) - 1
    ]
