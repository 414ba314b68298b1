"""The words that the renderers share for verdicts, counts, actions and values."""

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, assert_never

from acompass.checked.convert import to_text
from acompass.checked.exact import EXACT
from acompass.checked.types import Type
from acompass.measures import Persons
from acompass.result import ActionName, Note, RequirementOutcome, Result
from acompass.syntax.spelling import spell_probability, spell_string
from acompass.syntax.tokens import tokenize

#: headings for the columns that the policy never names, in a check and in a run (D30)
UNNAMED = "columns that the policy never names"
RELEASED = f"{UNNAMED}, released as they are"

VIOLATED, REPAIRED, TO_REPAIR = "violated", "repaired", "would be repaired"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def on_one_line(text: str) -> str:
    """Escape control characters, so that text from a policy or a table cannot control a terminal."""
    return "".join(map(_visible, " ".join(text.split())))


def policy_line(text: str) -> str:
    """A part of a policy without its comments: on one line, a comment would seem to hide what follows it."""
    return on_one_line(_without_comments(text))


def policy_lines(text: str) -> str:
    """A part of a policy in its own lines, without comments: they are for its authors."""
    lines = (line.rstrip() for line in _without_comments(text).splitlines())
    return "\n".join(line for line in lines if line)


def _without_comments(text: str) -> str:
    comments = tokenize(text)[1]
    starts = (0, *(comment.span.end for comment in comments))
    ends = (*(comment.span.start for comment in comments), len(text))
    return " ".join(text[start:end] for start, end in zip(starts, ends, strict=True))


def _visible(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()


def repair_word(result: Result) -> str:
    """The word for violated assertions that have an action: a check performs none."""
    return REPAIRED if result.performed else VIOLATED


def verdict(outcome: RequirementOutcome, repaired: str = VIOLATED) -> str:
    """`repaired` is the word for a violated assertion that has an action."""
    match outcome.holds:
        case None:
            return "no verdict"
        case True:
            return "holds"
        case False:
            return VIOLATED if outcome.action is None else repaired


def affected_of(outcome: RequirementOutcome) -> str:
    return f"{outcome.affected:,} of {outcome.records:,}"


def done(outcome: RequirementOutcome) -> str:
    """What the action did to the affected records. How many it was drawn for is not said (X5)."""
    chance = outcome.probability
    likely = "" if chance is None else f" with probability {spell_probability(chance)}"
    return f"{_done(outcome.action)}{likely}"


def _done(action: ActionName | None) -> str:
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
    return f"violated: {outcome.affected:,} of {counted(outcome.records, 'record')} affected"


def records_in_and_out(result: Result, out: str = "out") -> str:
    return f"{counted(result.records_in, 'record')} in{dropped(result)}, {result.records_out:,} {out}"


def dropped(result: Result) -> str:
    return f", {result.dropped:,} dropped as incomplete" if result.dropped else ""


def note_text(note: Note) -> str:
    return note.text if note.line is None else f"line {note.line}: {note.text}"


def persons(number: Persons) -> str:
    """A number of persons or records; with decimal weights, to two decimals."""
    return f"{int(number):,}" if number == int(number) else f"{float(number):,.2f}"


def rounded(measure: Fraction | float | None) -> str:
    """A measure to six significant digits; whole numbers in full."""
    if measure is None:
        return "none"
    return f"{int(measure):,}" if measure == int(measure) else f"{float(measure):.6g}"


def spelled(value: Any, type_: Type) -> str:
    """A value as a policy would spell it."""
    text = to_text(value, type_)
    return on_one_line(text if type_.is_number else spell_string(text))


def shown(value: Any) -> str:
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


def difference(before: Any, after: Any) -> str:
    """` (6 less)` between two exact numbers; empty for other values."""
    number = int | Decimal
    if not isinstance(before, number) or not isinstance(after, number) or isinstance(after, bool):
        return ""
    amount = abs(EXACT.subtract(Decimal(after), Decimal(before)))
    return f" ({amount:,f} {'more' if after > before else 'less'})"
