"""The distinct values of a column."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal

from acompass.checked.maps import numerals
from acompass.checked.maps.map import SUPPRESSED
from acompass.diagnostics import CallError, Diagnostic


@dataclass(frozen=True, slots=True)
class Values:
    """`texts` are sorted. `missing` records have no value, `empty` ones an empty text."""

    column: str
    texts: tuple[str, ...]
    missing: int = 0
    empty: int = 0


def values_of(column: str, counts: Mapping[str, int], missing: int = 0) -> Values:
    """From the number of records with each text. Raises if no text is left."""
    texts = [text for text in counts if text]
    if not texts:
        raise _no_values(column)
    return Values(column, _sorted(texts), missing, counts.get("", 0))


def is_number(text: str) -> bool:
    return numerals.place(text, 0) is not None


def is_integer(text: str) -> bool:
    """Whether a text is an integer as a policy reads it: `34.0` is not."""
    place = numerals.place(text, 0)
    return place is not None and str(place.floor) == text


def _sorted(texts: Collection[str]) -> tuple[str, ...]:
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
