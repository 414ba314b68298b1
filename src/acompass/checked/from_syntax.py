"""A tree and a table's schema to a checked program, or to all errors of the policy for that schema."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from acompass.checked import program
from acompass.checked.actions import check_action
from acompass.checked.conditions import check_condition
from acompass.checked.parameters import Parameters, ParamValue
from acompass.checked.results import check_result
from acompass.checked.scope import Scope
from acompass.checked.types import Schema
from acompass.diagnostics import Diagnostic, Span
from acompass.diagnostics.fixing import with_sound_fixes
from acompass.diagnostics.source import Source
from acompass.syntax import tree
from acompass.syntax.collection import without_collection
from acompass.syntax.format import format_requirement
from acompass.syntax.tree import place_of


@without_collection()
def check(
    policy: tree.Program, source: str, schema: Schema, params: Mapping[str, ParamValue] | None = None
) -> tuple[program.Program | None, tuple[Diagnostic, ...]]:
    """The checked program, or None if there are errors, and all errors in the order of the text.

    `source` is the text that the tree was parsed from; for a tree that was built in code it may be empty.
    """
    scope = Scope.start(schema, Parameters(params or {}))
    lines = Source(source)
    checked = tuple(
        _requirement(index, requirement, lines, scope)
        for index, requirement in enumerate(policy.requirements, start=1)
    )
    sound = tuple(requirement for requirement in checked if requirement is not None)
    if found := _errors(scope):
        comments = [comment.span for comment in policy.comments]
        return None, tuple(with_sound_fixes(error, source, comments) for error in found)
    assert len(sound) == len(checked), "a requirement failed without an error"
    return program.Program(schema, _with_texts(sound, policy), frozenset(scope.named)), ()


def _errors(scope: Scope) -> tuple[Diagnostic, ...]:
    in_order = sorted(scope.found, key=lambda error: error.labels[0].span.start)
    return (*map(_without_unknown_places, in_order), *scope.parameters.problems())


def _without_unknown_places(error: Diagnostic) -> Diagnostic:
    labels = tuple(label for label in error.labels if place_of(label.span) is not None)
    return error if len(labels) == len(error.labels) else replace(error, labels=labels)


def _requirement(
    index: int, requirement: tree.Requirement, source: Source, scope: Scope
) -> program.Requirement | None:
    before = scope.schema
    assertion = _assertion(requirement.assertion, scope)
    action = None if requirement.action is None else check_action(requirement.action, scope)
    if assertion is None or (action is None) != (requirement.action is None):
        return None
    span = place_of(requirement.span)
    line, text = _line_and_text(source, span)
    return program.Requirement(index, line, text, assertion, action, before, scope.schema, span)


def _assertion(assertion: tree.Assertion, scope: Scope) -> program.Assertion | None:
    result, view = check_result(assertion.result, scope)
    condition = check_condition(assertion.condition, view, scope)
    if result is None or condition is None:
        return None
    schema = scope.schema if view.is_table else view.schema
    return program.Assertion(assertion.quantifier, result, condition, schema, place_of(assertion.span))


def _line_and_text(source: Source, span: Span | None) -> tuple[int, str]:
    """A requirement's line and its text without the semicolon; `_with_texts` fills them in without a span."""
    if span is None:
        return 0, ""
    line, _ = source.position(span.start)
    return line, source.text[span.start : span.end].removesuffix(";").rstrip()


def _with_texts(
    requirements: tuple[program.Requirement, ...], policy: tree.Program
) -> tuple[program.Requirement, ...]:
    """Give requirements without a span the line and text that they have in the formatted policy."""
    if all(requirement.span is not None for requirement in requirements):
        return requirements
    return tuple(
        requirement if requirement.span is not None else replace(requirement, line=line, text=text)
        for requirement, (line, text) in zip(requirements, _formatted(policy), strict=True)
    )


def _formatted(policy: tree.Program) -> Iterator[tuple[int, str]]:
    line = 1
    for requirement in policy.requirements:
        text = format_requirement(requirement)
        yield line, text.removesuffix(";")
        line += text.count("\n") + 2  # blocks are separated by an empty line
