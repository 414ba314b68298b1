"""Find blanks between a quote and a delimiter, line end or another quote. The engine's CSV reader silently
drops the former and reads `"a" "b"`, which is malformed, as one field.

Blanks inside quoted fields are found too. Such files are read by the slower reader, with the same result.
"""

import re

from acompass.tables.header import opened_bytes

_CHUNK = 1 << 22
#: the longest run of blanks that is found across the end of a chunk
_OVERLAP = 1 << 12


def has_blanks_at_quotes(path: str, shown: str, delimiter: str) -> bool:
    suspects = _suspects(re.escape(delimiter.encode()))
    end = b""
    with opened_bytes(path, shown) as file:
        while chunk := file.read(_CHUNK):
            window = end + chunk
            if b'"' in window and any(suspect.search(window) for suspect in suspects):
                return True
            end = window[-_OVERLAP:]
    return end.endswith(b" ") and end.rstrip(b" ").endswith(b'"')


def _suspects(delimiter: bytes) -> list[re.Pattern[bytes]]:
    """Separate patterns, each starting with fixed bytes: a combined pattern took fifteen times as long."""
    before = [rb'%b +"' % edge for edge in (delimiter, b"\n", b"\r")]
    return [re.compile(pattern) for pattern in (rb'" +["\r\n%b]' % delimiter, *before)]
