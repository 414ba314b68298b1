"""Suggest a policy for an open table: count combinations, search, build the tree and its text.

Each step of the answer says what it does to the table.

The search finds the steps with the least loss, for one policy or for each number of lines. A policy is a chain of
steps, a level of each column for all records, or both. Levels for all records are optimal: the loss of a vector of
levels without dropped records is a lower bound, and a vector that drops too many records, or is not close enough, rules
out all vectors below it, because lower levels only split classes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from math import inf, prod
from pathlib import Path
from typing import TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from acompass.author.answers import (
    Alternative,
    CurvePoint,
    Levels,
    Standing,
    SuggestedStep,
    Suggestion,
    Unreachable,
    compare_alternatives,
)
from acompass.author.suggest.chains import Chain, Effort, all_step_choices, best_chain, last_level_choices
from acompass.author.suggest.policy_tree import Goal, format_with_comments, has_long_group_by, policy_line, policy_tree
from acompass.author.suggest.request import Request, Style, find_columns
from acompass.author.suggest.search_problem import (
    Found,
    Problem,
    Step,
    closeness,
    count_changes,
    evaluate,
    is_close,
    losses,
    perform_steps,
)
from acompass.author.suggest.search_state import OVER, NarrowSpace, SearchSpace, WideSpace, fits
from acompass.author.suggest.table import Reading, Table, read_table
from acompass.dataclasses import dataclass, replace
from acompass.engines.protocol import OpenTable
from acompass.errors.diagnostics import Diagnostic, option_text
from acompass.errors.display import count_text
from acompass.language.program.uses import Use, uses
from acompass.language.text import tree
from acompass.language.text.formatter import format_condition, format_requirement
from acompass.language.text.walk import assertion_of, names_dropped_by, process_of, steps
from acompass.measure.answer import count_noun, total_loss
from acompass.measure.levels import join_words
from acompass.policy import Policy, parse, parse_file
from acompass.result import Note

WORK = 8_000_000  # rows to process without a time limit: a fraction of a second
WORK_OF_A_ROW = 400  # additional rows for each combination
HALF = 0.5  # share of the remaining time for each of several searches
FINE = 8  # 1/FINE of k: smaller differences are not worth a search
LINES = (4, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)
MOST_VECTORS = 4_000_000

Vector = tuple[int, ...]  # of levels, one for each column
Plan = tuple[float, tuple[Step, ...], Chain]  # loss, always, chain


def search(
    problem: Problem,
    style: Style,
    lines: int,
    seconds: float | None,
    stopped: Callable[[], bool],
    progress: Callable[[float, float], None],
) -> Found:
    """Return the steps of least loss found, at most `lines` including the final REJECT.

    `progress` receives the fraction of the work done (0 to 1) and the lowest loss so far. Without `seconds`,
    the same problem always gives the same answer.
    """
    effort = Effort(_work(problem, seconds), seconds, stopped, progress)
    return _find(_search_space(problem), style, lines, effort)


def curve(
    problem: Problem,
    style: Style,
    seconds: float | None,
    stopped: Callable[[], bool],
    progress: Callable[[float, float], None],
) -> list[Found]:
    """Return the best policies found for increasing numbers of lines, as long as more lines lower the loss."""
    space, found = _search_space(problem), []
    for lines in LINES:
        share = None if seconds is None else seconds / len(LINES)
        effort = Effort(_work(problem, share), share, stopped, progress)
        found.append(_find(space, style, lines, effort))
        if effort.early or found[-1].lines < lines:
            break
    falling = _improvements(found, problem.most_dropped)
    return list({each.lines: each for each in falling}.values())


def _improvements(found: list[Found], most_dropped: int) -> Iterator[Found]:
    least = (inf, inf)
    for each in found:
        worth = (max(0, each.outcome.dropped - most_dropped), each.outcome.loss)
        if worth < least:
            least = worth
            yield each


def _work(problem: Problem, seconds: float | None) -> float | None:
    return None if seconds is not None else WORK + WORK_OF_A_ROW * len(problem.counts)


def _search_space(problem: Problem) -> SearchSpace:
    return NarrowSpace(problem) if fits(problem) else WideSpace(problem)


def _find(space: SearchSpace, style: Style, lines: int, effort: Effort) -> Found:
    """Fall back to levels for all records if a chain drops too many."""
    most = max(0, lines - 1)
    if style != "uniform" and space.problem.t is not None:
        return _find_close(space, style, most, effort)
    found = _search_once(space, style, most, effort)
    if style == "uniform" or _is_allowed(space.problem, found):
        return found
    for_all = _search_once(space, "uniform", most, effort.renew())
    return for_all if _is_allowed(space.problem, for_all) else found


def _find_close(space: SearchSpace, style: Style, most: int, effort: Effort) -> Found:
    """Search for t-close classes by raising k, because larger classes are closer to the table and lose more.

    Double k until a chain is close or loses more than levels for all records; then search between the last two.
    """
    best, asked = _search_once(space, "uniform", most, effort.renew(HALF)), space.problem
    far, k, enough = asked.k - 1, asked.k, asked.records + 1
    while enough - far > max(1, enough // FINE) and not effort.is_cut_short():
        problem = replace(asked, k=k)
        found = _search_once(_search_space(problem), style, most, effort.renew(HALF))
        is_better = found.outcome.loss < best.outcome.loss or not _is_allowed(replace(asked, k=best.k), best)
        if is_better and _is_allowed(problem, found):
            best, enough = found, k
        elif is_better:
            far = k
        else:
            enough = k
        k = min(2 * k, (far + enough + 1) // 2)
    return best


def _is_allowed(problem: Problem, found: Found) -> bool:
    few = found.outcome.dropped <= problem.most_dropped
    return few and is_close(problem, found.always, found.steps)


def _search_once(space: SearchSpace, style: Style, most: int, effort: Effort) -> Found:
    always: tuple[Step, ...] = ()
    chain: Chain = ()
    match style:
        case "cascade":
            chain = best_chain(space, space.start, all_step_choices(space.problem), most, effort).chain
        case "uniform":
            always = best_levels(space, most, effort)
        case "stars":
            always, chain = best_stars(space, most, effort)
        case _:
            assert_never(style)
    return Found(always, chain, evaluate(space.problem, always, chain), not effort.early, space.problem.k)


def best_levels(space: SearchSpace, most: int, effort: Effort) -> tuple[Step, ...]:
    """Return the levels of least loss, raising at most `most` columns; with too many vectors, search greedily."""
    heights = [len(ladder.up) + 1 for ladder in space.problem.ladders]
    if prod(heights) <= MOST_VECTORS:
        return _steps(_Lattice(space, heights, most).least(effort))
    return _steps(_descent(space, [height - 1 for height in heights], most, effort))


def _steps(levels: Vector) -> tuple[Step, ...]:
    return tuple(Step(column, level) for column, level in enumerate(levels) if level)


def _loss(space: SearchSpace, levels: Vector) -> float:
    steps = _steps(levels)
    loss = space.loss(space.state_after(steps))
    return loss if loss >= OVER or is_close(space.problem, steps, ()) else OVER


def _plain_loss(space: SearchSpace, levels: Vector) -> float:
    return space.plain_loss(space.state_after(_steps(levels)))


class _Lattice:
    def __init__(self, space: SearchSpace, heights: list[int], most: int) -> None:
        self._space = space
        self._bounds = _bounds(space, heights)
        self._open = _count_raised(heights) <= most

    def least(self, effort: Effort) -> Vector:
        """Check the open vector with the median bound until none is open."""
        # the highest vector drops the fewest records
        best, loss = self._levels(int(np.flatnonzero(self._open)[-1])), np.inf
        while len(open_places := np.flatnonzero(self._open)) and not effort.is_over():
            effort.spend(len(self._space.problem.counts))
            order = np.argsort(self._bounds.flat[open_places], kind="stable")
            levels = self._levels(int(open_places[order[len(order) // 2]]))
            found = self._check(levels)
            if found < loss:
                best, loss = levels, found
                self._open &= self._bounds < loss
                effort.report(loss, _plain_loss(self._space, levels))
        return best

    def _check(self, levels: Vector) -> float:
        """Return a vector's loss, and close it; if it drops too many records, close all vectors below it."""
        found = _loss(self._space, levels)
        self._open[levels] = False
        if found >= OVER:
            self._open[tuple(slice(0, level + 1) for level in levels)] = False
        return found

    def _levels(self, place: int) -> Vector:
        return tuple(int(level) for level in np.unravel_index(place, self._open.shape))


