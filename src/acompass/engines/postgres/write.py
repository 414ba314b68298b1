"""Create an output table in PostgreSQL. It appears when the transaction commits, or not at all."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from psycopg import errors as server
from sqlglot import exp

from acompass.checked.types import Kind, Type
from acompass.engines.errors import output_exists, output_not_replaceable
from acompass.engines.postgres import errors
from acompass.engines.postgres.names import names_in
from acompass.engines.postgres.relation import Relation, find_relation
from acompass.engines.postgres.session import KeepingSession, ReadingSession
from acompass.plan.lowering import sql

_LONGEST_NAME = 63
_KINDS = {"v": "it is a view", "m": "it is a materialized view", "f": "it is a foreign table"}


@dataclass(frozen=True)
class Target:
    """`replaced` is the existing table that the output replaces."""

    shown: str
    sql: str
    replaced: Relation | None


def find_target(session: ReadingSession, text: str, source: Relation | None, force: bool) -> Target:
    """The place of the output table. Raise, before anything runs, if it cannot be created there."""
    existing = find_relation(session, text)
    if existing is not None:
        if source is not None and existing.oid in _parts_of(session, source):
            raise output_not_replaceable(text, "it is the input, which is only read")
        _require_replaceable(text, existing, force)
        return Target(text, existing.sql, existing)
    names = names_in(text)
    if not names:
        raise errors.not_a_name(text)
    *schema, name = names[0].parts
    _require_name(name)
    literal = exp.Literal.string(schema[0]).sql("postgres") if schema else "current_schema()"
    (found,) = session.execute(
        f"SELECT (SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname = {literal})"
    ).fetchall()[0]
    if found is None:
        raise errors.no_such_schema(schema[0] if schema else "public")
    return Target(text, f"{found}.{_quoted(name)}", None)


def _parts_of(session: ReadingSession, source: Relation) -> set[int]:
    """The input table and the partitions and tables that it reads the records of."""
    found = session.execute(
        f"WITH RECURSIVE part(id) AS (SELECT {source.oid}::oid UNION "
        "SELECT inhrelid FROM pg_catalog.pg_inherits JOIN part ON inhparent = part.id) SELECT id FROM part"
    )
    return {oid for (oid,) in found.fetchall()}


def _require_replaceable(text: str, existing: Relation, force: bool) -> None:
    if not force:
        raise output_exists(text)
    if existing.kind in _KINDS:
        raise output_not_replaceable(text, _KINDS[existing.kind])


def create_table(
    session: KeepingSession, place: Target, query: exp.Select, names: Sequence[str], values: Sequence[str]
) -> None:
    """Create the table. `values` are SQL over the query, which is named `t`."""
    for name in names:
        _require_name(name)
    columns = ", ".join(f"{value} AS {_quoted(name)}" for name, value in zip(names, values, strict=True))
    with errors.failures(), _conflicts(place):
        if place.replaced is not None:
            session.run(f"DROP TABLE {place.sql}")
        session.run(f"CREATE TABLE {place.sql} AS SELECT {columns} FROM ({query.sql('postgres')}) AS t")
        session.commit()


@contextmanager
def _conflicts(place: Target) -> Iterator[None]:
    try:
        yield
    except server.DuplicateTable:
        raise output_exists(place.shown) from None
    except server.DependentObjectsStillExist:
        why = "other objects in the database depend on it"
        raise output_not_replaceable(place.shown, why) from None


def new_type(type_: Type, value: str) -> str:
    """SQL for a value of a column that an action wrote or that came from a file, in its PostgreSQL type."""
    if type_.kind is Kind.TEXT:
        return f'CAST({value} AS TEXT) COLLATE pg_catalog."default"'
    return f"CAST({value} AS {exp.DataType.build(sql.type_name(type_)).sql('postgres')})"


def _require_name(name: str) -> None:
    """PostgreSQL would silently truncate a longer name."""
    if not 1 <= len(name.encode()) <= _LONGEST_NAME:
        raise errors.unfit_name(name, _LONGEST_NAME)


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql("postgres")
