"""Types of columns, the Python types of their values (D9), exact conversion between them (D12), and column names
(D3) with the words in them."""

import datetime
import difflib
import re
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeAlias, assert_never

from acompass.dataclasses import dataclass, field
from acompass.errors.display import on_one_line
from acompass.language.text.tokens import spell_string

#: digits that the exact decimal type of every engine holds
MOST_DIGITS = 38


class Kind(StrEnum):
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    #: an exact fraction between 0 and 1; no column has it, only the value of a SHARE (X13)
    SHARE = "share"
    #: a column that no policy can name (a list, a blob, …); it passes through unchanged
    OPAQUE = "opaque"
    #: a column that DROP removed; it keeps its position in the schema, without values (X3)
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Type:
    kind: Kind
    scale: int = 0  # digits after the point of a decimal; 0 for every other kind
    #: for numbers read from text, which are written as they were spelled: `2` and `2.0` are the same number (D26)
    spelled: bool = field(default=False, compare=False)
    #: constants that REPLACE writes in their shortest form, because the column has another spelling of them
    shortened: frozenset[Decimal] = field(default=frozenset(), compare=False)
    #: the kind of numbers that a text column contains in addition to labels of bands and `*` (X2)
    numbers: Kind | None = field(default=None, compare=False)
    #: whether a text column of a table that may be released contains pseudonyms (D32)
    pseudonyms: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return f"decimal({self.scale})" if self.kind is Kind.DECIMAL else str(self.kind)

    @property
    def is_number(self) -> bool:
        return self.kind in (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT)

    @property
    def is_spelled_decimal(self) -> bool:
        """Whether values have a spelling in addition to their number. An integer has only one."""
        return self.spelled and self.kind is Kind.DECIMAL


INTEGER = Type(Kind.INTEGER)
FLOAT = Type(Kind.FLOAT)
TEXT = Type(Kind.TEXT)
BOOLEAN = Type(Kind.BOOLEAN)
DATE = Type(Kind.DATE)
TIMESTAMP = Type(Kind.TIMESTAMP)
SHARE = Type(Kind.SHARE)
OPAQUE = Type(Kind.OPAQUE)
DROPPED = Type(Kind.DROPPED)


def decimal(scale: int) -> Type:
    return Type(Kind.DECIMAL, scale)


#: int for integer, Decimal for decimal, float, str, bool, date and datetime for the others
Value: TypeAlias = int | Decimal | float | str | bool | datetime.date | datetime.datetime


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: Type


#: the paper's schema S = (A1, …, An): distinct names, in order
Schema: TypeAlias = tuple[Column, ...]


def remaining(schema: Schema) -> tuple[int, ...]:
    """The positions of the columns that no DROP has removed."""
    return tuple(p for p, column in enumerate(schema) if column.type.kind is not Kind.DROPPED)


def make_schema(types: Mapping[str, Type]) -> Schema:
    return tuple(Column(name, type_) for name, type_ in types.items())


def types_by_name(schema: Schema) -> dict[str, str | Type]:
    """The schema as an argument of `prove` and `lint`, which also accept the names of types."""
    return {column.name: column.type for column in schema}


#: ten times the digits of the longest constant that a policy may compare (`LONGEST`)
EXACT = Context(prec=10_000)


def at_scale(value: Decimal, scale: int, rounding: str | None = None) -> Decimal:
    """The value with `scale` digits after the point."""
    return value.quantize(Decimal(1).scaleb(-scale), rounding, EXACT)


def shortest_decimal(value: Decimal) -> Decimal:
    """The same number without zeros at the end of its fraction, and without a negative zero."""
    _, _, exponent = value.normalize(EXACT).as_tuple()
    assert isinstance(exponent, int)
    return at_scale(value, max(-exponent, 0)) or Decimal(0)


def to_text(value: Value, type_: Type) -> str:
    """The text of a value in a column that becomes text (D12)."""
    match type_.kind:
        case Kind.TEXT | Kind.INTEGER:
            return str(value)
        case Kind.DECIMAL if type_.spelled:
            return f"{value:f}"
        case Kind.DECIMAL:
            return f"{value:.{type_.scale}f}"
        case Kind.FLOAT:
            return repr(value)
        case Kind.BOOLEAN:
            return "true" if value else "false"
        case Kind.DATE | Kind.TIMESTAMP:
            assert isinstance(value, datetime.date)
            return value.isoformat()
        case Kind.SHARE:
            return str(value)
        case Kind.OPAQUE | Kind.DROPPED:
            raise AssertionError("no policy names an opaque or a dropped column")
        case _:
            assert_never(type_.kind)


def convert(value: Value, source: Type, target: Type) -> Value:
    """The value in a column whose type changes from `source` to `target`."""
    if source == target:
        return value
    match target.kind:
        case Kind.TEXT:
            return to_text(value, source)
        case Kind.DECIMAL:
            assert isinstance(value, int | Decimal)
            if target.spelled:
                return Decimal(value)
            return at_scale(Decimal(value), target.scale)
        case Kind.FLOAT:
            assert isinstance(value, int | float | Decimal)
            return float(value)
        case _:
            raise AssertionError(f"no conversion from {source} to {target}")


