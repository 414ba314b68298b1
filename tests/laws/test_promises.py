"""D33: `after` is what `semantics` says of each assertion about the output of `semantics`, and null where it says so.

The oracle reads the policy's tree, not the checked program, so that it shares no decision with `prove.promises`."""

from collections.abc import Iterator
from random import Random

import pytest

import acompass
from acompass.language.program.checker import check
from acompass.language.program.types import Schema
from acompass.language.text import tree
from acompass.language.text.parser import parse_text
from acompass.language.text.walk import core, parameter_names
from acompass.prove.promises import prove_promises
from acompass.semantics import core as semantics
from acompass.testing.conformance.cases import Case, random_case
from tests.folding import folded
from tests.generators.strategies import with_typed_columns
from tests.laws.reading import refusals
from tests.laws.test_differential_duckdb import arrow_table
from tests.length import at_length

NOTHING = semantics.trace_of_values([])


def expected_after(case: Case) -> list[bool | None]:
    """For each requirement, whether its assertion holds for the output; None if nothing is promised."""
    policy, _ = parse_text(case.policy_text)
    program = case.program()
    left = semantics.run_program(program, case.records, semantics.trace_of_values(case.trace)).records
    found: list[bool | None] = []
    pseudonymous = _pseudonymous(policy, program.schema)
    for at, requirement in enumerate(policy.requirements):
        steps = _steps(requirement)
        later = [_certain(step) for other in policy.requirements[at + 1 :] for step in _steps(other)]
        assertion = requirement.assertion
        answer = None
        if left and isinstance(assertion, tree.Assertion) and _is_promised(assertion, steps, program.schema):
            generalized = {_key(step.name, program.schema) for step in later if _writes_labels(step)}
            if not (generalized | pseudonymous) & {_key(name, program.schema) for name in _compared(assertion)}:
                answer = _holds(case, assertion, program.final_schema, left)
        found += [answer] * max(1, len(steps))
    return found


def _pseudonymous(policy: tree.Program, schema: Schema) -> set[str]:
    """The columns that have pseudonyms in the end (X15)."""
    found: set[str] = set()
    for requirement in policy.requirements:
        for step in _steps(requirement):
            if isinstance(_certain(step), tree.Pseudonym):
                found.add(_key(_certain(step).name, schema))
            elif isinstance(requirement.assertion, tree.Always) and isinstance(step, OVERWRITING):
                found.discard(_key(step.name, schema))
    return found


OVERWRITING = (tree.Replace, tree.Random, tree.Draw)


def _writes_labels(step: tree.Action) -> bool:
    return isinstance(step, tree.Generalize) and not isinstance(step.map, tree.Nearest)


def _steps(requirement: tree.Requirement) -> list[tree.Action]:
    """The actions of a requirement, one for each step."""
    action = requirement.action
    return [] if action is None else list(action.steps) if isinstance(action, tree.Then) else [action]


def _certain(step: tree.Action) -> tree.Action:
    return step.action if isinstance(step, tree.Sometimes) else step


def _is_promised(assertion: tree.Assertion, steps: list[tree.Action], schema: Schema) -> bool:
    read = {_key(name, schema) for name in (*_compared(assertion), *_counted(assertion))}
    return not steps or any(
        isinstance(step, tree.Reject) or any(_key(name, schema) in read for name in _written(step)) for step in steps
    )


def _written(step: tree.Action) -> tuple[tree.Name, ...]:
    match step:
        case tree.Shift():
            return step.names
        case tree.Reject() | tree.Drop() | tree.Sometimes() | tree.Then():
            return ()
        case _:
            return (step.name,)


def _key(name: tree.Name, schema: Schema) -> str:
    """The column that a name means (D3)."""
    exact = [column.name for column in schema if column.name == name.text]
    return (exact or [column.name for column in schema if column.name.casefold() == name.text.casefold()])[0]


