"""AC506 to AC508: chains of REPLACEs on one column, against the conditions of Theorem 7.

A rule is a REPLACE that only looks at the column it writes. Theorem 7 wants the values of the rules disjoint,
the rules free of each other's results, and every value covered.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from acompass.checked.convert import to_text
from acompass.checked.program import Process, Quantifier, Replace
from acompass.diagnostics import Diagnostic
from acompass.lint.subject import Subject
from acompass.prove.effects import Effect
from acompass.prove.regions import Mask, Regions, regions_in

#: a hole of up to this many values between rules is taken for a slip
SMALL = 3
#: values that a message lists
LISTED = 6


@dataclass(frozen=True, slots=True)
class Rule:
    """`taken` are the values it rewrites, `written` the one it writes."""

    at: int
    taken: Mask
    written: Mask


def generalization(subject: Subject) -> Iterator[Diagnostic]:
    for level, rules in _chains(subject).items():
        if len(rules) > 1:
            yield from _entangled(subject, level, rules)
            yield from _holes(subject, level, rules)


def _chains(subject: Subject) -> dict[int, list[Rule]]:
    chains: defaultdict[int, list[Rule]] = defaultdict(list)
    for at, effect in enumerate(subject.effects):
        rule = _rule(subject, at, effect)
        if rule is not None:
            chains[rule[0]].append(rule[1])
    return chains


def _rule(subject: Subject, at: int, effect: Effect) -> tuple[int, Rule] | None:
    requirement = effect.requirement
    assertion, action = requirement.assertion, requirement.action
    if not isinstance(action, Replace) or requirement.before != requirement.after:
        return None
    if assertion.quantifier is Quantifier.SOME or isinstance(assertion.result, Process):
        return None
    level = subject.prover.levels.column(at, action.column)
    refused = subject.prover.refused(at, assertion)
    if subject.prover.levels.diagrams.support(refused) != {level}:
        return None
    taken = subject.prover.levels.diagrams.mask_of(refused, level)
    return level, Rule(at, taken, subject.prover.effects.written(at, action))


def _entangled(subject: Subject, level: int, rules: list[Rule]) -> Iterator[Diagnostic]:
    taken: Mask = 0
    written: Mask = 0
    for place, rule in enumerate(rules):
        if rule.taken & written & ~rule.written:
            yield _rewriting(subject, level, rule, rules[:place])
        elif rule.taken & taken:
            yield from _overlapping(subject, level, rule, rules[:place])
        taken |= rule.taken
        written |= rule.written


def _rewriting(subject: Subject, level: int, rule: Rule, earlier: list[Rule]) -> Diagnostic:
    writer = next(other for other in earlier if other.written & rule.taken & ~rule.written)
    name, line = _name(subject, level), subject.line(writer.at)
    message = f"this rule rewrites values of `{name}` that line {line} has written"
    also = (subject.place(writer.at, "writes such a value"),)
    return subject.finding("AC508", message, rule.at, "leave the written value out of its condition", also)


def _overlapping(subject: Subject, level: int, rule: Rule, earlier: list[Rule]) -> Iterator[Diagnostic]:
    """Where both write the same value, it does not matter which of them takes a value."""
    for other in earlier:
        if other.taken & rule.taken and other.written != rule.written:
            name, line = _name(subject, level), subject.line(other.at)
            message = f"values of `{name}` fall under this rule and under line {line}"
            also = (subject.place(other.at, "this one takes them"),)
            yield subject.finding("AC506", message, rule.at, "make the ranges of the rules disjoint", also)
            return


def _holes(subject: Subject, level: int, rules: list[Rule]) -> Iterator[Diagnostic]:
    regions = subject.prover.levels.regions(level)
    covered: Mask = 0
    for rule in rules:
        covered |= rule.taken | rule.written
    left_out = _small_holes(regions, covered) | _open_ends(regions, rules, covered)
    if not left_out:
        return
    type_ = subject.prover.levels.type(level)
    quote = "" if type_.is_number else "'"
    values = [value for region in regions_in(left_out) for value in regions.values(region, SMALL)]
    shown = ", ".join(f"`{quote}{to_text(value, type_)}{quote}`" for value in values[:LISTED])
    more = f" and {len(values) - LISTED} more" if len(values) > LISTED else ""
    message = f"the rules for `{_name(subject, level)}` leave out {shown}{more}"
    also = tuple(subject.place(rule.at, "another of the rules") for rule in rules[1 : 1 + LISTED])
    yield subject.finding(
        "AC507", message, rules[0].at, "use >= and <= where the bounds belong to a rule", also
    )


def _small_holes(regions: Regions, covered: Mask) -> Mask:
    """Uncovered stretches of a few values with covered ones on both sides."""
    found: Mask = 0
    hole: Mask = 0
    seen = False
    for region in regions_in(regions.full):
        if not covered >> region & 1:
            hole |= 1 << region
            continue
        if seen and hole and regions.cardinality(hole) <= SMALL:
            found |= hole
        hole, seen = 0, True
    return found


def _open_ends(regions: Regions, rules: list[Rule], covered: Mask) -> Mask:
    """The constants on both sides of a stretch that a rule takes, where it includes neither."""
    found: Mask = 0
    for rule in rules:
        for ends in _ends_of_stretches(regions, rule.taken):
            if not ends & covered:
                found |= ends
    return found


def _ends_of_stretches(regions: Regions, mask: Mask) -> Iterator[Mask]:
    """For each run of regions in the mask, the points just before and just after it, if both are points."""
    while mask:
        first = (mask & -mask).bit_length() - 1
        run = (mask | ~regions.full) >> first
        if run == -1:  # up to the end of the line
            return
        end = first + ((run + 1) & ~run).bit_length() - 1
        before = (regions.full & ((1 << first) - 1)).bit_length() - 1
        if before % 2 and before > 0 and end % 2 and regions.full >> end & 1:
            yield (1 << before) | (1 << end)
        mask &= -1 << end


def _name(subject: Subject, level: int) -> str:
    return subject.program.schema[subject.prover.levels.column_of(level)].name
