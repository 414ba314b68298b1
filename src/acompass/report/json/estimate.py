"""An estimate as the object that `estimate --json` prints: each fraction becomes the nearest double."""

from fractions import Fraction

from acompass.estimates import Estimate, Quantity, ValueEstimate
from acompass.report.json.values import json_value


def estimate_object(estimate: Estimate) -> dict[str, object]:
    return {
        "column": estimate.column,
        "line": estimate.line,
        "records": {"released": estimate.released, **_quantity(estimate.records)},
        "values": [_value(each, estimate.released) for each in estimate.values],
        "notes": list(estimate.notes),
    }


def _value(value: ValueEstimate, released: int) -> dict[str, object]:
    share = float(Fraction(value.released, released)) if released else None
    return {
        "value": json_value(value.value),
        "count": {"released": value.released, **_quantity(value.count)},
        "share": {"released": share, **_quantity(value.share)},
    }


def _quantity(quantity: Quantity | None) -> dict[str, float | None]:
    if quantity is None:
        return {"estimated": None, "standard_error": None}
    return {"estimated": float(quantity.estimate), "standard_error": quantity.standard_error}
