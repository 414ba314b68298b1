"""A policy's text with comments on its lines, which `fmt` leaves as it is."""

from collections.abc import Iterator, Sequence

from acompass.syntax import tree, walk
from acompass.syntax.format import format_condition, format_program, format_requirement, format_tree
from acompass.syntax.parse import parse
from acompass.syntax.pieces import BELOW
from acompass.syntax.remarks import WIDTH, remark_lines
from acompass.syntax.spelling import spell_name

_BELOW = " " * BELOW


def commented(
    program: tree.Program, header: Sequence[str], columns: Sequence[str], lines: Sequence[str]
) -> str:
    """`columns` are remarks on the columns of GROUP BY, shown where they do not fit into a line, `lines` on
    the steps in order. Where a name forbids it, such as one with a line break, there is only the header."""
    above = "".join(f"{line}\n" for paragraph in header for line in remark_lines(paragraph))
    text = above + _text(program, columns, lines)
    is_faithful = parse(text)[0].requirements == program.requirements and format_program(text) == text
    return text if is_faithful else above + format_tree(program)


def has_long_group_by(program: tree.Program) -> bool:
    """Whether the remarks on columns are shown."""
    first = next(each for each in program.requirements if walk.assertion_of(each) is not None)
    return len(format_requirement(first).partition("\n")[0]) > WIDTH


def _text(program: tree.Program, columns: Sequence[str], remarks: Sequence[str]) -> str:
    """Blocks are apart, lines are not."""
    rest, shown, out = iter(remarks), columns, [""]
    for requirement in program.requirements:
        own = [next(rest) for _ in walk.steps_of(requirement)]
        if walk.assertion_of(requirement) is None:
            out[-1] += "".join(f"{line}\n" for line in _always(requirement, own[0]))
        else:
            out.append("".join(f"{line}\n" for line in _chain(requirement, shown, own)))
            shown = ()
    return "\n".join(part for part in out if part)


def _always(requirement: tree.Requirement, remark: str) -> list[str]:
    return _remarked(format_requirement(requirement), requirement, remark, "")


def _chain(requirement: tree.Requirement, columns: Sequence[str], remarks: Sequence[str]) -> Iterator[str]:
    assertion, condition, *lines = format_requirement(requirement).split("\n")
    yield from [assertion] if len(assertion) <= WIDTH else _assertion(requirement, columns)
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


def _assertion(requirement: tree.Requirement, remarks: Sequence[str]) -> Iterator[str]:
    """An assertion that is too long for a line. With remarks, each column of GROUP BY has its own line."""
    process = walk.process_of(requirement)
    assert process is not None
    aggregates = _with_commas([_aggregate(named) for named in process.aggregates])
    where = [] if process.where is None else [f"WHERE {format_condition(process.where)}"]
    first, *others = _with_commas([spell_name(name.text) for name in process.group_by])
    head = [f"EACH PROCESS {aggregates[0]}", *aggregates[1:], *where, f"GROUP BY {first}"]
    if not remarks:
        yield from _filled([*head, *others], "as above")
        return
    *above, last = _filled(head, "in each class", f" -- {remarks[0]}")
    yield from above
    yield f"{last} -- {remarks[0]}"
    yield from (f"{_BELOW}{name} -- {remark}" for name, remark in zip(others, remarks[1:], strict=True))


def _filled(parts: Sequence[str], remark: str, end: str = "") -> Iterator[str]:
    """As many parts on each line as fit. A remark ends each but the last, which needs room for `end`."""
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