def _bounds(space: SearchSpace, heights: list[int]) -> NDArray[np.float64]:
    """The loss of every vector if no record is dropped."""
    total = np.zeros([1] * len(heights))
    for column, height in enumerate(heights):
        shape = [1] * len(heights)
        shape[column] = height
        parts = [space.part(column, rows) for rows in _rows_by_level(space.problem, column)]
        total = total + np.asarray(parts).reshape(shape)
    return np.expm1(total / space.weights)


def _rows_by_level(problem: Problem, column: int) -> list[int]:
    """Rows of the labels of all records, at each level from 0."""
    ladder, labels = problem.ladders[column], problem.combinations[:, column]
    sizes = np.asarray(ladder.sizes, np.int64)
    by_level = [labels, *(np.asarray(up, np.int64)[labels] for up in ladder.up)]
    return [int(problem.counts @ sizes[each]) for each in by_level]


def _count_raised(heights: list[int]) -> NDArray[np.int64]:
    """How many levels of each vector are above 0."""
    raised = np.zeros(heights, np.int64)
    for levels in np.indices(heights, sparse=True):
        raised += levels > 0
    return raised


def _descent(space: SearchSpace, levels: list[int], most: int, effort: Effort) -> Vector:
    """Descend from the highest vector, each time by the level that gains most."""
    loss = _loss(space, tuple(levels))
    while not effort.is_over():
        lower = [(*levels[:column], level - 1, *levels[column + 1 :]) for column, level in enumerate(levels) if level]
        tried = [(_loss(space, each), each) for each in lower]
        effort.spend(len(tried) * len(space.problem.counts))
        found, best = min(tried, default=(np.inf, tuple(levels)))
        if found >= loss and sum(level > 0 for level in levels) <= most:
            break
        loss, levels = found, list(best)
        effort.report(loss, _plain_loss(space, best))
    return tuple(levels)


