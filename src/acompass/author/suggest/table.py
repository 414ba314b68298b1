"""Read a table for a search, with the types that the suggested policy will give its columns (D10, types from use).

The engine counts the distinct combinations of the quasi-identifiers; the search sees them as arrays."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from acompass.author.suggest.policy_tree import Goal, Line, policy_tree, suppression
from acompass.author.suggest.request import Columns, Request
from acompass.author.suggest.search_problem import IntArray, Sensitive, class_ids
from acompass.dataclasses import dataclass, field, replace
from acompass.engines.protocol import LoadedTable, OpenTable
from acompass.language.program.types import Kind
from acompass.language.text import tree
from acompass.language.text.walk import map_parts
from acompass.measure.hierarchy import ByBands, Values, column_values, is_integer
from acompass.measure.levels import ColumnLevels, column_levels
from acompass.options import DatesArgument, MissingArgument, NaArgument
from acompass.plan.run.queries import CountedCombinations, Word, count_combinations, split_into_words
from acompass.policy import Policy, TableRoles
from acompass.run import Call, load_and_check


@dataclass(frozen=True)
class Reading:
    request: Request
    missing: MissingArgument
    na: NaArgument
    dates: DatesArgument
    roles: TableRoles = field(default_factory=TableRoles)


@dataclass(frozen=True, eq=False)
class Combinations:
    ladders: tuple[ColumnLevels, ...]
    #: a row for each combination, sorted, and a column for each quasi-identifier; a code is the position of a value
    #: among the labels of the column's ladder
    codes: IntArray
    records: IntArray
    sensitive: tuple[Sensitive, ...]
    persons: Sensitive | None  # None if records are counted


@dataclass(frozen=True, eq=False)
class Table:
    """A table, read for a search."""

    columns: Columns
    combinations: Combinations
    records: int
    incomplete: int
    numbers: frozenset[int]  # columns read as numbers
    respelled: frozenset[int]  # columns that spell a number in two ways, where reading them as text differs (D26)
    notes: tuple[str, ...]  # on persons, if records are counted
    texts: frozenset[int]  # positions of quasi-identifiers whose labels can be compared with text from the start


def read_table(source: OpenTable, reading: Reading, columns: Columns, as_text: frozenset[int]) -> Table:
    """Read the table as the policy will read it.

    It is read a second time if its values turn out to need bands of decimals, for which columns must be numbers.
    """
    numbers = frozenset(p for p, spec in columns.specs.items() if isinstance(spec, ByBands)) - as_text
    table = _read_as(source, reading, columns, numbers, as_text)
    proposed = frozenset(_bands_of_decimals(table)) - numbers
    return _read_as(source, reading, columns, numbers | proposed, as_text) if proposed else table


def _read_as(
    source: OpenTable, reading: Reading, columns: Columns, numbers: frozenset[int], as_text: frozenset[int]
) -> Table:
    def make_ladder(position: int, values: Values) -> ColumnLevels:
        found = column_levels(values, columns.specs.get(position))
        return replace(found, maps=found.maps[-1:], up=found.up[-1:]) if position in as_text else found

    draft = _draft(columns.goal(reading.request), columns, numbers)
    with load_and_check(source, Call(draft, {}, reading.missing, reading.na, reading.dates)) as (loaded, _):
        if not loaded.state.records:
            column_values(
                columns.names[columns.quasi_identifiers[0]], {}
            )  # raises the error of a column without values
        found = read_combinations(loaded, columns, make_ladder)
        respelled = frozenset(p for p, name in enumerate(columns.names) if loaded.respelled.get(name))
        kinds = [loaded.schema[p].type.kind for p in columns.quasi_identifiers]
        texts = frozenset(
            place
            for place, (kind, each) in enumerate(zip(kinds, found.ladders, strict=True))
            if kind is Kind.TEXT and not _has_bands(each)
        )
        notes = () if columns.person is not None else tuple(_notes_on_persons(loaded, reading, columns))
        return Table(columns, found, loaded.state.records, loaded.dropped, numbers, respelled, notes, texts)


def _notes_on_persons(loaded: LoadedTable, reading: Reading, columns: Columns) -> Iterator[str]:
    from acompass.plan.run.doubts import find_repeated_persons

    return find_repeated_persons(loaded.session, loaded.state, reading.roles, columns.quasi_identifiers)


def _draft(goal: Goal, columns: Columns, numbers: frozenset[int]) -> Policy:
    """A policy that gives the columns the same types as the policy to be found."""
    bands = tree.BandsOf(tree.Number(Decimal(1)))
    names = {p: tree.Name(columns.names[p]) for p in columns.quasi_identifiers}
    steps = [tree.Generalize(name, bands) if p in numbers else suppression(name) for p, name in names.items()]
    return Policy.from_tree(policy_tree(goal, (), map(Line, steps)), "the policy to be suggested")


def _bands_of_decimals(table: Table) -> Iterator[int]:
    for position, each in zip(table.columns.quasi_identifiers, table.combinations.ladders, strict=True):
        if _has_bands(each) and not all(map(is_integer, each.labels[: each.values])):
            yield position


def _has_bands(found: ColumnLevels) -> bool:
    return any(each.tree is not None and map_parts(each.tree).of_numbers for each in found.maps)


def read_combinations(
    loaded: LoadedTable, columns: Columns, make_ladder: Callable[[int, Values], ColumnLevels]
) -> Combinations:
    """Count combinations in one aggregation. `make_ladder` makes the ladder of a column from its values."""
    quasi_identifiers, sensitive = columns.quasi_identifiers, columns.sensitive
    person = () if columns.person is None else (columns.person,)
    counted = count_combinations(loaded.session, loaded.state, (*quasi_identifiers, *sensitive, *person))
    values = {column: counted.values(column) for column in (*quasi_identifiers, *sensitive)}
    ladders = {p: make_ladder(p, Values(loaded.schema[p].name, tuple(values[p]))) for p in quasi_identifiers}
    coded = {p: [values[p][text] for text in each.labels[: each.values]] for p, each in ladders.items()}
    words = split_into_words({p: len(each) for p, each in coded.items()})
    *numbers, records = _fetch(counted, words, coded)
    # each combination with each of its sensitive values: the combination's words, the value's code, the records; if
    # persons are counted, with each of its persons, and with each of its pairs of a value and a person
    members = [Word((p,), (counted.number(p),)) for p in person]
    pairs = [
        _fetch(
            counted, [*words, Word((p,), (len(values[p]),)), *members], {**coded, p: list(values[p].values())}, person
        )
        for p in sensitive
    ]
    rest = len(words)
    persons = [_fetch(counted, [*words, *members], coded, person) for _ in person]
    rows = _row_numbers([numbers, *(found[:rest] for found in (*pairs, *persons))])
    order = np.argsort(rows[0])
    places = iter(rows[1:])
    return Combinations(
        tuple(ladders.values()),
        np.stack([code[order] for code in _unpack(numbers, words)], axis=1),
        records[order],
        tuple(Sensitive(next(places), found[rest], found[-1], *found[rest + 1 : -1]) for found in pairs),
        next((Sensitive(next(places), found[rest], found[-1]) for found in persons), None),
    )


def _fetch(
    counted: CountedCombinations,
    words: Sequence[Word],
    values: Mapping[int, Sequence[Any]],
    numbered: Sequence[int] = (),
) -> list[IntArray]:
    """An array for each word, and one for the records."""
    parts = (np.array(rows, dtype=np.int64) for rows in counted.fetch_packed(words, values, numbered))
    return list(np.concatenate([part.reshape(-1, len(words) + 1) for part in parts]).T.copy())


def _unpack(numbers: Sequence[IntArray], words: Sequence[Word]) -> list[IntArray]:
    return [
        number // factor % size
        for number, word in zip(numbers, words, strict=True)
        for factor, size in zip(word.factors, word.sizes, strict=True)
    ]


def _row_numbers(blocks: Sequence[Sequence[IntArray]]) -> list[IntArray]:
    """A number for each row of each block; rows are equal if and only if their numbers are."""
    together = [np.concatenate(columns) for columns in zip(*blocks, strict=True)]
    ids = class_ids(together, [int(column.max()) + 1 for column in together])
    return np.split(ids, np.cumsum([len(block[0]) for block in blocks])[:-1])
