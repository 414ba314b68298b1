"""Consecutive record-level requirements that do not read what the others write are counted by one scan.

A requirement that drops records ends such a run: the next one counts the records that are left. RANDOM has to
rank its records anyway and stays alone. GENERALIZE looks up the values of the table before the first.
"""

from typing import assert_never

from acompass.checked.effects import (
    column_written,
    columns_read,
    draws,
    drops_records,
    generalize_of,
    record_comparisons,
    type_changes,
)
from acompass.checked.program import Requirement
from acompass.plan.stages import (
    CascadeStage,
    ChainStage,
    GroupStage,
    RecordStage,
    ScanStage,
    Stage,
    TangleStage,
)

#: the comparisons of one statement. Longer statements save no more time, and engines limit their columns.
MOST_COMPARISONS = 400


def share_scans(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    shared: list[Stage] = []
    run = _Run()
    for stage in stages:
        requirement = _scanned(stage)
        if requirement is None:
            shared += [*run.stages(), stage]
            run = _Run()
        else:
            if not run.admits(requirement):
                shared += run.stages()
                run = _Run()
            run.add(requirement)
    return (*shared, *run.stages())


def _scanned(stage: Stage) -> Requirement | None:
    match stage:
        case RecordStage(requirement):
            return None if draws(requirement.action) else requirement
        case ScanStage() | TangleStage() | ChainStage() | GroupStage() | CascadeStage():
            return None
        case _:
            assert_never(stage)


class _Run:
    """`changed` are the columns that the requirements so far write or change the type of."""

    def __init__(self) -> None:
        self.requirements: list[Requirement] = []
        self.comparisons = 0
        self.changed: set[int] = set()
        self.drops = False

    def admits(self, requirement: Requirement) -> bool:
        fits = self.comparisons + _comparisons(requirement) <= MOST_COMPARISONS
        return fits and not self.drops and not _looks_at(requirement) & self.changed

    def add(self, requirement: Requirement) -> None:
        self.requirements.append(requirement)
        self.comparisons += _comparisons(requirement)
        self.drops = drops_records(requirement.action)
        written = column_written(requirement.action)
        self.changed |= type_changes(requirement).keys() | (set() if written is None else {written})

    def stages(self) -> list[Stage]:
        if len(self.requirements) > 1:
            return [ScanStage(tuple(self.requirements))]
        return [RecordStage(requirement) for requirement in self.requirements]


def _looks_at(requirement: Requirement) -> frozenset[int]:
    """The columns that decide what happens: GENERALIZE looks its labels up by the old values."""
    generalize = generalize_of(requirement.action)
    return columns_read(requirement) | (frozenset() if generalize is None else {generalize.column})


def _comparisons(requirement: Requirement) -> int:
    return sum(1 for _ in record_comparisons(requirement))
