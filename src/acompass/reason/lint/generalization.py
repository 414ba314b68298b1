"""Find mistakes in the generalization of a column by a chain of REPLACEs or by GENERALIZE.

AC506 to AC508: a chain of REPLACEs on one column breaks a condition of Theorem 5.
AC512: a GENERALIZE changes nothing, because the column already has labels of the same map or multiples of the same
number; or an ADD RANDOM only adds 0.
AC513: the column contains no value of a hierarchy. AC514: labels are compared, as text, with a value that
the map would turn into a label, or pseudonyms with a value that is none."""

import sys
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import count

from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import Diagnostic
from acompass.language.program import effects
from acompass.language.program.kernels import Kernel, Map, Nearest
from acompass.language.program.keys import is_pseudonym
from acompass.language.program.program import Comparison, Requirement
from acompass.language.program.types import Kind, Type, to_text
from acompass.language.text.tokens import spell_number, spell_string
from acompass.language.text.tree import Operator, Quantifier
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Variable
from acompass.prove.diagrams.regions import Mask, Regions, regions_in
from acompass.prove.rules.reachability import Transition, record_condition
from acompass.reason.lint.requirements import InspectedPolicy

#: a message lists at most this many values
MOST_LISTED = 6
#: a gap between rules counts as a mistake if it has at most this many values
SMALL_GAP = 3
#: a hierarchy with more values than this is not looked up in the table
MOST_TEXTS = 5_000


@dataclass(frozen=True, slots=True)
class Rule:
    at: int
    taken: Mask  # the values that the rule rewrites
    written: Mask  # the value that it writes
    meant: Mask  # the values its assertion is about: several form a range, a single value is a code

    @property
    def values(self) -> Mask:
        return self.taken | self.written


