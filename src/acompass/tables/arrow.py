"""Convert data frames to Arrow arrays that an engine reads, and Arrow results back to the kind of the input.

Values do not become Python objects on the way."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, assert_never
from weakref import WeakSet

from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import TableError
from acompass.language.program.types import MOST_DIGITS
from acompass.tables import errors, frames
from acompass.tables.csv import require_names, require_text
from acompass.tables.frames import PYTHON_KINDS, FrameKind, frame_kind

#: `frames.plain_columns` converts the others without Arrow
_OTHER_VALUES = "with values other than numbers, text, booleans, dates and local times"


#: the fields of a passenger for an engine: the value that a file gets, if it can hold it, and the number of the record
_VALUE, _PLACE = "value", "place"


@dataclass(frozen=True, eq=False)
class Passenger:
    """A column that no engine can hold without a loss, such as Python's own objects; it takes the place of a type.

    An engine gets the number of each record. The values of the records that are left come from the given column.
    """

    values: Any = field(repr=False)  # a column of the given table, or its Arrow array
    converted: Any = field(default=None, repr=False)  # an Arrow array for files
    error: TableError | None = None  # for a policy that names the column, and for an output file

    @property
    def array(self) -> Any:
        import pyarrow

        places = pyarrow.array(range(len(self.values)), pyarrow.int64())
        if self.converted is None:
            return pyarrow.StructArray.from_arrays([places], [_PLACE])
        is_chunked = isinstance(self.converted, pyarrow.ChunkedArray)
        value = self.converted.combine_chunks() if is_chunked else self.converted
        return pyarrow.StructArray.from_arrays([value, places], [_VALUE, _PLACE])

    def file_column(self, column: str) -> str:
        """SQL for the value in a file."""
        if self.error is not None:
            raise self.error
        return f"{column}.{_VALUE}"

    def take(self, places: Any) -> Any:
        match type(self.values).__module__.partition(".")[0]:
            case "pandas":
                return self.values.take(places.to_numpy()).reset_index(drop=True)
            case "polars":
                return self.values.gather(places.to_pylist())
            case "pyarrow":
                return self.values.take(places)
            case _:
                return [self.values[place] for place in places.to_pylist()]


@dataclass(frozen=True)
class ArrowColumns:
    names: tuple[str, ...]
    arrays: tuple[Any, ...]  # in types that an engine reads
    types: tuple[Any, ...]  # the Arrow types before that conversion, or passengers

    @property
    def records(self) -> int:
        return len(self.arrays[0]) if self.arrays else 0


def arrow_columns(table: Any) -> ArrowColumns:
    kind = frame_kind(table)
    frames.require_arrow(f"{kind} {_OTHER_VALUES}" if kind in PYTHON_KINDS else kind)
    with frames.report_frame_failures(kind):
        names, arrays = _columns(kind, table)
    require_names(require_text(names))
    return _convert_columns(names, arrays, _own_columns(kind, table))


def _own_columns(kind: FrameKind, table: Any) -> Sequence[Any] | None:
    """The columns as the table holds them, from which passengers are taken; None for Arrow arrays."""
    match kind:
        case FrameKind.PANDAS:
            return [values for _, values in table.items()]
        case FrameKind.POLARS:
            columns: Sequence[Any] = table.get_columns()
            return columns
        case FrameKind.DICTS | FrameKind.LISTS | FrameKind.DICT_ITERATOR:
            return list(frames.named_values(table).values())
        case _:
            return None


def _convert_columns(names: Sequence[str], arrays: Sequence[Any], own: Sequence[Any] | None = None) -> ArrowColumns:
    found = [
        array if isinstance(array, Passenger) else _to_engine_type(name, array)
        for name, array in zip(names, arrays, strict=True)
    ]
    if own is not None:
        found = [replace(e, values=v) if isinstance(e, Passenger) else e for e, v in zip(found, own, strict=True)]
    types = (each if isinstance(each, Passenger) else array.type for each, array in zip(found, arrays, strict=True))
    engine_arrays = (each.array if isinstance(each, Passenger) else each for each in found)
    return ArrowColumns(tuple(names), tuple(engine_arrays), tuple(types))


#: small batches of a reader are joined until they have this many records
_ENOUGH = 100_000
#: a reader does not say that it has been read: it would look like an empty table
_already_read = WeakSet[Any]()


def arrow_parts(reader: Any) -> Iterator[ArrowColumns]:
    """The records of a record batch reader in consecutive parts; a single empty one if there are none."""
    kind = FrameKind.ARROW_READER
    if reader in _already_read:
        raise errors.no_records_left(kind)
    _already_read.add(reader)
    names = reader.schema.names
    require_names(names)
    for number, part in enumerate(_joined_batches(reader)):
        if part.num_rows or not number:
            yield _convert_columns(names, part.columns)


def _joined_batches(reader: Any) -> Iterator[Any]:
    import pyarrow

    ended = False
    while not ended:
        batches, records = [], 0
        with frames.report_frame_failures(FrameKind.ARROW_READER):
            while records < _ENOUGH and not ended:
                batch = next(reader, None)
                if batch is None:
                    ended = True
                else:
                    batches.append(batch)
                    records += batch.num_rows
            part = pyarrow.Table.from_batches(batches, reader.schema)
        yield part


def _columns(kind: FrameKind, table: Any) -> tuple[list[Any], list[Any]]:
    """The column names, and an Arrow array for each column."""
    match kind:
        case FrameKind.PANDAS:
            return list(table.columns), [_array(name, values) for name, values in table.items()]
        case FrameKind.DICTS | FrameKind.DICT_ITERATOR | FrameKind.LISTS:
            columns = frames.named_values(table)
            return list(columns), [_python_array(name, values) for name, values in columns.items()]
        case FrameKind.POLARS:
            return list(table.columns), [_polars_array(each) for each in table.get_columns()]
        case FrameKind.POLARS_LAZY:
            return _columns(FrameKind.POLARS, table.collect())
        case FrameKind.ARROW | FrameKind.ARROW_BATCH:
            return list(table.schema.names), list(table.columns)
        case FrameKind.ARROW_READER:
            return _columns(FrameKind.ARROW, table.content())
        case FrameKind.DUCKDB:
            return _columns(FrameKind.ARROW, table.to_arrow_table())
        case FrameKind.IBIS:
            return _columns(FrameKind.ARROW, table.to_pyarrow())
        case _:
            assert_never(kind)


def _python_array(name: Any, values: Sequence[Any]) -> Any:
    """Arrow is less strict: it reads 1 among times as a microsecond of 1970."""
    try:
        frames.plain_column(str(name), values)
    except TableError as error:
        return Passenger(values, error=error)
    return _array(name, values)


def _array(name: Any, values: Any) -> Any:
    """The values as an Arrow array, in which NaN, None, NaT and pandas' NA are nulls; a passenger if Arrow cannot
    convert Python's objects, or would return others, such as lists for sets."""
    from pyarrow import types

    try:
        with frames.report_column_failures(name):
            found = _converted(name, values)
    except TableError as error:
        return Passenger(values, error=error)
    if str(getattr(values, "dtype", "object")).lower() != "object":
        return found
    if types.is_nested(found.type):
        return Passenger(values, found)
    if types.is_date(found.type) and any(isinstance(value, datetime) for value in values):
        return Passenger(values, error=errors.mixed_column(str(name)))
    return found


