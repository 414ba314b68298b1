"""From the counts of a released column and its matrix to the estimate of what the column was."""

from collections.abc import Sequence
from fractions import Fraction

from acompass.estimate.domain import Transitions
from acompass.estimate.estimator import Sums, sums, total
from acompass.estimate.inverse import Dependent, Inverse, right_inverse
from acompass.estimate.refusals import alike, strange
from acompass.estimates import Estimate, Quantity, ValueEstimate
from acompass.pram.read import CountedColumn

_NONE = Quantity(Fraction(0), Fraction(0))


def solve(counted: CountedColumn, found: Transitions, line: int | None) -> Estimate:
    """`line` is the first that draws."""
    texts = list(dict.fromkeys(text for row in found.rows.values() for text in row))
    records = sum(each.records for text, each in counted.counts.items() if text not in texts)
    if records:
        raise strange(counted.name, records)
    counts = [_released(counted, text) for text in texts]
    inverse = _inverse(counted, found, texts)
    return Estimate(
        column=counted.name,
        line=line,
        released=counted.records,
        records=total(counts, inverse),
        values=tuple(_values(counted, found, sums(counts, inverse, len(found.rows)))),
    )


def _inverse(counted: CountedColumn, found: Transitions, texts: list[str]) -> Inverse:
    places = {text: place for place, text in enumerate(texts)}
    rows = [{places[text]: entry for text, entry in row.items()} for row in found.rows.values()]
    try:
        return right_inverse(rows, len(texts))
    except Dependent as error:
        values = list(found.rows)
        raise alike(counted.name, [values[at] for at in error.rows], found.unnamed) from None


def _values(counted: CountedColumn, found: Transitions, by_value: Sequence[Sums]) -> list[ValueEstimate]:
    """Those that the column may have had, then released ones that it cannot have had."""
    listed = [
        ValueEstimate(
            None if text in found.unnamed else value,
            _released(counted, text),
            own.count,
            _share(counted, found, own),
        )
        for (text, value), own in zip(found.values.items(), by_value, strict=True)
    ]
    drawn = [each for text, each in counted.counts.items() if text not in found.values]
    return [*listed, *(ValueEstimate(each.value, each.records, _NONE, _NONE) for each in drawn)]


def _released(counted: CountedColumn, text: str) -> int:
    return counted.counts[text].records if text in counted.counts else 0


def _share(counted: CountedColumn, found: Transitions, own: Sums) -> Quantity | None:
    """None if values are released at different rates, or nothing was."""
    if len(found.rates) > 1 or not counted.records:
        return None
    (rate,) = found.rates
    return own.share(counted.records, rate)
