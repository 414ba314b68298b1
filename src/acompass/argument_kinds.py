"""What a value is, in words: for messages, which never show the value itself."""

import numbers
import os
from collections.abc import Mapping, Set
from datetime import date
from typing import Any

#: the kinds of values in words, the most specific first
_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (type(None), "None"),
    (bool, "a boolean"),
    (str, "text"),
    ((bytes, bytearray), "bytes"),
    (os.PathLike, "a path"),
    (Mapping, "a dict"),
    (list, "a list"),
    (tuple, "a tuple"),
    (Set, "a set"),
    (date, "a date"),
)
_TABLE_LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb", "ibis", "pyspark")


def kind_of(value: Any) -> str:
    """What a value is, in words. The value itself is never shown: it may come from a record."""
    for types, words in _KINDS:
        if isinstance(value, types):
            return words
    if isinstance(value, numbers.Number):
        return _kind_of_number(value)
    if callable(value):
        return "a function"
    if type(value).__module__.split(".")[0] in _TABLE_LIBRARIES:
        return "an object of a table library"
    return "a policy" if type(value).__name__ == "Policy" else "an object of another kind"


def _kind_of_number(value: Any) -> str:
    if not hasattr(value, "__index__"):
        return "a decimal number"
    return "a negative number" if value < 0 else "a number"
