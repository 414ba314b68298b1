"""The policy, with the verdict and the effect of each requirement."""

from collections.abc import Iterator

from acompass.report.html.charts import share_bar
from acompass.report.html.elements import Html, badge, row, section, table, tag
from acompass.report.words import RELEASED, UNNAMED, affected_of, done, note_text, verdict
from acompass.result import RequirementOutcome, Result


def policy_section(result: Result, performed: bool) -> Html:
    rows = [_requirement(outcome, performed) for outcome in result.requirements]
    header = ("line", "requirement", "verdict", "effect")
    requirements = table("Requirements in order", header, rows)
    return section("The policy", "policy", requirements, *_remarks(result, performed))


def _remarks(result: Result, performed: bool) -> Iterator[Html]:
    for note in result.notes:
        yield tag("p", f"Note: {note_text(note)}", class_="note")
    if result.unnamed:
        heading = RELEASED if performed else UNNAMED
        yield tag("p", f"{heading.capitalize()}: {', '.join(result.unnamed)}", class_="note")


def _requirement(outcome: RequirementOutcome, performed: bool) -> Html:
    open_ = outcome.holds is None or (performed and outcome.action is not None)
    tone = "good" if outcome.holds else "open" if open_ else "bad"
    effect = tag(
        "div",
        f"{affected_of(outcome)} {_effect(outcome, performed)}",
        share_bar(outcome.affected, outcome.records, "after"),
        class_="effect",
    )
    text = tag("pre", tag("code", outcome.text))
    return row(str(outcome.line), text, badge(verdict(outcome), tone), effect)


def _effect(outcome: RequirementOutcome, performed: bool) -> str:
    return done(outcome) if performed and outcome.action is not None else "affected"
