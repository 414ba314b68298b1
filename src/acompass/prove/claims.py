"""Claims: assertions about the table that a policy leaves, its own or others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from acompass.checked.from_syntax import check
from acompass.checked.parameters import ParamValue
from acompass.checked.program import Assertion, Program
from acompass.checked.types import Schema
from acompass.diagnostics import CallError, Diagnostic, PolicyError
from acompass.syntax import tree
from acompass.syntax.parse import parse
from acompass.syntax.walk import assertion_of, parameter_names, steps_of


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """`assertion` is None where a column of the claim was dropped or has another type than the claim needs.

    `known` are the steps of the checks that hold wherever the claim is asked about (D31). `step` is the
    requirement whose assertion it is.
    """

    text: str
    line: int | None
    assertion: Assertion | None
    known: frozenset[int]
    is_of_check: bool = False
    step: int | None = None


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    """An assertion with the text that its spans refer to. Errors call it `what` it is."""

    source: str
    assertion: tree.Assertion
    what: str = "claim"

    @property
    def text(self) -> str:
        return self.source[self.assertion.span.start : self.assertion.span.end].strip()

    def program(self) -> tree.Program:
        requirement = tree.Requirement(self.assertion, None, self.assertion.span)
        return tree.Program((requirement,), (), self.assertion.span)


def parse_claims(texts: Sequence[str]) -> list[ParsedClaim]:
    return [parse_assertion(text, "claim", "AC550") for text in texts]


def parse_assertion(text: str, what: str, code: str) -> ParsedClaim:
    """The only assertion of a text; an error with the code if it has another form."""
    source = text if text.rstrip().endswith(";") else text + ";"
    program, problems = parse(source)
    if problems:
        raise PolicyError(problems, source, what)
    if len(program.requirements) == 1 and program.requirements[0].action is None:
        assertion = assertion_of(program.requirements[0])
        if assertion is not None:
            return ParsedClaim(source, assertion, what)
    article = "an" if what.startswith("a") else "a"
    message = f"{article} {what} must be a single assertion, found `{text.strip()}`"
    raise CallError([Diagnostic(code, message, help="EACH RESULT : Age <= 80")])


def own_claims(
    policy: tree.Program, source: str, program: Program, params: Mapping[str, ParamValue]
) -> list[CheckedClaim]:
    """The policy's own assertions, each about the table that the policy leaves.

    All checks are known to hold where they stand. The claim of a check is asked without the check itself and
    those after it, so that no two checks prove each other. ALWAYS asserts nothing, and all steps of a THEN
    assert the same.
    """
    final = program.final_schema
    checks = check_steps(program)
    claims = []
    for at, asserted in assertions_of(policy):
        requirement = program.requirements[at]
        claim = ParsedClaim(source, asserted)
        is_unchanged = requirement.before == final
        assertion = requirement.assertion if is_unchanged else _checked_or_none(claim, final, params)
        known = frozenset(step for step in checks if step < at) if at in checks else checks
        claims.append(CheckedClaim(claim.text, requirement.line, assertion, known, at in checks, at))
    return claims


def assertions_of(policy: tree.Program) -> Iterator[tuple[int, tree.Assertion]]:
    """The assertions of a policy, each with the step of the first action that follows it."""
    at = 0
    for requirement in policy.requirements:
        assertion = assertion_of(requirement)
        if assertion is not None:
            yield at, assertion
        at += len(tuple(steps_of(requirement)))


def check_steps(program: Program) -> frozenset[int]:
    """The requirements that only check: nothing is written unless they hold where they stand."""
    steps = enumerate(program.requirements)
    return frozenset(step for step, requirement in steps if requirement.action is None)


def check_claims(
    claims: Sequence[ParsedClaim], program: Program, params: Mapping[str, ParamValue]
) -> list[CheckedClaim]:
    known = check_steps(program)
    return [
        CheckedClaim(claim.text, None, checked_assertion(claim, program.final_schema, params), known)
        for claim in claims
    ]


def checked_assertion(claim: ParsedClaim, schema: Schema, params: Mapping[str, ParamValue]) -> Assertion:
    needed = parameter_names(claim.program())
    program, problems = check(
        claim.program(),
        claim.source,
        schema,
        {name: value for name, value in params.items() if name in needed},
    )
    if program is None:
        raise PolicyError(problems, claim.source, claim.what)
    return program.requirements[0].assertion


def _checked_or_none(
    claim: ParsedClaim, schema: Schema, params: Mapping[str, ParamValue]
) -> Assertion | None:
    try:
        return checked_assertion(claim, schema, params)
    except PolicyError:
        return None
