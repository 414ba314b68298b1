"""The claims about the policy, each with its verdict and the reason for it."""

from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.report.html.elements import Html, about, badge, row, section, table, tag

_TONES = {ClaimVerdict.PROVED: "good", ClaimVerdict.REFUTED: "bad", ClaimVerdict.UNDECIDED: "open"}


def proof_section(proof: Proof) -> Html:
    introduction = about("A proved assertion holds of every table that a run of this policy writes.")
    rows = [_claim(claim) for claim in proof.claims]
    claims = table("Assertions of the policy", ("line", "assertion", "verdict", "why"), rows)
    return section("Proofs", "proofs", introduction, claims)


def _claim(claim: Claim) -> Html:
    why = tag("div", *(tag("div", step) for step in claim.reason.splitlines()), class_="note")
    place = "" if claim.line is None else str(claim.line)
    return row(place, tag("pre", tag("code", claim.text)), badge(claim.verdict, _TONES[claim.verdict]), why)
