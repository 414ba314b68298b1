"""The records of a loaded table, as the measures count them: in DuckDB, PostgreSQL and Spark alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from acompass.checked.types import INTEGER, Kind, Schema, Type, decimal
from acompass.measures import Persons
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.running.session import Session


@dataclass(frozen=True)
class Records:
    """`weight` is the position of the weight column. `relation` is the same table in the DuckDB that computes
    the measures, with the columns c0, c1, …; None if another engine has the table.

    Counts are integers: numbers of 1/`unit` persons, where `unit` is a power of ten. Only decimal weights
    need a unit other than 1.
    """

    session: Session
    state: State
    weight: int | None = None
    unit: int = 1
    relation: str | None = None

    @property
    def schema(self) -> Schema:
        return self.state.schema

    def persons(self, units: int) -> Persons:
        return units if self.unit == 1 else Fraction(units, self.unit)

    def value(self, position: int) -> Sql:
        """SQL for a column's value of `t`, with NULL for every missing value, including NaN."""
        value = self.state.value(position)
        is_float = self.schema[position].type.kind is Kind.FLOAT
        return self.session.dialect.float_order(value) if is_float else value

    def text(self, position: int) -> Sql:
        """SQL for the text of a column's value, the same in every engine."""
        type_ = self.schema[position].type
        plain = decimal(type_.scale) if type_.is_spelled_decimal else type_
        return self.session.dialect.to_text(self.value(position), plain)

    def count(self) -> Sql:
        """SQL for the number of persons in units, as an aggregate."""
        return self.state.count() if self.weight is None else sql.cast(self.total(self.weight), "BIGINT")

    def total(self, weight: int) -> Sql:
        """SQL for the exact sum of a column of weights, in units."""
        if self.schema[weight].type == INTEGER:
            return self.session.dialect.exact_sum(self.value(weight), INTEGER)
        return self.session.dialect.exact_sum(self._units(weight), decimal(0))

    def _units(self, weight: int) -> Sql:
        """SQL for a weight in units. The digits of a decimal, without its point, are that integer. Weights
        are read from their text: a float means the shortest decimal that denotes it."""
        digits = len(str(self.unit)) - 1
        number = sql.cast(self.text(weight), sql.decimal_type(digits))
        if not digits:
            return number
        written = self.session.dialect.to_text(number, decimal(digits))
        without_point = sql.call("replace", written, exp.Literal.string("."), exp.Literal.string(""))
        return sql.cast(without_point, sql.decimal_type(0))

    def grouped(self, keys: Sequence[Sql], count: Sql | None = None) -> exp.Select:
        """The combinations of keys as v0, v1, …, and n: their numbers of persons, or another aggregate."""
        named = [sql.named(key, f"v{i}") for i, key in enumerate(keys)]
        aggregate = self.count() if count is None else count
        select = sql.query([*named, sql.named(aggregate, "n")], self.state.source())
        return select.group_by(*(key.copy() for key in keys), copy=False)

    def class_sizes(self, positions: Sequence[int]) -> list[tuple[int, int]]:
        """Pairs (size in units, number of classes) of the classes by some columns, in ascending order."""
        classes = self.grouped([self.value(position) for position in positions]).subquery("t", copy=False)
        n = exp.column("n", table="t")
        select = sql.query([n, exp.Count(this=exp.Star())], classes).group_by(n.copy(), copy=False)
        return sorted((int(size), int(classes)) for size, classes in self.session.fetch(select))

    def sampled_classes(self, positions: Sequence[int], weight: int) -> list[tuple[int, int, int]]:
        """The classes by some columns: (records, sum of weights in units, number of such classes)."""
        keys = [self.value(position) for position in positions]
        total = sql.named(self.total(weight), "total")
        classes = self.grouped(keys, self.state.count()).select(total, copy=False).subquery("t", copy=False)
        pair = [exp.column("n", table="t"), exp.column("total", table="t")]
        select = sql.query([*pair, exp.Count(this=exp.Star())], classes)
        rows = self.session.fetch(select.group_by(*(column.copy() for column in pair), copy=False))
        return sorted((int(records), int(units), int(number)) for records, units, number in rows)


def same_kind(one: Type, other: Type) -> bool:
    return one.kind is other.kind or (one.is_number and other.is_number)


def comparable(records: Records, position: int, other: Type) -> Sql:
    """SQL for a column's value, comparable with the values of a column of another table."""
    own = records.schema[position].type
    if not same_kind(own, other):
        return records.text(position)
    if not own.is_number:
        return records.value(position)
    return sql.cast(records.value(position), _common_number(own, other))


def _common_number(one: Type, other: Type) -> str:
    if Kind.FLOAT in (one.kind, other.kind):
        return "DOUBLE"
    if one.kind is other.kind is Kind.INTEGER:
        return "BIGINT"
    return sql.decimal_type(max(one.scale, other.scale))


def paired_counts(
    one: Records, other: Records, columns: Sequence[tuple[int, int]]
) -> list[tuple[int, int, int]]:
    """How often the combinations of columns occur in two tables of one engine.

    Each row is (units in the first table, units in the second, number of such combinations). The tables are
    added up instead of joined, so that a missing value meets a missing value in every engine.
    """
    ours = [comparable(one, a, other.schema[b].type) for a, b in columns]
    theirs = [comparable(other, b, one.schema[a].type) for a, b in columns]
    keys = [f"v{i}" for i in range(len(columns))]
    both = exp.union(
        _beside_zero(one.grouped(ours), keys, ("one", "other")),
        _beside_zero(other.grouped(theirs), keys, ("other", "one")),
        distinct=False,
        copy=False,
    ).subquery("u", copy=False)
    sums = [
        sql.named(sql.cast(exp.Sum(this=exp.column(n, table="u")), "BIGINT"), n) for n in ("one", "other")
    ]
    combined = sql.query(sums, both).group_by(*(exp.column(key, table="u") for key in keys), copy=False)
    pair = [exp.column(n, table="p") for n in ("one", "other")]
    select = sql.query([*pair, exp.Count(this=exp.Star())], combined.subquery("p", copy=False))
    rows = one.session.fetch(select.group_by(*(column.copy() for column in pair), copy=False))
    return sorted((int(a), int(b), int(times)) for a, b, times in rows)


def _beside_zero(grouped: exp.Select, keys: Sequence[str], names: tuple[str, str]) -> exp.Select:
    """The counts of a table under the first name, and 0 under the second, in a fixed order of columns."""
    counted, absent = names
    counts = {counted: exp.column("n", table="g"), absent: sql.cast(sql.integer(0), "BIGINT")}
    columns = [exp.column(key, table="g") for key in keys]
    named = [sql.named(counts[name], name) for name in ("one", "other")]
    return sql.query([*columns, *named], grouped.subquery("g", copy=False))
