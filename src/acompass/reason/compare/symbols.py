"""Variables of a comparison, expressions over them, and the symbolic execution of a policy on one record.

A variable represents the kind of a column's initial value, or an outcome that chance or a class decides. An expression
gives the value of a column in one record: a constant, or the result of maps and type changes. One manager holds the
diagrams of both policies, so that equal sets of records are the same diagram. If the kinds of a column are unknown,
each comparison of it gets its own variable: the same comparison of the same value has the same result in both
policies, and nothing more is known. The same holds for a value that is rounded, shifted, averaged, a pseudonym or a sum
with a random number: it is a variable of unknown kinds, the same one for the same kernel and the same value before."""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import TypeAlias, assert_never

from acompass.dataclasses import dataclass, replace
from acompass.language.program.actions import is_odd_multiple
from acompass.language.program.effects import (
    drawing_kernel,
    draws,
    effect_of,
    filter_of,
    is_certain,
    reads_others,
    type_changes,
    write_of,
)
from acompass.language.program.kernels import Kernel, Map
from acompass.language.program.program import (
    And,
    Comparison,
    Condition,
    Not,
    Or,
    Program,
    Project,
    Remove,
    Requirement,
    Write,
)
from acompass.language.program.types import Kind, Schema, Type, Value, convert, to_text
from acompass.language.text.tree import Quantifier
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram, DiagramManager, Variable
from acompass.prove.diagrams.regions import Mask, regions_in
from acompass.reason.compare.kinds import ColumnKinds
from acompass.reason.privacy.mentions import Undecided, bands_in, is_record_level, prefix_in
from acompass.reason.privacy.representatives import Alike
from acompass.semantics.values import compare

#: the kinds of a variable that is false or true, and the mask of `true`
_BOOLEAN: tuple[Alike, ...] = ((False,), (True,))
_TRUE: Mask = 0b10
#: a placeholder for unknown kinds
_UNKNOWN: tuple[Alike, ...] = ((0, 1),)


def is_barrier(requirement: Requirement) -> bool:
    """Whether other records or chance decide what happens to a record."""
    return not is_record_level(requirement) or draws(requirement.action) or reads_others(requirement.action)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Variables for what a barrier decides about one record."""

    affected: Variable  # whether its class is affected
    coin: Variable  # whether the coin of WITH PROBABILITY hits
    drawn: Variable  # the kind of the value drawn for it, or whatever else chance or other records decide about it


@dataclass(frozen=True, slots=True)
class Conversion:
    """A change of the column's type (D12, retyping)."""

    before: Type
    after: Type


@dataclass(frozen=True, slots=True)
class Labelling:
    map: Map


Step: TypeAlias = Conversion | Labelling


@dataclass(frozen=True, slots=True)
class Derived:
    variable: Variable  # the kind of an initial or drawn value
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Constant:
    value: Value | None  # None for a dropped column, which no condition reads


Expression: TypeAlias = Constant | Derived


@dataclass(frozen=True, slots=True)
class Written:
    """What a value of unknown kind depends on."""

    kernel: Kernel
    before: Expression  # the value that the kernel replaces, converted to `type`
    type: Type
    by: Expression | None  # the value of the column that decides about it
    decided: Variable | None  # what chance or other records decide


DROPPED = Constant(None)


