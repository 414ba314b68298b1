"""The text of a query. The statements of a plan share states, so the text of each state is made once."""

from functools import cache

from sqlglot import Dialect, exp
from sqlglot.generator import Generator

from acompass.plan.lowering.state import is_source


def text_of(query: exp.Query, dialect: str) -> str:
    # a copy would take longer than the text
    return _generator(dialect)(dialect=_dialect(dialect)).generate(query, copy=False)


def _dialect(name: str) -> type[Dialect]:
    """Of the dialect that sqlglot has for an engine, or of none."""
    return Dialect.get(name) or Dialect


@cache
def _generator(dialect: str) -> type[Generator]:
    base = _dialect(dialect).generator_class

    class Sharing(base):  # type: ignore[misc, valid-type]
        def subquery_sql(self, expression: exp.Subquery, sep: str = " AS ") -> str:
            text: str | None = expression.meta_get(dialect)
            if text is None:
                text = super().subquery_sql(expression, sep)
                if is_source(expression):
                    expression.meta[dialect] = text
            return text

    return Sharing
