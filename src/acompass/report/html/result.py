"""The policy, with the verdict and the effect of each requirement."""

from acompass.report.html.charts import share_bar
from acompass.report.html.elements import Html, badge, row, section, table, tag
from acompass.report.words import affected_of, done, verdict
from acompass.result import RequirementOutcome, Result


def policy_section(result: Result, performed: bool) -> Html:
    rows = [_requirement(outcome, performed) for outcome in result.requirements]
    header = ("line", "requirement", "verdict", "effect")
    return section("The policy", "policy", table("Requirements in order", header, rows))


def _requirement(outcome: RequirementOutcome, performed: bool) -> Html:
    tone = "good" if outcome.holds else "open" if performed and outcome.action else "bad"
    effect = tag(
        "div",
        f"{affected_of(outcome)} {_effect(outcome, performed)}",
        share_bar(outcome.affected, outcome.records, "after"),
        class_="effect",
    )
    text = tag("pre", tag("code", outcome.text))
    return row(str(outcome.line), text, badge(verdict(outcome), tone), effect)


def _effect(outcome: RequirementOutcome, performed: bool) -> str:
    return done(outcome.action) if performed and outcome.action is not None else "affected"
