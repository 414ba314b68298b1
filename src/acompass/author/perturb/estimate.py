"""Estimate a column's distribution before the release from the released table and its policy.

A record with the value x is released with the value y with probability K(x, y), independently of the others. Let n(y)
be the released counts and G a matrix with K · G = I. Then t(x) = Σ n(y) · G(y, x) is an unbiased estimate of the count
of x, and Σ n(y) · G(y, x)² - t(x) one of its variance. docs/pram.md has the proofs."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from acompass.author.answers import Estimate, Quantity, ValueEstimate
from acompass.author.perturb.transitions import (
    MOST_VALUES,
    UNUSED,
    CountedColumn,
    Lines,
    Stopped,
    TooMany,
    Transitions,
    column_position,
    counted_column,
    deciding_lines,
    stopping_error,
    transitions,
)
from acompass.dataclasses import dataclass, replace
from acompass.engines.protocol import OpenTable
from acompass.errors.diagnostics import CallError, Diagnostic, PolicyError
from acompass.language.program.constants import ParamValue
from acompass.language.program.program import Program
from acompass.language.program.types import Column, Names
from acompass.language.program.uses import uses
from acompass.policy import Policy, attach_text
from acompass.prove.search.column_types import inferred_schema
from acompass.run import checked_program
from acompass.tables.formats import ReadingOptions

#: the entries of a row that are not 0, by column
Row: TypeAlias = Mapping[int, Fraction]
_Integers: TypeAlias = dict[int, int]


@dataclass(frozen=True, slots=True)
class Inverse:
    rows: tuple[Mapping[int, int], ...]  # numerators by column
    denominator: int  # of all entries


class Dependent(Exception):
    """A minimal set of linearly dependent rows."""

    def __init__(self, rows: Sequence[int]):
        super().__init__(rows)
        self.rows = rows


def estimate_column(
    source: OpenTable, policy: Policy, params: Mapping[str, ParamValue], column: str, reading: ReadingOptions
) -> Estimate:
    with attach_text(policy):
        position = column_position(column, source)
        use = uses(policy.tree, source.names, params, may_be_released=True).get(position, UNUSED)
        counted = counted_column(source, position, use, reading)
        program, place = _program(policy, params, counted)
        lines = deciding_lines(program, place)
        if not isinstance(lines, Lines):
            raise PolicyError(lines, policy.text, policy.name)
        found = _transitions(program, lines, place, counted)
    estimate = solve(counted, found, lines.drawing[0].line if lines.drawing else None)
    return replace(estimate, notes=tuple(_notes(estimate, found)))


def _program(policy: Policy, params: Mapping[str, ParamValue], counted: CountedColumn) -> tuple[Program, int]:
    """Check the policy with the column's type in the released table; also return the column's position.

    The other columns may have changed there, so the policy decides their types.
    """
    schema = inferred_schema(policy.tree, params)
    found = Names([column.name for column in schema]).find(counted.name)
    place = found[0] if found else len(schema)
    own = Column(counted.name, counted.type)
    schema = (*schema[:place], own, *schema[place + 1 :])
    return checked_program(policy, schema, params, may_be_released=True), place


def _transitions(program: Program, lines: Lines, place: int, counted: CountedColumn) -> Transitions:
    seen = {text: each.value for text, each in counted.counts.items()}
    try:
        return transitions(program, lines, place, seen)
    except Stopped as error:
        raise PolicyError([stopping_error(error.line)]) from None
    except TooMany as error:
        raise too_many_values(counted.name, error.values) from None


_NONE = Quantity(Fraction(0), Fraction(0))


def solve(counted: CountedColumn, found: Transitions, line: int | None) -> Estimate:
    """`line` is the first line that draws."""
    texts = dict.fromkeys(text for row in found.rows.values() for text in row)
    records = sum(each.records for text, each in counted.counts.items() if text not in texts)
    if records:
        raise unexpected_values(counted.name, records)
    counts = [_released_count(counted, text) for text in texts]
    inverse = _inverse(counted, found, texts)
    return Estimate(
        column=counted.name,
        line=line,
        released=counted.records,
        records=total(counts, inverse),
        values=tuple(_values(counted, found, sums(counts, inverse, len(found.rows)))),
    )


def _inverse(counted: CountedColumn, found: Transitions, texts: Iterable[str]) -> Inverse:
    places = {text: place for place, text in enumerate(texts)}
    rows = [{places[text]: entry for text, entry in row.items()} for row in found.rows.values()]
    try:
        return right_inverse(rows, len(places))
    except Dependent as error:
        values = list(found.rows)
        raise indistinguishable_values(counted.name, [values[at] for at in error.rows], found.unnamed) from None


@dataclass(frozen=True, slots=True)
class Sums:
    """For a value x: Σ n(y) · G(y, x) and Σ n(y) · G(y, x)²."""

    first: Fraction
    second: Fraction

    @property
    def count(self) -> Quantity:
        return Quantity(self.first, self.second - self.first)

    def share(self, records: int, rate: Fraction) -> Quantity:
        """The share in a table of which `records` were released, each with probability `rate`.

        Given their number, the released records are a sample without replacement. With H = rate · G, `drawn` is the
        variance that the draws add to a record, and `spread` the sample variance of H(y, x) in the released records,
        which includes the variation of the share itself. Sampling leaves 1 - rate of the latter.
        """
        share = rate * self.first / records
        square = rate**2 * self.second / records
        drawn = square - share
        if rate == 1:
            return Quantity(share, drawn / records)
        if records == 1:
            return Quantity(share, None)
        spread = (square - share**2) * Fraction(records, records - 1)
        return Quantity(share, ((1 - rate) * spread + rate * drawn) / records)


def _values(counted: CountedColumn, found: Transitions, by_value: Sequence[Sums]) -> list[ValueEstimate]:
    """The possible original values, then the released values that were only drawn."""
    listed = [
        ValueEstimate(
            None if text in found.unnamed else value,
            _released_count(counted, text),
            own.count,
            _share(counted, found, own),
        )
        for (text, value), own in zip(found.values.items(), by_value, strict=True)
        if text not in found.absent
    ]
    drawn = [each for text, each in counted.counts.items() if text not in found.values]
    return [*listed, *(ValueEstimate(each.value, each.records, _NONE, _NONE) for each in drawn)]


def _released_count(counted: CountedColumn, text: str) -> int:
    return counted.counts[text].records if text in counted.counts else 0


def _share(counted: CountedColumn, found: Transitions, own: Sums) -> Quantity | None:
    """None if values are released at different rates, or no record was released."""
    if len(found.rates) > 1 or not counted.records:
        return None
    (rate,) = found.rates
    return own.share(counted.records, rate)


def sums(counts: Sequence[int], inverse: Inverse, values: int) -> list[Sums]:
    """The sums for each value, from the released counts."""
    first, second = [0] * values, [0] * values
    for count, row in zip(counts, inverse.rows, strict=True):
        for x, n in row.items() if count else ():
            first[x] += count * n
            second[x] += count * n * n
    shared = inverse.denominator
    return [Sums(Fraction(a, shared), Fraction(b, shared**2)) for a, b in zip(first, second, strict=True)]


def total(counts: Sequence[int], inverse: Inverse) -> Quantity:
    """Estimate the number of records before the release like that of a value, but with the row sums of G."""
    factors = (Fraction(sum(row.values()), inverse.denominator) for row in inverse.rows)
    pairs = list(zip(counts, factors, strict=True))
    first = sum((count * factor for count, factor in pairs), Fraction(0))
    second = sum((count * factor**2 for count, factor in pairs), Fraction(0))
    return Sums(first, second).count


def _notes(estimate: Estimate, found: Transitions) -> Iterator[str]:
    if estimate.line is None:
        yield "no line draws for the column or drops records at random: the released counts are exact"
    negative = sum(each.count.estimate < 0 for each in estimate.values)
    if negative:
        yield (
            f"{negative} of the estimates {'is' if negative == 1 else 'are'} below 0: these values are rarer than "
            "the noise; setting them to 0 would bias the others"
        )
    if len(found.rates) > 1:
        yield "the policy drops some values more often than others: shares have no unbiased estimate"
    if any(each.count.standard_error is None for each in estimate.values):
        yield "no standard error is shown where the estimated variance happens to be negative"


#: values that a message lists before it counts the rest
_LISTED = 5


def indistinguishable_values(column: str, texts: Sequence[str], unnamed: Collection[str]) -> CallError:
    """The rows of these values are linearly dependent, so the released table does not determine their counts."""
    named = [f"`{text}`" for text in texts if text not in unnamed]
    listed = [*named[:_LISTED], *([f"{len(named) - _LISTED:,} more"] if len(named) > _LISTED else [])]
    if len(named) < len(texts):
        listed.append("values that the policy does not name")
    what = listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
    if len(texts) == 1:
        message = f"in column `{column}`, no record with {what} is ever released"
    else:
        message = f"the released table cannot distinguish {what} of column `{column}`"
    help_ = "if some of these values never occur, begin the policy with a check such as "
    return CallError([Diagnostic("AC636", message, help=f"{help_}`EACH RESULT : {column} IN ('a', 'b');`")])


def unexpected_values(column: str, records: int) -> CallError:
    those = "1 record has a value" if records == 1 else f"{records:,} records have values"
    message = f"{those} of column `{column}` that the policy cannot produce"
    help_ = "use the released table with the policy and the parameters of its run"
    return CallError([Diagnostic("AC637", message, help=help_)])


def too_many_values(column: str, values: int) -> CallError:
    message = f"the policy draws one of {values:,} values for `{column}`, expected at most {MOST_VALUES:,}"
    return CallError([Diagnostic("AC631", message, help="estimate a column that has fewer values")])


def right_inverse(rows: Sequence[Row], width: int) -> Inverse:
    """A matrix G with `rows` · G = I. Raise Dependent if there is none.

    With more columns than rows, G is not unique. A row with a column of its own is then solved by that column, so
    that further such rows do not affect the others; for the others, the sum of the squares in G is least.
    """
    if len(rows) >= width:
        return _Elimination(rows).inverse()
    own = _own_columns(rows)
    shared = [at for at in range(len(rows)) if at not in own]
    try:
        solved = _least_squares([_without(rows[at], own.values()) for at in shared], width)
    except Dependent as error:
        raise Dependent([shared[at] for at in error.rows]) from None
    inverse: list[Row] = [{shared[at]: entry for at, entry in row.items()} for row in solved]
    for at, column in own.items():
        inverse[column] = _solve_row(column, at, rows[at], inverse)
    return _over_one_denominator(inverse)


def _own_columns(rows: Sequence[Row]) -> dict[int, int]:
    """For each row that has any, a column that no other row has."""
    counts = Counter(column for row in rows for column in row)
    own = {at: [column for column in row if counts[column] == 1] for at, row in enumerate(rows)}
    return {at: min(columns) for at, columns in own.items() if columns}


def _without(row: Row, columns: Collection[int]) -> Row:
    return {column: entry for column, entry in row.items() if column not in columns}


def _least_squares(rows: Sequence[Row], width: int) -> list[Row]:
    """Rᵀ (R Rᵀ)⁻¹."""
    if not rows:
        return [{} for _ in range(width)]
    columns = _transpose(rows, width)
    squared = _Elimination(_product(rows, columns)).inverse()
    fractions = [{at: Fraction(n, squared.denominator) for at, n in row.items()} for row in squared.rows]
    return _product(columns, fractions)


def _solve_row(column: int, at: int, row: Row, inverse: Sequence[Row]) -> Row:
    """The row of G for a column that only one row has."""
    (rest,) = _product([_without(row, (column,))], inverse)
    factor = 1 / row[column]
    return {at: factor, **{other: -entry * factor for other, entry in rest.items()}}


class _Elimination:
    """Gauss–Jordan elimination: each row of `_left` is the sum of the original rows times the factors in the
    same row of `_right`. In the end, each row of `_left` has one entry."""

    def __init__(self, rows: Sequence[Row]):
        pairs = [_subtract_first(at, row, rows[0]) for at, row in enumerate(rows)]
        self._left = [left for left, _ in pairs]
        self._right = [right for _, right in pairs]

    def inverse(self) -> Inverse:
        pivots = {self._reduce(at): at for at in self._shortest_first()}
        entries = {column: self._left[at][column] for column, at in pivots.items()}
        shared = lcm(*entries.values())
        rows = (
            {place: n * (shared // entries[column]) for place, n in self._right[pivots[column]].items()}
            for column in sorted(pivots)
        )
        return Inverse(tuple(rows), shared)

    def _shortest_first(self) -> Iterator[int]:
        """Yield every row once, each time the shortest of those that remain."""
        rest = set(range(len(self._left)))
        while rest:
            at = min(rest, key=lambda row: (len(self._left[row]), row))
            rest.remove(at)
            yield at

    def _reduce(self, at: int) -> int:
        """Choose a pivot in a row, make the other entries of its column 0, and return the column."""
        if not self._left[at]:
            raise Dependent(sorted(self._right[at]))
        counts = Counter(column for row in self._left for column in row)
        pivot = min(self._left[at], key=lambda column: (counts[column], column))
        for other, row in enumerate(self._left):
            if other != at and pivot in row:
                self._clear(other, at, pivot)
        return pivot

    def _clear(self, row: int, by: int, column: int) -> None:
        """Add a multiple of the row `by` to a multiple of `row`, so that its entry in the column becomes 0."""
        entry, pivot = self._left[row][column], self._left[by][column]
        shared = gcd(entry, pivot)
        factor, times = pivot // shared, -(entry // shared)
        for side in (self._left, self._right):
            _combine(side[row], factor, side[by], times)
        if abs(factor) > 1:
            self._simplify(row)

    def _simplify(self, row: int) -> None:
        shared = gcd(*self._left[row].values(), *self._right[row].values())
        if shared > 1:
            for side in (self._left, self._right):
                side[row] = {at: n // shared for at, n in side[row].items()}


def _subtract_first(at: int, row: Row, first: Row) -> tuple[_Integers, _Integers]:
    """Return the row, or its difference from the first row if that has fewer entries, and the factors of the original
    rows that produce it, both as integers."""
    zero = Fraction(0)
    unlike = [place for place in {**row, **first} if row.get(place) != first.get(place)]
    if at == 0 or len(unlike) >= len(row):
        return _integers(row, {at: Fraction(1)})
    difference = {place: row.get(place, zero) - first.get(place, zero) for place in unlike}
    return _integers(difference, {at: Fraction(1), 0: Fraction(-1)})


def _integers(left: Row, right: Row) -> tuple[_Integers, _Integers]:
    scale = lcm(*(entry.denominator for entry in left.values()))
    whole = [{at: int(entry * scale) for at, entry in side.items()} for side in (left, right)]
    shared = gcd(*(n for side in whole for n in side.values()))
    own, factors = ({at: n // shared for at, n in side.items()} for side in whole)
    return own, factors


def _combine(row: _Integers, factor: int, other: _Integers, times: int) -> None:
    if factor != 1:
        for place in row:
            row[place] *= factor
    for place, n in other.items():
        total = row.get(place, 0) + n * times
        if total:
            row[place] = total
        else:
            del row[place]


def _transpose(rows: Sequence[Row], width: int) -> list[Row]:
    columns: list[dict[int, Fraction]] = [{} for _ in range(width)]
    for at, row in enumerate(rows):
        for place, entry in row.items():
            columns[place][at] = entry
    return list(columns)


def _product(rows: Sequence[Row], others: Sequence[Row]) -> list[Row]:
    result: list[Row] = []
    for row in rows:
        total: dict[int, Fraction] = {}
        for place, entry in row.items():
            for at, factor in others[place].items():
                total[at] = total.get(at, Fraction(0)) + entry * factor
        result.append({at: entry for at, entry in total.items() if entry})
    return result


def _over_one_denominator(rows: Sequence[Row]) -> Inverse:
    shared = lcm(*(entry.denominator for row in rows for entry in row.values()))
    return Inverse(tuple({at: int(entry * shared) for at, entry in row.items()} for row in rows), shared)
