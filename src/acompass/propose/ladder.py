"""The levels of a column, from fine to coarse, and every text that its cells can have on the way.

Labels are looked up by calling the maps of GENERALIZE, so a ladder does what the language does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

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


@dataclass(frozen=True, slots=True)
class _Step:
    """A level that remembers its labels: a column may have millions of values."""

    rung: Rung
    known: dict[str, str] = field(default_factory=dict)

    def label(self, text: str) -> str:
        found = self.known.get(text) or self.rung.map.label(text)
        assert found is not None, "the values fit the levels"
        self.known[text] = found
        return found


@dataclass(frozen=True)
class Levels:
    """Also those that change nothing in this table. The rows of the hierarchy carry their labels."""

    steps: tuple[_Step, ...]
    hierarchy: Hierarchy

    @property
    def rows(self) -> int:
        return len(self.hierarchy.rows)

    def size(self, label: str) -> int:
        """The rows that carry a label at the lowest level that has it; 0 for a text on no level."""
        if label == SUPPRESSED:
            return self.rows
        lowest = self.hierarchy.lowest_level.get(label)
        return 0 if lowest is None else self.hierarchy.rows_with(label, lowest)


def ladder(values: Values, spec: Spec | None = None) -> Ladder:
    """Without a spec, the values decide. Raises if they do not fit the levels."""
    levels = levels_of(values, spec)
    top = [_Step(TOP)] if SUPPRESSED in values.texts else []
    steps = _that_change([*levels.steps, *top], values.texts)
    rungs = tuple(step.rung for step in steps)
    labels = _reachable(values.texts, steps)
    places = {label: place for place, label in enumerate(labels)}
    return Ladder(
        values.column,
        rungs,
        labels,
        len(values.texts),
        tuple(tuple(places[step.label(label)] for label in labels) for step in steps),
        tuple(map(levels.size, labels)),
        levels.rows,
        levels_in_words(rungs, values, spec),
    )


def levels_in_words(rungs: Sequence[Rung], values: Values, spec: Spec | None) -> str:
    if words := words_of(rungs):
        return words
    count = "1 value" if len(values.texts) == 1 else f"{len(values.texts):,} values"
    return f"{spec.path if isinstance(spec, ByFile) else count}, no level but `*`"


def levels_of(values: Values, spec: Spec | None) -> Levels:
    """Up to one label for all values but `*`, which no level changes and no row of the hierarchy has."""
    plain = replace(values, texts=tuple(text for text in values.texts if text != SUPPRESSED))
    if isinstance(spec, ByFile):
        return _of_file(plain, spec.path)
    return _of_choice(plain, choice_of(plain, spec))


def _of_choice(values: Values, choice: Choice) -> Levels:
    """A level at which all values have one label loses as much as `*`, which also holds for other tables."""
    hierarchy = Hierarchy(rows(values, choice.maps, choice.kind) or ((SUPPRESSED, SUPPRESSED),), digest="")
    texts, *columns = zip(*hierarchy.rows, strict=True)
    steps = (
        _Step(rung_of(map_), dict(zip(texts, labels, strict=True)))
        for map_, labels in zip(choice.maps, columns, strict=False)
        if len(set(labels)) > 1
    )
    return Levels((*steps, _Step(TOP)), hierarchy)


def _of_file(values: Values, path: str) -> Levels:
    hierarchy = sound_hierarchy(path)
    absent = sum(text not in hierarchy.lowest_level for text in values.texts)
    if absent:
        raise _incomplete(values, absent, path)
    _, *columns = map(set, zip(*hierarchy.rows, strict=True))
    last = next((place for place, labels in enumerate(columns) if len(labels) == 1), len(columns))
    steps = [_Step(rung) for rung in rungs_of_file(hierarchy, path)]
    if columns[last:] and columns[last] != {SUPPRESSED}:
        return Levels(tuple(steps[: last + 1]), hierarchy)
    return Levels((*steps[:last], _Step(TOP)), hierarchy)


def _that_change(steps: Sequence[_Step], texts: Sequence[str]) -> tuple[_Step, ...]:
    """Without the levels that give every value the label of the level before."""
    found, before = [], list(texts)
    for step in steps:
        after = [step.label(text) for text in texts]
        if after != before:
            found.append(step)
            before = after
    return tuple(found)


def _reachable(texts: Sequence[str], steps: Sequence[_Step]) -> tuple[str, ...]:
    """The texts, then every label that levels in any order make of them."""
    found = dict.fromkeys(texts)
    new = list(found)
    while new:
        labels = dict.fromkeys(step.label(text) for step in steps for text in new)
        new = [label for label in labels if label not in found]
        found |= dict.fromkeys(new)
    return tuple(found)


def _incomplete(values: Values, absent: int, path: str) -> CallError:
    some = "1 value" if absent == 1 else f"{absent:,} values"
    finding = Diagnostic(
        "AC611",
        f"hierarchy `{path}` lacks {some} of the {len(values.texts):,} in column `{values.column}`",
        help="add a row for each of them to the file, or give another hierarchy",
    )
    return CallError([finding])
