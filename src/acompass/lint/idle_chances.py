"""AC515: a coin or a draw that makes no difference, because of a later line."""

from collections.abc import Iterator
from typing import assert_never

from acompass.checked.effects import (
    column_written,
    columns_read,
    columns_written,
    draws,
    drops_records,
    generalize_of,
    is_always,
    is_certain,
    plain_of,
    process_of,
)
from acompass.checked.program import (
    Action,
    Draw,
    Drop,
    Generalize,
    Quantifier,
    Random,
    Reject,
    Replace,
    Requirement,
)
from acompass.diagnostics import Diagnostic
from acompass.lint.inspected_policy import InspectedPolicy
from acompass.prove.decision_diagram import EMPTY

_HELP = "remove one of the two lines"


def decides_nothing(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    for at, requirement in enumerate(policy.program.requirements):
        if not draws(requirement.action):
            continue
        column = column_written(requirement.action)
        later = _rejected_later(policy, at) if column is None else _overwritten_later(policy, at, column)
        if later is not None:
            message = f"what chance decides here makes no difference after line {policy.line(later)}"
            also = (policy.label(later, _what(requirement, column)),)
            yield policy.finding("AC515", message, at, _HELP, also, policy.removal(at))


def _what(requirement: Requirement, column: int | None) -> str:
    if column is None:
        return "removes the same records"
    return f"overwrites or drops every value of `{requirement.after[column].name}`"


def _overwritten_later(policy: InspectedPolicy, at: int, column: int) -> int | None:
    """The line that replaces or drops all values of the column before anything reads them."""
    for later, requirement in enumerate(policy.program.requirements[at + 1 :], at + 1):
        if column in columns_read(requirement) or _labels(requirement.action, column):
            return None
        if is_always(requirement) and _overwrites(requirement.action, column):
            return later
    return None


def _labels(action: Action | None, column: int) -> bool:
    generalize = generalize_of(action)
    return generalize is not None and generalize.column == column


def _overwrites(action: Action | None, column: int) -> bool:
    """Whether no value of the column is as it was, nor depends on it, once all records are affected."""
    plain = plain_of(action) if is_certain(action) else None
    match plain:
        case Replace(written) | Random(written) | Draw(written):
            return written == column
        case Drop(columns):
            return column in columns
        case None | Reject() | Generalize():
            return False
        case _:
            assert_never(plain)


def _rejected_later(policy: InspectedPolicy, at: int) -> int | None:
    """The line that rejects whatever the coin can reject, before a check, or a line that depends on the other
    records."""
    for later, requirement in enumerate(policy.program.requirements[at + 1 :], at + 1):
        if requirement.action is None or _depends_on_others(requirement):
            return None
        if (
            drops_records(requirement.action)
            and is_certain(requirement.action)
            and _is_refused(policy, at, later)
        ):
            return later
    return None


def _depends_on_others(requirement: Requirement) -> bool:
    """Whether a record is affected depending on the other records."""
    return process_of(requirement) is not None or requirement.assertion.quantifier is Quantifier.SOME


def _is_refused(policy: InspectedPolicy, at: int, later: int) -> bool:
    """Whether every record that is affected at one line violates the assertion of a later one."""
    between = policy.program.requirements[at:later]
    requirement = policy.program.requirements[later]
    if columns_read(requirement) & columns_written(between):
        return False
    refused = policy.prover.refused(later, requirement.assertion)
    return policy.prover.diagrams.difference(policy.transitions[at].may, refused) is EMPTY
