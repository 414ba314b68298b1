"""Check actions, and update the types of columns after them (D12, D14).

The values of RANDOM … FROM are typed as in REPLACE (X6). The map of GENERALIZE must fit its column and the maps before
it (X2)."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias, assert_never

from acompass.dataclasses import replace
from acompass.errors.diagnostics import Diagnostic, Span
from acompass.language.program import bands, findings, label_maps, program
from acompass.language.program.bands import Bands
from acompass.language.program.constants import digits_before_point, is_64_bit, replacement, scale_of
from acompass.language.program.findings import Bound
from acompass.language.program.hierarchies import Hierarchy, parse_hierarchy, read_hierarchy
from acompass.language.program.kernels import (
    ONE,
    AddRandom,
    Constant,
    Labels,
    Map,
    Microaggregate,
    Nearest,
    Pseudonym,
    Shift,
    Uniform,
    Weighted,
    WeightedValue,
)
from acompass.language.program.keys import EXAMPLE_PSEUDONYM
from acompass.language.program.label_maps import Dates, Level, Prefix
from acompass.language.program.scope import Scope, Writer, write_values
from acompass.language.program.types import MOST_DIGITS, TEXT, Column, Kind, Type, Value, remaining
from acompass.language.text import tree, walk
from acompass.language.text.tree import place_of

#: the maps that turn values into labels
_LabelMap: TypeAlias = tree.BandsOf | tree.BandsAt | tree.PrefixOf | tree.DatePart | tree.LevelOf
#: days in ten years: the largest shift (X16)
LARGEST_SHIFT = 3650
#: records of the smallest group of MICROAGGREGATE (X18)
SMALLEST_GROUP = 2


def check_action(action: tree.Step, scope: Scope, *, always: bool) -> program.Action | None:
    """The action, or None if an error in it was reported. Updates the scope's types.

    `always` says that every record is affected (X1).
    """
    chance, plain = walk.chance_in(action), walk.plain_of(action)
    assert plain is not None
    # the records that are not drawn keep their values, so nothing is overwritten for certain
    effect = _check_effect(plain, scope, always=always and chance is None)
    probability = ONE if chance is None else Fraction(chance.probability.value)
    return None if effect is None else program.Action(effect, probability, place_of(action.span))


def _check_effect(action: tree.Plain, scope: Scope, *, always: bool) -> program.Effect | None:
    match action:
        case tree.Reject():
            return program.Remove()
        case tree.Replace():
            return _replace(action, scope, always)
        case tree.Random():
            return _random(action, scope)
        case tree.Generalize() | tree.Drop() | tree.Draw():
            return _check_beyond(action, scope, always)
        case tree.Pseudonym() | tree.Shift() | tree.AddRandom() | tree.Microaggregate():
            return _check_beyond(action, scope, always)
        case _:
            assert_never(action)


def _check_beyond(action: walk.BeyondPlain, scope: Scope, always: bool) -> program.Effect | None:
    match action:
        case tree.Generalize():
            return check_generalize(action, scope)
        case tree.Drop():
            return _drop(action, scope, always)
        case tree.Draw():
            return check_draw(action, scope, always=always)
        case tree.Pseudonym():
            return _pseudonym(action, scope, always)
        case tree.Shift():
            return _shift(action, scope)
        case tree.AddRandom():
            return _add_random(action, scope)
        case tree.Microaggregate():
            return _microaggregate(action, scope)
        case _:
            assert_never(action)


def _replace(action: tree.Replace, scope: Scope, always: bool) -> program.Write | None:
    constant = scope.bind(action.constant)
    column = scope.column(action.name)
    if column is None:
        return None
    type_ = scope.types[column]
    if constant is None or type_ is None:
        scope.retype(column, None, action.span)
        return None
    replaced = replacement(constant, Column(scope.names.texts[column], type_))
    if isinstance(replaced, Diagnostic):
        scope.retype(column, None, action.span)
        scope.report(findings.drop_parameter_fixes(replaced, action.constant))
        return None
    value, after = replaced
    write_values(column, [value], after, Writer("REPLACE", action.span, always), scope)
    return program.Write((column,), Constant(value))


def _drop(action: tree.Drop, scope: Scope, always: bool) -> program.Project | None:
    if not always:
        scope.report(findings.drop_without_always(action))
        return None
    found = len(scope.found)
    columns: list[int] = []
    absent = tuple(name.text for name in action.names if _is_gone(name, scope))
    for name in action.names:
        column = None if name.text in absent else scope.column_of_any_type(name)
        if column is not None:
            scope.drop(column, action.span)
            columns.append(column)
    if not remaining(scope.schema):
        scope.report(findings.nothing_left(action))
    if len(scope.found) > found:
        return None
    return program.Project(tuple(columns), absent)


def _is_gone(name: tree.Name, scope: Scope) -> bool:
    """Whether the table was released without the column (D32)."""
    return scope.may_be_released and not scope.names.find(name.text)


def _pseudonym(action: tree.Pseudonym, scope: Scope, always: bool) -> program.Write | None:
    """The column is text from here on. If all records are affected, what earlier lines wrote into it is forgotten, and
    none of its numbers is left."""
    column = scope.column(action.name)
    type_ = None if column is None else scope.types[column]
    if column is None or type_ is None:
        return None
    write_values(column, [EXAMPLE_PSEUDONYM], TEXT, Writer("PSEUDONYM", action.span, always), scope)
    if always:
        scope.forget_numbers(column, action.span)
    return program.Write((column,), Pseudonym(type_))


def _shift(action: tree.Shift, scope: Scope) -> program.Write | None:
    days = check_integer(action.days, scope, 1, LARGEST_SHIFT, "the largest shift in days")
    person = scope.column(action.person)
    columns = [scope.column(name) for name in action.names]
    found = [column for name, column in zip(action.names, columns, strict=True) if _is_shiftable(name, column, scope)]
    first: dict[int, tree.Name] = {}
    for index, (name, column) in enumerate(zip(action.names, columns, strict=True)):
        if column is not None and first.setdefault(column, name) is not name:
            previous, text = action.names[index - 1], scope.names.texts[column]
            scope.report(findings.shifted_twice(name, previous, first[column], text))
            return None
    if days is None or person is None or len(found) < len(columns):
        return None
    return program.Write(tuple(column for column in columns if column is not None), Shift(person, days))


def _is_shiftable(name: tree.Name, column: int | None, scope: Scope) -> bool:
    type_ = None if column is None else scope.types[column]
    if column is None or type_ is None:
        return False
    if type_.kind in (Kind.DATE, Kind.TIMESTAMP, Kind.TEXT):
        return True
    scope.report(findings.not_shiftable(name, scope.schema[column]))
    return False


def _add_random(action: tree.AddRandom, scope: Scope) -> program.Write | None:
    bounds = _check_bounds(action, scope)
    column = _number_column(action.name, "ADD RANDOM", scope)
    return None if column is None or bounds is None else program.Write((column,), AddRandom(*bounds))


def _microaggregate(action: tree.Microaggregate, scope: Scope) -> program.Write | None:
    size = check_integer(action.size, scope, SMALLEST_GROUP, None, "the size of a group")
    column = _number_column(action.name, "MICROAGGREGATE", scope)
    if size is None or column is None:
        return None
    return program.Write((column,), Microaggregate(size))


def _number_column(name: tree.Name, word: str, scope: Scope) -> int | None:
    """The column, or None if an error was reported: it is unknown, or has other values than numbers."""
    column = scope.column(name)
    type_ = None if column is None else scope.types[column]
    if column is None or type_ is None:
        return None
    if type_.is_number or scope.holds_labels(column, type_):
        return column
    scope.report_misuse(findings.not_numbers(name, word, scope.schema[column]), column, used_as_number=True)
    return None


def check_integer(
    constant: tree.Number | tree.Parameter, scope: Scope, least: int, most: int | None, what: str
) -> int | None:
    bound = scope.bind(constant, is_number=True)
    if bound is None:
        return None
    value = _integer(bound)
    if value is None or value < least or (most is not None and value > most):
        scope.report(findings.integer_out_of_range(constant, bound, what, least, most))
        return None
    return value


def _random(action: tree.Random, scope: Scope) -> program.Write | None:
    bounds = _check_bounds(action, scope)
    column = scope.column(action.name)
    if column is None or not _holds_integers(action.name, column, scope) or bounds is None:
        return None
    if problem := _overflow(action, scope.schema[column], *bounds):
        scope.report(problem)
        return None
    return program.Write((column,), Uniform(*bounds))


def _check_bounds(action: tree.Random | tree.AddRandom, scope: Scope) -> tuple[int, int] | None:
    lower, upper = (_check_bound(action, constant, scope) for constant in (action.lower, action.upper))
    if lower is None or upper is None:
        return None
    if lower > upper:
        scope.report(findings.bounds_reversed(action, lower, upper))
        return None
    return lower, upper


def _check_bound(
    action: tree.Random | tree.AddRandom, constant: tree.Number | tree.Parameter, scope: Scope
) -> int | None:
    bound = scope.bind(constant, is_number=True)
    if bound is None:
        return None
    value = _integer(bound)
    if value is None:
        scope.report(findings.bound_not_integer(action, constant.span, bound))
    return value


def _integer(bound: findings.Bound) -> int | None:
    """The value of a 64-bit integer, None for any other constant."""
    is_integer = isinstance(bound, tree.Number) and scale_of(bound.value) == 0 and is_64_bit(bound.value)
    return int(bound.value) if is_integer else None


def _holds_integers(name: tree.Name, column: int, scope: Scope) -> bool:
    match scope.types[column]:
        case None:
            return False
        case type_ if type_.is_number or type_.kind is Kind.TEXT:
            return True
    scope.report(findings.not_randomizable(name, scope.schema[column]))
    return False


def _overflow(action: tree.Random, column: Column, lower: int, upper: int) -> Diagnostic | None:
    """An error if the integers have too many digits for a decimal column of this scale."""
    if column.type.kind is not Kind.DECIMAL:
        return None
    digits = column.type.scale + max(digits_before_point(lower), digits_before_point(upper))
    if digits <= MOST_DIGITS:
        return None
    return findings.number_too_long(action.lower.span.to(action.upper.span), digits, MOST_DIGITS)


#: each value of RANDOM … FROM with its constant, where parameters are bound
_BoundValues: TypeAlias = Sequence[tuple[tree.WeightedValue, Bound]]


def check_draw(action: tree.Draw, scope: Scope, *, always: bool) -> program.Write | None:
    """The action, or None if an error in it was reported. Updates the scope's types."""
    constants = [(each, scope.bind(each.constant)) for each in action.values]
    column = scope.column(action.name)
    if column is None:
        return None
    type_ = scope.types[column]
    bound = [(each, constant) for each, constant in constants if constant is not None]
    if len(bound) < len(constants) or type_ is None:
        scope.retype(column, None, action.span)
        return None
    written = _drawn_values(bound, Column(scope.names.texts[column], type_))
    if isinstance(written, Diagnostic):
        scope.retype(column, None, action.span)
        scope.report(written)
        return None
    values, after = written
    write_values(column, values, after, Writer("RANDOM", action.span, always), scope)
    weighted = (WeightedValue(value, int(each.times)) for value, each in zip(values, action.values, strict=True))
    return program.Write((column,), Weighted(tuple(weighted)))


