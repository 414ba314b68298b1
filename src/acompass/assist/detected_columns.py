"""The columns of a sample of text: words for missing values, the decimal mark, the kinds of columns, formats of dates.

No answer has a value of a record, except for words that everybody uses for missing values.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from functools import cache
from typing import Any

from acompass.dataclasses import dataclass, fields, replace
from acompass.errors.diagnostics import AcompassError
from acompass.errors.display import count_text, json_value
from acompass.language.program.label_maps import ISO_TIME
from acompass.measure.answer import Form
from acompass.tables.formats import (
    COMMA,
    DATE_FORMATS,
    MISSING_WORDS,
    NUMBER_PATTERN,
    POINT,
    TIME_FORMATS,
    DateFormat,
    TextShape,
    parse_date_format,
)


class Described:
    """A dataclass whose fields are JSON."""

    def to_json(self) -> dict[str, Any]:
        return {each.name: json_value(getattr(self, each.name)) for each in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True)
class Finding(Described):
    """What was found, and why."""

    value: str | bool | None  # None if it was not found, or the format has no such thing
    reason: str
    candidates: tuple[str, ...] = ()  # other values that are possible
    is_default: bool = True  # whether no option is needed for it


@dataclass(frozen=True)
class NaWord(Described):
    """A usual word for a missing value that occurs as a value."""

    word: str
    counts: Mapping[str, int]  # by column, in the sample
    is_used: bool  # whether it is among the options
    reason: str


@dataclass(frozen=True)
class DetectedColumn(Described):
    name: str | None  # None if the first line looks like a record
    kind: Form | None  # None if there is no value
    reason: str
    type: str | None = None  # in a file that has types
    missing: int = 0
    distinct: int = 0
    others: int = 0  # distinct values that are not numbers or dates, as most are, or that are dates in the future
    date: Finding | None = None  # the format, if the values are dates in text


# Columns of text


@dataclass(frozen=True)
class ColumnValues:
    """The values of a column of text in the sample."""

    name: str
    counts: Counter[str | None]

    def without(self, words: Sequence[str]) -> list[str]:
        """The distinct values that are not missing, in the order of the sample."""
        left = set(words)
        return [value for value in self.counts if value is not None and value not in left]


_UNMISTAKABLE = frozenset(("NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "Null", "NaN", "nan", "\\N"))


def detect_words(values: Sequence[ColumnValues], mark: str, given: Sequence[str] | None) -> Iterator[NaWord]:
    rest = [each.without((*MISSING_WORDS, *(given or ()))) for each in values]
    for word in dict.fromkeys((*(given or ()), *MISSING_WORDS)):
        where = [place for place, each in enumerate(values) if each.counts[word]]
        counts = {values[place].name: values[place].counts[word] for place in where}
        reason = _word_reason(word, [(values[place].name, rest[place]) for place in where], mark)
        if given is not None and word in given:
            yield NaWord(word, counts, True, (reason or "chosen") if where else "not in these records")
        elif where:
            is_used = given is None and reason is not None
            yield NaWord(word, counts, is_used, reason or "may be a value of its own: the others are text")


def _word_reason(word: str, columns: Sequence[tuple[str, list[str]]], mark: str) -> str | None:
    """Why a word means a missing value; None if it may be a value."""
    for name, rest in columns:
        if rest and _are_numbers(rest, mark):
            return f"the other values of `{name}` are numbers"
        if rest and _detect_dates(rest) is not None:
            return f"the other values of `{name}` are dates"
    if word not in _UNMISTAKABLE:
        return None
    if word == "NA" and all(rest and all(re.fullmatch("[A-Z]{2}", text) for text in rest) for _, rest in columns):
        return None  # a code of two letters, such as that of Namibia
    return "a usual word for a missing value"


def _number_pattern(mark: str) -> re.Pattern[str]:
    return re.compile(NUMBER_PATTERN if mark == POINT else NUMBER_PATTERN.replace(r"\.", COMMA), re.ASCII)


def _are_numbers(texts: Sequence[str], mark: str) -> bool:
    return all(map(_number_pattern(mark).fullmatch, texts))


def describe_column(values: ColumnValues, words: Sequence[str], mark: str, chosen: str | None) -> DetectedColumn:
    texts = values.without(words)
    missing = values.counts[None] + sum(values.counts[word] for word in dict.fromkeys(words))
    column = DetectedColumn(values.name, None, "no value in the sample", None, missing, len(texts))
    if not texts:
        return column
    dates = _detect_dates(texts) if chosen is None else _chosen_dates(texts, chosen)
    if dates is not None:
        dates, late = _with_late_years(texts, dates)
        return replace(column, kind="date", reason=dates.reason, others=late, date=dates)
    formats = _frequent_formats(texts)
    if formats:
        others = sum(_format(formats[0]).parse(text) is None for text in texts)
        reason = f"most values are dates like {' or '.join(f'`{each}`' for each in formats)}, but {_are_not(others)}"
        return replace(column, kind="text", reason=reason, others=others, date=Finding(None, reason, formats))
    shape = TextShape.of(texts)
    if shape.is_code(values.name):
        return replace(column, kind="code", reason=_code_reason(shape))
    others = len(texts) - sum(map(bool, map(_number_pattern(mark).fullmatch, texts)))
    if others == 0:
        return replace(column, kind="number", reason="all values are numbers")
    if 10 * others <= len(texts):
        return replace(column, kind="text", reason=f"most values are numbers, but {_are_not(others)}", others=others)
    return replace(column, kind="text", reason=f"{count_text(len(texts), 'distinct value')} of text")


def _are_not(others: int) -> str:
    return f"{count_text(others, 'distinct value')} {'is' if others == 1 else 'are'} not"


def _code_reason(shape: TextShape) -> str:
    what = "digit" if shape.are_digits else "character"
    if shape.padded and shape.are_digits:
        return "numbers with leading zeros: codes such as postal codes, which bands would destroy"
    if shape.shortest == shape.longest:
        return f"all values have {count_text(shape.longest or 0, what)}, as codes do"
    return "the name of the column says that its values are codes"


def detect_decimal(values: Sequence[ColumnValues], delimiter: str, given: str | None) -> Finding:
    if given is not None:
        found = detect_decimal(values, delimiter, None)
        return found if found.value == given else Finding(given, "chosen", (POINT, COMMA), is_default=given == POINT)
    texts = [(each.name, each.without(MISSING_WORDS)) for each in values]
    commas, points = ([each for each in texts if _are_fractions(each[1], mark)] for mark in (COMMA, POINT))
    if not commas:
        reason = "numbers have a decimal point" if points else "no number has a fraction"
        return Finding(POINT, reason, (COMMA,))
    names = ", ".join(f"column {number}" for number, each in enumerate(texts, 1) if each in commas)
    thousands = all(re.fullmatch("[+-]?[0-9]{1,3}(,[0-9]{3})*", text) for _, column in commas for text in column)
    if points:
        return Finding(POINT, f"some numbers have a decimal point, those of {names} a comma", (COMMA,))
    if thousands and delimiter == COMMA:
        return Finding(POINT, f"the commas in the numbers of {names} may separate thousands", (COMMA,))
    return Finding(COMMA, f"the numbers of {names} have a decimal comma", (POINT,), is_default=False)


def _are_fractions(texts: Sequence[str], mark: str) -> bool:
    return any(mark in text for text in texts) and _are_numbers(texts, mark)


# Dates


_ISO = re.compile(rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:{ISO_TIME})?", re.ASCII)
#: texts of midnight, which a format may have as they are
_MIDNIGHTS = ("0:00:00", "00:00:00", "0:00", "00:00", "12:00:00 AM", "12:00 AM")


@cache
def _format(text: str) -> DateFormat:
    return parse_date_format(text)


def _detect_dates(texts: Sequence[str]) -> Finding | None:
    """The format of dates, if all texts are dates; the order of day and month is never guessed."""
    if all(map(_is_iso_date, texts)):
        return Finding(None, "all values are dates in ISO format")
    by_meaning: dict[tuple[date, ...], str] = {}
    for end in ("", *TIME_FORMATS):
        for day in DATE_FORMATS:
            if (meaning := _read_all(texts, f"{day}{end}")) is not None:
                by_meaning.setdefault(meaning, f"{day}{end}")
    if not by_meaning:
        return None
    if len(by_meaning) > 1:
        formats = tuple(by_meaning.values())
        listed = " and ".join(f"`{each}`" for each in formats)
        return Finding(None, f"all values are dates, but {listed} fit: no value decides which", formats, False)
    ((meaning, found),) = by_meaning.items()
    midnight = _midnight_format(texts, meaning, found)
    if midnight is not None:
        return Finding(
            midnight, f"all values are dates like `{midnight}`: the time is always midnight", (found,), False
        )
    return Finding(found, f"all values are dates like `{found}`", (), False)


def _chosen_dates(texts: Sequence[str], chosen: str) -> Finding:
    """A format that was chosen, with what the values say about it."""
    found = _detect_dates(texts)
    if found is not None and found.value == chosen:
        return found
    formats, reason = () if found is None else found.candidates, "chosen"
    others = sum(_parse(text, chosen) is None for text in texts)
    if others:
        reason = f"chosen, but {count_text(others, 'distinct value')} cannot be read like this"
    elif found is not None and found.value is None:
        reason = "chosen; no value decides the order of day and month"
    return Finding(chosen, reason, formats, False)


def _with_late_years(texts: Sequence[str], found: Finding) -> tuple[Finding, int]:
    """Years of two digits before 69 belong to this century, which is wrong for most dates of birth."""
    if not isinstance(found.value, str) or "%y" not in found.value:
        return found, 0
    dates = (_parse(text, found.value) for text in texts)
    late = sum(each is not None and (each.year, each.month) > (date.today().year, date.today().month) for each in dates)
    if late == 0:
        return found, 0
    values = f"{count_text(late, 'distinct value')} {'is' if late == 1 else 'are'}"
    reason = f"{found.reason}; {values} in the future: years of two digits before 69 are read as 20xx"
    return replace(found, reason=reason), late


def _parse(text: str, format_: str) -> date | None:
    """None for a format that is not valid: opening the table says what is wrong with it."""
    try:
        return _format(format_).parse(text)
    except AcompassError:
        return None


#: the distinct values that are looked at to find the form of most dates, and what such values look like
_LOOKED_AT = 100
_LIKE_A_DATE = re.compile(r"[0-9]{1,4}([./-]| )([0-9]{1,2}|[A-Za-z]{3,9})\1[0-9]{2,4}\b.*", re.ASCII)


def _frequent_formats(texts: Sequence[str]) -> tuple[str, ...]:
    """The formats that most of the first values have."""
    first = [text for text in texts[:_LOOKED_AT] if _LIKE_A_DATE.fullmatch(text)]
    if 5 * len(first) < 4 * len(texts[:_LOOKED_AT]):
        return ()
    counts: dict[str, int] = {}
    for end in ("", *TIME_FORMATS):
        for day in DATE_FORMATS:
            counts[f"{day}{end}"] = sum(_format(f"{day}{end}").parse(text) is not None for text in first)
    most = max(counts.values())
    return tuple(each for each, count in counts.items() if count == most) if 5 * most >= 4 * len(first) else ()


def chosen_formats(given: Any) -> dict[str, str]:
    """The date formats of columns, as an acompass.toml or a command line has them."""
    if isinstance(given, Mapping):
        return dict(given)
    pairs = (text.partition("=") for text in given or ())
    return {name: format_ for name, _, format_ in pairs}


def value_reader(words: Sequence[str], chosen: str | None, has_comma: bool) -> Callable[[str | None], str | None]:
    """Read a value of a column: a missing one, a date in a chosen format, or a number with a decimal comma."""

    def read(text: str | None) -> str | None:
        if text is None or text in words:
            return None
        found = None if chosen is None else _parse(text, chosen)
        if found is not None:
            return found.isoformat(" ") if isinstance(found, datetime) else found.isoformat()
        return text.replace(COMMA, POINT) if has_comma else text

    return read


def _is_iso_date(text: str) -> bool:
    if _ISO.fullmatch(text) is None:
        return False
    try:
        return bool(date.fromisoformat(text[:10]))
    except ValueError:
        return False


def _read_all(texts: Sequence[str], format_: str) -> tuple[date, ...] | None:
    """The dates of all texts; None if one has none. Digits alone are dates only of our time."""
    parse, found = _format(format_).parse, []
    for text in texts:
        value = parse(text)
        if value is None or (text.isdecimal() and not 1900 <= value.year < 2100):
            return None
        found.append(value)
    if all(map(str.isdecimal, texts)) and len(texts) < 3:
        return None
    return tuple(found)


def _midnight_format(texts: Sequence[str], meaning: Sequence[date], found: str) -> str | None:
    """A format without a time, if the time is midnight in all values and spelled alike."""
    day, _, rest = found.partition("%H" if "%H" in found else "%I")
    if not rest or any(isinstance(each, datetime) and each.time() != time() for each in meaning):
        return None
    for spelled in _MIDNIGHTS:
        if all(text.endswith(f"{day[-1]}{spelled}") for text in texts):
            return f"{day}{spelled}"
    return None
