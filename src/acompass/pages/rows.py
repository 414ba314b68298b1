"""The requirements of a policy as a page shows them: with their outcomes, and proofs beside their lines."""

from acompass.policy import Policy
from acompass.prove import Proof
from acompass.prove.claims import assertions_of
from acompass.report.certificate import Reader
from acompass.report.html.content import RequirementRow
from acompass.report.words import policy_lines
from acompass.result import Result
from acompass.syntax import tree
from acompass.syntax.walk import steps_of


def requirement_rows(
    policy: Policy | None, result: Result | None, proof: Proof | None, reader: Reader
) -> tuple[RequirementRow, ...]:
    """Comments of a policy are for its curators: they may say something about the table before."""
    if policy is None or result is None:
        return ()
    places = [at for at, _ in assertions_of(policy.tree)]
    claims = {} if proof is None else dict(zip(places, proof.claims, strict=True))
    steps = [
        (step, number == 0)
        for requirement in policy.tree.requirements
        for number, step in enumerate(steps_of(requirement))
    ]
    return tuple(
        RequirementRow(
            outcome,
            _text(outcome.text if is_first else _action(policy, step), reader),
            is_first,
            claims.get(at),
        )
        for at, (outcome, (step, is_first)) in enumerate(zip(result.requirements, steps, strict=True))
    )


def _action(policy: Policy, step: tree.Requirement) -> str:
    return policy.text[step.span.start : step.span.end]


def _text(text: str, reader: Reader) -> str:
    return text if reader == "curator" else policy_lines(text)
