"""The loss of a released table against the table before, as ARX defines it.

Tables are bags, so records are not paired: only the labels of the release count. Records that the release
lacks were dropped.
"""

from dataclasses import dataclass
from fractions import Fraction
from shlex import quote

import duckdb

from acompass.diagnostics import CallError, Diagnostic
from acompass.measure.columns import Positions
from acompass.measure.covered import Covered
from acompass.measure.texts import texts_of
from acompass.measure.view import View
from acompass.measures import ColumnLoss, Loss, Persons
from acompass.options import HierarchiesArgument
from acompass.propose.given import given_specs
from acompass.propose.ladder import Levels, levels_in_words, levels_of
from acompass.propose.loss import column_loss, total_loss
from acompass.propose.specs import ByFile, Spec
from acompass.propose.values import values_of


@dataclass(frozen=True, slots=True)
class Cells:
    """The persons with each text of a column, and those without one: a CSV has no other empty text."""

    persons: dict[str, Persons]
    missing: Persons

    @property
    def records(self) -> Persons:
        return sum(self.persons.values()) + self.missing


def measure_loss(
    con: duckdb.DuckDBPyConnection,
    after: View,
    ours: Positions,
    before: View,
    theirs: Positions,
    hierarchies: HierarchiesArgument,
) -> Loss:
    """Quasi-identifiers without a hierarchy get the levels that their values propose."""
    names = [before.schema[position].name for position in theirs.quasi_identifiers]
    specs = given_specs(hierarchies, names)
    places = zip(names, ours.quasi_identifiers, theirs.quasi_identifiers, strict=True)
    columns = [
        LosingColumn.by_spec(name, cells_of(con, before, b), cells_of(con, after, a), specs.get(i))
        for i, (name, a, b) in enumerate(places)
    ]
    if strange := [column for column in columns if column.unexplained]:
        raise CallError([column.finding() for column in strange])
    found = tuple(column.loss() for column in columns)
    return Loss(found, total_loss([each.loss for each in found]))


def require_earlier_table(hierarchies: HierarchiesArgument | None, against: object) -> None:
    if hierarchies is not None and against is None:
        message = "a loss needs the table before anonymization"
        raise CallError([Diagnostic("AC616", message, help="name it: `--against people.csv`")])


def cells_of(con: duckdb.DuckDBPyConnection, view: View, position: int) -> Cells:
    texts = texts_of(con, view, position)
    persons = {text: view.persons(count) for text, count in texts.counts.items()}
    return Cells(persons, view.persons(texts.missing) + persons.pop("", 0))


class LosingColumn:
    """A quasi-identifier before and after, and the levels between, also in words. With `intervals`, labels of
    bands stand for the numbers in them."""

    def __init__(
        self, name: str, before: Cells, after: Cells, levels: Levels, words: str, *, intervals: bool = False
    ):
        covered = Covered(levels, intervals)
        self._name, self._before, self._after = name, before, after
        self._words = words
        self._all = levels.rows
        self._rows = {text: covered.rows(text) for text in after.persons}
        self._proposed = False

    @classmethod
    def by_spec(
        cls, name: str, before: Cells, after: Cells, spec: Spec | None, words: str | None = None
    ) -> "LosingColumn":
        """Without a spec, the values before propose the levels; without words, the levels have their own."""
        values = values_of(name, dict.fromkeys(before.persons, 1))
        levels = levels_of(values, spec)
        said = words or levels_in_words([step.rung for step in levels.steps], values, spec)
        column = cls(name, before, after, levels, said, intervals=not isinstance(spec, ByFile))
        column._proposed = spec is None and words is None
        return column

    @property
    def unexplained(self) -> int:
        """The number of labels that stand for no value."""
        return sum(rows == 0 for rows in self._rows.values())

    def loss(self) -> ColumnLoss:
        records = max(self._before.records, self._after.records)
        rows = self._labelled() + self._missing() + (records - self._after.records) * self._all
        lost = column_loss(Fraction(rows) / self._all, records, self._all)
        return ColumnLoss(self._name, lost, self._words, self._proposed)

    def _labelled(self) -> Persons:
        """The rows that the label of each cell stands for, added up."""
        return sum(self._rows[text] * persons for text, persons in self._after.persons.items())

    def _missing(self) -> Persons:
        """A cell that is missing only afterwards was suppressed."""
        kept = min(self._before.missing, self._after.missing)
        return kept + (self._after.missing - kept) * self._all

    def finding(self) -> Diagnostic:
        labels = "1 label" if self.unexplained == 1 else f"{self.unexplained:,} labels"
        message = f"{labels} in column `{self._name}` not found on its levels: {self._words}"
        help_ = f"give the levels of the release: `--hierarchy {quote(self._name)}=FILE`"
        return Diagnostic("AC615", message, help=help_)
