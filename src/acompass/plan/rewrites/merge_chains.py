"""Consecutive record-level requirements become chains, each on its own columns.

Requirements on disjoint columns commute as long as neither drops a record: neither sees what the other
writes. So a run of requirements is divided into chains by the columns that they share. A REJECT changes what
later requirements count. The chain that contains it therefore runs last, and a later requirement on other
columns starts a new run.
"""

from math import prod
from typing import assert_never

from acompass.checked.effects import columns_touched, drops_records, is_always, type_changes
from acompass.checked.program import (
    Action,
    Draw,
    Drop,
    Generalize,
    Random,
    Reject,
    Replace,
    Requirement,
    Sometimes,
)
from acompass.checked.types import Value
from acompass.plan.regions import constants_by_column
from acompass.plan.stages import (
    CascadeStage,
    ChainStage,
    GroupStage,
    RecordStage,
    ScanStage,
    Stage,
    TangleStage,
)

#: simulating more combinations of regions than this costs more than it saves
LARGEST_CHAIN = 50_000


def merge_chains(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    merged: list[Stage] = []
    run = _Run()
    for stage in stages:
        requirement = _mergeable(stage)
        if requirement is None:
            merged += [*run.stages(), stage]
            run = _Run()
        elif not run.add(requirement):
            merged += run.stages()
            run = _Run()
            run.add(requirement)
    return (*merged, *run.stages())


def _mergeable(stage: Stage) -> Requirement | None:
    match stage:
        case RecordStage(requirement):
            return requirement if _can_be_simulated(requirement) else None
        case ScanStage() | TangleStage() | ChainStage() | GroupStage() | CascadeStage():
            return None
        case _:
            assert_never(stage)


def _can_be_simulated(requirement: Requirement) -> bool:
    """ALWAYS may overwrite missing values (D27), which lie in no region."""
    return _needs_only_regions(requirement.action) and not is_always(requirement)


def _needs_only_regions(action: Action | None) -> bool:
    """Whether regions alone decide what the action does. An action that is not listed here is not merged."""
    match action:
        case None | Reject() | Replace():
            return True
        case Random() | Draw() | Generalize() | Drop() | Sometimes():
            return False
        case _:
            assert_never(action)


class _Chain:
    """Requirements that share columns, with each column's constants and whether a record can be dropped."""

    def __init__(self, requirement: Requirement):
        self.columns = columns_touched(requirement)
        self.requirements = [requirement]
        self.constants: dict[int, set[Value]] = constants_by_column((requirement,), self.columns)
        self.rejects = drops_records(requirement.action)

    def absorb(self, other: "_Chain") -> None:
        self.columns |= other.columns
        self.requirements += other.requirements
        self.rejects |= other.rejects
        for column, constants in other.constants.items():
            self.constants.setdefault(column, set()).update(constants)

    def combinations_with(self, others: list["_Chain"]) -> int:
        sizes = {column: 0 for chain in (self, *others) for column in chain.columns}
        for chain in (self, *others):
            for column, constants in chain.constants.items():
                sizes[column] += len(constants)
        return prod(2 * size + 1 for size in sizes.values())

    def stage(self) -> Stage:
        if len(self.requirements) == 1:
            return RecordStage(self.requirements[0])
        in_order = sorted(self.requirements, key=lambda requirement: requirement.index)
        return ChainStage(tuple(in_order), tuple(sorted(self.columns)))


class _Run:
    """The chains so far; `closed` once the type of a column has changed."""

    def __init__(self) -> None:
        self.chains: list[_Chain] = []
        self.closed = False

    def add(self, requirement: Requirement) -> bool:
        """Add the requirement to a chain; False where it has to start a new run."""
        newest = _Chain(requirement)
        touched = [chain for chain in self.chains if chain.columns & newest.columns]
        if self.closed or any(chain.rejects for chain in self.chains if chain not in touched):
            return False
        if touched and newest.combinations_with(touched) > LARGEST_CHAIN:
            return False
        self._take(newest, touched)
        self.closed = bool(type_changes(requirement))
        return True

    def _take(self, newest: _Chain, touched: list[_Chain]) -> None:
        if not touched:
            self.chains.append(newest)
            return
        first, *others = touched
        for chain in others:
            first.absorb(chain)
            self.chains.remove(chain)
        first.absorb(newest)

    def stages(self) -> list[Stage]:
        return [chain.stage() for chain in sorted(self.chains, key=lambda chain: chain.rejects)]
