"""Record-level requirements that read what others wrote are cut into stages whose result is stored.

An engine that replaces the columns of a nested SELECT with their expressions makes a condition grow with each
column that was written: exponentially with the number of requirements. The table has to be stored in between.
It can then also store which records each requirement affected, so that counting them costs nothing.
"""

from typing import assert_never

from acompass.checked.effects import column_written, columns_read, record_comparisons, type_changes
from acompass.checked.program import (
    Action,
    Draw,
    Drop,
    Generalize,
    Quantifier,
    Random,
    Reject,
    Replace,
    Requirement,
    Sometimes,
)
from acompass.plan.stages import (
    CascadeStage,
    ChainStage,
    GroupStage,
    RecordStage,
    ScanStage,
    Stage,
    TangleStage,
)

#: the comparisons of a condition once every column is replaced with the expression that computes it
MOST_COMPARISONS = 60
#: each requirement nests two more SELECTs
MOST_REQUIREMENTS = 6


def store_tangles(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    rewritten: list[Stage] = []
    run: list[Requirement] = []
    for stage in stages:
        requirement = flaggable(stage)
        if requirement is None:
            rewritten += [*_cut(run), stage]
            run = []
        else:
            run.append(requirement)
    return (*rewritten, *_cut(run))


def flaggable(stage: Stage) -> Requirement | None:
    """The requirement of a stage that may be part of a TangleStage."""
    match stage:
        case RecordStage(requirement):
            return requirement if _keeps_records(requirement) and not type_changes(requirement) else None
        case ScanStage() | TangleStage() | ChainStage() | GroupStage() | CascadeStage():
            return None
        case _:
            assert_never(stage)


def _keeps_records(requirement: Requirement) -> bool:
    """Whether a flag of a record decides what happens to it, and nothing drops the record with its flags."""
    return requirement.assertion.quantifier is Quantifier.EACH and _only_replaces(requirement.action)


def _only_replaces(action: Action | None) -> bool:
    """An action that is not listed here is left alone."""
    match action:
        case None | Replace():
            return True
        case Reject() | Random() | Draw() | Generalize() | Drop() | Sometimes():
            return False
        case _:
            assert_never(action)


def _cut(run: list[Requirement]) -> list[Stage]:
    parts: list[_Part] = []
    for requirement in run:
        if not parts or parts[-1].size(requirement) > MOST_COMPARISONS:
            parts.append(_Part())
        parts[-1].add(requirement)
    return [stage for part in parts for stage in part.stages(stored=len(parts) > 1)]


class _Part:
    """`sizes` has the comparisons that compute each column that was written."""

    def __init__(self) -> None:
        self.requirements: list[Requirement] = []
        self.sizes: dict[int, int] = {}
        self.tangled = False

    def size(self, requirement: Requirement) -> int:
        return sum(self.sizes.get(comparison.column, 1) for comparison in record_comparisons(requirement))

    def add(self, requirement: Requirement) -> None:
        self.tangled |= bool(columns_read(requirement) & self.sizes.keys())
        written = column_written(requirement.action)
        if written is not None:
            self.sizes[written] = self.sizes.get(written, 1) + self.size(requirement)
        self.requirements.append(requirement)

    def stages(self, *, stored: bool) -> list[Stage]:
        if stored and self.tangled:
            starts = range(0, len(self.requirements), MOST_REQUIREMENTS)
            return [TangleStage(tuple(self.requirements[i : i + MOST_REQUIREMENTS])) for i in starts]
        return [RecordStage(requirement) for requirement in self.requirements]
