"""The notes of a run or a check: conditions that select no record, a table without records (D29), numbers
that lose their spelling (D26), and what a released table no longer has (D32): numbers, dropped columns."""

from collections.abc import Iterator, Mapping

from acompass.checked.effects import absent_columns, process_of
from acompass.checked.program import Program
from acompass.engines.engine import Outcome
from acompass.result import Note


def check_notes(program: Program, outcome: Outcome) -> tuple[Note, ...]:
    return (*_selecting_nothing(program, outcome), *_about_labels(program), *_about_absent(program))


def run_notes(program: Program, outcome: Outcome, respelled: Mapping[str, int]) -> tuple[Note, ...]:
    return (
        *_selecting_nothing(program, outcome),
        *_left_empty(program, outcome),
        *_respelled(respelled),
    )


def _selecting_nothing(program: Program, outcome: Outcome) -> Iterator[Note]:
    for requirement in program.requirements:
        if outcome.verdicts[requirement.index].selects_none:
            word = "FILTER" if process_of(requirement) is None else "WHERE"
            yield Note(requirement.line, f"{word} selects no record")


def _about_labels(program: Program) -> Iterator[Note]:
    for requirement in program.requirements:
        if not requirement.judged:
            text = (
                "no verdict: the column has labels of a later GENERALIZE, and the assertion compares numbers"
            )
            yield Note(requirement.line, text)


def _about_absent(program: Program) -> Iterator[Note]:
    """A table that was released without its columns looks like one for which DROP misspells them."""
    for requirement in program.requirements:
        absent = [f"`{name}`" for name in absent_columns(requirement.action)]
        if absent:
            columns = "column" if len(absent) == 1 else "columns"
            yield Note(requirement.line, f"nothing to drop: the table has no {columns} {', '.join(absent)}")


def _left_empty(program: Program, outcome: Outcome) -> Iterator[Note]:
    if outcome.left.records == 0:
        yield Note(_emptying_line(program, outcome), "no record is left")


def _respelled(columns: Mapping[str, int]) -> Iterator[Note]:
    for name, count in columns.items():
        numbers = "1 number is" if count == 1 else f"{count:,} numbers are"
        reason = f"the table or the policy spells {'it' if count == 1 else 'them'} in two ways"
        yield Note(None, f"column `{name}`: {numbers} written in the shortest form, because {reason}")


def _emptying_line(program: Program, outcome: Outcome) -> int | None:
    """The line of the last requirement that had records; None if the first had none."""
    having = [each.line for each in program.requirements if outcome.verdicts[each.index].records]
    return having[-1] if having else None
