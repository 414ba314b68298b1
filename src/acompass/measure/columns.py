"""The columns that a call or a policy names, found in a table (D3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acompass.checked.names import Names
from acompass.checked.types import Kind, Schema
from acompass.diagnostics import CallError, Diagnostic
from acompass.syntax import tree
from acompass.syntax.tree import Function


@dataclass(frozen=True, slots=True)
class Request:
    """The names as given."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    weight: str | None = None


@dataclass(frozen=True, slots=True)
class Positions:
    quasi_identifiers: tuple[int, ...]
    sensitive: tuple[int, ...]
    weight: int | None

    def named(self) -> set[int]:
        return {*self.quasi_identifiers, *self.sensitive, *([] if self.weight is None else [self.weight])}


def request(
    policy: tree.Program | None, qi: Sequence[str] | None, sensitive: Sequence[str] | None, weight: str | None
) -> Request:
    """What the call leaves out the policy says: GROUP BY the quasi-identifiers, COUNT DISTINCT the rest."""
    grouped = list(qi or _unique(name for process in _processes(policy) for name in _grouped(process)))
    if not grouped:
        source = "the policy has no GROUP BY" if policy is not None else "none given"
        raise _error("AC601", f"no quasi-identifier to measure by: {source}", "name them: `--qi Age,Zip`")
    if sensitive is None:
        counted = _unique(name for process in _processes(policy) for name in _counted(process))
        sensitive = [name for name in counted if name not in grouped and name != weight]
    return Request(tuple(grouped), tuple(sensitive), weight)


def _processes(policy: tree.Program | None) -> Iterator[tree.Process]:
    for requirement in policy.requirements if policy is not None else ():
        if isinstance(requirement.assertion.result, tree.Process):
            yield requirement.assertion.result


def _grouped(process: tree.Process) -> Iterator[str]:
    return (name.text for name in process.group_by)


def _counted(process: tree.Process) -> Iterator[str]:
    aggregate = process.aggregate
    if aggregate.function is Function.COUNT_DISTINCT and aggregate.column is not None:
        yield aggregate.column.text


def _unique(names: Iterator[str]) -> list[str]:
    """A policy may spell a name in different cases (D3): the first spelling stands."""
    return list({name.casefold(): name for name in reversed(list(names))}.values())[::-1]


def positions(asked: Request, columns: Sequence[str]) -> Positions:
    """Where the names are in a table; every wrong one is reported."""
    names = Names(columns)
    findings = [finding for name in _all(asked) if (finding := _fault(names, name)) is not None]
    if findings:
        raise CallError(findings)
    found = Positions(
        tuple(names.find(name)[0] for name in asked.quasi_identifiers),
        tuple(names.find(name)[0] for name in asked.sensitive),
        None if asked.weight is None else names.find(asked.weight)[0],
    )
    _refuse_two_roles(found, columns)
    return found


def same_columns(asked: Request, columns: Sequence[str], role: str) -> Positions:
    """The quasi-identifiers in another table, and its weight where it has that column."""
    names = Names(columns)
    absent = [name for name in asked.quasi_identifiers if len(names.find(name)) != 1]
    if absent:
        messages = (f"the {role} has no column `{name}` to compare by" for name in absent)
        help_ = f"its columns: {names.listing()}"
        raise CallError(Diagnostic("AC602", message, help=help_) for message in messages)
    weights = names.find(asked.weight) if asked.weight is not None else ()
    quasi_identifiers = tuple(names.find(name)[0] for name in asked.quasi_identifiers)
    return Positions(quasi_identifiers, (), weights[0] if len(weights) == 1 else None)


def refuse_opaque(found: Positions, schema: Schema) -> None:
    for position in sorted(found.named()):
        column = schema[position]
        if column.type.kind is Kind.OPAQUE:
            message = f"column `{column.name}` holds values that cannot be measured"
            raise _error("AC608", message, "turn it into text, numbers or dates first")


def _all(asked: Request) -> list[str]:
    return [*asked.quasi_identifiers, *asked.sensitive, *([] if asked.weight is None else [asked.weight])]


def _fault(names: Names, name: str) -> Diagnostic | None:
    found = names.find(name)
    if len(found) == 1:
        return None
    if found:
        listed = " and ".join(f"`{names.texts[position]}`" for position in found)
        return Diagnostic("AC603", f"`{name}` could be {listed}", help="write the name as the table does")
    closest = names.closest(name)
    suggestion = f"; did you mean `{closest}`?" if closest is not None else ""
    return Diagnostic("AC602", f"unknown column `{name}`", help=f"columns: {names.listing()}{suggestion}")


def _refuse_two_roles(found: Positions, columns: Sequence[str]) -> None:
    seen: set[int] = set()
    weight = () if found.weight is None else (found.weight,)
    for position in (*found.quasi_identifiers, *found.sensitive, *weight):
        if position in seen:
            message = f"column `{columns[position]}` is named twice, expected one role a column"
            help_ = "keep it as a quasi-identifier, as sensitive, or as the weight"
            raise _error("AC604", message, help_)
        seen.add(position)


def _error(code: str, message: str, help_: str) -> CallError:
    return CallError([Diagnostic(code, message, help=help_)])