def _drawn_values(bound: _BoundValues, column: Column) -> tuple[list[Value], Type] | Diagnostic:
    """The values that may be drawn, and the column's type after the action, or an error."""
    problem = _mixed_kinds(bound) or _repeated_value(bound, [constant.value for _, constant in bound])
    if problem is not None:
        return problem
    after = _type_of_all(bound, column)
    if isinstance(after, Diagnostic):
        return after
    replaced = _replacement_values(bound, Column(column.name, after))
    if isinstance(replaced, Diagnostic):
        return replaced
    values = [value for value, _ in replaced]
    return _repeated_value(bound, values) or (values, after)


def _type_of_all(bound: _BoundValues, column: Column) -> Type | Diagnostic:
    """The column's type once it may contain every constant: a later constant may need more digits, or text."""
    after = column.type
    for each in bound:
        replaced = _replacement_values([each], Column(column.name, after))
        if isinstance(replaced, Diagnostic):
            return replaced
        ((_, after),) = replaced
    return after


def _replacement_values(bound: _BoundValues, column: Column) -> list[tuple[Value, Type]] | Diagnostic:
    """Each constant as REPLACE would write it, or the first error."""
    found = []
    for each, constant in bound:
        replaced = replacement(constant, column)
        if isinstance(replaced, Diagnostic):
            return findings.drop_parameter_fixes(replaced, each.constant)
        found.append(replaced)
    return found


