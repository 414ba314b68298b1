"""Policies and schemas for the tests of the check."""

from acompass.errors.diagnostics import Diagnostic
from acompass.language.program.checker import check
from acompass.language.program.constants import ParamValue
from acompass.language.program.program import Comparison, Program, Requirement
from acompass.language.program.types import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    OPAQUE,
    TEXT,
    TIMESTAMP,
    Schema,
    Value,
    decimal,
    make_schema,
)
from acompass.language.text.parser import parse_text
from tests.generators.strategies import parse_and_check

PAPER = make_schema({"Record ID": INTEGER, "Age": INTEGER, "Postal Code": TEXT, "AEC": INTEGER})

TYPED = make_schema(
    {
        "Whole": INTEGER,
        "Exact": decimal(2),
        "Real": FLOAT,
        "Word": TEXT,
        "Flag": BOOLEAN,
        "Day": DATE,
        "Moment": TIMESTAMP,
        "Blob": OPAQUE,
    }
)


def check_policy(text: str, schema: Schema = PAPER, **params: ParamValue) -> Program:
    return parse_and_check(text, schema, **params)


def findings(text: str, schema: Schema = PAPER, **params: ParamValue) -> tuple[Diagnostic, ...]:
    """The errors of a policy."""
    tree, wrong = parse_text(text)
    assert wrong == ()
    program, wrong = check(tree, text, schema, params)
    assert program is None
    return wrong


def finding(text: str, schema: Schema = PAPER, **params: ParamValue) -> Diagnostic:
    """The only error of a policy."""
    (found,) = findings(text, schema, **params)
    return found


def describe_finding(text: str, schema: Schema = PAPER, **params: ParamValue) -> tuple[str, str, str | None]:
    found = finding(text, schema, **params)
    return found.code, found.message, found.help


def places(text: str, found: Diagnostic) -> list[str]:
    """The parts of the policy that an error points at."""
    return [text[label.span.start : label.span.end] for label in found.labels]


def compared_value(text: str, schema: Schema = TYPED, **params: ParamValue) -> Value:
    """The constant of the only comparison in a policy."""
    (requirement,) = check_policy(text, schema, **params).requirements
    condition = requirement.assertion.condition
    assert isinstance(condition, Comparison)
    return condition.value


def only(text: str, schema: Schema = TYPED, **params: ParamValue) -> Requirement:
    (requirement,) = check_policy(text, schema, **params).requirements
    return requirement
