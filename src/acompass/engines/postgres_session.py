"""A PostgreSQL connection as the session of a plan.

Both kinds name what they keep `kept0`, `kept1`, …: temporary tables, which no other session sees and which go
with the transaction, or subqueries under a WITH, which need no permission but SELECT.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import errors
from sqlglot import exp

from acompass.diagnostics import AcompassError
from acompass.engines import postgres_faults as faults
from acompass.engines.failures import engine_failed, out_of_memory
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.postgres import POSTGRES

_MEMORY = (errors.OutOfMemory, errors.DiskFull, errors.InsufficientResources)


@contextmanager
def failures() -> Iterator[None]:
    """PostgreSQL's errors as diagnostics."""
    try:
        yield
    except (errors.AdminShutdown, errors.CrashShutdown):
        raise faults.connection_lost() from None
    except errors.QueryCanceled:
        raise faults.canceled() from None
    except errors.InsufficientPrivilege as error:
        raise faults.not_permitted(error.diag.message_primary or "") from None
    except errors.NumericValueOutOfRange:
        raise faults.sum_too_large() from None
    except (errors.UntranslatableCharacter, errors.CharacterNotInRepertoire):
        raise faults.no_nul() from None
    except _MEMORY:
        raise out_of_memory("PostgreSQL") from None
    except psycopg.OperationalError as error:
        raise _lost(error) from None
    except psycopg.Error as error:
        raise engine_failed("PostgreSQL", error) from None


def _lost(error: psycopg.OperationalError) -> AcompassError:
    return faults.connection_lost() if error.sqlstate is None else engine_failed("PostgreSQL", error)


class _Session:
    dialect = POSTGRES

    def __init__(self, connection: psycopg.Connection[Any]):
        self._connection = connection
        self._numbers = itertools.count()
        self.statements: list[str] = []

    def execute(self, statement: str) -> psycopg.Cursor[Any]:
        with failures():
            return self.run(statement)

    def run(self, statement: str) -> psycopg.Cursor[Any]:
        """With PostgreSQL's own errors. Names and constants are in it as quoted identifiers and literals
        only (invariant 6)."""
        self.statements.append(statement)
        return self._connection.execute(statement)

    def fresh(self) -> str:
        return f"kept{next(self._numbers)}"


class KeepingSession(_Session):
    """Keeps rows in temporary tables: what a run needs."""

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        return _rows(self.execute(query.sql("postgres")))

    def store(self, query: exp.Select) -> str:
        name = self.fresh()
        self.execute(f"CREATE TEMP TABLE {name} ON COMMIT DROP AS {query.sql('postgres')}")
        # without statistics the planner takes every kept table for a small one
        self.execute(f"ANALYZE {name}")
        return name

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        """The rows travel as data of a COPY: they never become text of a statement."""
        name = self.create(columns)
        with failures(), self.copy(f"COPY pg_temp.{name} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        return name

    def create(self, columns: Sequence[tuple[str, str]]) -> str:
        name = self.fresh()
        described = ", ".join(f"{column} {_column_type(type_)}" for column, type_ in columns)
        self.execute(f"CREATE TEMP TABLE {name} ({described}) ON COMMIT DROP")
        return name

    def commit(self) -> None:
        self._connection.commit()

    @contextmanager
    def copy(self, statement: str) -> Iterator[psycopg.Copy]:
        self.statements.append(statement)
        with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            yield copy

    def clear(self) -> None:
        """Ends the transaction, even one that failed: what was kept goes with it."""
        with failures():
            self._connection.rollback()


class ReadingSession(_Session):
    """Creates nothing: what is kept goes before each query that reads it, under a WITH."""

    def __init__(self, connection: psycopg.Connection[Any]):
        super().__init__(connection)
        self._kept: dict[str, exp.Select] = {}

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        return _rows(self.execute(self._with_kept(query).sql("postgres")))

    def store(self, query: exp.Select) -> str:
        name = self.fresh()
        self._kept[name] = query
        return name

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        literals = [
            exp.Tuple(
                expressions=[_typed(value, type_) for value, (_, type_) in zip(row, columns, strict=True)]
            )
            for row in rows
        ]
        names = [column for column, _ in columns]
        return self.store(_values(literals, names) if literals else _no_rows(columns))

    def clear(self) -> None:
        self._kept.clear()

    def _with_kept(self, query: exp.Select) -> exp.Select:
        for name in self._needed(query):
            query = query.with_(name, as_=self._kept[name])
        return query

    def _needed(self, query: exp.Select) -> list[str]:
        """The kept names that a query reads, itself or through others; each after those it reads."""
        read = [table.name for table in query.find_all(exp.Table) if table.name in self._kept]
        ordered: list[str] = []
        for name in read:
            ordered += [each for each in (*self._needed(self._kept[name]), name) if each not in ordered]
        return ordered


def _rows(cursor: psycopg.Cursor[Any]) -> list[tuple[Any, ...]]:
    with failures():
        return cursor.fetchall()


def _column_type(type_: str) -> str:
    written = exp.DataType.build(type_).sql("postgres")
    return f'{written} COLLATE "C"' if written == "TEXT" else written


def _typed(value: Any, type_: str) -> exp.Expr:
    literal = exp.null() if value is None else sql.literal(value)
    converted = sql.cast(literal, type_)
    return POSTGRES.plain_text(literal) if type_ == "TEXT" else converted


def _values(rows: Sequence[exp.Tuple], names: Sequence[str]) -> exp.Select:
    return exp.select("*").from_(exp.values(list(rows), alias="v", columns=list(names)))


def _no_rows(columns: Sequence[tuple[str, str]]) -> exp.Select:
    nulls = (exp.alias_(_typed(None, type_), name) for name, type_ in columns)
    return exp.select(*nulls).where(sql.FALSE.copy())
