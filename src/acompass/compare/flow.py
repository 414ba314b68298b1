"""From two policies to their comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from acompass.checked.parameters import ParamValue
from acompass.checked.types import Type
from acompass.compare.answer import Comparison
from acompass.compare.equivalence import Equivalence, equivalence
from acompass.compare.guarantees import kept_guarantees
from acompass.compare.impact import impact
from acompass.compare.pairs import Given, Pair, typed_pairs
from acompass.policy import Policy
from acompass.prove.proof import Claim, ClaimVerdict


def compare_policies(
    old: Policy,
    new: Policy,
    schema: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
    types: Mapping[str, str | Type] | None = None,
) -> Comparison:
    """For every table and trace. A parameter has the same value in both policies. Without a schema, the
    columns are those that the policies name; `types` gives the types of some of them."""
    given = Given(schema, dict(params or {}), types)
    columns, pairs = typed_pairs(old, new, schema, given.params, types)
    found = of_all(pairs)
    kept, reverse = kept_guarantees(old, new, given), kept_guarantees(new, old, given)
    if found.is_equivalent:
        kept, reverse = map(_by_equivalence, (kept, reverse))
    return Comparison(
        found.is_equivalent,
        found.reason,
        found.difference,
        kept,
        reverse,
        impact(pairs, kept, found.is_equivalent is True),
        columns.names(),
        tuple(columns.schema[at].name for at in sorted(columns.inferred)),
    )


def _by_equivalence(guarantees: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """What is guaranteed by a policy is by an equivalent one, even if that takes another proof."""
    return tuple(
        replace(claim, verdict=ClaimVerdict.PROVED, reason="the policies are equivalent")
        if claim.verdict is ClaimVerdict.UNDECIDED
        else claim
        for claim in guarantees
    )


def of_all(pairs: Sequence[Pair]) -> Equivalence:
    """Policies are equivalent if they are with all types. A difference with the narrowest is read best."""
    undecided: Equivalence | None = None
    for pair in pairs:
        found = equivalence(pair)
        if found.is_equivalent is False:
            return found
        undecided = undecided or (found if found.is_equivalent is None else None)
    return undecided or found
