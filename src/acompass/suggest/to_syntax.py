"""The steps that a search found, as the tree of a policy."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import groupby
from pathlib import Path

from acompass.checked.maps.map import SUPPRESSED
from acompass.propose.ladder import Ladder
from acompass.suggest.problem import Step
from acompass.syntax import tree
from acompass.syntax.tree import Function, Inequality, Operator, Quantifier


@dataclass(frozen=True, slots=True)
class Goal:
    """What every class of the released table has: `k` records and, if `l` is given, `l` values of each
    sensitive column. `taken` are the names of all columns of the table."""

    columns: tuple[str, ...]
    sensitive: tuple[str, ...]
    k: int
    l: int | None  # noqa: E741
    taken: tuple[str, ...]

    @property
    def counted(self) -> tuple[str, ...]:
        """The sensitive columns whose values the policy counts."""
        return () if self.l is None else self.sensitive


@dataclass(frozen=True, slots=True)
class Line:
    """A step of a policy, for the classes that satisfy `where`."""

    action: tree.Step
    where: tree.Condition | None = None


def policy_tree(goal: Goal, always: Iterable[Line], chain: Iterable[Line]) -> tree.Program:
    """The lines for all records, then those for the records of classes that miss the goal, until REJECT.

    Neighbours with the same WHERE are steps of one THEN.
    """
    lines = (tree.Requirement(tree.Always(), line.action) for line in always)
    runs = groupby((*chain, Line(tree.Reject())), key=lambda line: line.where)
    blocks = (tree.Requirement(_assertion(goal, where), _action(list(run))) for where, run in runs)
    return tree.Program((*lines, *blocks))


def _action(lines: Sequence[Line]) -> tree.Action:
    steps = tuple(line.action for line in lines)
    return tree.Then(steps) if len(steps) > 1 else steps[0]


def line_of(ladder: Ladder, step: Step, folder: Path | None) -> Line:
    """The step as a line of a policy in a folder; None: where the policy runs in the current one."""
    name, map_ = tree.Name(ladder.column), ladder.rungs[step.level - 1].tree
    where = _but(name, [ladder.labels[label] for label in step.but])
    return Line(suppression(name) if map_ is None else tree.Generalize(name, _placed(map_, folder)), where)


def suppression(column: tree.Name) -> tree.Replace:
    return tree.Replace(column, tree.String(SUPPRESSED))


def _but(column: tree.Name, labels: Sequence[str]) -> tree.Condition | None:
    match [tree.String(label) for label in labels]:
        case []:
            return None
        case [label]:
            return tree.Unequal(column, Inequality.C, label)
        case several:
            return tree.In(column, tuple(several), negated=True)


def _placed(map_: tree.Map, folder: Path | None) -> tree.Map:
    """LEVEL looks for its file from the policy's folder."""
    if folder is None or not isinstance(map_, tree.LevelOf) or Path(map_.file.value).is_absolute():
        return map_
    path = Path(map_.file.value).resolve()
    return replace(map_, file=tree.String(_relative(path, folder.resolve())))


def _relative(path: Path, folder: Path) -> str:
    shared = next((each for each in path.parents if each in (folder, *folder.parents)), None)
    if shared is None:  # another drive
        return path.as_posix()
    up = [".."] * len(folder.relative_to(shared).parts)
    return Path(*up, path.relative_to(shared)).as_posix()


def _assertion(goal: Goal, where: tree.Condition | None) -> tree.Assertion:
    names = _fresh(goal)
    records = tree.Name(next(names))
    values = [(tree.Name(column), tree.Name(next(names))) for column in goal.counted]
    process = tree.Process(
        tree.Aggregate(Function.COUNT),
        records,
        where,
        group_by=tuple(map(tree.Name, goal.columns)),
        others=tuple(
            tree.NamedAggregate(tree.Aggregate(Function.COUNT_DISTINCT, column), alias)
            for column, alias in values
        ),
    )
    conditions = [_at_least(records, goal.k), *(_at_least(alias, goal.l or 0) for _, alias in values)]
    return tree.Assertion(Quantifier.EACH, process, _all(conditions))


def _fresh(goal: Goal) -> Iterator[str]:
    """Names for the number of records, then for numbers of values, that are no column's."""
    taken = {name.casefold() for name in goal.taken}
    numbered = [f"d{number}" for number in range(2, len(goal.taken) + len(goal.sensitive) + 2)]
    yield next(name for name in ("n", "records", "n1", *(f"n{d}" for d in numbered)) if name not in taken)
    yield from (name for name in ("d", *numbered) if name not in taken)


def _at_least(name: tree.Name, number: int) -> tree.Comparison:
    return tree.Comparison(name, Operator.GE, tree.Number(Decimal(number)))


def _all(conditions: Sequence[tree.Condition]) -> tree.Condition:
    return tree.And(tuple(conditions)) if len(conditions) > 1 else conditions[0]
