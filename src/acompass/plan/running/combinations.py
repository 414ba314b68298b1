"""The distinct combinations of values of a few columns, counted once and fetched as numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import Any

from sqlglot import exp

from acompass.checked.convert import to_text
from acompass.checked.types import Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import WEIGHT, State
from acompass.plan.running.column_texts import text_key
from acompass.plan.running.session import Session

#: a packed number is below this, so that the integers of every engine hold it
LARGEST = 2**62
#: rows that are fetched at once, about
AT_ONCE = 1_000_000


@dataclass(frozen=True)
class CountedCombinations:
    """A stored table with a row for each combination: its values, and the number of records that have it.

    `types` are those of its columns, which are named by their positions in the schema.
    """

    session: Session
    table: str
    rows: int
    types: Mapping[int, Type]

    def values(self, column: int) -> dict[str, Any]:
        """The distinct values of a column by their texts, in the order of code points."""
        select = sql.query([sql.column(column, "t")], sql.table(self.table, "t")).distinct(copy=False)
        found = {to_text(value, self.types[column]): value for (value,) in self.session.fetch(select)}
        return dict(sorted(found.items()))

    def packed(
        self, words: Sequence["Word"], values: Mapping[int, Sequence[Any]]
    ) -> Iterator[list[tuple[int, ...]]]:
        """Each combination of the columns of words as their numbers, and its records; not all of them at
        once, so that they take little memory. `values` are all values of each column: a value's code is its
        place among them."""
        numbers = [sql.named(_packed(word), sql.name(place)) for place, word in enumerate(words)]
        records = sql.cast(exp.Sum(this=exp.column(WEIGHT, table="t")), "BIGINT")
        select = sql.query([*numbers, sql.named(records, WEIGHT)], sql.table(self.table, "t"))
        for column, each in values.items():
            select.append("joins", self._codes(column, each))
        select.group_by(*(_packed(word) for word in words), copy=False)
        parts = -(-self.rows // AT_ONCE)
        if parts <= 1:
            yield self.session.fetch(select)
            return
        table = self.session.store(select)
        for part in range(parts):
            yield self.session.fetch(sql.query([exp.Star()], sql.table(table), _is_part(part, parts)))
        self.session.drop(table)

    def _codes(self, column: int, values: Sequence[Any]) -> exp.Join:
        """A join with the codes of a column's values."""
        columns = (("value", sql.type_name(self.types[column])), ("code", "BIGINT"))
        table = self.session.upload(columns, ((value, code) for code, value in enumerate(values)))
        codes = f"m{column}"
        on = exp.EQ(this=sql.column(column, "t"), expression=exp.column("value", table=codes))
        return exp.Join(this=sql.table(table, codes), on=on)


@dataclass(frozen=True, slots=True)
class Word:
    """Columns whose codes are packed into one number; the first is the lowest digit, `sizes` the bases."""

    columns: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def factors(self) -> tuple[int, ...]:
        """What each code is multiplied with."""
        return tuple(accumulate(self.sizes[:-1], mul, initial=1))


def count_combinations(session: Session, state: State, columns: Sequence[int]) -> CountedCombinations:
    """One aggregation over the records. The columns must be complete."""
    keys = {i: text_key(session.dialect, sql.column(i, "t"), state.schema[i].type) for i in columns}
    named = [sql.named(value.copy(), sql.name(i)) for i, (value, _) in keys.items()]
    select = sql.query([*named, sql.named(state.count(), WEIGHT)], state.source())
    table = session.store(select.group_by(*(value.copy() for value, _ in keys.values()), copy=False))
    ((rows,),) = session.fetch(sql.query([exp.Count(this=exp.Star())], sql.table(table)))
    return CountedCombinations(session, table, int(rows), {i: type_ for i, (_, type_) in keys.items()})


def words_of(sizes: Mapping[int, int]) -> list[Word]:
    """As many columns in each word as fit."""
    words: list[Word] = []
    product = LARGEST
    for column, size in sizes.items():
        product *= size
        if product >= LARGEST:
            words.append(Word((), ()))
            product = size
        words[-1] = Word((*words[-1].columns, column), (*words[-1].sizes, size))
    return words


def _is_part(part: int, parts: int) -> Sql:
    rest = exp.Mod(this=sql.column(0), expression=sql.cast(sql.integer(parts), "BIGINT"))
    return exp.EQ(this=rest, expression=sql.cast(sql.integer(part), "BIGINT"))


def _packed(word: Word) -> Sql:
    terms = [_term(column, factor) for column, factor in zip(word.columns, word.factors, strict=True)]
    packed, *others = terms
    for term in others:
        packed = exp.Add(this=packed, expression=term)
    return packed


def _term(column: int, factor: int) -> Sql:
    code, base = exp.column("code", table=f"m{column}"), sql.cast(sql.integer(factor), "BIGINT")
    return exp.Mul(this=code, expression=base)