def best_stars(space: SearchSpace, most: int, effort: Effort) -> tuple[tuple[Step, ...], Chain]:
    """Raise one column after the other by a level, for all records, as long as that lowers the loss."""
    best = _plan(space, (), most, effort)
    while not effort.is_over():
        raised = (each for each in _raise_columns(space, best[1]) if len(each) <= most)
        better = min((_plan(space, each, most, effort) for each in raised), default=best)
        if better[0] >= best[0]:
            break
        best = better
    return best[1], best[2]


def _plan(space: SearchSpace, always: tuple[Step, ...], most: int, effort: Effort) -> Plan:
    room = max(0, most - len(always))
    current = best_chain(space, space.state_after(always), last_level_choices(space.problem), room, effort)
    return current.loss, always, current.chain


def _raise_columns(space: SearchSpace, always: tuple[Step, ...]) -> list[tuple[Step, ...]]:
    """The alternatives in which one column is a level higher, for all records."""
    levels = {step.column: step.level for step in always}
    return [
        tuple(Step(each, level) for each, level in sorted({**levels, column: levels.get(column, 0) + 1}.items()))
        for column, ladder in enumerate(space.problem.ladders)
        if levels.get(column, 0) < len(ladder.up) - 1
    ]


Progress: TypeAlias = Callable[[float, float], None]
#: shares of dropped records to search with as well, if they are below the largest one allowed
SHARES = (Fraction(1, 100), Fraction(0))


