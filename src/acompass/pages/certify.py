"""Create the certificate of a page: hashes of the policy and all files, versions, parameters and counts."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from acompass.diagnostics import CallError, Diagnostic
from acompass.options import DatesArgument
from acompass.policy import Policy
from acompass.report.certificate import Certificate, FileHash
from acompass.result import Result
from acompass.tables.source import found_files, readable
from acompass.version import __version__


@dataclass(frozen=True, slots=True)
class TableName:
    """A table of an engine. It has a name but no hash."""

    name: str


def certify(
    command: str,
    policy: Policy | None,
    params: Mapping[str, Any],
    dates: DatesArgument,
    engine: str,
    tables: Mapping[Literal["input", "output"], str | TableName | None],
    result: Result | None,
) -> Certificate:
    """`engine` is the engine's name and version. Only tables given as paths have hashes."""
    return Certificate(
        command=command,
        made=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        versions={"acompass": __version__, "engine": engine},
        policy=None if policy is None else hash_policy(policy),
        hierarchies=() if policy is None else hash_hierarchies(policy),
        parameters={name: str(value) for name, value in sorted(params.items())},
        dates=_formats(dates),
        tables={what: table.name for what, table in tables.items() if isinstance(table, TableName)},
        input=_hashes(tables["input"]),
        output=_hashes(tables["output"]),
        counts={} if result is None else _counts(result),
    )


def _formats(dates: DatesArgument) -> tuple[str, ...]:
    """Texts such as `Admission=%d.%m.%Y`."""
    if isinstance(dates, Mapping):
        return tuple(f"{name}={format_}" for name, format_ in dates.items())
    return tuple(dates)


def _hashes(table: str | TableName | None) -> tuple[FileHash, ...] | None:
    return hash_table(table) if isinstance(table, str) else None


def _counts(result: Result) -> dict[str, Any]:
    return {
        "records_in": result.records_in,
        "dropped": result.dropped,
        "records_out": result.records_out,
        "ok": result.ok,
        "requirements": [
            {"line": each.line, "holds": each.holds, "affected": each.affected, "action": each.action}
            for each in result.requirements
        ],
    }


def hash_policy(policy: Policy) -> FileHash:
    """The hash of the policy's text in UTF-8, without a byte order mark."""
    content = policy.text.encode()
    return FileHash(os.path.basename(policy.name), hashlib.sha256(content).hexdigest(), len(content))


def hash_hierarchies(policy: Policy) -> tuple[FileHash, ...]:
    return tuple(map(_hash_hierarchy, policy.hierarchies))


def _hash_hierarchy(path: Path) -> FileHash:
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        help_ = "restore the file; its path is relative to the policy's folder"
        message = f"cannot read hierarchy `{path}`: {reason}"
        raise CallError([Diagnostic("AC122", message, help=help_)]) from None
    return FileHash(path.name, hashlib.sha256(content).hexdigest(), len(content))


def hash_table(table: str) -> tuple[FileHash, ...]:
    """One hash per file that the path or glob matches."""
    return tuple(_hash_file(path) for path in found_files(table).paths)


def _hash_file(path: str) -> FileHash:
    with readable(path), open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FileHash(os.path.basename(path), digest, os.path.getsize(path))
