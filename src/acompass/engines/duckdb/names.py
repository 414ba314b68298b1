"""Identifiers and literals in DuckDB statements."""

import itertools
from collections.abc import Sequence

_numbers = itertools.count()


def fresh_name(prefix: str) -> str:
    """A table name that is unique in this process."""
    return f"{prefix}{next(_numbers)}"


def text_literal(text: str) -> str:
    quoted = text.replace("'", "''")
    return f"'{quoted}'"


def text_list(texts: Sequence[str]) -> str:
    return "[" + ", ".join(text_literal(text) for text in texts) + "]"


def identifier(name: str) -> str:
    quoted = name.replace('"', '""')
    return f'"{quoted}"'