def _mixed_kinds(bound: _BoundValues) -> Diagnostic | None:
    """An error if the values are both numbers and text."""
    first = bound[0][1]
    other = next((each for each, constant in bound if type(constant) is not type(first)), None)
    return None if other is None else findings.mixed_kinds([each for each, _ in bound], other)


def _repeated_value(bound: _BoundValues, values: Sequence[Value]) -> Diagnostic | None:
    """An error if two of the values are equal: `1` and `1.0`, or two numbers that are the same float."""
    seen: dict[Value, int] = {}
    for at, value in enumerate(values):
        first = seen.setdefault(value, at)
        if first < at:
            return findings.repeated_weighted_value([each for each, _ in bound], first, at)
    return None


def check_generalize(action: tree.Generalize, scope: Scope) -> program.Write | None:
    """The action, or None if an error in it was reported. The column is text from here on."""
    column = scope.column(action.name)
    type_ = None if column is None else scope.types[column]
    if column is None or type_ is None:
        return None
    match action.map:
        case tree.Nearest() as nearest:
            return _nearest(action, nearest, column, type_, scope)
        case tree.BandsOf() | tree.BandsAt() | tree.PrefixOf() | tree.DatePart() | tree.LevelOf() as labels:
            return _labels(action, labels, column, type_, scope)
        case _:
            assert_never(action.map)


