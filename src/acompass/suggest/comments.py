"""A policy's text with comments on its lines, which `fmt` leaves as it is."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from acompass.syntax import tree
from acompass.syntax.format import format_map, format_program, format_requirement, format_tree
from acompass.syntax.parse import parse
from acompass.syntax.pieces import BELOW
from acompass.syntax.spelling import spell_name

WIDTH = 100
_BELOW = " " * BELOW


def commented(
    program: tree.Program, header: Sequence[str], columns: Sequence[str], lines: Sequence[str]
) -> str:
    """`columns` are remarks on the columns of GROUP BY, shown where they do not fit into a line, `lines` on
    the steps in order. Where a name forbids it, such as one with a line break, there is only the header."""
    above = "".join(f"{line}\n" for paragraph in header for line in _wrapped(paragraph))
    text = above + _text(program, columns, lines)
    is_faithful = parse(text)[0].requirements == program.requirements and format_program(text) == text
    return text if is_faithful else above + format_tree(program)


def _wrapped(paragraph: str) -> list[str]:
    lines = textwrap.wrap(paragraph, WIDTH - 3, break_long_words=False, break_on_hyphens=False)
    return [f"-- {line}" for line in lines]


def _text(program: tree.Program, columns: Sequence[str], remarks: Sequence[str]) -> str:
    *always, last = program.requirements
    rest = iter(remarks)
    lines = [line for requirement in always for line in _always(requirement, next(rest))]
    apart = [""] if lines else []
    return "\n".join([*lines, *apart, *_chain(last, columns, list(rest))]) + "\n"


def _always(requirement: tree.Requirement, remark: str) -> list[str]:
    line = format_requirement(requirement)
    if len(line) <= WIDTH:
        return _with_remark(line, remark, "")
    return _broken(line.removesuffix(";"), requirement.action, remark, ";")


def _chain(requirement: tree.Requirement, columns: Sequence[str], remarks: Sequence[str]) -> Iterator[str]:
    assertion, condition, *steps = format_requirement(requirement).split("\n")
    yield from [assertion] if len(assertion) <= WIDTH else _assertion(requirement, assertion, columns)
    yield condition
    for line, step, remark in zip(steps, _steps(requirement), remarks, strict=True):
        yield from _with_remark(line, remark, _BELOW) if len(line) <= WIDTH else _broken(line, step, remark)


def _steps(requirement: tree.Requirement) -> Sequence[tree.Step]:
    match requirement.action:
        case tree.Then(steps):
            return steps
        case None:
            return ()
        case step:
            return (step,)


def _with_remark(line: str, remark: str, indent: str) -> list[str]:
    """The remark at the end of the line, or above it where there is no room."""
    whole = f"{line} -- {remark}"
    return [whole] if len(whole) <= WIDTH else [f"{indent}-- {remark}", line]


def _broken(line: str, step: tree.Action | None, remark: str, end: str = "") -> list[str]:
    """A line that is too long, broken by its remark: only a comment ends a line where `fmt` would not."""
    if not isinstance(step, tree.Generalize):
        return [line + end]
    tail = f"TO {format_map(step.map)}"
    head = line.removesuffix(f" {tail}")
    if len(_BELOW + tail + end) > WIDTH and isinstance(step.map, tree.LevelOf):
        level, _, file = tail.partition(" OF ")
        head, tail = f"{head} {level} OF", file
    return [f"{head} -- {remark}", _BELOW + tail + end]


def _assertion(requirement: tree.Requirement, line: str, remarks: Iterable[str]) -> Iterator[str]:
    """Each column of GROUP BY on a line of its own, with a remark."""
    assertion = requirement.assertion
    assert isinstance(assertion, tree.Assertion)
    assert isinstance(assertion.result, tree.Process)
    names = [spell_name(name.text) for name in assertion.result.group_by]
    head = line.removesuffix(", ".join(names))
    commas = [*("," for _ in names[1:]), ""]
    for place, (name, comma, remark) in enumerate(zip(names, commas, remarks, strict=True)):
        yield f"{_BELOW if place else head}{name}{comma} -- {remark}"
