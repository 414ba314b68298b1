"""Write a hierarchy file, whole or not at all."""

from collections.abc import Iterable
from pathlib import Path

from acompass.hierarchies.hierarchy import Row
from acompass.hierarchies.to_csv import hierarchy_text
from acompass.tables.output import require_other_file
from acompass.tables.replacing import replacing
from acompass.tables.source import matching


def require_other_than_table(path: str, table: str) -> None:
    """Raise, before anything is read, if the hierarchy would replace the table."""
    require_other_file(path, tuple(matching(table)))


def write_hierarchy(path: str, rows: Iterable[Row]) -> None:
    with replacing(path) as part:
        Path(part).write_text(hierarchy_text(rows), encoding="utf-8", newline="")
