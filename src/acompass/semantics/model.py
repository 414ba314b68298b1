"""Section 4.1, data model and notation: records, bags, the random trace, canonical order, schemas.

A bag is a list, so that a table keeps its order (D21); only `canonical_order` depends on an order.
A sub-bag of a table is the set of its records' positions, so removing positions is the paper's R − V: copies
of a record are interchangeable, and R − V has as many fewer of them as V has.
"""

import hashlib
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias, assert_never

from acompass.checked.convert import to_text
from acompass.checked.program import Filter, Process, Result, ResultForm
from acompass.checked.types import Column, Kind, Schema, Type

#: columns that the policy never names may hold any value, missing values included
Record: TypeAlias = tuple[Any, ...]
Bag: TypeAlias = list[Record]
SubBag: TypeAlias = frozenset[int]


def difference(bag: Bag, removed: SubBag) -> Bag:
    """R − V."""
    return [record for position, record in enumerate(bag) if position not in removed]


def update(record: Record, column: int, value: object) -> Record:
    """Definition 3, record update: r[A → a]."""
    return (*record[:column], value, *record[column + 1 :])


@dataclass(frozen=True, slots=True)
class Trace:
    """Definition 4, the random trace ρ, after its first `used` values have been consumed.

    `at(i)` is the i-th value of the whole trace, from 1. `length` is None for an infinite trace. A trace read
    from a file is finite (D19). The seed is a secret (D20), so `repr` shows no values.
    """

    at: Callable[[int], Fraction] = field(repr=False)
    length: int | None = None
    used: int = 0


class TraceExhausted(Exception):
    """A finite trace is too short; `needed` is the length that the failing RANDOM requires."""

    def __init__(self, needed: int):
        self.needed = needed
        super().__init__(f"the trace has fewer than {needed} values")


def trace_of_values(values: Iterable[Fraction]) -> Trace:
    known = tuple(values)
    return Trace(lambda i: known[i - 1], len(known))


def trace_of_seed(seed: str) -> Trace:
    """The infinite trace of a seed (D19)."""
    return Trace(partial(_seeded, seed))


def _seeded(seed: str, i: int) -> Fraction:
    digest = hashlib.sha256(f"{seed}:{i}".encode()).hexdigest()
    return Fraction(int(digest[:13], 16), 2**52)


def pref(m: int, rho: Trace) -> tuple[Fraction, ...]:
    """pref_m(ρ) = (ρ₁, …, ρₘ). Raises TraceExhausted if ρ has fewer values."""
    end = rho.used + m
    if rho.length is not None and end > rho.length:
        raise TraceExhausted(end)
    return tuple(rho.at(i) for i in range(rho.used + 1, end + 1))


def tail(m: int, rho: Trace) -> Trace:
    """tail_m(ρ) = (ρₘ₊₁, ρₘ₊₂, …)."""
    return replace(rho, used=rho.used + m)


def random(lower: int, upper: int, rho: Fraction) -> int:
    """random(l, u, ρ) = l + ⌊ρ · (u − l + 1)⌋, in exact arithmetic (D19); see docs/paper.md, 23."""
    return lower + rho * (upper - lower + 1) // 1


def canonical_order(schema: Schema, records: Iterable[Record]) -> Bag:
    """Definition 5, order(R), with the order of records that D18 settles; see docs/paper.md, 24."""
    return sorted(records, key=canonical_key(schema))


def canonical_key(schema: Schema) -> Callable[[Record], tuple[Any, ...]]:
    """A sort key that compares records column by column, in schema order."""
    types = [column.type for column in schema]
    return lambda record: tuple(_value_key(value, type_) for value, type_ in zip(record, types, strict=True))


def _value_key(value: Any, type_: Type) -> tuple[bool, Any]:
    """Missing values come first (D11), None before NaN. Opaque values are ordered by their `repr`, two
    spellings of one number by their text (D26), and -0.0 is before 0.0, which it equals."""
    if type_.kind is Kind.OPAQUE:
        return (value is not None, repr(value))
    missing = value is None or value != value
    if missing:
        return (False, value is not None)
    if type_.kind is Kind.FLOAT:
        return (True, (value, math.copysign(1, value)))
    return (True, (value, to_text(value, type_)) if type_.is_spelled_decimal else value)


def result_schema(result: ResultForm, schema: Schema) -> Schema:
    """Figure 2, l(result), on a relation whose schema is l(R) = `schema`; see docs/paper.md, 17."""
    match result:
        case Result() | Filter():
            return schema
        case Process():
            groups = tuple(schema[group] for group in result.group_by)
            return (*groups, *(Column(each.name, each.type) for each in result.aggregates))
        case _:
            assert_never(result)
