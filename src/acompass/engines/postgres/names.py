"""The name of a table as users write it: either as in SQL or exactly as spelled."""

import re
from dataclasses import dataclass

from sqlglot import exp

_PART = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')


@dataclass(frozen=True)
class TableName:
    """`parts` is (schema, table) or (table,)."""

    parts: tuple[str, ...]

    @property
    def sql(self) -> str:
        return exp.Table(
            this=_quoted(self.parts[-1]), db=_quoted(self.parts[-2]) if len(self.parts) > 1 else None
        ).sql("postgres")


def names_in(text: str) -> list[TableName]:
    """The names that the text can mean: first as SQL reads it, with bare words in lowercase, then exactly
    as spelled. Empty if the text is not a name."""
    parts: list[tuple[str, str]] = []
    position = 0
    while (found := _PART.match(text, position)) is not None:
        quoted = None if found[1] is None else found[1].replace('""', '"')
        parts.append((quoted or found[2].strip().lower(), quoted or found[2]))
        position = found.end()
        if not text.startswith(".", position):
            break
        position += 1
    if position != len(text) or not 1 <= len(parts) <= 2:
        return []
    folded, spelled = TableName(tuple(p[0] for p in parts)), TableName(tuple(p[1] for p in parts))
    return [folded] if folded == spelled else [folded, spelled]


def _quoted(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)
