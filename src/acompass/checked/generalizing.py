"""GENERALIZE: the map as a function of text, and whether it fits its column and the maps before it (X2)."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import assert_never

from acompass.checked import findings, program
from acompass.checked.constants import scale_of
from acompass.checked.maps import bands, level, prefix
from acompass.checked.maps.bands import Bands
from acompass.checked.maps.dates import Dates
from acompass.checked.maps.level import Level
from acompass.checked.maps.map import Map
from acompass.checked.maps.prefix import Prefix
from acompass.checked.parameters import Bound
from acompass.checked.scope import Scope
from acompass.checked.types import TEXT, Column, Kind
from acompass.diagnostics import Diagnostic, Span
from acompass.hierarchies.from_csv import hierarchy_of, read_hierarchy
from acompass.hierarchies.hierarchy import Hierarchy
from acompass.syntax import tree
from acompass.syntax.tree import place_of

_DATED = (Kind.DATE, Kind.TIMESTAMP, Kind.TEXT)


def check_generalize(action: tree.Generalize, scope: Scope) -> program.Generalize | None:
    """The action, or None if an error in it was reported. The column is text from here on."""
    column = scope.column(action.name)
    type_ = None if column is None else scope.types[column]
    if column is None or type_ is None:
        return None
    map_ = _map(action, Column(scope.names.texts[column], type_), scope)
    if not isinstance(map_, Diagnostic):
        map_ = _misplaced(action, map_, column, scope) or map_
    numbers = type_.kind if type_.is_number else type_.numbers
    scope.retype(column, replace(TEXT, numbers=numbers), action.span, by="GENERALIZE")
    if isinstance(map_, Diagnostic):
        scope.report(map_)
        return None
    scope.maps.setdefault(column, []).append((map_, action.span))
    return program.Generalize(column, map_, place_of(action.span))


def _misplaced(action: tree.Generalize, map_: Map, column: int, scope: Scope) -> Diagnostic | None:
    """An error if the map cannot be applied to what earlier lines wrote."""
    name = scope.names.texts[column]
    for earlier, place in scope.maps.get(column, ()):
        if not map_.follows(earlier):
            return findings.not_cut_from_earlier(action, name, place)
    for text, by, place in scope.written.get(column, ()):
        if map_.label(text) is None:
            return findings.unmappable_text(action, name, by, place)
    return None


def _map(action: tree.Generalize, column: Column, scope: Scope) -> Map | Diagnostic:
    map_ = action.map
    match map_:
        case tree.BandsOf() | tree.BandsAt():
            return _bands(action, map_, column)
        case tree.PrefixOf(length):
            return _prefix(length)
        case tree.DatePart(unit):
            if column.type.kind not in _DATED:
                return findings.unsuitable_map(action, f"{unit} needs dates", column)
            return Dates(unit)
        case tree.LevelOf():
            return _level(map_, scope)
        case _:
            assert_never(map_)


def _bands(action: tree.Generalize, map_: tree.BandsOf | tree.BandsAt, column: Column) -> Bands | Diagnostic:
    kind = column.type.kind if column.type.is_number else column.type.numbers
    if kind is None:
        return findings.unsuitable_map(action, "BANDS needs numbers", column)
    integer = kind is Kind.INTEGER
    match map_:
        case tree.BandsOf():
            return _bands_of(map_, integer)
        case tree.BandsAt():
            cuts = [cut.value for cut in map_.cuts]
            problem = bands.problem_of_cuts(cuts, integer)
            if problem is not None:
                return _invalid(map_.span, problem, "BANDS AT 18, 25, 65")
            return Bands.at(cuts, integer)
        case _:
            assert_never(map_)


def _bands_of(map_: tree.BandsOf, integer: bool) -> Bands | Diagnostic:
    width, start, end = map_.width.value, _value(map_.start), _value(map_.end)
    problem = bands.problem(width, start, end, integer)
    if problem is None:
        return Bands.of(width, start, end, integer)
    return _invalid(map_.span, problem, "BANDS OF 5 FROM 15 UP TO 90")


def _value(number: tree.Number | None) -> Decimal | None:
    return None if number is None else number.value


def _prefix(length: tree.Number) -> Prefix | Diagnostic:
    if scale_of(length.value):
        return _invalid(length.span, "the length of a prefix is an integer", "PREFIX OF 3")
    problem = prefix.problem(int(length.value))
    return Prefix(int(length.value)) if problem is None else _invalid(length.span, problem, "PREFIX OF 3")


def _level(map_: tree.LevelOf, scope: Scope) -> Level | Diagnostic:
    hierarchy = _hierarchy(map_.file, scope)
    if isinstance(hierarchy, Diagnostic):
        return hierarchy
    if scale_of(map_.level.value):
        return _invalid(map_.level.span, "a level is an integer", "LEVEL 1 OF 'education.csv'")
    constant = None if map_.otherwise is None else scope.bind(map_.otherwise)
    otherwise = None if constant is None else _text_of(constant)
    number = int(map_.level.value)
    problem = level.problem(hierarchy, number, otherwise)
    if problem is None:
        return Level(hierarchy, number, otherwise)
    return _invalid(map_.span, problem, "LEVEL 1 OF 'education.csv' ELSE 'other'")


def _hierarchy(file: tree.String, scope: Scope) -> Hierarchy | Diagnostic:
    """The file's content is part of the policy; its path is relative to the policy's folder."""
    try:
        content = scope.hierarchies.get(file.value)
        found = read_hierarchy(Path(scope.folder, file.value)) if content is None else hierarchy_of(content)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "unknown reason").lower()
        return findings.unreadable_hierarchy(file, reason)
    return found if isinstance(found, Hierarchy) else findings.wrong_hierarchy(file, found)


def _text_of(constant: Bound) -> str:
    return f"{constant.value:f}" if isinstance(constant, tree.Number) else constant.value


def _invalid(span: Span, problem: str, example: str) -> Diagnostic:
    return findings.invalid_map(span, problem, f"write for example `{example}`")
