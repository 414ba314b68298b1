"""A result in words: the verdict on all requirements, and what was done about each of them."""

from acompass.report.words import counted, done
from acompass.result import RequirementOutcome, Result


def verdict_on_all(result: Result) -> str:
    violated = sum(outcome.is_violated for outcome in result.requirements)
    if violated:
        return f"{violated:,} of {counted(len(result.requirements), 'requirement')} violated"
    hold = all(outcome.holds for outcome in result.requirements)
    return "every requirement holds" if hold else "no requirement is violated"


def action_taken(outcome: RequirementOutcome) -> str:
    """In a run."""
    return "nothing" if outcome.holds and outcome.action is not None else done(outcome)
