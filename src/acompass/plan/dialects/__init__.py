"""Where engines differ, as a table: how each writes the few things SQL has no common word for."""

from acompass.plan.dialects.dialect import Dialect
from acompass.plan.dialects.duckdb import DUCKDB
from acompass.plan.dialects.postgres import POSTGRES
from acompass.plan.dialects.spark import SPARK

__all__ = ["DUCKDB", "POSTGRES", "SPARK", "Dialect"]
