"""The formats of files, numbers and dates, and the options that a caller gives for reading a table.

Regular expressions use only syntax that means the same in Python and in every engine. Internally, every number has a
decimal point; `swap_decimal_marks` converts numbers where a table with decimal commas is read and where it is written.
"""

import codecs
import difflib
import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from encodings.aliases import aliases
from functools import cached_property
from typing import Any

from acompass.dataclasses import dataclass, field
from acompass.language.program.types import words_in
from acompass.options import ERROR, DatesArgument, MissingArgument, NaArgument
from acompass.tables import errors, format_errors

DELIMITERS = (",", ";", "\t", "|")
UTF_8 = "utf-8"
#: decimal marks; the language uses the first
POINT, COMMA = ".", ","
_MARKED_UTF_8 = "utf-8-sig"


@dataclass(frozen=True)
class FileFormat:
    """How input files are written. None means that the value is detected, or the default."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    header: bool = False  # whether the first line is a header even if it looks like a record (D37)

    def require_known(self) -> None:
        if self.delimiter is not None and self.delimiter not in DELIMITERS:
            raise format_errors.unknown_delimiter(self.delimiter)
        if self.decimal not in (None, POINT, COMMA):
            raise format_errors.unknown_decimal(self.decimal)
        if self.encoding is not None:
            codec_name(self.encoding)

    @property
    def codec(self) -> str | None:
        """The name of the encoding's codec, which all spellings of the encoding share."""
        return None if self.encoding is None else codec_name(self.encoding)

    @property
    def has_comma(self) -> bool:
        """Whether numbers have a decimal comma."""
        return self.decimal == COMMA


@dataclass(frozen=True)
class CsvStyle:
    """How a CSV output is written: like the first input file, if that is CSV."""

    delimiter: str = ","
    encoding: str = UTF_8
    has_mark: bool = False
    line_end: str = "\n"
    escapes_formulas: bool = False  # write `'` before texts that a spreadsheet would run

    @property
    def mark(self) -> str:
        """The byte order mark at the start of the file."""
        return "\ufeff" if self.has_mark else ""


def codec_name(encoding: str) -> str:
    try:
        "".encode(encoding)  # fails for codecs that do not encode text, such as `base64`
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise format_errors.unknown_encoding(encoding, _similar_encodings(encoding)) from None
    return UTF_8 if name == _MARKED_UTF_8 else name


def _similar_encodings(encoding: str) -> list[str]:
    """Names in the spelling of Python's documentation: `utf-8`, not `utf_8`."""
    known = {name.replace("_", "-") for name in (*aliases, *aliases.values())}
    wanted = encoding.lower().replace("_", "-").replace(" ", "-")
    return difflib.get_close_matches(wanted, sorted(known), n=3)


MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_SHORT_MONTHS = tuple(name[:3] for name in MONTHS)
#: two-digit years from here on belong to the 20th century (POSIX)
FIRST_OF_1900 = 69


@dataclass(frozen=True)
class _Directive:
    part: str  # one of _PARTS or _TIME_PARTS
    expression: str
    padded: str  # the expression without one-digit forms
    is_digits: bool = True  # whether it matches digits


def _names_pattern(names: Sequence[str]) -> str:
    return "|".join("".join(f"[{letter.upper()}{letter}]" for letter in name) for name in names)


_DAY = _Directive("day", "0?[1-9]|[12][0-9]|3[01]", "0[1-9]|[12][0-9]|3[01]")
_MONTH = _Directive("month", "0?[1-9]|1[0-2]", "0[1-9]|1[0-2]")
_DIRECTIVES = {
    "d": _DAY,
    "m": _MONTH,
    "b": _Directive("month", _names_pattern(_SHORT_MONTHS), _names_pattern(_SHORT_MONTHS), is_digits=False),
    "B": _Directive("month", _names_pattern(MONTHS), _names_pattern(MONTHS), is_digits=False),
    "Y": _Directive("year", "[0-9]{4}", "[0-9]{4}"),
    "y": _Directive("year", "[0-9]{2}", "[0-9]{2}"),
    "H": _Directive("hour", "[01]?[0-9]|2[0-3]", "[01][0-9]|2[0-3]"),
    "I": _Directive("hour", "0?[1-9]|1[0-2]", "0[1-9]|1[0-2]"),
    "M": _Directive("minute", "[0-5]?[0-9]", "[0-5][0-9]"),
    "S": _Directive("second", "[0-5]?[0-9]", "[0-5][0-9]"),
    "f": _Directive("fraction", "[0-9]{1,6}", "[0-9]{6}"),
    "p": _Directive("AM or PM", "[AaPp][Mm]", "[AaPp][Mm]", is_digits=False),
}
_PARTS = ("day", "month", "year")
#: each needs the one before it
_TIME_PARTS = ("hour", "minute", "second", "fraction")
_HALF = "AM or PM"
_TOKEN = re.compile(r"%(.?)|([^%]+)", re.DOTALL)


