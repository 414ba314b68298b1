"""From a released table and its policy to the estimated distribution of a column before the release."""

from collections.abc import Mapping

from acompass import pipeline
from acompass.checked.names import Names
from acompass.checked.parameters import ParamValue
from acompass.checked.program import Program
from acompass.checked.types import Column
from acompass.checked.uses import uses
from acompass.diagnostics import PolicyError
from acompass.engines.engine import OpenTable
from acompass.estimate.domain import Transitions, transitions
from acompass.estimate.kernel import Stopped, TooMany
from acompass.estimate.lines import Lines, lines_of, stopping
from acompass.estimate.notes import notes_on
from acompass.estimate.refusals import too_many
from acompass.estimate.solve import solve
from acompass.estimates import Estimate
from acompass.options import ReadingOptions
from acompass.policy import Policy, attach_text
from acompass.pram.read import UNUSED, CountedColumn, column_position, counted_column
from acompass.prove.inferred_schema import inferred_schema


def estimate_column(
    source: OpenTable,
    policy: Policy,
    params: Mapping[str, ParamValue],
    column: str,
    reading: ReadingOptions,
) -> Estimate:
    with attach_text(policy):
        position = column_position(column, source)
        use = uses(policy.tree, source.names, params, may_be_released=True).get(position, UNUSED)
        counted = counted_column(source, position, use, reading)
        program, place = _program(policy, params, counted)
        lines = lines_of(program, place)
        if not isinstance(lines, Lines):
            raise PolicyError(lines, policy.text, policy.name)
        found = _transitions(program, lines, place, counted)
    estimate = solve(counted, found, lines.drawing[0].line if lines.drawing else None)
    return notes_on(estimate, found)


def _program(policy: Policy, params: Mapping[str, ParamValue], counted: CountedColumn) -> tuple[Program, int]:
    """The policy, checked for a column as it is in the released table, and the column's position. The other
    columns may look different there, so that the policy decides their types."""
    schema = inferred_schema(policy.tree, params)
    found = Names([column.name for column in schema]).find(counted.name)
    place = found[0] if found else len(schema)
    own = Column(counted.name, counted.type)
    schema = (*schema[:place], own, *schema[place + 1 :])
    return pipeline.checked(policy, schema, params, may_be_released=True), place


def _transitions(program: Program, lines: Lines, place: int, counted: CountedColumn) -> Transitions:
    seen = {text: each.value for text, each in counted.counts.items()}
    try:
        return transitions(program, lines, place, seen)
    except Stopped as error:
        raise PolicyError([stopping(error.line)]) from None
    except TooMany as error:
        raise too_many(counted.name, error.values) from None
