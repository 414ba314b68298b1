"""Equality of bags whose records may hold missing values."""

from collections import Counter
from collections.abc import Iterable

from acompass.checked.types import Schema
from acompass.semantics import Record, canonical_key


def as_bag(schema: Schema, records: Iterable[Record]) -> Counter[object]:
    """A bag of canonical keys, in which missing values are equal, and so are 0.0 and -0.0."""
    return Counter(map(canonical_key(schema), records))
