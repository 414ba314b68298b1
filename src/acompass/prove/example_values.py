"""Values that a map has labels for, some with the same label: good material for counterexamples."""

import datetime
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import assert_never

from acompass.checked.exact import EXACT
from acompass.checked.maps.bands import Bands
from acompass.checked.maps.dates import Dates
from acompass.checked.maps.level import Level
from acompass.checked.maps.map import SUPPRESSED, Map
from acompass.checked.maps.prefix import Prefix
from acompass.checked.types import Kind, Type, Value

_YEAR = re.compile("[0-9]{4}")
_DAYS = ("2000-01-01", "2000-01-02", "2000-02-01", "2000-05-01", "2001-01-01", "2012-01-01")
#: how many bands, and how many rows of a hierarchy, have examples
_FEW = 4


def example_values(map_: Map, type_: Type) -> list[Value]:
    """Values of a column of the type, the simplest first."""
    match map_:
        case Bands():
            return [*_numbers(map_, type_), *([SUPPRESSED] if type_.kind is Kind.TEXT else [])]
        case Dates():
            return [_day(day, type_) for day in _DAYS]
        case Prefix(length) if type_.kind is Kind.TEXT:
            return [*("a" * length + end for end in ("", "b", "c", "bc")), "b" * length + "b"]
        case Level() if type_.kind is Kind.TEXT:
            return [row[0] for row in map_.hierarchy.rows[:_FEW]]
        case _:
            return []


def days_between(low: str | None, high: str | None) -> list[Value]:
    """Days whose texts may lie between two texts."""
    years = [int(text[:4]) for text in (low, high) if text is not None and _YEAR.match(text)]
    near = {year + by for year in (1999, *years) for by in (0, 1, -1, 10, -10)}
    near = {year for year in near if datetime.MINYEAR <= year <= datetime.MAXYEAR}
    return [
        f"{year:04}-{day}" for year in sorted(near) for day in ("01-01", "01-02", "02-01", "06-15", "12-31")
    ]


def _numbers(map_: Bands, type_: Type) -> Iterator[Value]:
    scale = type_.scale if type_.kind is Kind.DECIMAL else map_.scale
    for cut in _cuts(map_):
        number = Decimal(cut).scaleb(-map_.scale, context=EXACT)
        for near in (number, number + Decimal(1).scaleb(-scale)):
            value = _number(near, type_)
            if value is not None:
                yield value


def _cuts(map_: Bands) -> Iterator[int]:
    """The first cuts; without a first one, those from 0 on, and a few below."""
    cut: int | None = map_.cuts.first or 0
    for _ in range(_FEW):
        if cut is not None:
            yield cut
            cut = map_.cuts.above(cut)
    below = map_.cuts.at_or_below(-1) if map_.cuts.first is None else None
    for _ in range(_FEW):
        if below is not None:
            yield below
            below = map_.cuts.at_or_below(below - 1)


def _number(number: Decimal, type_: Type) -> Value | None:
    """The number as a value of the type; None where it has too many digits after the point."""
    match type_.kind:
        case Kind.INTEGER:
            return int(number) if number == int(number) else None
        case Kind.DECIMAL:
            rounded = number.quantize(Decimal(1).scaleb(-type_.scale), context=EXACT)
            return rounded if rounded == number else None
        case Kind.FLOAT:
            return float(number)
        case Kind.TEXT:
            return f"{number:f}"
        case Kind.BOOLEAN | Kind.DATE | Kind.TIMESTAMP | Kind.OPAQUE | Kind.DROPPED:
            return None
        case _:
            assert_never(type_.kind)


def _day(day: str, type_: Type) -> Value:
    match type_.kind:
        case Kind.DATE:
            return datetime.date.fromisoformat(day)
        case Kind.TIMESTAMP:
            return datetime.datetime.fromisoformat(day)
        case _:
            return day