class Symbols:
    def __init__(self, programs: Sequence[Program]):
        schema = programs[0].schema
        self.columns = [ColumnKinds(schema, column, programs) for column in range(len(schema))]
        self.kinds: list[tuple[Alike, ...]] = []
        self.unknown: dict[Variable, Undecided] = {}
        self.written: dict[Variable, Written] = {}
        self._variables: dict[Written, Variable] = {}
        self._free: dict[tuple[Derived, object], Variable] = {}
        for column in self.columns:
            self._add(column.initial_kinds)
        self._outcomes: dict[int, Outcome] = {}
        for program in programs:
            for requirement in filter(is_barrier, program.requirements):
                self._outcomes[id(requirement)] = self._outcome(requirement)
        self._programs = programs  # keeps the requirements alive, whose ids are keys above
        self._samples: dict[tuple[Derived, int], tuple[Value | None, ...]] = {}
        self.diagrams = DiagramManager([(1 << len(kinds)) - 1 for kinds in self.kinds])

    def _outcome(self, requirement: Requirement) -> Outcome:
        drawn = self._add(lambda: self._drawn_kinds(requirement))
        return Outcome(self._add(lambda: _BOOLEAN), self._add(lambda: _BOOLEAN), drawn)

    def _add(self, find_kinds: Callable[[], tuple[Alike, ...]]) -> Variable:
        """Add a variable with these kinds, or an unknown one if they cannot be found."""
        try:
            self.kinds.append(find_kinds())
        except Undecided as undecided:
            self.kinds.append(_UNKNOWN)
            self.unknown[len(self.kinds) - 1] = undecided
        return len(self.kinds) - 1

    def _drawn_kinds(self, requirement: Requirement) -> tuple[Alike, ...]:
        write, kernel = write_of(requirement.action), drawing_kernel(requirement.action)
        if write is None or kernel is None:
            return ((0,),)
        values, integers = kernel.listed_values(), kernel.integers()
        if values is not None:
            return tuple((value,) for value in values)
        if integers is None:
            return _UNKNOWN
        return self.columns[write.column].drawn_kinds(integers, requirement.after[write.column].type, requirement.line)

    def outcome(self, requirement: Requirement) -> Outcome:
        return self._outcomes[id(requirement)]

    def is_true(self, variable: Variable) -> Diagram:
        return self.diagrams.literal(variable, _TRUE)

    def samples(self, expression: Derived, kind: int) -> tuple[Value | None, ...]:
        """The expression's values for the values that represent a kind."""
        if expression.variable in self.unknown:
            raise self.unknown[expression.variable]
        key = (expression, kind)
        if key not in self._samples:
            values = self.kinds[expression.variable][kind]
            self._samples[key] = tuple(apply_steps(value, expression.steps) for value in values)
        return self._samples[key]

    def unwritable_records(self, expression: Expression) -> Diagram:
        """The records whose value cannot be written: it has no label in a map, or does not fit the column."""
        match expression:
            case Constant(value):
                return ALL if value is None else EMPTY
            case Derived():
                return self.where(expression, lambda value: value is None, "unwritable")
            case _:
                assert_never(expression)

    def where(self, expression: Derived, holds: Callable[[Value | None], bool], test: object) -> Diagram:
        """The records whose value satisfies `holds`, which must treat all values of a kind alike. `test` identifies the
        condition: equal tests hold for the same values."""
        if expression.variable in self.unknown:
            return self._free_condition(expression, test)
        mask = 0
        for kind in range(len(self.kinds[expression.variable])):
            verdicts = {holds(value) for value in self.samples(expression, kind)}
            if len(verdicts) > 1:
                raise Undecided(None, "a condition distinguishes values that were assumed to be of one kind")
            mask |= verdicts.pop() << kind
        return self.diagrams.literal(expression.variable, mask)

    def _free_condition(self, expression: Derived, test: object) -> Diagram:
        """A variable of its own for a test of an unknown value."""
        key = (expression, test)
        if key not in self._free:
            self._free[key] = self._add_later(_BOOLEAN)
        return self.is_true(self._free[key])

    def _add_later(self, kinds: tuple[Alike, ...]) -> Variable:
        self.diagrams.full.append((1 << len(kinds)) - 1)
        return self._add(lambda: kinds)

    def written_value(self, written: Written, line: int) -> Derived:
        """A value of unknown kind; the same for equal arguments."""
        written = self._rounded_once(written)
        if written not in self._variables:
            variable = self._variables[written] = self._add_later(_UNKNOWN)
            self.written[variable] = written
            self.unknown[variable] = Undecided(line, f"{written.kernel.keyword} writes values that are not compared")
        return Derived(self._variables[written])

    def _rounded_once(self, written: Written) -> Written:
        """Rounding twice is rounding once."""
        before = written.before
        earlier = self.written.get(before.variable) if isinstance(before, Derived) and not before.steps else None
        if earlier is None or not self.is_rounded_further(earlier, replace(written, before=earlier.before)):
            return written
        return replace(written, before=earlier.before)

    def is_rounded_further(self, one: Written, other: Written) -> bool:
        """Whether both round the same value, and rounding the first result gives the second (X12). That is unknown for
        floats, where a multiple may not be exact."""
        first, second = one.kernel.rounding(), other.kernel.rounding()
        if first is None or second is None:
            return False
        is_exact = one.type == other.type and one.type.kind is not Kind.FLOAT
        return is_exact and one.before == other.before and is_odd_multiple(second.step, first.step)

    def differing(self, one: Expression, other: Expression, type_: Type, within: Diagram) -> Diagram:
        """The records of a set for which the two expressions can be written differently."""
        if one == other:
            return EMPTY
        if any(isinstance(each, Derived) and each.variable in self.unknown for each in (one, other)):
            return within
        return self.diagrams.intersection(within, self._differing(one, other, type_, within))

    def _differing(self, one: Expression, other: Expression, type_: Type, within: Diagram) -> Diagram:
        match one, other:
            case Constant(value), Constant(another):
                return EMPTY if written_form(value, type_) == written_form(another, type_) else ALL
            case Constant(value), Derived():
                return self._differing_from(other, value, type_)
            case Derived(), Constant(value):
                return self._differing_from(one, value, type_)
            case Derived(variable), Derived(own) if variable == own:
                return self._differing_maps(one, other, type_, within)
            case Derived(), Derived():
                return self._differing_sources(one, other, type_)
            case _:
                raise AssertionError("expressions are constants or derived")

    def _differing_from(self, derived: Derived, value: Value | None, type_: Type) -> Diagram:
        mask = sum(
            1 << kind
            for kind in self._kind_numbers(derived)
            if {written_form(each, type_) for each in self.samples(derived, kind)} != {written_form(value, type_)}
        )
        return self.diagrams.literal(derived.variable, mask)

    def _differing_maps(self, one: Derived, other: Derived, type_: Type, within: Diagram) -> Diagram:
        mask = 0
        for kind in regions_in(self.diagrams.mask_of(within, one.variable)):
            ours, theirs = (
                [written_form(each, type_) for each in self.samples(derived, kind)] for derived in (one, other)
            )
            if ours != theirs:
                mask |= 1 << kind
            elif len(set(ours)) > 1 and self._normal(one, kind) != self._normal(other, kind):
                raise Undecided(None, "two maps agree on all values that were tried")
        return self.diagrams.literal(one.variable, mask)

    def _normal(self, expression: Derived, kind: int) -> Derived:
        """The normal form for values of a kind, without prefixes that are at least as long as its texts."""
        variable = expression.variable
        if variable < len(self.columns) and self.columns[variable].have_lengths:
            expression = without_prefixes(expression, len(str(self.kinds[variable][kind][0])))
        return normal_form(expression)

    def _differing_sources(self, one: Derived, other: Derived, type_: Type) -> Diagram:
        return self.diagrams.union_of(
            self.diagrams.intersection(
                self.diagrams.literal(one.variable, 1 << kind), self._apart(one, kind, other, type_)
            )
            for kind in self._kind_numbers(one)
        )

    def _apart(self, one: Derived, kind: int, other: Derived, type_: Type) -> Diagram:
        ours = {written_form(each, type_) for each in self.samples(one, kind)}
        mask = sum(
            1 << theirs
            for theirs in self._kind_numbers(other)
            if len(ours | {written_form(each, type_) for each in self.samples(other, theirs)}) > 1
        )
        return self.diagrams.literal(other.variable, mask)

    def _kind_numbers(self, expression: Derived) -> Iterator[int]:
        yield from regions_in(self.diagrams.full[expression.variable])


