"""Every stage rejects a node that it does not know with an exception (invariant 8).

The unknown nodes have the fields of known ones, so that no stage rejects them only because a field is missing."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from typing import Any

import pytest

from acompass.explain.algebra_text import to_algebra
from acompass.explain.lives import Follower
from acompass.language.program import effects
from acompass.language.program.checker import check
from acompass.language.program.kernels import Writing
from acompass.language.program.program import Action, Program, Requirement, Verdict, Write
from acompass.language.program.types import INTEGER, TEXT, Column
from acompass.language.program.uses import uses
from acompass.language.text import tree, walk
from acompass.language.text.formatter import format_requirement
from acompass.language.text.parser import parse_text
from acompass.plan.planner import REWRITES, look_up_values, merge_chains, plan, share_aggregations
from acompass.plan.run.context import Context, GivenTrace
from acompass.plan.run.execution import execute
from acompass.plan.run.statements import DIALECTS, dry_run
from acompass.plan.stages import ChainStage, Combination, GroupStage, RecordStage, Stage, describe, simulate
from acompass.prove.search.verdicts import prove_policy
from acompass.reason.lint.linter import lint_policy
from acompass.semantics import core
from acompass.testing.conformance import differential
from acompass.testing.conformance.comparison import upload_records
from tests.generators.strategies import parse_and_check
from tests.plan.fixtures import duckdb_session

REJECTION = (AssertionError, TypeError)
SCHEMA = (Column("Age", INTEGER), Column("Zip", TEXT))
RECORDS: list[tuple[Any, ...]] = [(81, "21201"), (81, "21202"), (30, "21201")]

RECORD_LEVEL = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
CLASS_LEVEL = "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 2 : REPLACE Age WITH 80;"


@dataclass(frozen=True)
class UnknownInTree:
    """An action, a condition or a result of a tree."""

    name: tree.Name
    constant: tree.Constant
    span: Any
    operator: Any = tree.Operator.LE
    operands: tuple[()] = ()
    condition: Any = None
    where: None = None
    group_by: tuple[()] = ()


@dataclass(frozen=True)
class UnknownInProgram:
    """An effect, a condition or a result of a checked program."""

    column: int = 0
    value: int = 80
    lower: int = 0
    upper: int = 80
    operator: Any = tree.Operator.LE
    operands: tuple[()] = ()
    condition: Any = None
    where: None = None
    group_by: tuple[int, ...] = ()
    type: Any = INTEGER
    name: str = "n"
    function: Any = tree.Function.COUNT


UNKNOWN: Any = UnknownInProgram()


@dataclass(frozen=True)
class AddOne(Writing):
    """A kernel that answers every question, and that no stage knows: it adds one to a number."""

    keyword = "REPLACE"
    deed = "adds one to"
    noun = "number"
    change = "rewrites"
    draws = False
    reads_value = True
    is_function = True

    def listed_values(self) -> None: ...

    def outcomes(self, value: Any, type_: Any) -> Iterator[tuple[Any, Fraction]]:
        yield value + 1, Fraction(1)

    def integers(self) -> None: ...

    def in_lowest_terms(self) -> Any:
        return self

    def label_map(self) -> None: ...

    def trace_cuts(self) -> tuple[Fraction, ...]:
        return ()

    def trace_value(self, value: Any) -> Fraction:
        return Fraction(0)

    def typical_trace_values(self, most: int) -> list[Fraction]:
        return []

    def texts_after(self, texts: Iterable[str], type_: Any) -> tuple[str, ...]:
        return tuple(str(int(text) + 1) for text in texts)

    def known_texts(self) -> tuple[str, ...]:
        return ()

    def examples(self, values: Iterable[Any], type_: Any) -> list[Any]:
        return [value + 1 for value in values]


KERNEL: Any = AddOne()

Change = Callable[[Any, Any], Any]


def _in_action(requirement: Any, unknown: Any) -> Any:
    """In a tree, or as the effect of an action of a checked program."""
    if isinstance(requirement, tree.Requirement):
        return replace(requirement, action=unknown)
    return replace(requirement, action=Action(unknown))


def _in_chance(requirement: Any, unknown: Any) -> Any:
    """After WITH PROBABILITY, in a tree or in a checked program."""
    if isinstance(requirement, tree.Requirement):
        return replace(requirement, action=tree.Sometimes(tree.Number(Decimal("0.5")), unknown))
    return replace(requirement, action=Action(unknown, Fraction(1, 2)))


def _in_kernel(requirement: Any, _: Any) -> Any:
    """In a checked program; the kernels of a tree are its actions."""
    return replace(requirement, action=Action(Write(0, KERNEL)))


def _in_condition(requirement: Any, unknown: Any) -> Any:
    return replace(requirement, assertion=replace(requirement.assertion, condition=unknown))


def _in_result(requirement: Any, unknown: Any) -> Any:
    return replace(requirement, assertion=replace(requirement.assertion, result=unknown))


PLACES = {
    "action": _in_action,
    "kernel": _in_kernel,
    "action with a probability": _in_chance,
    "condition": _in_condition,
    "result": _in_result,
}


#: places that a stage rejects even if it only asks `effects`; a kernel answers these questions itself
ASKED = {name: place for name, place in PLACES.items() if place is not _in_kernel}


@pytest.fixture(params=ASKED)
def change_asked(request: pytest.FixtureRequest) -> Change:
    return ASKED[request.param]


@pytest.fixture(params=PLACES)
def change(request: pytest.FixtureRequest) -> Change:
    return PLACES[request.param]


@pytest.fixture(params=[RECORD_LEVEL, CLASS_LEVEL], ids=["record level", "class level"])
def policy(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _parse(policy: str) -> tree.Program:
    program, findings = parse_text(policy)
    assert not findings
    return program


def _with_unknown_node(policy: str, change: Change) -> tree.Program:
    program = _parse(policy)
    (requirement,) = program.requirements
    action: Any = requirement.action
    if change is _in_kernel:  # a tree has no kernels
        change = _in_action
    unknown = UnknownInTree(action.name, action.constant, requirement.assertion.condition.span)
    return replace(program, requirements=(change(requirement, unknown),))


def _with_unknown(policy: str, change: Change) -> Program:
    program = parse_and_check(policy, SCHEMA)
    return replace(program, requirements=tuple(change(r, UNKNOWN) for r in program.requirements))


def _requirement(policy: str, change: Change) -> Requirement:
    (requirement,) = _with_unknown(policy, change).requirements
    return requirement


STAGES_OF_A_TREE: dict[str, Callable[[tree.Program, str], Any]] = {
    "fmt": lambda program, _: [format_requirement(each) for each in program.requirements],
    "check": lambda program, text: check(program, text, SCHEMA),
    "uses": lambda program, _: uses(program, ["Age", "Zip"]),
    "algebra": to_algebra,
    "prove": prove_policy,
    "prove with a schema": lambda program, text: prove_policy(program, text, schema={"Age": "integer", "Zip": "text"}),
    "lint": lint_policy,
}


@pytest.mark.parametrize("stage", STAGES_OF_A_TREE)
def test_a_stage_that_reads_a_tree_rejects_an_unknown_node(stage: str, policy: str, change: Change) -> None:
    program = _with_unknown_node(policy, change)
    with pytest.raises(REJECTION):
        STAGES_OF_A_TREE[stage](program, policy)


@pytest.mark.parametrize("change_of_action", [_in_action, _in_chance])
def test_the_walk_over_trees_rejects_an_unknown_node(change_of_action: Change) -> None:
    (with_action,) = _with_unknown_node(RECORD_LEVEL, change_of_action).requirements
    (with_condition,) = _with_unknown_node(RECORD_LEVEL, _in_condition).requirements
    (with_result,) = _with_unknown_node(RECORD_LEVEL, _in_result).requirements
    for ask in (
        lambda: walk.written_names(with_action.action),
        lambda: walk.drawn_names(with_action.action),
        lambda: walk.draw_in(with_action.action),
        lambda: walk.generalize_in(with_action.action),
        lambda: list(walk.constants(with_action)),
        lambda: list(walk.beyond(with_action)),
        lambda: list(walk.comparisons(with_condition.assertion.condition)),
        lambda: list(walk.record_conditions(with_result)),
        lambda: walk.process_of(with_result),
    ):
        with pytest.raises(REJECTION):
            ask()


@pytest.mark.parametrize("place", ["condition", "result"])
def test_shrinking_rejects_an_unknown_node(place: str) -> None:
    program = _with_unknown_node(RECORD_LEVEL, PLACES[place])
    with pytest.raises(REJECTION):
        list(differential._edits(RECORD_LEVEL, program))


@contextmanager
def _running() -> Iterator[tuple[Context, Any]]:
    with duckdb_session() as session:
        yield Context(session, GivenTrace(())), upload_records(session, SCHEMA, RECORDS)


def _run_on_duckdb(program: Program, rewrites: Any) -> None:
    with _running() as (context, state):
        execute(context, state, plan(program, rewrites))


STAGES_OF_A_PROGRAM: dict[str, Callable[[Program], Any]] = {
    "semantics": lambda program: core.run_program(program, RECORDS, core.trace_of_seed("s")),
    "run": lambda program: _run_on_duckdb(program, REWRITES),
    "run without rewrites": lambda program: _run_on_duckdb(program, ()),
    **{f"dry run in {dialect}": lambda program, dialect=dialect: dry_run(program, dialect) for dialect in DIALECTS},
}


@pytest.mark.parametrize("stage", STAGES_OF_A_PROGRAM)
def test_a_stage_that_performs_a_program_rejects_an_unknown_node(stage: str, policy: str, change: Change) -> None:
    with pytest.raises(REJECTION):
        STAGES_OF_A_PROGRAM[stage](_with_unknown(policy, change))


@pytest.mark.parametrize("stage", ["run", "run without rewrites"])
def test_an_unknown_action_is_rejected_even_if_it_affects_no_record(stage: str) -> None:
    program = _with_unknown("EACH RESULT : Age <= 100 : REPLACE Age WITH 80;", _in_action)
    with pytest.raises(REJECTION):
        STAGES_OF_A_PROGRAM[stage](program)


QUESTIONS: dict[str, Callable[[Requirement], Any]] = {
    "columns written": lambda requirement: effects.written_by(requirement.action),
    "removes records": lambda requirement: effects.removes_records(requirement.action),
    "draws": lambda requirement: effects.draws(requirement.action),
    "columns touched": effects.columns_touched,
    "name of the action": lambda requirement: effects.action_name(requirement.action),
}


#: an action with a probability always consumes the trace
_ANSWERED = {("draws", _in_chance)}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("place", [_in_action, _in_chance])
def test_a_question_about_an_unknown_action_is_rejected(question: str, place: Change) -> None:
    requirement = _requirement(RECORD_LEVEL, place)
    if (question, place) in _ANSWERED:
        assert QUESTIONS[question](requirement)
        return
    with pytest.raises(REJECTION):
        QUESTIONS[question](requirement)


@pytest.mark.parametrize("place", ["condition", "result"])
def test_a_question_about_the_columns_that_an_unknown_node_reads_is_rejected(place: str) -> None:
    with pytest.raises(REJECTION):
        effects.columns_read(_requirement(RECORD_LEVEL, PLACES[place]))


def _stages(policy: str, change: Change) -> tuple[Stage, ...]:
    """Two stages that rewrites could merge."""
    requirement = _requirement(policy, change)
    make = RecordStage if policy is RECORD_LEVEL else lambda each: GroupStage((each,))
    return make(requirement), make(replace(requirement, index=2))


#: places in a chain of REPLACEs, which never merges an action with a probability
PLACES_IN_A_CHAIN = ("action", "condition", "result")


@pytest.mark.parametrize("place", PLACES_IN_A_CHAIN)
def test_merge_chains_rejects_an_unknown_node(place: str) -> None:
    with pytest.raises(REJECTION):
        merge_chains(_stages(RECORD_LEVEL, PLACES[place]))


@pytest.mark.parametrize("place", ["action", "result"])
def test_share_aggregations_rejects_an_unknown_node(place: str) -> None:
    """The rewrite does not look at the condition: it does not change the classes."""
    with pytest.raises(REJECTION):
        share_aggregations(_stages(CLASS_LEVEL, PLACES[place]))


@pytest.mark.parametrize("place", PLACES_IN_A_CHAIN)
def test_every_use_of_a_chain_rejects_an_unknown_node(place: str) -> None:
    requirement = _requirement(RECORD_LEVEL, PLACES[place])
    chain = ChainStage((requirement, replace(requirement, index=2)), (0,))
    for use in (
        lambda: look_up_values((chain,)),
        lambda: describe(chain, SCHEMA),
        lambda: simulate(chain.requirements, chain.columns, [Combination((0,), 3)]),
    ):
        with pytest.raises(REJECTION):
            use()


def test_a_shared_aggregation_rejects_an_unknown_node(change_asked: Change) -> None:
    first, second = _stages(CLASS_LEVEL, change_asked)
    with _running() as (context, state), pytest.raises(REJECTION):
        execute(context, state, [GroupStage((*first.requirements, *second.requirements))])


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda rewrite: rewrite.__name__)
def test_no_rewrite_merges_an_unknown_node(
    rewrite: Callable[[tuple[Stage, ...]], tuple[Stage, ...]], policy: str, change_asked: Change
) -> None:
    stages = _stages(policy, change_asked)
    try:
        rewritten = rewrite(stages)
    except REJECTION:
        return
    assert [stage.requirements for stage in rewritten] == [stage.requirements for stage in stages]


@pytest.mark.parametrize("judge", [prove_policy, lint_policy], ids=["prove", "lint"])
def test_proving_and_linting_reject_an_unknown_node(
    judge: Callable[..., Any], policy: str, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _with_unknown(policy, change)
    monkeypatch.setattr(import_module("acompass.prove.search.verdicts"), "check", lambda *_: (program, []))
    with pytest.raises(REJECTION):
        judge(_parse(policy), policy)


@pytest.mark.parametrize("place", ASKED)
def test_following_a_record_rejects_an_unknown_node(place: str) -> None:
    program = _with_unknown(RECORD_LEVEL, PLACES[place])
    follower = Follower(_parse(RECORD_LEVEL), program, dict(enumerate(RECORDS)))
    with _running() as (context, state):
        context.verdicts[1] = Verdict(False, 2, 3)
        with pytest.raises(REJECTION):
            follower(context, RecordStage(program.requirements[0]), state, state)


def test_an_unknown_result_has_no_schema() -> None:
    requirement = _requirement(RECORD_LEVEL, _in_result)
    with pytest.raises(REJECTION):
        core.result_schema(requirement.assertion.result, requirement.before)
