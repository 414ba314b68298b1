"""Find the columns of a rule in a table: those that the call names, or else by role, by name, and by their values.

A claim says how well a column of the table fits a column of the rule. Sure claims make matches. Others make doubts,
which the caller asks about (`ask`) or reports (`require_certain`). Values are only counted; no message contains one."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import partial
from itertools import pairwise
from typing import Literal, Protocol, TypeAlias

from acompass.author.rules.library import Rule, RuleColumn
from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.errors.display import join_choices
from acompass.language.program.types import Names
from acompass.policy import PERSON_WORDS, TableRoles
from acompass.roles import find_column, with_exact_names

Reason: TypeAlias = Literal["given", "role", "name", "values"]
Given: TypeAlias = Mapping[str, Sequence[str]] | None
Samples: TypeAlias = Mapping[str, Sequence[str]]

_SAMPLE = 1_000  # records


@dataclass(frozen=True, slots=True)
class Match:
    """The columns of a table that a column of the rule stands for."""

    column: RuleColumn
    columns: tuple[str, ...]
    reason: Reason  # of several columns, the weakest reason


@dataclass(frozen=True, slots=True)
class Doubt:
    """A column of the rule that may be one of these, or that is required and was not found."""

    column: RuleColumn
    candidates: tuple[str, ...]  # the best first; of a column that can be many, also those that are certain


@dataclass(frozen=True, slots=True)
class Matching:
    matches: tuple[Match, ...]
    doubts: tuple[Doubt, ...]
    others: tuple[str, ...]  # columns of the table that the rule says nothing about

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The columns of the table for each column of the rule."""
        return {match.column.name: match.columns for match in self.matches}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table."""
        found = (*(each.columns for each in self.matches), *(each.candidates for each in self.doubts), self.others)
        return tuple(dict.fromkeys(name for names in found for name in names))


def match_columns(
    rule: Rule, names: Sequence[str], roles: TableRoles, given: Given = None, samples: Samples | None = None
) -> Matching:
    """`given` are columns of the table for columns of the rule, none for an empty list; they are never in doubt.
    `samples` are some values of each column, as text."""
    chosen = given_columns(rule, given, names)
    settled = {name for columns in chosen.values() for name in columns}
    table = _Table([name for name in names if name not in settled], with_exact_names(roles, names), samples or {})
    claims, wanted = list[_Claim](), [each for each in rule.columns if each.name not in chosen]
    while True:
        claims = [claim for name in table.names for claim in _claims(table, wanted, name)]
        found = {each.name for each in rule.columns if chosen.get(each.name) or _is_found(claims, each, rule)}
        left = [each for each in wanted if each.unless not in found]
        if left == wanted:
            break
        wanted = left
    matches, doubts = list[Match](), list[Doubt]()
    for column in rule.columns:
        if chosen.get(column.name):
            matches.append(Match(column, chosen[column.name], "given"))
        elif column in wanted:
            match _decide(column, claims, rule):
                case Match() as certain:
                    matches.append(certain)
                case Doubt() as doubt:
                    doubts.append(doubt)
    named = {name for match in matches for name in match.columns} | {
        name for each in doubts for name in each.candidates
    }
    return Matching(tuple(matches), tuple(doubts), tuple(name for name in names if name not in named))


class _Session(Protocol):
    def first_values(self, records: int) -> Samples: ...


def sample_values(session: _Session) -> Samples:
    """Some values of each column, as text."""
    return session.first_values(_SAMPLE)


def given_columns(rule: Rule, given: Given, names: Sequence[str] | None = None) -> dict[str, tuple[str, ...]]:
    """The columns that a call gives for those of the rule, spelled as in the rule and, if `names` are the columns of a
    table, as in the table."""
    own, theirs = Names([each.name for each in rule.columns]), None if names is None else Names(names)
    found, problems = dict[str, tuple[str, ...]](), list[Diagnostic]()
    for wanted, columns in (given or {}).items():
        place = find_column(own, wanted)
        places = [] if theirs is None else [find_column(theirs, name) for name in columns]
        problems += [_not_given(each, "the table") for each in places if isinstance(each, Diagnostic)]
        if isinstance(place, Diagnostic):
            problems.append(_not_given(place, f"rule `{rule.name}`"))
            continue
        spelled = columns if theirs is None else [theirs.texts[each] for each in places if isinstance(each, int)]
        problems += _unfit(rule.columns[place], columns, spelled, found)
        found[rule.columns[place].name] = tuple(spelled)
    problems += [_needed(each) for each in rule.columns if _lacks(each, found)]
    if problems:
        raise CallError(problems)
    return found


def _lacks(column: RuleColumn, found: Mapping[str, Sequence[str]]) -> bool:
    """Whether a column that the rule needs for this kind of table is said to be absent."""
    is_meant = column.unless is None or not found.get(column.unless)
    return column.is_required and is_meant and not found.get(column.name, (column.name,))


def _needed(column: RuleColumn) -> Diagnostic:
    option = option_text("columns", {column.name: ...})
    return Diagnostic("AC654", f"the rule needs a column for `{column.name}`", help=f"give `{option}`")


def _not_given(problem: Diagnostic, owner: str) -> Diagnostic:
    message = f"{problem.message} of {owner} in `{option_text('columns')}`"
    return replace(problem, code="AC654", message=message)


def _unfit(
    column: RuleColumn, columns: Sequence[str], spelled: Sequence[str], others: Mapping[str, Sequence[str]]
) -> Iterator[Diagnostic]:
    """What is wrong with the columns that are given for a column of the rule, after those given for others."""
    if len(columns) > 1 and not column.is_many:
        option = option_text("columns", {column.name: ...})
        message = f"{len(columns)} columns are given for `{column.name}` of the rule, expected one"
        yield Diagnostic("AC654", message, help=f"give one, as in `{option}`")
    for name in spelled:
        owner = next((own for own, given in others.items() if name in given), None)
        if owner is not None:
            message = f"column `{name}` is given for `{owner}` and for `{column.name}` of the rule"
            yield Diagnostic("AC654", message, help="give it for one of them")


class _Grade(IntEnum):
    """How well a column of the table fits one of the rule."""

    VALUES_LIKE = 1  # by values that other columns can have as well
    DATES = 2  # the same, with full dates
    FAR = 3  # the name says that it is about something other than a person, or the values contradict the name
    LIKE = 4  # the name has further words of unknown meaning
    REST = 5  # by role, if a column of the rule with a name or values of its own does not claim it
    VALUES = 6
    PART = 7  # the name has further words
    NAME = 8
    ROLE = 9

    @property
    def reason(self) -> Reason:
        return "role" if self in (_Grade.ROLE, _Grade.REST) else "values" if self is _Grade.VALUES else "name"


#: the lowest grade of a match
_SURE = _Grade.REST


@dataclass(frozen=True, slots=True)
class _Claim:
    column: RuleColumn
    name: str
    grade: _Grade
    length: int = 0  # the number of letters of the name that are those of the rule


def _claims(table: "_Table", wanted: Sequence[RuleColumn], name: str) -> list[_Claim]:
    """The best sure claim to a column of the table, or else all others."""
    found = [claim for column in wanted for claim in _claims_of(table, wanted, column, name)]
    best = max(found, key=lambda claim: (claim.grade, claim.length), default=None)
    return [best] if best is not None and best.grade >= _SURE else found


def _claims_of(table: "_Table", wanted: Sequence[RuleColumn], column: RuleColumn, name: str) -> list[_Claim]:
    by_role = _grade_role(wanted, column)
    claims = [_claim_by_name(table, column, name), _claim_by_values(table, column, name)]
    if by_role is not None and column.role is not None:
        if table.has_role(name, column.role):
            claims.append(_Claim(column, name, by_role))
        elif table.has_other_role(name, column.role):
            return []
    best = max((each for each in claims if each is not None), key=lambda each: each.grade, default=None)
    return [] if best is None else [best]


def _grade_role(wanted: Sequence[RuleColumn], column: RuleColumn) -> _Grade | None:
    """A role alone decides about the column of persons, and about a column of the rule that stands for all columns with
    that role: it says nothing about their values, and nothing about their names unless no other column has the role."""
    if column.role is None or column.role == "person":
        return None if column.role is None else _Grade.ROLE
    is_shared = sum(each.role == column.role for each in wanted) > 1
    if column.values or (column.names and (is_shared or not column.is_many)):
        return None
    return _Grade.REST if is_shared else _Grade.ROLE


def _claim_by_name(table: "_Table", column: RuleColumn, name: str) -> _Claim | None:
    words, best = name_words(name), _Claim(column, name, _Grade.VALUES_LIKE)
    known = table.agreement(name, column)
    for own in map(name_words, (column.name, *column.names)):
        length = len("".join(own))
        for start, end in _places(own, words):
            if end - start == len(words):
                return _Claim(column, name, _Grade.NAME, length)
            parts = _Parts(*map(_expand, (words[:start], words[start:end], words[end:])))
            grade = _grade_generic(table, parts, column, name) if parts.is_generic else _grade_part(parts, known)
            if grade is not None:
                best = max(best, _Claim(column, name, grade, length), key=lambda each: (each.grade, each.length))
    return best if best.length else None


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
        """Whether the rule's words say nothing without the others: an `account number` is no number of something."""
        is_number = self.own == ("number",) and bool(self.before)
        return is_number or (_GENERIC.issuperset(self.own) and not self.is_plain)

    @property
    def is_far(self) -> bool:
        return not _FAR_WORDS.isdisjoint((*self.before, *self.after))


