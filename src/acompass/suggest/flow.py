"""From an open table to a suggested policy: combinations, a search, a tree, its text."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from acompass.checked.uses import Use, uses
from acompass.diagnostics import Diagnostic
from acompass.engines.engine import OpenTable
from acompass.policy import Policy, parse, parse_file
from acompass.suggest.columns import columns_of
from acompass.suggest.describe import commented_text, steps_of
from acompass.suggest.problem import Found, Problem
from acompass.suggest.read import Reading, Table, read_table
from acompass.suggest.request import Request
from acompass.suggest.search import closeness, curve, is_close, search
from acompass.suggest.to_syntax import line_of, policy_tree
from acompass.suggestion import CurvePoint, Levels, Suggestion, Unreachable


@dataclass(frozen=True)
class SearchCall:
    """What to search for, and where the policy will be. `stopped` says whether to be content with the best
    so far; `progress` is told the part of the work that is done, and the least loss."""

    reading: Reading
    output: str | None = None
    stopped: Callable[[], bool] | None = None
    progress: Callable[[float, float], None] | None = None

    @property
    def request(self) -> Request:
        return self.reading.request


def suggest_policy(source: OpenTable, call: SearchCall) -> Suggestion:
    """Raises Unreachable if every policy that was found drops more records than it may."""
    started = time.monotonic()
    columns = columns_of(call.request, source.names)
    as_text: frozenset[int] = frozenset()
    while True:
        table = read_table(source, call.reading, columns, as_text)
        problem, request = _problem(call.request, table), call.request
        found = search(problem, request.style, request.lines, request.seconds, *_callbacks(source, call))
        asserted = replace(problem, k=found.k)
        _require_reached(asserted, found)
        suggestion = _suggestion(call, table, asserted, found)
        misread = table.respelled & table.numbers - _numbers(suggestion.policy, source.names)
        if not misread:
            break
        as_text |= misread
    points = _curve(source, call, problem) if call.request.compare else ()
    return replace(suggestion, curve=points, seconds=time.monotonic() - started)


def _problem(request: Request, table: Table) -> Problem:
    return Problem(
        table.combinations.ladders,
        table.combinations.codes,
        table.combinations.records,
        table.combinations.sensitive,
        request.k,
        request.l,
        min(int(request.max_lost * table.records), table.records - 1),  # a release has records
        table.columns.keep,
        request.t,
        table.texts,
    )


def _require_reached(problem: Problem, found: Found) -> None:
    dropped = found.outcome.dropped
    goal = f"k = {problem.k}" if problem.l is None else f"k = {problem.k} and l = {problem.l}"
    if dropped == problem.records:
        help_ = "ask for less, or allow more steps with `--lines`"
        raise _unreachable(f"{goal} leaves no record, as far as was searched", help_)
    if dropped > problem.most_dropped:
        share = f"{dropped / problem.records:.2%} of the records"
        help_ = f"allow more: `--max-lost {-(-dropped * 100 // problem.records)}%`, or ask for less"
        raise _unreachable(f"{goal} drops {share} at least, as far as was searched", help_)
    if not is_close(problem, found.always, found.steps):
        reached = closeness(problem, found.always, found.steps)
        message = f"the classes are t-close with t = {reached:.4f} at best, as far as was searched"
        raise _unreachable(message, "ask for less, or allow more: `--max-lost 10%`")


def _unreachable(message: str, help_: str) -> Unreachable:
    return Unreachable([Diagnostic("AC624", message, help=help_)])


def _suggestion(call: SearchCall, table: Table, problem: Problem, found: Found) -> Suggestion:
    ladders, goal = problem.ladders, replace(table.columns.goal(call.request), k=problem.k)
    folder = None if call.output is None else Path(call.output).parent
    always = [line_of(ladders[step.column], step, folder) for step in found.always]
    chain = [line_of(ladders[step.column], step, folder) for step in found.steps]
    program = policy_tree(goal, always, chain)
    steps = steps_of(problem, found, program)
    close = None if problem.t is None else closeness(problem, found.always, found.steps)
    text = commented_text(program, goal, table.records, found, steps, close)
    return Suggestion(
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
        levels=_levels(table),
        finished=found.finished,
    )


def _levels(table: Table) -> dict[str, Levels]:
    pairs = zip(table.columns.quasi_identifiers, table.combinations.ladders, strict=True)
    return {each.column: Levels(each.words, position not in table.columns.specs) for position, each in pairs}


def _numbers(policy: Policy, names: tuple[str, ...]) -> frozenset[int]:
    """The columns that a policy reads as numbers."""
    return frozenset(p for p, use in uses(policy.tree, names).items() if use.use is Use.NUMBER)


def _curve(source: OpenTable, call: SearchCall, problem: Problem) -> tuple[CurvePoint, ...]:
    request = call.request
    points = curve(problem, request.style, request.seconds, *_callbacks(source, call))
    return tuple(CurvePoint(each.lines, each.outcome.loss, each.outcome.dropped) for each in points)


def _callbacks(
    source: OpenTable, call: SearchCall
) -> tuple[Callable[[], bool], Callable[[float, float], None]]:
    def stopped() -> bool:
        source.cancellation.check()
        return call.stopped is not None and call.stopped()

    return stopped, call.progress or (lambda done, loss: None)
