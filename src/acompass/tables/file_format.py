"""What a caller says about the files of a table, and how a CSV file is written again."""

import codecs
import difflib
from dataclasses import dataclass
from encodings.aliases import aliases

from acompass.tables import format_errors

DELIMITERS = (",", ";", "\t", "|")
UTF_8 = "utf-8"
#: decimal marks; the first is that of the language
POINT, COMMA = ".", ","
_MARKED_UTF_8 = "utf-8-sig"


@dataclass(frozen=True)
class FileFormat:
    """None stands for what is found in the file, or for the default. `sheet` is the name of a sheet."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None

    def require_known(self) -> None:
        if self.delimiter is not None and self.delimiter not in DELIMITERS:
            raise format_errors.unknown_delimiter(self.delimiter)
        if self.decimal not in (None, POINT, COMMA):
            raise format_errors.unknown_decimal(self.decimal)
        if self.encoding is not None:
            codec_name(self.encoding)

    @property
    def codec(self) -> str | None:
        """The name of the encoding's codec, the same for all its spellings."""
        return None if self.encoding is None else codec_name(self.encoding)

    @property
    def has_comma(self) -> bool:
        """Whether numbers have a decimal comma."""
        return self.decimal == COMMA


@dataclass(frozen=True)
class CsvStyle:
    """How a CSV output is written: as the first input file, if that is a CSV file."""

    delimiter: str = ","
    encoding: str = UTF_8
    has_mark: bool = False
    line_end: str = "\n"

    @property
    def mark(self) -> str:
        """The byte order mark at the start of the file."""
        return "\ufeff" if self.has_mark else ""


def codec_name(encoding: str) -> str:
    try:
        "".encode(encoding)  # fails for codecs that do not encode text, such as `base64`
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise format_errors.unknown_encoding(encoding, _near(encoding)) from None
    return UTF_8 if name == _MARKED_UTF_8 else name


def _near(encoding: str) -> list[str]:
    """Names as Python's documentation spells them: `utf-8`, not `utf_8`."""
    known = {name.replace("_", "-") for name in (*aliases, *aliases.values())}
    wanted = encoding.lower().replace("_", "-").replace(" ", "-")
    return difflib.get_close_matches(wanted, sorted(known), n=3)