def _grade_generic(table: "_Table", parts: _Parts, column: RuleColumn, name: str) -> _Grade | None:
    """Numbers and codes that are mostly distinct may identify persons."""
    may_identify = column.role == "identifiers" and parts.is_about_own and table.is_distinct(name)
    return _Grade.LIKE if may_identify else None


def _grade_part(name: _Parts, known: "_Grade | Literal[0] | None") -> _Grade | None:
    """`known` is what the values say, as in `_Table.agreement`."""
    if not name.is_about_own and not _PERSONS.isdisjoint(name.own):
        return None
    is_short = len("".join(name.own)) <= _SHORT and _PERSONS.isdisjoint(name.before)
    if is_short and not known:
        return None
    if known == 0:
        return _Grade.LIKE if name.is_about_own and not name.is_far else _Grade.FAR
    if name.is_far and (known is None or known < _Grade.DATES):  # a date of a test is a date of a person
        return _Grade.FAR
    is_telling = len(name.own) > 1 or (known is not None and not is_short and name.own != ("count",))
    return _Grade.PART if name.is_plain or is_telling else _Grade.LIKE


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


def _claim_by_values(table: "_Table", column: RuleColumn, name: str) -> _Claim | None:
    forms = (FORMS[form] for form in column.values)
    grades = [form.alone for form in forms if form.alone is not None and table.tells(name, form)]
    if not grades or (max(grades) < _SURE and table.has_other_role(name, column.role)):
        return None
    return _Claim(column, name, max(grades))


