"""Write values that are computed from those before: NEAREST (X12), ADD RANDOM (X17), MICROAGGREGATE (X18), and those
that depend on the secret key, PSEUDONYM (X15) and SHIFT (X16).

Numbers are exact. Engines compute with 64-bit integers: the *units* of a number are the number without its decimal
point. Numbers that are too long for that, and floats if their result has to be rounded only once, are computed in
Python.

HMAC-SHA256 of a text is SHA-256(outer + SHA-256(inner + text)), where the two pads follow from the key. They are
uploaded as data, as the seed is (D20): no statement contains them."""

import datetime
from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from functools import partial

from sqlglot import exp

from acompass.language.program.constants import LARGEST_INTEGER, SMALLEST_INTEGER
from acompass.language.program.kernels import AddRandom, Microaggregate, Nearest, Pseudonym, Shift
from acompass.language.program.keys import PSEUDONYM_DIGITS, SHIFT_PREFIX, Key, key_text_of
from acompass.language.program.label_maps import ISO_TIME
from acompass.language.program.types import DATE, EXACT, INTEGER, MOST_DIGITS, TEXT, Kind, Type, Value, decimal
from acompass.language.text.tree import Operator
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import Dialect, Keyed, text_key
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.run.context import Context, DrawnValue, Target
from acompass.plan.run.ranks import rank_affected, store_state, unite

#: the most digits of units, so that twice as many units fit in 64 bits
_MOST_UNIT_DIGITS = 18
#: integers up to this size are floats, so that adding one to a float rounds once
_LARGEST_EXACT_FLOAT = 2**53


def round_numbers(target: Target, kernel: Nearest) -> State:
    type_ = target.type
    step = EXACT.scaleb(kernel.step, type_.scale)
    to_units = None if type_.kind is Kind.FLOAT or step >= 10**_MOST_UNIT_DIGITS else _find_units(target)
    if to_units is None:
        found = target.look_up(
            target.column, lambda text: _stored(kernel.nearest(_number(text, type_), type_), type_), type_
        )
        target.require_none(found.missing)
        return target.write(found.result, found.join(target.context))
    units = to_units(sql.read(target.stored, type_))
    rest = exp.Mod(this=exp.paren(units), expression=sql.integer(int(step)))
    toward_zero = exp.Sub(this=exp.paren(units.copy()), expression=exp.paren(rest))
    nearest = exp.Add(this=toward_zero, expression=_away_from_zero(rest, sql.integer(int(step)), int(step)))
    return target.write(_stored_units(target.dialect, nearest, type_))


def _find_units(target: Target) -> Callable[[Sql], Sql] | None:
    """How the engine computes the units of the affected numbers; None if they are not 64-bit integers."""
    scale = target.type.scale
    if _has_digits(target, _MOST_UNIT_DIGITS - 2 * scale):
        return partial(_units, scale=scale, is_wide=False)
    if scale and _has_digits(target, _MOST_UNIT_DIGITS - scale):
        return partial(_units, scale=scale, is_wide=True)
    return None


def _has_digits(target: Target, most: int) -> bool:
    """Whether no affected number has more digits than this before the point."""
    if most < 0:
        return False
    scale, value = target.type.scale, sql.read(target.stored, target.type)
    largest = EXACT.scaleb(Decimal(10 ** (most + scale) - 1), -scale)
    return not target.count(_is_outside(value, target.type, largest.copy_negate(), largest))


def _is_outside(value: Sql, type_: Type, lowest: Decimal, highest: Decimal) -> Sql:
    below = sql.comparison(value, type_, Operator.LT, lowest)
    return sql.any_of(below, sql.comparison(value, type_, Operator.GT, highest))


def _units(value: Sql, scale: int = 0, *, is_wide: bool = False) -> Sql:
    """The units of a number. DuckDB multiplies decimals of at most 18 digits in 64 bits, even if the product has more;
    `is_wide` says that this would not suffice."""
    if scale:
        number = sql.cast(value, sql.decimal_type(scale)) if is_wide else value
        value = exp.Mul(this=number, expression=sql.literal(Decimal(10**scale)))
    return sql.cast(value, "BIGINT")


