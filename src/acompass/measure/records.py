"""Count the records of a loaded table for the measures, in the same way in DuckDB, PostgreSQL and Spark.

A record may have a weight: the number of persons that it represents, which may be a decimal. Or a column tells persons
apart, and a person with several records counts once (D35, persons).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from sqlglot import exp

from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import Diagnostic, TableError
from acompass.language.program.types import INTEGER, Column, Kind, Schema, Type, decimal, to_text
from acompass.measure.answer import Persons
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import text_key
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.run.context import Session


@dataclass(frozen=True)
class Records:
    session: Session
    state: State
    #: the position of the weight column
    weight: int | None = None
    #: counts are integers, in units of 1/`unit` persons; a power of ten, other than 1 only for decimal weights
    unit: int = 1
    #: the position of the column that tells persons apart; None if each record is a person or has a weight
    person: int | None = None
    #: the table in the DuckDB connection that computes the measures, with the columns c0, c1, …; None if another engine
    #: has the table
    relation: str | None = None

    @property
    def schema(self) -> Schema:
        return self.state.schema

    @property
    def duckdb_source(self) -> str:
        """A FROM clause with the columns c0, c1, … and the alias `t`."""
        assert self.relation is not None, "a table in DuckDB"
        return f"{self.relation} AS t"

    @property
    def duckdb_count(self) -> str:
        return self.count().sql("duckdb")

    def duckdb_value(self, position: int) -> str:
        return self.value(position).sql("duckdb")

    def persons(self, units: int) -> Persons:
        return units if self.unit == 1 else Fraction(units, self.unit)

    def value(self, position: int) -> Sql:
        """SQL for a column's value, with NULL for every missing value, including NaN. The table has the alias `t`."""
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
        if self.person is not None:
            return exp.Count(this=exp.Distinct(expressions=[self.value(self.person)]))
        return self.state.count() if self.weight is None else sql.cast(self.total(self.weight), "BIGINT")

    def total(self, weight: int) -> Sql:
        """SQL for the exact sum of a column of weights, in units."""
        if self.schema[weight].type == INTEGER:
            return self.session.dialect.exact_sum(self.value(weight), INTEGER)
        return self.session.dialect.exact_sum(self._units(weight), decimal(0))

    def _units(self, weight: int) -> Sql:
        """SQL for a weight in units: the digits of the decimal, without the point. It is read from its text, so a float
        is the shortest decimal that denotes it."""
        digits = len(str(self.unit)) - 1
        number = sql.cast(self.text(weight), sql.decimal_type(digits))
        if not digits:
            return number
        written = self.session.dialect.to_text(number, decimal(digits))
        without_point = sql.call("replace", written, exp.Literal.string("."), exp.Literal.string(""))
        return sql.cast(without_point, sql.decimal_type(0))

    def group(self, keys: Sequence[Sql], count: Sql | None = None) -> exp.Select:
        """The combinations of keys as v0, v1, …, and n, their number of persons or another aggregate."""
        named = [sql.with_alias(key, f"v{i}") for i, key in enumerate(keys)]
        aggregate = self.count() if count is None else count
        select = sql.query([*named, sql.with_alias(aggregate, "n")], self.state.source())
        return select.group_by(*(key.copy() for key in keys), copy=False)

    def class_sizes(self, positions: Sequence[int]) -> list[tuple[int, int]]:
        """The classes by some columns: pairs (size in units, number of such classes), in ascending order."""
        classes = self.group([self.value(position) for position in positions])
        return [(size, number) for size, number in _count_rows(self.session, classes, ["n"])]

    def sampled_classes(self, positions: Sequence[int], weight: int) -> list[tuple[int, int, int]]:
        """The classes by some columns: (records, sum of weights in units, number of such classes)."""
        keys = [self.value(position) for position in positions]
        total = sql.with_alias(self.total(weight), "total")
        classes = self.group(keys, self.state.count()).select(total, copy=False)
        return [
            (records, units, number) for records, units, number in _count_rows(self.session, classes, ["n", "total"])
        ]


def _count_rows(session: Session, select: exp.Select, names: Sequence[str]) -> list[tuple[int, ...]]:
    """The integers in some columns of a query, with the number of rows that have them, in ascending order."""
    columns = [exp.column(name, table="t") for name in names]
    counted = sql.query([*columns, exp.Count(this=exp.Star())], select.subquery("t", copy=False))
    rows = session.fetch(counted.group_by(*(column.copy() for column in columns), copy=False))
    return sorted(tuple(map(int, row)) for row in rows)


def is_same_kind(one: Type, other: Type) -> bool:
    return one.kind is other.kind or (one.is_number and other.is_number)


def comparable_value(records: Records, position: int, other: Type) -> Sql:
    """SQL for a column's value, comparable with the values of a column of another table."""
    own = records.schema[position].type
    if not is_same_kind(own, other):
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


