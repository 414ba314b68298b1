"""A diagnostic and the places in a policy's text it points at."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` up to, not including, `end` of a policy's text."""

    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        return Span(self.start, other.end)


@dataclass(frozen=True, slots=True)
class Label:
    """A place with what there is to say about it; empty text is a bare underline."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `labels[0]` is the primary place; none where the finding is about a table or a call.

    The message is lowercase, without a full stop, with the user's words in backticks. It never holds a value
    of a record. `help` is something that can be pasted or done at once.
    """

    code: str
    message: str
    labels: tuple[Label, ...] = ()
    help: str | None = None
    severity: Severity = Severity.ERROR
