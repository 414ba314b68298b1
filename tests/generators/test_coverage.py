"""The random cases, on which the laws rely, cover the whole language."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import chain

import pytest

from acompass.language.program.effects import (
    draws,
    effect_of,
    is_always,
    is_certain,
    kernel_of,
    map_of,
    outcome_cuts,
    probability_of,
    type_changes,
    write_of,
)
from acompass.language.program.kernels import Shift, UnfitValueError, Weighted
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import Action, And, Condition, Filter, Not, Or, Process, Requirement
from acompass.language.program.types import Kind
from acompass.language.text.tree import Function
from acompass.semantics.core import run_program, trace_of_values
from acompass.testing.conformance.cases import Case, random_case
from acompass.testing.conformance.policies import KINDS

pytestmark = pytest.mark.slow


@cache
def _cases() -> list[Case]:
    return [random_case(random.Random(seed)) for seed in range(1500)]


def test_the_same_seed_gives_the_same_case() -> None:
    again = random_case(random.Random(7))
    assert (again.policy_text, again.schema, repr(again.records)) == (
        _cases()[7].policy_text,
        _cases()[7].schema,
        repr(_cases()[7].records),
    )


def test_every_feature_occurs_often() -> None:
    seen = Counter(chain.from_iterable(map(_features, _cases())))
    expected = {
        *("EACH", "SOME", "Result", "Filter", "Process", "where", "groups", "one group"),
        *("Not", "And", "Or", "Remove", "Constant", "Uniform", "no action", "type change", "parameter"),
        *(f"holds {held} {result}" for held in (True, False) for result in ("Result", "Filter", "Process")),
        *("Nearest", "Pseudonym", "Shift", "AddRandom", "Microaggregate", "text shifted"),
        *("Labels", "Project", "Bands", "Prefix", "Dates", "Level", "always", "several aggregates"),
        *("THEN", "IN", "BETWEEN", "LIKE", "!=", "<>"),
        *("part affected", "empty table", "missing value", "second line draws"),
        *(
            "Weighted",
            "huge weights",
            "equal weights",
            "different weights",
            "many constants",
            "constant changes type",
        ),
        *("Sometimes", "many digits", "chance changes type", "value at a cut"),
        *(
            f"Sometimes {form}"
            for form in ("Remove", "Constant", "Uniform", "Weighted", "Labels", "Nearest", "Pseudonym")
        ),
        *(f"Sometimes after {form}" for form in ("always", "EACH", "SOME", "Result", "Filter", "Process")),
        *Function,
        *KINDS,
    }
    rare = {feature: seen[feature] for feature in expected if seen[feature] < 25}
    assert not rare
    assert seen["two columns shifted"] >= 10


def test_random_outcomes_are_in_about_a_third_of_the_policies() -> None:
    forms = [{_form(each.action) for each in case.program().requirements} for case in _cases()]
    for form in ("Sometimes", "Weighted"):
        assert 0.2 < sum(form in found for found in forms) / len(forms) < 0.45


def test_decimals_have_every_width_and_scale() -> None:
    stored = [
        (case.digits[column.name], column.type.scale)
        for case in _cases()
        for column in case.schema
        if column.name in case.digits
    ]
    assert {digits for digits, _ in stored} == set(range(1, 39))
    assert {scale for _, scale in stored} == set(range(39))
    assert any(digits == scale for digits, scale in stored)


def test_runs_stop_at_unfit_values() -> None:
    cases = [random_case(random.Random(seed), stops=True) for seed in range(400)]
    stopped = 0
    for case in cases:
        with suppress(UnlabeledValueError):
            try:
                run_program(case.program(), case.records, trace_of_values(case.trace))
            except UnfitValueError:
                stopped += 1
    assert stopped > 4


def test_kinds_can_be_chosen() -> None:
    cases = [random_case(random.Random(seed), kinds=(Kind.TEXT, Kind.DATE)) for seed in range(50)]
    assert {column.type.kind for case in cases for column in case.schema} == {Kind.TEXT, Kind.DATE}


def _features(case: Case) -> Iterator[str]:
    program = case.program()
    outcome = run_program(program, case.records, trace_of_values(case.trace))
    for requirement, verdict in zip(program.requirements, outcome.requirements, strict=True):
        yield from _requirement_features(requirement)
        yield f"holds {verdict.holds} {type(requirement.assertion.result).__name__}"
        yield "part affected" if 0 < verdict.affected < verdict.records else "all or none affected"
    drawing = [
        requirement
        for requirement, verdict in zip(program.requirements, outcome.requirements, strict=True)
        if draws(requirement.action) and verdict.affected
    ]
    yield from ["second line draws"] * (len(drawing) > 1)
    cuts = {cut for requirement in drawing for cut in outcome_cuts(requirement.action)}
    yield from ["value at a cut"] * bool(cuts & {*case.trace[: outcome.trace_used]})
    yield from ["empty table"] * (not case.records)
    yield from (w for w in ("THEN", "IN", "BETWEEN", "LIKE", "!=", "<>") if f" {w} " in case.policy_text)
    yield from ["parameter"] * len(case.params)
    yield from (column.type.kind for column in case.schema)
    yield from ("missing value" for record in case.records if None in record)


def _requirement_features(requirement: Requirement) -> Iterator[str]:
    assertion = requirement.assertion
    yield assertion.quantifier
    yield type(assertion.result).__name__
    yield _form(requirement.action)
    yield from ["type change"] * (requirement.before != requirement.after)
    yield from ["always"] * is_always(requirement)
    map_ = map_of(requirement.action)
    if map_ is not None:
        yield type(map_).__name__
    yield from _random_features(requirement)
    yield from _shift_features(requirement)
    yield from _connectives(assertion.condition)
    match assertion.result:
        case Filter(condition):
            yield from _connectives(condition)
        case Process() as query:
            yield from (aggregate.function for aggregate in query.aggregates)
            yield from ["several aggregates"] * (len(query.aggregates) > 1)
            yield "groups" if query.group_by else "one group"
            yield from ["where"] * (query.where is not None)


def _form(action: Action | None) -> str:
    return _form_performed(action) if is_certain(action) else "Sometimes"


def _form_performed(action: Action | None) -> str:
    return "no action" if action is None else type(kernel_of(action) or effect_of(action)).__name__


def _random_features(requirement: Requirement) -> Iterator[str]:
    kernel, probability = kernel_of(requirement.action), probability_of(requirement.action)
    if probability is not None:
        assertion = requirement.assertion
        yield f"Sometimes {_form_performed(requirement.action)}"
        yield from ["Sometimes after always"] * is_always(requirement)
        yield f"Sometimes after {assertion.quantifier}"
        yield f"Sometimes after {type(assertion.result).__name__}"
        yield from ["many digits"] * (probability.denominator > 2**64)
        yield from ["chance changes type"] * bool(type_changes(requirement))
    if isinstance(kernel, Weighted):
        weights = [each.weight for each in kernel.values]
        yield from ["huge weights"] * (max(weights) > 2**64)
        yield "equal weights" if len(set(weights)) == 1 else "different weights"
        yield from ["many constants"] * (len(weights) > 8)
        yield from ["constant changes type"] * bool(type_changes(requirement))


def _shift_features(requirement: Requirement) -> Iterator[str]:
    write = write_of(requirement.action)
    if write is not None and isinstance(write.kernel, Shift):
        yield from ["two columns shifted"] * (len(write.columns) > 1)
        yield from ["text shifted"] * any(requirement.before[i].type.kind is Kind.TEXT for i in write.columns)


def _connectives(condition: Condition) -> Iterator[str]:
    match condition:
        case Not(operand):
            yield "Not"
            yield from _connectives(operand)
        case And(operands) | Or(operands):
            yield type(condition).__name__
            yield from chain.from_iterable(map(_connectives, operands))
