"""Missing values in the columns that a policy names (D11)."""

from collections.abc import Mapping

from acompass.checked.types import Schema
from acompass.tables import errors


def require_complete(schema: Schema, missing: Mapping[int, int]) -> None:
    """Raise where columns lack values; `missing` counts them by position."""
    if missing:
        raise errors.missing_values([(schema[p].name, n) for p, n in sorted(missing.items())])
