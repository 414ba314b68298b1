"""The answer of `compare`: are two policies equivalent, and which guarantees does one keep of the other?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acompass.checked.types import Schema, Value
from acompass.displayed import Reported
from acompass.prove.proof import Claim, ClaimVerdict


@dataclass(frozen=True, slots=True)
class Written:
    """The table that a run writes."""

    schema: Schema
    records: tuple[tuple[Value, ...], ...]

    @property
    def columns(self) -> dict[str, str]:
        return {column.name: str(column.type) for column in self.schema}


@dataclass(frozen=True, slots=True)
class Difference:
    """A table and a trace on which the policies differ, with what each writes: None if nothing, because a
    check fails or a map has no label for a value."""

    schema: Schema
    records: tuple[tuple[Value, ...], ...]
    trace: tuple[str, ...]
    old: Written | None
    new: Written | None

    @property
    def columns(self) -> dict[str, str]:
        return {column.name: str(column.type) for column in self.schema}


@dataclass(frozen=True, slots=True)
class Released:
    """Something that the new policy releases and the old one cannot, in words. `column` is None for whole
    records. `certain` is False where other records decide whether it is ever released."""

    column: str | None
    words: str
    certain: bool


@dataclass(frozen=True, slots=True)
class Impact:
    """`released` is None where it is not known; then `reason` says why. If no line is about classes, it is
    `exact`: nothing else is released."""

    lost: tuple[Claim, ...]
    released: tuple[Released, ...] | None
    reason: str = ""
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Comparison(Reported):
    """`equivalent` is None where it is undecided. The claims of `old_by_new` are what the old policy
    guarantees, with verdicts about the new one; `new_by_old` is the reverse."""

    equivalent: bool | None
    reason: str
    difference: Difference | None
    old_by_new: tuple[Claim, ...]
    new_by_old: tuple[Claim, ...]
    impact: Impact
    types: Mapping[str, str]
    inferred: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the new policy certainly keeps all guarantees of the old one and releases no more."""
        return self.equivalent is True or (is_implied(self.old_by_new) is True and self.impact.released == ())


def is_implied(guarantees: Sequence[Claim]) -> bool | None:
    """Whether all of them are proved; None where one is undecided and none is refuted."""
    verdicts = {claim.verdict for claim in guarantees}
    if ClaimVerdict.REFUTED in verdicts:
        return False
    return None if ClaimVerdict.UNDECIDED in verdicts else True
