"""The answer of `compare`: whether two policies are equivalent, and which guarantees each policy keeps."""

from collections.abc import Mapping, Sequence

from acompass.dataclasses import dataclass
from acompass.errors.display import ReportedAnswer
from acompass.language.program.types import Schema, Value
from acompass.prove.proof import Claim, ClaimVerdict


@dataclass(frozen=True, slots=True)
class WrittenTable:
    schema: Schema
    records: tuple[tuple[Value, ...], ...]

    @property
    def columns(self) -> dict[str, str]:
        return {column.name: str(column.type) for column in self.schema}


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


@dataclass(frozen=True, slots=True)
class Release:
    """Something that the new policy can release and the old one cannot."""

    column: str | None  # None for whole records
    words: str
    certain: bool  # False if other records decide whether it is ever released


@dataclass(frozen=True, slots=True)
class Impact:
    lost: tuple[Claim, ...]  # the guarantees of the old policy that are not proved for the new one
    released: tuple[Release, ...] | None  # None if unknown
    reason: str = ""  # why it is unknown
    exact: bool = False  # whether nothing else is released; True if no line is about classes


@dataclass(frozen=True, slots=True)
class Comparison(ReportedAnswer):
    equivalent: bool | None  # None if undecided
    reason: str
    difference: Difference | None
    old_by_new: tuple[Claim, ...]  # the guarantees of the old policy, with verdicts about the new one
    new_by_old: tuple[Claim, ...]  # the reverse
    impact: Impact
    types: Mapping[str, str]
    inferred: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the new policy provably keeps all guarantees of the old one and releases nothing more."""
        return self.equivalent is True or (is_implied(self.old_by_new) is True and self.impact.released == ())


def is_implied(guarantees: Sequence[Claim]) -> bool | None:
    """Whether all guarantees are proved; None if some are undecided and none is refuted."""
    verdicts = {claim.verdict for claim in guarantees}
    if ClaimVerdict.REFUTED in verdicts:
        return False
    return None if ClaimVerdict.UNDECIDED in verdicts else True
