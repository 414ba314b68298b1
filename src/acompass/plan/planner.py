"""Build a plan from a checked program: one stage for each requirement, then the rewrites, in order.

The rewrites of record-level stages come first, then those of class-level stages. No rewrite changes a verdict, a count,
a trace position or a bag."""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import TypeAlias, TypeVar

from acompass.dataclasses import dataclass, replace
from acompass.language.program import effects
from acompass.language.program.program import Program, Requirement
from acompass.language.program.types import Kind, Value
from acompass.language.text.tree import Quantifier
from acompass.plan.stages import (
    CascadeStage,
    ChainStage,
    DependentStage,
    GroupStage,
    RecordStage,
    ScanStage,
    Stage,
    constant_write,
    constants_by_column,
    ordered_constants,
    process_query,
)

Rewrite: TypeAlias = Callable[[tuple[Stage, ...]], tuple[Stage, ...]]
_Member = TypeVar("_Member")


def _rewrite_runs(
    stages: tuple[Stage, ...], find: Callable[[Stage], _Member | None], rewrite: Callable[[list[_Member]], list[Stage]]
) -> tuple[Stage, ...]:
    """Rewrite each run of consecutive stages that have a member; the other stages stay."""
    rewritten: list[Stage] = []
    run: list[_Member] = []
    for stage in stages:
        found = find(stage)
        if found is None:
            rewritten += [*rewrite(run), stage]
            run = []
        else:
            run.append(found)
    return (*rewritten, *rewrite(run))


#: simulating more combinations of regions than this costs more than it saves
LARGEST_CHAIN = 50_000


