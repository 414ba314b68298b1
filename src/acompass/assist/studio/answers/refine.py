"""A control for each column that edits the policy's text, and what the policy does to the columns and to records.

Values of records are shown only if `show values` is on."""

import os
from collections.abc import Hashable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from acompass.assist.analysis import SEED, STAND_IN_KEY
from acompass.assist.controls import Choice, Control, Line, find_controls, maps_named
from acompass.assist.studio.answers.opening import require_shown, sample_json
from acompass.assist.studio.grouping import project_spec
from acompass.assist.studio.messages import Offsets, Refused, edits_json, json_object, number
from acompass.assist.studio.question import UNCHANGED, Ask, about_text
from acompass.assist.studio.state import Project
from acompass.dataclasses import replace
from acompass.errors.diagnostics import AcompassError, Diagnostic
from acompass.explain.answer import Pair
from acompass.language.program.checker import check
from acompass.language.program.label_maps import SUPPRESSED
from acompass.language.program.types import Names, Schema
from acompass.language.program.uses import uses, without_places
from acompass.language.text import tree, walk
from acompass.measure.answer import ColumnEffect, Distribution
from acompass.measure.hierarchy import ByFile, Spec
from acompass.measure.levels import FittingMap, fitting_maps
from acompass.policy import Policy, parse
from acompass.report.answers.results import value_text
from acompass.session import Session
from acompass.tables.source import file_stamp

#: a column with more values is described by its most frequent ones
_MOST_VALUES = 10_000
#: records that a page receives at once
_MOST_ROWS = 1_000


def find_column_controls(ask: Ask) -> dict[str, Any]:
    """The control of each column. `only` names the columns whose choices the page needs first."""
    only = ask.body.names("only") if ask.body.has("only") else None
    found = ask.find("controls", lambda session: _controls(ask, session, only), only, ask.project.levels_key)
    return {"diagnostics": [], "controls": [_control(each, ask) for each in found]}


def _controls(ask: Ask, session: Session, only: Sequence[str] | None) -> tuple[Control, ...]:
    policy = ask.policy
    schemas: dict[Hashable, Schema] = {}

    def problems(text: str, program: tree.Program) -> tuple[Diagnostic, ...]:
        """The problems of a run; policies that use the columns alike give them the same types (D10)."""
        params = ask.used_params
        used = tuple(sorted(uses(program, session.columns, params).items(), key=lambda item: item[0]))
        key = tuple((position, without_places(use)) for position, use in used)
        try:
            if key not in schemas:
                schemas[key] = session.schema(Policy(text, policy.name, program), params=params)
        except AcompassError as error:
            return error.diagnostics
        return check(program, text, schemas[key], params)[1]

    columns = session.columns
    ladders = ask.project.recall("ladders", lambda: _Ladders(session.counted_texts(_MOST_VALUES)))
    named = maps_named(policy.tree, Names(columns))
    levels = {each: ladders.find(each, named.get(each, ()), policy.tree, ask) for each in columns}
    return find_controls(ask.document, columns, levels, problems, only)


class _Ladders:
    """The maps that fit the values of each column, for each set of maps that the policy names for it."""

    def __init__(self, counts: Mapping[str, Mapping[str, int]]):
        self._counts = counts
        self._known: dict[Hashable, tuple[FittingMap, ...]] = {}

    def find(self, column: str, named: tuple[tree.Map, ...], program: tree.Program, ask: Ask) -> tuple[FittingMap, ...]:
        named_files = {level.file.value for level in map(walk.level_in, named) if level is not None}
        files = ask.files if named_files else None
        spec = _spec(ask.project, column)
        stamp = file_stamp(spec.path) if isinstance(spec, ByFile) else None
        known = (column, named, files, spec, stamp)
        if known not in self._known:
            found = fitting_maps(column, self._counts.get(column, {}), named, spec, program)
            if isinstance(spec, ByFile) and spec.path not in named_files:
                found = tuple(replace(each, map=_beside(ask.project, spec.path, each.map)) for each in found)
            self._known[known] = found
        return self._known[known]


def _spec(project: Project, column: str) -> Spec | None:
    """The hierarchy of the project for a column, whose file has an absolute path."""
    spec = project_spec(project, column)
    return ByFile(os.path.abspath(project.file.folder / spec.path)) if isinstance(spec, ByFile) else spec


