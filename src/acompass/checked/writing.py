"""What the check remembers of the constants that an action writes into a column (D12, X2)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from acompass.checked.scope import Scope
from acompass.checked.types import Kind, Type, Value
from acompass.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Writer:
    """The action that writes: its word and its place. `always` says that it overwrites every value."""

    word: str
    place: Span
    always: bool


def write_values(column: int, values: Iterable[Value], after: Type, writer: Writer, scope: Scope) -> None:
    """Set the column's type, and remember the texts that a later map must have labels for."""
    before = scope.types[column]
    if before is not None and before.is_number and after.kind is Kind.TEXT:
        after = replace(after, numbers=before.kind)
    scope.retype(column, after, writer.place, by=writer.word)
    if writer.always:
        scope.maps.pop(column, None)
        scope.written.pop(column, None)
    texts = [(value, writer.word, writer.place) for value in values if isinstance(value, str)]
    if texts:
        scope.written.setdefault(column, []).extend(texts)
