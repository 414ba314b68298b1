"""The disclosure risk before and after the policy, and what the policy costs, by column and by line."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from acompass.assist.studio.answers.opening import sample_json
from acompass.assist.studio.answers.policy import find_verdicts, requirement_json
from acompass.assist.studio.answers.release import write_beside
from acompass.assist.studio.messages import Body, error_json, json_object, number
from acompass.assist.studio.question import (
    Ask,
    Question,
    about_text,
    count_records,
    marked_roles,
    measure_risk,
    release_table,
    roles_to_measure,
    with_journalist,
)
from acompass.assist.studio.state import Project
from acompass.assist.studio.workspace import Workspace
from acompass.dataclasses import replace
from acompass.errors.diagnostics import AcompassError, CallError, TableError
from acompass.language.program.types import Names
from acompass.language.text import tree
from acompass.language.text.walk import names_dropped, step_of, steps, written_names
from acompass.measure.answer import ColumnChange, Measures, total_loss
from acompass.measure.roles import Roles, measure_notes, person_released, record_risks_note, without_dropped
from acompass.report.answers.measures import WORDS, persons_sentences, size_label
from acompass.report.page.measures import SizeRange, size_ranges_with_classes, sizes_chart
from acompass.result import RequirementOutcome
from acompass.session import Session
from acompass.tables.output import output_format, require_no_policy_file
from acompass.tables.temporary_files import temporary_folder

_SERIES = ("before", "after")


def assess(ask: Ask) -> dict[str, Any]:
    """The risk before and after the policy; only the risk before if the policy cannot be applied."""
    roles = roles_to_measure(ask)
    before = _before(ask, roles)
    try:
        after = ask.find("risk", lambda session: _after(ask, session, roles), roles)
    except AcompassError as error:
        return {"diagnostics": error_json(error, ask.body), "risk": _risk(ask.project, [before])}
    columns = ask.project.queue.session.columns
    notes = measure_notes(marked_roles(ask), after, ask.policy.tree, columns)
    return {"diagnostics": [], "risk": {**_risk(ask.project, [before, after]), "notes": [each.text for each in notes]}}


def _before(ask: Ask, roles: Roles) -> Measures:
    records, population = count_records(ask.project, ask.body), ask.project.start.population

    def measure(session: Session) -> Measures:
        return with_journalist(measure_risk(session, roles, records), session, population)

    return ask.project.recall(("risk before", roles), lambda: ask.project.ask(ask.body, measure))


def _after(ask: Ask, session: Session, roles: Roles) -> Measures:
    """The population lacks the labels of a generalized table, so the journalist risk may be unknown."""
    with (
        release_table(ask, session, roles.person) as files,
        ask.project.open_released(ask.body, files.after) as after,
    ):
        found = measure_risk(after, _released_roles(ask, roles, after), files.result.records_out)
        with suppress(TableError):
            return with_journalist(found, after, ask.project.start.population)
        return found


def _released_roles(ask: Ask, roles: Roles, after: Session) -> Roles:
    """The roles of the columns that the release has. Without the weights, it has no risk in the population."""
    person = person_released(roles.person, ask.policy.tree)
    left = without_dropped(replace(roles, person=person), ask.policy.tree, after.columns)
    weight = left.sampling_weight
    return left if weight is None or Names(after.columns).find(weight) else replace(left, sampling_weight=None)


def _risk(project: Project, measures: Sequence[Measures]) -> dict[str, Any]:
    before, *after = measures
    ranges, series = size_ranges_with_classes(measures), _SERIES[: len(measures)]
    return {
        "before": _side(before),
        "after": _side(after[0]) if after else None,
        "drivers": [_driver(column, before, after) for column in before.quasi_identifiers],
        "sizes": [_size(each, series) for each in ranges],
        "chart": sizes_chart(ranges, measures, series),
        "has_population": project.start.population is not None,
        "persons": list(_persons_sentences(measures)),
        "sample": sample_json(project),
        "notes": [],
    }


def _persons_sentences(measures: Sequence[Measures]) -> Iterator[str]:
    """What the figures mean if persons are counted, in both tables or only in the one before."""
    before, after = measures[0].people, measures[-1].people
    if before is not None and after is None and measures[-1].quasi_identifiers:
        yield (
            "After the policy, records are counted, not persons: it draws or averages values, or changes "
            f"{before.column} so that records of one person may have different values. A class can have fewer persons "
            "than records, and the risk can be higher."
        )
    elif after is not None:
        yield from (f"{each[0].upper()}{each[1:]}." for each in persons_sentences(after))


def _side(measures: Measures) -> dict[str, Any]:
    classes, journalist, sampling = measures.classes, measures.journalist, measures.sampling
    return {
        "records": number(measures.records),
        "persons": number(measures.persons) if measures.people is not None else None,
        "counted": measures.noun,
        "quasi_identifiers": list(measures.quasi_identifiers),
        "k": number(classes.k),
        "classes": classes.number,
        "uniques": number(classes.uniques),
        "below": [{"k": k, "records": number(classes.records_below(k))} for k in classes.thresholds],
        "prosecutor": _risks(classes.prosecutor_maximum, classes.prosecutor_average),
        "journalist": None if journalist is None else _risks(journalist.maximum, journalist.average),
        "marketer": number(measures.marketer),
        "individual": None if sampling is None else _risks(sampling.maximum, sampling.average),
        "expected": None if sampling is None else sampling.expected,
        "population": None if sampling is None else number(sampling.persons),
        "sensitive": [json_object(each, "column", "distinct_l", "entropy_l", "t") for each in measures.sensitive],
    }


def _risks(maximum: Fraction | float | None, average: Fraction | float | None) -> dict[str, Any]:
    return {"max": number(maximum), "average": number(average)}


def _driver(column: str, before: Measures, after: Sequence[Measures]) -> dict[str, Any]:
    """The influence of a column in the released table, if any; a column that it lacks has none."""
    shown = after[0] if after else before
    return {"column": column, **_without(shown, column), "before": _without(before, column)}


def _without(measures: Measures, column: str) -> dict[str, Any]:
    found = (each.without for each in measures.by_quasi_identifier if each.column == column)
    without = next(found, measures.classes)
    return {
        "k_with": number(measures.k),
        "k_without": number(without.k),
        "uniques_without": number(without.uniques),
        "risk_without": number(without.prosecutor_average),
    }


def _size(found: SizeRange, series: Sequence[str]) -> dict[str, Any]:
    counts = zip(series, found.classes, found.records, strict=True)
    sides = {name: {"classes": classes, "records": number(records)} for name, classes, records in counts}
    return {"size": size_label(found.low, found.high), **sides}


_ALL_LOST = 1.0


def compare(ask: Ask) -> dict[str, Any]:
    roles, verdicts = roles_to_measure(ask), find_verdicts(ask)
    levels, key = _levels(ask, roles), ask.project.levels_key
    measures = ask.find("change", lambda session: _measure_change(ask, session, roles, levels), roles, key)
    outcomes = verdicts.result.requirements
    sizes = [*(outcome.records for outcome in outcomes[1:]), verdicts.result.records_out]
    performed = zip(outcomes, steps(ask.policy.tree), sizes, strict=True)
    change = {
        **_columns(measures, roles),
        "lines": [_line(ask, *each) for each in performed],
        "sample": sample_json(ask.project),
    }
    return {"diagnostics": [], "change": change}


def _levels(ask: Ask, roles: Roles) -> dict[str, str]:
    """The hierarchies of the project, which the search uses as well; none if one of them is not valid, as the search
    says."""
    try:
        return ask.project.levels(roles.quasi_identifiers)
    except CallError:
        return {}


def _measure_change(ask: Ask, session: Session, roles: Roles, levels: Mapping[str, str]) -> Measures:
    """Measure the same loss as `suggest`, by the hierarchies of the project and else by levels derived from the values,
    or no loss if a label has no level."""
    with (
        release_table(ask, session) as files,
        ask.project.open_released(ask.body, files.after, files.dates) as after,
    ):
        kept = without_dropped(roles, ask.policy.tree, after.columns).quasi_identifiers or after.columns[:1]
        try:
            own = {name: levels[name] for name in kept if name in levels}
            return after.measure(kept, (), against=files.before, hierarchies=own, policy=ask.policy)
        except CallError:
            return after.measure(kept, (), against=files.before, policy=ask.policy)


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


def write_record_risks(ask: Ask) -> dict[str, Any]:
    """Write the risk of each record, of the original table or of the release, into the policy's folder."""
    project, name = ask.project, ask.body.text("name")
    output_format(name)
    roles, is_released = roles_to_measure(ask), ask.body.flag("released")
    if ask.document.policy is not None:
        require_no_policy_file(str(project.file.folder / name), ask.document.policy)

    def measure(session: Session, path: Path) -> int:
        left = _released_roles(ask, roles, session) if is_released else roles
        population = None if left.sampling_weight is not None or is_released else project.start.population
        measures = session.measure(
            left.quasi_identifiers,
            (),
            person=left.person,
            sampling_weight=left.sampling_weight,
            population=population,
            records=path,
        )
        return int(measures.records)

    def measure_release(session: Session, path: Path) -> int:
        with (
            release_table(ask, session, roles.person) as files,
            project.open_released(ask.body, files.after) as after,
        ):
            return measure(after, path)

    with temporary_folder() as folder:
        path = Path(folder, f"risk{output_format(name)}")
        question = partial(measure_release if is_released else measure, path=path)
        records = project.ask_whole(ask.body, question)
        write_beside(project, {name: path.read_bytes()}, ask.body.flag("replace"), keep=False)
    return {"diagnostics": [], "written": {"name": name, "records": records, "note": record_risks_note(name).text}}


def words(_: Workspace, __: Body) -> dict[str, Any]:
    return {"words": dict(WORDS)}


QUESTIONS = {
    "risk": about_text(assess, risk=None),
    "change": about_text(compare, change=None),
    "record_risks": about_text(write_record_risks, written=None),
    "words": Question(words),
}
