"""The maps of GENERALIZE (X2), which turn the text of a value into a label.

`BaseMap` is their interface. The maps of text and dates are here: PREFIX, LEVEL, MONTH, QUARTER, YEAR and DECADE.
BANDS, the map of numbers, is in `bands`."""

import datetime
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import assert_never

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import option_text
from acompass.language.program.hierarchies import Hierarchy
from acompass.language.text.tree import DateUnit

#: the coarsest label of every map
SUPPRESSED = "*"


class BaseMap(ABC):
    """The questions that every map answers. `Map` in `kernels` is the union of all maps."""

    __slots__ = ()

    @property
    @abstractmethod
    def of_numbers(self) -> bool:
        """Whether it maps numbers, however they are spelled, and not texts."""

    @property
    @abstractmethod
    def of_dates(self) -> bool:
        """Whether it maps dates and their periods: all such maps have labels for the same texts."""

    @property
    @abstractmethod
    def listed_texts(self) -> tuple[str, ...] | None:
        """The texts of its hierarchy; None if it has none."""

    @property
    @abstractmethod
    def otherwise(self) -> str | None:
        """The label of all texts that are not in its hierarchy; None if it has none."""

    @property
    @abstractmethod
    def help(self) -> str:
        """Advice for values that the map has no label for."""

    @property
    def step(self) -> int | None:
        """Integers between two neighboring multiples of this number have the same label. None for no such number."""
        return None

    @abstractmethod
    def label(self, text: str) -> str | None:
        """The label of a value or of a finer map's label. `*` and labels of this map or a coarser one stay.

        None if the map has no label for the text. `label(label(text)) == label(text)`.
        """

    @abstractmethod
    def follows(self, earlier: "BaseMap") -> bool:
        """Whether this map may follow an earlier one of the same column: it is the same or coarser."""

    @abstractmethod
    def labels(self) -> tuple[str, ...] | None:
        """The labels of plain values; None if there are infinitely many or too many to list."""

    @abstractmethod
    def examples(self) -> Iterator[str]:
        """Values that show what the map does, from the policy and its files, never from a table."""


class UnlabeledValueError(Exception):
    """A map has no label for the values of `count` records that the requirement with this index affects."""

    def __init__(self, requirement: int, count: int):
        super().__init__(requirement, count)
        self.requirement = requirement
        self.count = count


@dataclass(frozen=True, slots=True)
class Prefix(BaseMap):
    """The first characters, with a `*` for each further one: `21201` becomes `212**`."""

    length: int  # in code points

    of_numbers = False
    of_dates = False
    help = "every text has a prefix"
    listed_texts = None
    otherwise = None

    def label(self, text: str) -> str:
        return text[: self.length] + SUPPRESSED * (len(text) - self.length)

    def follows(self, earlier: BaseMap) -> bool:
        return isinstance(earlier, Prefix) and earlier.length >= self.length

    def labels(self) -> None:
        """None: there are infinitely many."""

    def examples(self) -> Iterator[str]:
        code = "2120145678"
        yield code[: max(5, min(self.length + 2, len(code)))]


#: every engine takes this many characters of a text
_LONGEST_PREFIX = 2**31 - 1


def prefix_problem(length: int) -> str | None:
    if length < 1:
        return f"the length of a prefix must be at least 1, found {length}"
    return None if length <= _LONGEST_PREFIX else f"the length of a prefix must be at most {_LONGEST_PREFIX:,}"


