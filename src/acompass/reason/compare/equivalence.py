"""Decide whether two checked policies are equivalent.

First, try a proof; then, search for a table on which they differ. The proof is tried again without lines that never
affect anything, and with lines over classes that commute brought into the same order.

The proof is in lockstep: both policies advance from one barrier to the next. A barrier is a line whose effect on a
record depends on other records or on chance. If both policies have the same table at a barrier, and both barriers have
the same condition, they decide the same for each record, so one variable can represent both decisions. If the two
states are equal at the end for every value of these variables, the policies are equivalent. docs/compare.md has the
proof."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from acompass.dataclasses import dataclass, replace
from acompass.language.program import effects
from acompass.language.program.program import Aggregate, Assertion, Comparison, Effect, Process, Program, Requirement
from acompass.language.program.types import Schema, remaining
from acompass.language.text.tree import Quantifier
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram, DiagramManager
from acompass.prove.diagrams.regions import Regions, ValueOrder, count_order, value_order
from acompass.prove.proof import Exhausted, recursion_limit
from acompass.prove.search.claims import check_steps
from acompass.prove.search.prover import Provers
from acompass.prove.search.verdicts import MOST_CHECKS
from acompass.reason.compare.answer import Difference
from acompass.reason.compare.counterexamples import Examples, Hint, Search
from acompass.reason.compare.pairs import Pair
from acompass.reason.compare.symbols import State, Symbolic, Symbols, condition_diagram, is_barrier
from acompass.reason.privacy.mentions import Undecided, is_record_level

SAME_OF_RECORDS = "both policies do the same to every record"
SAME_OF_CLASSES = "both policies make the same demands on the same classes, and do the same to every record"
NOT_FOUND = "no table was found on which they differ"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The point at which the proof fails."""

    reason: str
    #: the records for which it fails; if all lines are about records, the policies differ on a table of one of them
    records: Diagram