def _stored_units(dialect: Dialect, units: Sql, type_: Type) -> Sql:
    """The number with these units, as a column of this type stores it."""
    if type_.kind is Kind.INTEGER:
        return sql.cast(units, "BIGINT")
    number: Sql = sql.cast(units, sql.decimal_type(0))
    if type_.scale:
        number = exp.Mul(this=number, expression=sql.literal(Decimal(1).scaleb(-type_.scale)))
    plain = sql.cast(number, sql.decimal_type(type_.scale))
    return dialect.to_text(plain, decimal(type_.scale)) if type_.is_spelled_decimal else plain


def _away_from_zero(rest: Sql, divisor: Sql, amount: int) -> Sql:
    """What to add to a number that was rounded toward zero: halves are rounded away from it."""
    twice = exp.Mul(this=exp.paren(rest.copy()), expression=sql.integer(2))
    up = exp.If(this=exp.GTE(this=twice, expression=divisor), true=sql.integer(amount))
    opposite = exp.Neg(this=exp.paren(divisor.copy()))
    down = exp.If(this=exp.LTE(this=twice.copy(), expression=opposite), true=sql.integer(-amount))
    return exp.Case(ifs=[up, down], default=sql.integer(0))


def _number(text: str, type_: Type) -> Value:
    """The number with this text, in Python's type."""
    if type_.kind is Kind.FLOAT:
        return float(text)
    return int(text) if type_.kind is Kind.INTEGER else Decimal(text)


def _stored(value: Value | None, type_: Type) -> Value | None:
    return None if value is None else sql.stored_value(value, type_)


def add_random(target: Target, kernel: AddRandom) -> State:
    context, column = target.context, target.column
    in_python = _may_leave_type(target, kernel)
    others, bag = rank_affected(target)
    drawn = context.trace.draw(context.session, context.trace_used, bag.records, kernel.lower, kernel.upper)
    context.trace_used += bag.records
    if in_python:
        return unite(others, _add_in_python(target, kernel, bag, drawn))
    total = _sum(target.dialect, sql.column(column, "t"), drawn.value, target.type)
    return unite(others, store_state(context, bag.derive({column: total}, joins=[drawn.join])))


def _may_leave_type(target: Target, kernel: AddRandom) -> bool:
    """Whether the engine may not be able to represent a sum, or an integer that it adds."""
    type_ = target.type
    largest = max(abs(kernel.lower), abs(kernel.upper))
    if type_.kind is Kind.FLOAT:
        return largest > _LARGEST_EXACT_FLOAT
    highest = EXACT.scaleb(Decimal(10**MOST_DIGITS - 1), -type_.scale)
    if type_.kind is Kind.DECIMAL and largest > highest:
        return True
    low, high = (SMALLEST_INTEGER, LARGEST_INTEGER) if type_.kind is Kind.INTEGER else (highest.copy_negate(), highest)
    lowest, highest = EXACT.subtract(Decimal(low), kernel.lower), EXACT.subtract(Decimal(high), kernel.upper)
    return bool(target.count(_is_outside(sql.read(target.stored, type_), type_, lowest, highest)))


def _sum(dialect: Dialect, stored: Sql, drawn: Sql, type_: Type) -> Sql:
    sql_type = sql.type_name(type_)
    total = exp.Add(this=sql.cast(stored.copy(), sql_type), expression=sql.cast(drawn, sql_type))
    if not type_.is_spelled_decimal:
        return sql.cast(total, sql_type)
    # each value keeps its own digits after the point (D26)
    text = dialect.to_text(sql.cast(total, sql_type), decimal(type_.scale))
    own = sql.call("length", sql.call("split_part", stored.copy(), exp.Literal.string("."), sql.integer(2)))
    missing = exp.Sub(this=sql.integer(type_.scale), expression=own)
    shorter = sql.call("left", text, exp.Sub(this=sql.call("length", text.copy()), expression=exp.paren(missing)))
    return sql.without_end(shorter, ".")


