"""Where a suggested policy may be written."""

from typing import Any

from acompass.propose.specs import ByFile
from acompass.suggest.columns import Columns
from acompass.tables.output import require_no_hierarchy
from acompass.tables.policy_files import require_place


def require_other_files(path: str | None, table: Any, columns: Columns) -> None:
    """Raise, before anything is read, if the policy has no folder or would replace an input."""
    if path is None:
        return
    require_place(path, table)
    files = (spec.path for spec in columns.specs.values() if isinstance(spec, ByFile))
    require_no_hierarchy(path, files)
