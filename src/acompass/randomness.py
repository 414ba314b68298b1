"""The source of a random trace: a given seed, given values, or a new seed (D19, D20)."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TypeAlias

from acompass.diagnostics import CallError, Diagnostic

TraceValue: TypeAlias = str | Fraction | Decimal | float | int


@dataclass(frozen=True, repr=False)
class TraceSource:
    """Either a seed or values. The seed is a secret, so there is no repr."""

    seed: str | None
    values: tuple[Fraction, ...] | None


def trace_source(seed: str | None, trace: Iterable[TraceValue] | None) -> TraceSource:
    if trace is not None:
        if seed is not None:
            raise _wrong("both a seed and a trace are given", "give only one of them")
        return TraceSource(None, tuple(_number(value, i) for i, value in enumerate(trace, start=1)))
    return TraceSource(secrets.token_hex(32) if seed is None else _usable(seed), None)


def _usable(seed: str) -> str:
    try:
        seed.encode()
    except UnicodeEncodeError:
        raise _wrong("the seed is not valid Unicode", "use letters and digits") from None
    return seed


def _number(value: TraceValue, place: int) -> Fraction:
    try:
        number = Fraction(Decimal(value.strip())) if isinstance(value, str) else Fraction(value)
    except (ValueError, InvalidOperation, OverflowError, TypeError):
        raise _bad_value(place, "is not a number") from None
    if not 0 <= number < 1:
        raise _bad_value(place, "is not in [0,1)")
    return number


def _bad_value(place: int, problem: str) -> CallError:
    return _wrong(
        f"value {place} of the trace {problem}", "a trace contains decimals such as `0.25`, one per line"
    )


def _wrong(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC404", message, help=help_)])


def exhausted(needed: int, given: int) -> CallError:
    message = f"the trace has too few values: expected at least {needed:,}, found {given:,}"
    return CallError([Diagnostic("AC405", message, help="give a longer trace, or a seed")])
