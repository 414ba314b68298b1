"""Claims: assertions about the table that a policy leaves, its own or others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acompass.checked.from_syntax import check
from acompass.checked.parameters import ParamValue
from acompass.checked.program import Assertion, Program
from acompass.checked.types import Schema
from acompass.diagnostics import CallError, Diagnostic, PolicyError
from acompass.syntax import tree
from acompass.syntax.parse import parse
from acompass.syntax.walk import parameter_names


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """`assertion` is None where a column of the claim no longer has the type that the claim needs."""

    text: str
    line: int | None
    assertion: Assertion | None


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    """An assertion with the text that its spans refer to."""

    source: str
    assertion: tree.Assertion

    @property
    def text(self) -> str:
        return self.source[self.assertion.span.start : self.assertion.span.end].strip()

    def program(self) -> tree.Program:
        requirement = tree.Requirement(self.assertion, None, self.assertion.span)
        return tree.Program((requirement,), (), self.assertion.span)


def parse_claims(texts: Sequence[str]) -> list[ParsedClaim]:
    return [_parse(text) for text in texts]


def _parse(text: str) -> ParsedClaim:
    source = text if text.rstrip().endswith(";") else text + ";"
    program, problems = parse(source)
    if problems:
        raise PolicyError(problems, source, "claim")
    if len(program.requirements) == 1 and program.requirements[0].action is None:
        return ParsedClaim(source, program.requirements[0].assertion)
    message = f"a claim must be a single assertion, found `{text.strip()}`"
    raise CallError([Diagnostic("AC550", message, help="EACH RESULT : Age <= 80")])


def own_claims(
    policy: tree.Program, source: str, program: Program, params: Mapping[str, ParamValue]
) -> list[CheckedClaim]:
    """The policy's own assertions, each about the table that the policy leaves."""
    final = program.final_schema
    claims = []
    for parsed, requirement in zip(policy.requirements, program.requirements, strict=True):
        claim = ParsedClaim(source, parsed.assertion)
        is_unchanged = requirement.before == final
        assertion = requirement.assertion if is_unchanged else _checked_or_none(claim, final, params)
        claims.append(CheckedClaim(claim.text, requirement.line, assertion))
    return claims


def check_claims(
    claims: Sequence[ParsedClaim], final: Schema, params: Mapping[str, ParamValue]
) -> list[CheckedClaim]:
    return [CheckedClaim(claim.text, None, _checked(claim, final, params)) for claim in claims]


def _checked(claim: ParsedClaim, schema: Schema, params: Mapping[str, ParamValue]) -> Assertion:
    needed = parameter_names(claim.program())
    program, problems = check(
        claim.program(),
        claim.source,
        schema,
        {name: value for name, value in params.items() if name in needed},
    )
    if program is None:
        raise PolicyError(problems, claim.source, "claim")
    return program.requirements[0].assertion


def _checked_or_none(
    claim: ParsedClaim, schema: Schema, params: Mapping[str, ParamValue]
) -> Assertion | None:
    try:
        return _checked(claim, schema, params)
    except PolicyError:
        return None
