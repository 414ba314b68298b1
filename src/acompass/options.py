"""Options for opening a table."""

from dataclasses import dataclass
from typing import Any

#: how to treat incomplete records (D11), besides filling them with a value
ERROR = "error"
DROP = "drop"


@dataclass(frozen=True)
class Options:
    """`engine` is a URL, a Spark session, or None for the engine that the table belongs to.

    `missing` is ERROR, DROP, or the text to fill missing values with.
    """

    engine: Any = None
    missing: str = ERROR
    delimiter: str | None = None
    memory_limit: str | None = None
