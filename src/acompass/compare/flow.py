"""From two policies to their comparison."""

from collections.abc import Mapping, Sequence

from acompass.checked.parameters import ParamValue
from acompass.checked.types import Type
from acompass.compare.answer import Comparison
from acompass.compare.equivalence import Equivalence, equivalence
from acompass.compare.guarantees import Given, kept_guarantees
from acompass.compare.impact import impact
from acompass.compare.pairs import Pair, Source, typed_pairs


def compare_policies(
    old: Source,
    new: Source,
    schema: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
    types: Mapping[str, str | Type] | None = None,
) -> Comparison:
    """For every table and trace. A parameter has the same value in both policies. Without a schema, the
    columns are those that the policies name; `types` gives the types of some of them."""
    given = Given(schema, dict(params or {}), types)
    columns, pairs = typed_pairs(old, new, schema, given.params, types)
    found = of_all(pairs)
    kept = kept_guarantees(old, new, given)
    return Comparison(
        found.is_equivalent,
        found.reason,
        found.difference,
        kept,
        kept_guarantees(new, old, given),
        impact(pairs, kept, found.is_equivalent is True),
        columns.names(),
        tuple(columns.schema[at].name for at in sorted(columns.inferred)),
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
