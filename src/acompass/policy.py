"""A policy: its text, where it came from, and its tree."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from acompass.diagnostics import AcompassError, CallError, Diagnostic, PolicyError
from acompass.syntax import tree
from acompass.syntax.parse import parse as parse_text


@dataclass(frozen=True)
class Policy:
    text: str
    name: str
    tree: tree.Program


def parse(text: str, name: str = "<policy>") -> Policy:
    """Parse the text of a policy. Raises PolicyError with everything that is wrong in it."""
    program, found = parse_text(text)
    if found:
        raise PolicyError(found, text, name)
    return Policy(text, name, program)


def load(path: str | Path) -> Policy:
    """The policy in a file, in UTF-8."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise CallError([Diagnostic("AC402", f"cannot read the policy `{path}`: {reason}")]) from None
    return parse(decode(content, str(path)), str(path))


def decode(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        finding = Diagnostic(
            "AC403", f"line {line} of the policy is not UTF-8", help="save the file as UTF-8"
        )
        raise PolicyError([finding], None, name) from None


def as_policy(policy: "Policy | str") -> Policy:
    """The policy that the API was called with: a Policy, or its text."""
    return policy if isinstance(policy, Policy) else parse(policy)


@contextmanager
def attach_text(policy: Policy) -> Iterator[None]:
    """Attach the policy's text to errors that carry spans."""
    try:
        yield
    except AcompassError as error:
        if error.source is None and any(finding.labels for finding in error.diagnostics):
            error.source, error.name = policy.text, policy.name
        raise
