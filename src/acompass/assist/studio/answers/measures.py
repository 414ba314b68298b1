"""The disclosure risk before and after the policy, and what the policy costs, by column and by line."""

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

from acompass.assist.studio.answers.files import sample_json
from acompass.assist.studio.answers.policy import find_verdicts, requirement_json
from acompass.assist.studio.messages import error_json, json_object, number
from acompass.assist.studio.question import (
    Ask,
    Driver,
    Exposure,
    count_records,
    exposure,
    marked_roles,
    release_table,
    roles_to_measure,
    with_journalist,
)
from acompass.assist.studio.state import Studio
from acompass.errors.diagnostics import AcompassError, CallError, TableError
from acompass.language.text import tree
from acompass.language.text.walk import names_dropped, step_of, steps, written_names
from acompass.measure.answer import ColumnChange, Measures, total_loss
from acompass.measure.roles import Roles, measure_notes, without_dropped
from acompass.report.answers.measures import size_label
from acompass.report.page.measures import SizeRange, size_ranges_with_classes, sizes_chart
from acompass.result import RequirementOutcome
from acompass.session import Session

_SERIES = ("before", "after")


def assess(ask: Ask) -> dict[str, Any]:
    """The risk before and after the policy; only the risk before if the policy cannot be applied."""
    roles = roles_to_measure(ask)
    before = _before(ask, roles)
    try:
        after = ask.find("risk", lambda session: _after(ask, session, roles), roles)
    except AcompassError as error:
        return {"diagnostics": error_json(error, ask.body), "risk": _risk(ask.studio, [before])}
    columns = ask.studio.queue.session.columns
    notes = measure_notes(marked_roles(ask), after.measures, ask.policy.tree, columns)
    return {"diagnostics": [], "risk": {**_risk(ask.studio, [before, after]), "notes": [each.text for each in notes]}}


def _before(ask: Ask, roles: Roles) -> Exposure:
    records, population = count_records(ask.studio, ask.body), ask.studio.start.population

    def measure(session: Session) -> Exposure:
        return with_journalist(exposure(session, roles, records), session, population)

    return ask.studio.recall(("exposure", roles), lambda: ask.studio.ask(ask.body, measure))


def _after(ask: Ask, session: Session, roles: Roles) -> Exposure:
    """The population lacks the labels of a generalized table, so the journalist risk may be unknown."""
    with release_table(ask, session) as files, ask.studio.open_released(ask.body, files.after) as after:
        found = exposure(after, without_dropped(roles, ask.policy.tree, after.columns), files.result.records_out)
        with suppress(TableError):
            return with_journalist(found, after, ask.studio.start.population)
        return found


def _risk(studio: Studio, found: Sequence[Exposure]) -> dict[str, Any]:
    before, *after = found
    measures = [each.measures for each in found]
    ranges, series = size_ranges_with_classes(measures), _SERIES[: len(measures)]
    return {
        "before": _side(before.measures),
        "after": _side(after[0].measures) if after else None,
        "drivers": [_driver(driver, before, after) for driver in before.drivers],
        "sizes": [_size(each, series) for each in ranges],
        "chart": sizes_chart(ranges, measures, series),
        "sample": sample_json(studio),
        "notes": [],
    }


def _side(measures: Measures) -> dict[str, Any]:
    classes, journalist = measures.classes, measures.journalist
    return {
        "records": number(measures.records),
        "counted": measures.noun,
        "quasi_identifiers": list(measures.quasi_identifiers),
        "k": number(classes.k),
        "classes": classes.number,
        "uniques": number(classes.uniques),
        "below": [{"k": k, "records": number(classes.records_below(k))} for k in classes.thresholds],
        "prosecutor": _risks(classes.prosecutor_maximum, classes.prosecutor_average),
        "journalist": None if journalist is None else _risks(journalist.maximum, journalist.average),
        "sensitive": [json_object(each, "column", "distinct_l", "entropy_l", "t") for each in measures.sensitive],
    }


