"""Weights: numbers of persons per record, whole or decimal, such as the weights of a sample."""

from dataclasses import replace

import duckdb

from acompass.checked.types import Column, Kind
from acompass.diagnostics import Diagnostic, TableError
from acompass.measure.query import one_row
from acompass.measure.view import View

#: the product of two totals, in units, and a number of values stays below 2^127
LARGEST_TOTAL = 2**48
#: at most 19 digits before the point; DuckDB writes a decimal below 1 without a zero
_POSITIVE = r"(0|[1-9][0-9]{0,18})(\.[0-9]{1,18})?|\.[0-9]{1,18}"


def with_unit(con: duckdb.DuckDBPyConnection, view: View, largest: int = LARGEST_TOTAL) -> View:
    """The view with the unit that its weights need. Raise unless every weight is a positive number and they
    add up to at most `largest` units.

    Weights are read from their text: decimals in a CSV are text without a policy (D10), and a float means the
    shortest decimal that denotes it.
    """
    if view.weight is None:
        return view
    column = view.schema[view.weight]
    if not (column.type.is_number or column.type.kind is Kind.TEXT):
        raise _not_a_weight(column, str(column.type))
    bad, digits, total = _facts(con, view.relation, f"CAST({view.value(view.weight)} AS VARCHAR)")
    if bad:
        raise _not_a_weight(column, f"{bad:,} other value{'' if bad == 1 else 's'}")
    if total * 10**digits > largest:
        raise _too_large(column, digits, largest)
    return replace(view, unit=10**digits)


def _facts(con: duckdb.DuckDBPyConnection, relation: str, text: str) -> tuple[int, int, float]:
    """How many values are not positive numbers, the most decimals of a weight, and the sum of all weights."""
    number = f"CASE WHEN regexp_full_match({text}, '{_POSITIVE}') THEN CAST({text} AS DECIMAL(38, 18)) END"
    bad, digits, total = one_row(
        con,
        f"""
        SELECT count(*) FILTER (weight IS NULL OR weight <= 0),
               max(length(rtrim(split_part(text, '.', 2), '0'))), sum(CAST(weight AS DOUBLE))
        FROM (SELECT {text} AS text, {number} AS weight FROM {relation})
    """,
    )
    return bad, digits or 0, total or 0


def _not_a_weight(column: Column, found: str) -> TableError:
    message = f"column `{column.name}` cannot be the weight: expected positive numbers, found {found}"
    help_ = "correct or drop those records, or measure without weights"
    return TableError([Diagnostic("AC605", message, help=help_)])


def _too_large(column: Column, digits: int, largest: int) -> TableError:
    most = f"{largest // 10**digits:,}"
    if digits:
        message = f"the weights in `{column.name}` have {digits} decimals and add up to more than {most}"
        return TableError([Diagnostic("AC606", message, help="round the weights to fewer decimals")])
    message = f"the weights in `{column.name}` add up to more than {most}"
    help_ = "weights are numbers of persons; choose another column"
    return TableError([Diagnostic("AC606", message, help=help_)])
