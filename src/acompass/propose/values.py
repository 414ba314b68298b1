"""The distinct values of a column."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from acompass.checked.convert import to_text
from acompass.checked.maps import numerals
from acompass.checked.maps.map import SUPPRESSED
from acompass.diagnostics import CallError, Diagnostic
from acompass.measure.columns import Roles, positions
from acompass.measure.opening import open_tables


@dataclass(frozen=True, slots=True)
class Values:
    """`texts` are sorted. `missing` records have no value, `empty` ones an empty text."""

    column: str
    texts: tuple[str, ...]
    missing: int = 0
    empty: int = 0


def distinct_values(table: Any, column: str, delimiter: str | None, memory_limit: str | None) -> Values:
    with open_tables(delimiter, memory_limit) as tables:
        view, found = tables.open(table, partial(positions, Roles((column,))), every_column=False)
        (position,) = found.quasi_identifiers
        name, type_ = view.schema[position].name, view.schema[position].type
        query = f"SELECT {view.value(position)} AS value, count(*) FROM {view.relation} GROUP BY value"
        counts = dict(tables.con.execute(query).fetchall())
    missing = counts.pop(None, 0)
    texts = {to_text(value, type_): count for value, count in counts.items()}
    empty = texts.pop("", 0)
    if not texts:
        raise _no_values(name)
    return Values(name, _sorted(texts), missing, empty)


def is_number(text: str) -> bool:
    return numerals.place(text, 0) is not None


def is_integer(text: str) -> bool:
    """Whether a text is an integer as a policy reads it: `34.0` is not."""
    place = numerals.place(text, 0)
    return place is not None and str(place.floor) == text


def _sorted(texts: Iterable[str]) -> tuple[str, ...]:
    """Numbers by size, `*` after them; if there are other texts, all by code point."""
    others = {text for text in texts if not is_number(text)}
    if others - {SUPPRESSED}:
        return tuple(sorted(texts))
    return (*sorted(set(texts) - others, key=lambda text: (Decimal(text), text)), *others)


def _no_values(column: str) -> CallError:
    finding = Diagnostic(
        "AC612", f"column `{column}` has no values", help="choose a column that has values, or another table"
    )
    return CallError([finding])
