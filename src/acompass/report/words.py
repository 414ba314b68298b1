"""Wording shared by all formats: verdicts, counts, actions, values and ranges of class sizes."""

import datetime
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, assert_never

from acompass.errors.display import count_text, on_one_line
from acompass.language.program.effects import ActionName
from acompass.language.text.tokens import spell_probability, spell_string
from acompass.measure.answer import Classes, Persons
from acompass.result import Note, RequirementOutcome, Result

#: headings for the columns that the policy never names, in a check and in a run
UNNAMED = "columns that the policy never names"
RELEASED = f"{UNNAMED}, released unchanged"

VIOLATED, REPAIRED, TO_REPAIR = "violated", "repaired", "would be repaired"


def repair_word(result: Result) -> str:
    """The verdict on a violated assertion that has an action; a check performs no actions."""
    return REPAIRED if result.performed else VIOLATED


def verdict(outcome: RequirementOutcome, repaired: str = VIOLATED) -> str:
    """`repaired` is the verdict on a violated assertion that has an action."""
    match outcome.holds:
        case None:
            return "no verdict"
        case True:
            return "holds"
        case False:
            return VIOLATED if outcome.action is None else repaired


def affected_count(outcome: RequirementOutcome) -> str:
    return f"{outcome.affected:,} of {outcome.records:,}"


def action_effect(outcome: RequirementOutcome) -> str:
    """What the action did to the affected records; not how many of them were drawn (X5, probabilities)."""
    chance = outcome.probability
    likely = "" if chance is None else f" with probability {spell_probability(chance)}"
    return f"{_action_word(outcome.action)}{likely}"


def _action_word(action: ActionName | None) -> str:
    match action:
        case "REJECT":
            return "rejected"
        case "REPLACE":
            return "replaced"
        case "RANDOM":
            return "randomized"
        case "GENERALIZE":
            return "generalized"
        case "DROP":
            return "columns dropped"
        case None:
            return "only checked"
        case _:
            assert_never(action)


def violation(outcome: RequirementOutcome) -> str:
    return f"violated: {outcome.affected:,} of {count_text(outcome.records, 'record')} affected"


def records_in_and_out(result: Result, out: str = "out") -> str:
    return f"{count_text(result.records_in, 'record')} in{dropped_count(result)}, {result.records_out:,} {out}"


def dropped_count(result: Result) -> str:
    return f", {result.dropped:,} dropped as incomplete" if result.dropped else ""


def note_text(note: Note) -> str:
    return note.text if note.line is None else f"line {note.line}: {note.text}"


def persons(number: Persons) -> str:
    """A number of persons or records; with decimal weights, to two decimals."""
    return f"{int(number):,}" if number == int(number) else f"{float(number):,.2f}"


def round_measure(measure: Fraction | float | None) -> str:
    """A measure to six significant digits; whole numbers in full."""
    if measure is None:
        return "none"
    return f"{int(measure):,}" if measure == int(measure) else f"{float(measure):.6g}"


def value_text(value: Any) -> str:
    """A value from any column, possibly missing."""
    match value:
        case None:
            return "missing"
        case str():
            return on_one_line(spell_string(value))
        case bool():
            return "true" if value else "false"
        case Decimal():
            return f"{value:f}"
        case datetime.date():
            return value.isoformat()
        case _:
            return on_one_line(str(value))


def verdict_on_all(result: Result) -> str:
    violated = sum(outcome.is_violated for outcome in result.requirements)
    if violated:
        return f"{violated:,} of {count_text(len(result.requirements), 'requirement')} violated"
    hold = all(outcome.holds for outcome in result.requirements)
    return "every requirement holds" if hold else "no requirement is violated"


def action_taken(outcome: RequirementOutcome) -> str:
    """What a run did for a requirement."""
    return "nothing" if outcome.holds and outcome.action is not None else action_effect(outcome)


def size_ranges(largest: Persons) -> Iterator[tuple[int, int]]:
    """Yield the first and last size of each range. Ranges start at 0, 1, 2, 5, 10, 20, 50, … and cover `largest`.

    Only classes with weights below 1 are in the first range. A range extends to the start of the next one: with
    decimal weights, 4.5 is in the range from 2 to 4.
    """
    yield 0, 0
    low = 1
    while low <= largest:
        end = low * 5 // 2 if str(low).startswith("2") else low * 2
        yield low, end - 1
        low = end


def size_label(low: int, high: int) -> str:
    if high == 0:
        return "below 1"
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def classes_within(classes: Classes, low: int, high: int) -> tuple[int, Persons]:
    """The number of classes with a size in the range, and the number of records in them."""
    inside = [(size, number) for size, number in classes.sizes if low <= size < high + 1]
    return sum(number for _, number in inside), sum(size * number for size, number in inside)