def _converted(name: Any, values: Any) -> Any:
    import pyarrow

    try:
        return pyarrow.array(values, from_pandas=True)
    except (pyarrow.ArrowException, OverflowError, TypeError):
        given = list(values)
        types = {type(value) for value in given if value is not None}
        if types == {int}:
            return _long_integers(name, given)
        if len(types) > 1 and str(getattr(values, "dtype", "object")) == "object":
            raise errors.mixed_column(str(name)) from None
        raise


def _long_integers(name: Any, values: Iterable[int | None]) -> Any:
    """Python integers beyond 64 bits as Arrow decimals, which are limited to 38 digits."""
    import pyarrow

    try:
        numbers = [None if value is None else Decimal(value) for value in values]
        return pyarrow.array(numbers, pyarrow.decimal128(MOST_DIGITS, 0))
    except pyarrow.ArrowException:
        raise errors.not_exact(str(name), errors.DIGITS) from None


def _polars_array(values: Any) -> Any:
    with frames.report_column_failures(values.name):
        match str(values.dtype):
            case "Object":
                return _array(values.name, values.to_list())
            case "Int128" | "UInt128":
                return _polars_decimals(values).to_arrow()
            case _:
                return values.to_arrow()


def _polars_decimals(values: Any) -> Any:
    """128-bit integers as decimals: Arrow has no such integers."""
    import polars

    try:
        return values.cast(polars.Decimal(MOST_DIGITS, 0))
    except polars.exceptions.InvalidOperationError:
        raise errors.not_exact(values.name, errors.DIGITS) from None


