"""A policy's text with comments on its lines, which `fmt` leaves as it is."""

import textwrap
from collections.abc import Iterator, Sequence

from acompass.syntax import tree, walk
from acompass.syntax.format import format_program, format_requirement, format_tree
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


def has_long_group_by(program: tree.Program) -> bool:
    """Whether the remarks on columns are shown."""
    return len(format_requirement(program.requirements[-1]).partition("\n")[0]) > WIDTH


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
    return _remarked(format_requirement(requirement), requirement, remark, "")


def _chain(requirement: tree.Requirement, columns: Sequence[str], remarks: Sequence[str]) -> Iterator[str]:
    assertion, condition, *lines = format_requirement(requirement).split("\n")
    yield from [assertion] if len(assertion) <= WIDTH else _assertion(requirement, assertion, columns)
    yield condition
    for line, step, remark in zip(lines, walk.steps_of(requirement), remarks, strict=False):
        yield from _remarked(line, step, remark, _BELOW)


def _remarked(line: str, step: tree.Requirement, remark: str, indent: str) -> list[str]:
    """The remark at the end of the line, above it, or within it, wherever there is room."""
    whole = f"{line} -- {remark}"
    if len(whole) <= WIDTH:
        return [whole]
    return [f"{indent}-- {remark}", line] if len(line) <= WIDTH else _broken(line, step, remark)


def _broken(line: str, step: tree.Requirement, remark: str) -> list[str]:
    """A line that is too long, broken by its remark: only a comment ends a line where `fmt` would not."""
    name = walk.written_name(walk.step_of(step))
    before = "" if name is None else f" {spell_name(name.text, 'TO')} "
    head, _, tail = line.partition(f"{before}TO ")
    if not tail:
        return [line]
    head, tail = f"{head}{before.rstrip()}", f"TO {tail}"
    if len(_BELOW + tail) > WIDTH and " OF '" in tail:
        level, _, file = tail.partition(" OF ")
        head, tail = f"{head} {level} OF", file
    return [f"{head} -- {remark}", _BELOW + tail]


def _assertion(requirement: tree.Requirement, line: str, remarks: Sequence[str]) -> Iterator[str]:
    """Each column of GROUP BY on a line of its own, with a remark; where needed, each aggregate too."""
    process = walk.process_of(requirement)
    assert process is not None
    first, *others = _listed([spell_name(name.text) for name in process.group_by], remarks)
    head = line.partition(" GROUP BY ")[0]
    if len(f"{head} GROUP BY {first}") <= WIDTH:
        yield f"{head} GROUP BY {first}"
    else:
        counts = ["records of a class", *("values in a class" for _ in process.others)]
        aggregates = _listed([_aggregate(named) for named in process.aggregates], counts)
        yield f"EACH PROCESS {next(aggregates)}"
        yield from (f"{_BELOW}{aggregate}" for aggregate in aggregates)
        yield f"{_BELOW}GROUP BY {first}"
    yield from (f"{_BELOW}{name}" for name in others)


def _listed(items: Sequence[str], remarks: Sequence[str]) -> Iterator[str]:
    commas = [*("," for _ in items[1:]), ""]
    for item, comma, remark in zip(items, commas, remarks, strict=True):
        yield f"{item}{comma} -- {remark}"


def _aggregate(named: tree.NamedAggregate) -> str:
    column = named.aggregate.column
    counted = "*" if column is None else spell_name(column.text)
    return f"{named.aggregate.function}({counted}) AS {spell_name(named.alias.text)}"
