"""Kernels: what an action writes into one value.

Every stage asks the kernel, so that a new one is described here. A stage that needs more than these answers matches
over `Kernel`, which mypy checks to be exhaustive. `semantics` has its own equations and asks nothing of this module:
an oracle that shared code with what it judges would be none."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil, gcd
from typing import ClassVar, Literal, Self, TypeAlias

from acompass.dataclasses import dataclass, field, replace
from acompass.language.program.bands import Bands
from acompass.language.program.keys import Key, key_text_of
from acompass.language.program.label_maps import Dates, Level, Prefix
from acompass.language.program.types import (
    EXACT,
    INTEGER,
    Kind,
    Type,
    Value,
    convert,
    fits_digits,
    nearest_multiple,
    number_of_type,
    to_text,
)

ONE = Fraction(1)

#: the maps of GENERALIZE
Map: TypeAlias = Bands | Prefix | Dates | Level
#: the action's name in results and in JSON
Keyword: TypeAlias = Literal["REPLACE", "RANDOM", "GENERALIZE", "PSEUDONYM", "SHIFT", "ADD RANDOM", "MICROAGGREGATE"]


class ManyValues(Exception):
    """There are too many values to list."""


class Writing(ABC):
    """The questions that every kernel answers."""

    __slots__ = ()

    keyword: ClassVar[Keyword]
    #: what the action does to a column, before the column's name
    deed: ClassVar[str]
    #: what the action writes
    noun: ClassVar[str]
    #: what the action does to classes by the column, before the column's name
    change: ClassVar[str]
    #: whether it consumes one value of the trace for each affected record, in canonical order (D19)
    draws: ClassVar[bool]
    #: whether the written value depends on the value before; if not, nothing of it is left
    reads_value: ClassVar[bool]
    #: whether the written value follows from the value before alone, so that equal values stay equal
    is_function: ClassVar[bool]
    #: whether nothing of the value before can be seen in the written one
    hides_value: ClassVar[bool]
    #: whether different values stay different, so that classes by the column stay as they are
    is_injective: ClassVar[bool] = False
    #: whether it needs the key of the call (X15)
    needs_key: ClassVar[bool] = False
    #: whether it can end the run with an error that counts records
    may_fail: ClassVar[bool] = False
    #: whether the value depends on other affected records
    reads_others: ClassVar[bool] = False

    @property
    def by(self) -> int | None:
        """The column, apart from those that it writes, that decides what it writes; None for all but SHIFT."""
        return None

    def listed_values(self) -> tuple[Value, ...] | None:
        """The constants of the policy that it writes, and no others; None if it writes other values."""
        return None

    @abstractmethod
    def outcomes(self, value: Value, type_: Type) -> Iterator[tuple[Value, Fraction]]:
        """What it can write in place of a value, each with its probability; nothing if that ends the run.

        `type_` is the type of the column when the action is performed.
        """

    def integers(self) -> range | None:
        """The integers that it draws from, all equally likely; None for any other kernel."""
        return None

    def in_lowest_terms(self) -> Self:
        """The kernel that writes the same and has the smallest weights: 2 to 1 for 4 to 2."""
        return self

    def rounding(self) -> "Nearest | None":
        """The kernel itself if it rounds numbers (X12); None for any other."""
        return None

    def averaging(self) -> "Microaggregate | None":
        """The kernel itself if it writes means (X18); None for any other."""
        return None

    def addition(self) -> "AddRandom | None":
        """The kernel itself if it adds what it draws (X17); None for any other."""
        return None

    def label_map(self) -> Map | None:
        """The map whose labels it writes; None for any other kernel."""
        return None

    @abstractmethod
    def trace_cuts(self) -> tuple[Fraction, ...]:
        """The values of the trace at which the written value changes, ascending, the last one 1.

        Empty if it draws nothing, and for `integers`, which may be too many to list.
        """

    @abstractmethod
    def trace_value(self, value: Value) -> Fraction:
        """A short decimal of the trace that makes it draw the value; 0 if it draws nothing."""

    @abstractmethod
    def typical_trace_values(self, most: int) -> list[Fraction]:
        """Short decimals of the trace for its bounds, what is next to them and its middle, or its first `most` values.

        Empty if it draws nothing.
        """

    def texts_after(self, texts: Iterable[str], type_: Type) -> tuple[str, ...]:
        """What it can write in place of these texts, as text. Raises ManyValues if there are too many to list."""
        raise ManyValues

    def known_texts(self) -> tuple[str, ...]:
        """The texts that it may write, as far as they are known without the table and can be listed."""
        return tuple(value for value in self.listed_values() or () if isinstance(value, str))

    @abstractmethod
    def examples(self, values: Iterable[Value], type_: Type) -> list[Value]:
        """Values at the limits of what it writes, for a column that has some of the given values."""


class WithoutDraw(Writing):
    """A kernel that consumes nothing of the trace."""

    __slots__ = ()

    draws = False
    reads_value = True
    is_function = True
    hides_value = False

    def trace_cuts(self) -> tuple[Fraction, ...]:
        return ()

    def trace_value(self, value: Value) -> Fraction:
        return Fraction(0)

    def typical_trace_values(self, most: int) -> list[Fraction]:
        return []


class Draw(Writing):
    """A kernel that draws."""

    __slots__ = ()

    keyword: ClassVar[Keyword] = "RANDOM"
    deed = "draws values for"
    noun = "value"
    change = "rewrites"
    draws = True
    reads_value = False
    is_function = False
    hides_value = True


#: the largest number of integers that `Uniform.texts_after` lists
MOST_LISTED = 10_000


@dataclass(frozen=True, slots=True)
class Constant(WithoutDraw):
    """REPLACE: writes one value, which has the column's type in the requirement's `after`."""

    value: Value

    keyword = "REPLACE"
    deed = "writes into"
    noun = "value"
    change = "rewrites"
    reads_value = False
    hides_value = True

    def listed_values(self) -> tuple[Value, ...]:
        return (self.value,)

    def outcomes(self, value: Value, type_: Type) -> Iterator[tuple[Value, Fraction]]:
        yield self.value, ONE

    def texts_after(self, texts: Iterable[str], type_: Type) -> tuple[str, ...]:
        return (to_text(self.value, type_),)

    def examples(self, values: Iterable[Value], type_: Type) -> list[Value]:
        return [self.value]


@dataclass(frozen=True, slots=True)
class Uniform(Draw):
    """RANDOM: draws an integer in [lower, upper] and converts it to the column's type (in a text column, to digits)."""

    lower: int
    upper: int

    @property
    def size(self) -> int:
        return self.upper - self.lower + 1

    def outcomes(self, value: Value, type_: Type) -> Iterator[tuple[Value, Fraction]]:
        share = Fraction(1, self.size)
        for drawn in self.integers():
            yield convert(drawn, INTEGER, type_), share

    def integers(self) -> range:
        return range(self.lower, self.upper + 1)

    def trace_cuts(self) -> tuple[Fraction, ...]:
        return ()

    def trace_value(self, value: Value) -> Fraction:
        assert isinstance(value, int)
        at = value - self.lower
        return shortest_trace_value(Fraction(at, self.size), Fraction(at + 1, self.size))

    def typical_trace_values(self, most: int) -> list[Fraction]:
        near = {self.lower, self.lower + 1, (self.lower + self.upper) // 2, self.upper - 1, self.upper}
        return [self.trace_value(value) for value in near if self.lower <= value <= self.upper]

    def texts_after(self, texts: Iterable[str], type_: Type) -> tuple[str, ...]:
        if self.size > MOST_LISTED:
            raise ManyValues
        return tuple(map(str, self.integers()))

    def examples(self, values: Iterable[Value], type_: Type) -> list[Value]:
        return [convert(bound, INTEGER, type_) for bound in (self.lower, self.upper)]


@dataclass(frozen=True, slots=True)
class WeightedValue:
    value: Value
    weight: int


@dataclass(frozen=True, slots=True)
class Weighted(Draw):
    """RANDOM … FROM: draws one of the values, with a probability in proportion to its weight (X6)."""

    #: values are distinct and have the column's type in the requirement's `after`; weights are positive
    values: tuple[WeightedValue, ...]

    @property
    def total(self) -> int:
        return sum(each.weight for each in self.values)

    def listed_values(self) -> tuple[Value, ...]:
        return tuple(each.value for each in self.values)

    def outcomes(self, value: Value, type_: Type) -> Iterator[tuple[Value, Fraction]]:
        total = self.total
        yield from ((each.value, Fraction(each.weight, total)) for each in self.values)

    def in_lowest_terms(self) -> Self:
        common = gcd(*(each.weight for each in self.values))
        return replace(self, values=tuple(replace(each, weight=each.weight // common) for each in self.values))

    def trace_cuts(self) -> tuple[Fraction, ...]:
        """The j-th value is drawn if cut j-1 ≤ ρ < cut j, where cut 0 is 0."""
        sums = list(accumulate(each.weight for each in self.values))
        return tuple(Fraction(each, sums[-1]) for each in sums)

    def trace_value(self, value: Value) -> Fraction:
        cuts, at = self.trace_cuts(), self.listed_values().index(value)
        return shortest_trace_value(cuts[at - 1] if at else Fraction(0), cuts[at])

    def typical_trace_values(self, most: int) -> list[Fraction]:
        cuts = (Fraction(0), *self.trace_cuts()[:most])
        return [shortest_trace_value(low, high) for low, high in pairwise(cuts)]

    def texts_after(self, texts: Iterable[str], type_: Type) -> tuple[str, ...]:
        return tuple(to_text(each.value, type_) for each in self.values)

    def examples(self, values: Iterable[Value], type_: Type) -> list[Value]:
        return list(self.listed_values())


@dataclass(frozen=True, slots=True)
class Labels(WithoutDraw):
    """GENERALIZE: maps the text of the value to a label. The column is text in the requirement's `after` (X2)."""

    map: Map

    keyword = "GENERALIZE"
    deed = "generalizes"
    noun = "label"
    change = "generalizes"

    def outcomes(self, value: Value, type_: Type) -> Iterator[tuple[Value, Fraction]]:
        label = self.map.label(to_text(value, type_))
        if label is not None:
            yield label, ONE

    def label_map(self) -> Map:
        return self.map

    def texts_after(self, texts: Iterable[str], type_: Type) -> tuple[str, ...]:
        """Without texts that have no label: a run fails on them."""
        return tuple(label for label in map(self.map.label, texts) if label is not None)

    def known_texts(self) -> tuple[str, ...]:
        return self.map.labels() or ()

    def examples(self, values: Iterable[Value], type_: Type) -> list[Value]:
        return list(self.texts_after((to_text(value, type_) for value in values), type_))


@dataclass(frozen=True, slots=True)
class Nearest(WithoutDraw):
    """GENERALIZE … TO NEAREST: the nearest multiple of `step`, halves away from zero (X12). The column stays a number,
    which has the column's type in the requirement's `after`."""

    step: Decimal  # positive, with the scale of the text

    keyword = "GENERALIZE"
    deed = "rounds"
    noun = "number"
    change = "rounds"
    may_fail = True

    def rounding(self) -> "Nearest":
        return self

    def outcomes(self, value: Value, type_: Type) -> Iterator[tuple[Value, Fraction]]:
        rounded = self.nearest(value, type_)
        if rounded is not None:
            yield rounded, ONE

    def nearest(self, value: Value, type_: Type) -> Value | None:
        """The multiple in a column of this type; None if it does not fit."""
        assert isinstance(value, int | float | Decimal)
        if type_.kind is Kind.FLOAT and value in (float("inf"), float("-inf")):
            return value
        return number_of_type(nearest_multiple(Fraction(value), self.step), type_)

    def texts_after(self, texts: Iterable[str], type_: Type) -> tuple[str, ...]:
        """Without numbers that do not fit: a run fails on them."""
        if type_.kind is Kind.FLOAT:
            raise ManyValues
        rounded = (self.nearest(Decimal(text), type_) for text in texts)
        return tuple(to_text(value, type_) for value in rounded if value is not None)

    def examples(self, values: Iterable[Value], type_: Type) -> list[Value]:
        rounded = (self.nearest(value, type_) for value in values)
        return [value for value in rounded if value is not None]


@dataclass(frozen=True, slots=True)
class Pseudonym(WithoutDraw):
    """PSEUDONYM: an injective function of the value, which only the key determines (X15). The column is text in the
    requirement's `after`."""

    type: Type  # of the column before
    key: Key | None = field(default=None, compare=False)  # None before a run

    keyword = "PSEUDONYM"
    deed = "writes pseudonyms into"
    noun = "pseudonym"
    change = "rewrites"
    is_injective = True
    hides_value = True
    needs_key = True

    def outcomes(self, value: Value, type_: Type) -> Iterator[tuple[Value, Fraction]]:
        """`value` is the text of the value before, as D12 says."""
        assert isinstance(value, str)
        assert self.key is not None, "a run has a key"
        yield self.key.pseudonym(key_text_of(value, self.type)), ONE

    def examples(self, values: Iterable[Value], type_: Type) -> list[Value]:
        return [] if self.key is None else [drawn for value in values for drawn, _ in self.outcomes(value, type_)]


class OfOthers(WithoutDraw):
    """A kernel whose values depend on another column, or on other records."""

    __slots__ = ()

    is_function = False

    def outcomes(self, value: Value, type_: Type) -> Iterator[tuple[Value, Fraction]]:
        raise AssertionError("the value alone does not determine what is written")

    def examples(self, values: Iterable[Value], type_: Type) -> list[Value]:
        return list(values)


@dataclass(frozen=True, slots=True)
class Shift(OfOthers):
    """SHIFT: adds days that the key and the value of another column determine (X16)."""

    person: int  # that column
    days: int  # the largest shift
    key: Key | None = field(default=None, compare=False)  # None before a run

    keyword = "SHIFT"
    deed = "shifts"
    noun = "date"
    change = "shifts"
    needs_key = True
    may_fail = True

    @property
    def by(self) -> int:
        return self.person


@dataclass(frozen=True, slots=True)
class Microaggregate(OfOthers):
    """MICROAGGREGATE: the mean of a group of at least `size` affected records with adjacent values (X18)."""

    size: int

    keyword = "MICROAGGREGATE"
    deed = "averages"
    noun = "mean"
    change = "averages"
    reads_others = True
    may_fail = True  # on both infinities in a group

    def mean(self, numbers: Sequence[tuple[Value, int]], type_: Type) -> Value | None:
        """The mean of numbers, each with how often it occurs; None if they include both infinities."""
        infinite = {value for value, _ in numbers if value in (float("inf"), float("-inf"))}
        if infinite:
            return infinite.pop() if len(infinite) == 1 else None
        total = sum((_exact(value) * count for value, count in numbers), Fraction(0))
        return number_of_type(total / sum(count for _, count in numbers), type_)

    def averaging(self) -> "Microaggregate":
        return self


@dataclass(frozen=True, slots=True)
class AddRandom(Draw):
    """ADD RANDOM: draws an integer in [lower, upper] and adds it to the value (X17)."""

    lower: int
    upper: int

    keyword = "ADD RANDOM"
    deed = "adds random numbers to"
    noun = "sum"
    reads_value = True
    hides_value = False
    may_fail = True

    @property
    def _drawn(self) -> Uniform:
        return Uniform(self.lower, self.upper)

    def addition(self) -> "AddRandom":
        return self

    def outcomes(self, value: Value, type_: Type) -> Iterator[tuple[Value, Fraction]]:
        """Without sums that do not fit: a run fails on them."""
        share = Fraction(1, self._drawn.size)
        for drawn in self._drawn.integers():
            total = self.sum(value, drawn, type_)
            if total is not None:
                yield total, share

    def sum(self, value: Value, drawn: int, type_: Type) -> Value | None:
        """The sum in a column of this type; None if it does not fit."""
        assert isinstance(value, int | float | Decimal)
        if type_.kind is Kind.FLOAT and value in (float("inf"), float("-inf")):
            return value
        if isinstance(value, Decimal):  # a number that was read from text keeps its digits after the point (D26)
            total = EXACT.add(value, Decimal(drawn))
            return total if fits_digits(EXACT.scaleb(total, type_.scale)) else None
        return number_of_type(Fraction(value) + drawn, type_)

    def trace_cuts(self) -> tuple[Fraction, ...]:
        return ()

    def trace_value(self, value: Value) -> Fraction:
        """The value of the trace for a drawn integer, not for a sum."""
        return self._drawn.trace_value(value)

    def typical_trace_values(self, most: int) -> list[Fraction]:
        return self._drawn.typical_trace_values(most)

    def examples(self, values: Iterable[Value], type_: Type) -> list[Value]:
        ends = (self.sum(value, bound, type_) for value in values for bound in (self.lower, self.upper))
        return [value for value in ends if value is not None]


Kernel: TypeAlias = Constant | Uniform | Weighted | Labels | Nearest | Pseudonym | Shift | Microaggregate | AddRandom


class UnfitValueError(Exception):
    """A run cannot write the values of `count` records that the requirement with this index affects: a number is too
    large for its column, a date too early or too late, or a text no date."""

    def __init__(self, requirement: int, count: int):
        super().__init__(requirement, count)
        self.requirement = requirement
        self.count = count


def _exact(value: Value) -> Fraction:
    assert isinstance(value, int | float | Decimal)
    return Fraction(value)


def shortest_trace_value(low: Fraction, high: Fraction) -> Fraction:
    """The value of the trace with the fewest digits that is at least `low` and below `high`."""
    scale = 1
    while ceil(low * scale) >= high * scale:
        scale *= 10
    return Fraction(ceil(low * scale), scale)
