"""A policy with values in place of its parameters, so that two policies may have different ones."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from acompass.checked.parameters import Parameters, ParamValue
from acompass.diagnostics import CallError, Edit
from acompass.diagnostics.fixing import apply_edits
from acompass.policy import Policy, parse
from acompass.syntax import tree
from acompass.syntax.spelling import spell_constant
from acompass.syntax.tree import place_of
from acompass.syntax.walk import constants, steps


def with_values(policy: Policy, values: Mapping[str, ParamValue]) -> Policy:
    """Lines stay where they are. The other parameters stay parameters."""
    parameters = Parameters(values)
    # the steps of a THEN share their assertion, so an edit occurs more than once
    edits = set(_edits(policy.tree, parameters))
    if problems := parameters.problems():
        raise CallError(problems)
    parsed = parse(apply_edits(policy.text, edits), policy.name)
    return replace(parsed, tree=replace(parsed.tree, folder=policy.tree.folder))


def _edits(program: tree.Program, parameters: Parameters) -> Iterator[Edit]:
    for requirement in steps(program):
        for constant in constants(requirement):
            place = place_of(constant.span)
            if isinstance(constant, tree.Parameter) and constant.name in parameters.names and place:
                value = parameters.bind(constant)
                if value is not None:
                    yield Edit(place, spell_constant(value))
