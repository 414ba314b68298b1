"""The distinct combinations of a table's quasi-identifiers as arrays, counted by the engine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acompass.engines.engine import LoadedTable
from acompass.plan.running.combinations import CountedCombinations, Word, count_combinations
from acompass.propose.ladder import Ladder
from acompass.propose.values import Values
from acompass.suggest.problem import IntArray, Sensitive
from acompass.suggest.search.classes import class_ids


@dataclass(frozen=True, eq=False)
class Combinations:
    """`codes` has a row for each combination, sorted, and a column for each quasi-identifier. A code is the
    place of a value among the labels of the column's ladder."""

    ladders: tuple[Ladder, ...]
    codes: IntArray
    records: IntArray
    sensitive: tuple[Sensitive, ...]


def combinations_of(
    loaded: LoadedTable,
    quasi_identifiers: Sequence[int],
    sensitive: Sequence[int],
    ladder_of: Callable[[int, Values], Ladder],
) -> Combinations:
    """One aggregation over the records. `ladder_of` makes a ladder of the values of a column."""
    counted = count_combinations(loaded.session, loaded.state, (*quasi_identifiers, *sensitive))
    values = {column: counted.values(column) for column in (*quasi_identifiers, *sensitive)}
    ladders = {p: ladder_of(p, Values(loaded.schema[p].name, tuple(values[p]))) for p in quasi_identifiers}
    coded = {p: [values[p][text] for text in each.labels[: each.values]] for p, each in ladders.items()}
    codes, records = _fetched(counted, coded)
    pairs = [_fetched(counted, {**coded, p: list(values[p].values())}) for p in sensitive]
    rows = _row_numbers([codes, *(pair[:, :-1] for pair, _ in pairs)])
    order = np.argsort(rows[0])
    return Combinations(
        tuple(ladders.values()),
        codes[order],
        records[order],
        tuple(Sensitive(row, pair[:, -1], n) for row, (pair, n) in zip(rows[1:], pairs, strict=True)),
    )


def _fetched(counted: CountedCombinations, values: Mapping[int, Sequence[Any]]) -> tuple[IntArray, IntArray]:
    """The codes of each combination, and its records."""
    rows, words = counted.packed(values)
    numbers = np.array(rows, dtype=np.int64).reshape(len(rows), len(words) + 1)
    codes = [code for place, word in enumerate(words) for code in _unpacked(numbers[:, place], word)]
    return np.stack(codes, axis=1), numbers[:, -1]


def _unpacked(numbers: IntArray, word: Word) -> list[IntArray]:
    return [numbers // factor % size for factor, size in zip(word.factors, word.sizes, strict=True)]


def _row_numbers(blocks: Sequence[IntArray]) -> list[IntArray]:
    """A number for each row, the same exactly for equal rows of any block."""
    together = np.concatenate(blocks)
    sizes = [int(size) for size in together.max(axis=0) + 1]
    ids = class_ids([np.ascontiguousarray(column) for column in together.T], sizes)
    return np.split(ids, np.cumsum([len(block) for block in blocks])[:-1])
