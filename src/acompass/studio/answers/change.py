"""What the policy costs: how far each column moves, what information is lost, and which line takes it."""

from typing import Any

from acompass.assist.requirements import RequirementState
from acompass.diagnostics import CallError
from acompass.measure.columns import Roles
from acompass.measures import ColumnChange, Measures
from acompass.propose.loss import total_loss
from acompass.session import Session
from acompass.studio.answers.files import sample_json
from acompass.studio.answers.verdicts import judged, requirement_json
from acompass.studio.asking import Ask
from acompass.studio.body import Body
from acompass.studio.in_json import number
from acompass.studio.measuring import marked_or_grouped, still_there
from acompass.studio.releasing import released
from acompass.studio.studio import Studio
from acompass.syntax import tree
from acompass.syntax.walk import names_dropped, step_of, steps, written_name

_ALL_LOST = 1.0


def compare(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.of(studio, body)
    roles, verdicts = marked_or_grouped(ask), judged(ask)
    measures = studio.remembered(
        ("change", ask.key, roles),
        lambda: studio.ask(body, lambda session: _measured(ask, session, roles)),
    )
    sizes = [*(state.records for state in verdicts.requirements[1:]), verdicts.records_out]
    performed = zip(verdicts.requirements, steps(ask.policy.tree), sizes, strict=True)
    change = {
        **_columns(measures, roles),
        "lines": [_line(ask, state, step, left) for state, step, left in performed],
        "sample": sample_json(studio),
    }
    return {"diagnostics": [], "change": change}


def _measured(ask: Ask, session: Session, roles: Roles) -> Measures:
    """The loss is that of `suggest`, by levels that the values propose. Labels that are on none have none."""
    with (
        released(ask, session) as files,
        ask.studio.open_released(ask.body, files.after, files.dates) as after,
    ):
        kept = still_there(roles, after.columns).quasi_identifiers or after.columns[:1]
        try:
            return after.measure(kept, (), against=files.before, hierarchies={})
        except CallError:
            return after.measure(kept, (), against=files.before)


def _columns(measures: Measures, roles: Roles) -> dict[str, Any]:
    comparison = measures.comparison
    assert comparison is not None, "the table was measured against the one before"
    losses = _losses(measures, roles)
    return {
        "columns": [
            *(_column(each, losses) for each in comparison.columns),
            *(_dropped(name, losses) for name in comparison.only_before),
        ],
        "loss": total_loss(list(losses.values())) if losses else None,
        "records_before": number(comparison.records_before),
        "records_after": number(comparison.records_after),
    }


def _losses(measures: Measures, roles: Roles) -> dict[str, float]:
    """By quasi-identifier; empty if they cannot be measured. A dropped column has lost everything."""
    if measures.loss is None:
        return {}
    known = {each.column: each.loss for each in measures.loss.columns}
    return {name: known.get(name, _ALL_LOST) for name in roles.quasi_identifiers}


def _column(found: ColumnChange, losses: dict[str, float]) -> dict[str, Any]:
    return {
        "column": found.column,
        "distance": number(found.distance),
        "values_before": found.values_before,
        "values_after": found.values_after,
        "information_lost": found.information_lost,
        "loss": losses.get(found.column),
    }


def _dropped(name: str, losses: dict[str, float]) -> dict[str, Any]:
    gone = {"distance": _ALL_LOST, "values_before": None, "values_after": 0, "information_lost": _ALL_LOST}
    return {"column": name, **gone, "loss": losses.get(name)}


def _line(ask: Ask, state: RequirementState, step: tree.Requirement, left: int) -> dict[str, Any]:
    """A REJECT takes records and leaves some. Another action writes a cell of each affected record, of which
    WITH PROBABILITY may leave some out, DROP whole columns."""
    action = step_of(step)
    cells = len(names_dropped(action)) or (0 if written_name(action) is None else 1)
    return {
        **requirement_json(state, ask.offsets),
        "records_lost": state.records - left,
        "cells_changed": state.affected * cells,
    }
