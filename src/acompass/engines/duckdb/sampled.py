"""Some of a table's records, chosen by a seed: a table of its own in the same connection."""

from collections.abc import Mapping
from functools import cached_property

from acompass.checked.uses import ColumnUse
from acompass.engines.duckdb.errors import failures
from acompass.engines.duckdb.names import fresh_name
from acompass.engines.duckdb.read import DuckDBTable
from acompass.engines.duckdb.table import Layout
from acompass.engines.facts import Facts
from acompass.engines.loading import Prepared
from acompass.options import ReadingOptions
from acompass.plan.lowering.state import ROW_KEY


class SampledTable(DuckDBTable):
    """Records keep their row keys, so that their order and their lines in a file stay the same."""

    def __init__(self, whole: DuckDBTable, records: int, seed: str):
        super().__init__(whole.con, whole.source, whole.keeps_order)
        self.names = whole.names
        self._whole = whole
        with failures():
            self._relation = self._chosen(records, seed)

    @property
    def relation(self) -> str:
        return self._relation

    def facts(self, uses: Mapping[int, ColumnUse]) -> Facts:
        return self._facts

    def prepared(self, facts: Facts, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Prepared:
        return self._whole.prepared(facts, uses, options)

    def layout(self, prepared: Prepared, view: str) -> Layout:
        return self._whole.layout(prepared, view)

    def drop(self) -> None:
        with failures():
            self.con.execute(f"DROP TABLE {self._relation}")

    @cached_property
    def _facts(self) -> Facts:
        return self._new_facts()

    def _chosen(self, records: int, seed: str) -> str:
        """A stored table. A hash of the seed and the row key decides, the same on every machine."""
        name, whole = fresh_name("sample"), self._whole.relation
        first = f"SELECT {ROW_KEY} FROM {whole} ORDER BY md5(concat($1::VARCHAR, ':', {ROW_KEY})) LIMIT $2"
        chosen = f"SELECT * FROM {whole} WHERE {ROW_KEY} IN ({first}) ORDER BY {ROW_KEY}"
        self.con.execute(f"CREATE TEMP TABLE {name} AS {chosen}", [seed, records])
        return name
