"""AC511: findings that a policy allows are left out, and an `allow` that silences none is a finding (X9)."""

from collections.abc import Iterator, Sequence

from acompass.diagnostics import Diagnostic, Label, Severity
from acompass.syntax import tree
from acompass.syntax.allowances import Allowance, allowances
from acompass.syntax.tree import Operator
from acompass.syntax.walk import all_conditions, comparisons, steps

#: D24, an error about a table, which lint does not see
_ORDERED_AS_TEXT = "AC231"


def without_allowed(policy: tree.Program, findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    given = tuple(allowances(policy))
    if not given:
        return list(findings)
    silenced = {(step, each.code) for each in given for step in each.steps}
    index = {requirement.span.start: at for at, requirement in enumerate(steps(policy))}
    places = [(index[finding.labels[0].span.start], finding.code) for finding in findings]
    kept = [finding for finding, place in zip(findings, places, strict=True) if place not in silenced]
    used = {*places, *((at, _ORDERED_AS_TEXT) for at in _ordering_text(policy))}
    return [*kept, *(_silences_nothing(each) for each in given if not _is_used(each, used))]


def _is_used(allowance: Allowance, used: set[tuple[int, str]]) -> bool:
    return any((step, allowance.code) in used for step in allowance.steps)


def _ordering_text(policy: tree.Program) -> Iterator[int]:
    """The requirements that may order text, on some table and with some values of the parameters."""
    for at, requirement in enumerate(steps(policy)):
        conditions = all_conditions(requirement)
        if any(_may_order_text(each) for condition in conditions for each in comparisons(condition)):
            yield at


def _may_order_text(comparison: tree.Comparison) -> bool:
    return comparison.operator is not Operator.EQ and not isinstance(comparison.constant, tree.Number)


def _silences_nothing(allowance: Allowance) -> Diagnostic:
    message = f"`allow {allowance.code}` silences nothing"
    if allowance.at is None:
        message += ": no requirement follows it"
    help_ = "remove it, or put it at the end of the requirement or on a line of its own above it"
    return Diagnostic("AC511", message, (Label(allowance.span),), help_, Severity.WARNING)
