"""The order of labels: that of what they mean, where a form of the language says what they mean.

Where one label contains another, it comes first: `20-39`, `20-29`, `20`.
"""

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from acompass.checked.maps import numerals
from acompass.checked.maps.map import SUPPRESSED
from acompass.checked.maps.numerals import Place
from acompass.hierarchies.hierarchy import Hierarchy
from acompass.measure.covered import SCALE, interval_of

#: what labels are sorted by; only keys of one kind are compared
Key: TypeAlias = tuple[int | float | str, ...]

_MONTHS = {"": (1, 12), "-Q1": (1, 3), "-Q2": (4, 3), "-Q3": (7, 3), "-Q4": (10, 3)}
_PREFIX = re.compile(r"[^*]+\*+")


def in_order(labels: Sequence[str], known: Mapping[str, Key] | None = None) -> list[int]:
    """The places of the labels, in order. `known` are the places of labels in a hierarchy. Labels without a
    meaning come last, as they are."""
    lengths = {len(label) for label in labels if _PREFIX.fullmatch(label)}
    kinds: tuple[Callable[[str], Key | None], ...] = (
        (known or {}).get,
        lambda label: (label,) if len(label) in lengths and label != SUPPRESSED else None,
        number_key,
        _time,
    )
    keys = max(([kind(label) for label in labels] for kind in kinds), key=_explained)
    found = [place for place, key in enumerate(keys) if key is not None]
    others = [place for place, key in enumerate(keys) if key is None]
    return sorted(found, key=lambda place: keys[place] or ()) + others


def _explained(keys: Sequence[Key | None]) -> int:
    return sum(key is not None for key in keys)


def places_in(hierarchy: Hierarchy) -> dict[str, Key]:
    """The key of each text of a hierarchy: its first row, where labels of higher levels come first."""
    found: dict[str, Key] = {}
    for number, row in enumerate(hierarchy.rows):
        for level, text in enumerate(row):
            found.setdefault(text, (number, -level))
    found.pop(SUPPRESSED, None)
    return found


def number_key(label: str) -> Key | None:
    """A number is an interval that ends where it begins."""
    place = numerals.place(label, SCALE)
    lower, upper = (place, place) if place is not None else interval_of(label) or (None, None)
    if lower is None and upper is None:
        return None
    return _unit(lower, -1), -_unit(upper, 1)


def _unit(place: Place | None, sign: int) -> float | int:
    return sign * float("inf") if place is None else place.floor


def _time(label: str) -> Key | None:
    """The first day of a date, a month, a quarter, a year or a decade, and its length in months."""
    if len(label) == 5 and label[:3].isdecimal() and label.endswith("0s"):
        return _from_month(label[:4], 1, 120)
    if label[4:] in _MONTHS:
        return _from_month(label[:4], *_MONTHS[label[4:]])
    if len(label) == 7 and label[4] == "-" and label[5:].isdecimal():
        return _from_month(label[:4], int(label[5:]), 1)
    try:
        return datetime.date.fromisoformat(label).toordinal(), 0
    except ValueError:
        return None


def _from_month(year: str, month: int, months: int) -> Key | None:
    try:
        return datetime.date(int(year), month, 1).toordinal(), -months
    except ValueError:
        return None
