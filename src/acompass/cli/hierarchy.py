"""`acompass hierarchy`: write a hierarchy from the values of a column, or check a hierarchy file."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command, max_errors
from acompass.cli.exits import exit_by_verdict, exit_codes
from acompass.cli.inputs import STANDARD_INPUT
from acompass.cli.streams import print_err, print_out
from acompass.propose.specs import ByBands, ByDate, ByPrefix, lengths_in, widths_in

if TYPE_CHECKING:
    from acompass.hierarchies.hierarchy import Hierarchy
    from acompass.hierarchies.problems import Problem
    from acompass.propose.choose import Choice
    from acompass.propose.values import Values

STANDARD_OUTPUT = "-"
T = TypeVar("T")

EXAMPLES = """\
acompass hierarchy people.csv Age --bands 5,10,20 -o age.csv
acompass hierarchy people.csv Zip --prefix 4,3,2 -o zip.csv
acompass hierarchy people.csv Admission --dates -o admission.csv
acompass hierarchy people.csv Education --from-values -o education.csv
acompass hierarchy education.csv --check
"""


def _bands(text: str) -> ByBands:
    return ByBands(_sizes(widths_in, text))


def _prefix(text: str) -> ByPrefix:
    return ByPrefix(_sizes(lengths_in, text))


def _sizes(parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}, found '{text}'") from None


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument("table", help=f"{options.TABLE_FILE} With --check, a hierarchy file.")
@click.argument("column", required=False, help="The column that the hierarchy is for.")
@click.option("--bands", type=_bands, metavar="5,10,20", help="Bands of these widths.")
@click.option("--prefix", type=_prefix, metavar="4,3,2", help="Prefixes of these lengths.")
@click.option("--dates", is_flag=True, help="Months, quarters, years and decades of dates in ISO form.")
@click.option("--from-values", is_flag=True, help="Only the values and *; add levels by hand.")
@click.option("--check", is_flag=True, help="Say everything that is wrong with a hierarchy file.")
@click.option(
    "--output", "-o", default=STANDARD_OUTPUT, metavar="FILE", help="Where to write; - is standard output."
)
@options.files_as_text
@options.memory_limit
def hierarchy(
    table: str,
    column: str | None,
    bands: ByBands | None,
    prefix: ByPrefix | None,
    dates: bool,
    from_values: bool,
    check: bool,
    output: str,
    memory_limit: str | None,
    **files: Unpack[options.TextFileOptions],
) -> None:
    """Write a hierarchy file for LEVEL, in ARX's format, from the distinct values of a column.

    Without an option for the levels, the values decide. With --check, read a hierarchy file and exit with 1
    if something is wrong with it. The file and the standard output contain values of the table.
    """
    asked = [bands is not None, prefix is not None, dates, from_values, check]
    if sum(asked) > 1:
        raise click.UsageError("--bands, --prefix, --dates, --from-values and --check exclude each other")
    if check == (column is not None):
        raise click.UsageError("--check takes only a file" if check else "missing argument 'COLUMN'")
    with exit_codes():
        if column is None:
            _check(table)
            return
        values = _values(table, column, output, files, memory_limit)
        choice = _choice(values, bands or prefix or (ByDate() if dates else None), from_values)
        _write(output, values, choice)
        _say(values, choice, is_chosen=not any(asked))


def _values(
    table: str, column: str, output: str, files: options.TextFileOptions, memory_limit: str | None
) -> "Values":
    from acompass.measure.distinct_values import distinct_values
    from acompass.propose.write import require_other_than_table
    from acompass.tables.file_format import FileFormat

    require_other_than_table(output, table)
    return distinct_values(table, column, FileFormat(**files), memory_limit)


def _choice(values: "Values", spec: ByBands | ByPrefix | ByDate | None, from_values: bool) -> "Choice":
    from acompass.propose.choose import by_value, choice_of

    return by_value(values) if from_values else choice_of(values, spec)


def _write(output: str, values: "Values", choice: "Choice") -> None:
    from acompass.hierarchies.to_csv import hierarchy_text
    from acompass.propose.levels import rows
    from acompass.propose.write import write_hierarchy

    found = rows(values, choice.maps, choice.kind)
    if output == STANDARD_OUTPUT:
        print_out(hierarchy_text(found))
    else:
        write_hierarchy(output, found)


def _say(values: "Values", choice: "Choice", is_chosen: bool) -> None:
    if is_chosen:
        print_err(f"`{values.column}`: {choice.words}")
    if values.missing:
        print_err(f"{_records(values.missing)} without a value left out")
    if values.empty:
        print_err(f"{_records(values.empty)} with an empty text left out; a hierarchy cannot contain it")


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"


def _check(path: str) -> None:
    from acompass.hierarchies.hierarchy import Hierarchy

    found = _read(path)
    if isinstance(found, Hierarchy):
        levels = "1 level" if found.levels == 1 else f"{found.levels} levels"
        values = "1 value" if len(found.rows) == 1 else f"{len(found.rows):,} values"
        print_out(f"`{path}`: {values}, {levels}, nothing wrong")
        return
    shown = [_shown(problem) for problem in found[: max_errors()]]
    more = len(found) - len(shown)
    print_out("\n".join([*shown, *([f"and {more:,} more"] if more else [])]))
    exit_by_verdict(False)


def _read(path: str) -> "Hierarchy | tuple[Problem, ...]":
    from acompass.hierarchies.from_csv import hierarchy_of
    from acompass.propose.files import checked_hierarchy

    if path == STANDARD_INPUT:
        return hierarchy_of(sys.stdin.buffer.read())
    return checked_hierarchy(path)


def _shown(problem: "Problem") -> str:
    lines = " and ".join(map(str, sorted(problem.lines)))
    where = f"line {lines}: " if len(problem.lines) == 1 else f"lines {lines}: " if problem.lines else ""
    return f"{where}{problem.message}"
