"""Write values that depend on the secret key: PSEUDONYM (X15) and SHIFT (X16).

HMAC-SHA256 of a text is SHA-256(outer + SHA-256(inner + text)), where the two pads follow from the key. They are
uploaded as data, as the seed is (D20): no statement contains them."""

import datetime

from sqlglot import exp

from acompass.language.program.kernels import Pseudonym, Shift
from acompass.language.program.keys import PSEUDONYM_DIGITS, SHIFT_PREFIX, Key, key_text_of
from acompass.language.program.label_maps import ISO_TIME
from acompass.language.program.types import DATE, INTEGER, TEXT, Kind, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import Dialect, Keyed
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.run.context import Context, Target


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
        return _is_outside(_date(value, type_), sql.literal(first), sql.literal(last))
    is_close = _is_outside(value, *(target.dialect.constant(each.isoformat()) for each in (first, last)))
    return sql.any_of(_is_no_date(target.dialect, value), is_close)


def _is_outside(value: Sql, first: Sql, last: Sql) -> Sql:
    return sql.any_of(exp.LT(this=value.copy(), expression=first), exp.GT(this=value.copy(), expression=last))


def _is_no_date(dialect: Dialect, value: Sql) -> Sql:
    pattern = f"^({_ISO_DATE}|{_LEAP_YEAR}-02-29)({ISO_TIME})?{dialect.end_of_text}"
    return exp.Not(this=exp.RegexpLike(this=value.copy(), expression=exp.Literal.string(pattern)))


def _leaves_calendar(target: Target, column: int, days: Sql) -> Sql:
    """Whether a text is not a date, or the shifted date is before the year 1 or after the year 9999."""
    type_, value = target.state.schema[column].type, sql.column(column, "t")
    later = exp.paren(_keyed(target.dialect).add_days(_date(value, type_), days.copy(), DATE))
    leaves = _is_outside(later, sql.literal(datetime.date.min), sql.literal(datetime.date.max))
    if type_.kind is not Kind.TEXT:
        return leaves
    no_date = exp.If(this=_is_no_date(target.dialect, value), true=sql.TRUE.copy())
    return exp.Case(ifs=[no_date], default=leaves)
