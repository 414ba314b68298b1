"""Checked programs from a policy's text."""

from typing import Any

from acompass.checked.from_syntax import check
from acompass.checked.program import Program
from acompass.checked.types import Schema
from acompass.syntax.parse import parse


def program_of(text: str, schema: Schema, **params: Any) -> Program:
    tree, findings = parse(text)
    assert not findings, findings
    program, findings = check(tree, text, schema, params)
    assert program is not None, findings
    return program
