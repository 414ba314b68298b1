"""A cascade leaves the types of stored columns as they are."""

import duckdb
import pytest

import acompass

POLICY = """
EACH PROCESS COUNT(*) AS n GROUP BY price, zip : n >= 3 : REPLACE price WITH 1.25 THEN REJECT;
"""


@pytest.mark.parametrize("rows", ["(1.25, 'a'), (2.50, 'a')", "(1.25, 'a'), (2.50, 'b')"])
def test_a_decimal_column_keeps_its_digits(rows, tmp_path):
    """In the second table, the cascade drops a class."""
    values = ", ".join([rows, "(1.25, 'a'), (1.25, 'a'), (1.25, 'a'), (1.25, 'a'), (1.25, 'a')"])
    given, out = tmp_path / "given.parquet", tmp_path / "out.parquet"
    select = f"SELECT CAST(price AS DECIMAL(9, 2)) AS price, zip FROM (VALUES {values}) AS t (price, zip)"
    duckdb.sql(select).write_parquet(str(given))
    acompass.run(POLICY, given, output=out)
    found = duckdb.sql(f"SELECT DISTINCT typeof(price) FROM '{out}'").fetchall()
    assert found == [("DECIMAL(9,2)",)]
