"""Turn the steps that a search found into a policy's tree, and its text with comments, which `fmt` leaves unchanged."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import groupby
from pathlib import Path

from acompass.author.suggest.search_problem import Step
from acompass.dataclasses import dataclass, replace
from acompass.language.program.label_maps import SUPPRESSED
from acompass.language.text import tree, walk
from acompass.language.text.formatter import (
    BELOW,
    WIDTH,
    format_condition,
    format_program,
    format_requirement,
    format_tree,
    remark_lines,
)
from acompass.language.text.parser import parse_text
from acompass.language.text.tokens import spell_name
from acompass.language.text.tree import Function, Inequality, Operator, Quantifier
from acompass.measure.levels import ColumnLevels


@dataclass(frozen=True, slots=True)
class Goal:
    """Every released class has at least `k` records, or `k` persons if a column tells them apart, and, if `l` is set,
    `l` values of each sensitive column."""

    columns: tuple[str, ...]
    sensitive: tuple[str, ...]
    k: int
    l: int | None  # noqa: E741
    taken: tuple[str, ...]  # names of all columns of the table
    person: str | None = None
    drops_person: bool = False  # whether the person column is dropped at the end

    @property
    def counted_columns(self) -> tuple[str, ...]:
        """The sensitive columns whose values the policy counts."""
        return () if self.l is None else self.sensitive


@dataclass(frozen=True, slots=True)
class Line:
    """A step of a policy, for the classes that satisfy `where`."""

    action: tree.Step
    where: tree.Condition | None = None


def policy_tree(goal: Goal, always: Iterable[Line], chain: Iterable[Line]) -> tree.Program:
    """The steps for all records, then those for records in classes that miss the goal, ending in REJECT.

    Adjacent steps with the same WHERE become steps of one THEN.
    """
    lines = (tree.Requirement(tree.Always(), line.action) for line in always)
    runs = groupby((*chain, Line(tree.Reject())), key=lambda line: line.where)
    blocks = (tree.Requirement(_assertion(goal, where), _action(list(run))) for where, run in runs)
    return tree.Program((*lines, *blocks, *_drop_person(goal)))


def _drop_person(goal: Goal) -> Iterator[tree.Requirement]:
    """The person column tells persons apart for everyone who has the release, and no line needs it any longer."""
    if goal.person is not None and goal.drops_person:
        yield tree.Requirement(tree.Always(), tree.Drop((tree.Name(goal.person),)))


def _action(lines: Sequence[Line]) -> tree.Action:
    steps = tuple(line.action for line in lines)
    return tree.Then(steps) if len(steps) > 1 else steps[0]


def policy_line(ladder: ColumnLevels, step: Step, folder: Path | None) -> Line:
    """The step as a line of a policy in a folder, or in the current folder if None."""
    name, map_ = tree.Name(ladder.column), ladder.maps[step.level - 1].tree
    where = _exclude_labels(name, [ladder.labels[label] for label in step.but])
    return Line(suppression(name) if map_ is None else tree.Generalize(name, _place_map(map_, folder)), where)


def suppression(column: tree.Name) -> tree.Replace:
    return tree.Replace(column, tree.String(SUPPRESSED))


def _exclude_labels(column: tree.Name, labels: Sequence[str]) -> tree.Condition | None:
    match [tree.String(label) for label in labels]:
        case []:
            return None
        case [label]:
            return tree.Unequal(column, Inequality.C, label)
        case several:
            return tree.In(column, tuple(several), negated=True)


def _place_map(map_: tree.Map, folder: Path | None) -> tree.Map:
    """Make LEVEL's file relative to the policy's folder."""
    level = walk.level_in(map_)
    if folder is None or level is None or Path(level.file.value).is_absolute():
        return map_
    path = Path(level.file.value).resolve()
    return replace(level, file=tree.String(_relative(path, folder.resolve())))


def _relative(path: Path, folder: Path) -> str:
    shared = next((each for each in path.parents if each in (folder, *folder.parents)), None)
    if shared is None:  # another drive
        return path.as_posix()
    up = [".."] * len(folder.relative_to(shared).parts)
    return Path(*up, path.relative_to(shared)).as_posix()


def _assertion(goal: Goal, where: tree.Condition | None) -> tree.Assertion:
    names = _fresh_aliases(goal)
    size = tree.Name(next(names))
    values = [(tree.Name(column), tree.Name(next(names))) for column in goal.counted_columns]
    process = tree.Process(
        _count_members(goal),
        size,
        where,
        group_by=tuple(map(tree.Name, goal.columns)),
        others=tuple(
            tree.NamedAggregate(tree.Aggregate(Function.COUNT_DISTINCT, column), alias) for column, alias in values
        ),
    )
    conditions = [_at_least(size, goal.k), *(_at_least(alias, goal.l or 0) for _, alias in values)]
    return tree.Assertion(Quantifier.EACH, process, _conjunction(conditions))


def _count_members(goal: Goal) -> tree.Aggregate:
    if goal.person is None:
        return tree.Aggregate(Function.COUNT)
    return tree.Aggregate(Function.COUNT_DISTINCT, tree.Name(goal.person))


def _fresh_aliases(goal: Goal) -> Iterator[str]:
    """Aliases for the size of a class, then for the numbers of values, that differ from all column names."""
    taken = {name.casefold() for name in goal.taken}
    numbered = [f"d{number}" for number in range(2, len(goal.taken) + len(goal.sensitive) + 2)]
    yield next(name for name in ("n", "records", "n1", *(f"n{d}" for d in numbered)) if name not in taken)
    yield from (name for name in ("d", *numbered) if name not in taken)


def _at_least(name: tree.Name, number: int) -> tree.Comparison:
    return tree.Comparison(name, Operator.GE, tree.Number(Decimal(number)))


def _conjunction(conditions: Sequence[tree.Condition]) -> tree.Condition:
    return tree.And(tuple(conditions)) if len(conditions) > 1 else conditions[0]


_BELOW = " " * BELOW


def format_with_comments(
    program: tree.Program, header: Sequence[str], columns: Sequence[str], lines: Sequence[str]
) -> str:
    """Format a policy with remarks on its steps (`lines`) and, where GROUP BY needs several lines, on its `columns`.

    If remarks would change the tree, as for a name with a line break, write only the header.
    """
    above = "".join(f"{line}\n" for paragraph in header for line in remark_lines(paragraph))
    text = above + _text(program, columns, lines)
    is_faithful = parse_text(text)[0].requirements == program.requirements and format_program(text) == text
    return text if is_faithful else above + format_tree(program)


def has_long_group_by(program: tree.Program) -> bool:
    """Whether the remarks on columns are shown."""
    first = next(each for each in program.requirements if walk.assertion_of(each) is not None)
    return len(format_requirement(first).partition("\n")[0]) > WIDTH


def _text(program: tree.Program, columns: Sequence[str], remarks: Sequence[str]) -> str:
    """Separate blocks, but not single lines, with blank lines."""
    rest, shown, out = iter(remarks), columns, [""]
    is_below_block = False
    for requirement in program.requirements:
        own = [next(rest) for _ in walk.steps_of(requirement)]
        if walk.assertion_of(requirement) is None:
            lines = _add_remark(format_requirement(requirement), requirement, own[0], "")
            out += [""] if is_below_block else []
            out[-1] += "".join(f"{line}\n" for line in lines)
            is_below_block = False
        else:
            is_below_block = True
            out.append("".join(f"{line}\n" for line in _chain(requirement, shown, own)))
            shown = ()
    return "\n".join(part for part in out if part)


def _chain(requirement: tree.Requirement, columns: Sequence[str], remarks: Sequence[str]) -> Iterator[str]:
    assertion, condition, *lines = format_requirement(requirement).split("\n")
    yield from [assertion] if len(assertion) <= WIDTH else _assertion_lines(requirement, columns)
    yield condition
    for line, step, remark in zip(lines, walk.steps_of(requirement), remarks, strict=False):
        yield from _add_remark(line, step, remark, _BELOW)


def _add_remark(line: str, step: tree.Requirement, remark: str, indent: str) -> list[str]:
    """Put the remark at the end of the line, above it, or inside it, wherever it fits."""
    whole = f"{line} -- {remark}"
    if len(whole) <= WIDTH:
        return [whole]
    return [f"{indent}-- {remark}", line] if len(line) <= WIDTH else _break_line(line, step, remark)


def _break_line(line: str, step: tree.Requirement, remark: str) -> list[str]:
    """Break a long line at its remark: `fmt` keeps a line break only after a comment."""
    names = walk.written_names(walk.step_of(step))
    before = f" {spell_name(names[0].text, 'TO')} " if names else ""
    head, _, tail = line.partition(f"{before}TO ")
    if not tail:
        return [line]
    head, tail = f"{head}{before.rstrip()}", f"TO {tail}"
    if len(_BELOW + tail) > WIDTH and " OF '" in tail:
        level, _, file = tail.partition(" OF ")
        head, tail = f"{head} {level} OF", file
    return [f"{head} -- {remark}", _BELOW + tail]


def _assertion_lines(requirement: tree.Requirement, remarks: Sequence[str]) -> Iterator[str]:
    """Break an assertion that is too long for a line. With remarks, each column of GROUP BY has its own line."""
    process = walk.process_of(requirement)
    assert process is not None
    aggregates = _with_commas([_aggregate(named) for named in process.aggregates])
    where = [] if process.where is None else [f"WHERE {format_condition(process.where)}"]
    first, *others = _with_commas([spell_name(name.text) for name in process.group_by])
    head = [f"EACH PROCESS {aggregates[0]}", *aggregates[1:], *where, f"GROUP BY {first}"]
    if not remarks:
        yield from _fill_lines([*head, *others], "as above")
        return
    *above, last = _fill_lines(head, "in each class", f" -- {remarks[0]}")
    yield from above
    yield f"{last} -- {remarks[0]}"
    yield from (f"{_BELOW}{name} -- {remark}" for name, remark in zip(others, remarks[1:], strict=True))


def _fill_lines(parts: Sequence[str], remark: str, end: str = "") -> Iterator[str]:
    """Fill each line with as many parts as fit. A remark ends each line but the last, which needs room for `end`."""
    line = parts[0]
    for place, part in enumerate(parts[1:], start=2):
        longer = f"{line} {part}"
        if len(longer + (end if place == len(parts) else f" -- {remark}")) <= WIDTH:
            line = longer
        else:
            yield f"{line} -- {remark}"
            line = _BELOW + part
    yield line


def _with_commas(items: Sequence[str]) -> list[str]:
    return [*(f"{item}," for item in items[:-1]), items[-1]]


def _aggregate(named: tree.NamedAggregate) -> str:
    column = named.aggregate.column
    counted = "*" if column is None else spell_name(column.text)
    return f"{named.aggregate.function}({counted}) AS {spell_name(named.alias.text)}"
