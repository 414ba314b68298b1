"""Write the policy that a command makes of a table, whole or not at all."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from acompass.tables import errors
from acompass.tables.output import require_other_file
from acompass.tables.replacing import replacing
from acompass.tables.source import matching


def require_place(path: str, table: Any, files: Iterable[str] = ()) -> None:
    """Raise, before anything is read, if the policy has no folder or would replace an input."""
    if not Path(os.path.realpath(path)).parent.is_dir():
        raise errors.no_folder(str(Path(path).parent))
    tables = matching(os.fspath(table)) if isinstance(table, str | os.PathLike) else ()
    require_other_file(path, (*tables, *files))


def write_policy(path: str, text: str) -> None:
    with replacing(path) as part:
        Path(part).write_text(text, encoding="utf-8", newline="")
