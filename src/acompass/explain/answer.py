"""The life of a record in a run, as data. It contains personal data, but only of the requested records."""

from typing import Any, Literal

from acompass.dataclasses import dataclass, field
from acompass.errors.display import Answer, json_object, json_value
from acompass.language.program.effects import ActionName


@dataclass(frozen=True, slots=True)
class ClassSeen:
    """The equivalence class of a record."""

    key: dict[str, Any] = field(repr=False, hash=False)  # the GROUP BY values
    records: int
    values: dict[str, Any] = field(repr=False, hash=False)  # the aggregates by name

    @property
    def row(self) -> tuple[Any, ...]:
        """The row of the class in the result of PROCESS."""
        return (*self.key.values(), *self.values.values())

    def to_json(self) -> dict[str, Any]:
        (name, value), *rest = self.values.items()
        others = {"others": json_value(dict(rest))} if rest else {}
        return {**json_object(self, "key", "records"), "aggregate": name, "value": json_value(value), **others}


@dataclass(frozen=True, slots=True)
class Change:
    column: str
    before: Any = field(repr=False, hash=False)
    after: Any = field(repr=False, hash=False)

    def to_json(self) -> dict[str, Any]:
        return json_object(self, "column", "before", "after")


@dataclass(frozen=True, slots=True)
class Pair:
    """A record before and after a policy."""

    before: dict[str, Any] = field(repr=False, hash=False)
    after: dict[str, Any] | None = field(repr=False, hash=False)  # None if the record is not released


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
    changes: tuple[Change, ...]  # one, except for SHIFT of several columns; empty if nothing was written
    dropped: bool
    nearest: tuple[str, ...] = field(repr=False)  # the smallest changes that would have left the record unaffected

    def to_json(self) -> dict[str, Any]:
        verdicts = json_object(self, "index", "line", "text", "action", "holds", "affected", "drawn", "dropped")
        others = {"other_changes": json_value(self.changes[1:])} if len(self.changes) > 1 else {}
        own = json_object(self, "change", "nearest")
        return {**verdicts, "class": json_value(self.seen), **own, **others}

    @property
    def change(self) -> Change | None:
        return self.changes[0] if self.changes else None


@dataclass(frozen=True, slots=True)
class Life:
    record: int  # the position in the table, from 1
    given: dict[str, Any] | None = field(
        repr=False, hash=False
    )  # None if it was dropped because of a missing value (D11)
    steps: tuple[Step, ...]
    left: dict[str, Any] | None = field(repr=False, hash=False)  # None if it was dropped at any point

    @property
    def dropped_by(self) -> Step | None:
        return next((step for step in self.steps if step.dropped), None)

    def to_json(self) -> dict[str, Any]:
        dropped_by = self.dropped_by and self.dropped_by.line
        record = json_object(self, "record", "given", "left")
        return {**record, "dropped_by": dropped_by, "requirements": json_value(self.steps)}


@dataclass(frozen=True, slots=True)
class Explanation(Answer):
    lives: tuple[Life, ...]

    def to_json(self) -> dict[str, Any]:
        """The object of `--json`; it contains personal data, as the text does."""
        return {"records": json_value(self.lives)}


@dataclass(frozen=True, slots=True)
class Translation(Answer):
    """A policy in another language."""

    language: Literal["algebra", "sql"]
    text: str

    def to_json(self) -> dict[str, Any]:
        return json_object(self, "language", "text")
