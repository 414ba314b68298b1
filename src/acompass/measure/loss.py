"""The loss of a released table against an earlier one, as ARX defines it.

Tables are bags, so cells are counted, and no records are compared. The loss is measured by the levels of a call, or by
those of the policy that produced the release. With a policy, a column that GENERALIZE does not name gets the levels
that its values suggest, and a column with a label that is on no level, such as one that REPLACE wrote, is left out.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import duckdb

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.language.program.hierarchies import Hierarchy
from acompass.language.program.label_maps import SUPPRESSED
from acompass.language.text import tree
from acompass.language.text.walk import (
    generalize_in,
    level_in,
    map_parts,
    replacement_in,
    step_of,
    steps,
    written_names,
)
from acompass.measure.answer import ColumnLoss, Loss, Persons, column_loss, total_loss
from acompass.measure.classes import one_row
from acompass.measure.hierarchy import ByDate, ByFile, ByPrefix, Spec, column_values, parse_specs, sound_hierarchy
from acompass.measure.labels import Key, LabelCoverage, is_prefix, label_interval, places_in
from acompass.measure.levels import Levels, find_levels, levels_in_words, spec_of_map
from acompass.measure.records import Records, count_texts
from acompass.measure.roles import Positions
from acompass.options import HierarchiesArgument

#: a column with more values is left out, because finding their levels would take longer than the run
MOST_VALUES = 100_000


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a column. Empty texts count as missing, because a CSV does not distinguish them."""

    persons: dict[str, Persons]  # the number of persons with each text
    missing: Persons

    @property
    def records(self) -> Persons:
        return sum(self.persons.values()) + self.missing


def measure_loss(
    after: Records,
    ours: Positions,
    before: Records,
    theirs: Positions,
    hierarchies: HierarchiesArgument,
) -> Loss:
    """Measure the loss. Quasi-identifiers without a hierarchy get the levels that their values suggest."""
    names = [before.schema[position].name for position in theirs.quasi_identifiers]
    specs = parse_specs(hierarchies, names)
    places = zip(names, ours.quasi_identifiers, theirs.quasi_identifiers, strict=True)
    columns = [
        LosingColumn.by_spec(name, count_cells(before, b), count_cells(after, a), specs.get(i))
        for i, (name, a, b) in enumerate(places)
    ]
    if unknown := [column for column in columns if column.unknown_labels]:
        raise CallError([column.finding() for column in unknown])
    found = tuple(column.loss() for column in columns)
    return Loss(found, total_loss([each.loss for each in found]))


def require_earlier_table(hierarchies: HierarchiesArgument | None, against: object) -> None:
    if hierarchies is not None and against is None:
        message = "measuring loss requires the table before anonymization"
        raise CallError([Diagnostic("AC616", message, help=f"name it: `{option_text('against', 'people.csv')}`")])


def count_cells(records: Records, position: int) -> Cells:
    texts = count_texts(records, position)
    persons = {text: records.persons(count) for text, count in texts.counts.items()}
    return Cells(persons, records.persons(texts.missing) + persons.pop("", 0))


class LosingColumn:
    """A quasi-identifier before and after, and the levels between."""

    def __init__(
        self,
        name: str,
        before: Cells,
        after: Cells,
        levels: Levels,
        words: str,
        *,
        intervals: bool = False,
        rounded: Sequence[Decimal] = (),
    ):
        """`words` describe the levels. With `intervals`, labels of bands cover the numbers in them; with `rounded`,
        numbers cover those that are rounded to them."""
        covered = LabelCoverage(levels, intervals, rounded)
        self._name, self._before, self._after = name, before, after
        self._words = words
        self._all = levels.rows
        self._rows = {text: covered.rows(text) for text in after.persons}
        self._proposed = False

    @classmethod
    def by_spec(
        cls,
        name: str,
        before: Cells,
        after: Cells,
        spec: Spec | None,
        words: str | None = None,
        rounded: Sequence[Decimal] = (),
    ) -> "LosingColumn":
        """Without a specification, the values before determine the levels; without words, the levels are described."""
        values = column_values(name, dict.fromkeys(before.persons, 1))
        levels = find_levels(values, spec)
        said = words or levels_in_words([step.map for step in levels.steps], values, spec)
        column = cls(name, before, after, levels, said, intervals=not isinstance(spec, ByFile), rounded=rounded)
        column._proposed = spec is None and words is None
        return column

    @property
    def unknown_labels(self) -> int:
        """The number of labels that are on no level."""
        return sum(rows == 0 for rows in self._rows.values())

    def loss(self) -> ColumnLoss:
        records = max(self._before.records, self._after.records)
        dropped = records - self._after.records
        still_missing = min(self._before.missing, self._after.missing)
        suppressed = self._after.missing - still_missing  # missing only in the table after
        labeled = sum(self._rows[text] * persons for text, persons in self._after.persons.items())
        rows = labeled + still_missing + (suppressed + dropped) * self._all
        lost = column_loss(Fraction(rows) / self._all, records, self._all)
        return ColumnLoss(self._name, lost, self._words, self._proposed)

    def finding(self) -> Diagnostic:
        labels = "1 label" if self.unknown_labels == 1 else f"{self.unknown_labels:,} labels"
        message = f"{labels} in column `{self._name}` not found on its levels: {self._words}"
        help_ = f"give the levels of the release: `{option_text('hierarchies', {self._name: 'FILE'})}`"
        return Diagnostic("AC615", message, help=help_)


