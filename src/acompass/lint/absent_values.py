"""AC513: a hierarchy none of whose texts occur in the column of the table."""

from collections.abc import Iterator

from acompass.checked.effects import column_written, generalize_of
from acompass.checked.maps.level import Level
from acompass.checked.types import Kind
from acompass.diagnostics import Diagnostic
from acompass.lint.inspected_policy import InspectedPolicy

#: the most texts that the table is searched for
MOST_TEXTS = 5_000


def no_value_occurs(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """Only where the column still has the values of the table."""
    written: set[int | None] = set()
    for at, requirement in enumerate(policy.program.requirements):
        action = generalize_of(requirement.action)
        if action is not None and action.column not in written:
            column = requirement.before[action.column]
            match action.map:
                case Level(hierarchy) if column.type.kind is Kind.TEXT and policy.occurs is not None:
                    texts = list(hierarchy.lowest_level)
                    if len(texts) <= MOST_TEXTS and not policy.occurs(column.name, texts):
                        yield _finding(policy, at, column.name)
        written.add(column_written(requirement.action))


def _finding(policy: InspectedPolicy, at: int, column: str) -> Diagnostic:
    message = f"column `{column}` of the table has no value of this hierarchy"
    help_ = "check that it is the hierarchy of this column, and how both spell the values"
    return policy.finding("AC513", message, at, help_)
