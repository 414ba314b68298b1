"""The guarantees of a policy, and which of them another policy keeps.

A guarantee is one of the policy's assertions that `prove` proves of the table that a run writes. A check is
known to hold where it stands, so it is a guarantee if no later line can break it (D31).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from acompass.checked.parameters import ParamValue
from acompass.checked.types import Type
from acompass.compare.pairs import Source
from acompass.diagnostics import PolicyError
from acompass.diagnostics.source import Source as Lines
from acompass.prove.claims import ParsedClaim, assertions_of
from acompass.prove.policy import prove_policy
from acompass.prove.proof import Claim, ClaimVerdict
from acompass.syntax.tree import place_of


@dataclass(frozen=True, slots=True)
class Given:
    """What both policies are asked with."""

    schema: Mapping[str, str | Type] | None
    params: Mapping[str, ParamValue]
    types: Mapping[str, str | Type] | None


def kept_guarantees(source: Source, other: Source, given: Given) -> tuple[Claim, ...]:
    """The guarantees of a policy, each with the verdict about the other one."""
    own = _own_assertions(source)
    proved = [
        claim for claim in _verdicts(source, other, list(own), given) if claim.verdict is ClaimVerdict.PROVED
    ]
    verdicts = _verdicts(other, source, [claim.text for claim in proved], given)
    return tuple(replace(claim, line=own[claim.text]) for claim in verdicts)


def _own_assertions(source: Source) -> dict[str, int | None]:
    """The text of each assertion, with its line."""
    lines = Lines(source.text)
    found: dict[str, int | None] = {}
    for _, assertion in assertions_of(source.tree):
        place = place_of(assertion.span)
        line = None if place is None else lines.position(place.start)[0]
        found.setdefault(ParsedClaim(source.text, assertion).text, line)
    return found


def _verdicts(source: Source, other: Source, texts: Sequence[str], given: Given) -> list[Claim]:
    """A claim that does not fit the final table of the policy is undecided."""
    if not texts:
        return []
    try:
        return _proved(source, other, texts, given)
    except PolicyError as error:
        if len(texts) > 1:
            return [claim for text in texts for claim in _verdicts(source, other, [text], given)]
        reason = f"it does not fit the table that this policy leaves: {error.diagnostics[0].message}"
        return [Claim(texts[0], None, ClaimVerdict.UNDECIDED, reason)]


def _proved(source: Source, other: Source, texts: Sequence[str], given: Given) -> list[Claim]:
    asked = (source.tree, source.text, texts, given.schema, given.params, given.types)
    return list(prove_policy(*asked, beside=(other.tree,), deadline=None).claims)