@dataclass(frozen=True)
class DateFormat:
    """A format of local dates such as `%d.%m.%Y`, or of dates and times such as `%d.%m.%Y %H:%M` (D28, local dates); a
    text matches it in at most one way."""

    text: str
    pattern: str  # a regular expression, not anchored
    groups: tuple[str, ...]  # the part that each group of the pattern matches
    names: tuple[str, ...]  # the months' names in lowercase; empty if the pattern matches a month's number
    has_century: bool

    def group(self, part: str) -> int | None:
        """The number of the group that matches a part, counted from 1; None if the format does not have it."""
        return self.groups.index(part) + 1 if part in self.groups else None

    @property
    def has_time(self) -> bool:
        return "hour" in self.groups

    @property
    def has_half(self) -> bool:
        """Whether the hour counts from 1 to 12, before or after noon."""
        return _HALF in self.groups

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.ASCII)

    def parse(self, text: str) -> date | None:
        """The date of a text, or its date and time if the format has a time; None if the text does not match, or is
        not a date, such as 31.02.2020."""
        found = self._regex.fullmatch(text)
        if found is None:
            return None
        parts = dict(zip(self.groups, found.groups(), strict=True))
        month = self.names.index(parts["month"].lower()) + 1 if self.names else int(parts["month"])
        year, day = self._full_year(int(parts["year"])), int(parts["day"])
        try:
            return datetime(year, month, day, *_clock(parts)) if self.has_time else date(year, month, day)
        except ValueError:
            return None

    def _full_year(self, year: int) -> int:
        if self.has_century:
            return year
        return year + (1900 if year >= FIRST_OF_1900 else 2000)


def _clock(parts: Mapping[str, str]) -> tuple[int, int, int, int]:
    hour = int(parts["hour"])
    if half := parts.get(_HALF):
        hour = hour % 12 + (12 if half.lower() == "pm" else 0)
    return hour, int(parts.get("minute", 0)), int(parts.get("second", 0)), int(parts.get("fraction", "").ljust(6, "0"))


def parse_date_format(text: str) -> DateFormat:
    """Raise if the format has an unknown directive, not exactly one day, one month and one year, or part of a time."""
    if not text.isprintable():
        raise errors.invalid_date_format(text, "it has a character that cannot be printed")
    tokens = list(_tokens(text))
    parts = [token.part for token in tokens if isinstance(token, _Directive)]
    for part in _PARTS:
        if parts.count(part) != 1:
            found = f"no {part}" if part not in parts else f"more than one {part}"
            raise errors.invalid_date_format(text, f"it has {found}")
    _require_time(text, parts, _DIRECTIVES["I"] in tokens)
    pattern = "".join(_expression(tokens, place) for place in range(len(tokens)))
    names = MONTHS if _DIRECTIVES["B"] in tokens else _SHORT_MONTHS if _DIRECTIVES["b"] in tokens else ()
    return DateFormat(text, pattern, tuple(parts), names, _DIRECTIVES["Y"] in tokens)


def _require_time(text: str, parts: Sequence[str], has_half: bool) -> None:
    for part in (*_TIME_PARTS, _HALF):
        if parts.count(part) > 1:
            raise errors.invalid_date_format(text, f"it has more than one {part}")
    for before, part in itertools.pairwise(_TIME_PARTS):
        if part in parts and before not in parts:
            raise errors.invalid_date_format(text, f"it has a {part}, but no {before}")
    if has_half and _HALF not in parts:
        raise errors.invalid_date_format(text, "`%I` is an hour from 1 to 12, which needs `%p` for AM or PM")
    if _HALF in parts and not has_half:
        raise errors.invalid_date_format(text, "`%p` needs `%I`, an hour from 1 to 12")


def _tokens(text: str) -> Iterator[_Directive | str]:
    for letter, literal in _TOKEN.findall(text):
        if literal or letter == "%":
            yield literal or letter
        elif letter in _DIRECTIVES:
            yield _DIRECTIVES[letter]
        else:
            raise errors.invalid_date_format(text, f"`%{letter}` is not a directive")


