"""The policy with each requirement's effect beside it, and what is proved of it."""

from acompass.prove import Claim, ClaimVerdict, Proof
from acompass.report.html.charts import share_bar
from acompass.report.html.elements import Html, row, section, table, tag
from acompass.report.words import affected_of, done, verdict
from acompass.result import RequirementOutcome, Result

_TONES = {ClaimVerdict.PROVED: "good", ClaimVerdict.REFUTED: "bad", ClaimVerdict.UNDECIDED: "open"}


def policy_section(result: Result, performed: bool) -> Html:
    rows = [_requirement(outcome, performed) for outcome in result.requirements]
    header = ("line", "requirement", "verdict", "effect")
    return section("The policy", "policy", table("What each requirement found, in order", header, rows))


def badge(word: str, tone: str) -> Html:
    return tag("span", word, class_=f"verdict {tone}")


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


def proof_section(proof: Proof) -> Html:
    about = tag(
        "p", "What holds of every table that this policy leaves, whatever table it is given.", class_="about"
    )
    rows = [_claim(claim) for claim in proof.claims]
    header = ("line", "assertion", "verdict", "why")
    return section("Proofs", "proofs", about, table("What is proved of the policy", header, rows))


def _claim(claim: Claim) -> Html:
    why = tag("div", *(tag("div", step) for step in claim.reason.splitlines()), class_="note")
    place = "" if claim.line is None else str(claim.line)
    return row(place, tag("pre", tag("code", claim.text)), badge(claim.verdict, _TONES[claim.verdict]), why)
