"""The kinds of stages that a plan consists of, and their descriptions for `plan --stages`.

A chain is simulated on regions. A comparison is between a column and a constant. So n constants split a column's values
into 2n+1 regions: region 2j+1 is constant j, counted from 0, and the even regions are the intervals between constants.
No requirement of the chain distinguishes two values of one region, so a simulation on combinations of regions decides
what happens to every record. A set of combinations is an integer with one bit for each combination, so that conditions
are bitwise operations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any, TypeAlias, assert_never

from acompass.dataclasses import dataclass, field
from acompass.language.program import effects
from acompass.language.program import program as checked
from acompass.language.program.program import Action, Assertion, Condition, Process, Requirement, Verdict
from acompass.language.program.types import Schema, Value, convert
from acompass.language.text.tree import Operator, Quantifier


def constants_by_column(requirements: Sequence[Requirement], columns: Iterable[int]) -> dict[int, set[Value]]:
    """The constants that each column is compared with, and those written into it."""
    found: dict[int, set[Value]] = {column: set() for column in columns}
    for requirement in requirements:
        for comparison in effects.record_comparisons(requirement):
            found[comparison.column].add(comparison.value)
        written = constant_write(requirement.action)
        # no later requirement of the chain compares a value of a new type
        if written is not None and keeps_type(requirement, written[0]):
            found[written[0]].add(written[1])
    return found


def ordered_constants(requirements: Sequence[Requirement], columns: Iterable[int]) -> dict[int, tuple[Value, ...]]:
    """The constants of each column, sorted."""
    found = constants_by_column(requirements, columns)
    return {column: tuple(sorted(values)) for column, values in found.items()}


def keeps_type(requirement: Requirement, column: int) -> bool:
    return requirement.before[column].type == requirement.after[column].type


def constant_write(action: Action | None) -> tuple[int, Value] | None:
    """The column and the value, if an action writes the same value into every affected record: REPLACE."""
    write, value = effects.write_of(action), effects.constant_written(action)
    return (write.column, value) if write is not None and value is not None and effects.is_certain(action) else None


@dataclass(frozen=True, slots=True)
class Combination:
    """The records that lie in the same region of every column."""

    regions: tuple[int, ...]  # of each column
    records: int  # the number of records


@dataclass(frozen=True, slots=True)
class SimulatedOutcome:
    verdicts: tuple[Verdict, ...]
    kept: tuple[bool, ...]  # for each combination, whether its records remain
    written: tuple[Mapping[int, Value], ...]  # for each combination, the values written into columns


def simulate(
    requirements: Sequence[Requirement], columns: Sequence[int], combinations: Sequence[Combination]
) -> SimulatedOutcome:
    simulation = _Simulation(requirements, columns, combinations)
    verdicts = tuple(simulation.perform(requirement) for requirement in requirements)
    kept = tuple(bool(simulation.alive >> i & 1) for i in range(len(combinations)))
    return SimulatedOutcome(verdicts, kept, tuple(simulation.written))


class _Simulation:
    def __init__(
        self, requirements: Sequence[Requirement], columns: Sequence[int], combinations: Sequence[Combination]
    ):
        constants = ordered_constants(requirements, columns)
        self._point = {c: {v: 2 * j + 1 for j, v in enumerate(vs)} for c, vs in constants.items()}
        self._in_region = {c: [0] * (2 * len(vs) + 1) for c, vs in constants.items()}
        self._region_of = {c: [each.regions[j] for each in combinations] for j, c in enumerate(columns)}
        self._weights = [combination.records for combination in combinations]
        self.alive = (1 << len(combinations)) - 1
        self._alive_records = sum(self._weights)
        self.written: list[dict[int, Value]] = [{} for _ in combinations]
        for i, combination in enumerate(combinations):
            for column, region in zip(columns, combination.regions, strict=True):
                self._in_region[column][region] |= 1 << i

    def perform(self, requirement: Requirement) -> Verdict:
        selected = effects.filter_of(requirement)
        seen = self.alive if selected is None else self.alive & self._where(selected)
        holds, affected = self._find_affected(requirement.assertion, seen)
        count = sum(self._weights[i] for i in _bits(affected))
        verdict = Verdict(holds, count, self._alive_records, selected is not None and not seen)
        self._retype(requirement)
        action, written = requirement.action, constant_write(requirement.action)
        if written is not None:
            self._write(requirement, *written, affected)
        elif action is not None:
            assert effects.removes_all(action), "a chain contains only actions that regions decide"
            self.alive &= ~affected
            self._alive_records -= count
        return verdict

    def _find_affected(self, assertion: Assertion, seen: int) -> tuple[bool, int]:
        """Whether the assertion holds, and the combinations that it affects."""
        satisfied = seen & self._where(assertion.condition)
        match assertion.quantifier:
            case Quantifier.SOME:
                return (True, 0) if satisfied else (False, self.alive)
            case Quantifier.EACH:
                violating = seen & ~satisfied
                return violating == 0, violating
            case _:
                assert_never(assertion.quantifier)

    def _where(self, condition: Condition) -> int:
        match condition:
            case checked.Comparison():
                return self._compare(condition)
            case checked.Not():
                return self.alive & ~self._where(condition.operand)
            case checked.And():
                return reduce(and_, map(self._where, condition.operands), self.alive)
            case checked.Or():
                return reduce(or_, map(self._where, condition.operands), 0)
            case _:
                assert_never(condition)

    def _compare(self, comparison: checked.Comparison) -> int:
        regions = self._in_region[comparison.column]
        point = self._point[comparison.column][comparison.value]
        match comparison.operator:
            case Operator.LT:
                chosen = regions[:point]
            case Operator.LE:
                chosen = regions[: point + 1]
            case Operator.EQ:
                chosen = regions[point : point + 1]
            case Operator.GE:
                chosen = regions[point:]
            case Operator.GT:
                chosen = regions[point + 1 :]
            case _:
                assert_never(comparison.operator)
        return reduce(or_, chosen, 0)

    def _retype(self, requirement: Requirement) -> None:
        """Convert the values written so far to the new types of their columns (D12, retyping)."""
        for column, (before, after) in effects.type_changes(requirement).items():
            for written in self.written:
                if column in written:
                    written[column] = convert(written[column], before, after)

    def _write(self, requirement: Requirement, column: int, value: Value, affected: int) -> None:
        in_region, region_of = self._in_region[column], self._region_of[column]
        moves = keeps_type(requirement, column)
        for i in _bits(affected):
            self.written[i][column] = value
            if moves:
                in_region[region_of[i]] &= ~(1 << i)
                region_of[i] = self._point[column][value]
                in_region[region_of[i]] |= 1 << i


def _bits(members: int) -> Iterator[int]:
    while members:
        lowest = members & -members
        yield lowest.bit_length() - 1
        members ^= lowest


@dataclass(frozen=True, slots=True)
class RecordStage:
    """One requirement over RESULT or FILTER, evaluated record by record."""

    requirement: Requirement

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return (self.requirement,)


@dataclass(frozen=True, slots=True)
class ScanStage:
    """Requirements over RESULT or FILTER, none of which reads a column that an earlier one writes.

    So one scan of the table before the first requirement counts the affected bags of all of them.
    """

    requirements: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class DependentStage:
    """Requirements over EACH RESULT or EACH FILTER that read what earlier ones write.

    One stored table holds the records after all of them and, for each requirement, a flag for the records that it
    affected. So every condition is evaluated once.
    """

    requirements: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class ChainStage:
    """Requirements over RESULT or FILTER that read and write only `columns`.

    Those columns alone decide what happens to a record, so the chain is evaluated once for each combination of
    regions (see `regions`).
    """

    requirements: tuple[Requirement, ...]
    columns: tuple[int, ...]
    by_values: bool = False  # look regions up by distinct value instead of comparing every record with every constant
    inline: bool = False  # write the outcome as one CASE instead of a join


@dataclass(frozen=True, slots=True)
class GroupStage:
    """Requirements over PROCESS with the same WHERE and GROUP BY, evaluated by one aggregation."""

    requirements: tuple[Requirement, ...]
    two_levels: bool = False  # count distinct values by grouping by class and value first


@dataclass(frozen=True, slots=True)
class CascadeStage:
    """Stages that read and write only `columns`, more than one of which aggregates.

    The distinct combinations of values of these columns decide what happens to a record. So the stages run on the
    combinations, each with its number of records, and one join applies the outcome to the records.
    """

    stages: tuple["RecordStage | ScanStage | DependentStage | ChainStage | GroupStage", ...]
    columns: tuple[int, ...]
    fewest_records: int = 3  # if combinations have fewer records on average, the stages run on the records

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return tuple(requirement for stage in self.stages for requirement in stage.requirements)


Stage: TypeAlias = RecordStage | ScanStage | DependentStage | ChainStage | GroupStage | CascadeStage


@dataclass(frozen=True, slots=True)
class Sample:
    """Some of the violating classes or records. They are personal data and are fetched only on demand."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]] = field(repr=False, hash=False)


