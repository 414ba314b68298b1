"""A policy: its text, its name and its tree."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from acompass.arguments import validated
from acompass.diagnostics import AcompassError, CallError, Diagnostic, PolicyError
from acompass.syntax.format import format_tree
from acompass.syntax.paper import beyond_paper
from acompass.syntax.parse import MAXIMUM_DEPTH
from acompass.syntax.parse import parse as parse_text
from acompass.syntax.table_text import ENOUGH, is_csv, is_utf16, table_kind
from acompass.syntax.tree import Program
from acompass.syntax.walk import hierarchy_files

#: the size of the largest policy file that is read, in bytes
LARGEST = 10 << 20

_SWAPPED = (
    "the arguments may be swapped: the policy comes first, as in `acompass check policy.acp people.csv`"
)


@dataclass(frozen=True)
class Policy:
    text: str
    name: str
    tree: Program

    @property
    def hierarchies(self) -> tuple[Path, ...]:
        """The files that LEVEL names. Their content is part of the policy (X2)."""
        return tuple(Path(self.tree.folder, file) for file in hierarchy_files(self.tree))

    @classmethod
    @validated
    def from_tree(cls, program: Program, name: str = "<policy>") -> "Policy":
        """The policy of a tree built in code. Its text is the formatted tree.

        Raise PolicyError if that text does not parse, ValueError if it parses to a different tree.
        """
        policy = parse(_text_of(program), name)
        if policy.tree.requirements != program.requirements:
            raise ValueError("the tree is not the tree of any text")
        return policy


def _text_of(program: Program) -> str:
    try:
        return format_tree(program)
    except RecursionError:
        message = f"a condition is nested more than {MAXIMUM_DEPTH} levels deep"
        help_ = "split the condition into several requirements"
        raise PolicyError([Diagnostic("AC020", message, help=help_)]) from None


@validated
def parse(text: str, name: str = "<policy>", paper: bool = False) -> Policy:
    """Parse the text of a policy. Raise PolicyError with all of its syntax errors.

    LEVEL looks for hierarchies in the current folder; of a policy that `load` reads, beside its file. With
    `paper`, a form that is not in the paper's language is an error (X0).
    """
    return _parsed(text, name, "", paper)


def parse_file(text: str, path: str, paper: bool = False) -> Policy:
    """Parse the text of a file, which need not have been saved."""
    return _parsed(text, path, str(Path(path).parent), paper)


def _parsed(text: str, name: str, folder: str, paper: bool) -> Policy:
    if is_csv(text):
        raise _table_instead_of_policy(name, "a CSV file")
    program, found = parse_text(text)
    found = found or (beyond_paper(program) if paper else ())
    if found:
        raise PolicyError(found, text, name)
    return Policy(text, name, replace(program, folder=folder))


@validated
def load(path: str | Path, paper: bool = False) -> Policy:
    """Load a policy from a UTF-8 file. With `paper`, only the paper's language is accepted (X0)."""
    try:
        with open(path, "rb") as file:
            text = read_text(file, str(path))
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise CallError([Diagnostic("AC402", f"cannot read policy `{path}`: {reason}")]) from None
    return parse_file(text, str(path), paper)


def read_text(file: BinaryIO, name: str) -> str:
    """The text of a policy. No more than the first bytes of a table or of a very large file are read."""
    start = file.read(ENOUGH)
    kind = table_kind(start)
    if kind is not None:
        raise _table_instead_of_policy(name, kind)
    content = start + file.read(LARGEST + 1 - len(start))
    if len(content) > LARGEST:
        message = f"policy `{name}` is larger than {LARGEST >> 20} MiB"
        raise PolicyError([Diagnostic("AC409", message, help=_SWAPPED)], None, name)
    return _decode(content, name)


def _table_instead_of_policy(name: str, kind: str) -> PolicyError:
    message = f"expected a policy, but `{name}` is {kind}"
    return PolicyError([Diagnostic("AC408", message, help=_SWAPPED)], None, name)


def _decode(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if is_utf16(content):
            help_ = f"convert it first: `iconv -f UTF-16 -t UTF-8 {name} > policy-utf8.acp`"
            finding = Diagnostic("AC403", "the policy is UTF-16, not UTF-8", help=help_)
            raise PolicyError([finding], None, name) from None
        line = content.count(b"\n", 0, error.start) + 1
        finding = Diagnostic(
            "AC403", f"line {line} of the policy is not UTF-8", help="save the file as UTF-8"
        )
        raise PolicyError([finding], None, name) from None


def as_policy(policy: "Policy | str", paper: bool = False) -> Policy:
    """The policy itself, or that with the given text, for use in a call. With `paper`, it must be in the
    paper's language (X0).

    Without requirements it would let every table pass, so that is an error here (D29). `parse`, `load` and
    the formatter accept it: a policy may be written step by step.
    """
    parsed = policy if isinstance(policy, Policy) else parse(policy)
    if not parsed.tree.requirements:
        message = f"policy `{parsed.name}` has no requirements"
        help_ = "write at least one, such as `EACH RESULT : Age <= 80;`"
        raise PolicyError([Diagnostic("AC410", message, help=help_)], None, parsed.name)
    if paper and (found := beyond_paper(parsed.tree)):
        raise PolicyError(found, parsed.text, parsed.name)
    return parsed


@contextmanager
def attach_text(policy: Policy) -> Iterator[None]:
    """Attach the policy's text to errors that carry spans, and its name to errors in its text."""
    try:
        yield
    except AcompassError as error:
        if error.source is None and any(finding.labels for finding in error.diagnostics):
            error.source = policy.text
        if error.source == policy.text:
            error.name = error.name or policy.name
        raise