def from_arrow(
    given: Any, result: Any, positions: Sequence[int], changed: frozenset[int], types: Sequence[Any] = ()
) -> Any:
    """`result` converted to the kind of `given`. Columns outside `changed` keep their type in that library.

    `positions` are the positions of the result's columns in `given`, and `types` those of `ArrowColumns`. For a DuckDB
    relation, the result stays an Arrow table, which the engine turns into a relation.
    """
    kind = frame_kind(given)
    kept = [None if position in changed else position for position in positions]
    with frames.report_frame_failures(kind):
        taken = {
            place: types[position].take(result.column(place))
            for place, position in enumerate(kept)
            if position is not None and position < len(types) and isinstance(types[position], Passenger)
        }
        for place, values in taken.items():
            if kind not in _OBJECT_KINDS:
                result = result.set_column(place, result.column_names[place], values)
        found = _convert_to(kind, given, result, [None if place in taken else p for place, p in enumerate(kept)])
        return _with_objects(kind, found, taken) if kind in _OBJECT_KINDS else found


#: the kinds of tables whose columns can hold Python's objects
_OBJECT_KINDS = (*PYTHON_KINDS, FrameKind.PANDAS, FrameKind.POLARS, FrameKind.POLARS_LAZY)


def _with_objects(kind: FrameKind, found: Any, columns: Mapping[int, Any]) -> Any:
    """The table with the values of passengers in their places, in place of the numbers of their records."""
    for place, values in columns.items():
        match kind:
            case FrameKind.PANDAS:
                found.isetitem(place, values)
            case FrameKind.POLARS | FrameKind.POLARS_LAZY:
                name = found.collect_schema().names()[place]
                found = found.with_columns(values.alias(name))
            case FrameKind.LISTS:
                found[list(found)[place]] = values
            case _:
                for record, value in zip(found, values, strict=True):
                    record[list(record)[place]] = value
    return found


def _convert_to(kind: FrameKind, given: Any, result: Any, kept: Sequence[int | None]) -> Any:
    """`kept` has, for each column of the result, the column of `given` whose type it keeps, if any."""
    match kind:
        case FrameKind.PANDAS:
            return _to_pandas(given, result, kept)
        case FrameKind.POLARS:
            return _to_polars(given.schema, result, kept)
        case FrameKind.POLARS_LAZY:
            return _to_polars(given.collect_schema(), result, kept).lazy()
        case FrameKind.ARROW | FrameKind.ARROW_READER | FrameKind.DUCKDB:
            return result
        case FrameKind.ARROW_BATCH:
            return _one_batch(result)
        case FrameKind.IBIS:
            import ibis

            return ibis.memtable(result)
        case FrameKind.DICTS | FrameKind.DICT_ITERATOR:
            return result.to_pylist()
        case FrameKind.LISTS:
            return result.to_pydict()
        case _:
            assert_never(kind)


def _to_pandas(given: Any, result: Any, kept: Sequence[int | None]) -> Any:
    """A data frame with the default index: the index is not part of a table."""
    import pandas

    series = {
        name: _to_pandas_column(name, values, None if position is None else given.dtypes.iloc[position])
        for position, name, values in zip(kept, result.column_names, result.columns, strict=True)
    }
    return pandas.DataFrame(series, columns=result.column_names)


def _to_pandas_column(name: str, values: Any, dtype: Any) -> Any:
    with frames.report_column_failures(name):
        if dtype is None:
            return values.to_pandas()
        if hasattr(dtype, "__from_arrow__"):
            import pandas

            return pandas.Series(dtype.__from_arrow__(values), dtype=dtype)
        series = values.to_pandas().astype(dtype)
        return series.cat.remove_unused_categories() if hasattr(dtype, "categories") else series


def _to_polars(schema: Any, result: Any, kept: Sequence[int | None]) -> Any:
    import polars

    frame: Any = polars.from_arrow(result)
    dtypes = list(schema.values())
    types = [None if position is None else dtypes[position] for position in kept]
    columns = [_to_polars_column(*column) for column in zip(frame.get_columns(), types, strict=True)]
    return polars.DataFrame(columns)


def _to_polars_column(values: Any, dtype: Any) -> Any:
    if dtype is None or values.dtype == dtype:
        return values
    with frames.report_column_failures(values.name):
        if str(dtype) == "Object":  # the type of Python objects, which no cast produces
            import polars

            return polars.Series(values.name, values.to_list(), dtype)
        return values.cast(_with_used_members(values, dtype))


