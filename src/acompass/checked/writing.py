"""What the check remembers of the constants that an action writes into a column (D12, X2)."""

from collections.abc import Sequence
from dataclasses import replace

from acompass.checked.scope import Scope
from acompass.checked.types import Kind, Type, Value
from acompass.diagnostics import Span


def write_values(
    column: int, values: Sequence[Value], after: Type, place: Span, scope: Scope, *, always: bool
) -> None:
    """Set the column's type, and remember the texts that a later map must have labels for.

    `always` says that they overwrite all others.
    """
    before = scope.types[column]
    if before is not None and before.is_number and after.kind is Kind.TEXT:
        after = replace(after, numbers=before.kind)
    scope.retype(column, after, place)
    if always:
        scope.maps.pop(column, None)
        scope.written.pop(column, None)
    texts = [(value, place) for value in values if isinstance(value, str)]
    if texts:
        scope.written.setdefault(column, []).extend(texts)
