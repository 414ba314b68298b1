"""The lines of a policy that decide what becomes of a column, and those that no estimate sees through."""

from collections.abc import Iterator
from dataclasses import dataclass

from acompass.checked.effects import (
    column_written,
    columns_read,
    draws,
    drops_records,
    generalize_of,
    process_of,
)
from acompass.checked.program import Program, Quantifier, Requirement
from acompass.checked.types import Kind
from acompass.diagnostics import Diagnostic, Label


@dataclass(frozen=True, slots=True)
class Lines:
    """`before` come before the first line that draws for the column or drops records at random. `drawing` are
    that line and all after it: what they do to a record depends on its column alone."""

    before: tuple[Requirement, ...]
    drawing: tuple[Requirement, ...]


def lines_of(program: Program, column: int) -> Lines | list[Diagnostic]:
    """The lines, or an error for each that what is released cannot be traced through."""
    lines = program.requirements
    first = next((at for at, line in enumerate(lines) if draws(line.action) and decides(line, column)), None)
    at = len(lines) if first is None else first
    found = [*_dropping(lines, column), *_untraceable(lines[at:], column, program)]
    return found or Lines(lines[:at], lines[at:])


def decides(line: Requirement, column: int) -> bool:
    """Whether the action writes the column or drops records."""
    return column_written(line.action) == column or drops_records(line.action)


def matters(line: Requirement, column: int) -> bool:
    """Whether the line decides what becomes of the column, or checks it."""
    return decides(line, column) or (line.action is None and reads_only(line, column))


def reads_only(line: Requirement, column: int) -> bool:
    """Whether a record's column alone decides if the record is affected."""
    is_own = process_of(line) is None and line.assertion.quantifier is Quantifier.EACH and line.judged
    return is_own and columns_read(line) <= {column}


def _dropping(lines: tuple[Requirement, ...], column: int) -> Iterator[Diagnostic]:
    for line in lines:
        if line.after[column].type.kind is Kind.DROPPED:
            yield untraceable(line, "it drops the column", "use the table that this policy has released")
            return


def _untraceable(lines: tuple[Requirement, ...], column: int, program: Program) -> Iterator[Diagnostic]:
    """`following` are the columns whose values may depend on what was drawn for the column."""
    following, is_sampled = {column}, False
    for line in lines:
        if decides(line, column):
            yield from _of_others(line, column, program)
            is_sampled |= drops_records(line.action)
        elif line.action is None:
            yield from _stopping(line, column, following, is_sampled)
        elif process_of(line) is not None or columns_read(line) & following or not line.judged:
            written = column_written(line.action)
            following |= set() if written is None else {written}


def _of_others(line: Requirement, column: int, program: Program) -> Iterator[Diagnostic]:
    """What a line does must depend on the column alone."""
    name = program.schema[column].name
    if generalize_of(line.action) is not None:
        help_ = f"generalize `{name}` before it is drawn"
        yield untraceable(line, "it generalizes the column after it was drawn", help_)
    elif not reads_only(line, column):
        others = sorted(program.schema[each].name for each in columns_read(line) - {column})
        listed = " and ".join(f"`{other}`" for other in others)
        why = f"it depends on {listed}" if listed else "it depends on other records"
        yield untraceable(line, why, f"move it above the first line that draws for `{name}`")


def _stopping(line: Requirement, column: int, following: set[int], is_sampled: bool) -> Iterator[Diagnostic]:
    """A check after a draw must not decide by what was drawn whether there is a release at all."""
    if reads_only(line, column):
        return  # that no value fails it is seen when the values are followed
    is_apart = process_of(line) is None and line.assertion.quantifier is Quantifier.EACH and line.judged
    if is_sampled or not is_apart or columns_read(line) & following:
        yield stopping(line)


def stopping(line: Requirement) -> Diagnostic:
    why = "what was drawn decides whether this check lets anything be released"
    return untraceable(line, why, "move the check above the line that draws")


def untraceable(line: Requirement, why: str, help_: str) -> Diagnostic:
    labels = () if line.span is None else (Label(line.span),)
    return Diagnostic("AC635", f"an estimate cannot be traced through line {line.line}: {why}", labels, help_)