def append_step(expression: Expression, step: Step) -> Expression:
    """A constant without a label becomes None; its record fails at this step."""
    match expression:
        case Constant(value):
            return Constant(apply_steps(value, (step,)))
        case Derived(variable, steps):
            return Derived(variable, (*steps, step))
        case _:
            assert_never(expression)


def apply_steps(value: Value | None, steps: tuple[Step, ...]) -> Value | None:
    """The value after the steps; None if a map has no label for it."""
    for step in steps:
        if value is None:
            return None
        match step:
            case Conversion(before, after):
                value = convert(value, before, after)
            case Labelling(map_):
                value = map_.label(str(value))
            case _:
                assert_never(step)
    return value


def normal_form(expression: Derived) -> Derived:
    """Expressions with the same normal form agree on every kind that has several values. A map is left out if a later
    one gives the same label to a value and to its finer label. An open band has a single label, so only the width
    and the origin of bands count."""
    steps: list[Step] = []
    for step in expression.steps:
        while isinstance(step, Labelling) and steps and _absorbs(step, steps[-1]):
            steps.pop()
        steps.append(step)
    return Derived(expression.variable, tuple(map(_without_ends, steps)))


def _absorbs(later: Labelling, earlier: Step) -> bool:
    return isinstance(earlier, Labelling) and later.map.follows(earlier.map)


def _without_ends(step: Step) -> Step:
    match step:
        case Labelling(map_):
            bands = bands_in(map_)
            return step if bands is None else Labelling(bands.without_ends())
        case Conversion():
            return step
        case _:
            assert_never(step)


