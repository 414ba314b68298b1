"""What is wrong with a destination for the result of a policy, before anything runs."""

from collections.abc import Iterator
from dataclasses import replace

from acompass.checked.effects import texts_written
from acompass.checked.names import Names
from acompass.checked.program import Program, Requirement
from acompass.checked.types import Kind, Schema, remaining
from acompass.engines.engine import Destination
from acompass.tables import format_errors
from acompass.tables.encodings import can_encode
from acompass.tables.file_format import UTF_8
from acompass.tables.output import format_of, require_folder, require_writable
from acompass.tables.source import Source, is_file


def checked_destination(program: Program, encoding: str, destination: Destination) -> Destination:
    """The destination, with the columns of its partition as the released table spells them. `encoding` is
    that of a CSV output."""
    if destination.partition and destination.path is None:
        raise format_errors.partition_without_folder()
    if destination.partition:
        schema = program.requirements[-1].after if program.requirements else program.schema
        return replace(destination, partition=tuple(_partition(schema, destination)))
    path = destination.path
    if encoding != UTF_8 and path is not None and is_file(path) and format_of(path) != ".parquet":
        _require_encodable(program, encoding)
    return destination


def require_destination(destination: Destination, source: Source) -> None:
    """Raise if the result cannot be written to this file or folder."""
    if destination.path is None:
        return
    if destination.partition:
        require_folder(destination.path, source, destination.force)
    else:
        require_writable(destination.path, source)


def _partition(schema: Schema, destination: Destination) -> Iterator[str]:
    released = [schema[position] for position in remaining(schema)]
    names, seen = Names([column.name for column in released]), set[int]()
    for name in destination.partition:
        found = names.find(name)
        if len(found) != 1:
            raise format_errors.unknown_partition(name, names.listing())
        position = found[0]
        if position in seen:
            raise format_errors.partition_twice(name)
        if released[position].type.kind is Kind.OPAQUE:
            raise format_errors.partition_of_values(name)
        seen.add(position)
        yield released[position].name


def _require_encodable(program: Program, encoding: str) -> None:
    """Text of the table can be encoded, because it was decoded; text of the policy may not."""
    unfit = [each for each in program.requirements if not _is_encodable(each, encoding)]
    if unfit:
        spans = [None if each.action is None else each.action.span for each in unfit]
        raise format_errors.not_encodable(encoding, spans)


def _is_encodable(requirement: Requirement, encoding: str) -> bool:
    return all(can_encode(text, encoding) for text in texts_written(requirement.action))
