"""Write a suggested policy, whole or not at all."""

import os
from pathlib import Path
from typing import Any

from acompass.propose.specs import ByFile
from acompass.suggest.columns import Columns
from acompass.tables import errors
from acompass.tables.output import require_no_hierarchy, require_other_file
from acompass.tables.replacing import replacing
from acompass.tables.source import matching


def require_other_files(path: str | None, table: Any, columns: Columns) -> None:
    """Raise, before anything is read, if the policy has no folder or would replace an input."""
    if path is None:
        return
    if not Path(os.path.realpath(path)).parent.is_dir():
        raise errors.no_folder(str(Path(path).parent))
    if isinstance(table, str | os.PathLike):
        require_other_file(path, tuple(matching(os.fspath(table))))
    files = (spec.path for spec in columns.specs.values() if isinstance(spec, ByFile))
    require_no_hierarchy(path, files)


def write_policy(path: str, text: str) -> None:
    with replacing(path) as part:
        Path(part).write_text(text, encoding="utf-8", newline="")
