"""Run all lint rules on a policy and return the findings in text order, without those that the policy allows.

AC511: an `allow` that silences no finding is itself a finding (X9, allowances). `allow AC330` is for a line that may
not hold for the output, so it silences nothing where that line is proved or promises nothing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from acompass.errors.diagnostics import Diagnostic, Label, Severity, option_text
from acompass.language.program.constants import ParamValue
from acompass.language.program.types import Type
from acompass.language.text import tree
from acompass.language.text.parser import Allowance, allowances
from acompass.language.text.tree import Operator
from acompass.language.text.walk import all_conditions, comparisons, steps
from acompass.prove.promises import BROKEN, Promises, prove_promises
from acompass.prove.proof import DEADLINE, Exhausted, recursion_limit, require_time, time_limit
from acompass.prove.search.column_types import column_types
from acompass.prove.search.verdicts import check_policy
from acompass.reason.lint import generalization, requirements
from acompass.reason.lint.requirements import InspectedPolicy, Occurs

#: what a table says against the policy: the code of a finding, the index of the requirement, the message and the help
Doubts: TypeAlias = Sequence[tuple[str, int | None, str, str]]
#: the code reported when linting was cut short
INCOMPLETE = "AC516"
#: the code of D24, text compared by order, which `check` reports for a table and lint cannot see
_ORDERED_AS_TEXT = "AC231"

RULES: tuple[Callable[[InspectedPolicy], Iterator[Diagnostic]], ...] = (
    requirements.find_never_violated,
    requirements.find_not_established,
    requirements.find_broken_later,
    generalization.find_faulty_chains,
    requirements.find_draws_of_replaced_values,
    requirements.find_emptying_rejects,
    requirements.find_empty_selections,
    generalization.find_idle_maps,
    generalization.find_idle_arithmetic,
    requirements.find_idle_chances,
    generalization.find_absent_values,
    generalization.find_ordered_labels,
    generalization.find_compared_pseudonyms,
    requirements.find_bare_pseudonyms,
)


def lint_policy(
    policy: tree.Program,
    source: str,
    schema: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
    types: Mapping[str, str | Type] | None = None,
    occurs: Occurs | None = None,
    deadline: float | None = DEADLINE,
    doubts: Doubts = (),
) -> tuple[Diagnostic, ...]:
    """Find the probable mistakes in a valid policy, without those that it allows (X9, allowances).

    Raises PolicyError for an invalid policy. Without a schema, each column gets the narrowest type that fits,
    because policies often mean 17 and 18 to be adjacent. `occurs` looks up values in a table, and
    `doubts` are what it says about persons and spellings. AC516 reports that findings may be missing, because linting
    exceeded `deadline` seconds or would cost too much.
    """
    if not policy.requirements:
        return ()
    settings = dict(params or {})
    columns = column_types(policy, settings, schema, types)
    program = check_policy(policy, source, columns.schema, settings)
    with time_limit(deadline):
        findings = list(_findings(InspectedPolicy(policy, program, occurs, columns.inferred), doubts))
        found = remove_allowed(policy, findings, lambda: prove_promises(policy, source, program, settings))
    return tuple(sorted(found, key=lambda finding: (finding.labels[0].span.start, finding.code)))


def _findings(policy: InspectedPolicy, doubts: Doubts) -> Iterator[Diagnostic]:
    """What the table says (AC518, AC519) is found already; the rules may run out of time."""
    for code, index, message, help_ in doubts:
        yield policy.finding(code, message, 0 if index is None else index - 1, help_)
    yield from requirements.find_overdue_rules(policy)
    try:
        with recursion_limit():
            for rule in RULES:
                yield from rule(policy)
            require_time()
    except Exhausted as exhausted:
        message = f"findings may be missing: {exhausted}"
        yield policy.finding(INCOMPLETE, message, 0, f"lint it with a longer `{option_text('deadline')}`, or in parts")


def remove_allowed(
    policy: tree.Program, findings: Sequence[Diagnostic], promises: Callable[[], Promises]
) -> list[Diagnostic]:
    given = tuple(allowances(policy))
    if not given:
        return list(findings)
    silenced = {(step, each.code) for each in given for step in each.steps}
    index = {requirement.span.start: at for at, requirement in enumerate(steps(policy))}
    places = [(index[finding.labels[0].span.start], finding.code) for finding in findings]
    kept = [finding for finding, place in zip(findings, places, strict=True) if place not in silenced]
    used = {*places, *((at, _ORDERED_AS_TEXT) for at in _text_ordering_requirements(policy))}
    if any(each.code == BROKEN for each in given):
        used |= {(at, BROKEN) for promise, _ in promises().checks for at in promise.steps}
    unused = (each for each in given if not any((step, each.code) in used for step in each.steps))
    return [*kept, *map(_unused_allowance_finding, unused)]


def _text_ordering_requirements(policy: tree.Program) -> Iterator[int]:
    """The requirements that may compare text by order, for some table and some parameter values."""
    for at, requirement in enumerate(steps(policy)):
        compared = (each for condition in all_conditions(requirement) for each in comparisons(condition))
        if any(each.operator is not Operator.EQ and not isinstance(each.constant, tree.Number) for each in compared):
            yield at


def _unused_allowance_finding(allowance: Allowance) -> Diagnostic:
    message = f"`allow {allowance.code}` silences nothing"
    if allowance.at is None:
        message += ": no requirement follows it"
    help_ = "remove it, or move it to the end of the requirement or to its own line above the requirement"
    return Diagnostic("AC511", message, (Label(allowance.span),), help_, Severity.WARNING)
