"""AC506 to AC508: chains of REPLACEs on one column that break a condition of Theorem 5.

A rule is a REPLACE whose assertion reads only the column it writes. Theorem 5 requires that no two rules take
the same value, that no rule takes the result of another, and that every value is covered.
"""

from collections.abc import Iterator
from typing import assert_never

from acompass.checked.convert import to_text
from acompass.checked.effects import (
    generalize_of,
    is_always,
    is_certain,
    plain_of,
    process_of,
    random_of,
)
from acompass.checked.program import Draw, Drop, Generalize, Quantifier, Random, Reject, Replace
from acompass.checked.types import Type
from acompass.diagnostics import Diagnostic
from acompass.lint.gaps import SMALL, Rule, left_out
from acompass.lint.inspected_policy import InspectedPolicy
from acompass.prove.decision_diagram import ALL, Variable
from acompass.prove.reachability import Transition, record_condition
from acompass.prove.regions import Mask, Regions, regions_in

#: the most values that a message lists
LISTED = 6


def generalization(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    for variable, rules in _chains(policy):
        if len(rules) > 1:
            yield from _entangled(policy, variable, rules)
            yield from _left_out(policy, variable, rules)


def _chains(policy: InspectedPolicy) -> list[tuple[Variable, list[Rule]]]:
    """The rules of each column. After an ALWAYS, or a GENERALIZE, which writes labels, a new chain begins;
    not where a coin leaves some of the values. A line that takes only values that were drawn is no rule: they
    are codes, as PRAM by a matrix needs them, and not values of the table."""
    chains: list[tuple[Variable, list[Rule]]] = []
    latest: dict[Variable, list[Rule]] = {}
    drawn: dict[Variable, Mask] = {}
    for transition in policy.transitions:
        action = transition.requirement.action
        plain = plain_of(action)
        match plain:
            case Replace(column) | Random(column) | Draw(column) | Generalize(column):
                variable = policy.prover.variables.column(transition.step, column)
            case None | Reject() | Drop():
                continue
            case _:
                assert_never(plain)
        is_overwritten = is_always(transition.requirement) and is_certain(action)
        if is_overwritten or generalize_of(action) is not None:
            latest.pop(variable, None)
        elif random_of(action) is not None:
            drawn[variable] = drawn.get(variable, 0) | policy.prover.reachability.written(transition)
        elif (rule := _rule(policy, transition, variable)) and rule.taken & ~drawn.get(variable, 0):
            if variable not in latest:
                chains.append((variable, latest.setdefault(variable, [])))
            latest[variable].append(rule)
    return chains


def _rule(policy: InspectedPolicy, transition: Transition, variable: Variable) -> Rule | None:
    """None where a REPLACE is not a rule: it is performed only with a probability, or its assertion reads
    more than the column."""
    requirement = transition.requirement
    assertion = requirement.assertion
    if (
        not is_certain(requirement.action)
        or requirement.before != requirement.after
        or process_of(requirement) is not None
    ):
        return None
    if assertion.quantifier is Quantifier.SOME:
        return None
    scope, _ = record_condition(policy.prover.variables, transition.step, assertion)
    refused = policy.prover.refused(transition.step, assertion)
    if policy.prover.diagrams.support(refused) != {variable}:
        return None
    taken = policy.prover.diagrams.mask_of(refused, variable)
    filtered = 0 if scope is ALL else policy.prover.diagrams.mask_of(scope, variable)
    return Rule(transition.step, taken, policy.prover.reachability.written(transition), taken | filtered)


def _entangled(policy: InspectedPolicy, variable: Variable, rules: list[Rule]) -> Iterator[Diagnostic]:
    taken: Mask = 0
    written: Mask = 0
    for number, rule in enumerate(rules):
        if rule.taken & written & ~rule.written:
            yield _rewriting(policy, variable, rule, rules[:number])
        elif rule.taken & taken:
            yield from _overlapping(policy, variable, rule, rules[:number])
        taken |= rule.taken
        written |= rule.written


def _rewriting(policy: InspectedPolicy, variable: Variable, rule: Rule, earlier: list[Rule]) -> Diagnostic:
    writer = next(other for other in earlier if other.written & rule.taken & ~rule.written)
    name, line = _name(policy, variable), policy.line(writer.at)
    message = f"this rule rewrites values of `{name}` that line {line} writes"
    also = (policy.label(writer.at, "writes such a value"),)
    return policy.finding("AC508", message, rule.at, "exclude the written value from its condition", also)


def _overlapping(
    policy: InspectedPolicy, variable: Variable, rule: Rule, earlier: list[Rule]
) -> Iterator[Diagnostic]:
    """An overlap makes no difference where both rules write the same value, and does no harm where the final
    table satisfies the assertions of both all the same."""
    for other in earlier:
        if (
            other.taken & rule.taken
            and other.written != rule.written
            and not (policy.holds_at_the_end(rule.at) and policy.holds_at_the_end(other.at))
        ):
            name, line = _name(policy, variable), policy.line(other.at)
            message = f"this rule and line {line} take some of the same values of `{name}`"
            also = (policy.label(other.at, "takes them first"),)
            yield policy.finding("AC506", message, rule.at, "make the ranges of the rules disjoint", also)
            return


def _left_out(policy: InspectedPolicy, variable: Variable, rules: list[Rule]) -> Iterator[Diagnostic]:
    regions, type_ = policy.prover.variables.regions(variable), policy.prover.variables.type(variable)
    missing = left_out(regions, type_, rules)
    if not missing:
        return
    shown = [text for region in regions_in(missing) for text in _shown(regions, type_, region)]
    more = f" and {len(shown) - LISTED} more" if len(shown) > LISTED else ""
    message = f"the rules for `{_name(policy, variable)}` leave out {', '.join(shown[:LISTED])}{more}"
    also = tuple(policy.label(rule.at, "another of the rules") for rule in rules[1 : 1 + LISTED])
    is_listed = all(regions.cardinality(1 << region) <= SMALL for region in regions_in(missing))
    help_ = (
        "use >= and <= where the bounds belong to a rule"
        if is_listed
        else "begin each range where the one before ends"
    )
    yield policy.finding("AC507", message, rules[0].at, help_, also)


def _shown(regions: Regions, type_: Type, region: int) -> list[str]:
    """The values of a region if they are few, otherwise one of them."""
    quote = "" if type_.is_number else "'"
    values = [f"`{quote}{to_text(value, type_)}{quote}`" for value in regions.values(region, SMALL)]
    return values if regions.cardinality(1 << region) <= SMALL else [f"numbers such as {values[0]}"]


def _name(policy: InspectedPolicy, variable: Variable) -> str:
    return policy.program.schema[policy.prover.variables.column_of(variable)].name