def _compared(assertion: tree.Assertion) -> Iterator[tree.Name]:
    """The columns of the table whose values the assertion compares, or aggregates other than by counting."""
    result = assertion.result
    match result:
        case tree.Result():
            yield from _names(assertion.condition)
        case tree.Filter():
            yield from (*_names(assertion.condition), *_names(result.condition))
        case tree.Process():
            if result.where is not None:
                yield from _names(result.where)
            grouped = {name.text.casefold(): name for name in result.group_by}
            yield from (grouped[n.text.casefold()] for n in _names(assertion.condition) if n.text.casefold() in grouped)
            for each in result.aggregates:
                if each.aggregate.file is not None:
                    yield from result.group_by
                elif each.aggregate.column is not None and each.aggregate.function in _OF_VALUES:
                    yield each.aggregate.column


_OF_VALUES = (tree.Function.SUM, tree.Function.MIN, tree.Function.MAX, tree.Function.SHARE_OF_LARGEST)


def _counted(assertion: tree.Assertion) -> Iterator[tree.Name]:
    if isinstance(assertion.result, tree.Process):
        yield from assertion.result.group_by
        own = (each.aggregate for each in assertion.result.aggregates if each.aggregate.file is None)
        yield from (each.column for each in own if each.column is not None)


def _names(condition: tree.Condition) -> Iterator[tree.Name]:
    written = core(condition)
    match written:
        case tree.Comparison():
            yield written.name
        case tree.Not():
            yield from _names(written.operand)
        case tree.And() | tree.Or():
            for operand in written.operands:
                yield from _names(operand)


def _holds(case: Case, assertion: tree.Assertion, schema: Schema, left: list[semantics.Record]) -> bool | None:
    """The verdict of `semantics` on the assertion as a policy of its own; None if it does not fit the output."""
    alone = tree.Program((tree.Requirement(assertion, None, assertion.span),), (), assertion.span)
    own = {name: value for name, value in case.params.items() if name in parameter_names(alone)}
    program, _ = check(alone, case.policy_text, schema, own)
    if program is None:
        return None
    return semantics.perform_requirement(program.requirements[0], left, NOTHING)[2].holds


@pytest.mark.campaign
@folded("seed", range(at_length(60)))
def test_what_is_proved_holds_and_the_rest_is_checked(seed: int) -> None:
    """A proof is never false; every promise is proved or checked, and nothing else is."""
    case = random_case(Random(f"promises {seed}"))
    policy, _ = parse_text(case.policy_text)
    program = case.program()
    promises = prove_promises(policy, case.policy_text, program, case.params)
    expected = expected_after(case)
    left = semantics.run_program(program, case.records, semantics.trace_of_values(case.trace)).records
    if not left:
        return
    found: list[bool | None] = [None] * len(program.requirements)
    for promise in promises.proved:
        found[promise.steps.start : promise.steps.stop] = [True] * len(promise.steps)
    for promise, requirement in promises.checks:
        holds = semantics.perform_requirement(requirement, left, NOTHING)[2].holds
        found[promise.steps.start : promise.steps.stop] = [holds] * len(promise.steps)
    assert found == expected, case.policy_text


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
@pytest.mark.campaign
@folded("seed", range(at_length(6)))
def test_a_run_says_what_holds_for_its_output(seed: int, engine: str) -> None:
    case = with_typed_columns(random_case(Random(f"output {seed}")))
    if refusals(case):
        return
    table, expected = arrow_table(case), expected_after(case)
    options = {"params": case.params, "trace": case.trace, "engine": engine, "key": case.key}
    try:
        result = acompass.run(case.policy_text, table, **options)
    except acompass.TableError as error:
        if error.diagnostics[0].code == "AC211":  # with all digits after the point, a number needs more than 38
            return
        raise
    after = [each.after for each in result.requirements]
    assert [None if word is None else word != "violated" for word in after] == expected
    checks = [each.holds for each in result.requirements if each.action is None]
    assert result.ok == (False not in checks and "violated" not in after)
    planned = acompass.plan(case.policy_text, table, **options)
    assert [each.after for each in planned.result.requirements] == after
    assert planned.result.ok == result.ok
    with acompass.open(table, engine=options.pop("engine")) as session:
        assert [each.after for each in session.preview(case.policy_text, **options).requirements] == after
