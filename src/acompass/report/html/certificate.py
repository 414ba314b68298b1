"""The certificate in a report: what it is a report on, in hashes and counts; never a seed, never a record."""

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from acompass.diagnostics import CallError, Diagnostic
from acompass.policy import Policy, load
from acompass.result import Result
from acompass.tables.source import Files, opened, readable
from acompass.version import __version__

FORMAT = "acompass-report/1"

_BLOCK = re.compile(r'(<script type="application/json" id="certificate">)(.*?)(</script>)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileHash:
    """`name` without its folder: a report is sent around, and folders name people and machines."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Certificate:
    """`input` and `output` are None where the table was not a file. `counts` are those of `--json`."""

    command: str
    made: str
    versions: dict[str, str]
    policy: FileHash | None
    parameters: dict[str, str]
    input: tuple[FileHash, ...] | None
    output: tuple[FileHash, ...] | None
    counts: dict[str, Any]

    def to_object(self) -> dict[str, Any]:
        return {"format": FORMAT, **asdict(self)}


def certify(
    command: str,
    policy: Policy | None,
    params: Mapping[str, Any],
    engine: str | None,
    tables: tuple[Any, Any],
    result: Result | None,
) -> Certificate:
    """`tables` are the input and the output, each a path, something else, or None."""
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
    """An engine's URL may hold a password; its scheme does not."""
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
    """Of its text in UTF-8, without a byte order mark."""
    content = policy.text.encode()
    return FileHash(os.path.basename(policy.name), hashlib.sha256(content).hexdigest(), len(content))


def hash_table(table: Any) -> tuple[FileHash, ...] | None:
    """Of each file that a path or a glob names."""
    if not isinstance(table, str | os.PathLike):
        return None
    with opened(table) as source:
        assert isinstance(source, Files)
        return tuple(_hash_file(path) for path in source.paths)


def _hash_file(path: str) -> FileHash:
    with readable(path), open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FileHash(os.path.basename(path), digest, os.path.getsize(path))


def sealed(page: str, certificate: Certificate) -> str:
    """The page with the certificate put into its empty block, and the hash of the rest put into that."""
    content = {**certificate.to_object(), "document": _hash_document(page)}
    written = json.dumps(content, indent=1, ensure_ascii=True).replace("<", "\\u003c")
    return _BLOCK.sub(lambda found: found[1] + written + found[3], page, count=1)


def _hash_document(page: str) -> str:
    return hashlib.sha256(_BLOCK.sub(r"\1\3", page, count=1).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Comparison:
    """One part of a certificate against what it is about."""

    what: str
    matches: bool


def verify(path: str, policy: str | None, before: str | None, after: str | None) -> list[Comparison]:
    """The page against its own certificate, and the certificate against the files that were given."""
    page, written = _read(path)
    found = [Comparison("report", written.get("document") == _hash_document(page))]
    if policy is not None:
        found.append(
            Comparison("policy", _hash_of(written.get("policy")) == hash_policy(load(policy)).sha256)
        )
    for what, table in (("input", before), ("output", after)):
        if table is not None:
            found.append(Comparison(what, _hashes(written.get(what)) == _hashes_of_files(hash_table(table))))
    return found


def _read(path: str) -> tuple[str, dict[str, Any]]:
    try:
        with open(path, encoding="utf-8") as file:
            page = file.read()
    except (OSError, UnicodeDecodeError):
        raise _not_a_report(path) from None
    block = _BLOCK.search(page)
    try:
        written = json.loads(block[2]) if block is not None else None
    except ValueError:
        written = None
    if not isinstance(written, dict) or written.get("format") != FORMAT:
        raise _not_a_report(path)
    return page, written


def _hash_of(written: Any) -> str | None:
    return written.get("sha256") if isinstance(written, dict) else None


def _hashes(written: Any) -> list[str | None]:
    """In order: the files of a table are one after the other."""
    return [_hash_of(each) for each in written] if isinstance(written, list) else []


def _hashes_of_files(files: Sequence[FileHash] | None) -> list[str | None]:
    return [file.sha256 for file in files or ()]


def _not_a_report(path: str) -> CallError:
    help_ = "give the page that `--report` wrote, as it was written"
    return CallError([Diagnostic("AC707", f"`{path}` is not a report", help=help_)])
