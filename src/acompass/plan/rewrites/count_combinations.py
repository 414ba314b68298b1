"""Class-level requirements that read what others wrote share one aggregation of the table.

Each would group all records again. But they depend only on the distinct combinations of values of the columns
that they name, which are few. So these are counted once, the stages run on them, and the outcome is joined to
the records once.

SUM multiplies values by numbers of records, and two floats that are equal can have different texts: stages
with either are left alone.
"""

from collections.abc import Sequence
from typing import TypeAlias, TypeGuard, assert_never

from acompass.checked.effects import (
    column_written,
    columns_read,
    columns_touched,
    comparisons,
    is_always,
    process_of,
)
from acompass.checked.program import (
    Action,
    Draw,
    Drop,
    Function,
    Generalize,
    Random,
    Reject,
    Replace,
    Requirement,
    Sometimes,
)
from acompass.checked.types import Kind
from acompass.plan.stages import (
    CascadeStage,
    ChainStage,
    GroupStage,
    RecordStage,
    ScanStage,
    Stage,
    TangleStage,
)

_Plain: TypeAlias = RecordStage | ScanStage | TangleStage | ChainStage | GroupStage


def count_combinations(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    rewritten: list[Stage] = []
    run: list[_Plain] = []
    for stage in stages:
        if _is_countable(stage):
            run.append(stage)
        else:
            rewritten += [*_with_cascades(run), stage]
            run = []
    return (*rewritten, *_with_cascades(run))


def _is_countable(stage: Stage) -> TypeGuard[_Plain]:
    match stage:
        case CascadeStage():
            return False
        case RecordStage() | ScanStage() | TangleStage() | ChainStage() | GroupStage():
            return all(map(_depends_on_combinations, stage.requirements))
        case _:
            assert_never(stage)


def _depends_on_combinations(requirement: Requirement) -> bool:
    process = process_of(requirement)
    sums = process is not None and any(each.function is Function.SUM for each in process.aggregates)
    kinds = {requirement.before[column].type.kind for column in columns_touched(requirement)}
    seen = requirement.assertion
    kinds |= {seen.schema[comparison.column].type.kind for comparison in comparisons(seen.condition)}
    return not sums and Kind.FLOAT not in kinds and _maps_values(requirement)


def _maps_values(requirement: Requirement) -> bool:
    """Whether the action maps complete values. ALWAYS may overwrite missing ones (D27), which never join."""
    action: Action | None = requirement.action
    match action:
        case None | Reject() | Generalize():
            return True
        case Replace():
            return not is_always(requirement)
        case Random() | Draw() | Drop() | Sometimes():
            return False
        case _:
            assert_never(action)


def _with_cascades(run: Sequence[_Plain]) -> list[Stage]:
    """The run with its longest cascade as one stage, and the cascades before and after it."""
    found = [_Window.around(run, i) for i in range(len(run)) if isinstance(run[i], GroupStage)]
    worthwhile = [window for window in found if window.aggregates_what_it_writes()]
    if not worthwhile:
        return list(run)
    best = max(worthwhile, key=lambda window: (window.aggregations, -len(window.columns)))
    before, after = run[: best.first], run[best.first + len(best.stages) :]
    return [*_with_cascades(before), best.cascade(), *_with_cascades(after)]


class _Window:
    """Neighbouring stages that touch only `columns`. The first one aggregates: a column that was generalized
    before has fewer values."""

    def __init__(self, stages: Sequence[_Plain], first: int, columns: frozenset[int]):
        self.stages = tuple(stages)
        self.first = first
        self.columns = columns

    @classmethod
    def around(cls, run: Sequence[_Plain], place: int) -> "_Window":
        """The longest window on the columns that the stage at that place reads."""
        columns = frozenset[int]().union(*map(columns_read, run[place].requirements))
        first = last = place
        while first > 0 and _touched(run[first - 1]) <= columns:
            first -= 1
        while last + 1 < len(run) and _touched(run[last + 1]) <= columns:
            last += 1
        while first < place and not isinstance(run[first], GroupStage):
            first += 1
        # the stage itself may write a column that nothing reads
        stages = run[first : last + 1] if _touched(run[place]) <= columns else ()
        return cls(stages, first, columns)

    @property
    def aggregations(self) -> int:
        return sum(isinstance(stage, GroupStage) for stage in self.stages)

    def aggregates_what_it_writes(self) -> bool:
        groups = [i for i, stage in enumerate(self.stages) if isinstance(stage, GroupStage)]
        return len(groups) > 1 and any(map(_writes, self.stages[: groups[-1]]))

    def cascade(self) -> CascadeStage:
        return CascadeStage(self.stages, tuple(sorted(self.columns)))


def _touched(stage: _Plain) -> frozenset[int]:
    return frozenset[int]().union(*map(columns_touched, stage.requirements))


def _writes(stage: _Plain) -> bool:
    return any(column_written(requirement.action) is not None for requirement in stage.requirements)
