"""The roles of columns in a measurement, and their positions in a table (D3)."""

from collections.abc import Iterator, Sequence

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program.types import Kind, Names, Schema
from acompass.language.text import tree
from acompass.language.text.tree import Function
from acompass.language.text.walk import processes


@dataclass(frozen=True, slots=True)
class Roles:
    """Column names, as the call or the policy spells them."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    weight: str | None = None
    sampling_weight: str | None = None


@dataclass(frozen=True, slots=True)
class Positions:
    quasi_identifiers: tuple[int, ...]
    sensitive: tuple[int, ...]
    weight: int | None
    sampling_weight: int | None = None

    @property
    def weights(self) -> tuple[int, ...]:
        return tuple(each for each in (self.weight, self.sampling_weight) if each is not None)

    def all(self) -> set[int]:
        return {*self.quasi_identifiers, *self.sensitive, *self.weights}


def assign_roles(
    policy: tree.Program | None,
    qi: Sequence[str] | None,
    sensitive: Sequence[str] | None,
    weight: str | None,
    sampling_weight: str | None = None,
) -> Roles:
    """The roles that the call assigns. Otherwise the policy decides: columns after GROUP BY are quasi-identifiers, and
    columns in COUNT DISTINCT are sensitive."""
    queries = [] if policy is None else list(processes(policy))
    grouped = list(qi or _unique(name.text for process in queries for name in process.group_by))
    if not grouped:
        reason = "`--qi` is missing" if policy is None else "the policy has no GROUP BY"
        raise _error("AC601", f"no quasi-identifiers: {reason}", "name them: `--qi Age,Zip`")
    if sensitive is None:
        aggregates = [named.aggregate for process in queries for named in process.aggregates]
        distinct = (each.column for each in aggregates if each.function is Function.COUNT_DISTINCT)
        counted = _unique(column.text for column in distinct if column is not None)
        sensitive = [name for name in counted if name not in (*grouped, weight, sampling_weight)]
    return Roles(tuple(grouped), tuple(sensitive), weight, sampling_weight)


def _unique(names: Iterator[str]) -> list[str]:
    """The names without duplicates. A policy may spell a name in several cases (D3); the first spelling is kept."""
    return list({name.casefold(): name for name in reversed(list(names))}.values())[::-1]


def positions(asked: Roles, columns: Sequence[str]) -> Positions:
    """The positions of the columns. Raise with a diagnostic for each name that is not found."""
    names = Names(columns)
    weights = [name for name in (asked.weight, asked.sampling_weight) if name is not None]
    wanted = (*asked.quasi_identifiers, *asked.sensitive, *weights)
    findings = [finding for name in wanted if (finding := _unknown_name(names, name)) is not None]
    if findings:
        raise CallError(findings)
    found = Positions(
        tuple(names.find(name)[0] for name in asked.quasi_identifiers),
        tuple(names.find(name)[0] for name in asked.sensitive),
        None if asked.weight is None else names.find(asked.weight)[0],
        None if asked.sampling_weight is None else names.find(asked.sampling_weight)[0],
    )
    _refuse_two_roles(found, columns)
    return found


def same_columns(asked: Roles, columns: Sequence[str], table: str) -> Positions:
    """The positions of the quasi-identifiers in another table, and of the weight if it has that column."""
    names = Names(columns)
    absent = [name for name in asked.quasi_identifiers if len(names.find(name)) != 1]
    if absent:
        messages = (f"the {table} has no column `{name}`" for name in absent)
        help_ = f"its columns: {names.listing()}"
        raise CallError(Diagnostic("AC602", message, help=help_) for message in messages)
    weights = names.find(asked.weight) if asked.weight is not None else ()
    quasi_identifiers = tuple(names.find(name)[0] for name in asked.quasi_identifiers)
    return Positions(quasi_identifiers, (), weights[0] if len(weights) == 1 else None)


def refuse_opaque(found: Positions, schema: Schema) -> None:
    for position in sorted(found.all()):
        column = schema[position]
        if column.type.kind is Kind.OPAQUE:
            message = f"column `{column.name}` has a type that cannot be measured"
            raise _error("AC608", message, "convert it to text, numbers or dates first")


def _unknown_name(names: Names, name: str) -> Diagnostic | None:
    found = names.find(name)
    if len(found) == 1:
        return None
    if found:
        listed = " and ".join(f"`{names.texts[position]}`" for position in found)
        return Diagnostic("AC603", f"`{name}` could be {listed}", help="use the exact spelling of one of them")
    closest = names.closest(name)
    suggestion = f"; did you mean `{closest}`?" if closest is not None else ""
    return Diagnostic("AC602", f"unknown column `{name}`", help=f"columns: {names.listing()}{suggestion}")


def _refuse_two_roles(found: Positions, columns: Sequence[str]) -> None:
    seen: set[int] = set()
    for position in (*found.quasi_identifiers, *found.sensitive, *found.weights):
        if position in seen:
            message = f"column `{columns[position]}` is named twice, expected one role per column"
            help_ = "name it once: as a quasi-identifier, as sensitive or as the weight"
            raise _error("AC604", message, help_)
        seen.add(position)


def _error(code: str, message: str, help_: str) -> CallError:
    return CallError([Diagnostic(code, message, help=help_)])