class PolicyLevels:
    """The maps of GENERALIZE by case-folded column name, and the columns that it writes other values into."""

    def __init__(self, program: tree.Program | None):
        self._folder = "" if program is None else program.folder
        self._maps: dict[str, list[tree.Map]] = defaultdict(list)
        self._rewritten: set[str] = set()
        for requirement in () if program is None else steps(program):
            step = step_of(requirement)
            action = generalize_in(step)
            if action is not None:
                self._maps[action.name.text.casefold()].append(action.map)
            elif not _writes_label(step):
                self._rewritten |= {name.text.casefold() for name in written_names(step)}

    def is_rewritten(self, name: str) -> bool:
        """Whether the policy writes values into the column that do not cover the original ones: constants other
        than labels, random numbers, means, pseudonyms or shifted dates."""
        return name.casefold() in self._rewritten

    def hierarchy(self, name: str) -> tuple[str, Hierarchy, str | None] | None:
        """The last hierarchy file of a column, its hierarchy, and the label for values that it lacks."""
        for map_ in reversed(self._maps.get(name.casefold(), ())):
            level = level_in(map_)
            if level is not None:
                path = Path(self._folder, level.file.value)
                otherwise = level.otherwise.value if isinstance(level.otherwise, tree.String) else None
                return path.name, sound_hierarchy(str(path)), otherwise
        return None

    def spec(self, name: str) -> Spec | None:
        """The levels of a column without a hierarchy file; None if the values determine them. Bands need none, because
        their labels are intervals."""
        specs = [spec_of_map(map_) for map_ in self._maps.get(name.casefold(), ())]
        lengths = {length for spec in specs if isinstance(spec, ByPrefix) for length in spec.lengths}
        if lengths:
            return ByPrefix(tuple(sorted(lengths, reverse=True)))
        return next((spec for spec in specs if isinstance(spec, ByDate)), None)

    def words(self, name: str) -> str | None:
        """The levels of a column of numbers."""
        if self.rounded(name):
            return "numbers rounded by the policy"
        has_bands = any(map_parts(each).of_numbers for each in self._maps.get(name.casefold(), ()))
        return "numbers in bands of the policy" if has_bands else None

    def rounded(self, name: str) -> list[Decimal]:
        """The numbers that the column is rounded to multiples of."""
        return [step for map_ in self._maps.get(name.casefold(), ()) if (step := map_parts(map_).step) is not None]

    def orders(self) -> dict[str, Mapping[str, Key]]:
        """The order of the labels of each column with a hierarchy."""
        found = {name: self.hierarchy(name) for name in self._maps}
        return {name: places_in(levels[1]) for name, levels in found.items() if levels is not None}


def _writes_label(step: tree.Step | None) -> bool:
    """Whether the step is REPLACE with `*`, a prefix such as `212**` or an interval such as `20-29`."""
    text = replacement_in(step)
    return text is not None and (text == SUPPRESSED or is_prefix(text) or label_interval(text) is not None)


def policy_loss(
    con: duckdb.DuckDBPyConnection,
    after: Records,
    ours: Positions,
    before: Records,
    theirs: Positions,
    levels: PolicyLevels,
) -> Loss | None:
    """The loss of the quasi-identifiers whose levels are known; None if there are none."""
    places = zip(ours.quasi_identifiers, theirs.quasi_identifiers, strict=True)
    found = tuple(loss for a, b in places for loss in _policy_column_loss(con, (after, a), (before, b), levels))
    return Loss(found, total_loss([each.loss for each in found])) if found else None


def _policy_column_loss(
    con: duckdb.DuckDBPyConnection,
    after: tuple[Records, int],
    before: tuple[Records, int],
    levels: PolicyLevels,
) -> Iterator[ColumnLoss]:
    records, place = before
    (kinds,) = one_row(con, f"SELECT approx_count_distinct({records.duckdb_value(place)}) FROM {records.duckdb_source}")
    if kinds > MOST_VALUES:
        return
    try:
        column = _losing_column(records.schema[place].name, count_cells(*before), count_cells(*after), levels)
    except CallError:  # the values do not fit the levels
        return
    if not column.unknown_labels:
        yield column.loss()


def _losing_column(name: str, before: Cells, after: Cells, levels: PolicyLevels) -> LosingColumn:
    found = levels.hierarchy(name)
    if found is None:
        return LosingColumn.by_spec(name, before, after, levels.spec(name), levels.words(name), levels.rounded(name))
    file, hierarchy, otherwise = found
    rows = _with_others(hierarchy, sorted(before.persons), otherwise)
    return LosingColumn(name, before, after, Levels((), rows), f"levels of {file}")


def _with_others(hierarchy: Hierarchy, texts: Sequence[str], otherwise: str | None) -> Hierarchy:
    """The hierarchy, with a row for each value that only ELSE gives a label."""
    absent = [text for text in texts if text not in hierarchy.lowest_level]
    if otherwise is None or not absent:
        return hierarchy
    rows = tuple((text, *[otherwise] * hierarchy.levels) for text in absent)
    return Hierarchy((*hierarchy.rows, *rows), hierarchy.digest)