def _risks(maximum: Fraction | None, average: Fraction | None) -> dict[str, Any]:
    return {"max": number(maximum), "average": number(average)}


def _driver(driver: Driver, before: Exposure, after: Sequence[Exposure]) -> dict[str, Any]:
    """The influence of a column in the released table, if any; a column that it lacks has none."""
    shown = after[0] if after else before
    later = next((each for each in shown.drivers if each.column == driver.column), None)
    k = shown.measures.k
    return {
        "column": driver.column,
        "k_with": number(k),
        "k_without": number(k if later is None else later.k),
        "uniques_without": number(shown.measures.classes.uniques if later is None else later.uniques),
        "before": {
            "k_with": number(before.measures.k),
            "k_without": number(driver.k),
            "uniques_without": number(driver.uniques),
        },
    }


def _size(found: SizeRange, series: Sequence[str]) -> dict[str, Any]:
    counts = zip(series, found.classes, found.records, strict=True)
    sides = {name: {"classes": classes, "records": number(records)} for name, classes, records in counts}
    return {"size": size_label(found.low, found.high), **sides}


_ALL_LOST = 1.0


def compare(ask: Ask) -> dict[str, Any]:
    roles, verdicts = roles_to_measure(ask), find_verdicts(ask)
    measures = ask.find("change", lambda session: _measure_change(ask, session, roles), roles)
    outcomes = verdicts.result.requirements
    sizes = [*(outcome.records for outcome in outcomes[1:]), verdicts.result.records_out]
    performed = zip(outcomes, steps(ask.policy.tree), sizes, strict=True)
    change = {
        **_columns(measures, roles),
        "lines": [_line(ask, *each) for each in performed],
        "sample": sample_json(ask.studio),
    }
    return {"diagnostics": [], "change": change}


def _measure_change(ask: Ask, session: Session, roles: Roles) -> Measures:
    """Measure the same loss as `suggest`, by levels derived from the values, or no loss if a label has no level."""
    with (
        release_table(ask, session) as files,
        ask.studio.open_released(ask.body, files.after, files.dates) as after,
    ):
        kept = without_dropped(roles, ask.policy.tree, after.columns).quasi_identifiers or after.columns[:1]
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
            *(_dropped_column(name, losses) for name in comparison.only_before),
        ],
        "loss": total_loss(list(losses.values())) if losses else None,
        **json_object(comparison, "records_before", "records_after"),
    }


def _losses(measures: Measures, roles: Roles) -> dict[str, float]:
    """The loss of each quasi-identifier, which is 1 for a dropped column; empty if it cannot be measured."""
    if measures.loss is None:
        return {}
    known = {each.column: each.loss for each in measures.loss.columns}
    return {name: known.get(name, _ALL_LOST) for name in roles.quasi_identifiers}


def _column(found: ColumnChange, losses: dict[str, float]) -> dict[str, Any]:
    change = json_object(found, "column", "distance", "values_before", "values_after", "information_lost")
    return {**change, "loss": losses.get(found.column)}


def _dropped_column(name: str, losses: dict[str, float]) -> dict[str, Any]:
    gone = {"distance": _ALL_LOST, "values_before": None, "values_after": 0, "information_lost": _ALL_LOST}
    return {"column": name, **gone, "loss": losses.get(name)}


def _line(ask: Ask, outcome: RequirementOutcome, step: tree.Requirement, left: int) -> dict[str, Any]:
    """REJECT removes records, DROP columns. Any other action writes a cell of each affected record; with
    WITH PROBABILITY, at most that many."""
    action = step_of(step)
    cells = len(names_dropped(action)) or len(written_names(action))
    return {
        **requirement_json(outcome, step.span, ask.offsets),
        "records_lost": outcome.records - left,
        "cells_changed": outcome.affected * cells,
    }
