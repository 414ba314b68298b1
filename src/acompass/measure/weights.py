"""Weights: numbers of persons per record, whole or decimal, such as the weights of a sample."""

from dataclasses import replace

from sqlglot import exp

from acompass.checked.types import Column, Kind
from acompass.diagnostics import Diagnostic, TableError
from acompass.measure.records import Records
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql

#: the product of two totals, in units, and a number of values stays below 2^127
LARGEST_TOTAL = 2**48
#: at most 19 digits before the point, and 18 after it; some programs write `.5`
_POSITIVE = r"((0|[1-9][0-9]{0,18})(\.[0-9]{1,18})?|\.[0-9]{1,18})"
_DECIMALS = 18


def with_unit(records: Records, largest: int = LARGEST_TOTAL) -> Records:
    """The records with the unit that their weights need. Raise unless every weight is a positive number and
    they add up to at most `largest` units.

    Weights are read from their text: decimals in a CSV are text without a policy (D10), and a float means the
    shortest decimal that denotes it.
    """
    if records.weight is None:
        return records
    column = records.schema[records.weight]
    if not (column.type.is_number or column.type.kind is Kind.TEXT):
        raise _not_a_weight(column, str(column.type))
    bad, digits, total = _facts(records, records.weight)
    if bad:
        raise _not_a_weight(column, f"{bad:,} other value{'' if bad == 1 else 's'}")
    if total * 10**digits > largest:
        raise _too_large(column, digits, largest)
    return replace(records, unit=10**digits)


def _facts(records: Records, weight: int) -> tuple[int, int, float]:
    """How many values are not positive numbers, the most decimals of a weight, and the sum of all weights."""
    text, number = exp.column("text", table="w"), exp.column("number", table="w")
    decimals = sql.call("split_part", text, exp.Literal.string("."), sql.integer(2))
    needed = exp.Trim(this=decimals, expression=exp.Literal.string("0"), position="TRAILING")
    is_other = exp.or_(
        exp.Is(this=number, expression=exp.null()),
        exp.LTE(this=number.copy(), expression=sql.integer(0)),
    )
    questions = [
        sql.count_where(is_other),
        exp.Max(this=sql.call("length", needed)),
        exp.Sum(this=sql.cast(number.copy(), "DOUBLE")),
    ]
    ((bad, digits, total),) = records.session.fetch(sql.query(questions, _weights(records, weight)))
    return int(bad), int(digits or 0), float(total or 0)


def _weights(records: Records, weight: int) -> Sql:
    """The texts of the weights, and the numbers that they denote; NULL for a text that is not a number."""
    text = records.text(weight)
    pattern = f"^{_POSITIVE}{records.session.dialect.end_of_text}"
    is_number = exp.RegexpLike(this=text.copy(), expression=exp.Literal.string(pattern))
    read = sql.cast(text.copy(), sql.decimal_type(_DECIMALS))
    number = exp.Case(ifs=[exp.If(this=is_number, true=read)])
    columns = [sql.named(text, "text"), sql.named(number, "number")]
    return sql.query(columns, records.state.source()).subquery("w", copy=False)


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
