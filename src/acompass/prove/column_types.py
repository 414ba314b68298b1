"""The types that a proof rests on: from a schema, from the caller, or from the uses of the columns (D31)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from acompass.checked.constants import scale_of
from acompass.checked.parameters import Parameters, ParamValue
from acompass.checked.types import TEXT, Column, Kind, Schema, Type, decimal
from acompass.checked.uses import Use, uses
from acompass.diagnostics import CallError, Diagnostic
from acompass.prove.inferred_schema import inferred_schema
from acompass.syntax import tree
from acompass.syntax.walk import constants, map_numbers, step_of, steps

#: the scale of `decimal` in a counterexample
_USUAL_SCALE = 2
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
    given = {name: _read_type(name, type_) for name, type_ in (types or {}).items()}
    if schema is not None:
        found = _declared({name: _read_type(name, type_) for name, type_ in schema.items()})
    else:
        found = _inferred(policy, params)
    for name, type_ in given.items():
        found = _with(found, name, type_)
    return found


def _inferred(policy: tree.Program, params: Mapping[str, ParamValue]) -> ColumnTypes:
    columns = inferred_schema(policy, params)
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
