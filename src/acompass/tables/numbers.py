"""Numbers written as text (D4), and the labels of bands that may stand beside them (X2)."""

import re

NUMBER_PATTERN = r"[+-]?[0-9]+(\.[0-9]+)?"

_BOUND = r"-?[0-9]+(\.[0-9]+)?"
#: a number with digits after the point, and a band of decimals
FRACTION = r"-?[0-9]+\.[0-9]+"
FRACTION_BAND = rf"\[{_BOUND},{_BOUND}\)"
BAND_LABEL = rf"(-?[0-9]+-[0-9]+|-?[0-9]+ to -?[0-9]+|{FRACTION_BAND}|<{_BOUND}|{_BOUND}\+|\*)"


def is_number(text: str) -> bool:
    return re.fullmatch(NUMBER_PATTERN, text, re.ASCII) is not None
