"""The words that every report shares for a verdict, its counts and what was done."""

from typing import assert_never

from acompass.result import ActionName, RequirementOutcome, Result


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def on_one_line(text: str) -> str:
    """Control characters are spelled out: a policy's string must not steer a terminal."""
    return "".join(map(_visible, " ".join(text.split())))


def _visible(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()


def verdict(outcome: RequirementOutcome) -> str:
    return "holds" if outcome.holds else "violated"


def affected_of(outcome: RequirementOutcome) -> str:
    return f"{outcome.affected:,} of {outcome.records:,}"


def done(action: ActionName | None) -> str:
    """What the action did to the affected records."""
    match action:
        case "REJECT":
            return "rejected"
        case "REPLACE":
            return "replaced"
        case "RANDOM":
            return "randomized"
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
