"""Test an engine against `semantics` on many random cases.

The first disagreement is shrunk: parts of the policy, records and columns are removed one by one as long as the
remaining case is valid and still disagrees."""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, assert_never

from sqlglot import exp

from acompass.dataclasses import dataclass, replace
from acompass.engines.registry import open_session
from acompass.errors.diagnostics import AcompassError, Span
from acompass.errors.display import Answer, count_text
from acompass.language.program.checker import check
from acompass.language.program.effects import needs_key
from acompass.language.program.types import Kind
from acompass.language.text import tree as syntax
from acompass.language.text.walk import assertion_of, draw_in, operands, plain_of, step_of, steps_of, written_names
from acompass.plan.lowering.dialect import Dialect
from acompass.plan.lowering.state import statement_text
from acompass.plan.planner import REWRITES, Rewrite
from acompass.plan.run.context import Session
from acompass.report.document import Block, Bullets, CodeBlock, Context, Either, headline
from acompass.testing.conformance.cases import Case, random_case
from acompass.testing.conformance.comparison import Disagreement, compare, observe_session, write_literate_test
from acompass.testing.conformance.policies import KINDS

#: called with the number of cases done and their total
Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True)
class Report(Answer):
    cases: int
    disagreements: int
    smallest: Disagreement | None  # a disagreement whose case cannot be reduced further
    lacking: tuple[Kind, ...]  # the kinds of values that the engine does not support, which no case uses

    @property
    def ok(self) -> bool:
        return self.disagreements == 0

    def describe(self, context: Context) -> Iterator[Block]:
        counts = f"{count_text(self.cases, 'case')}, {count_text(self.disagreements, 'disagreement')}"
        lines = []
        if self.lacking:
            lines.append(f"types not tested, because the engine lacks them: {', '.join(self.lacking)}")
        if self.smallest is not None:
            lines.append("the smallest differing case found:")
        yield headline("Conformance", context, counts, self.ok)
        yield Either(text=[Bullets([counts, *lines])], rich=[Bullets(lines)])
        if self.smallest is not None:
            case = write_literate_test(self.smallest)
            failure = [f"the engine gave no result: {self.smallest.found}"] * isinstance(self.smallest.found, str)
            yield Either(text=[CodeBlock("\n".join([case, *failure]))], rich=[CodeBlock(case), Bullets(failure)])

    def to_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "cases": self.cases,
            "disagreements": self.disagreements,
            "lacking": list(self.lacking),
            "smallest": None if self.smallest is None else write_literate_test(self.smallest),
        }


def conform(
    engine: str | Session,
    cases: int = 500,
    seed: int = 0,
    rewrites: Sequence[Rewrite] = REWRITES,
    progress: Progress | None = None,
) -> Report:
    """`engine` is a URL, as for `run`, or a session. The same seed gives the same cases."""
    if isinstance(engine, str):
        with open_session(engine) as session:
            return _conform(session, cases, seed, rewrites, progress)
    return _conform(engine, cases, seed, rewrites, progress)


def _conform(session: Session, cases: int, seed: int, rewrites: Sequence[Rewrite], progress: Progress | None) -> Report:
    judge = _EngineJudge(session, rewrites)
    kinds = tuple(kind for kind in KINDS if kind not in session.dialect.lacks)
    found: list[Disagreement] = []
    for number in range(cases):
        disagreement = judge(_case(random.Random(f"{seed}:{number}"), kinds, session.dialect))
        if disagreement is not None:
            found.append(disagreement)
        if progress is not None:
            progress(number + 1, cases)
    smallest = shrink_disagreement(found[0], judge) if found else None
    lacking = tuple(kind for kind in KINDS if kind in session.dialect.lacks)
    return Report(cases, len(found), smallest, lacking)


def _case(rng: random.Random, kinds: Sequence[Kind], dialect: Dialect) -> Case:
    """A case that the engine can run: without PSEUDONYM and SHIFT if it cannot compute them, and without reference
    tables, whose totals may be decimals, if it cannot store these."""
    while True:
        case = random_case(rng, kinds, stops=True, references=Kind.DECIMAL in kinds)
        if dialect.keyed is not None or not needs_key(case.program().requirements):
            return case


def agrees(engine: str, case: Case) -> bool:
    """Whether an engine gives the results of `semantics` for one case."""
    with open_session(engine) as session:
        return _EngineJudge(session, REWRITES)(case) is None


