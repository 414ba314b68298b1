"""The life of a record in a run, as data. It contains personal data, but only of the requested records."""

from typing import Any

from acompass.dataclasses import dataclass, field
from acompass.errors.display import DisplayedAnswer
from acompass.result import ActionName


@dataclass(frozen=True, slots=True)
class ClassSeen:
    """The equivalence class of a record."""

    key: dict[str, Any] = field(repr=False)  # the GROUP BY values
    records: int
    values: dict[str, Any] = field(repr=False)  # the aggregates by name

    @property
    def row(self) -> tuple[Any, ...]:
        """The row of the class in the result of PROCESS."""
        return (*self.key.values(), *self.values.values())


@dataclass(frozen=True, slots=True)
class Change:
    column: str
    before: Any = field(repr=False)
    after: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Step:
    """The effect of one requirement on the record."""

    index: int
    line: int
    text: str
    action: ActionName | None
    holds: bool | None  # the verdict on the whole table; None for ALWAYS
    affected: bool
    drawn: bool | None  # whether WITH PROBABILITY drew the affected record; None for other actions
    seen: ClassSeen | None  # None if the requirement has no PROCESS, or if its WHERE excludes the record
    change: Change | None
    dropped: bool
    nearest: tuple[str, ...] = field(repr=False)  # the smallest changes that would have left the record unaffected


@dataclass(frozen=True, slots=True)
class Life:
    record: int  # the position in the table, from 1
    given: dict[str, Any] | None = field(repr=False)  # None if it was dropped because of a missing value (D11)
    steps: tuple[Step, ...]
    left: dict[str, Any] | None = field(repr=False)  # None if it was dropped at any point

    @property
    def dropped_by(self) -> Step | None:
        return next((step for step in self.steps if step.dropped), None)


@dataclass(frozen=True, slots=True)
class Explanation(DisplayedAnswer):
    lives: tuple[Life, ...]

    def to_json(self) -> dict[str, Any]:
        from acompass.report.json_answers import explanation_object

        return explanation_object(self)
