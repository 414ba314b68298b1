"""Find the columns of a rule in a table: those that the call names, or else by role, by name, and by their values.

A claim says how well a column of the table fits a column of the rule. Sure claims make matches. Others make doubts,
which the caller asks about (`ask`) or reports (`require_certain`). Values are only counted; no message contains one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

from acompass.author.rules.library import Rule, RuleColumn
from acompass.author.rules.likeness import SURE, Grade, Values, grade_name
from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.errors.display import join_choices
from acompass.language.program.types import Names
from acompass.policy import TableRoles
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
    candidates: tuple[str, ...]  # the best first
    certain: tuple[str, ...] = ()  # those of the candidates that it is, if it can be many


@dataclass(frozen=True, slots=True)
class Matching:
    matches: tuple[Match, ...]
    doubts: tuple[Doubt, ...]
    others: tuple[str, ...]  # columns of the table that were not recognized as the rule's
    incomplete: tuple[str, ...] = ()  # matched columns without a value in some of the first records

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
    found_all = Matching(tuple(matches), tuple(doubts), ())
    others = tuple(name for name in names if name not in found_all.names)
    return replace(found_all, others=others, incomplete=tuple(_incomplete(found_all, samples or {})))


def _incomplete(matching: Matching, samples: Samples) -> Iterator[str]:
    records = max(map(len, samples.values()), default=0)  # missing values are not in the samples
    for match in matching.matches:
        yield from (name for name in match.columns if len(samples.get(name, ())) < records)


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


@dataclass(frozen=True, slots=True)
class _Claim:
    column: RuleColumn
    name: str
    grade: Grade
    length: int = 0  # the number of letters of the name that are those of the rule


def _claims(table: "_Table", wanted: Sequence[RuleColumn], name: str) -> list[_Claim]:
    """The best sure claim to a column of the table, or else all others."""
    found = [claim for column in wanted if (claim := _claim(table, wanted, column, name)) is not None]
    best = max(found, key=lambda claim: (claim.grade, claim.length), default=None)
    return [best] if best is not None and best.grade >= SURE else found


def _claim(table: "_Table", wanted: Sequence[RuleColumn], column: RuleColumn, name: str) -> _Claim | None:
    by_role, values = _grade_role(wanted, column), table.values(name)
    found = [grade_name(column, name, values)]
    alone = values.grade_alone(column)
    if alone is not None and (alone >= SURE or not table.has_other_role(name, column.role)):
        found.append((alone, 0))
    if by_role is not None and table.has_role(name, column.role):
        found.append((by_role, 0))
    elif by_role is not None and table.has_other_role(name, column.role):
        return None
    best = max((each for each in found if each is not None), default=None)
    return None if best is None else _Claim(column, name, *best)


def _grade_role(wanted: Sequence[RuleColumn], column: RuleColumn) -> Grade | None:
    """A role alone decides about the column of persons, and about a column of the rule that stands for all columns with
    that role: it says nothing about their values, and nothing about their names unless no other column has the role."""
    if column.role is None or column.role == "person":
        return None if column.role is None else Grade.ROLE
    is_shared = sum(each.role == column.role for each in wanted) > 1
    if column.values or (column.names and (is_shared or not column.is_many)):
        return None
    return Grade.REST if is_shared else Grade.ROLE


def _reason(grade: Grade) -> Reason:
    return "role" if grade in (Grade.ROLE, Grade.REST) else "values" if grade is Grade.VALUES else "name"


def _sure(claims: Sequence[_Claim], column: RuleColumn) -> list[_Claim]:
    found = [claim for claim in claims if claim.column is column and claim.grade >= SURE]
    best = max((claim.grade for claim in found), default=None)
    return found if column.is_many else [claim for claim in found if claim.grade == best]


def _is_found(claims: Sequence[_Claim], column: RuleColumn, rule: Rule) -> bool:
    """Whether the table has the column. If roles say that it is a table of another kind, a part of a name is not
    enough: `visit count` may be a number of each patient."""
    sure = _sure(claims, column)
    has_name = any(claim.grade >= Grade.NAME for claim in sure)
    return has_name or (bool(sure) and not _is_other_kind(claims, column, rule))


def _is_other_kind(claims: Sequence[_Claim], column: RuleColumn, rule: Rule) -> bool:
    """Whether the table has a column, by its role or whole name, that is looked for only in tables without this one."""
    instead = [each for each in rule.columns if each.unless == column.name]
    known = (Grade.REST, Grade.NAME, Grade.ROLE)
    return any(claim.grade in known for each in instead for claim in _sure(claims, each))


def _decide(column: RuleColumn, claims: Sequence[_Claim], rule: Rule) -> Match | Doubt | None:
    sure, is_other_kind = _sure(claims, column), _is_other_kind(claims, column, rule)
    like = [each for each in claims if each.column is column and each.grade < SURE]
    like.sort(key=lambda each: -each.grade)
    if sure:
        # a rule that means many columns means these as well, if they are what they seem to be
        seeming = (Grade.LIKE, Grade.DATES) if is_other_kind else (Grade.LIKE, Grade.DATES, Grade.SEVERAL)
        more = [each for each in like if column.is_many and each.grade in seeming]
        if more or (len(sure) > 1 and not column.is_many) or not _is_found(claims, column, rule):
            names = tuple(each.name for each in (*sure, *more))
            return Doubt(column, names, names[: len(sure)] if more else ())
        weakest = min(sure, key=lambda each: each.grade)
        return Match(column, tuple(each.name for each in sure), _reason(weakest.grade))
    by_name = [each for each in like if each.grade in (Grade.LIKE, Grade.FAR)]
    candidates = tuple(each.name for each in by_name or (() if is_other_kind else like))
    return Doubt(column, candidates) if candidates or (column.is_required and not is_other_kind) else None


class _Table:
    """What is known about the columns of a table."""

    def __init__(self, names: Sequence[str], roles: TableRoles, samples: Samples):
        self.names = names
        self._roles = {name: role for role, columns in roles.by_name.items() for name in columns}
        self._person = roles.person
        self._values = {name: Values(samples.get(name, ())) for name in names}

    def values(self, name: str) -> Values:
        return self._values[name]

    def has_role(self, name: str, role: str | None) -> bool:
        """`role` is spelled as in an acompass.toml."""
        if role == "person":
            return name == self._person
        return role is not None and self._roles.get(name) == role.replace("-", "_")

    def has_other_role(self, name: str, role: str | None) -> bool:
        """Whether the column has a role, and the rule's column another one."""
        return name in self._roles and role not in (None, "person") and not self.has_role(name, role)


