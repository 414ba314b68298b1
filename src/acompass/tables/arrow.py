"""Convert Arrow types that the engine cannot read, and convert them back."""

from typing import Any

from acompass.checked.types import MOST_DIGITS
from acompass.tables import errors

#: durations are wrapped in a struct with this one field, which the engine passes through unchanged
_BOX = "duration"


def readable(name: str, array: Any) -> Any:
    """The array in a type that the engine reads without loss."""
    import pyarrow
    from pyarrow import types

    if types.is_null(array.type):
        return array.cast(pyarrow.string())
    if types.is_float16(array.type):
        return array.cast(pyarrow.float32())
    if types.is_duration(array.type):
        return _boxed(array)
    if types.is_decimal256(array.type) or (types.is_decimal(array.type) and array.type.scale < 0):
        try:
            return array.cast(pyarrow.decimal128(MOST_DIGITS, max(0, array.type.scale)))
        except pyarrow.ArrowException:
            raise errors.not_exact(name, errors.DIGITS) from None
    return array


def as_type(values: Any, type_: Any) -> Any:
    """A result column in its original Arrow type. A dictionary column comes back without its dictionary."""
    import pyarrow
    from pyarrow import types

    if types.is_null(type_):
        return pyarrow.chunked_array([pyarrow.nulls(len(values))])
    if types.is_duration(type_):
        return _unboxed(values, type_)
    plain = type_.value_type if types.is_dictionary(type_) else type_
    return values if values.type == plain else values.cast(plain)


def _boxed(array: Any) -> Any:
    import pyarrow

    whole = array.combine_chunks() if isinstance(array, pyarrow.ChunkedArray) else array
    return pyarrow.StructArray.from_arrays([whole.cast(pyarrow.int64())], [_BOX])


def _unboxed(values: Any, type_: Any) -> Any:
    from pyarrow import compute

    return compute.struct_field(values, _BOX).cast(type_)
