"""The column types that a proof assumes: from a schema, from the caller, or inferred from the policy (D31, `prove`).

Without a table, the schema has the columns that the policy names. A column that is compared with text is text. A column
that is compared with numbers or summed is integer, or decimal if one of those numbers has decimal places: the narrowest
type that fits the policy. BANDS uses a column as a number, other maps use it as text. A column that only RANDOM uses is
integer. Any other column is text, because its type makes no difference.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from typing import assert_never

from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program.aggregates import facts_about
from acompass.language.program.constants import Parameters, ParamValue, is_timestamp, scale_of
from acompass.language.program.types import FLOAT, INTEGER, TEXT, TIMESTAMP, Column, Kind, Names, Schema, Type, decimal
from acompass.language.program.uses import Use, uses
from acompass.language.text import tree, walk

#: the scale of `decimal` in a counterexample
_USUAL_SCALE = 2
#: if more columns can have timestamps, only two cases are tried: all are text, or all are timestamps
_MOST_COMBINED = 3
_KINDS = tuple(str(kind) for kind in Kind if kind not in (Kind.OPAQUE, Kind.DROPPED))


@dataclass(frozen=True, slots=True)
class ColumnTypes:
    schema: Schema  # the narrowest types
    any_scale: frozenset[int] = frozenset()  # the columns whose numbers may have more decimal places
    inferred: frozenset[int] = frozenset()  # the columns whose types were inferred from the policy

    def widen(self, scale: int) -> Schema:
        """The schema in which numbers of any scale have the given scale."""
        return tuple(
            Column(column.name, decimal(scale)) if at in self.any_scale else column
            for at, column in enumerate(self.schema)
        )

    def with_spellings(self) -> "ColumnTypes":
        """The types for numbers of a fixed scale that a CSV file may spell in several ways (D26, unchanged bytes)."""
        schema = tuple(
            Column(column.name, replace(column.type, spelled=True)) if at in self.any_scale else column
            for at, column in enumerate(self.schema)
        )
        return ColumnTypes(schema, frozenset(), self.inferred)

    def names(self) -> dict[str, str]:
        """The types in words; `decimal` is a number of any scale."""
        return {
            column.name: str(Kind.DECIMAL) if at in self.any_scale else str(column.type)
            for at, column in enumerate(self.schema)
        }


def column_types(
    policy: tree.Program,
    params: Mapping[str, ParamValue],
    schema: Mapping[str, str | Type] | None = None,
    types: Mapping[str, str | Type] | None = None,
) -> ColumnTypes:
    """The types of the columns in `schema`, or of those that the policy names. `types` overrides single columns."""
    return _with_given_types(_infer_types(policy, params) if schema is None else _declared_types(schema), types)


def _with_given_types(found: ColumnTypes, types: Mapping[str, str | Type] | None) -> ColumnTypes:
    for name, type_ in _read_types(types or {}).items():
        found = _replace_type(found, name, type_)
    return found


def other_types(
    policy: tree.Program, params: Mapping[str, ParamValue], types: Mapping[str, str | Type] | None = None
) -> Iterator[tuple[str, ColumnTypes]]:
    """Other types that a table may have instead of the inferred ones, each with a description.

    Two spellings of a name can be two columns (D3, names). Text that is compared with times can be timestamps, for
    which `2020-01-01` is midnight. Dates sort like their text, so proofs about text cover them. Numbers that are summed
    can be floats, whose sums are rounded (D13, SUM).
    """
    for is_apart in (False, True):
        columns = _infer_types(policy, params, is_apart=is_apart)
        alike = _ambiguous_names(columns.schema)
        if is_apart and not alike:
            return
        try:
            columns = _with_given_types(columns, types)
        except CallError:  # a given type could be for either of the two columns
            return
        names = " and ".join(f"`{name}`" for name in alike)
        apart = [f"a table can have the columns {names}"] if is_apart else []
        summed = dict.fromkeys(((), _summed_columns(policy, columns)))
        for chosen, floats in product(_subsets(_columns_compared_with_dates(policy, params, columns)), summed):
            times = [f"`{columns.schema[at].name}` can have timestamps" for at in chosen]
            rounded = [f"`{columns.schema[at].name}` can have floats, whose sums are rounded" for at in floats]
            if is_apart or chosen or floats:
                yield "; ".join((*apart, *times, *rounded)), _with_types(columns, {TIMESTAMP: chosen, FLOAT: floats})


def _ambiguous_names(schema: Schema) -> list[str]:
    """The names that differ from another name only in case."""
    folded = Counter(column.name.casefold() for column in schema)
    return [column.name for column in schema if folded[column.name.casefold()] > 1]


def _columns_compared_with_dates(
    policy: tree.Program, params: Mapping[str, ParamValue], columns: ColumnTypes
) -> list[int]:
    """The columns that are inferred as text and compared with a date or a time."""
    used = uses(policy, [column.name for column in columns.schema], params)
    return [
        at
        for at in sorted(columns.inferred & used.keys())
        if columns.schema[at].type == TEXT and any(is_timestamp(each.text) for each in used[at].texts)
    ]


def _subsets(columns: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All subsets; of many columns, only the empty one and the whole."""
    sizes = range(len(columns) + 1) if len(columns) <= _MOST_COMBINED else (0, len(columns))
    return chain.from_iterable(combinations(columns, size) for size in sizes)


