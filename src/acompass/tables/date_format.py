"""Formats of local dates, such as `%d.%m.%Y` (D28): a regular expression and the order of its groups.

The expressions use only syntax that means the same in Python and in every engine, and a text matches in at
most one way.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from acompass.tables import errors

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_SHORT_MONTHS = tuple(name[:3] for name in MONTHS)
#: two digits of a year from here on belong to the 20th century (POSIX)
FIRST_OF_1900 = 69


@dataclass(frozen=True)
class _Directive:
    """`padded` is the expression without one-digit forms. `is_digits` says whether it matches digits."""

    part: str
    expression: str
    padded: str
    is_digits: bool = True


def _names(names: Sequence[str]) -> str:
    return "|".join("".join(f"[{letter.upper()}{letter}]" for letter in name) for name in names)


_DAY = _Directive("day", "0?[1-9]|[12][0-9]|3[01]", "0[1-9]|[12][0-9]|3[01]")
_MONTH = _Directive("month", "0?[1-9]|1[0-2]", "0[1-9]|1[0-2]")
_DIRECTIVES = {
    "d": _DAY,
    "m": _MONTH,
    "b": _Directive("month", _names(_SHORT_MONTHS), _names(_SHORT_MONTHS), is_digits=False),
    "B": _Directive("month", _names(MONTHS), _names(MONTHS), is_digits=False),
    "Y": _Directive("year", "[0-9]{4}", "[0-9]{4}"),
    "y": _Directive("year", "[0-9]{2}", "[0-9]{2}"),
}
_PARTS = ("day", "month", "year")
_TOKEN = re.compile(r"%(.?)|([^%]+)", re.DOTALL)


@dataclass(frozen=True)
class DateFormat:
    """`pattern` is not anchored. `groups` are the parts that its groups match, in order. `names` are the
    lowercase names of months that it matches; without names, it matches the number of a month."""

    text: str
    pattern: str
    groups: tuple[str, ...]
    names: tuple[str, ...]
    has_century: bool

    def group(self, part: str) -> int:
        """The number of the group that matches a part, from 1."""
        return self.groups.index(part) + 1

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.ASCII)

    def read(self, text: str) -> date | None:
        """The date of a text; None if the text does not fit or is not a date, such as 31.02.2020."""
        found = self._compiled.fullmatch(text)
        if found is None:
            return None
        year, month, day = (found[self.group(part)] for part in ("year", "month", "day"))
        number = self.names.index(month.lower()) + 1 if self.names else int(month)
        try:
            return date(self._whole_year(int(year)), number, int(day))
        except ValueError:
            return None

    def _whole_year(self, year: int) -> int:
        if self.has_century:
            return year
        return year + (1900 if year >= FIRST_OF_1900 else 2000)


def date_format(text: str) -> DateFormat:
    """Raise if the format has an unknown directive, or not exactly one day, one month and one year."""
    if not text.isprintable():
        raise errors.invalid_date_format(text, "it has a character that cannot be printed")
    tokens = list(_tokens(text))
    parts = [token.part for token in tokens if isinstance(token, _Directive)]
    for part in _PARTS:
        if parts.count(part) != 1:
            found = f"no {part}" if part not in parts else f"more than one {part}"
            raise errors.invalid_date_format(text, f"it has {found}")
    pattern = "".join(_expression(tokens, place) for place in range(len(tokens)))
    names = MONTHS if _DIRECTIVES["B"] in tokens else _SHORT_MONTHS if _DIRECTIVES["b"] in tokens else ()
    return DateFormat(text, pattern, tuple(parts), names, _DIRECTIVES["Y"] in tokens)


def _tokens(text: str) -> Iterator[_Directive | str]:
    for letter, literal in _TOKEN.findall(text):
        if literal or letter == "%":
            yield literal or letter
        elif letter in _DIRECTIVES:
            yield _DIRECTIVES[letter]
        else:
            raise errors.invalid_date_format(text, f"`%{letter}` is not a directive")


def _expression(tokens: Sequence[_Directive | str], place: int) -> str:
    """Where digits touch, days and months have two digits: `1112020` could be two dates."""
    token = tokens[place]
    if isinstance(token, str):
        return _literal(token)
    before, after = tokens[:place][-1:], tokens[place + 1 :][:1]
    touches = any(_has_digit(each, -1) for each in before) or any(_has_digit(each, 0) for each in after)
    return f"({token.padded if touches else token.expression})"


def _has_digit(token: _Directive | str, end: int) -> bool:
    return token.is_digits if isinstance(token, _Directive) else token[end] in "0123456789"


def _literal(text: str) -> str:
    """As in `strptime`, spaces match one or more spaces."""
    escaped = (character if _is_plain(character) else f"\\{character}" for character in text)
    return re.sub(" +", " +", "".join(escaped))


def _is_plain(character: str) -> bool:
    return character.isalnum() or character in " _" or not character.isascii()
