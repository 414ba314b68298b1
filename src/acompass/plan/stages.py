"""The kinds of stages that a plan consists of, and their descriptions for `plan --stages`."""

from typing import Any, TypeAlias, assert_never

from acompass.dataclasses import dataclass, field
from acompass.language.program import effects
from acompass.language.program.program import Process, Requirement
from acompass.language.program.types import Schema
from acompass.plan.regions import ordered_constants


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
