"""The text of singular tests: SQL templates that select no row where an assertion holds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acompass.dbt.jinja import literally
from acompass.dbt.marks import Mark
from acompass.dbt.relations import Relation
from acompass.dbt.variables import Variable
from acompass.plan.running.failing_rows import RECORDS, Asserted, FailingRows
from acompass.report.words import policy_line

_ABOUT = "edit the policy, not this file, and write it again"
_PRIVATE = "a row says how many records are concerned, and has no value of any of them"
_SHOWN = "--show-records: the rows are personal data, and so is the table of `dbt test --store-failures`"


@dataclass(frozen=True, slots=True)
class Written:
    """What all tests of a call have in common; `policy` is its text."""

    policy: str
    mark: Mark
    relation: Relation
    variables: Sequence[Variable]
    shows_records: bool


def assertion_text(written: Written, asserted: Asserted, rows: FailingRows) -> str:
    requirement = asserted.requirement
    place = requirement.assertion.span
    text = requirement.text if place is None else written.policy[place.start : place.end]
    return _text(written, f"line {requirement.line}: {policy_line(text)}", rows)


def columns_text(written: Written, rows: FailingRows) -> str:
    return _text(written, "the policy's columns have no missing values, and values of these types", rows)


def names_by_line(prefix: str, tests: Sequence[Asserted]) -> Iterator[str]:
    """By their lines; the second test of a line has a number of its own."""
    seen: dict[int, int] = {}
    for asserted in tests:
        line = asserted.requirement.line
        seen[line] = seen.get(line, 0) + 1
        yield f"{prefix}_line_{line}" + (f"_{seen[line]}" if seen[line] > 1 else "")


def _text(written: Written, about: str, rows: FailingRows) -> str:
    used = [each for each in written.variables if each.mark in rows.query]
    query = literally(rows.query)
    for variable in used:
        query = query.replace(variable.mark, f"{{{{ {variable.local} }}}}")
    lines = (about, _SHOWN if written.shows_records else _PRIVATE)
    return (
        written.mark.line("--")
        + f"-- {_ABOUT}\n"
        + "".join(f"-- {literally(line)}\n" for line in lines)
        + "".join(each.declared for each in used)
        + f"WITH {RECORDS} AS (\n{literally(rows.reading)}\nFROM {written.relation.jinja}\n)\n"
        + f"{query}\n"
    )
