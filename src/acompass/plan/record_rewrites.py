"""Rewrite record-level stages. The rewrites run in this order, before those of class-level stages."""

from dataclasses import replace
from math import prod

from acompass.language.program.effects import (
    column_written,
    columns_read,
    columns_touched,
    draws,
    is_always,
    record_comparisons,
    removes_all,
    removes_records,
    type_changes,
    write_of,
)
from acompass.language.program.program import Requirement
from acompass.language.program.types import Value
from acompass.language.text.tree import Quantifier
from acompass.plan.regions import constant_write, constants_by_column, ordered_constants
from acompass.plan.stages import ChainStage, DependentStage, RecordStage, ScanStage, Stage

#: simulating more combinations of regions than this costs more than it saves
LARGEST_CHAIN = 50_000


def merge_chains(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Merge requirements on the same columns into chains, which are simulated on combinations of regions."""
    merged: list[Stage] = []
    run = _ChainRun()
    for stage in stages:
        requirement = _mergeable_requirement(stage)
        if requirement is None:
            merged += [*run.stages(), stage]
            run = _ChainRun()
        elif not run.add(requirement):
            merged += run.stages()
            run = _ChainRun()
            run.add(requirement)
    return (*merged, *run.stages())


def _mergeable_requirement(stage: Stage) -> Requirement | None:
    """The requirement of a stage whose outcome regions alone decide.

    ALWAYS may overwrite missing values (D27), which lie in no region.
    """
    if not isinstance(stage, RecordStage) or is_always(stage.requirement):
        return None
    action = stage.requirement.action
    is_decided = action is None or constant_write(action) is not None or removes_all(action)
    return stage.requirement if is_decided else None


class _Chain:
    """Requirements that share columns, with the constants of each column."""

    def __init__(self, requirement: Requirement):
        self.columns = columns_touched(requirement)
        self.requirements = [requirement]
        self.constants: dict[int, set[Value]] = constants_by_column((requirement,), self.columns)
        self.rejects = removes_records(requirement.action)

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


class _ChainRun:
    """Consecutive requirements, sorted into chains on disjoint columns."""

    def __init__(self) -> None:
        self.chains: list[_Chain] = []
        self.closed = False  # whether the last requirement changed the type of a column

    def add(self, requirement: Requirement) -> bool:
        """Add the requirement to a chain; False if it has to start a new run."""
        newest = _Chain(requirement)
        touched = [chain for chain in self.chains if chain.columns & newest.columns]
        if self.closed or any(chain.rejects for chain in self.chains if chain not in touched):
            return False
        if touched and newest.combinations_with(touched) > LARGEST_CHAIN:
            return False
        if touched:
            first, *others = touched
            for chain in others:
                first.absorb(chain)
                self.chains.remove(chain)
            first.absorb(newest)
        else:
            self.chains.append(newest)
        self.closed = bool(type_changes(requirement))
        return True

    def stages(self) -> list[Stage]:
        return [chain.stage() for chain in sorted(self.chains, key=lambda chain: chain.rejects)]


#: the number of comparisons per record that cost about as much as the join
MOST_COMPARED = 6


def look_up_values(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Look regions up by distinct value in chains with many constants.

    Comparing each record with each constant costs records times constants. A table has far fewer distinct values than
    records, so the regions of the distinct values are computed once and joined.
    """
    return tuple(
        replace(stage, by_values=True) if isinstance(stage, ChainStage) and _is_long(stage) else stage
        for stage in stages
    )


def _is_long(stage: ChainStage) -> bool:
    constants = ordered_constants(stage.requirements, stage.columns)
    return any(len(each) > MOST_COMPARED for each in constants.values())


def inline_ranges(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Evaluate short chains on one column with a CASE instead of a join."""
    return tuple(
        replace(stage, inline=True)
        if isinstance(stage, ChainStage) and len(stage.columns) == 1 and not stage.by_values
        else stage
        for stage in stages
    )


#: the most comparisons of a condition, once every column is replaced by the expression that computes it
MOST_STORED_COMPARISONS = 60
#: the most requirements of a dependent stage: each nests two more SELECTs
MOST_REQUIREMENTS = 6


def store_dependent_stages(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Split requirements that read what others wrote into stages whose result is stored.

    An engine that replaces the columns of a nested SELECT by their expressions makes a condition grow with each column
    that was written: exponentially with the number of requirements. So the table has to be stored in between. It also
    stores which records each requirement affected, so that counting them costs nothing.
    """
    rewritten: list[Stage] = []
    run: list[Requirement] = []
    for stage in stages:
        requirement = flaggable_requirement(stage)
        if requirement is None:
            rewritten += [*_split_run(run), stage]
            run = []
        else:
            run.append(requirement)
    return (*rewritten, *_split_run(run))


def flaggable_requirement(stage: Stage) -> Requirement | None:
    """The requirement of a stage that may be part of a DependentStage.

    A flag of each record must decide what happens to it, and no record may be dropped together with its flags.
    """
    if not isinstance(stage, RecordStage):
        return None
    requirement, action = stage.requirement, stage.requirement.action
    is_decided_by_flag = requirement.assertion.quantifier is Quantifier.EACH and not type_changes(requirement)
    return requirement if is_decided_by_flag and (action is None or constant_write(action) is not None) else None


def _split_run(run: list[Requirement]) -> list[Stage]:
    parts: list[_Part] = []
    for requirement in run:
        if not parts or parts[-1].size(requirement) > MOST_STORED_COMPARISONS:
            parts.append(_Part())
        parts[-1].add(requirement)
    return [stage for part in parts for stage in part.stages(stored=len(parts) > 1)]


class _Part:
    """Consecutive requirements whose conditions stay small enough to nest."""

    def __init__(self) -> None:
        self.requirements: list[Requirement] = []
        self.sizes: dict[int, int] = {}  # for each column written, the number of comparisons that compute it
        self.is_dependent = False  # whether a requirement reads what an earlier one writes

    def size(self, requirement: Requirement) -> int:
        return sum(self.sizes.get(comparison.column, 1) for comparison in record_comparisons(requirement))

    def add(self, requirement: Requirement) -> None:
        self.is_dependent |= bool(columns_read(requirement) & self.sizes.keys())
        written = column_written(requirement.action)
        if written is not None:
            self.sizes[written] = self.sizes.get(written, 1) + self.size(requirement)
        self.requirements.append(requirement)

    def stages(self, *, stored: bool) -> list[Stage]:
        if stored and self.is_dependent:
            starts = range(0, len(self.requirements), MOST_REQUIREMENTS)
            return [DependentStage(tuple(self.requirements[i : i + MOST_REQUIREMENTS])) for i in starts]
        return [RecordStage(requirement) for requirement in self.requirements]


#: the most comparisons in one statement: longer statements save no more time, and engines limit their columns
MOST_SCANNED_COMPARISONS = 400


def share_scans(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Count consecutive requirements that do not read what the others write by one scan.

    A requirement that drops records ends a run: the next one counts the records that are left. RANDOM has to rank its
    records anyway, so it stays alone. GENERALIZE looks up the values of the table before the first requirement.
    """
    shared: list[Stage] = []
    run = _ScanRun()
    for stage in stages:
        requirement = _scannable_requirement(stage)
        if requirement is None:
            shared += [*run.stages(), stage]
            run = _ScanRun()
        else:
            if not run.admits(requirement):
                shared += run.stages()
                run = _ScanRun()
            run.add(requirement)
    return (*shared, *run.stages())


def _scannable_requirement(stage: Stage) -> Requirement | None:
    return stage.requirement if isinstance(stage, RecordStage) and not draws(stage.requirement.action) else None


class _ScanRun:
    def __init__(self) -> None:
        self.requirements: list[Requirement] = []
        self.comparisons = 0
        self.changed: set[int] = set()  # the columns that the requirements write or change the type of
        self.drops = False

    def admits(self, requirement: Requirement) -> bool:
        fits = self.comparisons + _count_comparisons(requirement) <= MOST_SCANNED_COMPARISONS
        return fits and not self.drops and not _deciding_columns(requirement) & self.changed

    def add(self, requirement: Requirement) -> None:
        self.requirements.append(requirement)
        self.comparisons += _count_comparisons(requirement)
        self.drops = removes_records(requirement.action)
        written = column_written(requirement.action)
        self.changed |= type_changes(requirement).keys() | (set() if written is None else {written})

    def stages(self) -> list[Stage]:
        if len(self.requirements) > 1:
            return [ScanStage(tuple(self.requirements))]
        return [RecordStage(requirement) for requirement in self.requirements]


def _deciding_columns(requirement: Requirement) -> frozenset[int]:
    """The columns that decide what happens, including that of GENERALIZE, which looks labels up by the old values."""
    write = write_of(requirement.action)
    return columns_read(requirement) | ({write.column} if write is not None and write.kernel.reads_value else set())


def _count_comparisons(requirement: Requirement) -> int:
    return sum(1 for _ in record_comparisons(requirement))
