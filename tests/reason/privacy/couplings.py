"""The distance between random tables: the least bound that a coupling of their laws always keeps."""

from collections.abc import Sequence
from fractions import Fraction

from acompass.language.program.program import Program
from acompass.semantics.core import Record
from tests.laws.pushforward import Law, Table, law
from tests.reason.privacy.neighbors import distance, neighbors, tables


def spread(program: Program, domain: Sequence[Record], largest: int) -> int:
    """The stability of the program on tables of at most `largest` records."""
    laws = {table: law(program, table) for table in tables(domain, largest)}
    return max(least_distance(laws[table], laws[less]) for table, less in neighbors(domain, largest))


def least_distance(one: Law, other: Law) -> int:
    """The least d for which some coupling of these laws never has tables further apart than d."""
    apart = sorted({distance(left, right) for left in one for right in other})
    return next(d for d in apart if _can_stay_within(one, other, d))


def _can_stay_within(one: Law, other: Law, most: int) -> bool:
    """Whether all of one law can be moved to the other between tables at most this far apart: a maximum flow."""
    moved: dict[tuple[Table, Table], Fraction] = {}
    left, wanted = dict(one), dict(other)
    close = {table: [each for each in other if distance(table, each) <= most] for table in one}
    while (path := _path(left, wanted, close, moved)) is not None:
        _move(path, left, wanted, moved)
    return not any(left.values())


def _path(
    left: Law, wanted: Law, close: dict[Table, list[Table]], moved: dict[tuple[Table, Table], Fraction]
) -> list[Table] | None:
    """An augmenting path from a table of which something is left to one of which something is wanted: alternately a
    table of the first law and one of the second, where each step back undoes a move."""
    paths = [[table] for table, share in left.items() if share]
    seen = {path[0] for path in paths}
    reached: set[Table] = set()
    for path in paths:
        for target in close[path[-1]]:
            if target in reached:
                continue
            reached.add(target)
            if wanted[target]:
                return [*path, target]
            back = {source for (source, to), share in moved.items() if to == target and share} - seen
            seen |= back
            paths += [[*path, target, source] for source in back]
    return None


def _move(path: list[Table], left: Law, wanted: Law, moved: dict[tuple[Table, Table], Fraction]) -> None:
    forward = list(zip(path[::2], path[1::2], strict=True))
    backward = list(zip(path[2::2], path[1:-1:2], strict=True))
    share = min(left[path[0]], wanted[path[-1]], *(moved[pair] for pair in backward))
    left[path[0]] -= share
    wanted[path[-1]] -= share
    for pair in forward:
        moved[pair] = moved.get(pair, Fraction(0)) + share
    for pair in backward:
        moved[pair] -= share
