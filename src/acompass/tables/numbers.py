"""Numbers written as text (D4), and the labels of bands that may stand beside them (X2)."""

import re

NUMBER_PATTERN = r"[+-]?[0-9]+(\.[0-9]+)?"

_BOUND = r"-?[0-9]+(\.[0-9]+)?"
_FRACTION = r"-?[0-9]+\.[0-9]+"
_INTEGER_BAND = r"-?[0-9]+-[0-9]+|-?[0-9]+ to -?[0-9]+"
_FRACTION_BAND = rf"\[{_BOUND},{_BOUND}\)"
BAND_LABEL = rf"({_INTEGER_BAND}|{_FRACTION_BAND}|<{_BOUND}|{_BOUND}\+|\*)"
#: what only a column of decimals has, and what only a column of integers has if it has nothing of the former
FRACTIONS = rf"({_FRACTION}|{_FRACTION_BAND}|<{_FRACTION}|{_FRACTION}\+)"
INTEGERS = rf"(-?[0-9]+|{_INTEGER_BAND})"


def is_number(text: str) -> bool:
    return re.fullmatch(NUMBER_PATTERN, text, re.ASCII) is not None