def _expression(tokens: Sequence[_Directive | str], place: int) -> str:
    """Days and months next to other digits need two digits: `1112020` could be two dates."""
    token = tokens[place]
    if isinstance(token, str):
        return _literal(token)
    before, after = tokens[:place][-1:], tokens[place + 1 :][:1]
    touches = any(_has_digit(each, -1) for each in before) or any(_has_digit(each, 0) for each in after)
    return f"({token.padded if touches else token.expression})"


def _has_digit(token: _Directive | str, end: int) -> bool:
    return token.is_digits if isinstance(token, _Directive) else token[end] in "0123456789"


#: formats to suggest, without and with a time
DATE_FORMATS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"),
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d%m%Y"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y"),
    *("%d-%b-%Y", "%d-%b-%y", "%d%b%Y", "%d %b %Y", "%d %B %Y", "%d. %B %Y", "%b %d, %Y", "%B %d, %Y"),
)
TIME_FORMATS = (
    *(" %H:%M", " %H:%M:%S", " %H:%M:%S.%f", "T%H:%M", "T%H:%M:%S", "T%H:%M:%S.%f"),
    *(":%H:%M:%S", " %I:%M %p", " %I:%M:%S %p"),
)


def time_pattern(text: str) -> str:
    """A regular expression, not anchored, for a part of a format that is one of the TIME_FORMATS."""
    tokens = list(_tokens(text))
    return "".join(_expression(tokens, place) for place in range(len(tokens)))


def _literal(text: str) -> str:
    """As in `strptime`, spaces match one or more spaces."""
    escaped = (each if each.isalnum() or each in " _" or not each.isascii() else f"\\{each}" for each in text)
    return re.sub(" +", " +", "".join(escaped))


NUMBER_PATTERN = r"[+-]?[0-9]+(\.[0-9]+)?"

_BOUND = r"-?[0-9]+(\.[0-9]+)?"
_FRACTION = r"-?[0-9]+\.[0-9]+"
_INTEGER_BAND = r"-?[0-9]+-[0-9]+|-?[0-9]+ to -?[0-9]+"
_FRACTION_BAND = rf"\[{_BOUND},{_BOUND}\)"
BAND_LABEL = rf"({_INTEGER_BAND}|{_FRACTION_BAND}|<{_BOUND}|{_BOUND}\+|\*)"
#: numbers and labels that make a column decimal; without any of them, those that make it an integer column
FRACTIONS = rf"({_FRACTION}|{_FRACTION_BAND}|<{_FRACTION}|{_FRACTION}\+)"
INTEGERS = rf"(-?[0-9]+|{_INTEGER_BAND})"


def is_number(text: str) -> bool:
    return re.fullmatch(NUMBER_PATTERN, text, re.ASCII) is not None


#: a text that may be a code, one of digits alone, and one of digits with a leading zero
CODE = r"[^\s]*[0-9][^\s]*"
DIGITS = "[0-9]+"
PADDED = "0[0-9]+"
_FEWEST_CODES = 10
_CODE_DIGITS = 5


#: a word of a column's name that says that its values are codes, which have no order: they are never put into bands
_CODE_WORDS = frozenset(
    (
        *("id", "zip", "zcta", "postal", "postcode", "plz", "fips", "geoid", "puma", "tract", "code", "codes", "cd"),
        *("icd", "cpt", "drg", "hcpcs", "ndc", "atc", "snomed", "loinc", "naics", "nace", "sic", "isco", "soc"),
    )
)


def looks_like_codes(name: str) -> bool:
    return any(word in _CODE_WORDS or word.endswith("code") for word in words_in(name))


@dataclass(frozen=True, slots=True)
class TextShape:
    """The distinct values of a column that are not missing."""

    distinct: int
    shortest: int | None  # of the texts
    longest: int | None
    are_codes: bool  # whether all values match a pattern
    are_digits: bool
    are_numbers: bool
    padded: int  # the number of values with leading zeros
    tens: int  # the number of values that end in 0

    @classmethod
    def of(cls, texts: Collection[str]) -> "TextShape":
        """The shape of distinct texts."""

        def all_match(pattern: str) -> bool:
            return all(map(re.compile(pattern, re.ASCII).fullmatch, texts))

        lengths = set(map(len, texts))
        return cls(
            len(texts),
            min(lengths, default=None),
            max(lengths, default=None),
            all_match(CODE),
            all_match(DIGITS),
            all_match(NUMBER_PATTERN),
            sum(re.fullmatch(PADDED, text, re.ASCII) is not None for text in texts),
            sum(text.endswith("0") for text in texts),
        )

    def is_code(self, name: str = "") -> bool:
        """Whether the values are codes, such as postal codes, which are not numbers: all have digits, and either one
        length, leading zeros, or a column whose name says so."""
        if not self.are_codes or not self.longest or (self.are_numbers and not self.are_digits):
            return False
        if (self.are_digits and self.padded) or looks_like_codes(name):
            return True
        if self.shortest != self.longest or self.distinct < _FEWEST_CODES:
            return False
        if self.are_digits:
            return self.longest >= _CODE_DIGITS and 2 * self.tens < self.distinct
        return self.longest > 1