def _sure(claims: Sequence[_Claim], column: RuleColumn) -> list[_Claim]:
    found = [claim for claim in claims if claim.column is column and claim.grade >= _SURE]
    best = max((claim.grade for claim in found), default=None)
    return found if column.is_many else [claim for claim in found if claim.grade == best]


def _is_found(claims: Sequence[_Claim], column: RuleColumn, rule: Rule) -> bool:
    """Whether the table has the column. If roles say that it is a table of another kind, a part of a name is not
    enough: `visit count` may be a number of each patient."""
    sure = _sure(claims, column)
    return bool(sure) and (sure[0].grade >= _Grade.NAME or not _is_other_kind(claims, column, rule))


def _is_other_kind(claims: Sequence[_Claim], column: RuleColumn, rule: Rule) -> bool:
    """Whether the table has a column, by its role or its whole name, that is looked for only in tables without this
    one."""
    instead = [each for each in rule.columns if each.unless == column.name]
    known = (_Grade.REST, _Grade.NAME, _Grade.ROLE)
    return any(claim.grade in known for each in instead for claim in _sure(claims, each))


def _decide(column: RuleColumn, claims: Sequence[_Claim], rule: Rule) -> Match | Doubt | None:
    sure, is_other_kind = _sure(claims, column), _is_other_kind(claims, column, rule)
    like = [each for each in claims if each.column is column and each.grade < _SURE]
    like.sort(key=lambda each: -each.grade)
    if sure:
        # a rule that means many columns means these as well, if they are what they seem to be
        more = [each for each in like if column.is_many and each.grade in (_Grade.LIKE, _Grade.DATES)]
        if more or (len(sure) > 1 and not column.is_many) or not _is_found(claims, column, rule):
            return Doubt(column, tuple(each.name for each in (*sure, *more)))
        weakest = min(sure, key=lambda each: each.grade)
        return Match(column, tuple(each.name for each in sure), weakest.grade.reason)
    by_name = [each for each in like if each.grade in (_Grade.LIKE, _Grade.FAR)]
    candidates = tuple(each.name for each in by_name or (() if is_other_kind else like))
    return Doubt(column, candidates) if candidates or (column.is_required and not is_other_kind) else None


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


