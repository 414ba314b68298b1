"""Measures of an open table for the columns that are marked, as far as the table still has them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from acompass.checked.names import Names
from acompass.measure.columns import Roles, assign_roles
from acompass.measures import Classes, Measures, Persons
from acompass.session import Session
from acompass.studio.asking import Ask


@dataclass(frozen=True, slots=True)
class Driver:
    """What the smallest class would be without a column, and how many records would still be unique."""

    column: str
    k: Persons | None
    uniques: Persons


@dataclass(frozen=True, slots=True)
class Exposure:
    measures: Measures
    drivers: tuple[Driver, ...]


def marked_or_grouped(ask: Ask) -> Roles:
    """The columns that the page marks, else those that the policy groups by and counts."""
    marked = ask.body.roles() if ask.body.has("roles") else ask.studio.roles
    policy = ask.document.policy
    tree = None if policy is None else policy.tree
    return assign_roles(tree, marked.quasi_identifiers or None, marked.sensitive or None, None)


def still_there(roles: Roles, columns: Sequence[str]) -> Roles:
    """A column that the policy drops tells nothing about anybody."""
    names = Names(columns)
    quasi_identifiers, sensitive = (
        tuple(name for name in marked if names.find(name))
        for marked in (roles.quasi_identifiers, roles.sensitive)
    )
    return replace(roles, quasi_identifiers=quasi_identifiers, sensitive=sensitive)


def exposure(session: Session, roles: Roles, records: int) -> Exposure:
    marked = roles.quasi_identifiers
    measures = _measured(session, marked, roles.sensitive, records)
    without = {column: [name for name in marked if name != column] for column in marked}
    classes = {column: _measured(session, others, (), records).classes for column, others in without.items()}
    drivers = tuple(Driver(name, found.k, found.uniques) for name, found in classes.items())
    return Exposure(measures, drivers)


def _measured(session: Session, marked: Sequence[str], sensitive: Sequence[str], records: int) -> Measures:
    """Without quasi-identifiers, all records look the same."""
    if marked:
        return session.measure(marked, sensitive)
    return Measures((), None, Classes(((records, 1),) if records else ()), ())


def with_journalist(found: Exposure, session: Session, population: str | None) -> Exposure:
    """Raise TableError unless everybody in the table is in the population, described in the same way."""
    marked = found.measures.quasi_identifiers
    if population is None or not marked:
        return found
    risk = session.measure(marked, (), population=population).journalist
    return replace(found, measures=replace(found.measures, journalist=risk))
