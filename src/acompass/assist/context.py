"""What is known beside the text of a policy. Each part may be unknown."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from acompass.assist.requirements import ProofState, Verdicts
from acompass.checked.parameters import ParamValue
from acompass.checked.types import Schema
from acompass.measures import ColumnFacts
from acompass.project import TableRoles


@dataclass(frozen=True)
class Context:
    """`schema` has the types that the policy gives the table's columns, `facts` what is known without it."""

    params: Mapping[str, ParamValue] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    schema: Schema | None = None
    facts: Mapping[str, ColumnFacts] = field(default_factory=dict)
    roles: TableRoles = field(default_factory=TableRoles)
    verdicts: Verdicts | None = None
    proofs: tuple[ProofState, ...] = ()
