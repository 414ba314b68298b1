"""Write a suggested policy, whole or not at all."""

import os
from pathlib import Path
from typing import Any

from acompass.propose.specs import ByFile, parse_spec
from acompass.suggest.request import Request
from acompass.tables.output import require_no_hierarchy, require_other_file
from acompass.tables.replacing import replacing
from acompass.tables.source import matching


def require_other_files(path: str | None, table: Any, request: Request) -> None:
    """Raise, before anything is read, if the policy would replace the table or a hierarchy."""
    if path is None:
        return
    if isinstance(table, str | os.PathLike):
        require_other_file(path, tuple(matching(os.fspath(table))))
    specs = map(parse_spec, request.hierarchies.values())
    require_no_hierarchy(path, [spec.path for spec in specs if isinstance(spec, ByFile)])


def write_policy(path: str, text: str) -> None:
    with replacing(path) as part:
        Path(part).write_text(text, encoding="utf-8", newline="")