class Lockstep:
    def __init__(self, symbols: Symbols, old: Program, new: Program):
        self._symbols = symbols
        self._diagrams = symbols.diagrams
        self._symbolic = Symbolic(symbols)
        self._programs = (old, new)
        self._states = (self._symbolic.start(old.schema), self._symbolic.start(new.schema))

    def mismatch(self, lines: Sequence[Sequence[Requirement]]) -> Mismatch | None:
        """None if the policies are equivalent. `lines` are their requirements, in an order to try."""
        left = [list(own) for own in lines]
        while True:
            ours, theirs = (self._advance(state, own) for state, own in zip(self._states, left, strict=True))
            if ours is None and theirs is None:
                return self._at_end()
            if theirs is None:
                return self._without_partner(0, ours)
            if ours is None:
                return self._without_partner(1, theirs)
            found = self._pass_barrier(ours, theirs)
            if found is not None:
                return found

    def _advance(self, state: State, lines: list[Requirement]) -> Requirement | None:
        """Perform the lines up to the next barrier, and remove them and the barrier from `lines`."""
        while lines:
            requirement = lines.pop(0)
            if is_barrier(requirement):
                return requirement
            self._symbolic.perform(state, requirement)
        return None

    def _without_partner(self, side: int, requirement: Requirement | None) -> Mismatch:
        assert requirement is not None
        own, other = ("old", "new") if side == 0 else ("new", "old")
        reason = f"line {requirement.line} of the {own} policy has no counterpart in the {other} one"
        return Mismatch(reason, self._symbolic.affected_records(self._states[side], requirement))

    def _pass_barrier(self, ours: Requirement, theirs: Requirement) -> Mismatch | None:
        """Perform both barriers; a mismatch if they may decide differently."""
        reason = f"line {ours.line} of the old policy and line {theirs.line} of the new one"
        columns = self._columns_that_matter(ours, theirs)
        differing = self._differing_records(columns, ours.before, theirs.before)
        if differing is not EMPTY:
            return Mismatch(f"{reason} do not see the same table", differing)
        if not self._decide_alike(ours, theirs):
            affected = [self._symbolic.affected_records(state, ours) for state in self._states]
            return Mismatch(f"{reason} are not the same", self._diagrams.union_of(affected))
        outcome = self._symbols.outcome(ours)
        for state, requirement in zip(self._states, (ours, theirs), strict=True):
            self._symbolic.perform(state, requirement, outcome)
        return None

    def _columns_that_matter(self, ours: Requirement, theirs: Requirement) -> Sequence[int]:
        """The columns that decide which classes are affected. If a line draws or averages, all columns matter: they
        determine the order of the affected records (D18, order of draws)."""
        if _needs_order(ours) or _needs_order(theirs):
            return remaining(ours.after)
        return sorted(effects.columns_read(ours) | effects.columns_read(theirs))

    def _differing_records(self, columns: Sequence[int], ours: Schema, theirs: Schema) -> Diagram:
        """The records that only one policy still has, or that have different values. Records that fail do not count:
        because of them, nothing is written."""
        one, other = self._states
        live = [self._symbolic.live(state) for state in self._states]
        both = self._diagrams.intersection(*live)
        failed = self._diagrams.union(one.failed, other.failed)
        presence = self._diagrams.difference(self._symmetric_difference(one.alive, other.alive), failed)
        values = (self._differing_values(column, ours, theirs, both) for column in columns)
        return self._diagrams.union(presence, self._diagrams.union_of(values))

    def _differing_values(self, column: int, ours: Schema, theirs: Schema, within: Diagram) -> Diagram:
        if ours[column].type != theirs[column].type:
            return within
        one, other = (state.columns[column] for state in self._states)
        return self._symbolic.differing(one, other, ours[column].type, within)

    def _symmetric_difference(self, one: Diagram, other: Diagram) -> Diagram:
        return self._diagrams.union(self._diagrams.difference(one, other), self._diagrams.difference(other, one))

    def _decide_alike(self, ours: Requirement, theirs: Requirement) -> bool:
        if not _act_alike(ours, theirs) or is_record_level(ours) != is_record_level(theirs):
            return False
        one, other = (
            self._symbolic.affected_records(state, requirement)
            for state, requirement in zip(self._states, (ours, theirs), strict=True)
        )
        if one is not other:
            return False
        return is_record_level(ours) or self._decide_alike_about_classes(ours, theirs)

    def _decide_alike_about_classes(self, ours: Requirement, theirs: Requirement) -> bool:
        if ours.assertion.quantifier is not theirs.assertion.quantifier:
            return False
        one, other = effects.process_of(ours), effects.process_of(theirs)
        if one is None or other is None:
            return one is other and self._satisfying(0, ours) is self._satisfying(1, theirs)
        return (
            are_same_classes(one, other)
            and self._selected_records(0, ours) is self._selected_records(1, theirs)
            and have_same_condition(ours.assertion, theirs.assertion)
        )

    def _satisfying(self, at: int, requirement: Requirement) -> Diagram:
        """The records that satisfy a SOME."""
        condition = self._symbolic.condition(self._states[at], requirement.assertion.condition)
        return self._diagrams.intersection(self._selected_records(at, requirement), condition)

    def _selected_records(self, at: int, requirement: Requirement) -> Diagram:
        return self._symbolic.selected_records(self._states[at], requirement)

    def _at_end(self) -> Mismatch | None:
        one, other = self._states
        schemas = [program.final_schema for program in self._programs]
        written = self._differing_records(remaining(schemas[0]), *schemas)
        failed = self._symmetric_difference(one.failed, other.failed)
        records = self._diagrams.union(written, failed)
        if records is EMPTY:
            return None
        return Mismatch("the policies do not turn every record into the same output", records)


def _act_alike(ours: Requirement, theirs: Requirement) -> bool:
    """Whether both consume the trace and read other records in the same way. Only a check with SOME can fail without
    an affected record."""
    if _needs_order(ours) or _needs_order(theirs):
        same_type = ours.after == theirs.after
        return same_type and _outcome_probabilities(ours) == _outcome_probabilities(theirs)
    are_some = Quantifier.SOME in (ours.assertion.quantifier, theirs.assertion.quantifier)
    return not are_some or (ours.action is None) == (theirs.action is None)


def _needs_order(requirement: Requirement) -> bool:
    return effects.needs_order((requirement,))


