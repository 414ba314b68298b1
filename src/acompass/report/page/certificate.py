"""The certificate in a page: hashes, versions and counts, but neither seeds nor records.

The page for recipients has no hash and no size of the input and of hierarchies: someone who knows most of a file could
find the rest by trying (D39). `certify` creates the certificate, `embed_certificate` writes it into the page, and
`verify` compares it with the page and with files."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

from acompass.author.answers import RuleCheck
from acompass.dataclasses import asdict, dataclass, replace
from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.errors.display import Answer, json_object, reason_of
from acompass.language.program.hierarchies import require_regular_file
from acompass.options import DatesArgument
from acompass.policy import Policy, load
from acompass.report.document import Block, Bullets, Context, headline
from acompass.result import Result
from acompass.tables.source import find_files, report_read_errors
from acompass.version import __version__

FORMAT = "acompass-report/1"

#: a recipient of the released table, or the curator of the original table
Reader: TypeAlias = Literal["receiver", "curator"]

#: the place of the certificate, filled in once the rest of the page is complete
EMPTY_BLOCK = '<script type="application/json" id="certificate"></script>'
_BLOCK = re.compile(r'(<script type="application/json" id="certificate">)(.*?)(</script>)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileHash:
    name: str  # without the folder: reports are shared, and folder names can identify people and machines
    sha256: str | None  # like `bytes`, None on a page whose reader must not learn it
    bytes: int | None

    def without_content(self) -> "FileHash":
        return replace(self, sha256=None, bytes=None)


@dataclass(frozen=True, slots=True)
class Certificate:
    command: str
    made: str
    versions: dict[str, str]
    policy: FileHash | None
    hierarchies: tuple[FileHash, ...]  # the files that LEVEL names, in the order of the policy
    references: tuple[FileHash, ...]  # the files that IN names, in the order of the policy
    parameters: dict[str, str]
    dates: tuple[str, ...]  # formats of dates in the input, such as `Admission=%d.%m.%Y`
    tables: dict[str, str]  # the names of the input and the output if they are tables of an engine
    input: tuple[FileHash, ...] | None  # None if the table is not a file
    output: tuple[FileHash, ...] | None
    counts: dict[str, Any]  # as in `--json`
    reader: Reader = "curator"

    def for_reader(self, reader: Reader) -> "Certificate":
        """Hide from recipients the content of the input, of hierarchies and of reference tables, which may list its
        values, and how many records each line of a run affected."""
        if reader == "curator":
            return replace(self, reader=reader)
        counts = self.counts
        if self.command == "run":
            shown = [{key: each[key] for key in each if key != "affected"} for each in counts.get("requirements", ())]
            counts = {**counts, "requirements": shown}
        hierarchies = tuple(each.without_content() for each in self.hierarchies)
        references = tuple(each.without_content() for each in self.references)
        input_ = None if self.input is None else tuple(each.without_content() for each in self.input)
        files = replace(self, hierarchies=hierarchies, references=references, input=input_)
        return replace(files, counts=counts, reader=reader)


@dataclass(frozen=True, slots=True)
class TableName:
    """A table of an engine, which has no hash."""

    name: str


@dataclass(frozen=True, slots=True)
class VerifiedPart:
    what: str
    matches: bool | None  # None if the page has no hash to compare with


@dataclass(frozen=True, slots=True)
class Verification(Answer):
    parts: tuple[VerifiedPart, ...]

    @property
    def ok(self) -> bool:
        return all(each.matches for each in self.parts)

    def describe(self, context: Context) -> Iterator[Block]:
        differs = any(each.matches is False for each in self.parts)
        no_hash = "the report has no hash of a file"
        verdict = "the report matches" if self.ok else "the report or a file differs" if differs else no_hash
        yield headline("Verification", context, verdict, self.ok)
        elsewhere = f"only the page of `{option_text('report_internal')}` has its hash"
        words = {True: "matches", False: "differs", None: elsewhere}
        yield Bullets([f"{each.what}: {words[each.matches]}" for each in self.parts])

    def to_json(self) -> dict[str, Any]:
        return {"ok": self.ok, "parts": [asdict(each) for each in self.parts]}


def embed_certificate(page: str, certificate: Certificate) -> str:
    """Fill the page's empty block with the certificate and a hash of the rest of the page."""
    content = {"format": FORMAT, **asdict(certificate), "document": document_hash(page)}
    written = json.dumps(content, indent=1, ensure_ascii=True).replace("<", "\\u003c")
    return _BLOCK.sub(lambda found: found[1] + written + found[3], page, count=1)


def document_hash(page: str) -> str:
    """Hash a page without the content of its certificate."""
    return hashlib.sha256(_BLOCK.sub(r"\1\3", page, count=1).encode()).hexdigest()


def certificate_in(page: str) -> dict[str, Any] | None:
    """The certificate of a page as an object; None if the page is not a report."""
    block = _BLOCK.search(page)
    try:
        written = json.loads(block[2]) if block is not None else None
    except ValueError:
        return None
    return written if isinstance(written, dict) and written.get("format") == FORMAT else None


