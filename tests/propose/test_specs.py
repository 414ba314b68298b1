"""What a person writes for the levels of a column."""

from decimal import Decimal

import pytest

from acompass.diagnostics import CallError
from acompass.propose.specs import ByBands, ByDate, ByFile, ByPrefix, Spec, parse_spec


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("bands:5,10, 20", ByBands((Decimal(5), Decimal(10), Decimal(20)))),
        ("bands:0.5", ByBands((Decimal("0.5"),))),
        ("prefix:4,2", ByPrefix((4, 2))),
        ("dates", ByDate()),
        ("./dates", ByFile("./dates")),
        ("age.csv", ByFile("age.csv")),
        ("C:\\hierarchies\\age.csv", ByFile("C:\\hierarchies\\age.csv")),
    ],
)
def test_specs(text: str, spec: Spec) -> None:
    assert parse_spec(text) == spec


@pytest.mark.parametrize("text", ["bands:", "bands:five", "bands:-5", "prefix:1.5", "prefix:"])
def test_no_numbers(text: str) -> None:
    with pytest.raises(CallError, match=r"AC610\W+expected .* between commas, found `(bands|prefix):"):
        parse_spec(text)
