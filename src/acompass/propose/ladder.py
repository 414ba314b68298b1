"""The levels of a column, from fine to coarse, and every text that its cells can have on the way.

Labels are looked up by calling the maps of GENERALIZE, so a ladder does what the language does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from acompass.checked.maps.map import SUPPRESSED
from acompass.diagnostics import CallError, Diagnostic
from acompass.hierarchies.hierarchy import Hierarchy
from acompass.propose.choose import Choice, choice_of
from acompass.propose.files import sound_hierarchy
from acompass.propose.levels import rows
from acompass.propose.rungs import TOP, Rung, rung_of, rungs_of_file, words_of
from acompass.propose.specs import ByFile, Spec
from acompass.propose.values import Values


@dataclass(frozen=True)
class Ladder:
    """Level n is `rungs[n - 1]`. The last level gives all values one label.

    `labels` are the texts of cells: first the table's values, as many as `values` says, then further labels.
    `up[n - 1]` has, for each label's position, the position of its label at level n. `sizes` has, for each
    label, the rows of the hierarchy that carry it, and `rows` all of them.
    """

    column: str
    rungs: tuple[Rung, ...]
    labels: tuple[str, ...]
    values: int
    up: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    rows: int
    words: str

    def share(self, label: int) -> Fraction:
        return Fraction(self.sizes[label], self.rows)


@dataclass(frozen=True, slots=True)
class _Levels:
    """Levels before those that change nothing are left out. `hierarchy` says how many rows carry a label."""

    rungs: tuple[Rung, ...]
    hierarchy: Hierarchy


def ladder(values: Values, spec: Spec | None = None) -> Ladder:
    """Without a spec, the values decide. Raises if they do not fit the levels."""
    levels = _levels(values, spec)
    rungs = _that_change(levels.rungs, values.texts)
    labels = _reachable(values.texts, rungs)
    places = {label: place for place, label in enumerate(labels)}
    return Ladder(
        values.column,
        rungs,
        labels,
        len(values.texts),
        tuple(tuple(places[_label(rung, label)] for label in labels) for rung in rungs),
        tuple(_size(levels.hierarchy, label) for label in labels),
        len(levels.hierarchy.rows),
        words_of(rungs) or f"{_origin(values, spec)}, no level but `*`",
    )


def _origin(values: Values, spec: Spec | None) -> str:
    if isinstance(spec, ByFile):
        return spec.path
    return "1 value" if len(values.texts) == 1 else f"{len(values.texts):,} values"


def _levels(values: Values, spec: Spec | None) -> _Levels:
    plain = replace(values, texts=tuple(text for text in values.texts if text != SUPPRESSED))
    if isinstance(spec, ByFile):
        return _of_file(plain, spec.path)
    return _of_choice(plain, choice_of(plain, spec))


def _of_choice(values: Values, choice: Choice) -> _Levels:
    """A level at which all values have one label loses as much as `*`, which also holds for other tables."""
    hierarchy = Hierarchy(rows(values, choice.maps, choice.kind) or ((SUPPRESSED, SUPPRESSED),), digest="")
    below = [
        rung_of(map_) for map_, row in zip(choice.maps, _columns(hierarchy), strict=False) if len(row) > 1
    ]
    return _Levels((*below, TOP), hierarchy)


def _of_file(values: Values, path: str) -> _Levels:
    hierarchy = sound_hierarchy(path)
    absent = sum(text not in hierarchy.lowest_level for text in values.texts)
    if absent:
        raise _incomplete(values, absent, path)
    columns = _columns(hierarchy)
    constant = next((place for place, column in enumerate(columns) if len(column) == 1), len(columns))
    rungs = rungs_of_file(hierarchy, path)
    if constant == len(columns) or columns[constant] == {SUPPRESSED}:
        return _Levels((*rungs[:constant], TOP), hierarchy)
    return _Levels(rungs[: constant + 1], hierarchy)


def _columns(hierarchy: Hierarchy) -> list[set[str]]:
    """The labels of each level, from level 1 on."""
    return [set(column) for column in zip(*hierarchy.rows, strict=True)][1:]


def _that_change(rungs: Sequence[Rung], texts: Sequence[str]) -> tuple[Rung, ...]:
    """Without the levels that give every value the label of the level before."""
    found, before = [], list(texts)
    for rung in rungs:
        after = [_label(rung, text) for text in texts]
        if after != before:
            found.append(rung)
            before = after
    return tuple(found)


def _reachable(texts: Sequence[str], rungs: Sequence[Rung]) -> tuple[str, ...]:
    """The texts, then every label that levels in any order make of them."""
    found = dict.fromkeys(texts)
    new = list(found)
    while new:
        labels = dict.fromkeys(_label(rung, text) for rung in rungs for text in new)
        new = [label for label in labels if label not in found]
        found |= dict.fromkeys(new)
    return tuple(found)


def _label(rung: Rung, text: str) -> str:
    label = rung.map.label(text)
    assert label is not None, "the values fit the levels"
    return label


def _size(hierarchy: Hierarchy, label: str) -> int:
    if label == SUPPRESSED:
        return len(hierarchy.rows)
    return hierarchy.rows_with(label, hierarchy.lowest_level[label])


def _incomplete(values: Values, absent: int, path: str) -> CallError:
    some = "1 value" if absent == 1 else f"{absent:,} values"
    finding = Diagnostic(
        "AC611",
        f"hierarchy `{path}` lacks {some} of the {len(values.texts):,} in column `{values.column}`",
        help="add a row for each of them to the file, or give another hierarchy",
    )
    return CallError([finding])