def _summed_columns(policy: tree.Program, columns: ColumnTypes) -> tuple[int, ...]:
    """The columns of numbers with an inferred type that the policy sums, or adds random numbers to."""
    names = Names([column.name for column in columns.schema])
    processes = filter(None, map(walk.process_of, walk.steps(policy)))
    added = (named.aggregate for process in processes for named in process.aggregates)
    found = {
        at
        for aggregate in added
        if aggregate.column is not None and aggregate.file is None and facts_about(aggregate.function).adds
        for at in names.find(aggregate.column.text)
    }
    drawn = (walk.step_of(requirement) for requirement in walk.steps(policy))
    raised = (name for step in drawn if walk.adds_random(step) for name in walk.drawn_names(step))
    found.update(at for name in raised for at in names.find(name.text))
    return tuple(sorted(found & columns.inferred & columns.any_scale))


def _with_types(types: ColumnTypes, chosen: Mapping[Type, Collection[int]]) -> ColumnTypes:
    changed = {at: type_ for type_, columns in chosen.items() for at in columns}
    schema = tuple(Column(column.name, changed.get(at, column.type)) for at, column in enumerate(types.schema))
    return replace(types, schema=schema, any_scale=types.any_scale - changed.keys())


def _infer_types(policy: tree.Program, params: Mapping[str, ParamValue], *, is_apart: bool = False) -> ColumnTypes:
    columns = inferred_schema(policy, params, is_apart=is_apart)
    used = uses(policy, [column.name for column in columns], params)
    numbers = frozenset(at for at, use in used.items() if use.use is Use.NUMBER)
    # the type of a column that the policy only groups by or counts makes no difference, unless a file has its values
    looked_up = _looked_up_columns(policy, columns)
    decided = (at for at, use in used.items() if use.use is not Use.ANY or columns[at].type != TEXT or at in looked_up)
    return ColumnTypes(columns, numbers, frozenset(decided))


def _looked_up_columns(policy: tree.Program, columns: Schema) -> frozenset[int]:
    """The columns whose values are compared with those of a reference table (X14)."""
    names = Names([column.name for column in columns])
    processes = filter(None, map(walk.process_of, walk.steps(policy)))
    found = (each for each in processes if any(named.aggregate.file is not None for named in each.aggregates))
    return frozenset(at for process in found for name in process.group_by for at in names.find(name.text))


def _declared_types(schema: Mapping[str, str | Type]) -> ColumnTypes:
    types = _read_types(schema)
    columns = tuple(Column(name, type_ or decimal(_USUAL_SCALE)) for name, type_ in types.items())
    numbers = frozenset(at for at, type_ in enumerate(types.values()) if type_ is None)
    return ColumnTypes(columns, numbers)


def _replace_type(types: ColumnTypes, name: str, type_: Type | None) -> ColumnTypes:
    """Replace the type of a column, which is named as in a policy (D3, names)."""
    at = _position(types.schema, name)
    own = frozenset((at,))
    column = Column(types.schema[at].name, type_ or decimal(_USUAL_SCALE))
    any_scale = types.any_scale - own if type_ else types.any_scale | own
    schema = (*types.schema[:at], column, *types.schema[at + 1 :])
    return ColumnTypes(schema, any_scale, types.inferred - own)


def _position(schema: Schema, name: str) -> int:
    names = [column.name for column in schema]
    if name in names:
        return names.index(name)
    alike = [at for at, other in enumerate(names) if other.casefold() == name.casefold()]
    if len(alike) == 1:
        return alike[0]
    help_ = f"columns: {', '.join(names)}"
    raise CallError([Diagnostic("AC552", f"type given for unknown column `{name}`", help=help_)])


def _read_types(types: Mapping[str, str | Type]) -> dict[str, Type | None]:
    return {name: _read_type(name, type_) for name, type_ in types.items()}


