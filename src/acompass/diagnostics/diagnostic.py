"""A diagnostic: its places in a policy's text and the edits that would fix it."""

from dataclasses import dataclass
from enum import StrEnum

#: how many diagnostics a listing shows unless told otherwise
MOST_SHOWN = 50
#: a text with this many mistakes is not read further
MOST_REPORTED = 1_000


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Span:
    """The characters of a policy's text from `start` up to but not including `end`."""

    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        return Span(self.start, other.end)


@dataclass(frozen=True, slots=True)
class Label:
    """A place and a note about it. A label without text is a bare underline."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters of `span` with `text`. An empty span inserts, an empty text deletes."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that remove a diagnostic. They never overlap each other or a comment.

    A fix is safe if it is the only possible reading of the text; `--fix` applies only these. Any other fix is
    an offer: it may change the meaning, and someone has to choose it.
    """

    title: str
    edits: tuple[Edit, ...]
    is_safe: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `labels[0]` is the primary place; a finding about a table or a call has no labels.

    The message is lowercase, has no full stop and quotes the user's words in backticks. It never contains a
    value of a record. `help` can be pasted or done at once. At most one of `fixes` is safe.
    """

    code: str
    message: str
    labels: tuple[Label, ...] = ()
    help: str | None = None
    severity: Severity = Severity.ERROR
    fixes: tuple[Fix, ...] = ()