def _outcome_probabilities(requirement: Requirement) -> tuple[Fraction | None, Effect | None]:
    """The probability of each outcome; weights such as 2 to 1 and 4 to 2 are the same."""
    probability, write = effects.probability_of(requirement.action), effects.write_of(requirement.action)
    if write is None:
        return probability, effects.effect_of(requirement.action)
    return probability, replace(write, kernel=write.kernel.in_lowest_terms())


#: a column of GROUP BY, or an aggregate without its name
ClassAttribute: TypeAlias = int | Aggregate


def are_same_classes(one: Process, other: Process) -> bool:
    """Whether both aggregate the same classes, in any order and under any names. WHERE is not compared."""
    return set(one.group_by) == set(other.group_by) and set(_class_attributes(one)) == set(_class_attributes(other))


def _class_attributes(process: Process) -> list[ClassAttribute]:
    """The attribute at each position that the condition after PROCESS reads (D15, results)."""
    return [*process.group_by, *(replace(each, name="") for each in process.aggregates)]


def have_same_condition(one: Assertion, other: Assertion) -> bool:
    """Whether the conditions after PROCESS hold for the same classes, if the processes are the same."""
    ours, theirs = effects.process_in(one), effects.process_in(other)
    assert ours is not None
    assert theirs is not None
    names = sorted(set(_class_attributes(ours)), key=repr)
    cuts: list[list[Any]] = [[] for _ in names]
    for process, assertion in ((ours, one), (theirs, other)):
        for comparison in effects.comparisons(assertion.condition):
            cuts[names.index(_class_attributes(process)[comparison.column])].append(comparison.value)
    orders = [_order(name, ours, one.schema) for name in names]
    regions = [Regions(order, own) for order, own in zip(orders, cuts, strict=True)]
    diagrams = DiagramManager([each.full for each in regions])

    def satisfying_classes(process: Process, assertion: Assertion) -> Diagram:
        variables = [names.index(each) for each in _class_attributes(process)]

        def satisfying(comparison: Comparison) -> Diagram:
            variable = variables[comparison.column]
            return diagrams.literal(variable, regions[variable].satisfying(comparison.operator, comparison.value))

        return condition_diagram(diagrams, assertion.condition, satisfying)

    return satisfying_classes(ours, one) is satisfying_classes(theirs, other)


def _order(attribute: ClassAttribute, process: Process, schema: Schema) -> ValueOrder:
    if isinstance(attribute, Aggregate) and attribute.facts.is_count:
        return count_order()
    return value_order(schema[_class_attributes(process).index(attribute)].type)


@dataclass(frozen=True, slots=True)
class Equivalence:
    is_equivalent: bool | None  # None if undecided
    reason: str
    difference: Difference | None = None  # given if the policies are not equivalent


def overall_equivalence(pairs: Sequence[Pair]) -> Equivalence:
    """Policies are equivalent if they are for all column types. The first pair, with the narrowest types, gives the
    most readable difference."""
    undecided: Equivalence | None = None
    for pair in pairs:
        found = equivalence(pair)
        if found.is_equivalent is False:
            return found
        undecided = undecided or (found if found.is_equivalent is None else None)
    return undecided or found


def equivalence(pair: Pair) -> Equivalence:
    try:
        with recursion_limit():
            symbols = Symbols(pair.programs)
            mismatch = _mismatch(pair, symbols)
    except (Undecided, Exhausted) as open_question:
        found = _search_difference(pair, undecided_reason(open_question), ())
        return replace(found, reason="") if found.difference else found
    if mismatch is None:
        is_about_records = all(map(is_record_level, (*pair.old.requirements, *pair.new.requirements)))
        return Equivalence(True, SAME_OF_RECORDS if is_about_records else SAME_OF_CLASSES)
    return _search_difference(pair, mismatch.reason, Examples(symbols, pair).hints(mismatch.records))


def _mismatch(pair: Pair, symbols: Symbols) -> Mismatch | None:
    """The first mismatch; None if some alignment of the policies proves them equivalent."""
    schemas = [_final_columns(program) for program in pair.programs]
    if schemas[0] != schemas[1]:
        return Mismatch(_schema_mismatch(pair), ALL)
    first: Mismatch | None = None
    for lines in _alignments(pair):
        found = Lockstep(symbols, *pair.programs).mismatch(lines)
        if found is None:
            return None
        first = first or found
    return first


