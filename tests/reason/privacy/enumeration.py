"""The truth about small tables, by the push-forward of tests/laws; shares nothing with the prover.

An output is the table without its dropped columns, or None if nothing is written because a check fails, a map has no
label or a value cannot be written."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import lcm
from typing import Any, TypeAlias

from acompass.language.program.kernels import UnfitValueError
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import Program
from acompass.language.program.types import remaining
from acompass.semantics.core import Record, holds
from tests.laws.pushforward import as_table, boxes, perform_box

Output: TypeAlias = tuple[Record, ...] | None
Law: TypeAlias = dict[Output, Fraction]


class Laws:
    """The laws of the outputs of a program. Caches the law of each requirement on each table."""

    def __init__(self, program: Program, bits: int | None = None):
        self._program = program
        self._bits = bits
        self._after = cache(self._fresh_after)
        self.of = cache(self._fresh_law)

    def _fresh_law(self, records: tuple[Record, ...]) -> Law:
        """The law of the output from these records, in canonical order."""
        reached: Law = {records: Fraction(1)}
        for at in range(len(self._program.requirements)):
            after: Law = defaultdict(Fraction)
            for table, share in reached.items():
                for left, own in self._after(at, table).items():
                    after[left] += share * own
            reached = after
        return self._project(reached)

    def _fresh_after(self, at: int, table: Output) -> Law:
        requirement = self._program.requirements[at]
        if table is None:
            return {None: Fraction(1)}
        if requirement.action is None and not holds(list(table), requirement.assertion):
            return {None: Fraction(1)}
        law: Law = defaultdict(Fraction)
        for box in boxes(requirement, list(table), self._bits):
            try:
                law[perform_box(requirement, table, box)] += box.probability
            except (UnlabeledValueError, UnfitValueError):
                law[None] += box.probability
        return dict(law)

    def _project(self, reached: Law) -> Law:
        kept = remaining(self._program.final_schema)
        law: Law = defaultdict(Fraction)
        for table, share in reached.items():
            law[_project_table(table, kept)] += share
        assert sum(law.values()) == 1
        return dict(law)


def _project_table(table: Output, kept: Sequence[int]) -> Output:
    if table is None:
        return None
    return tuple(sorted((tuple(record[c] for c in kept) for record in table), key=repr))


class Weighed:
    """A law in integers over one denominator, which are fast to compare."""

    def __init__(self, law: Law):
        self.denominator = lcm(*(share.denominator for share in law.values()))
        self.shares = {output: int(share * self.denominator) for output, share in law.items()}


def largest_ratio(one: Weighed, other: Weighed) -> Fraction | None:
    """The largest ratio of the probabilities of an output, in either direction; None if it has no bound."""
    if one.shares.keys() != other.shares.keys():
        return None
    pairs = [
        (share * other.denominator, other.shares[output] * one.denominator) for output, share in one.shares.items()
    ]
    most, least = pairs[0]
    for up, down in ((max(pair), min(pair)) for pair in pairs):
        if up * least > most * down:
            most, least = up, down
    return Fraction(max(most, least), min(most, least))


class Truth:
    """The laws of all small tables on some values for each column."""

    def __init__(self, program: Program, values: Sequence[Sequence[Any]], bits: int | None = None):
        self._schema = program.schema
        self._laws = Laws(program, bits)
        self._records = list(product(*values))
        self._weighed: dict[frozenset[tuple[Output, Fraction]], Weighed] = {}
        self._law = cache(self._fresh_law)
        self._ratio = cache(largest_ratio)

    def largest(self, columns: frozenset[int], most: int) -> Fraction | None:
        """The largest ratio over all neighbors; None if it has no bound."""
        largest = Fraction(1)
        for one, other in self._neighbors(columns, most):
            ratio = self._ratio(self._law(one), self._law(other))
            if ratio is None:
                return None
            largest = max(largest, ratio)
        return largest

    def _fresh_law(self, table: tuple[Record, ...]) -> Weighed:
        """Tables with equal laws share one object."""
        law = self._laws.of(table)
        key = frozenset(law.items())
        if key not in self._weighed:
            self._weighed[key] = Weighed(law)
        return self._weighed[key]

    def _neighbors(self, columns: frozenset[int], most: int) -> Iterator[tuple[Any, Any]]:
        alike: defaultdict[Any, list[Record]] = defaultdict(list)
        for record in self._records:
            alike[tuple(v for c, v in enumerate(record) if c not in columns)].append(record)
        for size in range(most):
            for rest in combinations_with_replacement(self._records, size):
                for group in alike.values():
                    for at, one in enumerate(group):
                        for other in group[at + 1 :]:
                            yield self._table(one, rest), self._table(other, rest)

    def _table(self, record: Record, rest: tuple[Record, ...]) -> tuple[Record, ...]:
        return as_table(self._schema, (record, *rest))
