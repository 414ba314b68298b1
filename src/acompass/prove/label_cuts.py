"""Where GENERALIZE cuts a column: the labels to tell apart, and the values at which the label changes.

docs/prove.md, section 7. Regions that are cut at these places have a single label each, or none of those that
the policy and the claims tell apart.
"""

import datetime
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache

from acompass.checked.effects import generalize_of
from acompass.checked.maps.bands import Bands
from acompass.checked.maps.dates import Dates
from acompass.checked.maps.level import Level
from acompass.checked.maps.map import SUPPRESSED, Map
from acompass.checked.maps.prefix import Prefix
from acompass.checked.program import Program
from acompass.checked.types import Kind, Type, Value
from acompass.prove.reading import read_text

#: the most labels of bands, and the most texts of a hierarchy, that are told apart
MOST_BANDS = 400
MOST_TEXTS = 4_000

#: surrogates, which no text contains
_UNWRITABLE = range(0xD800, 0xE000)

_NUMBER = r"(-?[0-9]+(?:\.[0-9]+)?)"
_INTEGERS = re.compile(r"(-?[0-9]+)(?:(?:-| to )(-?[0-9]+))?")
_DIGITS = re.compile(r"[0-9]{1,4}")
_HALF_OPEN = re.compile(rf"\[{_NUMBER},{_NUMBER}\)")
_OPEN_ENDED = re.compile(rf"<{_NUMBER}|{_NUMBER}\+")


def label_cuts(map_: Map, numbers: Iterable[int]) -> list[Value]:
    """Texts of the column after the map. `numbers` are those that the policy compares the column with."""
    match map_:
        case Level():
            return [SUPPRESSED, *(texts_of(map_) if is_small(map_) else map_.labels()[:MOST_TEXTS])]
        case Bands():
            return [SUPPRESSED, *_bands(map_, numbers)]
        case _:
            return [SUPPRESSED]


def is_small(map_: Level) -> bool:
    """Whether all texts of the hierarchy are told apart."""
    return len(map_.hierarchy.lowest_level) <= MOST_TEXTS


def texts_of(map_: Level) -> list[str]:
    own = [] if map_.otherwise is None else [map_.otherwise]
    return [*map_.hierarchy.lowest_level, *own]


def maps_of_numbers(program: Program) -> Iterator[Map]:
    """The bands of columns that had numbers at first, and no labels of other maps since."""
    others: set[int] = set()
    for requirement in program.requirements:
        action = generalize_of(requirement.action)
        if action is None:
            continue
        match action.map:
            case Bands() if program.schema[action.column].type.is_number and action.column not in others:
                yield action.map
            case _:
                others.add(action.column)


@lru_cache(maxsize=64)
def are_few(map_: Bands) -> bool:
    """Whether all labels of numbers are told apart."""
    labels = map_.labels()
    return labels is not None and len(labels) <= MOST_BANDS


def _bands(map_: Bands, numbers: Iterable[int]) -> list[str]:
    """All labels, or those between the numbers that matter if there are too many."""
    if are_few(map_):
        return list(map_.labels() or ())
    ends = [end // 10**map_.scale for end in (map_.cuts.first, map_.cuts.last) if end is not None]
    inside = [*ends, *numbers, 0]
    found: list[str] = []
    for band in map_.bands_between(min(inside), max(inside)):
        found.append(band.label)
        if len(found) > MOST_BANDS:
            return []
    return found


def cuts_before(map_: Map, type_: Type, labels: Sequence[str]) -> list[Value]:
    """Values of the column before the map, so that all of a region has one of the labels, or none of it."""
    own = [label for label in labels if map_.label(label) == label]
    match map_:
        case Bands() if type_.is_number:
            return [bound for label in own for bound in band_bounds(label)]
        case Dates() if type_.kind in (Kind.DATE, Kind.TIMESTAMP):
            dates = [date for label in own for date in period_bounds(label)]
            return [_start(date, type_) for date in (*dates, *_first_days(labels))]
        case Prefix(length) if type_.kind is Kind.TEXT:
            return [bound for label in own for bound in _texts_with(label[:length])]
        case _:
            read = (read_text(label, type_) for label in labels)
            return [value for value in read if value is not None]


def _texts_with(prefix: str) -> list[Value]:
    end = after_prefix(prefix)
    return [prefix] if end is None else [prefix, end]


def after_prefix(prefix: str) -> str | None:
    """The least text above every text with the prefix; None if there is none that can be written."""
    following = ord(prefix[-1]) + 1 if prefix else _UNWRITABLE.start
    return None if following in _UNWRITABLE or following > sys.maxunicode else prefix[:-1] + chr(following)


def band_bounds(label: str) -> list[Value]:
    """The first number of a band and the first above it, those that there are; none if it is not read."""
    if integers := _INTEGERS.fullmatch(label):
        return [int(integers[1]), int(integers[2] or integers[1]) + 1]
    if numbers := _HALF_OPEN.fullmatch(label) or _OPEN_ENDED.fullmatch(label):
        return [Decimal(number) for number in numbers.groups() if number is not None]
    return []


def period_bounds(label: str) -> list[datetime.date]:
    """The first day of a period of dates and the first after it, if there is one; none if it is not read."""
    year, month, months = int(label[:4]) if label[:4].isdecimal() else 0, 1, 12
    if not year:
        return []
    if label.endswith("s"):
        year, months = year // 10 * 10, 120
    elif label[5:6] == "Q":
        month, months = 3 * int(label[6:]) - 2, 3
    elif len(label) > 4:
        month, months = int(label[5:7]), 1
    end = 12 * year + month - 1 + months
    first = datetime.date(max(year, 1), month, 1)
    return [first, datetime.date(end // 12, end % 12 + 1, 1)] if end // 12 <= datetime.MAXYEAR else [first]


def _first_days(texts: Iterable[str]) -> Iterator[datetime.date]:
    """The first day whose text begins as each text, which may be part of a year: `20` for LIKE '20%'."""
    for text in texts:
        digits = _DIGITS.match(text)
        if digits is not None and int(digits[0].ljust(4, "0")):
            yield datetime.date(int(digits[0].ljust(4, "0")), 1, 1)


def _start(date: datetime.date, type_: Type) -> Value:
    if type_.kind is Kind.DATE:
        return date
    return datetime.datetime(date.year, date.month, date.day)