def _labels(action: tree.Generalize, labels: _LabelMap, column: int, type_: Type, scope: Scope) -> program.Write | None:
    map_ = _map(action, labels, Column(scope.names.texts[column], type_), scope)
    if isinstance(map_, Diagnostic):
        needs_numbers = map_.code == findings.UNSUITABLE_MAP and walk.map_parts(labels).of_numbers
        scope.report_misuse(map_, column, used_as_number=needs_numbers)
    else:
        map_ = _map_conflict(action, map_, column, scope) or map_
        if isinstance(map_, Diagnostic):
            scope.report(map_)
    numbers = type_.kind if type_.is_number else type_.numbers
    scope.retype(column, replace(TEXT, numbers=numbers), action.span, by="GENERALIZE")
    if isinstance(map_, Diagnostic):
        return None
    scope.maps.setdefault(column, []).append((map_, action.span))
    return program.Write((column,), Labels(map_))


def _map_conflict(action: tree.Generalize, map_: Map, column: int, scope: Scope) -> Diagnostic | None:
    """An error if the map cannot be applied to labels or texts that earlier lines wrote."""
    name = scope.names.texts[column]
    for earlier, place in scope.maps.get(column, ()):
        if not map_.follows(earlier):
            return findings.not_cut_from_earlier(action, name, place)
    for text, by, place in scope.written.get(column, ()):
        may_list_pseudonyms = text == EXAMPLE_PSEUDONYM and walk.level_in(action.map) is not None
        if map_.label(text) is None and not may_list_pseudonyms:
            return findings.unmappable_text(action, name, by, place)
    return None


def _nearest(
    action: tree.Generalize, map_: tree.Nearest, column: int, type_: Type, scope: Scope
) -> program.Write | None:
    """The column stays a number: a decimal if the number has digits after the point."""
    step = map_.number.value
    if column in scope.maps:
        scope.report(findings.not_cut_from_earlier(action, scope.names.texts[column], scope.maps[column][-1][1]))
        return None
    if not (type_.is_number or scope.holds_labels(column, type_)):
        finding = findings.unsuitable_map(action, "NEAREST needs numbers", scope.schema[column])
        scope.report_misuse(finding, column, used_as_number=True)
        return None
    if step <= 0 or digits_before_point(step) + scale_of(step) > MOST_DIGITS:
        problem = "the number must be positive" if step <= 0 else f"the number has more than {MOST_DIGITS} digits"
        scope.report(_invalid(map_.span, problem, "NEAREST 5"))
        return None
    for earlier, place in scope.rounded.get(column, ()):
        if not is_odd_multiple(step, earlier):
            scope.report(findings.not_cut_from_earlier(action, scope.names.texts[column], place))
            return None
    if type_.kind in (Kind.INTEGER, Kind.DECIMAL) and scale_of(step) > type_.scale:
        scope.retype(column, replace(type_, kind=Kind.DECIMAL, scale=scale_of(step)), action.span, by="GENERALIZE")
    scope.rounded.setdefault(column, []).append((step, action.span))
    return program.Write((column,), Nearest(step))


