"""Definition 5: canonical order (D18)."""

from collections.abc import Callable, Iterable
from typing import Any

from acompass.checked.types import Kind, Schema, Type
from acompass.semantics.bags import Bag, Record


def canonical_key(schema: Schema) -> Callable[[Record], tuple[Any, ...]]:
    """The sort key under which records compare column by column, in schema order."""
    types = [column.type for column in schema]
    return lambda record: tuple(_value_key(value, type_) for value, type_ in zip(record, types, strict=True))


def canonical_order(schema: Schema, records: Iterable[Record]) -> Bag:
    return sorted(records, key=canonical_key(schema))


def _value_key(value: Any, type_: Type) -> tuple[bool, Any]:
    """Missing first (D11), None before NaN. Opaque values have no order but that of their `repr`."""
    if type_.kind is Kind.OPAQUE:
        return (value is not None, repr(value))
    missing = value is None or value != value
    return (not missing, value is not None if missing else value)
