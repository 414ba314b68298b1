"""AC514: labels compared, in the order of text, with a value that the map would turn into a label."""

from collections.abc import Iterator

from acompass.checked.effects import generalize_of, record_comparisons
from acompass.checked.maps.level import Level
from acompass.checked.maps.map import Map
from acompass.checked.program import Comparison
from acompass.diagnostics import Diagnostic
from acompass.lint.inspected_policy import InspectedPolicy
from acompass.syntax.spelling import spell_string
from acompass.syntax.tree import Operator


def orders_labels(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """`'2021-01'` comes before `'2021-01-15'`, and `'212**'` before `'21201'`: January would be cut off."""
    maps: dict[int, tuple[Map, int]] = {}
    for at, requirement in enumerate(policy.program.requirements):
        if policy.is_first_step(at):
            for comparison in record_comparisons(requirement):
                if comparison.column in maps:
                    yield from _finding(policy, at, comparison, *maps[comparison.column])
        action = generalize_of(requirement.action)
        if action is not None and not isinstance(action.map, Level):
            maps[action.column] = (action.map, at)


def _finding(
    policy: InspectedPolicy, at: int, comparison: Comparison, map_: Map, since: int
) -> Iterator[Diagnostic]:
    value = comparison.value
    if comparison.operator is Operator.EQ or not isinstance(value, str):
        return
    label = map_.label(value)
    if label not in (None, value):
        name = policy.program.schema[comparison.column].name
        message = f"`{name}` has labels here, which are compared with `{spell_string(value)}` as text"
        also = (policy.label(since, "writes labels"),)
        help_ = f"compare it with a label, as in `{spell_string(str(label))}`"
        yield policy.finding("AC514", message, at, help_, also)
