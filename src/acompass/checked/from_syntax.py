"""A tree and a table's schema to a checked program, or to everything that is wrong with the policy for it."""

from bisect import bisect_left
from collections.abc import Mapping

from acompass.checked import program
from acompass.checked.actions import check_action
from acompass.checked.conditions import check_condition
from acompass.checked.parameters import Parameters, ParamValue
from acompass.checked.results import check_result
from acompass.checked.state import State
from acompass.checked.types import Schema
from acompass.diagnostics import Diagnostic
from acompass.syntax import tree
from acompass.syntax.collection import without_collection


@without_collection()
def check(
    policy: tree.Program, source: str, schema: Schema, params: Mapping[str, ParamValue] | None = None
) -> tuple[program.Program | None, tuple[Diagnostic, ...]]:
    """The checked program, None if there is an error, and every finding in order of place."""
    state = State.start(schema, Parameters(params or {}))
    places = _Places(source)
    requirements = tuple(
        _requirement(index, requirement, places, state)
        for index, requirement in enumerate(policy.requirements, start=1)
    )
    sound = tuple(requirement for requirement in requirements if requirement is not None)
    found = (*sorted(state.found, key=_place), *state.parameters.problems())
    if found:
        return None, found
    assert len(sound) == len(requirements), "a requirement failed without a finding"
    return program.Program(schema, sound, frozenset(state.named)), ()


class _Places:
    """Lines and text of requirements in the policy's source."""

    def __init__(self, source: str):
        self._source = source
        self._newlines = [place for place, letter in enumerate(source) if letter == "\n"]

    def line(self, requirement: tree.Requirement) -> int:
        return bisect_left(self._newlines, requirement.span.start) + 1

    def text(self, requirement: tree.Requirement) -> str:
        span = requirement.span
        return self._source[span.start : span.end].removesuffix(";").rstrip()


def _place(finding: Diagnostic) -> int:
    return finding.labels[0].span.start


def _requirement(
    index: int, requirement: tree.Requirement, places: _Places, state: State
) -> program.Requirement | None:
    before = state.schema
    assertion = _assertion(requirement.assertion, state)
    action = None if requirement.action is None else check_action(requirement.action, state)
    if assertion is None or (action is None) != (requirement.action is None):
        return None
    return program.Requirement(
        index, places.line(requirement), places.text(requirement), assertion, action, before, state.schema
    )


def _assertion(assertion: tree.Assertion, state: State) -> program.Assertion | None:
    result, view = check_result(assertion.result, state)
    condition = check_condition(assertion.condition, view, state)
    if result is None or condition is None:
        return None
    return program.Assertion(assertion.quantifier, result, condition)
