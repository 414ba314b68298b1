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


def checked(text: str, schema: Schema = PAPER, **params: ParamValue) -> Program:
    """The program of a policy without errors."""
    tree, wrong = parse_text(text)
    assert wrong == ()
    program, wrong = check(tree, text, schema, params)
    assert wrong == ()
    assert program is not None
    return program


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


def said(text: str, schema: Schema = PAPER, **params: ParamValue) -> tuple[str, str, str | None]:
    found = finding(text, schema, **params)
    return found.code, found.message, found.help


def places(text: str, found: Diagnostic) -> list[str]:
    """The parts of the text that an error points at."""
    return [text[label.span.start : label.span.end] for label in found.labels]


def compared_value(text: str, schema: Schema = TYPED, **params: ParamValue) -> Value:
    """The constant of the only comparison in a policy."""
    (requirement,) = checked(text, schema, **params).requirements
    condition = requirement.assertion.condition
    assert isinstance(condition, Comparison)
    return condition.value


def only(text: str, schema: Schema = TYPED, **params: ParamValue) -> Requirement:
    (requirement,) = checked(text, schema, **params).requirements
    return requirement