def is_odd_multiple(step: Decimal, earlier: Decimal) -> bool:
    """Whether rounding to the earlier number and then to the step is rounding to the step."""
    ratio = Fraction(step) / Fraction(earlier)
    return ratio.denominator == 1 and ratio.numerator % 2 == 1


def _map(action: tree.Generalize, map_: _LabelMap, column: Column, scope: Scope) -> Map | Diagnostic:
    if any(digits_before_point(each.value) + scale_of(each.value) > MOST_DIGITS for each in _numbers(map_)):
        return _invalid(map_.span, f"a number has more than {MOST_DIGITS} digits", "BANDS OF 5")
    match map_:
        case tree.BandsOf() | tree.BandsAt():
            return _bands(action, map_, column)
        case tree.PrefixOf(length):
            return _prefix(length)
        case tree.DatePart(unit):
            if column.type.kind not in (Kind.DATE, Kind.TIMESTAMP, Kind.TEXT):
                return findings.unsuitable_map(action, f"{unit} needs dates", column)
            return Dates(unit)
        case tree.LevelOf():
            return _level(map_, scope)
        case _:
            assert_never(map_)


def _numbers(map_: _LabelMap) -> Iterator[tree.Number]:
    match map_:
        case tree.BandsOf(width, start, end):
            yield from (number for number in (width, start, end) if number is not None)
        case tree.BandsAt(cuts):
            yield from cuts
        case tree.PrefixOf(number) | tree.LevelOf(number):
            yield number
        case tree.DatePart():
            pass
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
            problem = bands.cuts_problem(cuts, integer)
            if problem is not None:
                return _invalid(map_.span, problem, "BANDS AT 18, 25, 65")
            return Bands.at(cuts, integer)
        case _:
            assert_never(map_)


def _bands_of(map_: tree.BandsOf, integer: bool) -> Bands | Diagnostic:
    width = map_.width.value
    start, end = (None if number is None else number.value for number in (map_.start, map_.end))
    problem = bands.bands_problem(width, start, end, integer)
    if problem is None:
        return Bands.of(width, start, end, integer)
    return _invalid(map_.span, problem, "BANDS OF 5 FROM 15 UP TO 90")


def _prefix(length: tree.Number) -> Prefix | Diagnostic:
    if scale_of(length.value):
        return _invalid(length.span, "the length of a prefix must be an integer", "PREFIX OF 3")
    problem = label_maps.prefix_problem(int(length.value))
    return Prefix(int(length.value)) if problem is None else _invalid(length.span, problem, "PREFIX OF 3")


def _level(map_: tree.LevelOf, scope: Scope) -> Level | Diagnostic:
    hierarchy = _hierarchy(map_.file, scope)
    if isinstance(hierarchy, Diagnostic):
        return hierarchy
    if scale_of(map_.level.value):
        return _invalid(map_.level.span, "a level must be an integer", "LEVEL 1 OF 'education.csv'")
    constant = None if map_.otherwise is None else scope.bind(map_.otherwise)
    otherwise = None if constant is None else _constant_text(constant)
    number = int(map_.level.value)
    problem = label_maps.level_problem(hierarchy, number, otherwise)
    if problem is None:
        return Level(hierarchy, number, otherwise)
    return _invalid(map_.span, problem, "LEVEL 1 OF 'education.csv' ELSE 'other'")


def _hierarchy(file: tree.String, scope: Scope) -> Hierarchy | Diagnostic:
    """The hierarchy that came with the policy, or the file at this path relative to the policy's folder."""
    try:
        content = scope.hierarchies.get(file.value)
        found = read_hierarchy(Path(scope.folder, file.value)) if content is None else parse_hierarchy(content)
    except (OSError, ValueError) as error:
        return findings.unreadable_hierarchy(file, (getattr(error, "strerror", None) or "unknown reason").lower())
    return found if isinstance(found, Hierarchy) else findings.wrong_hierarchy(file, found)


def _constant_text(constant: Bound) -> str:
    return f"{constant.value:f}" if isinstance(constant, tree.Number) else constant.value


def _invalid(span: Span, problem: str, example: str) -> Diagnostic:
    return findings.invalid_map(span, problem, f"write for example `{example}`")
