"""A question about a policy, with the editor's text and parameters.

Also what several answers need: measures of an open table, and the table that the policy would release."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from acompass.assist.analysis import SEED, Context
from acompass.assist.document import Document, used_params
from acompass.assist.request_queue import table_facts
from acompass.assist.studio.messages import Body, Offsets
from acompass.assist.studio.state import Studio
from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import AcompassError
from acompass.language.program.constants import ParamValue, parse_settings
from acompass.language.program.types import Schema
from acompass.measure.answer import Classes, ColumnFacts, Measures, Persons
from acompass.measure.roles import Roles, assign_roles
from acompass.options import DatesArgument
from acompass.policy import Policy, TableRoles, parse_file
from acompass.result import Result
from acompass.session import Session
from acompass.tables.source import file_stamp, is_parquet
from acompass.tables.temporary_files import private_file, temporary_folder

T = TypeVar("T")


@dataclass(frozen=True)
class Ask:
    studio: Studio
    body: Body
    document: Document
    given: Mapping[str, str]

    @classmethod
    def parse(cls, studio: Studio, body: Body) -> "Ask":
        document = Document(body.text("text"), studio.file.path)
        return cls(studio, body, document, body.texts("params"))

    @cached_property
    def params(self) -> dict[str, ParamValue]:
        """The parameters; empty fields are ignored."""
        return parse_settings(f"{name}={value}" for name, value in self.given.items() if value.strip())

    @property
    def used_params(self) -> dict[str, ParamValue]:
        """Only the parameters that the policy uses; `run` rejects any others."""
        return used_params(self.document, self.params)

    @cached_property
    def offsets(self) -> Offsets:
        return Offsets(self.document.text)

    @cached_property
    def policy(self) -> Policy:
        """Raise PolicyError if the text does not parse."""
        return parse_file(self.document.text, self.studio.file.path)

    @cached_property
    def at(self) -> int:
        return self.offsets.from_page(self.body.number("at"))

    @property
    def key(self) -> Hashable:
        """Questions with equal keys have equal answers; the content of its files is part of the key."""
        policy = self.document.policy
        files = () if policy is None else tuple((path, file_stamp(str(path))) for path in policy.files)
        return self.document.text, tuple(sorted(self.given.items())), files

    def find(self, name: str, question: Callable[[Session], T], *details: Hashable) -> T:
        """The answer to a question about this text and the open table, or the cached one."""
        studio = self.studio
        return studio.recall((name, self.key, *details), lambda: studio.ask(self.body, question))

    @property
    def schema(self) -> Schema:
        """The columns with the types that the policy gives them."""
        policy, params = self.policy, self.used_params
        return self.find("schema", lambda session: session.schema(policy, params=params))

    @property
    def context(self) -> Context:
        """What is known in addition to the text while the policy is being written."""
        found = facts(self.studio, self.body)
        schema = None
        with suppress(AcompassError):
            schema = self.schema
        columns = self.studio.queue.session.columns
        return Context(self.params, columns, schema, {each.name: each for each in found}, self.studio.roles)


def facts(studio: Studio, body: Body) -> tuple[ColumnFacts, ...]:
    return studio.recall("facts", lambda: studio.ask(body, table_facts))


def count_records(studio: Studio, body: Body) -> int:
    """The number of records in the sample, if there is one, or in the table."""
    return studio.recall("records", lambda: studio.ask(body, Session.records))


@dataclass(frozen=True, slots=True)
class Driver:
    """The influence of a quasi-identifier on the risk."""

    column: str
    k: Persons | None  # size of the smallest class without the column
    uniques: Persons  # unique records without the column


@dataclass(frozen=True, slots=True)
class Exposure:
    measures: Measures
    drivers: tuple[Driver, ...]


def marked_roles(ask: Ask) -> TableRoles:
    return ask.body.roles() if ask.body.has("roles") else ask.studio.roles


def roles_to_measure(ask: Ask) -> Roles:
    """The columns marked in the page, or else those that the policy groups by and counts."""
    policy = ask.document.policy
    return assign_roles(None if policy is None else policy.tree, declared=marked_roles(ask))


def exposure(session: Session, roles: Roles, records: int) -> Exposure:
    marked = roles.quasi_identifiers
    measures = _measure(session, marked, roles.sensitive, records, roles.person)
    without = {column: [name for name in marked if name != column] for column in marked}
    classes = {
        column: _measure(session, others, (), records, roles.person).classes for column, others in without.items()
    }
    drivers = tuple(Driver(name, found.k, found.uniques) for name, found in classes.items())
    return Exposure(measures, drivers)


def _measure(
    session: Session, marked: Sequence[str], sensitive: Sequence[str], records: int, person: str | None
) -> Measures:
    """Without quasi-identifiers, all records are in one class."""
    if marked:
        return session.measure(marked, sensitive, person=person)
    return Measures((), None, Classes(((records, 1),) if records else ()), ())


def with_journalist(found: Exposure, session: Session, population: str | None) -> Exposure:
    """Raise TableError unless the population contains every person in the table, with equal values."""
    marked = found.measures.quasi_identifiers
    if population is None or not marked:
        return found
    people = found.measures.people
    person = None if people is None else people.column
    risk = session.measure(marked, (), population=population, person=person).journalist
    return replace(found, measures=replace(found.measures, journalist=risk))


#: a policy that changes nothing, for any columns
_UNCHANGED = "EACH PROCESS COUNT(*) AS n : n >= 0;"


@dataclass(frozen=True, slots=True)
class ReleasedTable:
    """The table before and after the policy, as files of the same format, so that values compare as text."""

    before: str
    dates: DatesArgument  # formats of local dates in `before`; `after` has ISO dates (D28)
    after: str
    result: Result


@contextmanager
def release_table(ask: Ask, session: Session) -> Iterator[ReleasedTable]:
    """Write the table even if a check is violated or the roles forbid it: the panels show why it would not be
    released."""
    with temporary_folder() as folder:
        after = str(Path(folder, f"after{table_suffix(ask.studio)}"))
        params, key = ask.used_params, ask.studio.start.key
        result = session.run(ask.policy, params=params, seed=SEED, key=key, output=after, force=True, roles={})
        yield ReleasedTable(*_before(ask.studio, session, folder), after, result)


def table_suffix(studio: Studio) -> str:
    return ".parquet" if is_parquet(studio.start.table) else ".csv"


def _before(studio: Studio, session: Session, folder: str) -> tuple[str, DatesArgument]:
    if studio.queue.sample is None:
        return studio.start.table, studio.start.reading.get("dates") or ()
    path = private_file(folder, f"before{table_suffix(studio)}")
    session.run(_UNCHANGED, output=path, roles={})
    return path, ()
