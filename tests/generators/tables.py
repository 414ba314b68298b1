"""The tables of random cases, as CSV files."""

from dataclasses import replace

from acompass.checked.convert import to_text
from acompass.checked.types import INTEGER, Column, Type, Value
from acompass.conformance.generate import Case


def numbered(case: Case) -> Case:
    """With a last column that no policy names, and that tells equal records apart."""
    records = [(*record, number) for number, record in enumerate(case.records)]
    return replace(case, schema=(*case.schema, Column("number of the record", INTEGER)), records=records)


def csv_of(case: Case) -> str:
    types = [column.type for column in case.schema]
    lines = [[_quoted(column.name) for column in case.schema]]
    lines += [list(map(_field, record, types)) for record in case.records]
    return "".join(",".join(line) + "\n" for line in lines)


def _field(value: Value | None, type_: Type) -> str:
    return "" if value is None else _quoted(to_text(value, type_))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
