"""`acompass hierarchy`: write a hierarchy from the values of a column, or check a hierarchy file."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_by_verdict, exit_codes, print_err, print_out
from acompass.cli.formats import Format, call_context, error_report, formats, print_report
from acompass.cli.inputs import STANDARD_INPUT, STANDARD_OUTPUT, add_reading_settings, convert_options
from acompass.dataclasses import dataclass
from acompass.errors.display import Answer, count_text
from acompass.measure.hierarchy import ByBands, ByDate, ByPrefix, lengths_in, widths_in
from acompass.options import Opening

if TYPE_CHECKING:
    from acompass.language.program.hierarchies import Problem
    from acompass.measure.hierarchy import Values
    from acompass.measure.levels import Choice
    from acompass.report.document import Block, Context

T = TypeVar("T")

EXAMPLES = """\
acompass hierarchy people.csv Age --bands 5,10,20 -o age.csv
acompass hierarchy people.csv Zip --prefix 4,3,2 -o zip.csv
acompass hierarchy people.csv Admission --date-units -o admission.csv
acompass hierarchy people.csv Education --from-values -o education.csv
acompass hierarchy education.csv --check
"""


def _parse_bands(text: str) -> ByBands:
    return ByBands(_parse_sizes(widths_in, text))


def _parse_prefix(text: str) -> ByPrefix:
    return ByPrefix(_parse_sizes(lengths_in, text))


def _parse_sizes(parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}, found '{text}'") from None


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument("table", help=f"{options.TABLE_FILE} With --check, a hierarchy file.")
@click.argument("column", required=False, help="The column that the hierarchy is for.")
@click.option("--bands", type=_parse_bands, metavar="5,10,20", help="Use bands of these widths.")
@click.option("--prefix", type=_parse_prefix, metavar="4,3,2", help="Use prefixes of these lengths.")
@click.option(
    "--date-units",
    "--dates",
    cls=options.NamedOption,
    earlier="--dates",
    is_flag=True,
    help="Use months, quarters, years and decades; the dates are in ISO format.",
)
@click.option("--from-values", is_flag=True, help="Write only the values and *; add levels by hand.")
@click.option("--check", is_flag=True, help="Check a hierarchy file and report every problem.")
@click.option("--output", "-o", default=STANDARD_OUTPUT, metavar="FILE", help="File to write; - for standard output.")
@options.declared(Opening, leave_out=("missing", "dates", "decimal", "engine"))
@formats
def hierarchy(
    table: str,
    column: str | None,
    bands: ByBands | None,
    prefix: ByPrefix | None,
    date_units: bool,
    from_values: bool,
    check: bool,
    output: str,
    format_: Format,
    **given: Any,
) -> None:
    """Write a hierarchy file for LEVEL, in ARX's format, from the distinct values of a column.

    Without an option for the levels, they are derived from the values. --check reads a hierarchy file and exits
    with 1 if it has problems. The file and standard output contain values of the table.
    """
    choices = [bands is not None, prefix is not None, date_units, from_values, check]
    if sum(choices) > 1:
        raise click.UsageError("--bands, --prefix, --date-units, --from-values and --check exclude each other")
    if check == (column is not None):
        raise click.UsageError("--check takes only a file" if check else "missing argument 'COLUMN'")
    if format_ != "text" and not check:
        raise click.UsageError("only --check has a report; a hierarchy is always a CSV file")
    with exit_codes(error_report(format_, table)):
        if column is None:
            found = _check(table)
            print_report(found, format_, call_context(table))
            exit_by_verdict(found.ok)
            return
        values = _values(table, column, output, add_reading_settings(convert_options(given), table))
        choice = _choice(values, bands or prefix or (ByDate() if date_units else None), from_values)
        _write(output, values, choice)
        if not any(choices):
            print_err(f"`{values.column}`: {choice.words}")
        if values.missing:
            print_err(f"{count_text(values.missing, 'record')} without a value left out")
        if values.empty:
            print_err(
                f"{count_text(values.empty, 'record')} with an empty string left out; a hierarchy cannot contain it"
            )


def _values(table: str, column: str, output: str, reading: dict[str, Any]) -> "Values":
    from acompass.measure.hierarchy import require_other_than_table
    from acompass.measure.measurement import distinct_values
    from acompass.tables.formats import FileFormat

    require_other_than_table(output, table)
    memory_limit, na = reading.pop("memory_limit", None), reading.pop("na", None)
    return distinct_values(table, column, FileFormat(**reading), memory_limit, na or ())


def _choice(values: "Values", spec: ByBands | ByPrefix | ByDate | None, from_values: bool) -> "Choice":
    from acompass.measure.levels import by_value, choose_by_spec

    return by_value(values) if from_values else choose_by_spec(values, spec)


def _write(output: str, values: "Values", choice: "Choice") -> None:
    from acompass.language.program.hierarchies import hierarchy_text
    from acompass.measure.hierarchy import rows, write_hierarchy

    found = rows(values, choice.maps, choice.kind)
    if output == STANDARD_OUTPUT:
        print_out(hierarchy_text(found))
    else:
        write_hierarchy(output, found)


@dataclass(frozen=True, slots=True)
class CheckedHierarchy(Answer):
    path: str
    values: int
    levels: int
    problems: "Sequence[Problem]"

    @property
    def ok(self) -> bool:
        return not self.problems

    def describe(self, context: "Context") -> "Iterator[Block]":
        from acompass.report.document import Bullets, headline

        found = f"{count_text(self.values, 'value')}, {count_text(self.levels, 'level')}, no problems"
        shown = [_problem_text(problem) for problem in self.problems[: context.most]]
        more = len(self.problems) - len(shown)
        verdict = count_text(len(self.problems), "problem") if self.problems else found
        text = None if self.problems else f"`{self.path}`: {found}"
        yield headline("Hierarchy", context, verdict, self.ok, text)
        yield Bullets([*shown, *([f"and {more:,} more"] if more else [])])

    def to_json(self) -> dict[str, Any]:
        problems = [{"lines": sorted(problem.lines), "message": problem.message} for problem in self.problems]
        return {"ok": self.ok, "values": self.values, "levels": self.levels, "problems": problems}


def _check(path: str) -> CheckedHierarchy:
    from acompass.language.program.hierarchies import Hierarchy, parse_hierarchy
    from acompass.measure.hierarchy import check_hierarchy

    found = parse_hierarchy(sys.stdin.buffer.read()) if path == STANDARD_INPUT else check_hierarchy(path)
    if isinstance(found, Hierarchy):
        return CheckedHierarchy(path, len(found.rows), found.levels, ())
    return CheckedHierarchy(path, 0, 0, found)


def _problem_text(problem: "Problem") -> str:
    lines = " and ".join(map(str, sorted(problem.lines)))
    where = f"line {lines}: " if len(problem.lines) == 1 else f"lines {lines}: " if problem.lines else ""
    return f"{where}{problem.message}"
