"""The distinct values of a column of a table."""

from functools import partial
from typing import Any

from acompass.measure.columns import Roles, positions
from acompass.measure.opening import open_tables
from acompass.measure.texts import texts_of
from acompass.propose.values import Values, values_of
from acompass.tables.file_format import FileFormat


def distinct_values(table: Any, column: str, file_format: FileFormat, memory_limit: str | None) -> Values:
    with open_tables(file_format, memory_limit) as tables:
        records, found = tables.open(table, partial(positions, Roles((column,))), every_column=False)
        (position,) = found.quasi_identifiers
        texts = texts_of(records, position)
    return values_of(records.schema[position].name, texts.counts, texts.missing)
