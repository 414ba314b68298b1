"""The assertion of a THEN is checked for each step, and its errors are reported once."""

from acompass.checked.from_syntax import check
from acompass.checked.types import INTEGER, schema_of
from acompass.syntax.parse import parse


def test_an_error_in_the_assertion_is_reported_once() -> None:
    text = "EACH RESULT : b = 1 AND c IN (1, 2) : REPLACE a WITH 1 THEN REPLACE a WITH 2 THEN REJECT;"
    _, found = check(parse(text)[0], text, schema_of({"a": INTEGER}), {})
    assert [(each.code, each.labels[0].span.start) for each in found] == [("AC101", 14), ("AC101", 24)]


def test_several_findings_without_a_place_are_kept() -> None:
    text = "EACH RESULT : a = 1;"
    _, found = check(parse(text)[0], text, schema_of({"a": INTEGER}), {"k": 1, "l": 2})
    assert [each.code for each in found] == ["AC107", "AC107"]
