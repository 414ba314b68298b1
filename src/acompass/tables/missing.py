"""Missing values in the columns that a policy names (D11)."""

from acompass.tables import faults
from acompass.tables.loaded import Loaded

#: what to do about incomplete records, besides filling them with a value
ERROR = "error"
DROP = "drop"


def require_complete(loaded: Loaded) -> None:
    """Nothing runs on a table that lacks values the policy needs, unless they were dropped or filled."""
    if loaded.missing and not loaded.completed:
        raise faults.missing_values([(loaded.schema[p].name, n) for p, n in sorted(loaded.missing.items())])