def pair_counts(one: Records, other: Records, columns: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Compare the counts of combinations of columns in two tables of one engine.

    Each row is (units in the first table, units in the second, number of such combinations). The query uses UNION ALL
    and GROUP BY instead of a join, so that missing values match in every engine.
    """
    ours = [comparable_value(one, a, other.schema[b].type) for a, b in columns]
    theirs = [comparable_value(other, b, one.schema[a].type) for a, b in columns]
    keys = [f"v{i}" for i in range(len(columns))]
    both = exp.union(
        _with_zero(one.group(ours), keys, ("one", "other")),
        _with_zero(other.group(theirs), keys, ("other", "one")),
        distinct=False,
        copy=False,
    ).subquery("u", copy=False)
    sums = [sql.with_alias(sql.cast(exp.Sum(this=exp.column(n, table="u")), "BIGINT"), n) for n in ("one", "other")]
    combined = sql.query(sums, both).group_by(*(exp.column(key, table="u") for key in keys), copy=False)
    return [(a, b, times) for a, b, times in _count_rows(one.session, combined, ["one", "other"])]


def _with_zero(grouped: exp.Select, keys: Sequence[str], names: tuple[str, str]) -> exp.Select:
    """The counts of a table under the first name and 0 under the second, with the columns in a fixed order."""
    counted, absent = names
    counts = {counted: exp.column("n", table="g"), absent: sql.cast(sql.integer(0), "BIGINT")}
    columns = [exp.column(key, table="g") for key in keys]
    named = [sql.with_alias(counts[name], name) for name in ("one", "other")]
    return sql.query([*columns, *named], grouped.subquery("g", copy=False))


#: with totals up to this, in units, the product of two totals and a number of values is below 2^127
LARGEST_TOTAL = 2**48
#: at most 19 digits before the point, and 18 after it; some programs write `.5`
_POSITIVE = r"((0|[1-9][0-9]{0,18})(\.[0-9]{1,18})?|\.[0-9]{1,18})"
_DECIMALS = 18


def with_unit(records: Records, largest: int = LARGEST_TOTAL) -> Records:
    """The records, with the unit that their weights need. Raise unless every weight is a positive number and they add
    up to at most `largest` units.

    Weights are read from their text: without a policy, decimals in a CSV are text (D10), and a float is the shortest
    decimal that denotes it.
    """
    if records.weight is None:
        return records
    column = records.schema[records.weight]
    if not (column.type.is_number or column.type.kind is Kind.TEXT):
        raise _not_a_weight(column, str(column.type))
    bad, digits, total = _weight_facts(records, records.weight)
    if bad:
        raise _not_a_weight(column, f"{bad:,} other value{'' if bad == 1 else 's'}")
    if total * 10**digits > largest:
        raise _too_large(column, digits, largest)
    return replace(records, unit=10**digits)


def _weight_facts(records: Records, weight: int) -> tuple[int, int, float]:
    """The number of values that are not positive numbers, the largest number of decimals, and the sum of weights."""
    text, number = exp.column("text", table="w"), exp.column("number", table="w")
    decimals = sql.call("split_part", text, exp.Literal.string("."), sql.integer(2))
    needed = exp.Trim(this=decimals, expression=exp.Literal.string("0"), position="TRAILING")
    is_other = exp.or_(
        exp.Is(this=number, expression=exp.null()),
        exp.LTE(this=number.copy(), expression=sql.integer(0)),
    )
    questions = [
        sql.count_where(is_other),
        exp.Max(this=sql.call("length", needed)),
        exp.Sum(this=sql.cast(number.copy(), "DOUBLE")),
    ]
    ((bad, digits, total),) = records.session.fetch(sql.query(questions, _weights(records, weight)))
    return int(bad), int(digits or 0), float(total or 0)


def _weights(records: Records, weight: int) -> Sql:
    """SQL for the texts of the weights and the numbers that they denote; NULL for a text that is not a number."""
    text = records.text(weight)
    pattern = f"^{_POSITIVE}{records.session.dialect.end_of_text}"
    is_number = exp.RegexpLike(this=text.copy(), expression=exp.Literal.string(pattern))
    read = sql.cast(text.copy(), sql.decimal_type(_DECIMALS))
    number = exp.Case(ifs=[exp.If(this=is_number, true=read)])
    columns = [sql.with_alias(text, "text"), sql.with_alias(number, "number")]
    return sql.query(columns, records.state.source()).subquery("w", copy=False)


def _not_a_weight(column: Column, found: str) -> TableError:
    message = f"column `{column.name}` cannot be the weight: expected positive numbers, found {found}"
    help_ = "correct or drop those records, or measure without weights"
    return TableError([Diagnostic("AC605", message, help=help_)])


def _too_large(column: Column, digits: int, largest: int) -> TableError:
    most = f"{largest // 10**digits:,}"
    if digits:
        message = f"the weights in `{column.name}` have {digits} decimals and add up to more than {most}"
        return TableError([Diagnostic("AC606", message, help="round the weights to fewer decimals")])
    message = f"the weights in `{column.name}` add up to more than {most}"
    help_ = "weights are numbers of persons; choose another column"
    return TableError([Diagnostic("AC606", message, help=help_)])


@dataclass(frozen=True, slots=True)
class Texts:
    """The number of persons, in units, with each text and without a value."""

    counts: Mapping[str, int]
    missing: int


def count_texts(records: Records, position: int) -> Texts:
    type_ = records.schema[position].type
    value, key = text_key(records.session.dialect, records.value(position), type_)
    counts: Counter[str | None] = Counter()
    for found, count in records.session.fetch(records.group([value])):
        counts[None if found is None else to_text(found, key)] += int(count)
    missing = counts.pop(None, 0)
    return Texts({text: count for text, count in counts.items() if text is not None}, missing)
