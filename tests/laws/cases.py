"""Compare bags of records, and decide whether counts are plausible under a law."""

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, TypeVar

from hypothesis import settings

from acompass.language.program.types import Kind, Schema, Type
from acompass.semantics.core import Record, canonical_key


def as_bag(schema: Schema, records: Iterable[Record]) -> Counter[object]:
    """A bag of canonical keys; missing values are equal, and so are 0.0 and -0.0."""
    return Counter(map(canonical_key(schema), records))


CLASSES = {
    Kind.INTEGER: int,
    Kind.DECIMAL: Decimal,
    Kind.FLOAT: float,
    Kind.TEXT: str,
    Kind.BOOLEAN: bool,
    Kind.DATE: datetime.date,
    Kind.TIMESTAMP: datetime.datetime,
    Kind.SHARE: Fraction,
}


def is_of_type(value: Any, type_: Type) -> bool:
    """Columns of every type may have missing values; opaque columns may contain anything."""
    return value is None or type_.kind is Kind.OPAQUE or type(value) is CLASSES[type_.kind]


LAW = settings(max_examples=2 * settings.default.max_examples)

# Decide without floating point whether counts are plausible under a law.
#
# Chernoff's bound: among n independent draws, an outcome with probability p occurs at least k times (if k >
# n·p) or at most k times (if k < n·p) with a probability of at most (p/x)^k · ((1-p)/(1-x))^(n-k), where x
# = k/n. The bounds of both tails and of all outcomes are added. So counts drawn from the law are rejected
# with a probability below LEVEL.


#: the probability with which counts drawn from the law may be rejected
LEVEL = Decimal("1e-6")
_EXACT = Context(prec=60)

Outcome = TypeVar("Outcome")


def p_value_bound(counts: Mapping[Outcome, int], law: Mapping[Outcome, Fraction]) -> Decimal:
    """An upper bound on the probability of counts at least this far from the law."""
    assert sum(law.values()) == 1
    assert counts.keys() <= law.keys(), "the law lacks an outcome"
    total = sum(counts.values())
    smallest = min(_one_side(counts.get(outcome, 0), total, p) for outcome, p in law.items())
    return _EXACT.multiply(smallest, 2 * len(law))


def _one_side(count: int, total: int, probability: Fraction) -> Decimal:
    hits = _likelihood(probability, Fraction(count, total), count)
    others = _likelihood(1 - probability, 1 - Fraction(count, total), total - count)
    return _EXACT.exp(_EXACT.add(hits, others))


def _likelihood(expected: Fraction, found: Fraction, times: int) -> Decimal:
    """The logarithm of (expected / found) to the power of `times`."""
    if times == 0:
        return Decimal(0)
    ratio = expected / found
    quotient = _EXACT.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    return _EXACT.multiply(_EXACT.ln(quotient), times)
