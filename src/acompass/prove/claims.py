"""Claims: assertions about the table that a policy leaves, its own or from outside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acompass.checked.from_syntax import check
from acompass.checked.parameters import ParamValue
from acompass.checked.program import Assertion, Program
from acompass.checked.types import Schema
from acompass.diagnostics import CallError, Diagnostic, PolicyError
from acompass.syntax import tree
from acompass.syntax.parse import parse
from acompass.syntax.walk import comparisons


@dataclass(frozen=True, slots=True)
class Stated:
    """A claim as it was written; `assertion` is None where its columns no longer have the types it needs."""

    text: str
    line: int | None
    assertion: Assertion | None


@dataclass(frozen=True, slots=True)
class Written:
    """An assertion with the text it stands in."""

    source: str
    assertion: tree.Assertion

    @property
    def text(self) -> str:
        return self.source[self.assertion.span.start : self.assertion.span.end].strip()

    def program(self) -> tree.Program:
        requirement = tree.Requirement(self.assertion, None, self.assertion.span)
        return tree.Program((requirement,), (), self.assertion.span)


def read_claims(texts: Sequence[str]) -> list[Written]:
    return [_read(text) for text in texts]


def _read(text: str) -> Written:
    source = text if text.rstrip().endswith(";") else text + ";"
    program, problems = parse(source)
    if problems:
        raise PolicyError(problems, source, "claim")
    match program.requirements:
        case (tree.Requirement(assertion, None),):
            return Written(source, assertion)
    message = f"a claim is one assertion, found `{text.strip()}`"
    raise CallError([Diagnostic("AC550", message, help="EACH RESULT : Age <= 80")])


def own_claims(
    policy: tree.Program, source: str, program: Program, params: Mapping[str, ParamValue]
) -> list[Stated]:
    """The policy's assertions, each said of the table it leaves."""
    final = program.final_schema
    stated = []
    for written, requirement in zip(policy.requirements, program.requirements, strict=True):
        claim = Written(source, written.assertion)
        same = requirement.before == final
        assertion = requirement.assertion if same else _checked_or_none(claim, final, params)
        stated.append(Stated(claim.text, requirement.line, assertion))
    return stated


def outside_claims(
    claims: Sequence[Written], final: Schema, params: Mapping[str, ParamValue]
) -> list[Stated]:
    return [Stated(claim.text, None, _checked(claim, final, params)) for claim in claims]


def _checked(claim: Written, schema: Schema, params: Mapping[str, ParamValue]) -> Assertion:
    needed = parameters_of(claim.program())
    program, problems = check(
        claim.program(),
        claim.source,
        schema,
        {name: value for name, value in params.items() if name in needed},
    )
    if program is None:
        raise PolicyError(problems, claim.source, "claim")
    return program.requirements[0].assertion


def _checked_or_none(claim: Written, schema: Schema, params: Mapping[str, ParamValue]) -> Assertion | None:
    try:
        return _checked(claim, schema, params)
    except PolicyError:
        return None


def parameters_of(policy: tree.Program) -> set[str]:
    constants: list[tree.Constant] = []
    for requirement in policy.requirements:
        constants += (comparison.constant for comparison in comparisons(requirement.assertion.condition))
        match requirement.assertion.result:
            case tree.Filter(condition):
                constants += (comparison.constant for comparison in comparisons(condition))
            case tree.Process(where=where) if where is not None:
                constants += (comparison.constant for comparison in comparisons(where))
        match requirement.action:
            case tree.Replace(constant=constant):
                constants.append(constant)
            case tree.Random(lower=lower, upper=upper):
                constants += (lower, upper)
    return {constant.name for constant in constants if isinstance(constant, tree.Parameter)}
