"""Claims: assertions about the table that a policy produces, taken from the policy or passed separately.

Assumptions are assertions that are known to hold for the input table. They become checks before the first line: if one
fails, nothing is written, so no claim fails (D31, `prove`).
"""

from collections.abc import Iterator, Mapping, Sequence

from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import CallError, Diagnostic, PolicyError
from acompass.language.program.checker import check
from acompass.language.program.constants import ParamValue
from acompass.language.program.effects import columns_aggregated, columns_compared, process_in
from acompass.language.program.program import Assertion, Program, Requirement
from acompass.language.program.types import Schema
from acompass.language.text import tree
from acompass.language.text.parser import parse_text
from acompass.language.text.walk import assertion_of, parameter_names, steps_of

#: the line and index of an assumption
_NO_LINE = 0


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    text: str
    line: int | None
    assertion: Assertion | None  # None if a column of the claim was dropped or has the wrong type
    known: frozenset[int]  # the steps of the checks that a proof of the claim may use (D31, `prove`)
    is_of_check: bool = False
    step: int | None = None  # the requirement whose assertion it is


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    source: str  # the text that the assertion's spans refer to
    assertion: tree.Assertion
    what: str = "claim"  # how error messages refer to it
    policy: tree.Program = field(default=tree.Program(()), compare=False)  # whose files it may name (X14)

    @property
    def text(self) -> str:
        return self.source[self.assertion.span.start : self.assertion.span.end].strip()

    def program(self) -> tree.Program:
        alone = tree.Requirement(self.assertion, None, self.assertion.span)
        return replace(self.policy, requirements=(alone,), comments=(), span=self.assertion.span)


def parse_claims(texts: Sequence[str], policy: tree.Program) -> list[ParsedClaim]:
    return [parse_assertion(text, "claim", "AC550", policy) for text in texts]


def parse_assertion(text: str, what: str, code: str, policy: tree.Program) -> ParsedClaim:
    """The text's only assertion, about a policy. Raises an error with the code if the text is anything else."""
    source = text if text.rstrip().endswith(";") else text + ";"
    program, problems = parse_text(source)
    if problems:
        raise PolicyError(problems, source, what)
    if len(program.requirements) == 1 and program.requirements[0].action is None:
        assertion = assertion_of(program.requirements[0])
        if assertion is not None:
            return ParsedClaim(source, assertion, what, policy)
    article = "an" if what.startswith("a") else "a"
    message = f"{article} {what} must be a single assertion, found `{text.strip()}`"
    raise CallError([Diagnostic(code, message, help="EACH RESULT : Age <= 80")])


def own_claims(
    policy: tree.Program, source: str, program: Program, params: Mapping[str, ParamValue]
) -> list[CheckedClaim]:
    """The policy's own assertions, each as a claim about the table that the policy produces.

    All checks are known to hold when they run. The claim of a check may use neither the check itself nor those after
    it, so that no two checks prove each other. ALWAYS asserts nothing, and all steps of a THEN make the same claim.
    """
    final = program.final_schema
    checks = check_steps(program)
    claims = []
    for at, asserted in policy_assertions(policy):
        requirement = program.requirements[at]
        claim = ParsedClaim(source, asserted, policy=policy)
        is_unchanged = requirement.before == final
        assertion = requirement.assertion if is_unchanged else fit_assertion(claim, final, params)
        known = frozenset(step for step in checks if step < at) if at in checks else checks
        claims.append(CheckedClaim(claim.text, requirement.line, assertion, known, at in checks, at))
    return claims


def policy_assertions(policy: tree.Program) -> Iterator[tuple[int, tree.Assertion]]:
    """The assertions of a policy, each with the step of its first action."""
    at = 0
    for requirement in policy.requirements:
        assertion = assertion_of(requirement)
        if assertion is not None:
            yield at, assertion
        at += len(tuple(steps_of(requirement)))


def check_steps(program: Program) -> frozenset[int]:
    """The requirements without an action: nothing is written unless they hold when they run."""
    steps = enumerate(program.requirements)
    return frozenset(step for step, requirement in steps if requirement.action is None)


def check_claims(
    claims: Sequence[ParsedClaim], program: Program, params: Mapping[str, ParamValue]
) -> list[CheckedClaim]:
    known = check_steps(program)
    return [
        CheckedClaim(claim.text, None, check_assertion(claim, program.final_schema, params), known) for claim in claims
    ]


def check_assertion(claim: ParsedClaim, schema: Schema, params: Mapping[str, ParamValue]) -> Assertion:
    needed = parameter_names(claim.program())
    own = {name: value for name, value in params.items() if name in needed}
    program, problems = check(claim.program(), claim.source, schema, own)
    if program is None:
        raise PolicyError(problems, claim.source, claim.what)
    return program.requirements[0].assertion


def fit_assertion(claim: ParsedClaim, schema: Schema, params: Mapping[str, ParamValue]) -> Assertion | None:
    """The assertion, or None if it does not fit the schema."""
    try:
        return check_assertion(claim, schema, params)
    except PolicyError:
        return None


def parse_assumptions(texts: Sequence[str], policy: tree.Program) -> list[ParsedClaim]:
    return [parse_assertion(text, "assumption", "AC560", policy) for text in texts]


def is_assumed(requirement: Requirement) -> bool:
    return requirement.index == _NO_LINE


def assumed_requirements(
    assumptions: Sequence[ParsedClaim], schema: Schema, params: Mapping[str, ParamValue]
) -> tuple[Requirement, ...]:
    checked = ((f"assumed: {each.text}", check_assertion(each, schema, params)) for each in assumptions)
    return tuple(Requirement(_NO_LINE, _NO_LINE, text, assertion, None, schema, schema) for text, assertion in checked)


def add_assumptions(
    assumptions: Sequence[ParsedClaim],
    program: Program,
    claims: Sequence[CheckedClaim],
    params: Mapping[str, ParamValue],
) -> tuple[Program, list[CheckedClaim]]:
    """The policy preceded by the assumptions as checks, and the claims about it, all of which may use them."""
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
    return prepend_requirements(program, first), shifted


def prepend_requirements(program: Program, requirements: Sequence[Requirement]) -> Program:
    return replace(program, requirements=(*requirements, *program.requirements))


def assertion_columns(assertion: Assertion) -> frozenset[int]:
    process = process_in(assertion)
    if process is None:
        return columns_compared(assertion)
    return columns_compared(assertion) | columns_aggregated(process) | frozenset(process.group_by)
