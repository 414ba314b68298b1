"""The life of a record, as data. It holds personal data: it is made only for those who ask for a record."""

from dataclasses import dataclass
from typing import Any

from acompass.result import ActionName


@dataclass(frozen=True, slots=True)
class ClassSeen:
    """The class that PROCESS put the record in: its GROUP BY values, its size, and the aggregate value."""

    key: dict[str, Any]
    records: int
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Change:
    column: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Step:
    """What one requirement did to the record.

    `holds` is the verdict on the whole table. `seen` is None where the requirement has no PROCESS, or its
    WHERE leaves the record out. `nearest` is what would have kept the requirement off the record.
    """

    index: int
    line: int
    text: str
    action: ActionName | None
    holds: bool
    affected: bool
    seen: ClassSeen | None
    change: Change | None
    dropped: bool
    nearest: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Life:
    """`record` is its place in the table, from 1. `given` is None where it was dropped as incomplete (D11);
    `left` where it was dropped, then or later."""

    record: int
    given: dict[str, Any] | None
    steps: tuple[Step, ...]
    left: dict[str, Any] | None

    @property
    def dropped_by(self) -> Step | None:
        return next((step for step in self.steps if step.dropped), None)


@dataclass(frozen=True, slots=True)
class Explanation:
    lives: tuple[Life, ...]

    def to_json(self) -> dict[str, Any]:
        from acompass.explain.as_json import explanation_to_json

        return explanation_to_json(self)