class _Table:
    """What is known about the columns of a table."""

    def __init__(self, names: Sequence[str], roles: TableRoles, samples: Samples):
        self.names = names
        self._roles = {name: role for role, columns in roles.by_name.items() for name in columns}
        self._person = roles.person
        self._values = {name: _present(values) for name, values in samples.items()}

    def has_role(self, name: str, role: str) -> bool:
        """`role` is spelled as in an acompass.toml."""
        return name == self._person if role == "person" else self._roles.get(name) == role.replace("-", "_")

    def has_other_role(self, name: str, role: str | None) -> bool:
        """Whether the column has a role, and the rule's column another one."""
        return name in self._roles and role not in (None, "person") and not self.has_role(name, role or "")

    def agreement(self, name: str, column: RuleColumn) -> "_Grade | Literal[0] | None":
        """The best grade of the column's forms that the values have, 0 if they have none. None if that says nothing:
        without values or forms, or with a form that many columns have."""
        values, forms = self._values.get(name), [FORMS[form] for form in column.values]
        if not values or not forms:
            return None
        found = [form for form in forms if _have_form(values, form.fits)]
        return max((form.alone for form in found if form.alone is not None), default=None) if found else 0

    def is_distinct(self, name: str) -> bool:
        """Whether most values occur once; True if that is not known."""
        values = self._values.get(name, ())
        return len(set(values)) >= _DISTINCT * len(values)

    def tells(self, name: str, form: "Form") -> bool:
        values = self._values.get(name)
        return bool(values) and _have_form(values or (), form.tells or form.fits)


#: spellings of a missing or suppressed value
_MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "nil", "unknown", "missing", "?", "-", "--", ".", "*"))
_ENOUGH = 0.95  # of the values
_DISTINCT = 0.5  # of the values of a code


def _present(values: Sequence[str]) -> list[str]:
    stripped = (value.strip() for value in values)
    return [value for value in stripped if value.casefold() not in _MISSING]


def _have_form(values: Sequence[str], fits: Callable[[str], object]) -> bool:
    return sum(1 for value in values if fits(value)) >= _ENOUGH * len(values)


@dataclass(frozen=True, slots=True)
class Form:
    """What the values of a column look like."""

    fits: Callable[[str], object]
    #: the grade of a column that is found by its values alone; None if too many columns have such values
    alone: _Grade | None = None
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
_NUMBER = r"[-+]?([0-9]+|[0-9]{1,3}([, ][0-9]{3})+)?([.,][0-9]+)?(e[-+]?[0-9]+)?"
_IS_NUMBER = _pattern(_NUMBER)
_HEX = r"[0-9a-f]{0,4}"

#: the forms that `values` in a rule.toml can name
FORMS: Mapping[str, Form] = {
    "email": Form(_pattern(r"[^@\s,;]+@[^@\s,;]+\.[^@\s,;.]{2,}"), _Grade.VALUES),
    "phone": Form(
        _pattern(r"\+?[0-9() ./-]{7,20}( ?(x|ext)\.? ?[0-9]+)?"),
        _Grade.VALUES,
        # plain digits can be any number
        _pattern(
            r"(\+?1[ .-]?)?(\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}( ?(x|ext)\.? ?[0-9]+)?",
            r"\+[1-9][0-9() ./-]{6,18}",
        ),
    ),
    "ssn": Form(
        _pattern(r"[0-9]{9}", r"[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}"),
        _Grade.VALUES,
        _pattern(r"[0-9]{3}-[0-9]{2}-[0-9]{4}"),
    ),
    "ip": Form(_pattern(r"([0-9]{1,3}\.){3}[0-9]{1,3}", rf"({_HEX}:){{2,7}}{_HEX}"), _Grade.VALUES),
    "url": Form(_pattern(r"(https?|ftp)://\S+", r"www\.\S+\.\S+"), _Grade.VALUES),
    "zip": Form(
        _pattern(r"[0-9]{3,5}", r"[0-9]{5}-?[0-9]{4}", r"[0-9]{3}(\*\*|XX)"),
        _Grade.VALUES_LIKE,
        _pattern(r"[0-9]{5}", r"[0-9]{5}-[0-9]{4}"),
    ),
    "date": Form(_pattern(*_DATES), _Grade.DATES),
    "year": Form(_IS_YEAR, _Grade.VALUES_LIKE),
    "age": Form(
        lambda value: _is_within(0, 130, re.sub(r"\.0+$|\+$|^[<>≥≤]=? ?| (years|yrs|or older|and over)$", "", value)),
        _Grade.VALUES_LIKE,
        partial(_is_within, 0, 130),
    ),
    "count": Form(
        _pattern(r"[0-9]+(\.0+)?", r"[0-9]{1,3}([, ][0-9]{3})+", r"[<≤≥>]=? ?[0-9]+", r"[a-z]"),
        _Grade.VALUES_LIKE,
        lambda value: value.isascii() and value.isdigit() and (value == "0" or value[0] != "0") and not _IS_YEAR(value),
    ),
    "number": Form(_IS_NUMBER),
    "text": Form(lambda value: any(map(str.isalpha, value))),
    "code": Form(_pattern(r"(?=.*[0-9])\S+")),
}


