"""Claims about a policy as a whole, beside assertions: `idempotent`, `order of 3, 5`, `Age unchanged`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from acompass.compare.asking import Asking
from acompass.compare.exchanged import exchangeable
from acompass.compare.repeated import idempotent
from acompass.compare.unchanged import unchanged
from acompass.prove.policy import ProvedClaim, prove_policy
from acompass.prove.proof import Claim, Proof

_IDEMPOTENT = re.compile(r"idempotent", re.IGNORECASE)
_ORDER = re.compile(r"order\s+of\s+([0-9]+)\s*(?:,|and)\s*([0-9]+)", re.IGNORECASE)
_UNCHANGED = re.compile(r"(\S.*)\s+unchanged", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Idempotent:
    """A second run changes nothing."""


@dataclass(frozen=True, slots=True)
class OrderOf:
    """The requirements at two lines can be exchanged."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Unchanged:
    """No value of the column is changed."""

    column: str


PolicyClaim: TypeAlias = Idempotent | OrderOf | Unchanged


def read_claim(text: str) -> PolicyClaim | None:
    """None for anything else, such as an assertion."""
    stripped = " ".join(text.removesuffix(";").split())
    if _IDEMPOTENT.fullmatch(stripped):
        return Idempotent()
    if order := _ORDER.fullmatch(stripped):
        return OrderOf(int(order[1]), int(order[2]))
    if column := _UNCHANGED.fullmatch(stripped):
        return Unchanged(column[1].strip('"'))
    return None


def prove_claims(
    asking: Asking, claims: Sequence[str] | None, on_proof: Callable[[ProvedClaim], None] | None = None
) -> Proof:
    """A proof of the claims, whether they are assertions or about the whole policy, in their order.

    `on_proof` gets the assertions that are proved.
    """
    policy, given = asking.policy, asking.given
    assertions = None if claims is None else [text for text in claims if read_claim(text) is None]
    asked = (policy.tree, policy.text, assertions, given.schema, given.params, given.types)
    proof = prove_policy(*asked, assume=asking.assume, deadline=None, on_proof=on_proof)
    proved = iter(proof.claims)
    found = []
    for text in claims or ():
        claim = read_claim(text)
        found.append(next(proved) if claim is None else replace(_verdict(claim, asking), text=text.strip()))
    return replace(proof, claims=(*found, *proved))


def _verdict(claim: PolicyClaim, asking: Asking) -> Claim:
    match claim:
        case Idempotent():
            return idempotent(asking)
        case OrderOf(first, second):
            return exchangeable(asking, first, second)
        case Unchanged(column):
            return unchanged(asking, column)
        case _:
            assert_never(claim)