def _read_type(name: str, type_: str | Type) -> Type | None:
    """A type such as `integer` or `decimal(2)`; None for `decimal`, a number of any scale."""
    if isinstance(type_, Type):
        return type_
    kind, _, scale = type_.strip().lower().removesuffix(")").partition("(")
    if kind == Kind.DECIMAL and (not scale or scale.isdecimal()):
        return decimal(int(scale)) if scale else None
    if kind in _KINDS and not scale:
        return Type(Kind(kind))
    message = f"unknown type `{type_}` for column `{name}`"
    raise CallError([Diagnostic("AC551", message, help=f"types: {', '.join(_KINDS)}, decimal(2)")])


def finer_scale(policy: tree.Program, params: Mapping[str, ParamValue]) -> int:
    """A scale with numbers between any two constants of the policy."""
    parameters = Parameters(params)
    requirements = walk.steps(policy)
    bound = (parameters.bind(each) for requirement in requirements for each in walk.constants(requirement))
    numbers = [each for each in bound if isinstance(each, tree.Number)]
    for requirement in requirements:
        numbers += walk.map_numbers(walk.step_of(requirement))
    return 1 + max((scale_of(number.value) for number in numbers), default=0)


def inferred_schema(policy: tree.Program, params: Mapping[str, ParamValue], *, is_apart: bool = False) -> Schema:
    """The schema of a policy without a table. Names that differ only in case are one column, spelled as in its first
    use; with `is_apart`, each spelling is a column (D3, names)."""
    spelled: dict[str, str] = {}
    for name in _names(policy):
        spelled.setdefault(name.text if is_apart else name.text.casefold(), name.text)
    names = list(spelled.values())
    dropped = {name.text.casefold() for name in walk.names_dropped_by(policy)}
    if {name.casefold() for name in names} <= dropped:  # a table has at least one other column
        names.append(_unused_name(spelled))
    used = uses(policy, names, params)
    scales = _scales(policy, params)
    drawn = _drawn_names(policy)
    return tuple(
        Column(name, _infer_type(used[at].use, scales.get(name.casefold(), 0), name.casefold() in drawn))
        if at in used
        else Column(name, TEXT)
        for at, name in enumerate(names)
    )


def _unused_name(spelled: Mapping[str, str]) -> str:
    name = "another"
    while name in spelled:
        name += "_"
    return name


def _infer_type(use: Use, scale: int, is_drawn: bool) -> Type:
    match use:
        case Use.TEXT:
            return TEXT
        case Use.NUMBER:
            return decimal(scale) if scale else INTEGER
        case Use.ANY:
            return INTEGER if is_drawn else TEXT
        case _:
            assert_never(use)


def _drawn_names(policy: tree.Program) -> set[str]:
    steps = map(walk.step_of, walk.steps(policy))
    return {name.text.casefold() for step in steps for name in walk.drawn_names(step)}


def _names(policy: tree.Program) -> Iterator[tree.Name]:
    for requirement in walk.steps(policy):
        process = walk.process_of(requirement)
        if process is not None:
            aggregates = (named.aggregate for named in process.aggregates)
            own = (each.column for each in aggregates if each.file is None)  # others are columns of the file (X14)
            yield from (name for name in own if name is not None)
        for condition in walk.record_conditions(requirement):
            yield from (comparison.name for comparison in walk.comparisons(condition))
        if process is not None:
            yield from process.group_by
        parts = walk.parts_of(walk.step_of(requirement))
        yield from (*parts.written, *parts.read, *parts.dropped)


def _scales(policy: tree.Program, params: Mapping[str, ParamValue]) -> dict[str, int]:
    """For each name, the most decimal places of any number that it is compared with or cut at."""
    parameters = Parameters(params)
    scales: dict[str, int] = {}
    for requirement in walk.steps(policy):
        for name, constant in (*_compared_constants(requirement), *_band_constants(requirement)):
            number = parameters.bind(constant)
            if isinstance(number, tree.Number):
                key = name.casefold()
                scales[key] = max(scales.get(key, 0), scale_of(number.value))
    return scales


def _compared_constants(requirement: tree.Requirement) -> Iterator[tuple[str, tree.Constant]]:
    aliased = _aliased_columns(requirement)
    for condition in walk.all_conditions(requirement):
        for comparison in walk.comparisons(condition):
            name = comparison.name.text
            yield aliased.get(name.casefold(), name), comparison.constant


def _band_constants(requirement: tree.Requirement) -> Iterator[tuple[str, tree.Constant]]:
    """The numbers at which BANDS cuts a column."""
    action = walk.step_of(requirement)
    for written in walk.written_names(action):
        yield from ((written.text, number) for number in walk.map_numbers(action))


def _aliased_columns(requirement: tree.Requirement) -> dict[str, str]:
    """Maps the alias of each MIN and MAX to the aggregated column."""
    process = walk.process_of(requirement)
    return {
        named.alias.text.casefold(): named.aggregate.column.text
        for named in (() if process is None else process.aggregates)
        if named.aggregate.column is not None and facts_about(named.aggregate.function).is_value
    }
