"""Aggregates over a table, each computed only once."""

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.dialect import Dialect
from acompass.plan.lowering.sql import Sql
from acompass.plan.running.session import Session

RECORDS: Sql = exp.Count(this=exp.Star())


class Facts:
    """Cached aggregates over one relation. If the table cannot change, they are reused for later policies."""

    def __init__(self, session: Session, source: Sql, where: Sql | None = None):
        self._session = session
        self._source = source
        self._where = where
        self._known: dict[str, Any] = {}

    @property
    def dialect(self) -> Dialect:
        return self._session.dialect

    def among(self, where: Sql) -> "Facts":
        """Facts about the records that satisfy a condition."""
        return Facts(self._session, self._source, where)

    def know(self, question: Sql, answer: Any) -> None:
        self._known[question.sql()] = answer

    def ask(self, questions: Sequence[Sql]) -> list[Any]:
        """The values of the aggregates, computed with at most one query."""
        keys = [question.sql() for question in questions]
        unknown = {key: q for key, q in zip(keys, questions, strict=True) if key not in self._known}
        if unknown:
            row = self._session.fetch(self.select([question.copy() for question in unknown.values()]))[0]
            self._known |= dict(zip(unknown, row, strict=True))
        return [self._known[key] for key in keys]

    def select(self, columns: Sequence[Sql]) -> exp.Select:
        """A query over the records."""
        where = None if self._where is None else self._where.copy()
        return sql.query(columns, self._source.copy(), where)

    def count(self, question: Sql = RECORDS) -> int:
        return int(self.ask([question])[0])
