"""Shrink a disagreement: remove parts of the policy, records and columns, one by one, as long as the
remaining case is valid and still disagrees."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias, assert_never

from acompass.checked.from_syntax import check
from acompass.conformance.compare import Disagreement
from acompass.conformance.generate import Case
from acompass.syntax import tree as syntax
from acompass.syntax.parse import parse
from acompass.syntax.walk import assertion_of, draw_of, operands, plain_of, step_of, steps_of

Judge: TypeAlias = Callable[[Case], Disagreement | None]

#: the start and the end of a piece of the policy's text, and its replacement
Edit: TypeAlias = tuple[int, int, str]


def shrunk(disagreement: Disagreement, judge: Judge) -> Disagreement:
    while (smaller := _first_smaller(disagreement.case, judge)) is not None:
        disagreement = smaller
    return disagreement


def _first_smaller(case: Case, judge: Judge) -> Disagreement | None:
    for candidate in _smaller(case):
        if _is_case(candidate) and (found := judge(candidate)) is not None:
            return found
    return None


def _smaller(case: Case) -> Iterator[Case]:
    tree, _ = parse(case.policy_text)
    for start, end, text in _edits(case.policy_text, tree):
        yield _with_policy(case, case.policy_text[:start] + text + case.policy_text[end:])
    for i in range(len(case.records)):
        yield replace(case, records=[*case.records[:i], *case.records[i + 1 :]])
    for i in range(len(case.schema)):
        yield replace(
            case,
            schema=(*case.schema[:i], *case.schema[i + 1 :]),
            records=[(*record[:i], *record[i + 1 :]) for record in case.records],
        )


def _edits(policy: str, program: syntax.Program) -> Iterator[Edit]:
    """Edits that remove parts of the policy, the largest parts first."""
    spans = [each.span for each in program.requirements] + [each.span for each in program.comments]
    yield from ((span.start, span.end, "") for span in spans)
    for requirement in program.requirements:
        if requirement.action is not None:
            yield requirement.assertion.span.end, requirement.span.end - 1, ""
            yield from _step_edits(policy, requirement)
        assertion = assertion_of(requirement)
        if assertion is not None:
            yield from _assertion_edits(policy, assertion)


def _step_edits(policy: str, requirement: syntax.Requirement) -> Iterator[Edit]:
    """Edits that leave one step of a THEN, or simplify a step."""
    assert requirement.action is not None
    start, end = requirement.action.span.start, requirement.action.span.end
    actions = [step_of(step) for step in steps_of(requirement)]
    for action in actions if len(actions) > 1 else ():
        assert action is not None
        yield start, end, policy[action.span.start : action.span.end]
    for action in actions:
        yield from _action_edits(policy, action)


def _action_edits(policy: str, action: syntax.Step | None) -> Iterator[Edit]:
    """Edits that leave the action of WITH PROBABILITY, and those that take a constant out of an urn."""
    plain, draw = plain_of(action), draw_of(action)
    if action is not None and plain is not None and plain != action:
        yield action.span.start, plain.span.start, ""
    if draw is not None and len(draw.balls) > 1:
        texts = [policy[ball.span.start : ball.span.end] for ball in draw.balls]
        start, end = draw.balls[0].span.start, draw.balls[-1].span.end
        for i in range(len(texts)):
            yield start, end, ", ".join([*texts[:i], *texts[i + 1 :]])


def _assertion_edits(policy: str, assertion: syntax.Assertion) -> Iterator[Edit]:
    match assertion.result:
        case syntax.Result():
            pass
        case syntax.Filter() as filtered:
            yield filtered.span.start, filtered.span.end, "RESULT"
            yield from _condition_edits(policy, filtered.condition)
        case syntax.Process(where=where) as process:
            if where is not None:
                yield process.aggregates[-1].alias.span.end, where.span.end, ""
                yield from _condition_edits(policy, where)
        case _:
            assert_never(assertion.result)
    yield from _condition_edits(policy, assertion.condition)


def _condition_edits(policy: str, condition: syntax.Condition) -> Iterator[Edit]:
    """Edits that replace a condition with one of its operands."""
    for operand in operands(condition):
        yield condition.span.start, condition.span.end, policy[operand.span.start : operand.span.end]
    for operand in operands(condition):
        yield from _condition_edits(policy, operand)


def _with_policy(case: Case, text: str) -> Case:
    words = set(re.findall(r"\w+", text))
    params = {name: value for name, value in case.params.items() if name in words}
    return replace(case, policy_text=text.strip(), params=params)


def _is_case(case: Case) -> bool:
    tree, findings = parse(case.policy_text)
    if findings or not case.schema or not tree.requirements:
        return False
    return check(tree, case.policy_text, case.schema, case.params)[0] is not None