def _beside(project: Project, path: str, map_: tree.Map) -> tree.Map:
    """A level of the project's hierarchy file as the policy would name it."""
    level = walk.level_in(map_)
    if level is None or level.file.value != path:
        return map_
    return replace(level, file=tree.String(project.path_in_policy(path)))


def _control(found: Control, ask: Ask) -> dict[str, Any]:
    offsets, shown = ask.offsets, ask.project.show_records
    return {
        "column": found.column,
        "setting": None if found.setting is None else found.setting.key,
        "choices": [_choice(each, offsets, shown) for each in found.choices],
        "line": None if found.line is None else _line(found.line, offsets),
        "others": [_line(each, offsets) for each in found.others],
    }


def _choice(found: Choice, offsets: Offsets, shown: bool) -> dict[str, Any]:
    return {
        "key": found.setting.key,
        "kind": str(found.setting.kind),
        "words": found.setting.words,
        "example": found.example if shown else None,
        "edits": None if found.edits is None else edits_json(found.edits, offsets),
        "reason": found.reason,
    }


def _line(found: Line, offsets: Offsets) -> dict[str, Any]:
    return {**json_object(found, "index", "line", "text", "words"), **offsets.span(found.span)}


def describe_effects(ask: Ask) -> dict[str, Any]:
    """What the policy does to each column: cells that changed, and the distribution before and after."""
    policy, params, key = _performed(ask), ask.used_params, ask.project.start.key or STAND_IN_KEY
    found = ask.find("effects", lambda session: session.column_effects(policy, params=params, seed=SEED, key=key))
    return {"diagnostics": [], "effects": [_effect(each) for each in found], "sample": sample_json(ask.project)}


def _performed(ask: Ask) -> Policy:
    """The policy; one that changes nothing if it has no requirement yet."""
    return ask.policy if ask.policy.tree.requirements else parse(UNCHANGED)


def _effect(found: ColumnEffect) -> dict[str, Any]:
    return {
        **json_object(found, "column", "changed", "suppressed", "records"),
        "released": found.is_released,
        "before": next((_bars(each, "before") for each in found.distributions if "before" in each.series), []),
        "after": next((_bars(each, "after") for each in found.distributions if "after" in each.series), []),
    }


def _bars(found: Distribution, series: str) -> list[dict[str, Any]]:
    """The bars of one side; the last one is for values that few records have. `*` is lost detail, not a value."""
    side = found.series.index(series)
    bars = [(bar.label, bar.counts[side], bar.label == SUPPRESSED) for bar in found.bars]
    other = [("other", found.other[side], False)] if found.other[side] else []
    return [{"label": label, "count": number(count), "lost": lost} for label, count, lost in (*bars, *other)]


def list_pairs(ask: Ask) -> dict[str, Any]:
    """Records before and after, in the order of the table; a record that is not released has none after."""
    require_shown(ask.project)
    first, count = ask.body.number("first"), ask.body.number("count")
    if first < 0 or not 0 < count <= _MOST_ROWS:
        raise Refused(HTTPStatus.BAD_REQUEST, f"`first` is below 0, or `count` is not from 1 to {_MOST_ROWS}")
    blocks = range(first // _MOST_ROWS, (first + count - 1) // _MOST_ROWS + 1)
    found = [pair for block in blocks for pair in _block(ask, block)]
    start, columns = first - blocks.start * _MOST_ROWS, ask.project.queue.session.columns
    return {"diagnostics": [], "rows": [_pair(each, columns) for each in found[start : start + count]]}


def _block(ask: Ask, number: int) -> tuple[Pair, ...]:
    """Some records at once: each question runs the policy, and a page that scrolls asks for the next records soon."""
    policy, params, key = _performed(ask), ask.used_params, ask.project.start.key or STAND_IN_KEY
    first = number * _MOST_ROWS
    return ask.find("pairs", lambda session: session.pairs(policy, first, _MOST_ROWS, params, SEED, key), number)


def _pair(found: Pair, columns: Sequence[str]) -> dict[str, Any]:
    return {"before": _cells(found.before, columns), "after": found.after and _cells(found.after, columns)}


def _cells(record: dict[str, Any], columns: Sequence[str]) -> list[str | None]:
    """The texts of a record; None for a column that is missing or not released."""
    return [_cell(record.get(column)) for column in columns]


def _cell(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else value_text(value)


QUESTIONS = {
    "refine/controls": about_text(find_column_controls, controls=None),
    "refine/effects": about_text(describe_effects, effects=None),
    "refine/rows": about_text(list_pairs, rows=None),
}
