"""The weights of an urn: the records that have each value, exactly, rounded or all the same."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from acompass.diagnostics import CallError, Diagnostic
from acompass.pram.matrix import Matrix
from acompass.pram.read import CountedColumn
from acompass.pram.request import Request
from acompass.syntax.chances import RAREST


def weights_of(request: Request, column: CountedColumn) -> dict[str, int]:
    """Each value can be drawn, however it is rounded. Raises if one is too rare (X7)."""
    counts = {text: each.records for text, each in column.counts.items()}
    if request.uniform:
        return dict.fromkeys(counts, 1)
    step = request.round or 1
    weights = {text: max(step, _nearest(records, step)) for text, records in counts.items()}
    total = sum(weights.values())
    if min(weights.values()) < total * RAREST:
        raise _too_rare("a value of the column is", "write weights that differ less: `--round 1000`")
    return weights


def _nearest(records: int, step: int) -> int:
    return (2 * records + step) // (2 * step) * step


def urn_ratio(keep: Fraction, weights: Mapping[str, int]) -> Fraction:
    """e^ε of a column that is kept with a probability and otherwise drawn from an urn.

    A value v is released with the probability keep + (1 - keep) · π(v) where it was v, and with
    (1 - keep) · π(v) where it was not. The quotient is largest for the rarest value.
    """
    return 1 + keep / ((1 - keep) * share_of_rarest(weights.values()))


def share_of_rarest(weights: Iterable[int]) -> Fraction:
    listed = list(weights)
    return Fraction(min(listed), sum(listed))


def require_no_rarity(matrix: Matrix) -> None:
    """Raises if a line of the policy would draw something rarer than X7 allows."""
    for place, row in enumerate(matrix.rows, start=1):
        if min(filter(None, row)) < RAREST:
            raise _too_rare(f"a probability in row {place} of the matrix is", "write 0, or a larger number")


def _too_rare(what: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC633", f"{what} below 2^-32, which no seed can draw exactly", help=help_)])
