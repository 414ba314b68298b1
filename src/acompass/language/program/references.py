"""Reference tables (X14): files that come with a policy, aggregated over the columns that a requirement groups by.

`tables.references` reads the files. This module finds their columns, compares their values with those of the table, and
adds them up."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property, reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from acompass.dataclasses import dataclass, field
from acompass.errors.diagnostics import Diagnostic, Label, Span, TableError
from acompass.errors.display import count_text
from acompass.language.program import findings
from acompass.language.program.constants import digits_before_point, is_64_bit, parse_value, scale_of
from acompass.language.program.types import (
    EXACT,
    INTEGER,
    MOST_DIGITS,
    TEXT,
    Column,
    Kind,
    Names,
    Type,
    Value,
    at_scale,
    decimal,
    to_text,
)
from acompass.language.text import tree
from acompass.language.text.parser import pause_garbage_collection

if TYPE_CHECKING:
    from acompass.tables.references import ReferenceFile

#: the values of the columns of GROUP BY, in their order
Group: TypeAlias = tuple[Value, ...]
Number: TypeAlias = int | Decimal | float


@dataclass(frozen=True)
class Reference:
    """A file and the columns of it that an aggregate uses. Equal references have the same totals."""

    file: str = field(compare=False)  # as the policy names it
    digest: str  # the SHA-256 of its content, in hexadecimal
    columns: tuple[str, ...]  # the names of the file's columns that stand for those of GROUP BY
    types: tuple[Type, ...]  # of the table's columns, in which values are compared
    added: str | None  # the column of the file that SUM adds; None for COUNT(*)
    type: Type  # of the totals
    source: "ReferenceFile" = field(compare=False, repr=False)
    place: Span = field(compare=False, repr=False)  # the name of the file in the policy

    @cached_property
    def records(self) -> Mapping[Group, Sequence[Number]]:
        """For each group that the file has, the number that each of its records adds; 1 for COUNT(*).

        Raises a TableError if a value that the aggregate uses is missing or not a number.
        """
        keys, added = self._complete_columns()
        groups: dict[Group, list[Number]] = {}
        for group, number in zip(_groups(keys, len(added)), added, strict=True):
            if None not in group:
                groups.setdefault(group, []).append(number)
        return groups

    @property
    def totals(self) -> Mapping[Group, Number]:
        """For each group that the file has, the number of its records or their sum (D13); all other groups have 0."""
        known = self.source.totals
        if self not in known:
            known[self] = self._add_up()
        return known[self]

    @pause_garbage_collection()
    def _add_up(self) -> Mapping[Group, Number]:
        keys, added = self._complete_columns()
        groups = _groups(keys, len(added))
        totals: dict[Group, Number]
        if self.added is None:
            totals = dict(Counter(groups))
        elif added and isinstance(added[0], float):
            totals = {group: _sum_of_floats(numbers) for group, numbers in self.records.items()}
        else:
            totals = _exact_sums(groups, added)
        return {group: total for group, total in totals.items() if None not in group}

    def has_more_groups_than(self, most: int) -> bool:
        """Much cheaper than `totals` for a large file. Different spellings of a number count as different groups."""
        return self.source.has_more_combinations(self.columns, most)

    def total(self, group: Group) -> Number:
        return self.totals.get(group, 0)

    def _complete_columns(self) -> tuple[list[list[Value | None]], list[Number]]:
        """The values of the columns for GROUP BY, None if no value of the table equals them; and the numbers to add."""
        names = [*self.columns, *([] if self.added is None else [self.added])]
        stored = self.source.columns(names)
        for name, column in zip(names, stored, strict=True):
            if missing := column.values.count(None):
                help_ = "complete the column in the file, or remove the records without a value"
                raise self._unusable(name, count_text(missing, "missing value"), help_)
        keys = [_compared(column, type_) for column, type_ in zip(stored, self.types, strict=False)]
        if self.added is None:
            return keys, [1] * self.source.records
        numbers = stored[-1].numbers
        if wrong := numbers.count(None):
            one, several = "1 value that is not a number", f"{wrong:,} values that are not numbers"
            help_ = "write numbers without leading zeros and without a plus sign, with a decimal point"
            raise self._unusable(self.added, one if wrong == 1 else several, help_)
        return keys, numbers

    def _unusable(self, column: str, values: str, help_: str) -> TableError:
        message = f"column `{column}` of reference table `{self.file}` has {values}"
        return TableError([Diagnostic("AC239", message, (Label(self.place),), help_)])


@dataclass(frozen=True)
class StoredColumn:
    """A column of the file, with None for missing values (D11)."""

    type: Type  # of Parquet; a CSV has only text
    values: list[Any] = field(repr=False)

    @cached_property
    def numbers(self) -> list[Any]:
        """The values as numbers, all of one Python type; None for other values."""
        if self.type != TEXT:
            return self.values
        try:
            integers = list(map(int, self.values))
            if list(map(str, integers)) == self.values:
                return integers
        except (TypeError, ValueError):
            pass
        found = [None if text is None else _number(text) for text in self.values]
        if any(number is not None and scale_of(number) for number in found):
            return found
        return [None if number is None else int(number) for number in found]

    @property
    def type_of_sums(self) -> Type:
        """Texts that are not numbers are found later, with their count."""
        if self.type != TEXT:
            return self.type
        scales = {scale_of(number) for number in self.numbers if isinstance(number, Decimal)}
        return decimal(max(scales)) if scales else INTEGER


def _groups(keys: list[list[Value | None]], records: int) -> Iterator[Any]:
    return zip(*keys, strict=True) if keys else iter([()] * records)


def _exact_sums(groups: Iterator[Group], numbers: Sequence[Any]) -> dict[Group, Number]:
    """`numbers` are all integers or all decimals."""
    totals: dict[Group, Any] = {}
    plus = EXACT.add if numbers and isinstance(numbers[0], Decimal) else add
    for group, number in zip(groups, numbers, strict=True):
        known = totals.get(group)
        totals[group] = number if known is None else plus(known, number)
    return totals


def _sum_of_floats(numbers: Sequence[Number]) -> Number:
    """One by one in sorted order."""
    return reduce(add, sorted(numbers))


def find_reference(
    file: tree.String, content: bytes | Path, added: tree.Name | None, groups: Sequence[Column]
) -> Reference | Diagnostic:
    """The reference table with this content or at this path."""
    from acompass.tables.references import open_reference  # few policies have a reference table

    try:
        source = open_reference(file.value, content)
        names = Names(source.names)
        found: list[str] = []
        for name in (*(group.name for group in groups), *(() if added is None else (added,))):
            match names.find(name if isinstance(name, str) else name.text):
                case (position,):
                    found.append(names.texts[position])
                case candidates:
                    listed = [names.texts[position] for position in candidates]
                    return findings.not_in_reference(file, name, names, listed)
        type_ = INTEGER if added is None else source.type_of_sums(found[-1])
    except TableError as error:
        return findings.unusable_reference(file, error.diagnostics[0])
    if added is not None and not type_.is_number:
        return findings.not_addable(file, added, found[-1])
    columns, types = tuple(found[: len(groups)]), tuple(group.type for group in groups)
    summed = None if added is None else found[-1]
    return Reference(file.value, source.digest, columns, types, summed, type_, source, file.span)


#: D25, numbers: no leading zeros, no plus sign
NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"
_NUMBER = re.compile(NUMBER, re.ASCII)


def _number(text: str) -> Decimal | None:
    number = Decimal(text) if _NUMBER.fullmatch(text) else None
    return None if number is None or digits_before_point(number) + scale_of(number) > MOST_DIGITS else number


def _compared(column: StoredColumn, type_: Type) -> list[Value | None]:
    """The values in the type of the table's column; None for a value that no value of that type equals."""
    if column.type == TEXT == type_:
        return column.values
    known: dict[Any, Value | None] = {}
    for value in column.values:
        if value not in known:
            known[value] = _in_type(value, column.type, type_)
    return [known[value] for value in column.values]


def _in_type(value: Value, source: Type, target: Type) -> Value | None:
    if target.is_number:
        number = _number(value) if isinstance(value, str) else value if source.is_number else None
        return None if number is None else _number_in_type(number, target)  # type: ignore[arg-type]
    return parse_value(to_text(value, source), target.kind)


def _number_in_type(number: Number, target: Type) -> Number | None:
    if isinstance(number, float) and not math.isfinite(number):
        return number if target.kind is Kind.FLOAT else None
    if target.kind is Kind.FLOAT:
        return _nearest_float(number)
    exact = Decimal(number)
    if scale_of(exact) > target.scale and at_scale(exact, target.scale) != exact:
        return None
    if target.kind is Kind.INTEGER:
        return int(exact) if is_64_bit(exact) else None
    return exact if digits_before_point(exact) + target.scale <= MOST_DIGITS else None


def _nearest_float(number: Number) -> float | None:
    try:
        return float(number) + 0.0  # without a negative zero
    except OverflowError:
        return None
