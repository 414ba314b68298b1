"""The loss of a release by the levels of the policy that made it, where its labels are on levels.

A column that GENERALIZE does not name gets the levels that its values propose. A column with a label that is
on no level, such as one that REPLACE invented, has no loss and is left out.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import duckdb

from acompass.diagnostics import CallError
from acompass.hierarchies.hierarchy import Hierarchy
from acompass.measure.columns import Positions
from acompass.measure.label_order import Key, places_in
from acompass.measure.loss import Cells, LosingColumn, cells_of
from acompass.measure.query import one_row
from acompass.measure.view import View
from acompass.measures import ColumnLoss, Loss
from acompass.propose.files import sound_hierarchy
from acompass.propose.ladder import Levels
from acompass.propose.loss import total_loss
from acompass.propose.specs import ByDate, ByPrefix, Spec
from acompass.syntax import tree
from acompass.syntax.walk import generalize_of, is_bands, step_of, steps

#: a column with more values is left out: their levels would take longer than the run
MOST_VALUES = 100_000


class PolicyLevels:
    """The maps of GENERALIZE by column, under names without case."""

    def __init__(self, program: tree.Program | None):
        self._folder = "" if program is None else program.folder
        self._maps: dict[str, list[tree.Map]] = defaultdict(list)
        for requirement in () if program is None else steps(program):
            action = generalize_of(step_of(requirement))
            if action is not None:
                self._maps[action.name.text.casefold()].append(action.map)

    def hierarchy(self, name: str) -> tuple[str, Hierarchy, str | None] | None:
        """The last file that LEVEL names for a column, its hierarchy, and the label of other values."""
        for map_ in reversed(self._maps.get(name.casefold(), ())):
            if isinstance(map_, tree.LevelOf):
                path = Path(self._folder, map_.file.value)
                return path.name, sound_hierarchy(str(path)), _text(map_.otherwise)
        return None

    def spec(self, name: str) -> Spec | None:
        """The levels of a column without LEVEL; None if its values propose them. Bands need none: their
        labels are intervals."""
        maps = self._maps.get(name.casefold(), ())
        lengths = {int(map_.length.value) for map_ in maps if isinstance(map_, tree.PrefixOf)}
        if lengths:
            return ByPrefix(tuple(sorted(lengths, reverse=True)))
        return ByDate() if any(isinstance(map_, tree.DatePart) for map_ in maps) else None

    def has_bands(self, name: str) -> bool:
        return any(map(is_bands, self._maps.get(name.casefold(), ())))

    def orders(self) -> dict[str, Mapping[str, Key]]:
        """The order of the labels of each column with a hierarchy."""
        found = {name: self.hierarchy(name) for name in self._maps}
        return {name: places_in(levels[1]) for name, levels in found.items() if levels is not None}


def _text(constant: tree.Constant | None) -> str | None:
    return constant.value if isinstance(constant, tree.String) else None


def policy_loss(
    con: duckdb.DuckDBPyConnection,
    after: View,
    ours: Positions,
    before: View,
    theirs: Positions,
    levels: PolicyLevels,
) -> Loss | None:
    """The loss of the quasi-identifiers with known levels; None if there are none."""
    places = zip(ours.quasi_identifiers, theirs.quasi_identifiers, strict=True)
    found = tuple(loss for a, b in places for loss in _column(con, (after, a), (before, b), levels))
    return Loss(found, total_loss([each.loss for each in found])) if found else None


def _column(
    con: duckdb.DuckDBPyConnection, after: tuple[View, int], before: tuple[View, int], levels: PolicyLevels
) -> Iterator[ColumnLoss]:
    view, place = before
    (kinds,) = one_row(con, f"SELECT approx_count_distinct({view.value(place)}) FROM {view.relation}")
    if kinds > MOST_VALUES:
        return
    try:
        column = _losing(view.schema[place].name, cells_of(con, *before), cells_of(con, *after), levels)
    except CallError:  # the values do not fit the levels
        return
    if not column.unexplained:
        yield column.loss()


def _losing(name: str, before: Cells, after: Cells, levels: PolicyLevels) -> LosingColumn:
    found = levels.hierarchy(name)
    if found is None:
        words = "numbers in bands of the policy" if levels.has_bands(name) else None
        return LosingColumn.by_spec(name, before, after, levels.spec(name), words)
    file, hierarchy, otherwise = found
    rows = _with_others(hierarchy, sorted(before.persons), otherwise)
    return LosingColumn(name, before, after, Levels((), rows), f"levels of {file}")


def _with_others(hierarchy: Hierarchy, texts: Sequence[str], otherwise: str | None) -> Hierarchy:
    """The hierarchy with a row for each value that only ELSE gives a label."""
    absent = [text for text in texts if text not in hierarchy.lowest_level]
    if otherwise is None or not absent:
        return hierarchy
    rows = tuple((text, *[otherwise] * hierarchy.levels) for text in absent)
    return Hierarchy((*hierarchy.rows, *rows), hierarchy.digest)
