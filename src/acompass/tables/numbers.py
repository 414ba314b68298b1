"""Numbers written as text (D4)."""

import re

NUMBER_PATTERN = r"[+-]?[0-9]+(\.[0-9]+)?"


def is_number(text: str) -> bool:
    return re.fullmatch(NUMBER_PATTERN, text, re.ASCII) is not None
