"""Create the certificate of a page: hashes of the policy and the files, versions, parameters and counts."""

import hashlib
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from acompass.policy import Policy
from acompass.report.certificate import Certificate, FileHash
from acompass.result import Result
from acompass.tables.source import Files, opened, readable
from acompass.version import __version__


def certify(
    command: str,
    policy: Policy | None,
    params: Mapping[str, Any],
    engine: str | None,
    tables: tuple[Any, Any],
    result: Result | None,
) -> Certificate:
    """`tables` are the input and the output. Only tables given as paths have hashes."""
    before, after = tables
    return Certificate(
        command=command,
        made=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        versions=_versions(engine),
        policy=None if policy is None else hash_policy(policy),
        parameters={name: str(value) for name, value in sorted(params.items())},
        input=hash_table(before),
        output=hash_table(after),
        counts={} if result is None else _counts(result),
    )


def _versions(engine: str | None) -> dict[str, str]:
    """Only the scheme of an engine's URL is kept: the rest may contain a password."""
    name = (engine or "duckdb").partition(":")[0]
    return {"acompass": __version__, "engine": name, "duckdb": version("duckdb")}


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


def hash_table(table: Any) -> tuple[FileHash, ...] | None:
    """One hash per file that the path or glob matches."""
    if not isinstance(table, str | os.PathLike):
        return None
    with opened(table) as source:
        assert isinstance(source, Files)
        return tuple(_hash_file(path) for path in source.paths)


def _hash_file(path: str) -> FileHash:
    with readable(path), open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FileHash(os.path.basename(path), digest, os.path.getsize(path))
