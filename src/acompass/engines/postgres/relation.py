"""Find a table or view on the server by its name."""

from dataclasses import dataclass

from sqlglot import exp

from acompass.engines.postgres.names import names_in
from acompass.engines.postgres.session import ReadingSession
from acompass.plan.lowering.sql import Sql


@dataclass(frozen=True)
class Relation:
    """`sql` is the quoted name with its schema; `kind` is the relkind in PostgreSQL's catalog."""

    oid: int
    sql: str
    kind: str

    def table(self) -> Sql:
        found = exp.maybe_parse(self.sql, into=exp.Table, dialect="postgres")
        assert isinstance(found, exp.Table)
        return found.as_("t")


def find_relation(session: ReadingSession, text: str) -> Relation | None:
    for name in names_in(text):
        literal = exp.Literal.string(name.sql).sql("postgres")
        rows = session.execute(
            "SELECT c.oid::bigint, quote_ident(nspname) || '.' || quote_ident(relname), "
            "relkind::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace "
            f"WHERE c.oid = to_regclass({literal}) AND relkind IN ('r', 'v', 'm', 'f', 'p')"
        ).fetchall()
        if rows:
            return Relation(*rows[0])
    return None
