"""The certificate inside a report: hashes, versions and counts; never a seed, never a record."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

FORMAT = "acompass-report/1"

#: whoever gets the table that is released, or whoever holds the table before
Reader: TypeAlias = Literal["receiver", "curator"]

#: where a page holds its certificate; filled in once the rest of the page is known
EMPTY_BLOCK = '<script type="application/json" id="certificate"></script>'
_BLOCK = re.compile(r'(<script type="application/json" id="certificate">)(.*?)(</script>)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileHash:
    """`name` excludes the folder: reports are passed on, and folder names reveal people and machines."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Certificate:
    """`hierarchies` are the files that the policy names, in its order.
    `input` and `output` are None if the table is not a file. `tables` has the name of the input and the
    output where they are tables of an engine. `counts` are those of `--json`. `dates` are the formats of
    local dates in the input, such as `Admission=%d.%m.%Y`. `reader` is whom the page is for."""

    command: str
    made: str
    versions: dict[str, str]
    policy: FileHash | None
    hierarchies: tuple[FileHash, ...]
    parameters: dict[str, str]
    dates: tuple[str, ...]
    tables: dict[str, str]
    input: tuple[FileHash, ...] | None
    output: tuple[FileHash, ...] | None
    counts: dict[str, Any]
    reader: Reader = "curator"

    def for_reader(self, reader: Reader) -> "Certificate":
        """A receiver is not told how many records a line of a run affected: they count values before it."""
        counts = self.counts
        if reader == "receiver" and self.command == "run":
            requirements = [_without(each, "affected") for each in counts.get("requirements", ())]
            counts = {**counts, "requirements": requirements}
        return replace(self, counts=counts, reader=reader)

    def to_object(self) -> dict[str, Any]:
        return {"format": FORMAT, **asdict(self)}


def _without(content: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name != key}


def sealed(page: str, certificate: Certificate) -> str:
    """Fill the page's empty block with the certificate and a hash of the rest of the page."""
    content = {**certificate.to_object(), "document": document_hash(page)}
    written = json.dumps(content, indent=1, ensure_ascii=True).replace("<", "\\u003c")
    return _BLOCK.sub(lambda found: found[1] + written + found[3], page, count=1)


def document_hash(page: str) -> str:
    """The hash of a page without the content of its certificate."""
    return hashlib.sha256(_BLOCK.sub(r"\1\3", page, count=1).encode()).hexdigest()


def certificate_in(page: str) -> dict[str, Any] | None:
    """The certificate of a page as an object; None if the page is not a report."""
    block = _BLOCK.search(page)
    try:
        written = json.loads(block[2]) if block is not None else None
    except ValueError:
        return None
    return written if isinstance(written, dict) and written.get("format") == FORMAT else None
