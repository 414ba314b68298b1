"""The types that a proof rests on: from a schema, from the caller, or from the uses of the columns (D31)."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

from acompass.checked.constants import is_timestamp, scale_of
from acompass.checked.parameters import Parameters, ParamValue
from acompass.checked.types import TEXT, TIMESTAMP, Column, Kind, Schema, Type, decimal
from acompass.checked.uses import Use, uses
from acompass.diagnostics import CallError, Diagnostic
from acompass.prove.inferred_schema import inferred_schema
from acompass.syntax import tree
from acompass.syntax.walk import constants, map_numbers, step_of, steps

#: the scale of `decimal` in a counterexample
_USUAL_SCALE = 2
#: more columns that can have timestamps are all text or all timestamps
_MOST_COMBINED = 3
_KINDS = tuple(str(kind) for kind in Kind if kind not in (Kind.OPAQUE, Kind.DROPPED))


@dataclass(frozen=True, slots=True)
class ColumnTypes:
    """`schema` has the narrowest types. The numbers at the positions `any_scale` may have more digits after
    the point. The policy's uses decide the types of the columns at the positions `inferred`."""

    schema: Schema
    any_scale: frozenset[int] = frozenset()
    inferred: frozenset[int] = frozenset()

    def widened(self, scale: int) -> Schema:
        """The schema in which the numbers of any scale have the given one."""
        return tuple(
            Column(column.name, decimal(scale)) if at in self.any_scale else column
            for at, column in enumerate(self.schema)
        )

    def spelled(self) -> "ColumnTypes":
        """The types where no number has a finer scale, but a CSV may have several spellings of one (D26)."""
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
    """The types of the columns in `schema`; without one, of those that the policy names.

    `types` gives types of single columns in place of inferred ones.
    """
    if schema is not None:
        return _with_given(
            _declared({name: _read_type(name, type_) for name, type_ in schema.items()}), types
        )
    return _with_given(_inferred(policy, params), types)


def _with_given(found: ColumnTypes, types: Mapping[str, str | Type] | None) -> ColumnTypes:
    given = {name: _read_type(name, type_) for name, type_ in (types or {}).items()}
    for name, type_ in given.items():
        found = _with(found, name, type_)
    return found


def other_types(
    policy: tree.Program, params: Mapping[str, ParamValue], types: Mapping[str, str | Type] | None = None
) -> Iterator[tuple[str, ColumnTypes]]:
    """What a table may be like, beside having the inferred types, and its types then.

    Two spellings of a name can be two columns (D3). Text that is compared with times can be timestamps, for
    which `2020-01-01` is midnight. Dates have the order of their text, so what is proved of text is true of
    them.
    """
    for is_apart in (False, True):
        columns = _inferred(policy, params, is_apart=is_apart)
        alike = _alike(columns.schema)
        if is_apart and not alike:
            return
        try:
            columns = _with_given(columns, types)
        except CallError:  # a type is given for one of two columns, but not for which
            return
        names = " and ".join(f"`{name}`" for name in alike)
        apart = [f"a table can have the columns {names}"] if is_apart else []
        for chosen in _subsets(_timed(policy, params, columns)):
            times = [f"`{columns.schema[at].name}` can have timestamps" for at in chosen]
            if is_apart or chosen:
                yield "; ".join((*apart, *times)), _with_timestamps(columns, chosen)


def _alike(schema: Schema) -> list[str]:
    """The names that differ from another one only in case."""
    folded = Counter(column.name.casefold() for column in schema)
    return [column.name for column in schema if folded[column.name.casefold()] > 1]


def _timed(policy: tree.Program, params: Mapping[str, ParamValue], columns: ColumnTypes) -> list[int]:
    """The columns whose inferred type is text, and that are compared with a date or a time."""
    used = uses(policy, [column.name for column in columns.schema], params)
    return [
        at
        for at in sorted(columns.inferred & used.keys())
        if columns.schema[at].type == TEXT and any(is_timestamp(each.text) for each in used[at].texts)
    ]


def _subsets(columns: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All subsets, or none and all of many."""
    sizes = range(len(columns) + 1) if len(columns) <= _MOST_COMBINED else (0, len(columns))
    return chain.from_iterable(combinations(columns, size) for size in sizes)


def _with_timestamps(types: ColumnTypes, chosen: Collection[int]) -> ColumnTypes:
    schema = tuple(
        Column(column.name, TIMESTAMP) if at in chosen else column for at, column in enumerate(types.schema)
    )
    return replace(types, schema=schema)


def _inferred(
    policy: tree.Program, params: Mapping[str, ParamValue], *, is_apart: bool = False
) -> ColumnTypes:
    columns = inferred_schema(policy, params, is_apart=is_apart)
    used = uses(policy, [column.name for column in columns], params)
    numbers = frozenset(at for at, use in used.items() if use.use is Use.NUMBER)
    # the type of a column that the policy only groups by or counts makes no difference
    decided = (at for at, use in used.items() if use.use is not Use.ANY or columns[at].type != TEXT)
    return ColumnTypes(columns, numbers, frozenset(decided))


def _declared(types: Mapping[str, Type | None]) -> ColumnTypes:
    columns = tuple(Column(name, type_ or decimal(_USUAL_SCALE)) for name, type_ in types.items())
    numbers = frozenset(at for at, type_ in enumerate(types.values()) if type_ is None)
    return ColumnTypes(columns, numbers)


def _with(types: ColumnTypes, name: str, type_: Type | None) -> ColumnTypes:
    """The types with another one for a column, named as in a policy (D3)."""
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
    raise CallError([Diagnostic("AC552", f"a type is given for the unknown column `{name}`", help=help_)])


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
    requirements = steps(policy)
    bound = (parameters.bind(each) for requirement in requirements for each in constants(requirement))
    numbers = [each for each in bound if isinstance(each, tree.Number)]
    for requirement in requirements:
        numbers += map_numbers(step_of(requirement))
    return 1 + max((scale_of(number.value) for number in numbers), default=0)
