"""The text of a query. The statements of a plan share states, so the text of each state is made once."""

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

from acompass.plan.lowering.state import is_source

_TEXT = "duckdb"


class _Generator(DuckDB.Generator):  # type: ignore[misc, valid-type]
    def subquery_sql(self, expression: exp.Subquery, sep: str = " AS ") -> str:
        text: str | None = expression.meta_get(_TEXT)
        if text is None:
            text = super().subquery_sql(expression, sep)
            if is_source(expression):
                expression.meta[_TEXT] = text
        return text


def text_of(query: exp.Query) -> str:
    # a copy would take longer than the text
    text: str = _Generator(dialect=DuckDB()).generate(query, copy=False)
    return text
