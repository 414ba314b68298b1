"""The roles of columns in a measurement, and their positions in a table (D3)."""

from collections.abc import Iterable, Sequence

from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.errors.display import count_text
from acompass.language.program.aggregates import facts_about
from acompass.language.program.types import Kind, Names, Schema
from acompass.language.text import tree
from acompass.language.text.walk import names_dropped_by, names_split_by, processes
from acompass.measure.answer import Measures, Persons
from acompass.policy import TableRoles
from acompass.result import Note
from acompass.roles import find_column, grouping_note, locate_roles, two_roles, undecided_note


@dataclass(frozen=True, slots=True)
class Roles:
    """Column names, as the call or the policy spells them."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    weight: str | None = None
    sampling_weight: str | None = None
    person: str | None = None  # the column that tells persons apart (D35, persons)


@dataclass(frozen=True, slots=True)
class Positions:
    quasi_identifiers: tuple[int, ...]
    sensitive: tuple[int, ...]
    weight: int | None
    sampling_weight: int | None = None
    person: int | None = None

    @property
    def weights(self) -> tuple[int, ...]:
        return tuple(each for each in (self.weight, self.sampling_weight) if each is not None)

    def all(self) -> set[int]:
        return {*self.quasi_identifiers, *self.sensitive, *self.weights, *self.persons}

    @property
    def persons(self) -> tuple[int, ...]:
        return () if self.person is None else (self.person,)


_NO_ROLES = TableRoles()


def assign_roles(
    policy: tree.Program | None,
    qi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    weight: str | None = None,
    sampling_weight: str | None = None,
    declared: TableRoles = _NO_ROLES,
) -> Roles:
    """The columns to measure by: those that the call names, or else those that have the role, or else those of the
    policy: columns after GROUP BY are quasi-identifiers, and columns in COUNT DISTINCT are sensitive.

    Every measure of a table uses this function, so that `measure`, a report and the studio agree (D36, roles act).
    """
    queries, person = [] if policy is None else list(processes(policy)), declared.person
    grouped = _unique(qi or declared.quasi_identifiers or (name.text for each in queries for name in each.group_by))
    if not grouped:
        reason = f"`{option_text('qi')}` is missing" if policy is None else "the policy has no GROUP BY"
        raise _error("AC601", f"no quasi-identifiers: {reason}", f"name them: `{option_text('qi', ['Age', 'Zip'])}`")
    if sensitive is None:
        named = declared.sensitive or _counted_columns(queries, declared)
        others = {each.casefold() for each in (*grouped, weight, sampling_weight, person) if each is not None}
        sensitive = [name for name in named if name.casefold() not in others]
    _refuse_weights_of_persons(weight, sampling_weight, person)
    return Roles(tuple(qi or grouped), tuple(sensitive), weight, sampling_weight, person)


def _refuse_weights_of_persons(weight: str | None, sampling_weight: str | None, person: str | None) -> None:
    """A weight says how many persons a record represents, which contradicts several records of one person."""
    weights = {"weight": weight, "sampling_weight": sampling_weight}
    given = [option_text(name) for name, column in weights.items() if column is not None]
    if person is not None and given:
        message = f"`{given[0]}` cannot be used with `{option_text('person')}`: a record is either one of several of a "
        message += "person, or it represents several persons"
        help_ = f"omit `{given[0]}`, or measure a table with one record for each person"
        raise _error("AC617", message, help_)


def _counted_columns(queries: Sequence[tree.Process], declared: TableRoles) -> list[str]:
    """The columns in COUNT DISTINCT and SHARE OF MODE, except for those that have another role, such as a patient's
    number."""
    aggregates = [
        named.aggregate for process in queries for named in process.aggregates if named.aggregate.file is None
    ]
    distinct = (each.column for each in aggregates if facts_about(each.function).tells_values_apart)
    others = {*declared.identifiers, *declared.other, declared.person or ""}
    found = _unique(column.text for column in distinct if column is not None)
    return [name for name in found if name.casefold() not in set(map(str.casefold, others))]


def without_dropped(roles: Roles, policy: tree.Program, columns: Sequence[str] = ()) -> Roles:
    """The roles without the columns that the policy drops, unless the table that is measured still has them among its
    `columns`."""
    names, dropped = Names(columns), {name.text.casefold() for name in names_dropped_by(policy)}

    def is_left(name: str) -> bool:
        return name.casefold() not in dropped or bool(names.find(name))

    return replace(
        roles,
        quasi_identifiers=tuple(filter(is_left, roles.quasi_identifiers)),
        sensitive=tuple(filter(is_left, roles.sensitive)),
        person=roles.person if roles.person is not None and is_left(roles.person) else None,
    )


def person_released(person: str | None, policy: tree.Program) -> str | None:
    """The column that tells persons apart, if it still does so after a policy that does not drop it (D35, persons)."""
    split = {name.text.casefold() for name in names_split_by(policy)}
    return None if person is None or person.casefold() in split else person


def measure_notes(
    declared: TableRoles, measures: Measures, policy: tree.Program | None, columns: Sequence[str]
) -> tuple[Note, ...]:
    """What the roles of a table's columns say about its measures (D36, roles act)."""
    if not declared.are_given:
        return ()
    roles = locate_roles(declared, columns, policy)
    measured = {column for name in measures.quasi_identifiers for column in roles.names.find(name)}
    quasi_identifiers = roles.columns("quasi_identifiers")
    grouping = None
    if policy is not None and measured == set(quasi_identifiers):
        noun = "record" if measures.weight is None and measures.people is None else "person"
        grouping = grouping_note(roles, quasi_identifiers, policy, lambda: _size_text(measures.k, noun))
    return tuple(Note(None, text) for text in (undecided_note(roles), grouping) if text is not None)


