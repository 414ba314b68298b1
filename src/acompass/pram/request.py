"""What a person asks of PRAM."""

import os
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from acompass.diagnostics import CallError, Diagnostic
from acompass.syntax.chances import RAREST

_PROBABILITY = re.compile(r"0?\.[0-9]{1,30}")


@dataclass(frozen=True, slots=True)
class Request:
    """`keep` is None only with a matrix. `round` is the number whose multiples the weights are."""

    column: str
    keep: Decimal | None
    matrix: str | None
    uniform: bool
    round: int | None


def request_of(
    column: str,
    keep: str | None,
    matrix: str | os.PathLike[str] | None,
    uniform: bool,
    round: int | None,  # noqa: A002
) -> Request:
    """The request of a call. Raises where options make no sense, alone or together."""
    if keep is None and matrix is None:
        raise invalid(
            "`keep` is missing", "say with which probability a record keeps its value: `--keep 0.8`"
        )
    if matrix is not None and (uniform or round is not None):
        other = "uniform" if uniform else "round"
        raise invalid(f"`matrix` and `{other}` exclude each other", f"leave `--{other}` out")
    if uniform and round is not None:
        raise invalid("`uniform` and `round` exclude each other", "leave `--round` out")
    if round is not None and round < 1:
        raise invalid(f"`round` is {round:,}, expected at least 1", "write for example `--round 100`")
    path = None if matrix is None else os.fspath(matrix)
    return Request(column, None if keep is None else _probability(keep), path, uniform, round)


def _probability(text: str) -> Decimal:
    found = _PROBABILITY.fullmatch(text.strip())
    number = None if found is None else Decimal(found[0])
    if number is None or not RAREST <= Fraction(number) <= 1 - RAREST:
        message = f"`keep` is `{text}`, expected a probability between 0 and 1"
        raise invalid(message, "write for example `--keep 0.8`")
    return number


def invalid(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC630", message, help=help_)])