def require_certain(matching: Matching) -> None:
    """Raise if a column of the rule is in doubt."""
    if matching.doubts:
        raise CallError([_uncertain(matching)])


def _uncertain(matching: Matching) -> Diagnostic:
    doubts = matching.doubts
    texts = [_doubt_text(doubt) for doubt in doubts]
    message = f"column {texts[0]}" if len(texts) == 1 else f"columns are in doubt: {'; '.join(texts)}"
    help_ = f"give `{option_text('columns', _example(doubts))}`"
    absent = [doubt.column.name for doubt in doubts if not doubt.column.is_required]
    if absent:
        help_ += f", or `{option_text('columns', {name: [] for name in absent})}` if the table has no such column"
    if any(not doubt.candidates for doubt in doubts):
        help_ += f"; columns: {Names(matching.names).listing()}"
    return Diagnostic("AC652", message, help=help_)


def _doubt_text(doubt: Doubt) -> str:
    if not doubt.candidates:
        return f"`{doubt.column.name}` of the rule was not found"
    return f"`{doubt.column.name}` of the rule could be {join_choices([f'`{name}`' for name in doubt.candidates])}"


def _example(doubts: Sequence[Doubt]) -> dict[str, object]:
    """Columns that could be given: the best candidates, each for one column of the rule."""
    found, used = dict[str, object](), set[str]()
    for doubt in doubts:
        free = [name for name in doubt.candidates if name not in used]
        chosen = free if doubt.column.is_many else free[:1]
        used.update(chosen)
        is_plain = len(chosen) == 1 and "," not in chosen[0]
        found[doubt.column.name] = chosen[0] if is_plain else chosen or (... if doubt.column.is_required else [])
    return found


def ask(matching: Matching, prompt: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    """Ask about each doubt; the answers are columns for `match_columns`. After that there may be other doubts, because
    a column of the rule can depend on another. `prompt` shows a text and returns an answer."""
    given = dict[str, tuple[str, ...]]()
    for doubt in matching.doubts:
        owners = {name: own for own, names in given.items() for name in names}
        left = replace(doubt, candidates=tuple(name for name in doubt.candidates if name not in owners))
        if left.candidates or doubt.column.is_required:
            given[doubt.column.name] = _ask_about(left, matching.names, owners, prompt)
    return given


def _ask_about(
    doubt: Doubt, names: Sequence[str], owners: Mapping[str, str], prompt: Callable[[str], str]
) -> tuple[str, ...]:
    """`owners` are the columns of the rule that other columns of the table were named for."""
    is_many, choices = doubt.column.is_many, [*enumerate(doubt.candidates, start=1)]
    which = "Which columns of the table are these?" if is_many else "Which column of the table is it?"
    lines = [f"`{doubt.column.name}`: {doubt.column.meaning}. {which}", *(f"  {at}  {name}" for at, name in choices)]
    lines += [] if doubt.column.is_required else ["  0  none"]
    expected = "a number or the name of a column" if choices else "the name of a column"
    expected += ", or several with commas between them" if is_many else ""
    text = "\n".join([*lines, expected])
    while isinstance(answer := _answer(doubt, Names(names), owners, prompt(text).strip()), str):
        text = f"{answer}\n{expected}"
    return answer


def _answer(doubt: Doubt, names: Names, owners: Mapping[str, str], text: str) -> tuple[str, ...] | str:
    """The columns of the table that an answer means, or what is wrong with it."""
    is_one, found = not doubt.column.is_many or len(names.find(text)) == 1, list[str]()
    for part in [text] if is_one else [each.strip() for each in text.split(",")]:
        if part.casefold() in ("0", "none") and not names.find(part) and not doubt.column.is_required:
            continue
        chosen = _chosen(doubt, names, part)
        if isinstance(chosen, Diagnostic):
            return f"{chosen.message}; {chosen.help}"
        if chosen in owners:
            return f"`{chosen}` was named for `{owners[chosen]}`"
        found.append(chosen)
    return tuple(dict.fromkeys(found))


def _chosen(doubt: Doubt, names: Names, text: str) -> str | Diagnostic:
    """The candidate with this number, or else the column with this name."""
    if _is_within(1, len(doubt.candidates), text):
        return doubt.candidates[int(text) - 1]
    position = find_column(names, text)
    return position if isinstance(position, Diagnostic) else names.texts[position]
