"""Figure 11: requirements."""

from acompass.checked.convert import convert
from acompass.checked.program import Assertion, Requirement
from acompass.checked.types import Schema
from acompass.checked.verdict import Verdict
from acompass.semantics.actions import perform
from acompass.semantics.affected import affected_bag
from acompass.semantics.assertions import holds
from acompass.semantics.bags import Bag, update
from acompass.semantics.trace import Trace


def judge(bag: Bag, assertion: Assertion) -> Verdict:
    return Verdict(holds(bag, assertion), len(affected_bag(bag, assertion)), len(bag))


def perform_requirement(requirement: Requirement, bag: Bag, trace: Trace) -> tuple[Bag, Verdict]:
    """⟦r⟧(R, ρ); without an action it only checks (D6)."""
    verdict = judge(bag, requirement.assertion)
    converted = convert_types(bag, requirement.before, requirement.after)
    if verdict.holds or requirement.action is None:
        return converted, verdict
    affected = affected_bag(bag, requirement.assertion)
    return perform(requirement.action, requirement.after, converted, trace, affected), verdict


def convert_types(bag: Bag, before: Schema, after: Schema) -> Bag:
    """D12: every record is converted, affected or not."""
    for column, (old, new) in enumerate(zip(before, after, strict=True)):
        if old.type != new.type:
            bag = [update(record, column, convert(record[column], old.type, new.type)) for record in bag]
    return bag
