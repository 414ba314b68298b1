"""Missing values in columns that a policy names (D11)."""

from collections.abc import Mapping

from acompass.checked.types import Schema
from acompass.tables import errors


def require_complete(schema: Schema, missing: Mapping[int, int]) -> None:
    """Raise if a column has missing values. `missing` has their number by position."""
    if missing:
        raise errors.missing_values([(schema[p].name, n) for p, n in sorted(missing.items())])
