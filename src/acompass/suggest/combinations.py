"""The distinct combinations of a table's quasi-identifiers as arrays, counted by the engine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acompass.engines.engine import LoadedTable
from acompass.plan.running.combinations import CountedCombinations, Word, count_combinations, words_of
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
    words = words_of({p: len(each) for p, each in coded.items()})
    *numbers, records = _fetched(counted, words, coded)
    pairs = [_pairs(counted, words, coded, p, list(values[p].values())) for p in sensitive]
    rows = _row_numbers([numbers, *(before for before, _, _ in pairs)])
    order = np.argsort(rows[0])
    return Combinations(
        tuple(ladders.values()),
        np.stack([code[order] for code in _unpacked(numbers, words)], axis=1),
        records[order],
        tuple(Sensitive(row, codes, n) for row, (_, codes, n) in zip(rows[1:], pairs, strict=True)),
    )


def _pairs(
    counted: CountedCombinations,
    words: Sequence[Word],
    coded: Mapping[int, Sequence[Any]],
    column: int,
    values: Sequence[Any],
) -> tuple[list[IntArray], IntArray, IntArray]:
    """Each combination with each of its sensitive values: its numbers, the value's code, the records."""
    own = Word((column,), (len(values),))
    *numbers, codes, records = _fetched(counted, [*words, own], {**coded, column: values})
    return numbers, codes, records


def _fetched(
    counted: CountedCombinations, words: Sequence[Word], values: Mapping[int, Sequence[Any]]
) -> list[IntArray]:
    """An array for each word, and one of records."""
    parts = (np.array(rows, dtype=np.int64) for rows in counted.packed(words, values))
    return list(np.concatenate([part.reshape(-1, len(words) + 1) for part in parts]).T.copy())


def _unpacked(numbers: Sequence[IntArray], words: Sequence[Word]) -> list[IntArray]:
    """The codes of each column."""
    return [
        number // factor % size
        for number, word in zip(numbers, words, strict=True)
        for factor, size in zip(word.factors, word.sizes, strict=True)
    ]


def _row_numbers(blocks: Sequence[Sequence[IntArray]]) -> list[IntArray]:
    """A number for each row of each block, the same exactly for equal rows."""
    together = [np.concatenate(columns) for columns in zip(*blocks, strict=True)]
    ids = class_ids(together, [int(column.max()) + 1 for column in together])
    return np.split(ids, np.cumsum([len(block[0]) for block in blocks])[:-1])
