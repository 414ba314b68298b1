"""How well the table hides people, before the policy and after it, and which column tells most about them."""

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

from acompass.diagnostics import AcompassError, TableError
from acompass.measure.columns import Roles
from acompass.measures import Measures, Sensitive
from acompass.report.html.measures import SizeRange, ranges_of, sizes_chart
from acompass.report.sizes import size_label
from acompass.session import Session
from acompass.studio.answers.files import sample_json
from acompass.studio.asking import Ask, records_of
from acompass.studio.body import Body
from acompass.studio.in_json import error_json, number
from acompass.studio.measuring import (
    Driver,
    Exposure,
    exposure,
    marked_or_grouped,
    still_there,
    with_journalist,
)
from acompass.studio.releasing import released
from acompass.studio.studio import Studio

_SERIES = ("before", "after")


def assess(studio: Studio, body: Body) -> dict[str, Any]:
    """A policy that cannot be performed has no risk after it; the one before it is known all the same."""
    ask = Ask.of(studio, body)
    roles = marked_or_grouped(ask)
    before = _before(ask, roles)
    try:
        after = studio.remembered(
            ("risk", ask.key, roles),
            lambda: studio.ask(body, lambda session: _after(ask, session, roles)),
        )
    except AcompassError as error:
        return {"diagnostics": error_json(error, body), "risk": _risk(studio, [before])}
    return {"diagnostics": [], "risk": _risk(studio, [before, after])}


def _before(ask: Ask, roles: Roles) -> Exposure:
    records, population = records_of(ask.studio, ask.body), ask.studio.start.population

    def measured(session: Session) -> Exposure:
        return with_journalist(exposure(session, roles, records), session, population)

    return ask.studio.remembered(("exposure", roles), lambda: ask.studio.ask(ask.body, measured))


def _after(ask: Ask, session: Session, roles: Roles) -> Exposure:
    """A population does not have the labels of a generalized table, so there may be no journalist risk."""
    with released(ask, session) as files, ask.studio.open_released(ask.body, files.after) as after:
        found = exposure(after, still_there(roles, after.columns), files.result.records_out)
        with suppress(TableError):
            return with_journalist(found, after, ask.studio.start.population)
        return found


def _risk(studio: Studio, found: Sequence[Exposure]) -> dict[str, Any]:
    before, *after = found
    measures = [each.measures for each in found]
    ranges, series = ranges_of(measures), _SERIES[: len(measures)]
    return {
        "before": _side(before.measures),
        "after": _side(after[0].measures) if after else None,
        "drivers": [_driver(driver, before, after) for driver in before.drivers],
        "sizes": [_size(each, series) for each in ranges],
        "chart": sizes_chart(ranges, measures, series),
        "sample": sample_json(studio),
    }


def _side(measures: Measures) -> dict[str, Any]:
    classes, journalist = measures.classes, measures.journalist
    return {
        "records": number(classes.records),
        "quasi_identifiers": list(measures.quasi_identifiers),
        "k": number(classes.k),
        "classes": classes.number,
        "uniques": number(classes.uniques),
        "below": [{"k": k, "records": number(classes.records_below(k))} for k in classes.thresholds],
        "prosecutor": _risks(classes.prosecutor_maximum, classes.prosecutor_average),
        "journalist": None if journalist is None else _risks(journalist.maximum, journalist.average),
        "sensitive": [_sensitive(each) for each in measures.sensitive],
    }


def _risks(maximum: Fraction | None, average: Fraction | None) -> dict[str, Any]:
    return {"max": number(maximum), "average": number(average)}


def _sensitive(found: Sensitive) -> dict[str, Any]:
    return {
        "column": found.column,
        "distinct_l": found.distinct_l,
        "entropy_l": found.entropy_l,
        "t": number(found.t),
    }


def _driver(driver: Driver, before: Exposure, after: Sequence[Exposure]) -> dict[str, Any]:
    """Of the table that would be released, if there is one: a column that it lacks drives nothing."""
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