def process_query(requirement: Requirement) -> Process:
    """The process query of a requirement in a GroupStage."""
    process = effects.process_of(requirement)
    assert process is not None, "only requirements over PROCESS are in a GroupStage"
    return process


def describe(stage: Stage, schema: Schema, count: int) -> str:
    """`count` is the number of requirements of the policy. After these come checks of its output (D33)."""
    which = _requirement_range(stage, count)
    match stage:
        case RecordStage():
            return f"{which}: record by record"
        case ScanStage():
            counted = "" if all(map(effects.is_always, stage.requirements)) else ", counted by one scan"
            return f"{which}: record by record{counted}"
        case DependentStage():
            return f"{which}: record by record, counted in one stored table"
        case ChainStage():
            constants = sum(map(len, ordered_constants(stage.requirements, stage.columns).values()))
            how = "one expression" if stage.inline else "looked up by region"
            how = "looked up by distinct value" if stage.by_values else how
            return f"{which}: one chain on {_column_names(stage.columns, schema)}, {constants} constants, {how}"
        case GroupStage():
            groups = process_query(stage.requirements[0]).group_by
            over = f"grouped by {_column_names(groups, schema)}" if groups else "over the whole table"
            levels = " and by value first" if stage.two_levels else ""
            return f"{which}: one aggregation {over}{levels}"
        case CascadeStage():
            return f"{which}: one count of the combinations of {_column_names(stage.columns, schema)}, joined once"
        case _:
            assert_never(stage)


def _requirement_range(stage: Stage, count: int) -> str:
    own = [requirement.index for requirement in stage.requirements if requirement.index <= count]
    again = [requirement.index - count for requirement in stage.requirements if requirement.index > count]
    parts = [(own, ""), (again, " on the output")]
    return ", and ".join(f"{_range_text(indexes)}{where}" for indexes, where in parts if indexes)


def _range_text(indexes: list[int]) -> str:
    if len(indexes) == 1:
        return f"requirement {indexes[0]}"
    if indexes == list(range(indexes[0], indexes[-1] + 1)):
        return f"requirements {indexes[0]} to {indexes[-1]}"
    return "requirements " + ", ".join(map(str, indexes))


def _column_names(columns: tuple[int, ...], schema: Schema) -> str:
    return ", ".join(f"`{schema[column].name}`" for column in columns)
