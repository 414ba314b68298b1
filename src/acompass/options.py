"""How a table is opened: with which engine, and how it is read."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from acompass.tables.date_format import DateFormat
from acompass.tables.file_format import FileFormat

#: ways to handle missing values (D11), other than filling them with a value
ERROR = "error"
DROP = "drop"

#: as a caller writes it: for all columns, by column, or as texts such as `drop` and `Zip=?`
MissingArgument: TypeAlias = str | Mapping[str, str] | tuple[str, ...]

#: formats of local dates by column (D28), or texts such as `Admission=%d.%m.%Y`
DatesArgument: TypeAlias = Mapping[str, str] | tuple[str, ...]

#: by column a hierarchy file, `bands:5,10`, `prefix:4,3` or `dates`; or texts such as `Age=bands:5,10`
HierarchiesArgument: TypeAlias = Mapping[str, str | os.PathLike[str]] | tuple[str, ...]

#: the limits of a search that says nothing else: the steps, the last REJECT included, and the part of the
#: records that may be dropped
LINES = 30
MOST_LOST = "5%"


@dataclass(frozen=True)
class MissingOptions:
    """How missing values are handled: ERROR, DROP or the text to fill with, by position or by `default`."""

    default: str = ERROR
    by_position: Mapping[int, str] = field(default_factory=dict)

    def of(self, position: int) -> str:
        return self.by_position.get(position, self.default)


@dataclass(frozen=True)
class ReadingOptions:
    """How the values of a table are read; `dates` are formats by position."""

    missing: MissingOptions = field(default_factory=MissingOptions)
    dates: Mapping[int, DateFormat] = field(default_factory=dict)


@dataclass(frozen=True)
class Options:
    """`engine` is a URL, a Spark session, or None for the engine of the table."""

    engine: Any = None
    missing: MissingArgument = ERROR
    dates: DatesArgument = ()
    delimiter: str | None = None
    memory_limit: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None

    @property
    def file_format(self) -> FileFormat:
        return FileFormat(self.delimiter, self.encoding, self.decimal, self.sheet)
