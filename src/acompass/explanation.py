"""The history of a record in a run, as data. It contains personal data, for the requested records only.

No repr shows a value, since a repr reaches logs and tracebacks (invariant 4).
"""

from dataclasses import dataclass, field
from typing import Any

from acompass.displayed import Displayed
from acompass.result import ActionName


@dataclass(frozen=True, slots=True)
class ClassSeen:
    """The equivalence class of a record: its GROUP BY values, its size and its aggregate values by name."""

    key: dict[str, Any] = field(repr=False)
    records: int
    values: dict[str, Any] = field(repr=False)

    @property
    def row(self) -> tuple[Any, ...]:
        """The record of the class in the result of PROCESS."""
        return (*self.key.values(), *self.values.values())


@dataclass(frozen=True, slots=True)
class Change:
    column: str
    before: Any = field(repr=False)
    after: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Step:
    """The effect of one requirement on the record.

    `holds` is the verdict on the whole table; None for ALWAYS. `drawn` says of an affected record whether
    WITH PROBABILITY drew it; None for other actions. `seen` is None if the requirement has no PROCESS, or if
    its WHERE excludes the record. `nearest` lists the smallest changes that would have left it unaffected.
    """

    index: int
    line: int
    text: str
    action: ActionName | None
    holds: bool | None
    affected: bool
    drawn: bool | None
    seen: ClassSeen | None
    change: Change | None
    dropped: bool
    nearest: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Life:
    """`record` is the record's position in the table, from 1. `given` is None if it was dropped as incomplete
    (D11), `left` if it was dropped at any point."""

    record: int
    given: dict[str, Any] | None = field(repr=False)
    steps: tuple[Step, ...]
    left: dict[str, Any] | None = field(repr=False)

    @property
    def dropped_by(self) -> Step | None:
        return next((step for step in self.steps if step.dropped), None)


@dataclass(frozen=True, slots=True)
class Explanation(Displayed):
    lives: tuple[Life, ...]

    def to_json(self) -> dict[str, Any]:
        from acompass.report.json.explanation import explanation_object

        return explanation_object(self)