@dataclass(frozen=True)
class Level(BaseMap):
    """Turns values and labels of lower levels into labels of level `level`; labels of higher levels stay."""

    hierarchy: Hierarchy
    level: int
    otherwise: str | None = None  # the label of texts that the hierarchy does not contain

    of_numbers = False
    of_dates = False
    help = "add the values to the hierarchy, or give them a label with `ELSE 'other'`"

    @property
    def listed_texts(self) -> tuple[str, ...]:
        return tuple(self.hierarchy.lowest_level)

    def label(self, text: str) -> str | None:
        return self._labels.get(text, self.otherwise)

    def follows(self, earlier: BaseMap) -> bool:
        """After another kind of map or another hierarchy, this is only known when the policy runs."""
        if not isinstance(earlier, Level) or earlier.hierarchy != self.hierarchy:
            return True
        return self.level >= earlier.level

    def labels(self) -> tuple[str, ...]:
        """Every label, `*` and `otherwise` included."""
        found = dict.fromkeys(self._labels.values())
        return tuple(found if self.otherwise is None else found | {self.otherwise: None})

    def examples(self) -> Iterator[str]:
        """The hierarchy's values whose label differs from the value."""
        for value, *_ in self.hierarchy.rows:
            if self.label(value) != value:
                yield value

    @cached_property
    def _labels(self) -> dict[str, str]:
        found = {SUPPRESSED: SUPPRESSED}
        lowest = self.hierarchy.lowest_level
        for row in self.hierarchy.rows:
            for level, text in enumerate(row):
                if lowest[text] == level and text != SUPPRESSED:
                    found[text] = row[max(level, self.level)]
        return found


def level_problem(hierarchy: Hierarchy, level: int, otherwise: str | None) -> str | None:
    if not 1 <= level <= hierarchy.levels:
        levels = "level 1" if hierarchy.levels == 1 else f"levels 1 to {hierarchy.levels}"
        return f"the hierarchy has {levels}, not {level}"
    if otherwise is None:
        return None
    label = Level(hierarchy, level).label(otherwise)
    if label in (None, otherwise):
        return None
    return f"the label `{otherwise}` after ELSE becomes `{label}` at level {level} of the hierarchy"


_UNITS = tuple(DateUnit)
#: a pattern for the time after a date in ISO form
ISO_TIME = (
    r"[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?"
    r"(?:Z|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)?"
)
_TIME = re.compile(ISO_TIME)
_YEAR = r"(?!0000)[0-9]{4}"
_MONTH = r"(?:0[1-9]|1[0-2])"
_LABELS = {
    DateUnit.MONTH: re.compile(rf"{_YEAR}-{_MONTH}"),
    DateUnit.QUARTER: re.compile(rf"{_YEAR}-Q[1-4]"),
    DateUnit.YEAR: re.compile(_YEAR),
    DateUnit.DECADE: re.compile(r"[0-9]{3}0s"),
}


@dataclass(frozen=True, slots=True)
class Dates(BaseMap):
    """Turns dates, timestamps and ISO text into labels of a unit. Labels of the same or a coarser unit stay."""

    unit: DateUnit

    of_numbers = False
    of_dates = True
    listed_texts = None
    otherwise = None

    @property
    def help(self) -> str:
        example = option_text("dates", {"Admission": "%d.%m.%Y"})
        return f"write dates as in `2024-12-31`, or read another format with `{example}`"

    def label(self, text: str) -> str | None:
        if is_iso_date(text):
            return self._month_label(text[:4], int(text[5:7]))
        if text == SUPPRESSED:
            return text
        for unit, labels in _LABELS.items():
            if labels.fullmatch(text):
                return self._coarser_label(text, unit)
        return None

    def follows(self, earlier: BaseMap) -> bool:
        return isinstance(earlier, Dates) and not _is_finer(self.unit, earlier.unit)

    def labels(self) -> None:
        """None: there are too many to list."""

    def examples(self) -> Iterator[str]:
        yield "2018-03-14"

    def _coarser_label(self, label: str, unit: DateUnit) -> str:
        if not _is_finer(unit, self.unit):
            return label
        return self._month_label(label[:4], _last_month(label, unit))

    def _month_label(self, year: str, month: int) -> str:
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


def is_iso_date(text: str) -> bool:
    """Whether a text is a date that exists, with or without a time."""
    if text[4:5] != "-" or text[7:8] != "-":  # Python also reads ISO weeks
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
