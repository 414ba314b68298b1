"""A question of the page: about the studio, the open project, or a policy with the editor's text and parameters.

Also what several answers need: measures of an open table, and the table that the policy would release."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from acompass.assist.analysis import SEED, Context
from acompass.assist.document import Document, used_params
from acompass.assist.request_queue import table_facts
from acompass.assist.studio.messages import Body, Offsets
from acompass.assist.studio.state import Project
from acompass.assist.studio.workspace import Workspace
from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import AcompassError
from acompass.language.program.constants import ParamValue, parse_settings
from acompass.language.program.effects import needs_order
from acompass.language.program.types import Schema
from acompass.language.text.walk import names_dropped_by, without_drops_of
from acompass.measure.answer import Classes, ColumnFacts, Measures
from acompass.measure.roles import Roles, assign_roles
from acompass.options import DatesArgument
from acompass.policy import Policy, TableRoles, parse, parse_file
from acompass.result import Result
from acompass.session import Session
from acompass.tables.source import file_stamp, is_parquet
from acompass.tables.temporary_files import private_file, temporary_folder

T = TypeVar("T")


@dataclass(frozen=True)
class Ask:
    project: Project
    body: Body
    document: Document
    given: Mapping[str, str]

    @classmethod
    def parse(cls, project: Project, body: Body) -> "Ask":
        document = Document(body.text("text"), project.file.path)
        return cls(project, body, document, body.texts("params"))

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
        return parse_file(self.document.text, self.project.file.path)

    @cached_property
    def at(self) -> int:
        return self.offsets.from_page(self.body.number("at"))

    @property
    def key(self) -> Hashable:
        """Questions with equal keys have equal answers; the content of its files is part of the key."""
        return self.document.text, tuple(sorted(self.given.items())), self.files

    @property
    def files(self) -> Hashable:
        """The content of the files that the policy names."""
        policy = self.document.policy
        return () if policy is None else tuple((path, file_stamp(str(path))) for path in policy.files)

    def find(self, name: str, question: Callable[[Session], T], *details: Hashable) -> T:
        """The answer to a question about this text and the open table, or the cached one."""
        project = self.project
        return project.recall((name, self.key, *details), lambda: project.ask(self.body, question))

    @property
    def schema(self) -> Schema:
        """The columns with the types that the policy gives them."""
        policy, params = self.policy, self.used_params
        return self.find("schema", lambda session: session.schema(policy, params=params))

    @property
    def context(self) -> Context:
        """What is known in addition to the text while the policy is being written."""
        found = facts(self.project, self.body)
        schema = None
        with suppress(AcompassError):
            schema = self.schema
        columns = self.project.queue.session.columns
        return Context(self.params, columns, schema, {each.name: each for each in found}, self.project.roles)


class Question:
    """`without` are the other fields of the response if there are mistakes."""

    def __init__(self, answer: Callable[[Workspace, Body], dict[str, Any]], **without: Any):
        self.answer, self.without = answer, without


def about_project(answer: Callable[[Project, Body], dict[str, Any]], **without: Any) -> Question:
    return Question(lambda workspace, body: answer(workspace.project_of(body), body), **without)


def about_text(answer: Callable[[Ask], dict[str, Any]], **without: Any) -> Question:
    return about_project(lambda project, body: answer(Ask.parse(project, body)), **without)


def facts(project: Project, body: Body) -> tuple[ColumnFacts, ...]:
    return project.recall("facts", lambda: project.ask(body, table_facts))


def count_records(project: Project, body: Body) -> int:
    """The number of records in the sample, if there is one, or in the table."""
    return project.recall("records", lambda: project.ask(body, Session.records))


def marked_roles(ask: Ask) -> TableRoles:
    return ask.body.roles() if ask.body.has("roles") else ask.project.roles


def roles_to_measure(ask: Ask) -> Roles:
    """The columns marked in the page, or else those that the policy groups by and counts."""
    policy, weight = ask.document.policy, None
    if ask.body.has("sampling_weight"):
        weight = ask.body.text("sampling_weight")
    return assign_roles(None if policy is None else policy.tree, sampling_weight=weight, declared=marked_roles(ask))


def measure_risk(session: Session, roles: Roles, records: int) -> Measures:
    """Without quasi-identifiers, all records are in one class."""
    if not roles.quasi_identifiers:
        return Measures((), None, Classes(((records, 1),) if records else ()), ())
    return session.measure(
        roles.quasi_identifiers, roles.sensitive, person=roles.person, sampling_weight=roles.sampling_weight
    )


def with_journalist(found: Measures, session: Session, population: str | None) -> Measures:
    """Raise TableError unless the population contains every person in the table, with equal values."""
    marked = found.quasi_identifiers
    if population is None or found.sampling is not None or not marked:
        return found
    person = None if found.people is None else found.people.column
    return replace(found, journalist=session.measure(marked, (), population=population, person=person).journalist)


#: a policy that changes nothing, for any columns
UNCHANGED = "EACH PROCESS COUNT(*) AS n : n >= 0;"


@dataclass(frozen=True, slots=True)
class ReleasedTable:
    """The table before and after the policy, as files of the same format, so that values compare as text."""

    before: str
    dates: DatesArgument  # formats of local dates in `before`; `after` has ISO dates (D28)
    after: str
    result: Result


@contextmanager
def release_table(ask: Ask, session: Session, person: str | None = None) -> Iterator[ReleasedTable]:
    """Write the table even if a check is violated or the roles forbid it: the panels show why it would not be
    released. The `person` column is kept, so that persons can be counted."""
    with temporary_folder() as folder:
        after = str(Path(folder, f"after{table_suffix(ask.project)}"))
        policy, params, key = _with_persons(ask, session, person), ask.used_params, ask.project.start.key
        result = session.run(policy, params=params, seed=SEED, key=key, output=after, force=True, roles={})
        yield ReleasedTable(*_before(ask.project, session, folder), after, result)


def _with_persons(ask: Ask, session: Session, person: str | None) -> Policy:
    """The policy without its DROP of the column that tells persons apart. What it draws depends on all columns (D18,
    canonical order)."""
    dropped = {name.text.casefold() for name in names_dropped_by(ask.policy.tree)}
    if person is None or person.casefold() not in dropped:
        return ask.policy
    if needs_order(session.checked(ask.policy, params=ask.used_params).requirements):
        return ask.policy
    kept = without_drops_of(ask.policy.tree, person)
    return replace(ask.policy, tree=kept) if kept.requirements else parse(UNCHANGED)


def table_suffix(project: Project) -> str:
    return ".parquet" if is_parquet(project.start.table) else ".csv"


def _before(project: Project, session: Session, folder: str) -> tuple[str, DatesArgument]:
    if project.queue.sample is None:
        return project.start.table, project.reading.get("dates") or ()
    path = private_file(folder, f"before{table_suffix(project)}")
    session.run(UNCHANGED, output=path, roles={})
    return path, ()