def _alignments(pair: Pair) -> Iterator[tuple[list[Requirement], list[Requirement]]]:
    """The requirements unchanged; then, if that may help, without lines that never affect anything, and reordered."""
    old, new = (list(program.requirements) for program in pair.programs)
    yield old, new
    if any(map(is_barrier, (*old, *new))):
        old, new = (effective_lines(program, pair.any_scale) for program in pair.programs)
        yield old, new
        yield old, reorder_lines(old, new)


def _final_columns(program: Program) -> list[tuple[str, str]]:
    final = program.final_schema
    return [(final[column].name, str(final[column].type)) for column in remaining(final)]


def _schema_mismatch(pair: Pair) -> str:
    old, new = (dict(_final_columns(program)) for program in pair.programs)
    for name in (*old, *new):
        if name not in old or name not in new:
            return f"only the {'old' if name in old else 'new'} policy releases column `{name}`"
        if old[name] != new[name]:
            return f"column `{name}` is {old[name]} after the old policy and {new[name]} after the new one"
    raise AssertionError("the schemas differ")


def _search_difference(pair: Pair, reason: str, hints: Sequence[Hint]) -> Equivalence:
    try:
        with recursion_limit():
            found = Search(pair, hints).difference()
    except Exhausted as exhausted:
        return Equivalence(None, str(exhausted))
    if found is None:
        return Equivalence(None, f"{reason}\n{NOT_FOUND}")
    return Equivalence(False, reason, found)


def undecided_reason(question: Undecided | Exhausted) -> str:
    match question:
        case Undecided(line=None):
            return question.reason
        case Undecided():
            return f"line {question.line}: {question.reason}"
        case Exhausted():
            return str(question)


def effective_lines(program: Program, any_scale: frozenset[int]) -> list[Requirement]:
    """The requirements without lines over classes whose assertion is proved at that point: they change nothing.

    The proof may assume the checks before the line: if one fails, nothing is written either way.
    """
    provers: dict[frozenset[int], Provers] = {}

    def is_idle(step: int, requirement: Requirement) -> bool:
        if is_record_level(requirement) or effects.type_changes(requirement):
            return False
        known = frozenset(sorted(at for at in check_steps(program) if at < step)[:MOST_CHECKS])
        if known not in provers:
            provers[known] = Provers(program, (), known, any_scale)
        return provers[known].for_assertion(requirement.assertion).attempt(requirement.assertion, step).is_proof

    lines = enumerate(program.requirements)
    return [requirement for step, requirement in lines if not is_idle(step, requirement)]


def reorder_lines(ours: Sequence[Requirement], theirs: Sequence[Requirement]) -> list[Requirement]:
    """The lines `theirs`, with each barrier moved up to its place in `ours` if it commutes with the lines between."""
    rest, ordered = list(theirs), list[Requirement]()
    for wanted in filter(is_barrier, ours):
        at = next((at for at, line in enumerate(rest) if _is_counterpart(wanted, line)), None)
        if at is None:
            continue
        passed = rest[:at]
        if any(map(is_barrier, passed)) and all(are_commuting(line, rest[at]) for line in passed):
            ordered.append(rest.pop(at))
        else:
            ordered += rest[: at + 1]
            rest = rest[at + 1 :]
    return ordered + rest


def _is_counterpart(one: Requirement, other: Requirement) -> bool:
    ours, theirs = effects.process_of(one), effects.process_of(other)
    if ours is None or theirs is None or effects.written_by(one.action) != effects.written_by(other.action):
        return ours is theirs and one.assertion == other.assertion and one.action == other.action
    return are_same_classes(ours, theirs) and (one.action is None) == (other.action is None)


def are_commuting(one: Requirement, other: Requirement) -> bool:
    """Whether two lines can be exchanged because neither changes what the other reads or writes. Lines that remove
    records change classes; lines that draw or average depend on the order of the records."""
    if any(_needs_order(each) or effects.removes_records(each.action) for each in (one, other)):
        return False
    changed = [{*effects.type_changes(each), *effects.written_by(each.action)} for each in (one, other)]
    return not (changed[0] & effects.columns_touched(other) or changed[1] & effects.columns_touched(one))
