"""What one record's value of some columns can influence, line by line. docs/privacy.md, section "Proofs"."""

from collections.abc import Iterable
from dataclasses import dataclass

from acompass.checked.effects import (
    column_written,
    columns_read,
    drops_records,
    generalize_of,
    is_always,
    is_certain,
    process_of,
    type_changes,
)
from acompass.checked.program import Program, Quantifier, Requirement
from acompass.checked.types import Kind, remaining


@dataclass(frozen=True, slots=True)
class Influence:
    """`tainted[step]` are the columns whose values may depend on the raw value, where no other record's can.

    From `stop` on, a line over classes reads them. `live` are the columns that matter from there on.
    """

    stop: int
    tainted: tuple[frozenset[int], ...]
    live: frozenset[int]

    @property
    def ever_tainted(self) -> frozenset[int]:
        return frozenset().union(*self.tainted)


def is_record_level(requirement: Requirement) -> bool:
    """Whether what happens to a record is decided by the record alone."""
    return process_of(requirement) is None and requirement.assertion.quantifier is Quantifier.EACH


def influence_of(program: Program, columns: frozenset[int]) -> Influence:
    tainted = [columns]
    is_presence_tainted = False
    for requirement in program.requirements:
        is_read = bool(columns_read(requirement) & tainted[-1])
        if not is_record_level(requirement) and (is_read or is_presence_tainted):
            break
        is_presence_tainted |= is_read and drops_records(requirement.action)
        tainted.append(_tainted_after(requirement, tainted[-1], is_read))
    stop = len(tainted) - 1
    return Influence(stop, tuple(tainted), live_columns(program)[stop])


def _tainted_after(requirement: Requirement, tainted: frozenset[int], is_read: bool) -> frozenset[int]:
    written = column_written(requirement.action)
    if is_read and written is not None:
        tainted |= {written}
    return tainted - columns_cleared(requirement)


def columns_cleared(requirement: Requirement) -> frozenset[int]:
    """The columns of which no earlier value is left: every record's is overwritten, or they are dropped."""
    dropped = (c for c, (_, after) in type_changes(requirement).items() if after.kind is Kind.DROPPED)
    written = column_written(requirement.action)
    is_overwritten = is_certain(requirement.action) and generalize_of(requirement.action) is None
    if written is None or not is_overwritten or not is_always(requirement):
        return frozenset(dropped)
    return frozenset((written, *dropped))


def live_columns(program: Program) -> list[frozenset[int]]:
    """For each step, the columns that a later line reads, or that are released.

    GENERALIZE reads its column: where it has no label, nothing is written.
    """
    live = frozenset(remaining(program.final_schema))
    steps = [live]
    for requirement in reversed(program.requirements):
        generalized = generalize_of(requirement.action)
        own = frozenset() if generalized is None else frozenset((generalized.column,))
        live = (live - columns_cleared(requirement)) | columns_read(requirement) | own
        steps.append(live)
    return steps[::-1]


def columns_involved(
    requirements: Iterable[Requirement], influence: Influence, *, with_rejects: bool
) -> frozenset[int]:
    """The columns that decide about the tainted ones, and the tainted ones.

    `with_rejects` also has those that decide whether the record is there at all.
    """
    lines = [
        (requirement, tainted)
        for requirement, tainted in zip(requirements, influence.tainted, strict=False)
        if is_record_level(requirement)
    ]
    involved = influence.ever_tainted
    while True:
        more = involved.union(
            *(
                columns_read(requirement)
                for requirement, tainted in lines
                if matters(requirement, involved, tainted, with_rejects=with_rejects)
            )
        )
        if more == involved:
            return involved
        involved = more


def matters(
    requirement: Requirement, involved: frozenset[int], tainted: frozenset[int], *, with_rejects: bool
) -> bool:
    """Whether a record-level line changes the columns, or drops or refuses the record because of them."""
    if type_changes(requirement).keys() & involved or column_written(requirement.action) in involved:
        return True
    return is_about_presence(requirement) and (with_rejects or bool(columns_read(requirement) & tainted))


def is_about_presence(requirement: Requirement) -> bool:
    """Whether the line can drop the record, or keep everything from being written."""
    return requirement.action is None or drops_records(requirement.action)