class _EngineJudge:
    def __init__(self, session: Session, rewrites: Sequence[Rewrite]):
        self._session = CachedSession(session)
        self._observe = observe_session(self._session, rewrites)

    def __call__(self, case: Case) -> Disagreement | None:
        try:
            return compare(case, self._observe)
        except AcompassError as error:
            return Disagreement(case, "answer", "no error", error.diagnostics[0].message)
        finally:
            self._session.clear()


class CachedSession:
    """Cache each statement's result: the runs of one case share statements. Dropping a table clears the cached
    rows, so that a later query of that table fails."""

    def __init__(self, session: Session):
        self.dialect = session.dialect
        self._session = session
        self._rows: dict[str, list[tuple[Any, ...]]] = {}
        self._stored: dict[str, str] = {}
        self._uploaded: dict[str, str] = {}

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        text = self._text(query)
        if text not in self._rows:
            self._rows[text] = self._session.fetch(query)
        return self._rows[text]

    def store(self, query: exp.Select) -> str:
        text = self._text(query)
        if text not in self._stored:
            self._stored[text] = self._session.store(query)
        return self._stored[text]

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        records = list(rows)
        content = repr((columns, records))
        if content not in self._uploaded:
            self._uploaded[content] = self._session.upload(columns, records)
        return self._uploaded[content]

    def drop(self, name: str) -> None:
        self._rows.clear()
        for tables in (self._stored, self._uploaded):
            for key in [key for key, table in tables.items() if table == name]:
                del tables[key]
        self._session.drop(name)

    def clear(self) -> None:
        self._rows.clear()
        self._stored.clear()
        self._uploaded.clear()
        self._session.clear()

    def _text(self, query: exp.Select) -> str:
        return statement_text(query, self.dialect.name)


Judge: TypeAlias = Callable[[Case], Disagreement | None]

#: the start and the end of a piece of the policy's text, and its replacement
Edit: TypeAlias = tuple[int, int, str]


def shrink_disagreement(disagreement: Disagreement, judge: Judge) -> Disagreement:
    while (smaller := _first_smaller(disagreement.case, judge)) is not None:
        disagreement = smaller
    return disagreement


def _first_smaller(case: Case, judge: Judge) -> Disagreement | None:
    for candidate in _smaller_cases(case):
        if _is_valid(candidate) and (found := judge(candidate)) is not None:
            return found
    return None


def _smaller_cases(case: Case) -> Iterator[Case]:
    tree, _ = case.tree()
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
    """Edits that keep only one step of a THEN, or simplify a step."""
    assert requirement.action is not None
    start, end = requirement.action.span.start, requirement.action.span.end
    actions = [step_of(step) for step in steps_of(requirement)]
    for action in actions if len(actions) > 1 else ():
        assert action is not None
        yield start, end, policy[action.span.start : action.span.end]
    for action in actions:
        yield from _action_edits(policy, action)


def _action_edits(policy: str, action: syntax.Step | None) -> Iterator[Edit]:
    """Edits that remove WITH PROBABILITY, one of the weighted values of a RANDOM, or one of the columns of a SHIFT."""
    plain, draw = plain_of(action), draw_in(action)
    if action is not None and plain is not None and plain != action:
        yield action.span.start, plain.span.start, ""
    if draw is not None:
        yield from _without_each(policy, [each.span for each in draw.values])
    else:
        yield from _without_each(policy, [each.span for each in written_names(action)])


def _without_each(policy: str, spans: Sequence[Span]) -> Iterator[Edit]:
    """Edits that remove one of several parts with commas between them."""
    texts = [policy[span.start : span.end] for span in spans]
    for i in range(len(texts) if len(texts) > 1 else 0):
        yield spans[0].start, spans[-1].end, ", ".join([*texts[:i], *texts[i + 1 :]])


def _assertion_edits(policy: str, assertion: syntax.Assertion) -> Iterator[Edit]:
    match assertion.result:
        case syntax.Result():
            pass
        case syntax.Filter() as filtered:
            yield filtered.span.start, filtered.span.end, "RESULT"
            yield from _condition_edits(policy, filtered.condition)
        case syntax.Process(where=where) as process:
            yield from _without_each(policy, [each.aggregate.span.to(each.alias.span) for each in process.aggregates])
            yield from _without_each(policy, [name.span for name in process.group_by])
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


def _is_valid(case: Case) -> bool:
    tree, findings = case.tree()
    if findings or not case.schema or not tree.requirements:
        return False
    return check(tree, case.policy_text, case.schema, case.params)[0] is not None
