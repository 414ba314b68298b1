"""An estimate as rows of words. Only renderers round."""

from collections.abc import Iterator
from fractions import Fraction

from acompass.estimates import Estimate, Quantity, ValueEstimate
from acompass.report.words import counted, on_one_line, shown

Row = tuple[str, ...]


def heading(estimate: Estimate) -> str:
    column = on_one_line(estimate.column)
    before = "" if estimate.line is None else f" before line {estimate.line}"
    records = f"{_rounded(estimate.records.estimate)} records"
    if estimate.records.variance:
        records += f" ± {_error(estimate.records, 1)}"
    return f"{column}{before}: {records}, estimated from {counted(estimate.released, 'released record')}"


def value_rows(estimate: Estimate) -> Iterator[Row]:
    yield "value", "released", "share", "estimated", "± s.e.", "share", "± s.e."
    for each in estimate.values:
        share = Fraction(each.released, estimate.released) if estimate.released else None
        yield (
            _text(each),
            f"{each.released:,}",
            _percent(share),
            _rounded(each.count.estimate),
            _error(each.count, 1),
            _percent(None if each.share is None else each.share.estimate),
            "none" if each.share is None else _error(each.share, 100),
        )


def _text(value: ValueEstimate) -> str:
    if value.value is None:
        return "(any other)"
    return on_one_line(value.value) if isinstance(value.value, str) else shown(value.value)


def _rounded(number: Fraction) -> str:
    return f"{round(float(number), 1) + 0:,.1f}"


def _percent(share: Fraction | None) -> str:
    return "none" if share is None else f"{round(float(share) * 100, 2) + 0:.2f}%"


def _error(quantity: Quantity, unit: int) -> str:
    error = quantity.standard_error
    if error is None:
        return "none"
    return f"{error * unit:,.1f}" if unit == 1 else f"{error * unit:.2f}%"
