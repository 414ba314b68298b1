"""A policy's steps as requirements of the core, or the reasons why that cannot be done (X0)."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import assert_never

from acompass.core import labels
from acompass.core.aggregates import with_one_aggregate
from acompass.core.conditions import in_core
from acompass.core.impossible import impossible
from acompass.core.labels import Values
from acompass.diagnostics import Diagnostic
from acompass.syntax import core_actions, tree, walk
from acompass.syntax.tree import Operator, Quantifier


def refusals(program: tree.Program) -> list[Diagnostic]:
    """The steps that no table could help to write in the core."""
    found = (_rewritten(step) for step in walk.steps(program))
    return [each for each in found if isinstance(each, Diagnostic)]


def core_steps(program: tree.Program, values: Values | None) -> Iterator[list[tree.Requirement] | Diagnostic]:
    """For each step, its requirements in the core. `values` is None if the policy has no GENERALIZE."""
    for at, step in enumerate(walk.steps(program)):
        action = generalization(step)
        if action is None or values is None:
            yield _rewritten(step)
        else:
            yield labels.replaced(action, at, values)


def generalizes(program: tree.Program) -> bool:
    return any(generalization(step) is not None for step in walk.steps(program))


def generalization(step: tree.Requirement) -> tree.Generalize | None:
    return walk.generalize_of(walk.step_of(step))


def _rewritten(step: tree.Requirement) -> list[tree.Requirement] | Diagnostic:
    """A step without the values of its columns: an ALWAYS : GENERALIZE is left as it is."""
    refusal = _refusal(step)
    if refusal is not None:
        return refusal
    step = _with_bounds(step)
    assertion = walk.assertion_of(step)
    if assertion is None:
        return [replace(step, assertion=_violated_by_all())]
    parts = with_one_aggregate(step)
    if isinstance(parts, Diagnostic):
        return parts
    return [replace(part, assertion=_in_core(part)) for part in parts]


def _with_bounds(step: tree.Requirement) -> tree.Requirement:
    """The step with a RANDOM of the core in place of an urn that it can express."""
    action = walk.step_of(step)
    match action:
        case tree.Draw():
            return replace(step, action=core_actions.random(action))
        case None | tree.Reject() | tree.Replace() | tree.Random() | tree.Generalize():
            return step
        case tree.Drop() | tree.Sometimes():
            raise AssertionError("a step with it is refused before")
        case _:
            assert_never(action)


def _refusal(step: tree.Requirement) -> Diagnostic | None:
    action = walk.step_of(step)
    match action:
        case tree.Drop():
            reason = "no action of the paper removes a column"
            return impossible("`DROP`", action.span, reason, "leave the column out of the table instead")
        case tree.Generalize():
            if walk.assertion_of(step) is None:
                return None
            reason = "a REPLACE for one label could change which records violate the assertion"
            return impossible("`GENERALIZE` under an assertion", action.span, reason)
        case tree.Draw():
            if core_actions.random(action) is not None:
                return None
            reason = "the paper draws integers between two bounds, each with the same probability"
            return impossible("`RANDOM … FROM`", action.span, reason)
        case tree.Sometimes():
            reason = "every action of the paper is performed on the whole affected bag"
            return impossible("`WITH PROBABILITY`", action.span, reason)
        case None | tree.Reject() | tree.Replace() | tree.Random():
            return None
        case _:
            assert_never(action)


def _in_core(requirement: tree.Requirement) -> tree.Assertion:
    assertion = walk.assertion_of(requirement)
    assert assertion is not None, "ALWAYS is rewritten before"
    return in_core(assertion)


def _violated_by_all() -> tree.Assertion:
    """ALWAYS: all records are one class, and no class is empty. It is about no column, so no type matters."""
    count = tree.Process(tree.Aggregate(tree.Function.COUNT), tree.Name("Records"))
    none = tree.Comparison(tree.Name("Records"), Operator.LT, tree.Number(Decimal(1)))
    return tree.Assertion(Quantifier.EACH, count, none)
