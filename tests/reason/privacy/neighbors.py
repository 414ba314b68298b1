"""The truth about small tables: exact laws of all tables of a few records, and of their neighbors."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, TypeAlias

from acompass.language.program.program import Program
from acompass.semantics.core import Record, holds
from tests.laws.pushforward import Table, as_table, bind

#: None if a check has failed and nothing is written (D22)
Output: TypeAlias = Table | None


def law_of_output(program: Program, records: Iterable[Record], bits: int | None = None) -> dict[Output, Fraction]:
    reached, failed = {as_table(program.schema, records): Fraction(1)}, Fraction(0)
    for requirement in program.requirements:
        if requirement.action is None:
            written = {each: p for each, p in reached.items() if holds(list(each), requirement.assertion)}
            failed += sum(reached.values()) - sum(written.values())
            reached = written
        reached = bind(reached, requirement, bits)
    assert sum(reached.values()) + failed == 1
    return {**reached, None: failed} if failed else {**reached}


def hockey_stick(p: Mapping[Any, Fraction], q: Mapping[Any, Fraction], ratio: Fraction) -> Fraction:
    """The largest P(S) - E · Q(S) over all sets S of outputs."""
    return sum((max(Fraction(0), p[each] - ratio * q.get(each, 0)) for each in p), Fraction(0))


def tables(domain: Sequence[Record], largest: int) -> Iterator[Table]:
    """All tables of at most `largest` records."""
    for size in range(largest + 1):
        yield from combinations_with_replacement(domain, size)


def neighbors(domain: Sequence[Record], largest: int) -> Iterator[tuple[Table, Table]]:
    """All tables of at most `largest` records, each paired with every table that lacks one of its records."""
    for table in tables(domain, largest):
        for at, record in enumerate(table):
            if record not in table[:at]:
                yield table, (*table[:at], *table[at + 1 :])


def largest_delta(
    program: Program, domain: Sequence[Record], largest: int, ratio: Fraction, bits: int | None = None
) -> Fraction:
    """The δ that neighboring tables of at most `largest` records need, in both directions."""
    laws = {table: law_of_output(program, table, bits) for table in tables(domain, largest)}
    pairs = [(laws[table], laws[less]) for table, less in neighbors(domain, largest)]
    return max(max(hockey_stick(p, q, ratio), hockey_stick(q, p, ratio)) for p, q in pairs)


def distance(one: Table, other: Table) -> int:
    """The size of the symmetric difference of two bags."""
    ones, others = Counter(one), Counter(other)
    return (ones - others).total() + (others - ones).total()
