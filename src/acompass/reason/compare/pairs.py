"""Check two policies with the same column types, given or inferred from both policies (D31, inferred types)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import CallError, Edit, PolicyError, apply_edits
from acompass.language.program.constants import Parameters, ParamValue
from acompass.language.program.program import Program
from acompass.language.program.types import Schema, Type
from acompass.language.program.uses import uses
from acompass.language.text import tree
from acompass.language.text.tokens import spell_constant
from acompass.language.text.tree import place_of
from acompass.language.text.walk import constants, parameter_names, steps
from acompass.policy import Policy, parse
from acompass.prove.search.column_types import ColumnTypes, column_types, finer_scale, other_types
from acompass.prove.search.verdicts import check_policy

_DECIMAL = re.compile(r"-?[0-9]+(?:\.([0-9]+))?")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The arguments of a comparison, for both policies."""

    schema: Mapping[str, str | Type] | None
    params: Mapping[str, ParamValue]
    types: Mapping[str, str | Type] | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two programs with the same schema."""

    old: Program
    new: Program
    any_scale: frozenset[int] = frozenset()  # the columns of numbers that may have more decimal places than their types

    @property
    def programs(self) -> tuple[Program, Program]:
        return self.old, self.new

    @property
    def schema(self) -> Schema:
        return self.old.schema


def typed_pairs(
    old: Policy,
    new: Policy,
    schema: Mapping[str, str | Type] | None,
    params: Mapping[str, ParamValue],
    types: Mapping[str, str | Type] | None,
    assumed: Sequence[tree.Program] = (),
) -> tuple[ColumnTypes, list[Pair]]:
    """The policies with each choice of column types, the narrowest first.

    An answer for all pairs holds for numbers of any scale: some pair has a number between any two constants, and some
    pair has the number that a text spells. The programs `assumed` also count for the inferred types. Without a schema,
    the columns may have other types as well (D31, inferred types)."""
    requirements = (each for policy in (old.tree, new.tree, *assumed) for each in policy.requirements)
    everything = tree.Program(tuple(requirements), (), old.tree.span)

    def check_pair(own: Schema, any_scale: frozenset[int] = frozenset()) -> Pair:
        one, other = (_check_policy(policy, own, params, everything) for policy in (old, new))
        return Pair(one, other, any_scale)

    def check_scales(columns: ColumnTypes) -> tuple[ColumnTypes, list[Pair]]:
        narrow = check_pair(columns.schema)
        scales = _scales(everything, params) if columns.any_scale else []
        try:
            return columns, [narrow, *(check_pair(columns.widen(scale), columns.any_scale) for scale in scales)]
        except PolicyError:
            # a constant is too long for a finer scale, so no such table can be run
            columns = columns.with_spellings()
            return columns, [check_pair(columns.schema)]

    columns, pairs = check_scales(column_types(everything, params, schema, types))
    for _, other in other_types(everything, params, types) if schema is None else ():
        with suppress(PolicyError):  # the policies cannot be run on such a table
            pairs += check_scales(other)[1]
    return columns, pairs


def types_for_both(
    old: Policy,
    new: Policy,
    params: Mapping[str, ParamValue],
    read: Callable[[Policy, Mapping[str, ParamValue]], Mapping[str, str | Type]],
) -> dict[str, str | Type]:
    """The column types of a table for both policies: as the old policy uses them, and for columns that it does not
    name, as the new one does (D10, reading types). `read` reads the types for one policy with its own parameters."""
    ours, theirs = (
        read(policy, {name: value for name, value in params.items() if name in parameter_names(policy.tree)})
        for policy in (old, new)
    )
    named = uses(old.tree, list(ours), params)
    return {name: type_ if at in named else theirs[name] for at, (name, type_) in enumerate(ours.items())}


def _check_policy(
    policy: Policy, schema: Schema, params: Mapping[str, ParamValue], everything: tree.Program
) -> Program:
    try:
        return check_policy(policy.tree, policy.text, schema, params, everything)
    except PolicyError as error:
        raise PolicyError(error.diagnostics, policy.text, policy.name) from None


def _scales(policies: tree.Program, params: Mapping[str, ParamValue]) -> list[int]:
    """A scale with numbers between any two constants, and the scales of the numbers that texts of a policy spell."""
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


def replace_parameters(policy: Policy, values: Mapping[str, ParamValue]) -> Policy:
    """The policy with constants in place of these parameters. Line numbers and other parameters stay the same."""
    parameters = Parameters(values)
    # the steps of a THEN share their assertion, so an edit occurs more than once
    edits = set(_parameter_edits(policy.tree, parameters))
    if problems := parameters.problems():
        raise CallError(problems)
    parsed = parse(apply_edits(policy.text, edits), policy.name)
    return replace(parsed, tree=replace(parsed.tree, folder=policy.tree.folder))


def _parameter_edits(program: tree.Program, parameters: Parameters) -> Iterator[Edit]:
    for requirement in steps(program):
        for constant in constants(requirement):
            place = place_of(constant.span)
            if isinstance(constant, tree.Parameter) and constant.name in parameters.names and place:
                value = parameters.bind(constant)
                if value is not None:
                    yield Edit(place, spell_constant(value))
