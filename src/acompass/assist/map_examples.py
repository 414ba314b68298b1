"""What the map of a GENERALIZE does, by examples. No example is a value of a record."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import islice
from typing import assert_never

from acompass.checked.effects import generalize_of
from acompass.checked.from_syntax import check
from acompass.checked.maps.level import Level
from acompass.checked.maps.map import Map
from acompass.checked.types import Column, Schema
from acompass.prove.inferred_schema import inferred_schema
from acompass.syntax import tree

#: labels of a map that are listed, and examples
_LISTED = 12
_EXAMPLES = 3
_CODE = "2120145678"
_DATE = "2018-03-14"


def map_lines(action: tree.Generalize, folder: str, column: Column | None) -> Iterator[str]:
    """Examples of labels, then all labels if they are few. Nothing if the map does not fit the column."""
    map_ = _checked(action, folder, column)
    if map_ is None:
        return
    for value in islice(_examples(action.map, map_), _EXAMPLES):
        label = map_.label(value)
        if label is not None:
            yield f"`{value}` becomes `{label}`" if label != value else f"`{value}` stays"
    labels = map_.labels()
    if labels is not None and len(labels) <= _LISTED:
        yield f"labels: {', '.join(f'`{label}`' for label in labels)}"
    elif labels is not None:
        yield f"{len(labels):,} labels"


def _checked(action: tree.Generalize, folder: str, column: Column | None) -> Map | None:
    """The map of the action alone, on a table with that column."""
    alone = tree.Program((tree.Requirement(tree.Always(), _bound(action)),), folder=folder)
    schema: Schema = inferred_schema(alone, {}) if column is None else (column,)
    program, _ = check(alone, "", schema)
    if program is None:
        return None
    checked = generalize_of(program.requirements[0].action)
    return None if checked is None else checked.map


def _bound(action: tree.Generalize) -> tree.Generalize:
    """Without a parameter after ELSE, which may be unbound and has no part in the examples."""
    match action.map:
        case tree.LevelOf(otherwise=tree.Parameter()):
            return replace(action, map=replace(action.map, otherwise=None))
    return action


def _examples(map_: tree.Map, checked: Map) -> Iterator[str]:
    match map_:
        case tree.BandsOf():
            yield from _in_bands(map_)
        case tree.BandsAt(cuts):
            yield from _around([cut.value for cut in cuts])
        case tree.PrefixOf(length):
            yield _CODE[: max(5, min(int(length.value) + 2, len(_CODE)))]
        case tree.DatePart():
            yield _DATE
        case tree.LevelOf():
            assert isinstance(checked, Level)
            yield from _of_hierarchy(checked)
        case _:
            assert_never(map_)


def _in_bands(map_: tree.BandsOf) -> Iterator[str]:
    """A number inside of a band; then one below the first and one above the last, where there are such."""
    width, start = map_.width.value, Decimal(0) if map_.start is None else map_.start.value
    end = None if map_.end is None else map_.end.value
    inside = start + _whole(width * 37 / 10, width)
    yield _plain(inside if end is None or inside < end else start + _whole(width / 2, width))
    if map_.start is not None:
        yield _plain(start - width)
    if end is not None:
        yield _plain(end + _whole(width / 2, width))


def _around(cuts: Sequence[Decimal]) -> Iterator[str]:
    if len(cuts) > 1:
        yield _plain(cuts[0] + _whole((cuts[1] - cuts[0]) / 2, cuts[0]))
    yield _plain(cuts[0] - 1)
    yield _plain(cuts[-1] + 1)


def _of_hierarchy(map_: Level) -> Iterator[str]:
    """The first values of the file that get another label."""
    for value, *_ in map_.hierarchy.rows:
        if map_.label(value) != value:
            yield value


def _whole(number: Decimal, like: Decimal) -> Decimal:
    """The number with as many digits after the point as another one."""
    return number.quantize(like, rounding="ROUND_FLOOR")


def _plain(number: Decimal) -> str:
    return f"{number:f}"
