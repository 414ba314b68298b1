"""What each step does to the table, and the comments of the policy that say so."""

from collections.abc import Sequence

from acompass.propose.loss import total_loss
from acompass.suggest.comments import commented, has_long_group_by
from acompass.suggest.problem import Found, Problem
from acompass.suggest.search.evaluate import losses, performed
from acompass.suggest.to_syntax import Goal
from acompass.suggestion import SuggestedStep
from acompass.syntax import tree
from acompass.syntax.format import format_condition, format_requirement
from acompass.syntax.walk import assertion_of, process_of, steps


def steps_of(problem: Problem, found: Found, program: tree.Program) -> tuple[SuggestedStep, ...]:
    everyone = [problem.records] * len(found.always)
    after = [*_losses(problem, found), found.outcome.loss]
    added = [later - before for before, later in zip([0.0, *after], after, strict=False)]
    return tuple(
        SuggestedStep(_text(line), affected, loss, assertion_of(line) is None, _where(line))
        for line, affected, loss in zip(
            steps(program), (*everyone, *found.outcome.affected), added, strict=True
        )
    )


def _losses(problem: Problem, found: Found) -> list[float]:
    """The loss of the table after each step, before the last one drops records."""
    return [
        total_loss(losses(problem, columns, problem.counts, 0))
        for _, columns in performed(problem, found.always, found.steps)
    ]


def _text(line: tree.Requirement) -> str:
    """The action alone."""
    alone = format_requirement(tree.Requirement(tree.Always(), line.action))
    return alone.removeprefix("ALWAYS : ").removesuffix(";")


def _where(line: tree.Requirement) -> str | None:
    process = process_of(line)
    return None if process is None or process.where is None else format_condition(process.where)


def commented_text(
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
        f"Every class by {listed_names(goal.columns)} has {_promise(goal)}. `acompass prove` proves it for "
        "every table.",
        f"Searched on a table of {_records(records)}: {outcome.dropped:,} dropped, loss {outcome.loss:.4f}"
        f"{'' if has_long_group_by(program) else f' ({listed})'}.",
        "Each step says how many records it was performed on there, and the loss that it added.",
    ]
    if t is not None:
        close = f"There, the classes are t-close with t = {t:.4f}."
        header.append(f"{close} That is measured, not proved for another table.")
    remarks = [f"{_records(step.affected)}, loss +{step.loss:.4f}" for step in described]
    return commented(program, header, by_column, remarks)


def _promise(goal: Goal) -> str:
    records = f"at least {goal.k:,} records"
    return f"{records} and {goal.l:,} values of {listed_names(goal.counted)}" if goal.counted else records


def listed_names(names: Sequence[str]) -> str:
    *first, last = (" ".join(name.split()) for name in names)
    return f"{', '.join(first)} and {last}" if first else last


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"
