"""Suggest a policy for an open table: count combinations, search, build the tree and its text.

Each step of the answer says what it does to the table."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from acompass.author.answers import CurvePoint, Levels, SuggestedStep, Suggestion, Unreachable
from acompass.author.suggest.policy_tree import Goal, format_with_comments, has_long_group_by, policy_line, policy_tree
from acompass.author.suggest.request import Request, find_columns
from acompass.author.suggest.search import curve, search
from acompass.author.suggest.search_problem import Found, Problem, closeness, is_close, losses, perform_steps
from acompass.author.suggest.table import Reading, Table, read_table
from acompass.dataclasses import dataclass, replace
from acompass.engines.protocol import OpenTable
from acompass.errors.diagnostics import Diagnostic, option_text
from acompass.errors.display import count_text
from acompass.language.program.uses import Use, uses
from acompass.language.text import tree
from acompass.language.text.formatter import format_condition, format_requirement
from acompass.language.text.walk import assertion_of, names_dropped_by, process_of, steps
from acompass.measure.answer import count_noun, total_loss
from acompass.measure.levels import join_words
from acompass.policy import Policy, parse, parse_file
from acompass.result import Note


@dataclass(frozen=True)
class SearchCall:
    reading: Reading
    output: str | None = None  # where the policy will be written
    stopped: Callable[[], bool] | None = None  # True ends the search with the best policy found so far
    progress: Callable[[float, float], None] | None = None  # receives the fraction done and the lowest loss

    @property
    def request(self) -> Request:
        return self.reading.request


def suggest_policy(source: OpenTable, call: SearchCall) -> Suggestion:
    """Raise Unreachable if every policy found drops more records than allowed."""
    started = time.monotonic()
    columns = find_columns(call.request, source.names)
    as_text: frozenset[int] = frozenset()
    while True:
        table = read_table(source, call.reading, columns, as_text)
        problem, request = _problem(call.request, table), call.request
        found = search(problem, request.style, request.lines, request.seconds, *_callbacks(source, call))
        asserted = replace(problem, k=found.k)
        _require_reached(asserted, found)
        suggestion = _suggestion(call, table, asserted, found)
        misread = table.respelled & table.numbers - _numbers(suggestion.policy, source.names)
        if not misread:
            break
        as_text |= misread
    points = curve(problem, request.style, request.seconds, *_callbacks(source, call)) if request.compare else ()
    shown = tuple(CurvePoint(each.lines, each.outcome.loss, each.outcome.dropped) for each in points)
    return replace(suggestion, curve=shown, seconds=time.monotonic() - started)


def drop_identifiers(found: Suggestion, identifiers: Sequence[str]) -> Suggestion:
    """The suggestion with a last line that drops identifiers, because a run must not release them (D36, roles act)."""
    policy = found.policy
    dropped = {name.text.casefold() for name in names_dropped_by(policy.tree)}
    kept = [tree.Name(name) for name in identifiers if name.casefold() not in dropped]
    if not kept:
        return found
    line = format_requirement(tree.Requirement(tree.Always(), tree.Drop(tuple(kept))))
    text = f"{policy.text.rstrip()}\n\n{line}\n"
    return replace(found, policy=replace(policy, text=text, tree=replace(parse(text).tree, folder=policy.tree.folder)))


def _problem(request: Request, table: Table) -> Problem:
    return Problem(
        table.combinations.ladders,
        table.combinations.codes,
        table.combinations.records,
        table.combinations.sensitive,
        request.k,
        request.l,
        min(int(request.max_lost * table.records), table.records - 1),  # a release has at least one record
        table.columns.keep,
        request.t,
        table.texts,
        table.combinations.persons,
    )


def _require_reached(problem: Problem, found: Found) -> None:
    dropped = found.outcome.dropped
    size = f"k = {problem.k}" if problem.persons is None else f"k = {problem.k} persons"
    goal = size if problem.l is None else f"{size} and l = {problem.l}"
    if dropped == problem.records:
        help_ = f"ask for less, or allow more steps with `{option_text('lines')}`"
        raise _unreachable(f"no policy was found that reaches {goal} without dropping every record", help_)
    if dropped > problem.most_dropped:
        share = f"{dropped / problem.records:.2%} of the records"
        allowed = f"{-(-dropped * 100 // problem.records)}%"
        help_ = f"allow more: `{option_text('max_lost', allowed)}`, or ask for less"
        raise _unreachable(f"every policy found that reaches {goal} drops at least {share}", help_)
    if not is_close(problem, found.always, found.steps):
        reached = closeness(problem, found.always, found.steps)
        message = f"no policy was found whose classes are t-close with t below {reached:.4f}"
        raise _unreachable(message, f"ask for less, or allow more: `{option_text('max_lost', '10%')}`")


def _unreachable(message: str, help_: str) -> Unreachable:
    return Unreachable([Diagnostic("AC624", message, help=help_)])


def _suggestion(call: SearchCall, table: Table, problem: Problem, found: Found) -> Suggestion:
    ladders, goal = problem.ladders, replace(table.columns.goal(call.request), k=problem.k)
    folder = None if call.output is None else Path(call.output).parent
    always = [policy_line(ladders[step.column], step, folder) for step in found.always]
    chain = [policy_line(ladders[step.column], step, folder) for step in found.steps]
    program = policy_tree(goal, always, chain)
    steps = describe_steps(problem, found, program)
    close = None if problem.t is None else closeness(problem, found.always, found.steps)
    text = format_policy(program, goal, table.records, found, steps, close)
    by_column = zip(table.columns.quasi_identifiers, table.combinations.ladders, strict=True)
    return Suggestion(
        policy=parse(text) if call.output is None else parse_file(text, call.output),
        k=problem.k,
        l=problem.l,
        t=close,
        records_in=table.records + table.incomplete,
        dropped=found.outcome.dropped,
        incomplete=table.incomplete,
        loss=found.outcome.loss,
        per_column=dict(zip(goal.columns, found.outcome.per_column, strict=True)),
        steps=steps,
        levels={each.column: Levels(each.words, at not in table.columns.specs) for at, each in by_column},
        finished=found.finished,
        person=goal.person,
        notes=tuple(Note(None, text) for text in table.notes),
    )


def _numbers(policy: Policy, names: tuple[str, ...]) -> frozenset[int]:
    """The columns that a policy reads as numbers."""
    return frozenset(p for p, use in uses(policy.tree, names).items() if use.use is Use.NUMBER)


def _callbacks(source: OpenTable, call: SearchCall) -> tuple[Callable[[], bool], Callable[[float, float], None]]:
    def stopped() -> bool:
        source.cancellation.check()
        return call.stopped is not None and call.stopped()

    return stopped, call.progress or (lambda done, loss: None)


def describe_steps(problem: Problem, found: Found, program: tree.Program) -> tuple[SuggestedStep, ...]:
    everyone = [problem.records] * len(found.always)
    performed = perform_steps(problem, found.always, found.steps)
    # before the last step drops records
    so_far = (total_loss(losses(problem, columns, problem.counts, 0)) for _, columns in performed)
    after = [*so_far, found.outcome.loss]
    added = [later - before for before, later in zip([0.0, *after], after, strict=False)]
    lines = steps(program)
    effects = list(zip((*everyone, *found.outcome.affected), added, strict=True))
    # a last line may drop the person column, which is not part of the loss
    effects += [(problem.records - found.outcome.dropped, 0.0)] * (len(lines) - len(effects))
    return tuple(
        SuggestedStep(_text(line), affected, loss, assertion_of(line) is None, _where(line))
        for line, (affected, loss) in zip(lines, effects, strict=True)
    )


def _text(line: tree.Requirement) -> str:
    alone = format_requirement(tree.Requirement(tree.Always(), line.action))
    return alone.removeprefix("ALWAYS : ").removesuffix(";")


def _where(line: tree.Requirement) -> str | None:
    process = process_of(line)
    return None if process is None or process.where is None else format_condition(process.where)


def format_policy(
    program: tree.Program,
    goal: Goal,
    records: int,
    found: Found,
    described: Sequence[SuggestedStep],
    t: float | None = None,
) -> str:
    outcome = found.outcome
    by_column = [f"loss {loss:.4f}" for loss in outcome.per_column]
    losses_by_name = zip(goal.columns, outcome.per_column, strict=True)
    listed = ", ".join(f"{name} {loss:.4f}" for name, loss in losses_by_name)
    header = [
        f"Every class by {join_names(goal.columns)} has {_promise(goal)}. `acompass prove` proves it for every table"
        f"{_without_drop(goal)}.",
        f"Searched on a table of {count_text(records, 'record')}: {outcome.dropped:,} dropped, loss {outcome.loss:.4f}"
        f"{'' if has_long_group_by(program) else f' ({listed})'}.",
        "Each step shows the number of records it was applied to in that table, and the loss it added.",
    ]
    if t is not None:
        close = f"The classes released from that table are t-close with t = {t:.4f}."
        header.append(f"{close} This is measured, not proved for other tables.")
    remarks = [f"{count_text(step.affected, 'record')}, loss +{step.loss:.4f}" for step in described]
    return format_with_comments(program, header, by_column, remarks)


def _without_drop(goal: Goal) -> str:
    return f", without the line that drops {join_names([goal.person])}" if goal.person and goal.drops_person else ""


def _promise(goal: Goal) -> str:
    records = f"at least {goal.k:,} {count_noun(goal.person is not None)}"
    return f"{records} and {goal.l:,} values of {join_names(goal.counted_columns)}" if goal.counted_columns else records


def join_names(names: Sequence[str]) -> str:
    return join_words([" ".join(name.split()) for name in names])
