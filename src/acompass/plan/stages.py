"""A plan: stages in the order they run. A naive plan has one stage per requirement; rewrites merge them."""

from dataclasses import dataclass
from typing import TypeAlias

from acompass.checked import effects
from acompass.checked.program import Process, Requirement


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

    So the affected bags of all of them can be counted on the table before the first, by one scan.
    """

    requirements: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class TangleStage:
    """Requirements over EACH RESULT or EACH FILTER that read what earlier ones write.

    One stored table has the records after all of them and, for each requirement, whether it affected the
    record. So every condition is evaluated once.
    """

    requirements: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class ChainStage:
    """Requirements over RESULT or FILTER that read and write only `columns`.

    Those columns alone decide what happens to a record, so the chain is evaluated once for each combination
    of regions (see `regions`).

    `by_values` looks regions up by distinct value instead of comparing every record with every constant;
    `inline` writes the outcome as one CASE instead of a join.
    """

    requirements: tuple[Requirement, ...]
    columns: tuple[int, ...]
    by_values: bool = False
    inline: bool = False


@dataclass(frozen=True, slots=True)
class GroupStage:
    """Requirements over PROCESS with the same WHERE and GROUP BY, evaluated by one aggregation.

    `two_levels` counts distinct values by grouping by class and value first.
    """

    requirements: tuple[Requirement, ...]
    two_levels: bool = False


@dataclass(frozen=True, slots=True)
class CascadeStage:
    """Stages that read and write only `columns`, more than one of which aggregates.

    The distinct combinations of values of these columns decide what happens to a record. So the stages run on
    the combinations, each with its number of records, and one join applies the outcome to the records.

    Where a combination has fewer than `fewest_records` records on average, the stages run on the records.
    """

    stages: tuple["RecordStage | ScanStage | TangleStage | ChainStage | GroupStage", ...]
    columns: tuple[int, ...]
    fewest_records: int = 3

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        return tuple(requirement for stage in self.stages for requirement in stage.requirements)


Stage: TypeAlias = RecordStage | ScanStage | TangleStage | ChainStage | GroupStage | CascadeStage


def process_query(requirement: Requirement) -> Process:
    """The process query of a requirement in a GroupStage."""
    process = effects.process_of(requirement)
    assert process is not None, "only requirements over PROCESS are in a GroupStage"
    return process
