"""Query the records of a state outside a run: records by row key, their classes, value counts, and combinations."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import accumulate, chain
from operator import mul
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlglot import exp

from acompass.dataclasses import dataclass
from acompass.language.program.program import Condition, Requirement
from acompass.language.program.types import Kind, Type, Value, to_text
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import text_key
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import ROW_KEY, WEIGHT, State
from acompass.plan.run.classes import Classes, exact_shares
from acompass.plan.run.context import Session, uploaded_totals

if TYPE_CHECKING:
    from acompass.plan.run.shares import Share

#: the number of records in a class, and its aggregate values for each requirement index
ClassValues: TypeAlias = tuple[int, dict[int, tuple[Any, ...]]]

_KEY = exp.column(ROW_KEY, table="t")


def nth_row_key(session: Session, state: State, place: int) -> list[int]:
    """The row key of the record at a position counted from 1; empty if there is none."""
    query = exp.select(_KEY.copy()).from_(state.source()).order_by(_KEY.copy()).limit(1).offset(place - 1)
    return [int(key) for (key,) in session.fetch(query)]


def row_keys_from(session: Session, state: State, first: int, count: int) -> list[int]:
    """The row keys of some records, in the order of the input, beginning with the record `first`, counted from 0."""
    query = exp.select(_KEY.copy()).from_(state.source()).order_by(_KEY.copy()).limit(count).offset(first)
    return [int(key) for (key,) in session.fetch(query)]


def frequent_texts(session: Session, state: State, column: int, most: int) -> dict[str, int]:
    """The most frequent values of a column as text, with their numbers of records."""
    text = sql.cast(sql.column(column, "t"), "TEXT")
    counted = sql.query([sql.with_alias(text, "v"), sql.with_alias(exp.Count(this=exp.Star()), "n")], state.source())
    values = counted.group_by(text.copy(), copy=False).subquery("t", copy=False)
    columns = [exp.column(name, table="t") for name in ("v", "n")]
    present = sql.is_present(columns[0].copy())
    ordered = sql.query(columns, values, present).order_by(
        exp.Ordered(this=columns[1].copy(), desc=True), columns[0].copy()
    )
    return {str(text): int(count) for text, count in session.fetch(ordered.limit(most))}


def matching_row_keys(session: Session, state: State, condition: Condition, most: int) -> list[int]:
    """The row keys of the first records that satisfy a condition. A missing value satisfies no comparison."""
    satisfied = sql.condition(condition, state.schema, state.values())
    query = exp.select(_KEY.copy()).from_(state.source()).where(satisfied).order_by(_KEY.copy()).limit(most)
    return [int(key) for (key,) in session.fetch(query)]


def input_positions(session: Session, state: State, row_keys: Sequence[int]) -> dict[int, int]:
    """The position of each record in the input, counted from 1: the number of row keys up to its own."""
    if not row_keys:
        return {}
    reached = [sql.count_where(exp.LTE(this=_KEY.copy(), expression=sql.integer(key))) for key in row_keys]
    (counts,) = session.fetch(sql.query(reached, state.source()))
    return {key: int(place) for key, place in zip(row_keys, counts, strict=True)}


def records_by_key(session: Session, state: State, row_keys: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """The records that the state still contains, by row key."""
    query = exp.select(_KEY.copy(), *state.columns()).from_(state.source()).where(_among(row_keys))
    return {int(key): state.record(row) for key, *row in session.fetch(query)}


def row_keys_are_positions(session: Session, state: State) -> bool:
    """Whether the row keys are 0, 1, …, so that a page is found without counting the records before it. Row keys are
    distinct and not negative."""
    if not state.has_row_key:
        return False
    ((last,),) = session.fetch(exp.select(exp.Max(this=_KEY.copy())).from_(state.source()))
    return last is None or int(last) == state.records - 1


def row_texts(
    session: Session, state: State, first: int, count: int, *, has_positions: bool
) -> list[tuple[str | None, ...]]:
    """The values of some records as text, in the order of the row keys if there are any."""
    page = sql.query([_text(state, place) for place in range(len(state.schema))], state.source())
    if has_positions:
        page = page.where(exp.Between(this=_KEY.copy(), low=sql.integer(first), high=sql.integer(first + count - 1)))
    else:
        page = page.limit(count).offset(first)
    ordered = page.order_by(_KEY.copy()) if state.has_row_key else page
    return [tuple(row) for row in session.fetch(ordered)]


#: stands for a value without a text of its own, such as a list
_NESTED = "[…]"


def _text(state: State, column: int) -> Sql:
    stored = sql.column(column, "t")
    if state.schema[column].type.kind is not Kind.OPAQUE:
        return sql.cast(stored, "TEXT")
    return sql.when(sql.is_null(stored), exp.null(), exp.Literal.string(_NESTED))


def rarest_texts(session: Session, state: State, column: int, most: int) -> list[tuple[str, int]]:
    """The values of a column that the fewest records share, as text, with their numbers of records."""
    text, count = sql.cast(sql.column(column, "t"), "TEXT"), exp.Count(this=exp.Star())
    values = sql.query([sql.with_alias(text, "v"), sql.with_alias(count, "n")], state.source()).group_by(text.copy())
    found = values.having(sql.is_present(text.copy()))
    rows = session.fetch(found.order_by(exp.column("n"), exp.column("v")).limit(most))
    return [(str(value), int(records)) for value, records in rows]


def smallest_class(session: Session, state: State, columns: Sequence[int], person: int | None) -> int:
    """The size of the smallest class by some columns, in records or else in distinct values of the column `person`."""
    keys = [_class_key(session, state, position) for position in columns]
    size = state.count() if person is None else state.count_distinct(person)
    classes = sql.query([sql.with_alias(size, "n")], state.source()).group_by(*keys, copy=False)
    smallest = exp.Min(this=exp.column("n", table="t"))
    ((found,),) = session.fetch(sql.query([smallest], classes.subquery("t", copy=False)))
    return int(found)


def _class_key(session: Session, state: State, position: int) -> Sql:
    """Missing values are equal, NaN among them."""
    value, type_ = state.value(position), state.schema[position].type
    return session.dialect.float_order(value) if type_.kind is Kind.FLOAT else value


def classes_by_key(
    session: Session, state: State, requirements: tuple[Requirement, ...], row_keys: Sequence[int]
) -> dict[int, ClassValues]:
    """The class of each record that PROCESS selects. The requirements must have the same WHERE and GROUP BY. Shares
    are exact fractions."""
    classes = Classes(session.dialect, state, requirements, totals=uploaded_totals(session))
    members = exp.select(_KEY.copy(), *state.columns()).from_(state.source())
    selected = members.where(exp.and_(_among(row_keys), classes.where)).subquery("t")
    values = {requirement.index: classes.aggregates(requirement, "v") for requirement in requirements}
    query = exp.select(_KEY.copy(), exp.column("n", table="v"), *chain.from_iterable(values.values())).from_(selected)
    pairs = zip(classes.process.group_by, classes.keys("v"), strict=True)
    same = [exp.EQ(this=state.value(g), expression=key) for g, key in pairs]
    join = exp.Join(this=classes.subquery("v"), on=sql.all_of(*same))
    query.append("joins", join)
    types = {r.index: _aggregate_types(r, len(values[r.index])) for r in requirements}
    shares = {
        at: share
        for at, name in enumerate(classes.aggregates_by_name)
        if (share := classes.shares.get(name)) is not None
    }
    exact = _exact_shares(session, classes, selected, shares) if shares else {}
    rows = {int(key): (int(records), list(row)) for key, records, *row in session.fetch(query)}
    for (at, key), value in exact.items():
        rows[key][1][at] = value
    return {key: (records, _split_row(types, row)) for key, (records, row) in rows.items()}


def _exact_shares(
    session: Session, classes: Classes, selected: Sql, shares: Mapping[int, "Share"]
) -> dict[tuple[int, int], Fraction]:
    """The shares at some positions in the classes of the selected records, by position and row key."""
    keys = (sql.with_alias(classes.state.value(g), f"g{j}") for j, g in enumerate(classes.process.group_by))
    table = session.store(sql.query([*keys, sql.with_alias(_KEY.copy(), "id")], selected.copy()))
    found = {
        (at, key): value
        for at, share in shares.items()
        for key, value in exact_shares(session, classes, share, table).items()
    }
    session.drop(table)
    return found


def _aggregate_types(requirement: Requirement, count: int) -> tuple[Type, ...]:
    """The types of the aggregates, which are the last columns of the result of PROCESS."""
    schema = requirement.assertion.schema
    return tuple(column.type for column in schema[len(schema) - count :])


def _split_row(types: Mapping[int, Sequence[Type]], row: Sequence[Any]) -> dict[int, tuple[Any, ...]]:
    """The aggregates of each requirement in a row. Some engines return sums of integers as decimals."""
    rest = iter(row)
    return {
        index: tuple(int(next(rest)) if each.kind is Kind.INTEGER else next(rest) for each in aggregates)
        for index, aggregates in types.items()
    }


def _among(row_keys: Sequence[int]) -> exp.In:
    return exp.In(this=_KEY.copy(), expressions=[sql.integer(key) for key in row_keys])


@dataclass(frozen=True, slots=True)
class ValueCount:
    value: Value
    records: int


def value_counts(session: Session, state: State, column: int, most: int) -> dict[str, ValueCount]:
    """The values of a complete column and their numbers of records, by text, in order of value.

    If there are more than `most` values, `most` + 1 of them are returned.
    """
    type_ = state.schema[column].type
    stored = sql.column(column, "t")
    select = sql.query([sql.with_alias(stored, "value"), sql.with_alias(state.count(), WEIGHT)], state.source())
    select.group_by(stored.copy(), copy=False)
    rows = ((_value(found, type_), int(records)) for found, records in session.fetch(select.limit(most + 1)))
    counts = {to_text(value, type_): ValueCount(value, records) for value, records in rows}
    return dict(sorted(counts.items(), key=lambda item: (item[1].value, item[0])))


def _value(found: Value, type_: Type) -> Value:
    value: Value = sql.fetched_value(found, type_)
    return value + 0.0 if isinstance(value, float) else value  # turns -0.0 into 0.0


#: packed numbers are smaller than this, so that they fit the integer type of every engine
LARGEST = 2**62
#: about the number of rows to fetch at once
AT_ONCE = 1_000_000


@dataclass(frozen=True)
class CountedCombinations:
    """A stored table with one row for each combination: its values, and the number of records that have it."""

    session: Session
    table: str
    rows: int
    types: Mapping[int, Type]  # of its columns, which are named by their positions in the schema

    def values(self, column: int) -> dict[str, Any]:
        """The distinct values of a column by their texts, in code point order."""
        select = sql.query([sql.column(column, "t")], sql.table(self.table, "t")).distinct(copy=False)
        found = {to_text(value, self.types[column]): value for (value,) in self.session.fetch(select)}
        return dict(sorted(found.items()))

    def number(self, column: int) -> int:
        """The number of distinct values of a column."""
        counted = exp.Count(this=exp.Distinct(expressions=[sql.column(column, "t")]))
        ((number,),) = self.session.fetch(sql.query([counted], sql.table(self.table, "t")))
        return int(number)

    def fetch_packed(
        self, words: Sequence["Word"], values: Mapping[int, Sequence[Any]], numbered: Sequence[int] = ()
    ) -> Iterator[list[tuple[int, ...]]]:
        """The combinations in parts, to save memory: the packed number of each word, and the number of records.

        `values` are all values of each column; the code of a value is its position among them. The engine itself
        numbers the values of the columns `numbered`, in ascending order, so that they do not leave it.
        """
        numbers = [sql.with_alias(_pack(word), sql.name(place)) for place, word in enumerate(words)]
        records = sql.cast(exp.Sum(this=exp.column(WEIGHT, table="t")), "BIGINT")
        select = sql.query([*numbers, sql.with_alias(records, WEIGHT)], sql.table(self.table, "t"))
        for column, each in values.items():
            select.append("joins", self._codes(column, each))
        for column in numbered:
            select.append("joins", self._numbers(column))
        select.group_by(*(_pack(word) for word in words), copy=False)
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
        return _join_codes(column, sql.table(table, f"m{column}"))

    def _numbers(self, column: int) -> exp.Join:
        value = sql.with_alias(sql.column(column, "t"), "value")
        values = sql.query([value], sql.table(self.table, "t")).distinct(copy=False).subquery("d", copy=False)
        own = exp.column("value", table="d")
        order = exp.Order(expressions=[exp.Ordered(this=own.copy(), desc=False)])
        place = exp.Sub(this=exp.Window(this=exp.RowNumber(), order=order), expression=sql.integer(1))
        numbers = sql.query([own, sql.with_alias(place, "code")], values)
        return _join_codes(column, numbers.subquery(f"m{column}", copy=False))


def _join_codes(column: int, codes: Sql) -> exp.Join:
    on = exp.EQ(this=sql.column(column, "t"), expression=exp.column("value", table=f"m{column}"))
    return exp.Join(this=codes, on=on)


@dataclass(frozen=True, slots=True)
class Word:
    """Columns whose codes are packed into one number, the first column as the lowest digit."""

    columns: tuple[int, ...]
    sizes: tuple[int, ...]  # the base of each digit

    @property
    def factors(self) -> tuple[int, ...]:
        """The factor of each code."""
        return tuple(accumulate(self.sizes[:-1], mul, initial=1))


def count_combinations(session: Session, state: State, columns: Sequence[int]) -> CountedCombinations:
    """Count the combinations of complete columns by one aggregation over the records."""
    keys = {i: text_key(session.dialect, sql.column(i, "t"), state.schema[i].type) for i in columns}
    named = [sql.with_alias(value.copy(), sql.name(i)) for i, (value, _) in keys.items()]
    select = sql.query([*named, sql.with_alias(state.count(), WEIGHT)], state.source())
    table = session.store(select.group_by(*(value.copy() for value, _ in keys.values()), copy=False))
    ((rows,),) = session.fetch(sql.query([exp.Count(this=exp.Star())], sql.table(table)))
    return CountedCombinations(session, table, int(rows), {i: type_ for i, (_, type_) in keys.items()})


def split_into_words(sizes: Mapping[int, int]) -> list[Word]:
    """Put as many columns into each word as fit."""
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


def _pack(word: Word) -> Sql:
    terms = (_term(column, factor) for column, factor in zip(word.columns, word.factors, strict=True))
    return reduce(lambda packed, term: exp.Add(this=packed, expression=term), terms)


def _term(column: int, factor: int) -> Sql:
    code, base = exp.column("code", table=f"m{column}"), sql.cast(sql.integer(factor), "BIGINT")
    return exp.Mul(this=code, expression=base)


def distinct_texts(session: Session, state: State, column: int) -> frozenset[str]:
    """The texts of a column's distinct values, without missing values."""
    value, key = text_key(session.dialect, sql.column(column, "t"), state.schema[column].type)
    select = sql.query([sql.with_alias(value, "value")], state.source()).distinct(copy=False)
    return frozenset(to_text(found, key) for (found,) in session.fetch(select) if found is not None)
