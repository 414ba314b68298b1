"""Missing values in the columns that a policy names (D11)."""

from collections.abc import Mapping

from acompass.checked.types import Schema
from acompass.tables import faults

#: what to do about incomplete records, besides filling them with a value
ERROR = "error"
DROP = "drop"


def require_complete(schema: Schema, missing: Mapping[int, int]) -> None:
    """Nothing runs on a table that lacks values the policy needs; `missing` says how many of which column."""
    if missing:
        raise faults.missing_values([(schema[p].name, n) for p, n in sorted(missing.items())])
