"""Assumptions: assertions that are known of the table before the policy.

They are checks before the first line: a table on which one fails is not written, so that no claim fails on it
(D31).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from acompass.checked.parameters import ParamValue
from acompass.checked.program import Program, Requirement
from acompass.checked.types import Schema
from acompass.prove.claims import CheckedClaim, ParsedClaim, checked_assertion, parse_assertion

#: no line of a policy
_NO_LINE = 0


def parse_assumptions(texts: Sequence[str]) -> list[ParsedClaim]:
    return [parse_assertion(text, "assumption", "AC560") for text in texts]


def is_assumed(requirement: Requirement) -> bool:
    return requirement.index == _NO_LINE


def assumed_requirements(
    assumptions: Sequence[ParsedClaim], schema: Schema, params: Mapping[str, ParamValue]
) -> tuple[Requirement, ...]:
    return tuple(
        Requirement(
            _NO_LINE,
            _NO_LINE,
            f"assumed: {assumption.text}",
            checked_assertion(assumption, schema, params),
            None,
            schema,
            schema,
        )
        for assumption in assumptions
    )


def under(
    assumptions: Sequence[ParsedClaim],
    program: Program,
    claims: Sequence[CheckedClaim],
    params: Mapping[str, ParamValue],
) -> tuple[Program, list[CheckedClaim]]:
    """The policy after the assumptions, and the claims about it, which all know them."""
    first = assumed_requirements(assumptions, program.schema, params)
    count = len(first)
    shifted = [
        replace(
            claim,
            known=frozenset((*range(count), *(step + count for step in claim.known))),
            step=None if claim.step is None else claim.step + count,
        )
        for claim in claims
    ]
    return with_first(program, first), shifted


def with_first(program: Program, requirements: Sequence[Requirement]) -> Program:
    return replace(program, requirements=(*requirements, *program.requirements))