def require_certain(matching: Matching) -> None:
    """Raise if a column of the rule is in doubt."""
    if matching.doubts:
        raise CallError([_uncertain(matching)])


def _uncertain(matching: Matching) -> Diagnostic:
    doubts = matching.doubts
    texts = [_doubt_text(doubt) for doubt in doubts]
    message = f"column {texts[0]}" if len(texts) == 1 else f"columns are in doubt: {'; '.join(texts)}"
    help_ = f"give `{option_text('columns', _example(doubts))}`"
    without = {each.column.name: list(each.certain) for each in doubts if each.certain or not each.column.is_required}
    if without:
        help_ += f", or `{option_text('columns', without)}` if they are something else"
    if any(not doubt.candidates for doubt in doubts):
        help_ += f"; columns: {Names(matching.names).listing()}"
    return Diagnostic("AC652", message, help=help_)


def _doubt_text(doubt: Doubt) -> str:
    if not doubt.candidates:
        return f"`{doubt.column.name}` of the rule was not found"
    unsure = [f"`{name}`" for name in doubt.candidates if name not in doubt.certain]
    verb = "could also be" if doubt.certain else "could be"
    return f"`{doubt.column.name}` of the rule {verb} {join_choices(unsure)}"


def _example(doubts: Sequence[Doubt]) -> dict[str, object]:
    """Columns that could be given: the best candidates, each for one column of the rule."""
    found, used = dict[str, object](), set[str]()
    for doubt in doubts:
        free = [name for name in doubt.candidates if name not in used]
        chosen = free if doubt.column.is_many else free[:1]
        used.update(chosen)
        is_plain = len(chosen) == 1 and not set(chosen[0]) & set(',"')
        found[doubt.column.name] = chosen[0] if is_plain else chosen or (... if doubt.column.is_required else [])
    return found


def ask(matching: Matching, prompt: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    """Ask about each doubt; the answers are columns for `match_columns`. After that there may be other doubts, because
    a column of the rule can depend on another. `prompt` shows a text and returns an answer."""
    given = dict[str, tuple[str, ...]]()
    for doubt in matching.doubts:
        owners = {name: own for own, names in given.items() for name in names}
        unsure = tuple(name for name in doubt.candidates if name not in owners and name not in doubt.certain)
        if unsure or _must_be_one(doubt):
            answer = _ask_about(replace(doubt, candidates=unsure), matching.names, owners, prompt)
            given[doubt.column.name] = tuple(dict.fromkeys((*doubt.certain, *answer)))
    return given


def _ask_about(
    doubt: Doubt, names: Sequence[str], owners: Mapping[str, str], prompt: Callable[[str], str]
) -> tuple[str, ...]:
    """`owners` are the columns of the rule that other columns of the table were named for."""
    is_many, choices = doubt.column.is_many, [*enumerate(doubt.candidates, start=1)]
    which = "Which columns of the table are these?" if is_many else "Which column of the table is it?"
    if doubt.certain:
        which = f"{', '.join(f'`{name}`' for name in doubt.certain)}, and which other columns?"
    lines = [f"`{doubt.column.name}`: {doubt.column.meaning}. {which}", *(f"  {at}  {name}" for at, name in choices)]
    lines += [] if _must_be_one(doubt) else ["  0  none"]
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
        if part.casefold() in ("0", "none") and not names.find(part) and not _must_be_one(doubt):
            continue
        chosen = _chosen(doubt, names, part)
        if isinstance(chosen, Diagnostic):
            return f"{chosen.message}; {chosen.help}"
        if chosen in owners:
            return f"`{chosen}` was named for `{owners[chosen]}`"
        found.append(chosen)
    return tuple(dict.fromkeys(found))


def _must_be_one(doubt: Doubt) -> bool:
    return doubt.column.is_required and not doubt.certain


def _chosen(doubt: Doubt, names: Names, text: str) -> str | Diagnostic:
    """The candidate with this number, or else the column with this name."""
    numbered = {str(number): name for number, name in enumerate(doubt.candidates, start=1)}
    if text in numbered:
        return numbered[text]
    position = find_column(names, text)
    return position if isinstance(position, Diagnostic) else names.texts[position]