@dataclass(frozen=True)
class SearchCall:
    reading: Reading
    output: str | None = None  # where the policy will be written
    identifiers: tuple[str, ...] = ()  # columns that the policy drops
    stopped: Callable[[], bool] | None = None  # True ends the search with the best policy found so far
    progress: Progress | None = None  # receives the fraction done and the lowest loss
    found: Callable[[tuple[Alternative, ...]], None] | None = None  # receives the alternatives so far

    @property
    def request(self) -> Request:
        return self.reading.request


class Search:
    """The searches of a call, which read the table once."""

    def __init__(self, source: OpenTable, call: SearchCall):
        self.source, self.call, self.request = source, call, call.request
        self.columns = find_columns(call.request, source.names)
        self._stopped, self._progress = _callbacks(source, call)
        self._tables: dict[frozenset[int], Table] = {}

    def suggest(self) -> Suggestion:
        """Raise Unreachable if every policy found drops more records than allowed."""
        started = time.monotonic()
        style, *others = self.request.styles
        if others:
            return replace(self._compare(), seconds=time.monotonic() - started)
        table, found = self._search(style, self.request.max_lost, self._progress)
        points = self._curve(table, style) if self.request.compare else ()
        return replace(found, curve=points, seconds=time.monotonic() - started)

    def _compare(self) -> Suggestion:
        """Search for an alternative of each style, and for others that drop fewer records.

        An answer that drops few records is also that of a search which allows no more.
        """
        shares = [share for share in (self.request.max_lost, *SHARES) if share <= self.request.max_lost]
        shares = sorted(set(shares), reverse=True)
        searched: list[Alternative] = []
        waiting = deque((style, shares) for style in self.request.styles)
        planned, done = len(waiting) * len(shares), 0
        while waiting and not (searched and self._stopped()):
            style, (share, *fewer) = waiting.popleft()
            self._show(searched, Alternative(style, share))
            progress = partial(self._show_part, done / planned, (1 + len(fewer)) / planned)
            searched.append(self._alternative(style, share, progress))
            answer = searched[-1].answer
            left = [] if answer is None else [each for each in fewer if answer.dropped > each * _searched(answer)]
            done += 1 + len(fewer) - len(left)
            if left:
                waiting.append((style, left))
        compared = self._show(searched)
        best = compared[0].answer
        if best is None:
            raise searched[0].problem or AssertionError
        finished = not waiting and all(each.answer is None or each.answer.finished for each in compared)
        return replace(best, alternatives=compared, finished=finished)

    def _show(self, searched: Sequence[Alternative], *running: Alternative) -> tuple[Alternative, ...]:
        compared = compare_alternatives([*searched, *running])
        if self.call.found is not None:
            self.call.found(compared)
        return compared

    def _show_part(self, before: float, share: float, part: float, loss: float) -> None:
        self._progress(before + share * part, loss)

    def _alternative(self, style: Style, share: Fraction, progress: Progress) -> Alternative:
        try:
            _, answer = self._search(style, share, progress)
        except Unreachable as problem:
            return Alternative(style, share, problem=problem, standing=Standing.UNREACHABLE)
        return Alternative(style, share, answer)

    def _search(self, style: Style, share: Fraction, progress: Progress) -> tuple[Table, Suggestion]:
        as_text: frozenset[int] = frozenset()
        table = self._table(as_text)
        started = time.monotonic()  # once the table is read
        while True:
            problem = _problem(self.request, table, share)
            found = search(problem, style, self.request.lines, self.request.seconds, self._stopped, progress)
            asserted = replace(problem, k=found.k)
            _require_reached(asserted, found)
            suggestion = _suggestion(self.call, table, asserted, found)
            misread = table.respelled & table.numbers - _numbers(suggestion.policy, self.source.names)
            if not misread:
                seconds = time.monotonic() - started
                return table, replace(suggestion, style=style, max_lost=share, seconds=seconds)
            as_text |= misread
            table = self._table(as_text)

    def _table(self, as_text: frozenset[int]) -> Table:
        if as_text not in self._tables:
            self._tables[as_text] = read_table(self.source, self.call.reading, self.columns, as_text)
        return self._tables[as_text]

    def _curve(self, table: Table, style: Style) -> tuple[CurvePoint, ...]:
        problem = _problem(self.request, table, self.request.max_lost)
        points = curve(problem, style, self.request.seconds, self._stopped, self._progress)
        return tuple(CurvePoint(each.lines, each.outcome.loss, each.outcome.dropped) for each in points)