_MONTH_NAME = rf"(?:{'|'.join(_SHORT_MONTHS)})[a-z]*\.?"
_LOOSE_NUMBER = r"[+-]?(?:[0-9]+(?:[.,][0-9]+)*[.,]?|[.,][0-9]+)(?:e[+-]?[0-9]+)?"
_LOOSE_DATE = (
    r"(?:[0-9]{1,4}[-/. ][0-9]{1,2}[-/. ][0-9]{1,4}"
    rf"|[0-9]{{1,2}}[-. ]*{_MONTH_NAME}[-., ]*[0-9]{{2,4}}|{_MONTH_NAME} ?[0-9]{{1,2}}, ?[0-9]{{4}})"
    r"(?:[T ][0-9]{1,2}:[0-9].*)?"
)


def looks_like_value(cell: str) -> bool:
    """Whether a cell of the first line is empty, a number or a date in any common spelling (D37, headers)."""
    text = cell.strip()
    return not text or re.fullmatch(f"{_LOOSE_NUMBER}|{_LOOSE_DATE}", text, re.ASCII | re.IGNORECASE) is not None


#: also `<0,5` and `90,5+`
NUMBER_IN_EITHER_SPELLING = r"<?[+-]?[0-9]+[.,][0-9]+\+?"
POINT_BAND = r"\[-?[0-9]+(\.[0-9]+)?,-?[0-9]+(\.[0-9]+)?\)"
COMMA_BAND = r"\[-?[0-9]+(,[0-9]+)?;-?[0-9]+(,[0-9]+)?\)"
#: a pattern, the characters to replace in a text that matches it, and their replacements
SWAPS = ((NUMBER_IN_EITHER_SPELLING, ".,", ",."), (POINT_BAND, ".,", ",;"), (COMMA_BAND, ",;", ".,"))

COMMA_NUMBER = r"[+-]?[0-9]+,[0-9]+"


def swap_decimal_marks(text: str) -> str:
    """Exchange the two spellings of a number or band label: `1,5` and `1.5`, `[0,5;1)` and `[0.5,1)`.

    The function is its own inverse and keeps every other text, so no text is lost, and `1.5` in a file with decimal
    commas is not a number.
    """
    for pattern, old, new in SWAPS:
        if re.fullmatch(pattern, text, re.ASCII):
            return text.translate(str.maketrans(old, new))
    return text


#: the usual words for missing values
MISSING_WORDS = (
    *("NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "Null", "NaN", "nan", "n.a.", "\\N"),
    *("?", ".", "-", "--", "unknown", "Unknown", "UNKNOWN", "missing", "Missing", "None", "none"),
)


@dataclass(frozen=True)
class MissingOptions:
    """How to handle missing values: ERROR, DROP or the text to fill in."""

    default: str = ERROR
    by_position: Mapping[int, str] = field(default_factory=dict)

    def for_column(self, position: int) -> str:
        return self.by_position.get(position, self.default)


@dataclass(frozen=True)
class ReadingOptions:
    missing: MissingOptions = field(default_factory=MissingOptions)
    dates: Mapping[int, DateFormat] = field(default_factory=dict)  # by position
    na: tuple[str, ...] = ()  # texts that count as missing values


@dataclass(frozen=True)
class Options:
    """The options of a call that concern the table."""

    engine: Any = None  # a URL, a Spark session, or None for the default engine of the table
    missing: MissingArgument = ERROR
    dates: DatesArgument = ()
    na: NaArgument = ()
    delimiter: str | None = None
    memory_limit: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    header: bool = False

    @property
    def file_format(self) -> FileFormat:
        return FileFormat(self.delimiter, self.encoding, self.decimal, self.sheet, self.header)