def merge_chains(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Merge requirements on the same columns into chains, which are simulated on combinations of regions."""
    return _rewrite_runs(stages, _mergeable_requirement, partial(_split_run, start=_ChainRun))


def _mergeable_requirement(stage: Stage) -> Requirement | None:
    """The requirement of a stage whose outcome regions alone decide.

    ALWAYS may overwrite missing values (D27), which lie in no region.
    """
    if not isinstance(stage, RecordStage) or effects.is_always(stage.requirement):
        return None
    action = stage.requirement.action
    is_decided = action is None or constant_write(action) is not None or effects.removes_all(action)
    return stage.requirement if is_decided else None


class _Chain:
    """Requirements that share columns, with the constants of each column."""

    def __init__(self, requirement: Requirement):
        self.columns = effects.columns_touched(requirement)
        self.requirements = [requirement]
        self.constants: dict[int, set[Value]] = constants_by_column((requirement,), self.columns)
        self.rejects = effects.removes_records(requirement.action)

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
        self.closed = bool(effects.type_changes(requirement))
        return True

    def stages(self) -> list[Stage]:
        return [chain.stage() for chain in sorted(self.chains, key=lambda chain: chain.rejects)]


def _split_run(requirements: list[Requirement], start: "Callable[[], _ChainRun | _ScanRun]") -> list[Stage]:
    runs = [start()]
    for requirement in requirements:
        if not runs[-1].add(requirement):
            runs.append(start())
            runs[-1].add(requirement)
    return [stage for run in runs for stage in run.stages()]


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
    return _rewrite_runs(stages, flaggable_requirement, _split_into_parts)


def flaggable_requirement(stage: Stage) -> Requirement | None:
    """The requirement of a stage that may be part of a DependentStage.

    A flag of each record must decide what happens to it, and no record may be dropped together with its flags.
    """
    if not isinstance(stage, RecordStage):
        return None
    requirement, action = stage.requirement, stage.requirement.action
    is_decided_by_flag = requirement.assertion.quantifier is Quantifier.EACH and not effects.type_changes(requirement)
    return requirement if is_decided_by_flag and (action is None or constant_write(action) is not None) else None


def _split_into_parts(run: list[Requirement]) -> list[Stage]:
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
        return sum(self.sizes.get(comparison.column, 1) for comparison in effects.record_comparisons(requirement))

    def add(self, requirement: Requirement) -> None:
        self.is_dependent |= bool(effects.columns_read(requirement) & self.sizes.keys())
        for written in effects.written_by(requirement.action):
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

    A requirement that drops records ends a run: the next one counts the records that are left. RANDOM and
    MICROAGGREGATE have to rank their records anyway, so they stay alone. GENERALIZE looks up the values of the table
    before the first requirement.
    """
    return _rewrite_runs(stages, _scannable_requirement, partial(_split_run, start=_ScanRun))


def _scannable_requirement(stage: Stage) -> Requirement | None:
    if not isinstance(stage, RecordStage) or effects.needs_order(stage.requirements):
        return None
    return stage.requirement


class _ScanRun:
    def __init__(self) -> None:
        self.requirements: list[Requirement] = []
        self.comparisons = 0
        self.changed: set[int] = set()  # the columns that the requirements write or change the type of
        self.drops = False

    def add(self, requirement: Requirement) -> bool:
        """Add the requirement to the scan; False if it has to start a new one."""
        comparisons = self.comparisons + sum(1 for _ in effects.record_comparisons(requirement))
        reads_changed = bool(_deciding_columns(requirement) & self.changed)
        if self.requirements and (comparisons > MOST_SCANNED_COMPARISONS or self.drops or reads_changed):
            return False
        self.requirements.append(requirement)
        self.comparisons = comparisons
        self.drops = effects.removes_records(requirement.action)
        self.changed |= effects.type_changes(requirement).keys() | effects.columns_written((requirement,))
        return True

    def stages(self) -> list[Stage]:
        if len(self.requirements) > 1:
            return [ScanStage(tuple(self.requirements))]
        return [RecordStage(requirement) for requirement in self.requirements]


def _deciding_columns(requirement: Requirement) -> frozenset[int]:
    """The columns that decide what happens, including that of GENERALIZE, which looks labels up by the old values."""
    return effects.columns_read(requirement) | effects.read_by(requirement.action)


def share_aggregations(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Evaluate requirements on the same classes with one aggregation, if they only drop whole classes."""
    shared: list[Stage] = []
    for stage in stages:
        last = shared[-1] if shared else None
        if isinstance(stage, GroupStage) and isinstance(last, GroupStage) and _can_share(last, stage):
            shared[-1] = GroupStage(last.requirements + stage.requirements)
        else:
            shared.append(stage)
    return tuple(shared)


def _can_share(first: GroupStage, second: GroupStage) -> bool:
    requirements = first.requirements + second.requirements
    groups = process_query(requirements[0]).group_by
    are_same = all(process_query(requirement).group_by == groups for requirement in requirements)
    return bool(groups) and are_same and all(map(_leaves_classes_whole, requirements))


def _leaves_classes_whole(requirement: Requirement) -> bool:
    action = requirement.action
    return (
        (action is None or effects.removes_all(action))
        and requirement.assertion.quantifier is Quantifier.EACH
        and process_query(requirement).where is None
        and not effects.type_changes(requirement)
    )


def count_in_two_levels(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Count distinct values, and records with the most frequent one, by grouping twice: first by class and value, then
    by class.

    One pass over the table then gives both the size of a class and its number of distinct values. Otherwise an engine
    keeps a set of values for each class in addition to its counter.
    """
    return tuple(
        replace(stage, two_levels=True) if isinstance(stage, GroupStage) and _counts_one_column(stage) else stage
        for stage in stages
    )


def _counts_one_column(stage: GroupStage) -> bool:
    processes = [process_query(requirement) for requirement in stage.requirements]
    aggregates = [aggregate for process in processes for aggregate in process.aggregates]
    counted = {each.column for each in aggregates if each.facts.tells_values_apart}
    counting = all(
        each.reference is not None or each.facts.counts_records or each.facts.tells_values_apart for each in aggregates
    )
    return counting and len(counted) == 1 and bool(processes[0].group_by)


_Plain: TypeAlias = RecordStage | ScanStage | DependentStage | ChainStage | GroupStage


def count_combinations(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Merge class-level requirements that read what others wrote into cascades.

    Each would group all records again. But they depend only on the distinct combinations of values of the columns that
    they name, which are few. So a cascade counts the combinations once, runs its stages on them, and joins the outcome
    to the records once. SUM multiplies values by numbers of records, and two equal floats can have different texts, so
    stages with either are left alone.
    """
    return _rewrite_runs(stages, _countable_stage, _with_cascades)


def _countable_stage(stage: Stage) -> _Plain | None:
    if isinstance(stage, CascadeStage) or not all(map(_depends_on_combinations, stage.requirements)):
        return None
    return stage


def _depends_on_combinations(requirement: Requirement) -> bool:
    process = effects.process_of(requirement)
    aggregates = () if process is None else process.aggregates
    ignores_copies = all(each.column is None or each.facts.ignores_copies for each in aggregates)
    kinds = {requirement.before[column].type.kind for column in effects.columns_touched(requirement)}
    seen = requirement.assertion
    kinds |= {seen.schema[comparison.column].type.kind for comparison in effects.comparisons(seen.condition)}
    return ignores_copies and Kind.FLOAT not in kinds and _maps_values(requirement)


def _maps_values(requirement: Requirement) -> bool:
    """Whether the action maps complete values. ALWAYS may overwrite missing ones (D27), which never join."""
    action, kernel = requirement.action, effects.kernel_of(requirement.action)
    if kernel is not None and effects.is_certain(action):
        return kernel.is_function and (kernel.reads_value or not effects.is_always(requirement))
    return action is None or effects.removes_all(action)


def _with_cascades(run: list[_Plain]) -> list[Stage]:
    """The run with its longest cascade as one stage, and the cascades before and after it."""
    found = [_Window.around(run, i) for i in range(len(run)) if isinstance(run[i], GroupStage)]
    worthwhile = [window for window in found if window.aggregates_what_it_writes()]
    if not worthwhile:
        return list(run)
    best = max(worthwhile, key=lambda window: (window.aggregations, -len(window.columns)))
    cascade = CascadeStage(best.stages, tuple(sorted(best.columns)))
    before, after = run[: best.first], run[best.first + len(best.stages) :]
    return [*_with_cascades(before), cascade, *_with_cascades(after)]


def cascade_to_the_end(stages: Sequence[Stage]) -> CascadeStage | None:
    """The first stage, a cascade, with all later ones; None if one of these needs more than combinations of values.

    Its combinations are those of the columns of all stages, so there are more of them.
    """
    plain = [each for stage in stages for each in (stage.stages if isinstance(stage, CascadeStage) else (stage,))]
    if not all(map(_countable_stage, plain)):
        return None
    columns = frozenset[int]().union(*map(_columns_touched_by, plain))
    return CascadeStage(tuple(plain), tuple(sorted(columns)))


@dataclass(frozen=True)
class _Window:
    """Consecutive stages of a run that touch only `columns`.

    The first one aggregates: stages before it may generalize a column, which then has fewer values.
    """

    stages: tuple[_Plain, ...]
    first: int  # the position of the first stage in the run
    columns: frozenset[int]

    @classmethod
    def around(cls, run: Sequence[_Plain], place: int) -> "_Window":
        """The longest window on the columns that the stage at `place` reads."""
        columns = frozenset[int]().union(*map(effects.columns_read, run[place].requirements))
        first = last = place
        while first > 0 and _columns_touched_by(run[first - 1]) <= columns:
            first -= 1
        while last + 1 < len(run) and _columns_touched_by(run[last + 1]) <= columns:
            last += 1
        while first < place and not isinstance(run[first], GroupStage):
            first += 1
        # the stage itself may write a column that nothing reads
        stages = run[first : last + 1] if _columns_touched_by(run[place]) <= columns else ()
        return cls(tuple(stages), first, columns)

    @property
    def aggregations(self) -> int:
        return sum(isinstance(stage, GroupStage) for stage in self.stages)

    def aggregates_what_it_writes(self) -> bool:
        groups = [i for i, stage in enumerate(self.stages) if isinstance(stage, GroupStage)]
        return len(groups) > 1 and any(
            effects.columns_written(stage.requirements) for stage in self.stages[: groups[-1]]
        )


def _columns_touched_by(stage: _Plain) -> frozenset[int]:
    return frozenset[int]().union(*map(effects.columns_touched, stage.requirements))


REWRITES = (
    merge_chains,
    look_up_values,
    inline_ranges,
    store_dependent_stages,
    share_scans,
    share_aggregations,
    count_in_two_levels,
    count_combinations,
)


def plan(program: Program, rewrites: Sequence[Rewrite] = REWRITES) -> tuple[Stage, ...]:
    stages = naive_stages(program)
    for rewrite in rewrites:
        stages = rewrite(stages)
    return stages


def naive_stages(program: Program) -> tuple[Stage, ...]:
    return tuple(
        GroupStage((r,)) if effects.process_of(r) is not None else RecordStage(r) for r in program.requirements
    )


def without_actions(program: Program) -> Program:
    """The program that `check` evaluates (D22, checks): every assertion is about the input table.

    Types still change (D12, retyping), because later assertions were checked against the new types.
    """
    return replace(program, requirements=tuple(replace(r, action=None) for r in program.requirements))