def _searched(found: Suggestion) -> int:
    return found.records_in - found.incomplete


def drop_identifiers(found: Suggestion, identifiers: Sequence[str]) -> Suggestion:
    """The suggestion with a last line that drops identifiers, because a run must not release them (D36, roles act)."""
    policy = found.policy
    dropped = {name.text.casefold() for name in names_dropped_by(policy.tree)}
    kept = [tree.Name(name) for name in identifiers if name.casefold() not in dropped]
    if not kept:
        return found
    line = format_requirement(tree.Requirement(tree.Always(), tree.Drop(tuple(kept))))
    text = f"{policy.text.rstrip()}\n\n{line}\n"
    return replace(found, policy=replace(policy, text=text, tree=replace(parse(text).tree, folder=policy.tree.folder)))


def _problem(request: Request, table: Table, max_lost: Fraction) -> Problem:
    return Problem(
        table.combinations.ladders,
        table.combinations.codes,
        table.combinations.records,
        table.combinations.sensitive,
        request.k,
        request.l,
        min(int(max_lost * table.records), table.records - 1),  # a release has at least one record
        table.columns.importance,
        request.t,
        table.texts,
        table.combinations.persons,
    )


def _require_reached(problem: Problem, found: Found) -> None:
    dropped = found.outcome.dropped
    size = f"k = {problem.k}" if problem.persons is None else f"k = {problem.k} persons"
    goal = size if problem.l is None else f"{size} and l = {problem.l}"
    if dropped == problem.records:
        help_ = f"ask for less, or allow more steps with `{option_text('lines')}`"
        raise _unreachable(f"no policy was found that reaches {goal} without dropping every record", help_)
    if dropped > problem.most_dropped:
        share = f"{dropped / problem.records:.2%} of the records"
        allowed = f"{-(-dropped * 100 // problem.records)}%"
        help_ = f"allow more: `{option_text('max_lost', allowed)}`, or ask for less"
        raise _unreachable(f"every policy found that reaches {goal} drops at least {share}", help_)
    if not is_close(problem, found.always, found.steps):
        reached = closeness(problem, found.always, found.steps)
        message = f"no policy was found whose classes are t-close with t below {reached:.4f}"
        raise _unreachable(message, f"ask for less, or allow more: `{option_text('max_lost', '10%')}`")


def _unreachable(message: str, help_: str) -> Unreachable:
    return Unreachable([Diagnostic("AC624", message, help=help_)])


def _suggestion(call: SearchCall, table: Table, problem: Problem, found: Found) -> Suggestion:
    ladders, goal = problem.ladders, replace(table.columns.goal(call.request), k=problem.k)
    folder = None if call.output is None else Path(call.output).parent
    always = [policy_line(ladders[step.column], step, folder) for step in found.always]
    chain = [policy_line(ladders[step.column], step, folder) for step in found.steps]
    program = policy_tree(goal, always, chain)
    steps = describe_steps(problem, found, program)
    close = None if problem.t is None else closeness(problem, found.always, found.steps)
    text = format_policy(program, goal, table.records, found, steps, close)
    by_column = zip(table.columns.quasi_identifiers, table.combinations.ladders, strict=True)
    changes = count_changes(problem, found.always, found.steps)
    suggestion = Suggestion(
        policy=parse(text) if call.output is None else parse_file(text, call.output),
        k=problem.k,
        l=problem.l,
        t=close,
        records_in=table.records + table.incomplete,
        dropped=found.outcome.dropped,
        incomplete=table.incomplete,
        loss=found.outcome.loss,
        per_column=dict(zip(goal.columns, found.outcome.per_column, strict=True)),
        steps=steps,
        levels={each.column: Levels(each.words, at not in table.columns.specs) for at, each in by_column},
        finished=found.finished,
        person=goal.person,
        notes=tuple(Note(None, text) for text in table.notes),
        cells_changed=changes.cells,
        smallest=changes.smallest or 0,
    )
    return drop_identifiers(suggestion, call.identifiers)


