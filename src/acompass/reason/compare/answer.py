"""The answer of `compare`: whether two policies are equivalent, and which guarantees each policy keeps."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal

from acompass.dataclasses import dataclass, field
from acompass.errors.display import Answer, json_object, json_value
from acompass.language.program.types import Schema, Value
from acompass.prove.proof import Claim, ClaimVerdict


class Releases(StrEnum):
    """What the new policy releases, compared with the old one. It releases no more if, on every table and trace, each
    record that it writes is among those that the old policy writes, as often, with values as they were or coarser."""

    SAME = "same"
    NO_MORE = "no more"
    MORE = "more"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class WrittenTable:
    schema: Schema
    records: tuple[tuple[Value, ...], ...]

    @property
    def columns(self) -> dict[str, str]:
        return {column.name: str(column.type) for column in self.schema}

    def to_json(self) -> dict[str, Any]:
        return json_object(self, "columns", "records")


@dataclass(frozen=True, slots=True)
class Difference:
    """A table and a trace on which the policies differ."""

    schema: Schema
    records: tuple[tuple[Value, ...], ...]
    trace: tuple[str, ...]
    #: the output of each policy; None if nothing is written, because a check fails or a map has no label for a value
    old: WrittenTable | None
    new: WrittenTable | None

    @property
    def columns(self) -> dict[str, str]:
        return {column.name: str(column.type) for column in self.schema}

    def to_json(self) -> dict[str, Any]:
        return json_object(self, "columns", "records", "trace", "old", "new")


@dataclass(frozen=True, slots=True)
class Release:
    """Something that the new policy can release and the old one cannot, if `certain`."""

    column: str | None  # None for whole records
    words: str
    certain: bool  # False if other records decide whether it is ever released

    def to_json(self) -> dict[str, Any]:
        return {"column": self.column, "what": self.words, "certain": self.certain}


@dataclass(frozen=True, slots=True)
class Impact:
    lost: tuple[Claim, ...]  # the guarantees of the old policy that are not proved for the new one
    released: tuple[Release, ...] | None  # empty only if the new policy releases no more; None if nothing was found
    reason: str = ""  # why it is undecided whether the new policy releases more

    def to_json(self) -> dict[str, Any]:
        return json_object(self, "lost", "released", "reason")


@dataclass(frozen=True, slots=True)
class Comparison(Answer):
    equivalent: bool | None  # None if undecided
    reason: str
    difference: Difference | None  # a table on which the new policy releases more, if it does
    releases: Releases
    old_by_new: tuple[Claim, ...]  # the guarantees of the old policy, with verdicts about the new one
    new_by_old: tuple[Claim, ...]  # the reverse
    impact: Impact
    types: Mapping[str, str] = field(hash=False)
    inferred: tuple[str, ...] = ()

    @property
    def guarantees(self) -> Literal["kept", "lost", "undecided"]:
        """Whether the new policy keeps the guarantees of the old one."""
        match is_implied(self.old_by_new):
            case True:
                return "kept"
            case False:
                return "lost"
            case None:
                return "undecided"

    @property
    def ok(self) -> bool:
        """Whether the new policy provably keeps all guarantees of the old one and releases no more."""
        return self.guarantees == "kept" and self.releases in (Releases.SAME, Releases.NO_MORE)

    def to_json(self, impact: bool = True) -> dict[str, Any]:
        """The object of `--json`, with the impact of the differences unless `impact` is False."""
        sides = {"new_by_old": self.new_by_old, "old_by_new": self.old_by_new}
        return {
            **json_object(self, "equivalent", "guarantees", "releases", "reason", "types"),
            "implies": {name: is_implied(claims) for name, claims in sides.items()},
            "claims": json_value(sides),
            **json_object(self, "difference"),
            **({"impact": self.impact.to_json()} if impact else {}),
        }


def is_implied(guarantees: Sequence[Claim]) -> bool | None:
    """Whether all guarantees are proved; None if some are undecided and none is refuted."""
    verdicts = {claim.verdict for claim in guarantees}
    if ClaimVerdict.REFUTED in verdicts:
        return False
    return None if ClaimVerdict.UNDECIDED in verdicts else True
