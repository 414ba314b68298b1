"""From rows to the text of a hierarchy file: delimited by semicolons, as ARX's; quotes as in RFC 4180."""

import re
from collections.abc import Iterable

from acompass.hierarchies.hierarchy import Row

_DELIMITER = ";"
#: what an unquoted cell cannot contain; a byte order mark would be lost at the start of the file
_QUOTED = re.compile(r'[;"\r\n\ufeff]')


def hierarchy_text(rows: Iterable[Row]) -> str:
    return "".join(f"{_DELIMITER.join(map(_cell, row))}\n" for row in rows)


def _cell(text: str) -> str:
    return '"{}"'.format(text.replace('"', '""')) if _QUOTED.search(text) else text
