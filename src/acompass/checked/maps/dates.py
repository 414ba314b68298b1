"""MONTH, QUARTER, YEAR, DECADE of dates (X2)."""

import datetime
import re
from dataclasses import dataclass
from typing import assert_never

from acompass.checked.maps.map import SUPPRESSED, Map
from acompass.syntax.tree import DateUnit

_UNITS = tuple(DateUnit)
_TIME = re.compile(
    r"[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?"
    r"(?:Z|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)?"
)
_YEAR = r"(?!0000)[0-9]{4}"
_MONTH = r"(?:0[1-9]|1[0-2])"
_LABELS = {
    DateUnit.MONTH: re.compile(rf"{_YEAR}-{_MONTH}"),
    DateUnit.QUARTER: re.compile(rf"{_YEAR}-Q[1-4]"),
    DateUnit.YEAR: re.compile(_YEAR),
    DateUnit.DECADE: re.compile(r"[0-9]{3}0s"),
}


@dataclass(frozen=True, slots=True)
class Dates:
    """Dates, timestamps and texts in ISO form to a unit. Labels of the unit and of coarser ones stay."""

    unit: DateUnit

    @property
    def help(self) -> str:
        return "write dates as in `2024-12-31`, or read another form with `--dates 'Admission=%d.%m.%Y'`"

    def label(self, text: str) -> str | None:
        if _is_date(text):
            return self._of_month(text[:4], int(text[5:7]))
        if text == SUPPRESSED:
            return text
        for unit, labels in _LABELS.items():
            if labels.fullmatch(text):
                return self._of_label(text, unit)
        return None

    def follows(self, earlier: Map) -> bool:
        return isinstance(earlier, Dates) and not _is_finer(self.unit, earlier.unit)

    def labels(self) -> None:
        """Too many to list."""

    def _of_label(self, label: str, unit: DateUnit) -> str:
        if not _is_finer(unit, self.unit):
            return label
        return self._of_month(label[:4], _last_month(label, unit))

    def _of_month(self, year: str, month: int) -> str:
        match self.unit:
            case DateUnit.MONTH:
                return f"{year}-{month:02}"
            case DateUnit.QUARTER:
                return f"{year}-Q{(month + 2) // 3}"
            case DateUnit.YEAR:
                return year
            case DateUnit.DECADE:
                return f"{year[:3]}0s"
            case _:
                assert_never(self.unit)


def _is_date(text: str) -> bool:
    """Whether a text is a date that exists, with or without a time."""
    if text[4:5] != "-" or text[7:8] != "-":  # Python would also read weeks
        return False
    try:
        datetime.date.fromisoformat(text[:10])
    except ValueError:
        return False
    return len(text) == 10 or _TIME.fullmatch(text, 10) is not None


def _is_finer(unit: DateUnit, other: DateUnit) -> bool:
    return _UNITS.index(unit) < _UNITS.index(other)


def _last_month(label: str, unit: DateUnit) -> int:
    match unit:
        case DateUnit.MONTH:
            return int(label[5:])
        case DateUnit.QUARTER:
            return 3 * int(label[6:])
        case DateUnit.YEAR | DateUnit.DECADE:
            return 12
        case _:
            assert_never(unit)
