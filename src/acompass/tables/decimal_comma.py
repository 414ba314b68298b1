"""Numbers with a decimal comma, and labels of bands with such bounds.

Inside, every number has a decimal point. `swapped` exchanges the two spellings where a table is read and
where it is written: `1,5` and `1.5`, `[0,5;1)` and `[0.5,1)`. It is its own inverse and keeps every other
text, so nothing is lost, and `1.5` in a file with decimal commas is not a number.
"""

import re

from acompass.tables.header import opened_bytes

#: also `<0,5` and `90,5+`
NUMBER = r"<?[+-]?[0-9]+[.,][0-9]+\+?"
POINT_BAND = r"\[-?[0-9]+(\.[0-9]+)?,-?[0-9]+(\.[0-9]+)?\)"
COMMA_BAND = r"\[-?[0-9]+(,[0-9]+)?;-?[0-9]+(,[0-9]+)?\)"
#: a pattern, characters in a text that matches it, and the characters that take their places
SWAPS = ((NUMBER, ".,", ",."), (POINT_BAND, ".,", ",;"), (COMMA_BAND, ",;", ".,"))

#: a number with a decimal comma, for one that is not expected
COMMA_NUMBER = r"[+-]?[0-9]+,[0-9]+"

_QUOTED = re.compile(rb'"%b"' % COMMA_NUMBER.encode())
_CHUNK = 1 << 22
#: longer than any number is
_OVERLAP = 1 << 10


def swapped(text: str) -> str:
    for pattern, old, new in SWAPS:
        if re.fullmatch(pattern, text, re.ASCII):
            return text.translate(str.maketrans(old, new))
    return text


def has_quoted_comma(path: str, shown: str) -> bool:
    """Whether a number with a decimal comma is in quotes, as it must be where commas separate fields."""
    end = b""
    with opened_bytes(path, shown) as file:
        while chunk := file.read(_CHUNK):
            window = end + chunk
            if _QUOTED.search(window):
                return True
            end = window[-_OVERLAP:]
    return False