def certify(
    command: str,
    policy: Policy | None,
    params: Mapping[str, Any],
    dates: DatesArgument,
    engine: str,
    tables: Mapping[Literal["input", "output"], str | TableName | None],
    answer: Result | RuleCheck | None,
) -> Certificate:
    """`engine` is the engine's name and version. Only tables that are files have hashes."""
    return Certificate(
        command=command,
        made=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        versions={"acompass": __version__, "engine": engine},
        policy=None if policy is None else hash_policy(policy),
        hierarchies=() if policy is None else hash_hierarchies(policy),
        references=() if policy is None else hash_references(policy),
        parameters={name: str(value) for name, value in sorted(params.items())},
        dates=_date_formats(dates),
        tables={what: table.name for what, table in tables.items() if isinstance(table, TableName)},
        input=_hash_if_file(tables["input"]),
        output=_hash_if_file(tables["output"]),
        counts=_counts(answer),
    )


def _date_formats(dates: DatesArgument) -> tuple[str, ...]:
    if isinstance(dates, Mapping):
        return tuple(f"{name}={format_}" for name, format_ in dates.items())
    return tuple(dates)


def _hash_if_file(table: str | TableName | None) -> tuple[FileHash, ...] | None:
    return hash_table(table) if isinstance(table, str) else None


def _counts(answer: Result | RuleCheck | None) -> dict[str, Any]:
    match answer:
        case None:
            return {}
        case Result():
            return _result_counts(answer)
        case RuleCheck():
            clauses = [json_object(each, "name", "holds", "affected") for each in answer.clauses]
            return {**json_object(answer, "rule", "records_in", "ok"), "clauses": clauses}


def _result_counts(result: Result) -> dict[str, Any]:
    return {
        "records_in": result.records_in,
        "dropped": result.dropped,
        "records_out": result.records_out,
        "ok": result.ok,
        "requirements": [
            {"line": each.line, "holds": each.holds, "affected": each.affected, "action": each.action}
            | ({"after": each.after} if result.performed else {})
            for each in result.requirements
        ],
    }


def hash_policy(policy: Policy) -> FileHash:
    """Hash the policy's text in UTF-8, without a byte order mark."""
    content = policy.text.encode()
    return FileHash(os.path.basename(policy.name), hashlib.sha256(content).hexdigest(), len(content))


def hash_hierarchies(policy: Policy) -> tuple[FileHash, ...]:
    return tuple(_hash_named(path, "AC122", "hierarchy") for path in policy.hierarchies)


def hash_references(policy: Policy) -> tuple[FileHash, ...]:
    return tuple(_hash_named(path, "AC130", "reference table") for path in policy.references)


def _hash_named(path: Path, code: str, what: str) -> FileHash:
    """Hash a file that the policy names."""
    try:
        require_regular_file(path)
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return FileHash(path.name, digest, os.path.getsize(path))
    except OSError as error:
        help_ = "restore the file; its path is relative to the policy's folder"
        raise CallError([Diagnostic(code, f"cannot read {what} `{path}`: {reason_of(error)}", help=help_)]) from None


def hash_table(table: str) -> tuple[FileHash, ...]:
    """Hash each file that the path or glob matches."""
    return tuple(_hash_file(path) for path in find_files(table).paths)


def _hash_file(path: str) -> FileHash:
    with report_read_errors(path), open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FileHash(os.path.basename(path), digest, os.path.getsize(path))


def verify(path: str, policy: str | None, before: str | None, after: str | None) -> Verification:
    """Compare the page with its own certificate, and the certificate with each file that is not None."""
    page, written = _read_page(path)
    found = [VerifiedPart("report", written.get("document") == document_hash(page))]
    if policy is not None:
        found.extend(_verify_policy(load(policy), written))
    for what, table in (("input", before), ("output", after)):
        if table is not None:
            hashes = [file.sha256 for file in hash_table(table)]
            found.append(VerifiedPart(what, _compare(_certified_hashes(written.get(what)), hashes)))
    return Verification(tuple(found))


def _compare(certified: list[str | None], hashes: list[str | None]) -> bool | None:
    return None if None in certified else certified == hashes


def _verify_policy(policy: Policy, written: dict[str, Any]) -> Iterator[VerifiedPart]:
    """Compare the policy's text and, in the order in which it names them, its files if the page has their hashes."""
    yield VerifiedPart("policy", _certified_hash(written.get("policy")) == hash_policy(policy).sha256)
    certified = _certified_hashes(written.get("hierarchies"))
    for index, file in enumerate(() if None in certified else hash_hierarchies(policy)):
        yield VerifiedPart(f"hierarchy {file.name}", certified[index : index + 1] == [file.sha256])
    certified = _certified_hashes(written.get("references"))
    for index, file in enumerate(() if None in certified else hash_references(policy)):
        yield VerifiedPart(f"reference table {file.name}", certified[index : index + 1] == [file.sha256])


def _read_page(path: str) -> tuple[str, dict[str, Any]]:
    try:
        with open(path, encoding="utf-8") as file:
            page = file.read()
    except (OSError, UnicodeDecodeError):
        raise _not_a_report(path) from None
    written = certificate_in(page)
    if written is None:
        raise _not_a_report(path)
    return page, written


def _certified_hash(written: Any) -> str | None:
    return written.get("sha256") if isinstance(written, dict) else None


def _certified_hashes(written: Any) -> list[str | None]:
    return [_certified_hash(each) for each in written] if isinstance(written, list) else []


def _not_a_report(path: str) -> CallError:
    help_ = f"give an unmodified page that `{option_text('report')}` wrote"
    return CallError([Diagnostic("AC707", f"`{path}` is not a report", help=help_)])
