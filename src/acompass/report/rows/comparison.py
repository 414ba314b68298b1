"""A comparison as rows of words: the verdict, the guarantees, and what is released beyond the old policy."""

from collections.abc import Iterator
from typing import TypeAlias

from acompass.checked.types import Schema, Value
from acompass.compare.answer import Comparison, Difference, Impact, Released, Written, is_implied
from acompass.prove.proof import Claim
from acompass.report.words import counted, on_one_line

#: a heading, the schema and the records; no schema where nothing is written
DifferenceTable: TypeAlias = tuple[str, Schema | None, tuple[tuple[Value, ...], ...]]

_VERDICTS = {True: "equivalent", False: "different", None: "undecided"}
_KEPT = {True: "all kept", False: "not all kept", None: "not all known to be kept"}
NOTHING_MORE = "the new policy releases nothing that the old one could not"
NOTHING_MORE_FOUND = "no kind of record or value was found that only the new policy can release"
NOTHING_WRITTEN = "(nothing is written)"


def verdict(comparison: Comparison) -> str:
    return _VERDICTS[comparison.equivalent]


def reasons(comparison: Comparison) -> list[str]:
    lines = comparison.reason.splitlines()
    if comparison.difference is not None:
        lines.append(f"they differ on a table of {counted(len(comparison.difference.records), 'record')}")
    return lines


def guarantee_headings(comparison: Comparison) -> tuple[str, str]:
    """For the guarantees of the old policy, then of the new one."""
    return (
        f"guarantees of the old policy in the new one: {_kept(comparison.old_by_new)}",
        f"guarantees of the new policy in the old one: {_kept(comparison.new_by_old)}",
    )


def _kept(guarantees: tuple[Claim, ...]) -> str:
    return "none" if not guarantees else _KEPT[is_implied(guarantees)]


def difference_tables(difference: Difference) -> Iterator[DifferenceTable]:
    yield "before", difference.schema, difference.records
    for heading, written in (("old", difference.old), ("new", difference.new)):
        yield heading, *_table(written)


def _table(written: Written | None) -> tuple[Schema | None, tuple[tuple[Value, ...], ...]]:
    return (None, ()) if written is None else (written.schema, written.records)


def impact_heading(impact: Impact) -> str:
    if impact.released is None:
        return "what the new policy can release beyond the old one: undecided"
    if not impact.released:
        return NOTHING_MORE if impact.exact else NOTHING_MORE_FOUND
    certain = all(each.certain for each in impact.released)
    return f"the new policy {'can' if certain else 'may'} release what the old one could not"


def impact_lines(impact: Impact) -> list[str]:
    if impact.released is None:
        return [impact.reason]
    return [on_one_line(_released(each)) for each in impact.released]


def _released(released: Released) -> str:
    if released.column is None:
        return released.words if released.words == "all records" else f"records with {released.words}"
    return f"`{released.column}` {released.words}"