def _numbers(policy: Policy, names: tuple[str, ...]) -> frozenset[int]:
    """The columns that a policy reads as numbers."""
    return frozenset(p for p, use in uses(policy.tree, names).items() if use.use is Use.NUMBER)


def _callbacks(source: OpenTable, call: SearchCall) -> tuple[Callable[[], bool], Callable[[float, float], None]]:
    def stopped() -> bool:
        source.cancellation.check()
        return call.stopped is not None and call.stopped()

    return stopped, call.progress or (lambda done, loss: None)


def describe_steps(problem: Problem, found: Found, program: tree.Program) -> tuple[SuggestedStep, ...]:
    everyone = [problem.records] * len(found.always)
    performed = perform_steps(problem, found.always, found.steps)
    # before the last step drops records
    so_far = (total_loss(losses(problem, columns, problem.counts, 0)) for _, columns in performed)
    after = [*so_far, found.outcome.loss]
    added = [later - before for before, later in zip([0.0, *after], after, strict=False)]
    lines = steps(program)
    effects = list(zip((*everyone, *found.outcome.affected), added, strict=True))
    # a last line may drop the person column, which is not part of the loss
    effects += [(problem.records - found.outcome.dropped, 0.0)] * (len(lines) - len(effects))
    return tuple(
        SuggestedStep(_text(line), affected, loss, assertion_of(line) is None, _where(line))
        for line, (affected, loss) in zip(lines, effects, strict=True)
    )


def _text(line: tree.Requirement) -> str:
    alone = format_requirement(tree.Requirement(tree.Always(), line.action))
    return alone.removeprefix("ALWAYS : ").removesuffix(";")


def _where(line: tree.Requirement) -> str | None:
    process = process_of(line)
    return None if process is None or process.where is None else format_condition(process.where)


def format_policy(
    program: tree.Program,
    goal: Goal,
    records: int,
    found: Found,
    described: Sequence[SuggestedStep],
    t: float | None = None,
) -> str:
    outcome = found.outcome
    by_column = [f"loss {loss:.4f}" for loss in outcome.per_column]
    losses_by_name = zip(goal.columns, outcome.per_column, strict=True)
    listed = ", ".join(f"{name} {loss:.4f}" for name, loss in losses_by_name)
    header = [
        f"Every class by {join_names(goal.columns)} has {_promise(goal)}. `acompass prove` proves it for every table"
        f"{_without_drop(goal)}.",
        f"Searched on a table of {count_text(records, 'record')}: {outcome.dropped:,} dropped, loss {outcome.loss:.4f}"
        f"{'' if has_long_group_by(program) else f' ({listed})'}.",
        "Each step shows the number of records it was applied to in that table, and the loss it added.",
    ]
    if t is not None:
        close = f"The classes released from that table are t-close with t = {t:.4f}."
        header.append(f"{close} This is measured, not proved for other tables.")
    remarks = [f"{count_text(step.affected, 'record')}, loss +{step.loss:.4f}" for step in described]
    return format_with_comments(program, header, by_column, remarks)


def _without_drop(goal: Goal) -> str:
    return f", without the line that drops {join_names([goal.person])}" if goal.person and goal.drops_person else ""


def _promise(goal: Goal) -> str:
    records = f"at least {goal.k:,} {count_noun(goal.person is not None)}"
    return f"{records} and {goal.l:,} values of {join_names(goal.counted_columns)}" if goal.counted_columns else records


def join_names(names: Sequence[str]) -> str:
    return join_words([" ".join(name.split()) for name in names])
