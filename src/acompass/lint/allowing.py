"""AC511: findings that a policy allows are left out, and an `allow` that silences none is a finding (X9)."""

from collections.abc import Sequence

from acompass.diagnostics import Diagnostic, Label, Severity
from acompass.syntax import tree
from acompass.syntax.allowances import Allowance, allowances

#: findings about a table, which lint does not see
_ABOUT_TABLES = "AC2"


def without_allowed(policy: tree.Program, findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    given = tuple(allowances(policy))
    if not given:
        return list(findings)
    silenced = {(each.at, each.code) for each in given}
    index = {requirement.span.start: at for at, requirement in enumerate(policy.requirements)}
    places = [(index[finding.labels[0].span.start], finding.code) for finding in findings]
    kept = [finding for finding, place in zip(findings, places, strict=True) if place not in silenced]
    return [*kept, *(_silences_nothing(each) for each in given if not _is_used(each, places))]


def _is_used(allowance: Allowance, places: Sequence[tuple[int, str]]) -> bool:
    return (allowance.at, allowance.code) in places or allowance.code.startswith(_ABOUT_TABLES)


def _silences_nothing(allowance: Allowance) -> Diagnostic:
    message = f"`allow {allowance.code}` silences nothing"
    if allowance.at is None:
        message += ": no requirement follows it"
    help_ = "remove it, or put it at the end of the requirement or on a line of its own above it"
    return Diagnostic("AC511", message, (Label(allowance.span),), help_, Severity.WARNING)
