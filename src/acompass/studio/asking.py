"""What a question about a policy carries: its text, as the editor has it, and its parameters."""

from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from acompass.assist.context import Context
from acompass.assist.document import Document
from acompass.assist.parameters import used_params
from acompass.assist.table import record_count, table_facts
from acompass.checked.parameters import ParamValue, parse_settings
from acompass.checked.types import Schema
from acompass.diagnostics import AcompassError
from acompass.measures import ColumnFacts
from acompass.policy import Policy, parse_file
from acompass.studio.body import Body
from acompass.studio.offsets import Offsets
from acompass.studio.studio import Studio
from acompass.tables.source import stamp


@dataclass(frozen=True)
class Ask:
    studio: Studio
    body: Body
    document: Document
    given: Mapping[str, str]

    @classmethod
    def of(cls, studio: Studio, body: Body) -> "Ask":
        document = Document(body.text("text"), studio.file.path)
        return cls(studio, body, document, body.texts("params"))

    @cached_property
    def params(self) -> dict[str, ParamValue]:
        """A field that is left empty binds nothing."""
        return parse_settings(f"{name}={value}" for name, value in self.given.items() if value.strip())

    @property
    def used(self) -> dict[str, ParamValue]:
        """Without the values that the policy does not ask for, which a run refuses."""
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
        """Questions with equal keys have equal answers: the content of hierarchies counts too."""
        policy = self.document.policy
        files = () if policy is None else tuple((path, stamp(str(path))) for path in policy.hierarchies)
        return self.document.text, tuple(sorted(self.given.items())), files

    @property
    def schema(self) -> Schema:
        """The columns with the types that the policy gives them."""
        studio, policy, params = self.studio, self.policy, self.used
        return studio.remembered(
            ("schema", self.key),
            lambda: studio.ask(self.body, lambda session: session.schema(policy, params=params)),
        )

    @property
    def context(self) -> Context:
        """What is known beside the text; as much as there is while the policy is being written."""
        found = facts(self.studio, self.body)
        schema = None
        with suppress(AcompassError):
            schema = self.schema
        columns = self.studio.desk.session.columns
        return Context(self.params, columns, schema, {each.name: each for each in found}, self.studio.roles)


def facts(studio: Studio, body: Body) -> tuple[ColumnFacts, ...]:
    return studio.remembered("facts", lambda: studio.ask(body, table_facts))


def records_of(studio: Studio, body: Body) -> int:
    """The number of records that are looked at: of the sample, if there is one."""
    return studio.remembered("records", lambda: studio.ask(body, record_count))