def _with_used_members(values: Any, dtype: Any) -> Any:
    """The type without the members of its Enums that no value has, at any depth (D39, nothing of what was removed).

    A Categorical needs no change: Polars keeps its texts in the process, neither in a frame nor in what is written."""
    import polars

    match dtype:
        case polars.Enum():
            used = set(values.unique())
            return polars.Enum([member for member in dtype.categories if member in used])
        case polars.List():
            return polars.List(_with_used_members(values.list.explode(), dtype.inner))
        case polars.Array():
            return polars.Array(_with_used_members(values.drop_nulls().arr.explode(), dtype.inner), dtype.size)
        case polars.Struct():
            fields = {field.name: values.struct.field(field.name) for field in dtype.fields}
            return polars.Struct(
                {each.name: _with_used_members(fields[each.name], each.dtype) for each in dtype.fields}
            )
        case _:
            return dtype


def _one_batch(table: Any) -> Any:
    import pyarrow

    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pyarrow.RecordBatch.from_pylist([], schema=table.schema)


#: durations are wrapped in a struct with this single field, which engines pass through unchanged
_BOX = "duration"


def _to_engine_type(name: str, array: Any) -> Any:
    """The array in a type that engines read without loss, or a passenger."""
    import pyarrow
    from pyarrow import types

    with frames.report_column_failures(name):
        if types.is_null(array.type):
            return array.cast(pyarrow.string())
        if types.is_run_end_encoded(array.type):
            chunks = array.chunks if isinstance(array, pyarrow.ChunkedArray) else [array]
            return pyarrow.chunked_array([pyarrow.compute.run_end_decode(each) for each in chunks])
        if isinstance(array.type, pyarrow.BaseExtensionType) or types.is_interval(array.type):
            return Passenger(array, array)
        if types.is_union(array.type):
            return Passenger(array, error=errors.column_failed(name, NotImplementedError()))
        if types.is_float16(array.type):
            return array.cast(pyarrow.float32())
        if types.is_duration(array.type):
            whole = array.combine_chunks() if isinstance(array, pyarrow.ChunkedArray) else array
            return pyarrow.StructArray.from_arrays([whole.cast(pyarrow.int64())], [_BOX])
        if types.is_decimal256(array.type) or (types.is_decimal(array.type) and array.type.scale < 0):
            try:
                return array.cast(pyarrow.decimal128(MOST_DIGITS, max(0, array.type.scale)))
            except pyarrow.ArrowException:
                return Passenger(array, error=errors.not_exact(name, errors.DIGITS))
        if types.is_nested(array.type):  # DuckDB reads only zeros from a dictionary in a list of fixed size
            return array.cast(_without_dictionaries(array.type))
        return array


def to_original_type(values: Any, type_: Any) -> Any:
    """A result column in its original Arrow type, with plain values in place of dictionaries: those of the input have
    values of removed records (D39). For a passenger, the numbers of the records."""
    import pyarrow
    from pyarrow import compute, types

    if isinstance(type_, Passenger):
        return compute.struct_field(values, _PLACE)
    if types.is_run_end_encoded(type_):
        return compute.run_end_encode(values.combine_chunks(), run_end_type=type_.run_end_type)
    if types.is_null(type_):
        return pyarrow.chunked_array([pyarrow.nulls(len(values))])
    if types.is_duration(type_):
        return compute.struct_field(values, _BOX).cast(type_)
    plain = _without_dictionaries(type_)
    return values if values.type == plain else values.cast(plain)


def _without_dictionaries(type_: Any) -> Any:
    """The type with the type of the values in place of each dictionary, at any depth."""
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(type_):
        return type_.value_type
    if types.is_struct(type_):
        return pyarrow.struct([each.with_type(_without_dictionaries(each.type)) for each in type_])
    if types.is_map(type_):
        return pyarrow.map_(_without_dictionaries(type_.key_type), _without_dictionaries(type_.item_type))
    if not types.is_nested(type_) or types.is_union(type_):
        return type_
    inner = type_.value_field.with_type(_without_dictionaries(type_.value_type))
    if types.is_fixed_size_list(type_):
        return pyarrow.list_(inner, type_.list_size)
    return pyarrow.large_list(inner) if types.is_large_list(type_) else pyarrow.list_(inner)
