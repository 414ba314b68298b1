"""What the name and the values of a column say about whether it is a column of a rule.

A name is compared by its words: it may be the rule's, or have further words, which say whose it is or that it is about
something else. Values are compared with forms, such as dates."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import partial
from itertools import pairwise
from typing import Literal, TypeAlias

from acompass.author.rules.library import RuleColumn
from acompass.dataclasses import dataclass
from acompass.language.program.types import PERSON_WORDS


class Grade(IntEnum):
    """How well a column of the table fits one of the rule."""

    VALUES_LIKE = 1  # by values that other columns can have as well
    SEVERAL = 2  # the same, with values that a table often has in several columns: counts and ZIP codes
    DATES = 3  # the same, with full dates
    FAR = 4  # the name says that it is about something other than a person, or the values contradict the name
    LIKE = 5  # the name has further words of unknown meaning
    REST = 6  # by role, if a column of the rule with a name or values of its own does not claim it
    VALUES = 7
    PART = 8  # the name has further words
    NAME = 9
    ROLE = 10


#: the lowest grade of a match
SURE = Grade.REST


#: the best grade of a column's forms that the values have, 0 if they have none. None if that says nothing: without
#: values or forms, or with a form that many columns have
Agreement: TypeAlias = Grade | Literal[0] | None


class Values:
    """Some values of a column. It answers with shares only."""

    def __init__(self, texts: Sequence[str]):
        stripped = (text.strip()[:_LONGEST] for text in texts)
        self._texts = [text for text in stripped if text.casefold() not in _MISSING]

    @property
    def are_distinct(self) -> bool:
        """Whether most values occur once; True if that is not known."""
        return len(set(self._texts)) >= _DISTINCT * len(self._texts)

    def agreement(self, column: RuleColumn) -> Agreement:
        if not self._texts or not column.values:
            return None
        found = [FORMS[form] for form in column.values if self._have(FORMS[form].fits)]
        return max((form.alone for form in found if form.alone is not None), default=None) if found else 0

    def grade_alone(self, column: RuleColumn) -> Grade | None:
        """What the values say if the name says nothing."""
        forms = [FORMS[form] for form in column.values] if self._texts else []
        found = (form.alone for form in forms if self._have(form.tells or form.fits))
        return max((grade for grade in found if grade is not None), default=None)

    def _have(self, fits: Callable[[str], object]) -> bool:
        return sum(1 for text in self._texts if fits(text)) >= _ENOUGH * len(self._texts)


#: spellings of a missing or suppressed value
_MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "nil", "unknown", "missing", "?", "-", "--", ".", "*"))
_ENOUGH = 0.95  # of the values
_DISTINCT = 0.5  # of the values of a code
_LONGEST = 300  # characters that are looked at


def grade_name(column: RuleColumn, name: str, values: Values) -> tuple[Grade, int] | None:
    """How well the name fits, and the number of its letters that are those of the rule."""
    words, known = name_words(name), values.agreement(column)
    best: tuple[Grade, int] | None = None
    for own in map(name_words, (column.name, *column.names)):
        length = len("".join(own))
        for start, end in _places(own, words):
            if end - start == len(words):
                return Grade.NAME, length
            parts = _Parts(*map(_expand, (words[:start], words[start:end], words[end:])))
            generic = _grade_generic(parts, column, values)
            grade = generic if parts.is_generic else _grade_part(parts, known, is_person=column.role == "person")
            if grade is not None:
                best = (grade, length) if best is None else max(best, (grade, length))
    return best


def _places(own: Sequence[str], words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where the words contain a name, whose own words may be abbreviated or written together."""
    wanted = {"".join(own), "".join(_expand(own))}
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            found = words[start:end]
            if not wanted.isdisjoint(("".join(found), "".join(_expand(found)))):
                yield start, end


