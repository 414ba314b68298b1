"""The policy, with the verdict, the effect and the proof of each requirement."""

from collections.abc import Iterator

from acompass.prove.proof import Claim, ClaimVerdict
from acompass.report.html.charts import share_bar
from acompass.report.html.content import PageContent, RequirementRow
from acompass.report.html.elements import Html, about, badge, section, tag
from acompass.report.words import (
    RELEASED,
    UNNAMED,
    VIOLATED,
    affected_of,
    done,
    note_text,
    repair_word,
    verdict,
)
from acompass.result import RequirementOutcome, Result

_TONES = {ClaimVerdict.PROVED: "good", ClaimVerdict.REFUTED: "bad", ClaimVerdict.UNDECIDED: "open"}


def policy_section(content: PageContent, result: Result) -> Html:
    words = list(_introduction(content))
    items = [_requirement(row, result, content.has_counts) for row in content.requirements]
    return section(
        "The policy",
        "policy",
        *([about(*words)] if words else []),
        tag("ol", *items, class_="requirements"),
        *_remarks(content, result),
    )


def _introduction(content: PageContent) -> Iterator[str]:
    if content.result is not None and content.result.performed:
        yield "Repaired: the assertion did not hold, so its action was performed. "
    if any(row.claim is not None for row in content.requirements):
        yield "Proved: the assertion holds of every table that a run of this policy writes."


def _remarks(content: PageContent, result: Result) -> Iterator[Html]:
    if content.has_counts:
        for note in result.notes:
            yield tag("p", f"Note: {note_text(note)}", class_="note")
    if result.unnamed:
        heading = RELEASED if result.performed else UNNAMED
        yield tag("p", f"{heading.capitalize()}: {', '.join(result.unnamed)}", class_="note")


def _requirement(row: RequirementRow, result: Result, has_counts: bool) -> Html:
    outcome = row.outcome
    word = verdict(outcome, repair_word(result))
    tone = "good" if outcome.holds else "bad" if word == VIOLATED else "open"
    text = row.text if row.is_first_step else f"THEN {row.text}"
    return tag(
        "li",
        tag("div", f"line {outcome.line}", class_="line"),
        tag("div", tag("pre", tag("code", text)), *_proof(row.claim), class_="said"),
        tag("div", badge(word, tone), *_effect(outcome, result, has_counts), class_="effect"),
        class_=None if row.is_first_step else "step",
    )


def _effect(outcome: RequirementOutcome, result: Result, has_counts: bool) -> Iterator[Html]:
    performed = result.performed and outcome.action is not None
    if has_counts:
        said = done(outcome) if performed else "affected"
        yield tag("div", f"{affected_of(outcome)} {said}")
        yield share_bar(outcome.affected, outcome.records, "after")
    elif performed and not outcome.holds:
        yield tag("div", done(outcome))


def _proof(claim: Claim | None) -> Iterator[Html]:
    if claim is not None:
        summary = tag("summary", badge(claim.verdict, _TONES[claim.verdict]), " why")
        yield tag(
            "details", summary, *(tag("div", step, class_="note") for step in claim.reason.splitlines())
        )
