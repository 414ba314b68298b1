"""The columns of a request in a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acompass.checked.names import Names
from acompass.diagnostics import CallError, Diagnostic
from acompass.measure.columns import Roles, positions
from acompass.propose.given import given_specs
from acompass.propose.specs import Spec
from acompass.suggest.request import Request
from acompass.suggest.to_syntax import Goal


@dataclass(frozen=True)
class Columns:
    """Positions in the table with columns of these `names`. `keep` are places among the quasi-identifiers."""

    names: tuple[str, ...]
    quasi_identifiers: tuple[int, ...]
    sensitive: tuple[int, ...]
    specs: Mapping[int, Spec]
    keep: frozenset[int]

    def goal(self, request: Request) -> Goal:
        quasi_identifiers = tuple(self.names[p] for p in self.quasi_identifiers)
        return Goal(
            quasi_identifiers, tuple(self.names[p] for p in self.sensitive), request.k, request.l, self.names
        )


def columns_of(request: Request, names: Sequence[str]) -> Columns:
    """Raises if a name is unknown or has two roles. Sensitive columns that no goal needs are left out."""
    found = positions(Roles(request.qi, request.sensitive), names)
    quasi_identifiers = [names[position] for position in found.quasi_identifiers]
    specs = given_specs(request.hierarchies, quasi_identifiers)
    return Columns(
        tuple(names),
        found.quasi_identifiers,
        found.sensitive if request.needs_sensitive else (),
        {found.quasi_identifiers[place]: spec for place, spec in specs.items()},
        frozenset(_place(name, Names(quasi_identifiers)) for name in request.keep),
    )


def _place(name: str, quasi_identifiers: Names) -> int:
    match quasi_identifiers.find(name):
        case (place,):
            return place
        case _:
            message = f"`{name}` is to be kept, but is not a quasi-identifier"
            help_ = f"quasi-identifiers: {quasi_identifiers.listing()}"
            raise CallError([Diagnostic("AC623", message, help=help_)])
