"""The values that the rules of a chain leave out between them, or at both ends of a range."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from acompass.checked.types import Kind, Type
from acompass.prove.regions import Mask, Regions

#: a gap between rules is taken for a mistake if it has at most this many values
SMALL = 3


@dataclass(frozen=True, slots=True)
class Rule:
    """`taken` has the values that the rule rewrites, `written` the one that it writes, and `meant` those that
    its assertion is about: more than one value make a range, a single one is a code."""

    at: int
    taken: Mask
    written: Mask
    meant: Mask

    @property
    def covered(self) -> Mask:
        return self.taken | self.written


def left_out(regions: Regions, type_: Type, rules: Sequence[Rule]) -> Mask:
    """Few values between two ranges, or both ends of a range. Between codes, nothing is left out."""
    covered: Mask = 0
    ranges: Mask = 0
    for rule in rules:
        covered |= rule.covered
        for run in _runs(regions, rule.covered):
            ranges |= run if regions.cardinality(run & rule.meant) > 1 else 0
    return _small_gaps(regions, type_, covered, ranges) | _open_ends(regions, covered, ranges, rules)


def _runs(regions: Regions, mask: Mask) -> Iterator[Mask]:
    """The parts of a mask without other values between them, from the least to the greatest."""
    while mask:
        first = (mask & -mask).bit_length() - 1
        stretch = (mask | ~regions.full) >> first
        if stretch == -1:  # up to the greatest value
            yield mask
            return
        end = first + ((stretch + 1) & ~stretch).bit_length() - 1
        yield mask & ((1 << end) - 1)
        mask &= -1 << end


def _small_gaps(regions: Regions, type_: Type, covered: Mask, ranges: Mask) -> Mask:
    """Runs of a few uncovered values, with ranges on both sides."""
    found: Mask = 0
    size = _size(regions, type_)
    for gap in _runs(regions, regions.full & ~covered):
        before, after = _neighbours(regions, gap)
        if before & ranges and after & ranges and size(gap) <= SMALL:
            found |= gap
    return found


def _neighbours(regions: Regions, run: Mask) -> tuple[Mask, Mask]:
    """The regions just before and just after a run, 0 where there is none."""
    below = regions.full & ((run & -run) - 1)
    above = regions.full & (-1 << run.bit_length())
    return (1 << below.bit_length()) >> 1, above & -above


def _size(regions: Regions, type_: Type) -> Callable[[Mask], float]:
    """The number of values in a run between others. Of decimals and floats, only those with as many digits as
    the constants have: none of them lies between 9 and 10, but 9.5 does."""
    if type_.kind not in (Kind.DECIMAL, Kind.FLOAT):
        return regions.cardinality
    numbers = [_number(regions, type_, at) for at in range(len(regions.cuts))]
    per_unit = 10 ** _digits(numbers)

    def size(run: Mask) -> float:
        first, last = (run & -run).bit_length() - 1, run.bit_length() - 1
        width = (numbers[last // 2] - numbers[(first - 1) // 2]) * per_unit
        return float(width - 1 + first % 2 + last % 2)

    return size


def _number(regions: Regions, type_: Type, at: int) -> Fraction:
    """A constant. A decimal type may be too coarse to hold it, and the nearest float may be infinite."""
    if type_.kind is Kind.DECIMAL:
        return Fraction(regions.cuts[at]) / Fraction(10**type_.scale)
    constant = regions.constant(2 * at + 1)
    assert isinstance(constant, float)
    return Fraction(repr(max(min(constant, sys.float_info.max), -sys.float_info.max)))


def _digits(numbers: Sequence[Fraction]) -> int:
    """The digits that the numbers have after the point."""
    return next(digits for digits in count() if all((each * 10**digits).denominator == 1 for each in numbers))


def _open_ends(regions: Regions, covered: Mask, ranges: Mask, rules: Sequence[Rule]) -> Mask:
    """The constants on both sides of a range that a rule takes, where no rule covers either of them."""
    found: Mask = 0
    for run in (run for rule in rules for run in _runs(regions, rule.taken)):
        before, after = _neighbours(regions, run)
        if run & ranges and _is_point(before) and _is_point(after) and not (before | after) & covered:
            found |= before | after
    return found


def _is_point(region: Mask) -> bool:
    """Whether a mask has a single region, which is a constant."""
    return bool(region) and region.bit_length() % 2 == 0
