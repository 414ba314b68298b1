"""Variables of a comparison, and expressions over them.

A variable represents the kind of a column's initial value, or an outcome that chance or a class decides. An expression
gives the value of a column in one record: a constant, or the result of maps and type changes. One manager holds the
diagrams of both policies, so that equal sets of records are the same diagram. If the kinds of a column are unknown,
each comparison of it gets its own variable: the same comparison of the same value has the same result in both
policies, and nothing more is known."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, assert_never

from acompass.dataclasses import dataclass
from acompass.language.program.bands import Bands, Steps
from acompass.language.program.effects import draws, plain_of
from acompass.language.program.label_maps import Map, Prefix
from acompass.language.program.program import Draw, Drop, Generalize, Program, Random, Reject, Replace, Requirement
from acompass.language.program.types import Kind, Type, Value, convert, to_text
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram, DiagramManager, Variable
from acompass.prove.diagrams.regions import Mask, regions_in
from acompass.reason.compare.kinds import ColumnKinds
from acompass.reason.privacy.influence import is_record_level
from acompass.reason.privacy.mentions import Undecided
from acompass.reason.privacy.representatives import Alike

#: the kinds of a variable that is false or true, and the mask of `true`
_BOOLEAN: tuple[Alike, ...] = ((False,), (True,))
_TRUE: Mask = 0b10
#: a placeholder for unknown kinds
_UNKNOWN: tuple[Alike, ...] = ((0, 1),)


def is_barrier(requirement: Requirement) -> bool:
    """Whether other records or chance decide what happens to a record."""
    return not is_record_level(requirement) or draws(requirement.action)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Variables for what a barrier decides about one record."""

    affected: Variable  # whether its class is affected
    coin: Variable  # whether the coin of WITH PROBABILITY hits
    drawn: Variable  # the kind of the value drawn for it


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

DROPPED = Constant(None)


class Symbols:
    def __init__(self, programs: Sequence[Program]):
        schema = programs[0].schema
        self.columns = [ColumnKinds(schema, column, programs) for column in range(len(schema))]
        self.kinds: list[tuple[Alike, ...]] = []
        self.unknown: dict[Variable, Undecided] = {}
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
        plain = plain_of(requirement.action)
        match plain:
            case Draw(values=values):
                return tuple((each.value,) for each in values)
            case Random(column):
                after = requirement.after[column].type
                return self.columns[column].drawn_kinds(plain, after, requirement.line)
            case None | Reject() | Replace() | Generalize() | Drop():
                return ((0,),)
            case _:
                assert_never(plain)

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

    def unlabeled_records(self, expression: Expression) -> Diagram:
        """The records whose value has no label in a map."""
        match expression:
            case Constant(value):
                return ALL if value is None else EMPTY
            case Derived():
                return self.where(expression, lambda value: value is None, "unlabeled")
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
            self._free[key] = self._add(lambda: _BOOLEAN)
            self.diagrams.full.append((1 << len(_BOOLEAN)) - 1)
        return self.is_true(self._free[key])

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
        case Labelling(Bands(Steps(width, origin), integer, scale)):
            return Labelling(Bands(Steps(width, origin % width, None, None), integer, scale))
        case _:
            return step


def without_prefixes(expression: Derived, length: int) -> Derived:
    """The expression without prefixes of at least this length."""
    steps = tuple(step for step in expression.steps if not _keeps_prefix(step, length))
    return Derived(expression.variable, steps)


def _keeps_prefix(step: Step, length: int) -> bool:
    match step:
        case Labelling(Prefix(kept)):
            return kept >= length
        case _:
            return False


def written_form(value: Value | None, type_: Type) -> object:
    """An object that is equal for values that are written in the same way."""
    if type_.kind in (Kind.OPAQUE, Kind.DROPPED) or value is None:
        return value
    return to_text(value, type_)