def without_prefixes(expression: Derived, length: int) -> Derived:
    """The expression without prefixes of at least this length."""
    steps = tuple(step for step in expression.steps if not _keeps_prefix(step, length))
    return Derived(expression.variable, steps)


def _keeps_prefix(step: Step, length: int) -> bool:
    match step:
        case Labelling(map_):
            prefix = prefix_in(map_)
            return prefix is not None and prefix.length >= length
        case Conversion():
            return False
        case _:
            assert_never(step)


def written_form(value: Value | None, type_: Type) -> object:
    """An object that is equal for values that are written in the same way."""
    if type_.kind in (Kind.OPAQUE, Kind.DROPPED) or value is None:
        return value
    return to_text(value, type_)


#: for each expression, the records whose column has its value; every record is in one of these sets
Holding: TypeAlias = dict[Expression, Diagram]


@dataclass(slots=True)
class State:
    alive: Diagram  # the records that no REJECT has removed
    failed: Diagram  # the records that keep any table from being written
    columns: list[Holding]


class Symbolic:
    def __init__(self, symbols: Symbols):
        self._symbols = symbols
        self._diagrams = symbols.diagrams

    def start(self, schema: Schema) -> State:
        return State(ALL, EMPTY, [{Derived(column): ALL} for column in range(len(schema))])

    def end(self, program: Program) -> State:
        """The state after all lines, where a barrier may decide anything about a record."""
        state = self.start(program.schema)
        for requirement in program.requirements:
            outcome = self._symbols.outcome(requirement) if is_barrier(requirement) else None
            self.perform(state, requirement, outcome)
        return state

    def live(self, state: State) -> Diagram:
        return self._diagrams.difference(state.alive, state.failed)

    def perform(
        self, state: State, requirement: Requirement, outcome: Outcome | None = None, spared: Diagram = EMPTY
    ) -> None:
        """`outcome` is what a barrier decides about the record; the records `spared` are known not to be affected."""
        affected = self._diagrams.difference(self.affected_records(state, requirement), spared)
        if outcome is not None and not is_record_level(requirement):
            affected = self._diagrams.intersection(affected, self._symbols.is_true(outcome.affected))
        if outcome is not None and not is_certain(requirement.action):
            affected = self._diagrams.intersection(affected, self._symbols.is_true(outcome.coin))
        self._convert(state, requirement)
        self._act(state, requirement, affected, outcome)

    def affected_records(self, state: State, requirement: Requirement) -> Diagram:
        """The live records that the requirement affects, or can affect if other records decide."""
        is_some = requirement.assertion.quantifier is Quantifier.SOME  # it affects the whole table (D17, SOME)
        scope = self.live(state) if is_some else self.selected_records(state, requirement)
        if not is_record_level(requirement):
            return scope
        return self._diagrams.difference(scope, self.condition(state, requirement.assertion.condition))

    def selected_records(self, state: State, requirement: Requirement) -> Diagram:
        """The live records that the FILTER or WHERE selects."""
        condition = filter_of(requirement)
        if condition is None:
            return self.live(state)
        return self._diagrams.intersection(self.live(state), self.condition(state, condition))

    def condition(self, state: State, condition: Condition) -> Diagram:
        """The records that satisfy a condition on the table's columns."""
        diagrams = self._diagrams
        return condition_diagram(
            diagrams, condition, lambda each: diagrams.union_of(self._satisfying_records(state, each))
        )

    def _all(self, *diagrams: Diagram) -> Diagram:
        return reduce(self._diagrams.intersection, diagrams, ALL)

    def _satisfying_records(self, state: State, comparison: Comparison) -> Iterator[Diagram]:
        def holds(value: object) -> bool:
            return value is not None and compare(value, comparison.operator, comparison.value)

        for expression, records in state.columns[comparison.column].items():
            match expression:
                case Constant(value):
                    yield records if holds(value) else EMPTY
                case Derived():
                    test = (comparison.operator, comparison.value)
                    satisfying = self._symbols.where(expression, holds, test)
                    yield self._diagrams.intersection(records, satisfying)
                case _:
                    assert_never(expression)

    def _convert(self, state: State, requirement: Requirement) -> None:
        for column, (before, after) in type_changes(requirement).items():
            if after.kind is Kind.DROPPED:
                state.columns[column] = {DROPPED: ALL}
            else:
                self._write(state, column, ALL, _change_by_step(Conversion(before, after)))

    def _act(self, state: State, requirement: Requirement, affected: Diagram, outcome: Outcome | None) -> None:
        effect = effect_of(requirement.action)
        match effect:
            case None:
                state.failed = self._diagrams.union(state.failed, affected)
            case Remove():
                state.alive = self._diagrams.difference(state.alive, affected)
            case Write(kernel=kernel):
                change = _change_by_kernel(kernel, outcome)
                if change is None:
                    self._write_unknown(state, requirement, effect, affected, outcome)
                else:
                    self._write(state, effect.column, affected, change)
                if kernel.label_map() is not None:
                    self._fail_unlabeled(state, effect.column, affected)
            case Project():
                pass  # `_convert` has dropped the columns
            case _:
                assert_never(effect)

    def _write(self, state: State, column: int, affected: Diagram, change: Callable[[Expression], Expression]) -> None:
        held: Holding = {}
        for expression, records in state.columns[column].items():
            unaffected, changed = self._diagrams.difference(records, affected), change(expression)
            self._hold(held, expression, unaffected)
            self._hold(held, changed, self._diagrams.intersection(records, affected))
        state.columns[column] = held

    def _hold(self, held: Holding, expression: Expression, records: Diagram) -> None:
        if records is not EMPTY:
            held[expression] = self._diagrams.union(held.get(expression, EMPTY), records)

    def _write_unknown(
        self, state: State, requirement: Requirement, write: Write, affected: Diagram, outcome: Outcome | None
    ) -> None:
        """Write values of unknown kinds. All columns are read before any is written (X16)."""
        kernel = write.kernel
        decided = outcome.drawn if outcome is not None and (kernel.draws or kernel.reads_others) else None
        deciding = {None: ALL} if kernel.by is None else state.columns[kernel.by]
        for column in write.columns:
            held: Holding = {}
            for value, records in state.columns[column].items():
                self._hold(held, value, self._diagrams.difference(records, affected))
                for by, own in deciding.items():
                    within = self._all(records, own, affected)
                    if within is not EMPTY:
                        written = Written(kernel, value, requirement.after[column].type, by, decided)
                        after = self._symbols.written_value(written, requirement.line)
                        self._hold(held, after, within)
                        unfit = self._symbols.unwritable_records(after) if kernel.may_fail else EMPTY
                        state.failed = self._diagrams.union(state.failed, self._all(within, unfit))
            state.columns[column] = held

    def _fail_unlabeled(self, state: State, column: int, affected: Diagram) -> None:
        for expression, records in state.columns[column].items():
            unlabeled = self._all(records, self._symbols.unwritable_records(expression), affected)
            state.failed = self._diagrams.union(state.failed, unlabeled)

    def differing(self, one: Holding, other: Holding, type_: Type, within: Diagram) -> Diagram:
        """The records of a set whose column has different values in the two."""
        return self._diagrams.union_of(
            self._symbols.differing(ours, theirs, type_, both)
            for ours, mine in one.items()
            for theirs, yours in other.items()
            if (both := self._all(mine, yours, within)) is not EMPTY
        )


