"""When two tables are the same bag, whatever their records hold."""

from collections import Counter
from collections.abc import Iterable

from acompass.checked.types import Schema
from acompass.semantics import canonical_key
from acompass.semantics.bags import Record


def as_bag(schema: Schema, records: Iterable[Record]) -> Counter[object]:
    """Canonical keys: two missing values are equal, and so are 0.0 and -0.0."""
    return Counter(map(canonical_key(schema), records))
