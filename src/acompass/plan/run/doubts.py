"""What a table says against the sentences of an answer: records that are read as persons (D35), and spellings of one
value that are counted as several (D38). No text contains a value of a record.

At most two queries look for persons: one counts the values of the columns that could tell persons apart, the other the
records and values of each class. One query for each column looks for spellings."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal

from sqlglot import exp

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.errors.display import count_text
from acompass.language.program.effects import aggregates_of, process_of, projection_of
from acompass.language.program.program import Aggregate, Program, Requirement
from acompass.language.program.types import Kind, Names, Schema, looks_like_persons
from acompass.language.text.tokens import policy_line, spell_name
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import State
from acompass.plan.run.context import Session
from acompass.policy import TableRoles

_COUNT_RECORDS = re.compile(r"\bCOUNT\s*\(\s*\*\s*\)", re.IGNORECASE)
#: a column with more values is not searched for spellings
MOST_VALUES = 100_000
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Doubt:
    code: str  # of the finding of `lint`
    requirement: int | None  # the index of the requirement; None for one about the whole table
    text: str
    help: str
    option: str | None = None  # that a call should give as well

    def __str__(self) -> str:
        also = "" if self.option is None else f", and give `{self.option}`"
        return f"{self.text}; {self.help}{also}"


@dataclass(frozen=True, slots=True)
class SmallestClass:
    """The class with the fewest persons."""

    column: str
    records: int
    persons: int


def person_position(roles: TableRoles, names: Sequence[str]) -> int | None:
    """The position of the person column, if the call or acompass.toml names one. Raise if the table lacks it."""
    if roles.person is None:
        return None
    found = Names(names).find(roles.person)
    if len(found) != 1:
        help_ = f"columns: {Names(names).listing()}"
        raise CallError([Diagnostic("AC602", f"unknown column `{roles.person}`", help=help_)])
    return found[0]


def possible_persons(schema: Schema, roles: TableRoles, grouped: Sequence[int]) -> list[int]:
    """The columns that may tell persons apart: by their role, or by their name unless they have another role."""
    names = Names([column.name for column in schema])
    marked = [place for name in roles.identifiers for place in names.find(name)]
    decided = {
        place for name in (*roles.quasi_identifiers, *roles.sensitive, *roles.other) for place in names.find(name)
    }
    named = [place for place, column in enumerate(schema) if place not in decided and looks_like_persons(column.name)]
    comparable = (place for place in dict.fromkeys((*marked, *named)) if schema[place].type.kind is not Kind.OPAQUE)
    return [place for place in comparable if place not in grouped and schema[place].type.kind is not Kind.DROPPED]


def smallest_class(
    session: Session, state: State, grouped: Sequence[int], person: int, where: sql.Sql | None = None
) -> SmallestClass | None:
    """None if no class has two records of one person, so that its records and its persons are as many."""
    counted = [sql.with_alias(state.count(), "n"), sql.with_alias(state.count_distinct(person), "p")]
    classes = sql.query(counted, state.source(), where)
    if grouped:
        classes = classes.group_by(*(state.value(place) for place in grouped), copy=False)
    records, persons = exp.column("n", table="k"), exp.column("p", table="k")
    most = exp.Window(this=exp.Max(this=exp.Sub(this=records.copy(), expression=persons.copy())))
    select = sql.query([records, persons, sql.with_alias(most, "more")], classes.subquery("k", copy=False))
    order = [exp.Ordered(this=persons.copy(), desc=False), exp.Ordered(this=records.copy(), desc=True)]
    for number, distinct, more in session.fetch(select.order_by(*order, copy=False).limit(1)):
        return SmallestClass(state.schema[person].name, int(number), int(distinct)) if more else None
    return None


def repeated_column(session: Session, state: State, candidates: Sequence[int]) -> int | None:
    """The first of the columns that has fewer values than records; None if each has different values."""
    if not candidates:
        return None
    questions = [state.count(), *(state.count_distinct(place) for place in candidates)]
    ((records, *values),) = session.fetch(sql.query(questions, state.source()))
    return next((place for place, n in zip(candidates, values, strict=True) if 0 < int(n) < int(records)), None)


def find_repeated_persons(session: Session, state: State, roles: TableRoles, grouped: Sequence[int]) -> Iterator[str]:
    """For an answer that counts records in the classes by these columns, if a possible person column, which the call
    does not name, repeats in a class: a sentence that names the option."""
    person = repeated_column(session, state, possible_persons(state.schema, roles, grouped))
    found = None if person is None else smallest_class(session, state, grouped, person)
    if found is not None:
        option = option_text("person", found.column)
        text = _values_text("the size of a class is its number of records", "the class with the fewest has", found)
        yield f"{text}; if these are persons, give `{option}`"


def _values_text(counted: str, smallest: str, found: SmallestClass) -> str:
    """For a possible person column, which the call does not name."""
    values = "1 value" if found.persons == 1 else f"{found.persons:,} values"
    numbers = f"{count_text(found.records, 'record')} and {values} of `{found.column}`"
    return f"{counted}, but a value of `{found.column}` can have several: {smallest} {numbers}"


def find_doubts(session: Session, before: State, after: State, program: Program, roles: TableRoles) -> Iterator[Doubt]:
    """The doubts about a policy's requirements. Classes are those of the table after the policy, or of the table before
    it if a column that they need is gone; `after` is `before` if no action was performed."""
    yield from _doubts_about_persons(session, before, after, program, roles)
    state, names = before, Names([column.name for column in before.schema])
    distinct = {place for each in program.requirements for place in _columns_told_apart(each)}
    marked = {place for name in roles.sensitive for place in names.find(name)}
    person = _declared_person(program, roles)
    columns = distinct | marked | (set() if person is None else {person})
    for column in sorted(columns):
        counted = (each.index for each in program.requirements if column in _columns_told_apart(each))
        yield from find_spellings(session, state, column, next(counted, None))


def _doubts_about_persons(
    session: Session, before: State, after: State, program: Program, roles: TableRoles
) -> Iterator[Doubt]:
    # the finest classes are the smallest
    requirement = max(filter(_count_of, program.requirements), key=lambda each: len(_grouped(each)), default=None)
    declared = _declared_person(program, roles)
    if requirement is None or (declared is None and roles.person is not None):
        return
    grouped = _grouped(requirement)
    candidates = possible_persons(before.schema, roles, grouped) if declared is None else [declared]
    person = repeated_column(session, before, candidates)
    if person is None or any(_counts_persons(each, person, grouped) for each in program.requirements):
        return
    state = next((each for each in (after, before) if _can_be_asked(requirement, person, each)), None)
    found = None if state is None else smallest_class(session, state, grouped, person, _where(requirement, state))
    if found is None:
        return
    counted, asked = _counted_and_asked(requirement, found.column)
    if requirement.before[person].type.kind is Kind.DROPPED:
        asked += f", above the line that drops `{found.column}`"
    as_read = "" if state is after else "in the table as read, "
    if declared is not None:
        smallest = f"{count_text(found.records, 'record')} of {count_text(found.persons, 'person')}"
        fewest = "the class with the fewest persons has" if grouped else "there are"
        text = f"{counted}, not persons: {as_read}{fewest} {smallest}"
        yield Doubt("AC518", requirement.index, text, f"to count persons, {asked}")
    else:
        fewest = "the class with the fewest has" if grouped else "there are"
        text = _values_text(counted, f"{as_read}{fewest}", found)
        option = option_text("person", found.column)
        yield Doubt("AC518", requirement.index, text, f"if these are persons, {asked}", option)


def _declared_person(program: Program, roles: TableRoles) -> int | None:
    """The position of the person column; None also if the policy drops it and the table was released (D32)."""
    projections = (projection_of(each.action) for each in program.requirements)
    gone = {name.casefold() for each in projections if each is not None for name in each.absent}
    if roles.person is None or roles.person.casefold() in gone:
        return None
    return person_position(roles, [column.name for column in program.schema])


def _count_of(requirement: Requirement) -> Aggregate | None:
    """The aggregate that counts records of the table, if the requirement has one: COUNT(*) or else SHARE OF MODE."""
    counting = (each for each in aggregates_of(requirement) if each.facts.weighs_records)
    return min(counting, key=lambda each: each.facts.is_share, default=None)


def _counted_and_asked(requirement: Requirement, person: str) -> tuple[str, str]:
    """What the requirement counts, and how to ask for persons."""
    count, persons = _count_of(requirement), f"COUNT DISTINCT({spell_name(person)})"
    assert count is not None
    if count.facts.is_share:
        return f"`{count.name}` is a share of records", f"also require a number of `{persons}`"
    asked = _COUNT_RECORDS.sub(persons, policy_line(requirement.text))
    return f"`{count.name}` counts records", f"write `{asked}`"


def _counts_persons(requirement: Requirement, person: int, grouped: Sequence[int]) -> bool:
    """Whether the requirement counts the persons of these classes, or of finer ones."""
    return person in _columns_counted(requirement) and set(grouped) <= set(_grouped(requirement))


def _grouped(requirement: Requirement) -> tuple[int, ...]:
    process = process_of(requirement)
    return () if process is None else process.group_by


def _can_be_asked(requirement: Requirement, person: int, state: State) -> bool:
    """Whether its classes exist in this state: no column was dropped, and WHERE compares the same types."""
    columns = (*_grouped(requirement), person)
    if state.counted is not None or any(state.schema[place].type.kind is Kind.DROPPED for place in columns):
        return False
    process = process_of(requirement)
    return process is None or process.where is None or requirement.before == state.schema


def _where(requirement: Requirement, state: State) -> sql.Sql | None:
    process = process_of(requirement)
    where = None if process is None else process.where
    return None if where is None else sql.condition(where, state.schema, state.values())


def _columns_told_apart(requirement: Requirement) -> set[int]:
    """The columns of which the requirement counts how many values there are, or how often the most frequent one."""
    apart = (each.column for each in aggregates_of(requirement) if each.facts.tells_values_apart)
    return {column for column in apart if column is not None}


def _columns_counted(requirement: Requirement) -> set[int]:
    counted = (each.column for each in aggregates_of(requirement) if each.facts.counts_distinct)
    return {column for column in counted if column is not None}


def find_spellings(session: Session, state: State, column: int, requirement: int | None = None) -> Iterator[Doubt]:
    """Values that are one after trimming, case folding, Unicode NFC and reading as a number (D38, spellings)."""
    if state.schema[column].type.kind is not Kind.TEXT:
        return
    values = sql.query([sql.with_alias(state.value(column), "v")], state.source()).distinct(copy=False)
    found = [value for (value,) in session.fetch(values.limit(MOST_VALUES + 1)) if value is not None]
    spelled = Counter(map(fold_spelling, found)) if len(found) <= MOST_VALUES else Counter[str]()
    several = [number for number in spelled.values() if number > 1]
    if several:
        values_meant = "1 value" if len(several) == 1 else f"{len(several):,} values"
        text = f"column `{state.schema[column].name}` has {values_meant} in {sum(several):,} spellings, which are "
        text += "counted as different values"
        help_ = "spellings that differ in case, spaces or number format are one value to an attacker; use one of them"
        yield Doubt("AC519", requirement, text, help_)


def fold_spelling(text: str) -> str:
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).strip().casefold())
    return f"{Decimal(folded).normalize():f}" if _NUMBER.fullmatch(folded) else folded
