"""Record-level requirements in a row become one chain a group of columns.

Requirements on disjoint columns commute as long as no record is dropped between them: neither sees what the
other writes. So a run of them is gathered into chains by the columns they share. A REJECT changes what later
requirements count, so the chain that holds one runs last, and a later requirement on other columns starts a
new run.
"""

from math import prod

from acompass.checked.program import Random, Reject, Requirement
from acompass.checked.types import Value
from acompass.plan.regions import constants_by_column
from acompass.plan.stages import ChainStage, RecordStage, Stage, record_columns, type_changes

#: more combinations of regions than this are not worth working out one by one
LARGEST_CHAIN = 50_000


class _Chain:
    """Requirements that share columns, with each column's constants and whether a record can be dropped."""

    def __init__(self, requirement: Requirement):
        self.columns = record_columns(requirement)
        self.requirements = [requirement]
        self.constants: dict[int, set[Value]] = constants_by_column((requirement,), self.columns)
        self.rejects = isinstance(requirement.action, Reject)

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
    """The chains gathered so far; `closed` once a column's type has changed."""

    def __init__(self) -> None:
        self.chains: list[_Chain] = []
        self.closed = False

    def add(self, requirement: Requirement) -> bool:
        """Takes the requirement in, or says that a new run is needed."""
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


def merge_chains(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    merged: list[Stage] = []
    run = _Run()
    for stage in stages:
        if not isinstance(stage, RecordStage) or isinstance(stage.requirement.action, Random):
            merged += [*run.stages(), stage]
            run = _Run()
        elif not run.add(stage.requirement):
            merged += run.stages()
            run = _Run()
            run.add(stage.requirement)
    return (*merged, *run.stages())