def condition_diagram(
    diagrams: DiagramManager, condition: Condition, satisfying: Callable[[Comparison], Diagram]
) -> Diagram:
    """Where a condition holds; `satisfying` tells where a comparison does."""
    match condition:
        case Comparison():
            return satisfying(condition)
        case Not(operand):
            return diagrams.complement(condition_diagram(diagrams, operand, satisfying))
        case And(operands):
            parts = (condition_diagram(diagrams, operand, satisfying) for operand in operands)
            return reduce(diagrams.intersection, parts, ALL)
        case Or(operands):
            return diagrams.union_of(condition_diagram(diagrams, operand, satisfying) for operand in operands)
        case _:
            assert_never(condition)


def _change_by_kernel(kernel: Kernel, outcome: Outcome | None) -> Callable[[Expression], Expression] | None:
    """What the kernel makes of a value; None if the kind of the written value is unknown."""
    map_, values = kernel.label_map(), kernel.listed_values()
    if map_ is not None:
        return _change_by_step(Labelling(map_))
    if kernel.reads_value:
        return None
    if kernel.draws:
        assert outcome is not None, "a RANDOM is a barrier"
        drawn = Derived(outcome.drawn)
        return lambda _: drawn
    assert values is not None, "it writes a constant"
    constant = Constant(values[0])
    return lambda _: constant


def _change_by_step(step: Step) -> Callable[[Expression], Expression]:
    return lambda expression: append_step(expression, step)