def _add_in_python(target: Target, kernel: AddRandom, bag: State, drawn: DrawnValue) -> State:
    """The affected bag with sums that Python adds, and of which it counts those that do not fit."""
    session, column, type_ = target.context.session, target.column, target.type
    numbered = bag.projection().select(exp.column("i", table="t"), exp.alias_(drawn.value, "drawn"), copy=False)
    numbered.append("joins", drawn.join)
    stored = bag.read_from(session.store(numbered))
    value, _ = text_key(target.dialect, sql.column(column, "t"), type_)
    rank = exp.column("i", table="t")
    rows = session.fetch(sql.query([rank, value, exp.column("drawn", table="t")], stored.source()))
    sums = [(i, _stored(kernel.sum(_number(str(text), type_), int(number), type_), type_)) for i, text, number in rows]
    target.require_none(sum(total is None for _, total in sums))
    table = session.upload((("i", "BIGINT"), ("total", sql.stored_type(type_))), sums)
    join = exp.Join(this=sql.table(table, "s"), on=exp.EQ(this=exp.column("i", table="s"), expression=rank.copy()))
    return store_state(target.context, stored.derive({column: exp.column("total", table="s")}, joins=[join]))


def average(target: Target, kernel: Microaggregate) -> State:
    """Store the affected records with the group of each, and join them with the means of the groups."""
    session, column, size = target.context.session, target.column, kernel.size
    to_units: Callable[[Sql], Sql] | None = _units
    if target.type.kind is not Kind.INTEGER:
        to_units = _find_units(target) if target.type.kind is Kind.DECIMAL else None
    others, bag = rank_affected(target, first=column)
    last = (max(bag.records // size, 1) - 1) * size  # the number of records before the last group
    before = exp.paren(exp.Sub(this=exp.column("i", table="t"), expression=sql.integer(1)))
    start = exp.Sub(this=before, expression=exp.paren(exp.Mod(this=before.copy(), expression=sql.integer(size))))
    is_last = exp.GTE(this=before.copy(), expression=sql.integer(last))
    group = sql.when(is_last, sql.integer(last), start)
    numbered = bag.projection().select(exp.alias_(sql.cast(group, "BIGINT"), _GROUP), copy=False)
    stored = bag.read_from(session.store(numbered))
    if to_units is None:
        means = _means_in_python(target, kernel, stored)
    else:
        means = _means(target, stored, to_units, (size, last))
    on = exp.EQ(this=exp.column(_GROUP, table="t"), expression=exp.column(_GROUP, table="m"))
    join = exp.Join(this=sql.table(means, "m"), on=on)
    return unite(others, stored.derive({column: exp.column("mean", table="m")}, joins=[join]))


#: the column with the group of a record: the number of affected records before the group
_GROUP = "g"


def _means(target: Target, stored: State, to_units: Callable[[Sql], Sql], sizes: tuple[int, int]) -> str:
    """A table with the mean of each group; `sizes` are those of a group and of all groups before the last one."""
    size, last = sizes
    type_, group = target.type, exp.column(_GROUP, table="t")
    is_last = exp.EQ(this=group.copy(), expression=sql.integer(last))
    members = sql.when(is_last, sql.integer(stored.records - last), sql.integer(size))
    added = target.dialect.exact_sum(to_units(stored.value(target.column)), INTEGER)
    sums = sql.query([group, sql.with_alias(added, "total"), sql.with_alias(members, "n")], stored.source())
    total, count = exp.column("total", table="z"), exp.column("n", table="z")
    rest = exp.Mod(this=total, expression=count)
    multiple = exp.paren(exp.Sub(this=total.copy(), expression=exp.paren(rest)))
    quotient = sql.cast(exp.IntDiv(this=multiple, expression=count.copy()), "BIGINT")
    mean = exp.Add(this=quotient, expression=_away_from_zero(rest, count.copy(), 1))
    value = sql.with_alias(_stored_units(target.dialect, mean, type_), "mean")
    grouped = sums.group_by(group.copy(), copy=False).subquery("z", copy=False)
    return target.context.session.store(sql.query([exp.column(_GROUP, table="z"), value], grouped))


def _means_in_python(target: Target, kernel: Microaggregate, stored: State) -> str:
    session, type_ = target.context.session, target.type
    value, _ = text_key(target.dialect, sql.column(target.column, "t"), type_)
    group = exp.column(_GROUP, table="t")
    query = sql.query([group, sql.with_alias(value, "value"), stored.count()], stored.source())
    numbers: dict[int, list[tuple[Value, int]]] = defaultdict(list)
    for start, text, count in session.fetch(query.group_by(group.copy(), value.copy(), copy=False)):
        numbers[start].append((_number(str(text), type_), int(count)))
    means = {start: _stored(kernel.mean(counted, type_), type_) for start, counted in numbers.items()}
    target.require_none(sum(count for start, mean in means.items() if mean is None for _, count in numbers[start]))
    return session.upload(((_GROUP, "BIGINT"), ("mean", sql.stored_type(type_))), list(means.items()))


def pseudonymize(target: Target, kernel: Pseudonym) -> State:
    key = _key_of(kernel)
    if kernel.type.kind is Kind.FLOAT:
        found = target.look_up(target.column, lambda text: key.pseudonym(key_text_of(text, kernel.type)), TEXT)
        return target.write(found.result, found.join(target.context))
    digest = _hmac(target.dialect, _key_text(target.stored, kernel.type))
    pseudonym = sql.call("substr", digest, sql.integer(1), sql.integer(PSEUDONYM_DIGITS))
    return target.write(pseudonym, _pads(target.context, key))


def _key_of(kernel: Pseudonym | Shift) -> Key:
    assert kernel.key is not None, "a run has a key"
    return kernel.key


def _keyed(dialect: Dialect) -> Keyed:
    assert dialect.keyed is not None, "the engine computes HMAC"
    return dialect.keyed


def _pads(context: Context, key: Key) -> exp.Join:
    """A join with the only row of the table of the key's pads, named `p`."""
    if key not in context.key_tables:
        columns = (("inner_pad", "BLOB"), ("outer_pad", "BLOB"))
        context.key_tables[key] = context.session.upload(columns, [key.pads])
    return exp.Join(this=sql.table(context.key_tables[key], "p"), kind="CROSS")


def _hmac(dialect: Dialect, text: Sql) -> Sql:
    return _keyed(dialect).hmac(text, exp.column("inner_pad", table="p"), exp.column("outer_pad", table="p"))


def _key_text(text: Sql, type_: Type) -> Sql:
    """The text that a key is applied to, as in `language.program.keys.key_text_of`; no float has one in SQL."""
    match type_.kind:
        case Kind.DECIMAL:
            return sql.shortest_number(text)
        case Kind.TIMESTAMP:
            return sql.call("replace", text, exp.Literal.string("T"), exp.Literal.string(" "))
        case _:
            return text


def shift(target: Target, kernel: Shift) -> State:
    days, join = _days(target, kernel, _key_of(kernel))
    _require_dates(target, kernel, days, join)
    shifted = {column: _shifted(target, column, days) for column in target.columns}
    return target.write_each(shifted, join)


def _days(target: Target, kernel: Shift, key: Key) -> tuple[Sql, exp.Join]:
    """The days by which the dates of a record are shifted, and the join that the expression needs."""
    type_ = target.state.schema[kernel.person].type
    if type_.kind is Kind.FLOAT:
        found = target.look_up(kernel.person, lambda text: key.days(key_text_of(text, type_), kernel.days), INTEGER)
        return found.result, found.join(target.context)
    text = _key_text(target.dialect.to_text(sql.column(kernel.person, "t"), type_), type_)
    prefixed = exp.DPipe(this=exp.Literal.string(SHIFT_PREFIX), expression=exp.paren(text))
    number = _keyed(target.dialect).first52(_hmac(target.dialect, prefixed))
    rest = exp.Mod(this=number, expression=sql.integer(2 * kernel.days + 1))
    return exp.paren(exp.Sub(this=exp.paren(rest), expression=sql.integer(kernel.days))), _pads(target.context, key)


def _shifted(target: Target, column: int, days: Sql) -> Sql:
    type_, value = target.state.schema[column].type, sql.column(column, "t")
    if type_.kind is not Kind.TEXT:
        return _keyed(target.dialect).add_days(value, days.copy(), type_)
    later = _keyed(target.dialect).add_days(_date(value, type_), days.copy(), DATE)
    rest = sql.call("substr", value.copy(), sql.integer(_DATE_LENGTH + 1))
    return exp.DPipe(this=target.dialect.plain_text(exp.paren(later)), expression=rest)


_DATE_LENGTH = len("2024-03-01")


def _date(value: Sql, type_: Type) -> Sql:
    """The date of a value. It is NULL for a text that is not a date, if the engine can return NULL for it."""
    if type_.kind is Kind.TEXT:
        return sql.try_cast(sql.call("substr", value.copy(), sql.integer(1), sql.integer(_DATE_LENGTH)), "DATE")
    return sql.cast(value.copy(), "DATE") if type_.kind is Kind.TIMESTAMP else value.copy()


#: the texts that `is_iso_date` accepts, without a lookup in a calendar
_LEAP_YEAR = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)"
_ISO_DATE = (
    "([0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})-"
    "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
)


def _require_dates(target: Target, kernel: Shift, days: Sql, join: exp.Join) -> None:
    """Raise if a text is not a date, or a date would leave the years 1 to 9999. Almost always, no date is close to
    these, so the shifts need not be computed."""
    within = datetime.timedelta(kernel.days)
    first, last = datetime.date.min + within, datetime.date.max - within
    if target.count(sql.any_of(*(_is_doubtful(target, column, first, last) for column in target.columns))):
        unfit = sql.any_of(*(_leaves_calendar(target, column, days) for column in target.columns))
        target.require_none(target.count(unfit, join))


def _is_doubtful(target: Target, column: int, first: datetime.date, last: datetime.date) -> Sql:
    """Whether a text is not a date, or a date is before or after the given ones."""
    type_, value = target.state.schema[column].type, sql.column(column, "t")
    if type_.kind is not Kind.TEXT:
        return _is_out_of_range(_date(value, type_), sql.literal(first), sql.literal(last))
    is_close = _is_out_of_range(value, *(target.dialect.constant(each.isoformat()) for each in (first, last)))
    return sql.any_of(_is_no_date(target.dialect, value), is_close)


def _is_out_of_range(value: Sql, first: Sql, last: Sql) -> Sql:
    return sql.any_of(exp.LT(this=value.copy(), expression=first), exp.GT(this=value.copy(), expression=last))


def _is_no_date(dialect: Dialect, value: Sql) -> Sql:
    pattern = f"^({_ISO_DATE}|{_LEAP_YEAR}-02-29)({ISO_TIME})?{dialect.end_of_text}"
    return exp.Not(this=exp.RegexpLike(this=value.copy(), expression=exp.Literal.string(pattern)))


def _leaves_calendar(target: Target, column: int, days: Sql) -> Sql:
    """Whether a text is not a date, or the shifted date is before the year 1 or after the year 9999."""
    type_, value = target.state.schema[column].type, sql.column(column, "t")
    later = exp.paren(_keyed(target.dialect).add_days(_date(value, type_), days.copy(), DATE))
    leaves = _is_out_of_range(later, sql.literal(datetime.date.min), sql.literal(datetime.date.max))
    if type_.kind is not Kind.TEXT:
        return leaves
    no_date = exp.If(this=_is_no_date(target.dialect, value), true=sql.TRUE.copy())
    return exp.Case(ifs=[no_date], default=leaves)