def round_away(value: Fraction) -> int:
    """The nearest integer, halves away from zero."""
    rounded = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return rounded if value >= 0 else -rounded


def nearest_multiple(number: Fraction, step: Decimal) -> Fraction:
    return round_away(number / Fraction(step)) * Fraction(step)


def number_of_type(exact: Fraction, type_: Type) -> Value | None:
    """An exact number in a column of this type: an integer of 64 bits, a decimal of its scale, rounded with halves away
    from zero, or the nearest float. None if it does not fit."""
    match type_.kind:
        case Kind.INTEGER:
            whole = round_away(exact)
            return whole if -(2**63) <= whole < 2**63 else None
        case Kind.DECIMAL:
            unscaled = round_away(exact * 10**type_.scale)
            return (
                at_scale(EXACT.scaleb(Decimal(unscaled), -type_.scale), type_.scale) if fits_digits(unscaled) else None
            )
        case Kind.FLOAT:
            try:
                return exact.numerator / exact.denominator + 0.0
            except OverflowError:
                return None
        case _:
            raise AssertionError(f"no numbers in a column of type {type_}")


def fits_digits(unscaled: int | Decimal) -> bool:
    return bool(-(10**MOST_DIGITS) < unscaled < 10**MOST_DIGITS)


#: names that a message lists; the rest are counted
LISTED = 12
#: comparisons of spellings per policy, so that many mistakes in a wide table stay cheap
SPELLING_BUDGET = 200_000


class Names:
    """Column names with constant-time lookup, exact or else case-insensitive (D3)."""

    __slots__ = ("_budget", "_exact", "_folded", "texts")

    def __init__(self, texts: Sequence[str]):
        self.texts = tuple(texts)
        self._exact = {text: (position,) for position, text in enumerate(self.texts)}
        self._folded: dict[str, tuple[int, ...]] = {}
        self._budget = SPELLING_BUDGET
        for position, text in enumerate(self.texts):
            folded = text.casefold()
            self._folded[folded] = (*self._folded.get(folded, ()), position)

    def find(self, text: str) -> tuple[int, ...]:
        """The positions of the columns that the name matches: one, none, or several if it is ambiguous."""
        return self._exact.get(text) or self._folded.get(text.casefold(), ())

    def before_equals(self, text: str) -> tuple[str, str] | None:
        """The name before `=` and the text after it; None without `=`. A column's name may contain `=`."""
        places = [place for place, character in enumerate(text) if character == "="]
        if not places:
            return None
        place = next((place for place in places if self.find(text[:place])), places[0])
        return text[:place], text[place + 1 :]

    def spelling(self, text: str, position: int | None) -> str:
        """The name of the column at the position, or the text itself if the position is None."""
        return text if position is None else self.texts[position]

    def closest(self, text: str) -> str | None:
        """The most similar name, if any is similar and the budget allows the search."""
        if self._budget < len(self.texts):
            return None
        self._budget -= len(self.texts)
        matches = difflib.get_close_matches(text.casefold(), self._folded, n=1)
        return self.texts[self._folded[matches[0]][0]] if matches else None

    def listing(self) -> str:
        listed = ", ".join(self.texts[:LISTED])
        more = len(self.texts) - LISTED
        return f"{listed} and {more:,} more" if more > 0 else listed


def spell_value(value: Any, type_: Type) -> str:
    """A value as a policy would spell it."""
    text = to_text(value, type_)
    is_number = type_.is_number or type_.kind is Kind.SHARE
    return on_one_line(text if is_number else spell_string(text))


def difference(before: Any, after: Any) -> str:
    """The change from one exact number to another, as in ` (6 less)`; empty for other values."""
    number = int | Decimal
    if not isinstance(before, number) or not isinstance(after, number) or isinstance(after, bool):
        return ""
    amount = abs(EXACT.subtract(Decimal(after), Decimal(before)))
    return f" ({amount:,f} {'more' if after > before else 'less'})"


#: a word of a column's name that says that it identifies someone; other columns are found by their role
PERSON_WORDS = frozenset(
    (
        *("id", "ids", "uid", "uuid", "guid", "pid", "identifier", "pseudonym", "ssn", "mrn"),
        *("person", "persons", "patient", "patients", "subject", "participant", "respondent", "client", "customer"),
        *("member", "user", "employee", "student", "pupil", "resident", "citizen", "insured", "paciente"),
    )
)
_COMPOUNDS = ("patient", "versicherte")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")


def words_in(name: str) -> list[str]:
    """The words of a column's name, also of `zipCode` and `zip_code`."""
    return [word.casefold() for word in _WORD.findall(name)]


def looks_like_persons(name: str) -> bool:
    return any(word in PERSON_WORDS or word.startswith(_COMPOUNDS) for word in words_in(name))
