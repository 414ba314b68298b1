"""The columns of a request in a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acompass.measure.columns import Roles, positions
from acompass.propose.specs import Spec, parse_spec
from acompass.suggest.request import Request, not_quasi_identifier
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
    specs = {
        _quasi_identifier("hierarchy", name, found.quasi_identifiers, names): parse_spec(text)
        for name, text in request.hierarchies.items()
    }
    keep = (_quasi_identifier("keep", name, found.quasi_identifiers, names) for name in request.keep)
    return Columns(
        tuple(names),
        found.quasi_identifiers,
        found.sensitive if request.needs_sensitive else (),
        specs,
        frozenset(map(found.quasi_identifiers.index, keep)),
    )


def _quasi_identifier(what: str, name: str, among: Sequence[int], names: Sequence[str]) -> int:
    (position,) = positions(Roles((name,)), names).quasi_identifiers
    if position not in among:
        raise not_quasi_identifier(what, name, [names[p] for p in among])
    return position
