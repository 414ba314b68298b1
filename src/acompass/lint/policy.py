"""All findings about a policy, in the order of the text."""

from collections.abc import Callable, Iterator, Mapping

from acompass.checked.parameters import ParamValue
from acompass.checked.types import Type
from acompass.diagnostics import Diagnostic
from acompass.lint.absent_values import no_value_occurs
from acompass.lint.allowing import without_allowed
from acompass.lint.broken_later import broken_later
from acompass.lint.chains import generalization
from acompass.lint.draws import draws_what_it_replaces
from acompass.lint.emptying import empties_the_table
from acompass.lint.establishing import not_established
from acompass.lint.idle_chances import decides_nothing
from acompass.lint.idle_maps import changes_nothing
from acompass.lint.inspected_policy import InspectedPolicy, Occurs
from acompass.lint.never_violated import never_violated
from acompass.lint.ordered_labels import orders_labels
from acompass.prove.column_types import column_types
from acompass.prove.effort import DEADLINE, Exhausted, bounded, require_time, time_limit
from acompass.prove.policy import checked_policy
from acompass.syntax import tree

#: the code of an inspection that was not carried to its end
INCOMPLETE = "AC516"

RULES: tuple[Callable[[InspectedPolicy], Iterator[Diagnostic]], ...] = (
    never_violated,
    not_established,
    broken_later,
    generalization,
    draws_what_it_replaces,
    empties_the_table,
    changes_nothing,
    decides_nothing,
    no_value_occurs,
    orders_labels,
)


def lint_policy(
    policy: tree.Program,
    source: str,
    schema: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
    types: Mapping[str, str | Type] | None = None,
    occurs: Occurs | None = None,
    deadline: float | None = DEADLINE,
) -> tuple[Diagnostic, ...]:
    """The probable mistakes of a valid policy, without those that it allows (X9).

    Raises PolicyError for an invalid policy. Without a schema, columns have the narrowest types that fit the
    policy: gaps between integers are usual. `occurs` looks into a table. AC516 says that findings may be
    missing, because the inspection was ended after `deadline` seconds or costs too much.
    """
    if not policy.requirements:
        return ()
    settings = dict(params or {})
    columns = column_types(policy, settings, schema, types).schema
    inspected = InspectedPolicy(policy, checked_policy(policy, source, columns, settings), occurs)
    with time_limit(deadline):
        found = without_allowed(policy, list(_findings(inspected)))
    return tuple(sorted(found, key=lambda finding: (finding.labels[0].span.start, finding.code)))


def _findings(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    try:
        with bounded():
            for rule in RULES:
                yield from rule(policy)
            require_time()
    except Exhausted as exhausted:
        message = f"findings may be missing: {exhausted}"
        yield policy.finding(INCOMPLETE, message, 0, "lint it with a longer `--deadline`, or in parts")
