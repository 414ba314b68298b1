"""Two policies, checked with the same types: those given, or those that the uses of both decide (D31)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from acompass.checked.parameters import ParamValue
from acompass.checked.program import Program
from acompass.checked.types import Schema, Type
from acompass.checked.uses import uses
from acompass.diagnostics import PolicyError
from acompass.prove.column_types import ColumnTypes, column_types, finer_scale, other_types
from acompass.prove.policy import checked_policy
from acompass.syntax import tree
from acompass.syntax.walk import constants, steps

_DECIMAL = re.compile(r"-?[0-9]+(?:\.([0-9]+))?")


@dataclass(frozen=True, slots=True)
class Source:
    """A policy as it was read; errors name it."""

    tree: tree.Program
    text: str
    name: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Both have the same schema. The columns `any_scale` are numbers that may have more digits after the
    point than their types."""

    old: Program
    new: Program
    any_scale: frozenset[int] = frozenset()

    @property
    def programs(self) -> tuple[Program, Program]:
        return self.old, self.new

    @property
    def schema(self) -> Schema:
        return self.old.schema


def typed_pairs(
    old: Source,
    new: Source,
    schema: Mapping[str, str | Type] | None,
    params: Mapping[str, ParamValue],
    types: Mapping[str, str | Type] | None,
    beside: Sequence[tree.Program] = (),
) -> tuple[ColumnTypes, list[Pair]]:
    """The policies with the narrowest types first. An answer about all pairs is one about numbers of any
    scale: between any two constants there is a number, and a text has the digits of no number, or of one.
    What the programs `beside` name counts as well. Without a schema, there may be other tables (D31)."""
    everything = joined((old.tree, new.tree, *beside))

    def typed(own: Schema, any_scale: frozenset[int] = frozenset()) -> Pair:
        one, other = (_checked(source, own, params, everything) for source in (old, new))
        return Pair(one, other, any_scale)

    def scaled(columns: ColumnTypes) -> tuple[ColumnTypes, list[Pair]]:
        narrow = typed(columns.schema)
        scales = _scales(everything, params) if columns.any_scale else []
        try:
            return columns, [narrow, *(typed(columns.widened(scale), columns.any_scale) for scale in scales)]
        except PolicyError:
            # a constant is too long for a finer scale, so no such table can be run
            columns = columns.spelled()
            return columns, [typed(columns.schema)]

    columns, pairs = scaled(column_types(everything, params, schema, types))
    for _, other in other_types(everything, params, types) if schema is None else ():
        with suppress(PolicyError):  # the policies cannot be run on such a table
            pairs += scaled(other)[1]
    return columns, pairs


def shared_types(
    old: Source,
    ours: Mapping[str, str | Type],
    theirs: Mapping[str, str | Type],
    params: Mapping[str, ParamValue],
) -> dict[str, str | Type]:
    """The types that a table has for both: by the uses of the old policy, and for the columns that it does
    not name, by those of the new one (D10)."""
    named = uses(old.tree, list(ours), params)
    return {name: type_ if at in named else theirs[name] for at, (name, type_) in enumerate(ours.items())}


def joined(policies: Sequence[tree.Program]) -> tree.Program:
    requirements = tuple(requirement for policy in policies for requirement in policy.requirements)
    return tree.Program(requirements, (), policies[0].span)


def _checked(
    source: Source, schema: Schema, params: Mapping[str, ParamValue], everything: tree.Program
) -> Program:
    try:
        return checked_policy(source.tree, source.text, schema, params, everything)
    except PolicyError as error:
        raise PolicyError(error.diagnostics, source.text, source.name) from None


def _scales(policies: tree.Program, params: Mapping[str, ParamValue]) -> list[int]:
    """A scale with numbers between any two constants, and those in which a number has a text of a policy."""
    texts = {len(digits) for digits in _digits_of_texts(policies, params)} - {0}
    finer = finer_scale(policies, params)
    return sorted({finer, *texts, 1 + max(texts, default=0)}) if texts else [finer]


def _digits_of_texts(policies: tree.Program, params: Mapping[str, ParamValue]) -> Iterator[str]:
    used = (constant for each in steps(policies) for constant in constants(each))
    texts = [constant.value for constant in used if isinstance(constant, tree.String)]
    for text in (*texts, *(value for value in params.values() if isinstance(value, str))):
        found = _DECIMAL.fullmatch(text)
        if found:
            yield found[1] or ""