def find_faulty_chains(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    for variable, rules in _chains(policy):
        if len(rules) > 1:
            yield from _find_overlaps(policy, variable, rules)
            yield from _find_gaps(policy, variable, rules)


def _chains(policy: InspectedPolicy) -> list[tuple[Variable, list[Rule]]]:
    """The chains of rules, each with its column.

    A new chain begins after an ALWAYS and after a GENERALIZE, which writes labels, unless a probability leaves some
    values unchanged. Lines that take only randomly drawn values do not count as rules: such values are codes that PRAM
    with a matrix needs, not values of the table."""
    chains: list[tuple[Variable, list[Rule]]] = []
    latest: dict[Variable, list[Rule]] = {}
    drawn: dict[Variable, Mask] = {}
    for transition in policy.transitions:
        action = transition.requirement.action
        write = effects.write_of(action)
        if write is None:
            continue
        is_overwritten = effects.is_always(transition.requirement) and effects.is_certain(action)
        if is_overwritten or write.kernel.reads_value:
            for column in write.columns:
                latest.pop(policy.prover.variables.column(transition.step, column), None)
            continue
        variable = policy.prover.variables.column(transition.step, write.column)
        if write.kernel.draws:
            written = policy.prover.reachability.written_regions(transition, write.column)
            drawn[variable] = drawn.get(variable, 0) | written
        elif (rule := _rule(policy, transition, variable)) and rule.taken & ~drawn.get(variable, 0):
            if variable not in latest:
                chains.append((variable, latest.setdefault(variable, [])))
            latest[variable].append(rule)
    return chains


def _rule(policy: InspectedPolicy, transition: Transition, variable: Variable) -> Rule | None:
    """None if a REPLACE does not count as a rule: it has a probability, or its assertion reads more than the column."""
    requirement = transition.requirement
    assertion = requirement.assertion
    if (
        not effects.is_certain(requirement.action)
        or requirement.before != requirement.after
        or effects.process_of(requirement) is not None
    ):
        return None
    if assertion.quantifier is Quantifier.SOME:
        return None
    scope, _ = record_condition(policy.prover.variables, transition.step, assertion)
    refused = policy.prover.forbidden_records(transition.step, assertion)
    if policy.prover.diagrams.support(refused) != {variable}:
        return None
    taken = policy.prover.diagrams.mask_of(refused, variable)
    filtered = 0 if scope is ALL else policy.prover.diagrams.mask_of(scope, variable)
    written = policy.prover.reachability.written_regions(transition, transition.write.column)
    return Rule(transition.step, taken, written, taken | filtered)


def _find_overlaps(policy: InspectedPolicy, variable: Variable, rules: list[Rule]) -> Iterator[Diagnostic]:
    taken: Mask = 0
    written: Mask = 0
    for number, rule in enumerate(rules):
        if rule.taken & written & ~rule.written:
            yield _rewriting_finding(policy, variable, rule, rules[:number])
        elif rule.taken & taken:
            yield from _overlap_findings(policy, variable, rule, rules[:number])
        taken |= rule.taken
        written |= rule.written


def _rewriting_finding(policy: InspectedPolicy, variable: Variable, rule: Rule, earlier: list[Rule]) -> Diagnostic:
    writer = next(other for other in earlier if other.written & rule.taken & ~rule.written)
    name, line = _column_name(policy, variable), policy.line(writer.at)
    message = f"this rule rewrites values of `{name}` that line {line} writes"
    also = (policy.label(writer.at, "writes such a value"),)
    return policy.finding("AC508", message, rule.at, "exclude the written value from its condition", also)


def _overlap_findings(
    policy: InspectedPolicy, variable: Variable, rule: Rule, earlier: list[Rule]
) -> Iterator[Diagnostic]:
    """At most one finding. An overlap is harmless if both rules write the same value, or if the final table
    satisfies the assertions of both anyway."""
    for other in earlier:
        if (
            other.taken & rule.taken
            and other.written != rule.written
            and not (policy.holds_at_the_end(rule.at) and policy.holds_at_the_end(other.at))
        ):
            name, line = _column_name(policy, variable), policy.line(other.at)
            message = f"this rule and line {line} match some of the same values of `{name}`"
            also = (policy.label(other.at, "matches them first"),)
            yield policy.finding("AC506", message, rule.at, "make the ranges of the rules disjoint", also)
            return


def _find_gaps(policy: InspectedPolicy, variable: Variable, rules: list[Rule]) -> Iterator[Diagnostic]:
    regions, type_ = policy.prover.variables.regions(variable), policy.prover.variables.type(variable)
    missing = gap_values(regions, type_, rules)
    if not missing:
        return
    shown = [text for region in regions_in(missing) for text in _example_texts(regions, type_, region)]
    more = f" and {len(shown) - MOST_LISTED} more" if len(shown) > MOST_LISTED else ""
    message = f"the rules for `{_column_name(policy, variable)}` leave out {', '.join(shown[:MOST_LISTED])}{more}"
    also = tuple(policy.label(rule.at, "another rule of the chain") for rule in rules[1 : 1 + MOST_LISTED])
    is_listed = all(regions.cardinality(1 << region) <= SMALL_GAP for region in regions_in(missing))
    help_ = (
        "use >= and <= where the bounds belong to a rule"
        if is_listed
        else "begin each range where the previous one ends"
    )
    yield policy.finding("AC507", message, rules[0].at, help_, also)


def _example_texts(regions: Regions, type_: Type, region: int) -> list[str]:
    """All values of a region if they are few, otherwise one example."""
    quote = "" if type_.is_number else "'"
    values = [f"`{quote}{to_text(value, type_)}{quote}`" for value in regions.values(region, SMALL_GAP)]
    return values if regions.cardinality(1 << region) <= SMALL_GAP else [f"numbers such as {values[0]}"]


def _column_name(policy: InspectedPolicy, variable: Variable) -> str:
    return policy.program.schema[policy.prover.variables.column_of(variable)].name


def gap_values(regions: Regions, type_: Type, rules: Sequence[Rule]) -> Mask:
    """The values that the rules seem to have forgotten: small gaps between two ranges, or both ends of a range. Values
    between codes do not count."""
    covered: Mask = 0
    ranges: Mask = 0
    for rule in rules:
        covered |= rule.values
        for run in _runs(regions, rule.values):
            ranges |= run if regions.cardinality(run & rule.meant) > 1 else 0
    return _small_gaps(regions, type_, covered, ranges) | _open_ends(regions, covered, ranges, rules)


def _runs(regions: Regions, mask: Mask) -> Iterator[Mask]:
    """The maximal runs of adjacent values in a mask, in ascending order."""
    while mask:
        first = (mask & -mask).bit_length() - 1
        stretch = (mask | ~regions.full) >> first
        if stretch == -1:  # up to the greatest value
            yield mask
            return
        end = first + ((stretch + 1) & ~stretch).bit_length() - 1
        yield mask & ((1 << end) - 1)
        mask &= -1 << end


def _small_gaps(regions: Regions, type_: Type, covered: Mask, ranges: Mask) -> Mask:
    """Short runs of uncovered values with ranges on both sides."""
    found: Mask = 0
    size = _size_function(regions, type_)
    for gap in _runs(regions, regions.full & ~covered):
        before, after = _adjacent_regions(regions, gap)
        if before & ranges and after & ranges and size(gap) <= SMALL_GAP:
            found |= gap
    return found


def _adjacent_regions(regions: Regions, run: Mask) -> tuple[Mask, Mask]:
    """The regions just before and just after a run; 0 if there is none."""
    below = regions.full & ((run & -run) - 1)
    above = regions.full & (-1 << run.bit_length())
    return (1 << below.bit_length()) >> 1, above & -above


def _size_function(regions: Regions, type_: Type) -> Callable[[Mask], float]:
    """A function that counts the values in a bounded run. For decimals and floats, it counts only those with as many
    decimal places as the constants: none between 9 and 10, four between 9.5 and 10."""
    if type_.kind not in (Kind.DECIMAL, Kind.FLOAT):
        return regions.cardinality
    numbers = [_number(regions, type_, at) for at in range(len(regions.cuts))]
    # the number of decimal places that all numbers need
    digits = next(digits for digits in count() if all((each * 10**digits).denominator == 1 for each in numbers))
    per_unit = 10**digits

    def size(run: Mask) -> float:
        first, last = (run & -run).bit_length() - 1, run.bit_length() - 1
        width = (numbers[last // 2] - numbers[(first - 1) // 2]) * per_unit
        return float(width - 1 + first % 2 + last % 2)

    return size


def _number(regions: Regions, type_: Type, at: int) -> Fraction:
    """The constant of a cut. A decimal type may be too coarse for it, and the nearest float may be infinite."""
    if type_.kind is Kind.DECIMAL:
        return Fraction(regions.cuts[at]) / Fraction(10**type_.scale)
    constant = regions.constant(2 * at + 1)
    assert isinstance(constant, float)
    return Fraction(repr(max(min(constant, sys.float_info.max), -sys.float_info.max)))


def _open_ends(regions: Regions, covered: Mask, ranges: Mask, rules: Sequence[Rule]) -> Mask:
    """The two constants that bound a range taken by a rule, if no rule covers either of them."""
    found: Mask = 0
    for run in (run for rule in rules for run in _runs(regions, rule.taken)):
        before, after = _adjacent_regions(regions, run)
        if run & ranges and _is_point(before) and _is_point(after) and not (before | after) & covered:
            found |= before | after
    return found


def _is_point(region: Mask) -> bool:
    """Whether a mask of at most one region is a constant's region."""
    return bool(region) and region.bit_length() % 2 == 0


@dataclass(frozen=True, slots=True)
class Contents:
    """Everything that a column can contain."""

    maps: tuple[Map, ...]  # the maps whose labels it may have
    texts: tuple[str, ...]  # the constants that it may have
    since: int  # the last line that wrote to it

    def stay_under(self, map_: Map) -> bool:
        """Whether the map changes none of them."""
        return all(own == map_ for own in self.maps) and all(map_.label(text) == text for text in self.texts)

    def after(self, kernel: Kernel, at: int) -> "Contents | None":
        """The contents after a line; None if they are not known."""
        map_, values = kernel.label_map(), kernel.listed_values()
        if map_ is not None:
            return replace(self, maps=(*self.maps, map_), since=at)
        texts = kernel.known_texts()
        if values is None or len(texts) < len(values):
            return None
        return replace(self, texts=(*self.texts, *texts), since=at)


def find_idle_maps(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    contents: dict[int, Contents] = {}
    for at, transition in enumerate(policy.transitions):
        map_ = effects.map_of(transition.requirement.action)
        if map_ is not None:
            column = transition.write.column
            known = contents.get(column)
            is_kept = known is not None and known.stay_under(map_)
            if is_kept or _has_only_labels(policy, transition, column, map_):
                yield _idle_map_finding(policy, at, column, known.since if known is not None and is_kept else None)
        _follow_requirement(contents, at, transition.requirement)


def _has_only_labels(policy: InspectedPolicy, transition: Transition, column: int, map_: Map) -> bool:
    """Whether the possible values of the affected records can be listed, and each is already a label of the map."""
    variables, reachability = policy.prover.variables, policy.prover.reachability
    variable = variables.column(transition.step + 1, column)
    affected = reachability.convert_written_columns(transition, transition.may)
    regions = variables.regions(variable)
    texts = [regions.constant(region) for region in regions_in(variables.diagrams.mask_of(affected, variable))]
    return affected is not EMPTY and all(text is not None and map_.label(str(text)) == text for text in texts)


def _follow_requirement(contents: dict[int, Contents], at: int, requirement: Requirement) -> None:
    """Update what is known about each column's contents."""
    dropped, write = effects.projection_of(requirement.action), effects.write_of(requirement.action)
    for column in () if dropped is None else dropped.columns:
        contents.pop(column, None)
    for column in () if write is None else write.columns:
        known = contents.pop(column, None)
        is_overwritten = effects.is_always(requirement) and effects.is_certain(requirement.action)
        before = Contents((), (), at) if is_overwritten else known
        after = None if before is None or write is None else before.after(write.kernel, at)
        if after is not None:
            contents[column] = after


def _idle_map_finding(policy: InspectedPolicy, at: int, column: int, since: int | None) -> Diagnostic:
    name = policy.program.schema[column].name
    message = f"this map changes nothing: every value of `{name}` is already one of its labels"
    also = () if since is None else (policy.label(since, "writes such labels"),)
    help_ = "remove it, or generalize to a coarser map"
    return policy.finding("AC512", message, at, help_, also, policy.removal(at))


def find_idle_arithmetic(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """AC512, for NEAREST and ADD RANDOM."""
    #: for columns with only multiples of a number: the number, and the line that wrote them
    rounded: dict[int, tuple[Decimal, int]] = {}
    for at, requirement in enumerate(policy.program.requirements):
        write, kernel = effects.write_of(requirement.action), effects.kernel_of(requirement.action)
        rounding, addition = (None, None) if kernel is None else (kernel.rounding(), kernel.addition())
        if write is not None and rounding is not None:
            step, since = rounded.get(write.column, (None, None))
            if step == rounding.step or _keeps_all_values(policy, requirement, write.column, rounding):
                since = since if step == rounding.step else None
                yield _idle_rounding_finding(policy, at, write.column, rounding, since)
        if addition is not None and addition.lower == addition.upper == 0:
            message = "this ADD RANDOM changes nothing: the only number that it draws is 0"
            yield policy.finding("AC512", message, at, "remove it, or choose other bounds", (), policy.removal(at))
        is_complete = effects.is_always(requirement) and effects.is_certain(requirement.action)
        for column in effects.written_by(requirement.action):
            before = rounded.pop(column, None)
            if rounding is not None and (is_complete or (before is not None and before[0] == rounding.step)):
                rounded[column] = (rounding.step, at)


def _keeps_all_values(policy: InspectedPolicy, requirement: Requirement, column: int, kernel: Nearest) -> bool:
    """Whether every value that the column's type has is a multiple already. An inferred type may be too narrow, and the
    spelling of numbers that were read from text may change (D26)."""
    before, after = requirement.before[column].type, requirement.after[column].type
    if column in policy.inferred or before != after or before.is_spelled_decimal or before.kind is Kind.FLOAT:
        return False
    return (Fraction(1, 10**before.scale) / Fraction(kernel.step)).denominator == 1


def _idle_rounding_finding(
    policy: InspectedPolicy, at: int, column: int, kernel: Nearest, since: int | None
) -> Diagnostic:
    name, number = policy.program.schema[column].name, spell_number(kernel.step)
    message = f"this map changes nothing: every value of `{name}` is already a multiple of {number}"
    also = () if since is None else (policy.label(since, "rounds it"),)
    return policy.finding("AC512", message, at, "remove it, or round to a larger number", also, policy.removal(at))


def find_absent_values(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """AC513, only where the column still has its original values."""
    written: set[int] = set()
    for at, requirement in enumerate(policy.program.requirements):
        write, map_ = effects.write_of(requirement.action), effects.map_of(requirement.action)
        texts = None if map_ is None else map_.listed_texts
        if write is not None and texts is not None and write.column not in written:
            column = requirement.before[write.column]
            is_known = column.type.kind is Kind.TEXT and len(texts) <= MOST_TEXTS
            if is_known and policy.occurs is not None and not policy.occurs(column.name, texts):
                message = f"column `{column.name}` of the table contains no value of this hierarchy"
                help_ = "check that the hierarchy belongs to this column and spells its values in the same way"
                yield policy.finding("AC513", message, at, help_)
        written |= effects.written_by(requirement.action)


def find_ordered_labels(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """AC514: `'2021-01'` sorts before `'2021-01-15'`, and `'212**'` before `'21201'`, so that a comparison with a
    date would cut off the whole month."""
    maps: dict[int, tuple[Map, int]] = {}
    for at, requirement in enumerate(policy.program.requirements):
        if policy.is_first_step(at):
            for comparison in effects.record_comparisons(requirement):
                if comparison.column in maps:
                    yield from _ordered_label_findings(policy, at, comparison, *maps[comparison.column])
        write, map_ = effects.write_of(requirement.action), effects.map_of(requirement.action)
        if write is not None and map_ is not None and map_.listed_texts is None:
            maps[write.column] = (map_, at)


def _ordered_label_findings(
    policy: InspectedPolicy, at: int, comparison: Comparison, map_: Map, since: int
) -> Iterator[Diagnostic]:
    value = comparison.value
    if comparison.operator is Operator.EQ or not isinstance(value, str):
        return
    label = map_.label(value)
    if label not in (None, value):
        name = policy.program.schema[comparison.column].name
        message = f"`{name}` has labels here, which are compared with `{spell_string(value)}` as text"
        also = (policy.label(since, "writes labels"),)
        help_ = f"compare it with a label, as in `{spell_string(str(label))}`"
        yield policy.finding("AC514", message, at, help_, also)


def find_compared_pseudonyms(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """AC514, where every value of a column is a pseudonym. Equality with a text that may be one is meant."""
    pseudonyms: dict[int, int] = {}
    for at, requirement in enumerate(policy.program.requirements):
        for comparison in effects.record_comparisons(requirement) if policy.is_first_step(at) else ():
            if comparison.column in pseudonyms and not _may_be_meant(comparison):
                name = policy.program.schema[comparison.column].name
                compared = spell_string(str(comparison.value))
                message = f"`{name}` has pseudonyms here, which are compared with `{compared}` as text"
                also = (policy.label(pseudonyms[comparison.column], "writes pseudonyms"),)
                yield policy.finding("AC514", message, at, "compare it above the line that writes them", also)
        for column in effects.written_by(requirement.action):
            pseudonyms.pop(column, None)
        if effects.writes_pseudonyms(requirement.action):
            pseudonyms.update(dict.fromkeys(effects.columns_overwritten(requirement), at))


def _may_be_meant(comparison: Comparison) -> bool:
    return comparison.operator is Operator.EQ and is_pseudonym(str(comparison.value))