def _expand(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(_ABBREVIATIONS.get(word, word) for word in words)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The words of a column's name that the rule has, and those before and after them."""

    before: Sequence[str]
    own: Sequence[str]
    after: Sequence[str]

    @property
    def is_about_own(self) -> bool:
        """Whether the column is what the rule's words say: a `patient sex` is a sex, not a patient."""
        if not _PERSONS.isdisjoint(self.own):
            return all(word in _NUMBERS or word.isdigit() for word in self.after)
        return all(map(_says_whose, self.after)) or self.after[0] in _PREPOSITIONS

    @property
    def is_plain(self) -> bool:
        """Whether the other words only say whose it is."""
        return self.is_about_own and all(map(_says_whose, (*self.before, *self.after)))

    @property
    def is_generic(self) -> bool:
        """Whether the rule's words say nothing without the others: an `account number` does not count anything."""
        is_number = self.own == ("number",) and bool(self.before)
        return is_number or (_GENERIC.issuperset(self.own) and not self.is_plain)

    @property
    def is_far(self) -> bool:
        return not _FAR_WORDS.isdisjoint((*self.before, *self.after))


def _grade_generic(parts: _Parts, column: RuleColumn, values: Values) -> Grade | None:
    """Numbers and codes that are mostly distinct may identify persons."""
    may_identify = column.role == "identifiers" and parts.is_about_own and values.are_distinct
    return Grade.LIKE if may_identify else None


def _grade_part(name: _Parts, known: Agreement, is_person: bool) -> Grade | None:
    if not name.is_about_own and not _PERSONS.isdisjoint(name.own):
        return None
    is_short = len("".join(name.own)) <= _SHORT and _PERSONS.isdisjoint(name.before)
    if is_short and not known:
        return None
    if known == 0:
        return Grade.LIKE if name.is_about_own and not name.is_far else Grade.FAR
    if name.is_far and (known is None or known < Grade.DATES):  # a date of a test is a date of a person
        return Grade.FAR
    is_telling = len(name.own) > 1 or (known is not None and not is_short and name.own != ("count",))
    # persons are counted, so that another number, as in `insurance member id`, must not be taken for theirs
    return Grade.PART if name.is_plain or (is_telling and not is_person) else Grade.LIKE


#: names of the rule with so few letters are found in longer names only if the values agree, or after a person's word
_SHORT = 2


def _set(words: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", words))


_ABBREVIATIONS: Mapping[str, str] = dict(
    re.findall(
        r"(\w+)=(\w+)",
        """dt=date cd=code num=number nbr=number nr=number no=number addr=address tel=telephone pt=patient
        bene=beneficiary mbr=member hosp=hospital prvdr=provider""",
    )
)
_PERSONS = PERSON_WORDS | _set(
    """beneficiary beneficiaries people cases subjects participants members employees students pupils residents
    individual individuals child baby infant mother father parent spouse guardian relative kin applicant donor
    recipient worker teacher employer"""
)
_NUMBERS = _set("id number code identifier key")
_GENERIC = _NUMBERS | _set("total value text")
_PREPOSITIONS = _set("of at on in for from by de du der des von van di")
#: words that say whose it is, which of several it is, or how it is stored
_PLAIN_WORDS = (_PERSONS | _NUMBERS | _PREPOSITIONS) | _set(
    """case household next home residence residential mailing postal contact emergency work personal own first last
    middle given family maiden birth legal preferred current previous primary secondary usual mobile cell the new old
    value val text txt str raw orig original full datetime timestamp years yrs line address total count n"""
)
#: what a person does not have, and what is computed from several persons
_FAR_WORDS = _set(
    """hospital facility provider clinic ward department unit practice pharmacy school college university district
    company organization agency insurer payer plan vendor manufacturer site store office bank business
    drug medication product item brand generic test lab procedure diagnosis disease course class grade program
    project study survey file table column variable server host device system software version batch event
    average avg mean median minimum maximum min max std sd rate ratio percent pct percentage share index score
    flag type status category"""
)


def _says_whose(word: str) -> bool:
    return word in _PLAIN_WORDS or word.isdigit()


def name_words(name: str) -> tuple[str, ...]:
    """The words of a column's name, without case and accents: those of `ZipCode_2` are `zip`, `code` and `2`."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", name) if not unicodedata.combining(each))
    words = [word for chunk in re.findall(r"[^\W_]+", plain) for word in _split_case(chunk)]
    return tuple(word.casefold() for word in words)


def _split_case(chunk: str) -> Iterator[str]:
    """Split before a capital that follows a small letter or precedes one, and between letters and digits."""
    start = 0
    for place, (one, other) in enumerate(pairwise(chunk), start=1):
        following = chunk[place + 1 : place + 2]
        is_capital = other.isupper() and (one.islower() or (one.isupper() and following.islower()))
        if is_capital or one.isdigit() != other.isdigit():
            yield chunk[start:place]
            start = place
    yield chunk[start:]


@dataclass(frozen=True, slots=True)
class Form:
    """What the values of a column look like."""

    fits: Callable[[str], object]
    #: the grade of a column that is found by its values alone; None if too many columns have such values
    alone: Grade | None = None
    tells: Callable[[str], object] | None = None  # what the values are then, if it is not the same


def _pattern(*patterns: str) -> Callable[[str], object]:
    return re.compile("|".join(patterns), re.ASCII | re.IGNORECASE).fullmatch


def _is_within(lower: int, upper: int, value: str) -> bool:
    return len(value) < _LONG and value.isascii() and value.isdigit() and lower <= int(value) <= upper


_LONG = 20
_TIME = r"([T ][0-9:.,+Z -]+(am|pm)?)?"
_DAY, _MONTH = r"(0?[1-9]|[12][0-9]|3[01])", r"(0?[1-9]|1[0-2])"
_MONTH_NAME = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_YEAR = r"(1[89]|2[01])[0-9]{2}"
_DATES = (
    rf"{_YEAR}[-/.]{_MONTH}[-/.]{_DAY}{_TIME}",
    rf"({_DAY}[-/. ]{_MONTH}|{_MONTH}[-/]{_DAY})[-/. ]({_YEAR}|[0-9]{{2}}){_TIME}",
    rf"({_DAY}[- ]?{_MONTH_NAME}|{_MONTH_NAME} {_DAY}),?[- ]?({_YEAR}|[0-9]{{2}}){_TIME}",
    rf"{_YEAR}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])",
)
_IS_YEAR = _pattern(_YEAR)
_HEX, _SSN = r"[0-9a-f]{0,4}", "[0-9]{3}-[0-9]{2}-[0-9]{4}"

#: the forms that `values` in a rule.toml can name
FORMS: Mapping[str, Form] = {
    "email": Form(_pattern(r"[^@\s,;]+@[^@\s,;]+\.[^@\s,;.]{2,}"), Grade.VALUES),
    "phone": Form(
        _pattern(r"\+?[0-9() ./-]{7,20}( ?(x|ext)\.? ?[0-9]+)?"),
        Grade.VALUES,
        # plain digits can be any number
        _pattern(
            r"(\+?1[ .-]?)?(\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}( ?(x|ext)\.? ?[0-9]+)?",
            r"\+[1-9][0-9() ./-]{6,18}",
        ),
    ),
    "ssn": Form(_pattern(r"[0-9]{9}", _SSN, _SSN.replace("}-", "} ")), Grade.VALUES, _pattern(_SSN)),
    "ip": Form(_pattern(r"([0-9]{1,3}\.){3}[0-9]{1,3}", rf"({_HEX}:){{2,7}}{_HEX}"), Grade.VALUES),
    "url": Form(_pattern(r"(https?|ftp)://\S+", r"www\.\S+\.\S+"), Grade.VALUES),
    "zip": Form(
        _pattern(r"[0-9]{3,5}", r"[0-9]{5}-?[0-9]{4}", r"[0-9]{3}(\*\*|XX)"),
        Grade.SEVERAL,
        _pattern(r"[0-9]{5}", r"[0-9]{5}-[0-9]{4}"),
    ),
    "date": Form(_pattern(*_DATES), Grade.DATES),
    "year": Form(_IS_YEAR, Grade.VALUES_LIKE),
    "date or year": Form(_pattern(*_DATES, _YEAR)),  # says nothing alone, for a column that is found by its name
    "age": Form(
        lambda value: _is_within(0, 130, re.sub(r"\.0+$|\+$|^[<>≥≤]=? ?| (years|yrs|or older|and over)$", "", value)),
        Grade.VALUES_LIKE,
        partial(_is_within, 0, 130),
    ),
    "count": Form(
        _pattern(r"[0-9]+(\.0+)?", r"[0-9]{1,3}([, ][0-9]{3})+", r"[<≤≥>]=? ?[0-9]+", r"[a-z]"),
        Grade.SEVERAL,
        _pattern(rf"(?!{_YEAR}$)(0|[1-9][0-9]{{0,5}})"),  # longer ones are rather numbers of documents
    ),
    "number": Form(_pattern(r"[-+]?([0-9]+|[0-9]{1,3}([, ][0-9]{3})+)?([.,][0-9]+)?(e[-+]?[0-9]+)?")),
    "text": Form(lambda value: any(map(str.isalpha, value))),
    "code": Form(_pattern(r"(?=.*[0-9])\S+")),
}
