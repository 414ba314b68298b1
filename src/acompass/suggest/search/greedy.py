"""A chain built step by step: each time, the step that settles most records for the loss it adds."""

from __future__ import annotations

from math import inf

from acompass.suggest.problem import Step
from acompass.suggest.search.board import State
from acompass.suggest.search.chains import Chain, Chains
from acompass.suggest.search.menu import Menu, top_menu

NONE_SETTLED = 1e-3  # the worth of a step that settles nobody, in records


def greedy(chains: Chains, menu: Menu, power: float) -> Chain:
    """A power below 1 prefers cheap steps, one above 1 steps that settle many."""
    chain: Chain = ()
    state, levels = chains.start, dict.fromkeys((step.column for step in menu.steps), 0)
    while state.left and not chains.effort.cut_short():
        chains.effort.tell(inf)
        options = [step for step in menu.steps if _is_next(menu, step, levels[step.column])]
        tried = [(step, chains.after(chain, state, step)) for step in options]
        moving = [(step, following) for step, following in tried if following is not state]
        if not moving:
            break
        step, following = max(moving, key=lambda each: _worth(chains, state, each[1], power))
        chain, state, levels[step.column] = (*chain, step), following, step.level
    return chain if not state.left else (*chain, *top_menu(chains.board.problem).steps)


def _is_next(menu: Menu, step: Step, level: int) -> bool:
    """The column's present level again, for labels that were left as they are, or its next one."""
    if step.level <= level:
        return step.level == level
    return not any(step.column == each.column and level < each.level < step.level for each in menu.steps)


def _worth(chains: Chains, before: State, after: State, power: float) -> float:
    cost = chains.board.price(after.shares) - chains.board.price(before.shares)
    settled = before.left - after.left
    return ((settled**power) if settled else NONE_SETTLED) / (cost + 1e-12)
