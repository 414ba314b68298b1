"""Read a table for a search, as the policy that will be found reads it (D10)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from acompass import pipeline
from acompass.checked.types import Kind
from acompass.engines.engine import LoadedTable, OpenTable
from acompass.options import DatesArgument, MissingArgument
from acompass.pipeline import Call
from acompass.policy import Policy
from acompass.propose.ladder import Ladder, ladder
from acompass.propose.specs import ByBands
from acompass.propose.values import Values, is_integer, values_of
from acompass.suggest.columns import Columns
from acompass.suggest.combinations import Combinations, combinations_of
from acompass.suggest.request import Request
from acompass.suggest.to_syntax import Goal, Line, policy_tree, suppression
from acompass.syntax import tree
from acompass.syntax.walk import is_bands


@dataclass(frozen=True)
class Reading:
    """What is asked of a table, and how its missing values and dates are read."""

    request: Request
    missing: MissingArgument
    dates: DatesArgument


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


def read_table(source: OpenTable, reading: Reading, columns: Columns, as_text: frozenset[int]) -> Table:
    """The table is read as the policy will read it. Bands of decimals that the values propose need numbers,
    which is known only after the values have been seen."""
    numbers = frozenset(p for p, spec in columns.specs.items() if isinstance(spec, ByBands)) - as_text
    table = _read_as(source, reading, columns, numbers, as_text)
    proposed = frozenset(_bands_of_decimals(table)) - numbers
    return _read_as(source, reading, columns, numbers | proposed, as_text) if proposed else table


def _read_as(
    source: OpenTable, reading: Reading, columns: Columns, numbers: frozenset[int], as_text: frozenset[int]
) -> Table:
    def ladder_of(position: int, values: Values) -> Ladder:
        found = ladder(values, columns.specs.get(position))
        return _top_only(found) if position in as_text else found

    draft = _draft(columns.goal(reading.request), columns, numbers)
    with pipeline.loaded_for(source, Call(draft, {}, reading.missing, reading.dates)) as (loaded, _):
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


def _draft(goal: Goal, columns: Columns, numbers: frozenset[int]) -> Policy:
    """A policy that reads the columns as the one to be found will (D10)."""
    steps = [_draft_step(columns.names[p], p in numbers) for p in columns.quasi_identifiers]
    return Policy.from_tree(policy_tree(goal, (), steps), "the policy to be suggested")


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