def record_risks_note(path: str) -> Note:
    return Note(
        None,
        f"`{path}` has the risk of each record: it tells whom an attacker would find. Keep it with the original table, "
        "and do not publish it",
    )


def _size_text(k: Persons | None, noun: str) -> str | None:
    return count_text(k, noun) if isinstance(k, int) else None


def _unique(names: Iterable[str]) -> list[str]:
    """The names without duplicates. A policy may spell a name in several cases (D3); the first spelling is kept."""
    return list({name.casefold(): name for name in reversed(list(names))}.values())[::-1]


def positions(asked: Roles, columns: Sequence[str]) -> Positions:
    """The positions of the columns. Raise with a diagnostic for each name that is not found."""
    names = Names(columns)
    weights = [name for name in (asked.weight, asked.sampling_weight) if name is not None]
    person = () if asked.person is None else (asked.person,)
    wanted = (*asked.quasi_identifiers, *asked.sensitive, *weights, *person)
    findings = [each for name in wanted if isinstance(each := find_column(names, name), Diagnostic)]
    if findings:
        raise CallError(findings)
    found = Positions(
        tuple(names.find(name)[0] for name in asked.quasi_identifiers),
        tuple(names.find(name)[0] for name in asked.sensitive),
        None if asked.weight is None else names.find(asked.weight)[0],
        None if asked.sampling_weight is None else names.find(asked.sampling_weight)[0],
        None if asked.person is None else names.find(asked.person)[0],
    )
    _refuse_two_roles(found, columns)
    return found


def same_columns(asked: Roles, columns: Sequence[str], table: str) -> Positions:
    """The positions of the quasi-identifiers in another table, and of the weight and the person if it has them."""
    names = Names(columns)
    absent = [name for name in asked.quasi_identifiers if len(names.find(name)) != 1]
    if absent:
        messages = (f"the {table} has no column `{name}`" for name in absent)
        help_ = f"its columns: {names.listing()}"
        raise CallError(Diagnostic("AC602", message, help=help_) for message in messages)
    weight, person = (names.find(each) if each is not None else () for each in (asked.weight, asked.person))
    quasi_identifiers = tuple(names.find(name)[0] for name in asked.quasi_identifiers)
    one_weight, one_person = (found[0] if len(found) == 1 else None for found in (weight, person))
    return Positions(quasi_identifiers, (), one_weight, person=one_person)


def refuse_opaque(found: Positions, schema: Schema) -> None:
    for position in sorted(found.all()):
        column = schema[position]
        if column.type.kind is Kind.OPAQUE:
            message = f"column `{column.name}` has a type that cannot be measured"
            raise _error("AC608", message, "convert it to text, numbers or dates first")


def _refuse_two_roles(found: Positions, columns: Sequence[str]) -> None:
    seen: set[int] = set()
    for position in (*found.quasi_identifiers, *found.sensitive, *found.weights, *found.persons):
        if position in seen:
            raise CallError([two_roles(columns[position])])
        seen.add(position)


def _error(code: str, message: str, help_: str) -> CallError:
    return CallError([Diagnostic(code, message, help=help_)])
