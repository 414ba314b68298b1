"""From an open table to a suggested policy: combinations, a search, a tree, its text."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from acompass import pipeline
from acompass.checked.types import Kind
from acompass.checked.uses import Use, uses
from acompass.diagnostics import Diagnostic
from acompass.engines.engine import LoadedTable, OpenTable
from acompass.options import DatesArgument, MissingArgument
from acompass.pipeline import Call
from acompass.policy import Policy, parse, parse_file
from acompass.propose.ladder import Ladder, ladder
from acompass.propose.specs import ByBands
from acompass.propose.values import Values, is_integer, values_of
from acompass.suggest.columns import Columns, columns_of
from acompass.suggest.combinations import Combinations, combinations_of
from acompass.suggest.describe import commented_text, steps_of
from acompass.suggest.problem import Found, Problem
from acompass.suggest.request import Request
from acompass.suggest.search import curve, search
from acompass.suggest.to_syntax import Line, line_of, policy_tree, suppression
from acompass.suggestion import CurvePoint, Levels, Suggestion, Unreachable
from acompass.syntax import tree
from acompass.syntax.walk import is_bands


@dataclass(frozen=True)
class SearchCall:
    """A request, how to read the table, and where the policy will be. `stopped` says whether to be content
    with the best so far; `progress` is told the part of the work that is done, and the least loss."""

    request: Request
    missing: MissingArgument
    dates: DatesArgument
    output: str | None = None
    stopped: Callable[[], bool] | None = None
    progress: Callable[[float, float], None] | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """What a search needs of a table. `numbers` are the columns that were read as numbers, `respelled` those
    in which a number is spelled in two ways, so that this matters (D26). `texts` are places of
    quasi-identifiers whose labels can be compared with text from the first line on."""

    columns: Columns
    combinations: Combinations
    records: int
    incomplete: int
    numbers: frozenset[int]
    respelled: frozenset[int]
    texts: frozenset[int]


def suggest_policy(source: OpenTable, call: SearchCall) -> Suggestion:
    """Raises Unreachable if every policy that was found drops more records than it may."""
    started = time.monotonic()
    columns = columns_of(call.request, source.names)
    as_text: frozenset[int] = frozenset()
    while True:
        table = _read(source, call, columns, as_text)
        problem = _problem(call.request, table)
        request = call.request
        found = search(problem, request.style, request.lines, request.seconds, *_callbacks(source, call))
        _require_few_dropped(problem, found)
        suggestion = _suggestion(call, table, problem, found)
        misread = table.respelled & table.numbers - _numbers(suggestion.policy, source.names)
        if not misread:
            break
        as_text |= misread
    points = _curve(source, call, problem) if call.request.compare else ()
    return replace(suggestion, curve=points, seconds=time.monotonic() - started)


def _read(source: OpenTable, call: SearchCall, columns: Columns, as_text: frozenset[int]) -> Table:
    """The table is read as the policy will read it. Bands of decimals that the values propose need numbers,
    which is known only after the values have been seen."""
    numbers = frozenset(p for p, spec in columns.specs.items() if isinstance(spec, ByBands)) - as_text
    table = _read_as(source, call, columns, numbers, as_text)
    proposed = frozenset(_bands_of_decimals(table)) - numbers
    return _read_as(source, call, columns, numbers | proposed, as_text) if proposed else table


def _read_as(
    source: OpenTable, call: SearchCall, columns: Columns, numbers: frozenset[int], as_text: frozenset[int]
) -> Table:
    def ladder_of(position: int, values: Values) -> Ladder:
        found = ladder(values, columns.specs.get(position))
        return _top_only(found) if position in as_text else found

    draft = _draft(call.request, columns, numbers)
    with pipeline.loaded_for(source, Call(draft, {}, call.missing, call.dates)) as (loaded, _):
        _require_records(loaded, columns)
        found = combinations_of(loaded, columns.quasi_identifiers, columns.sensitive, ladder_of)
        respelled = frozenset(p for p, name in enumerate(columns.names) if loaded.respelled.get(name))
        kinds = [loaded.schema[p].type.kind for p in columns.quasi_identifiers]
        texts = frozenset(
            place
            for place, (kind, each) in enumerate(zip(kinds, found.ladders, strict=True))
            if kind is Kind.TEXT and not _has_bands(each)
        )
        return Table(columns, found, loaded.state.records, loaded.dropped, numbers, respelled, texts)


def _draft(request: Request, columns: Columns, numbers: frozenset[int]) -> Policy:
    """A policy that reads the columns as the one to be found will (D10)."""
    steps = [_draft_step(columns.names[p], p in numbers) for p in columns.quasi_identifiers]
    return Policy.from_tree(policy_tree(columns.goal(request), (), steps), "the policy to be suggested")


def _draft_step(column: str, as_number: bool) -> Line:
    name = tree.Name(column)
    if not as_number:
        return Line(suppression(name))
    return Line(tree.Generalize(name, tree.BandsOf(tree.Number(Decimal(1)))))


def _require_records(loaded: LoadedTable, columns: Columns) -> None:
    if not loaded.state.records:
        values_of(columns.names[columns.quasi_identifiers[0]], {})


def _bands_of_decimals(table: Table) -> Iterator[int]:
    for position, each in zip(table.columns.quasi_identifiers, table.combinations.ladders, strict=True):
        if _has_bands(each) and not all(map(is_integer, each.labels[: each.values])):
            yield position


def _has_bands(found: Ladder) -> bool:
    return any(rung.tree is not None and is_bands(rung.tree) for rung in found.rungs)


def _top_only(found: Ladder) -> Ladder:
    return replace(found, rungs=found.rungs[-1:], up=found.up[-1:])


def _problem(request: Request, table: Table) -> Problem:
    return Problem(
        table.combinations.ladders,
        table.combinations.codes,
        table.combinations.records,
        table.combinations.sensitive,
        request.k,
        request.l,
        int(request.max_lost * table.records),
        table.columns.keep,
        request.t,
        table.texts,
    )


def _require_few_dropped(problem: Problem, found: Found) -> None:
    dropped = found.outcome.dropped
    if dropped <= problem.most_dropped:
        return
    goal = f"k = {problem.k}" if problem.l is None else f"k = {problem.k} and l = {problem.l}"
    message = f"{goal} drops {dropped / problem.records:.2%} of the records at least, as far as was searched"
    help_ = f"allow more: `--max-lost {-(-dropped * 100 // problem.records)}%`, or ask for less"
    raise Unreachable([Diagnostic("AC624", message, help=help_)])


def _suggestion(call: SearchCall, table: Table, problem: Problem, found: Found) -> Suggestion:
    request, ladders, goal = call.request, problem.ladders, table.columns.goal(call.request)
    folder = None if call.output is None else Path(call.output).parent
    always = [line_of(ladders[step.column], step, folder) for step in found.always]
    chain = [line_of(ladders[step.column], step, folder) for step in found.steps]
    program = policy_tree(goal, always, chain)
    steps = steps_of(problem, found, program)
    text = commented_text(program, goal, table.records, found, steps, request.t)
    return Suggestion(
        policy=parse(text) if call.output is None else parse_file(text, call.output),
        k=request.k,
        l=request.l,
        t=request.t,
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
    return tuple(CurvePoint(_lines(each), each.outcome.loss, each.outcome.dropped) for each in points)


def _callbacks(
    source: OpenTable, call: SearchCall
) -> tuple[Callable[[], bool], Callable[[float, float], None]]:
    def stopped() -> bool:
        source.cancellation.check()
        return call.stopped is not None and call.stopped()

    return stopped, call.progress or (lambda done, loss: None)


def _lines(found: Found) -> int:
    """The steps, the last REJECT included."""
    return len(found.always) + len(found.steps) + 1
