"""Run class-level stages: one aggregation finds the violating classes, and a join finds their records."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, assert_never

from sqlglot import exp

from acompass.dataclasses import dataclass, replace
from acompass.language.program.aggregates import counts_distinct, facts_about
from acompass.language.program.effects import removes_records
from acompass.language.program.program import Aggregate, Process, Requirement, Verdict
from acompass.language.program.references import Reference
from acompass.language.program.types import INTEGER, Kind, Type
from acompass.language.text.tree import Function, Quantifier
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import Dialect
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.run.actions import perform
from acompass.plan.run.context import TOTAL, Affected, Context, Session, Totals
from acompass.plan.stages import GroupStage, Sample, process_query

if TYPE_CHECKING:
    from acompass.plan.run.shares import Share


def run_groups(context: Context, state: State, stage: GroupStage) -> State:
    classes = Classes(context.session.dialect, state, stage.requirements, stage.two_levels, context.totals)
    classes = _decide_shares(context.session, classes)
    if len(stage.requirements) > 1:
        return _run_shared(context, classes)
    (requirement,) = stage.requirements
    affected, verdict = _find_affected(context, classes, requirement)
    context.verdicts[requirement.index] = verdict
    if context.show and not verdict.holds:
        context.samples[requirement.index] = _sample(context, classes, requirement)
    return perform(context, state, requirement, affected)


@dataclass
class Classes:
    """The query for the classes of requirements with the same WHERE and GROUP BY.

    It selects the group columns g0, g1, …, the number of records n, and the aggregate values of each requirement. A
    single value is named `a` followed by the requirement's index; several values also have a number of their own. In
    place of a share it has the number of its region, and the share itself, approximately, with an `s` before the name.
    """

    dialect: Dialect
    state: State
    requirements: tuple[Requirement, ...]
    two_levels: bool = False
    totals: Totals | None = None  # needed for aggregates over reference tables (X14)
    stored: str | None = None  # a table of the classes, if they were stored

    @property
    def process(self) -> Process:
        return process_query(self.requirements[0])

    @property
    def where(self) -> Sql:
        return sql.TRUE.copy() if (where := self._where) is None else where

    @property
    def _where(self) -> Sql | None:
        where = self.process.where
        return None if where is None else sql.condition(where, self.state.schema, self.state.values())

    def keys(self, table: str) -> list[Sql]:
        return [exp.column(f"g{j}", table=table) for j in range(len(self.process.group_by))]

    def subquery(self, table: str = "k") -> Sql:
        """The classes, as a subquery named `table`."""
        if self.stored is not None:
            return sql.table(self.stored, table)
        classes = self._group_twice() if self.two_levels else self._group_once()
        return self._complete(classes).subquery(table, copy=False)

    @cached_property
    def shares(self) -> dict[str, "Share"]:
        """The shares of all requirements by the names of their columns."""
        if not any(aggregate.facts.is_share for aggregate in self.aggregates_by_name.values()):
            return {}
        from acompass.plan.run.shares import shares_of  # few policies have a share

        return {share.name: share for r in self.requirements for share in shares_of(r, _names(r))}

    @property
    def open_shares(self) -> dict[str, "Share"]:
        """Those that SQL alone may not decide."""
        return {name: share for name, share in self.shares.items() if share.may_be_open}

    @property
    def aggregates_by_name(self) -> dict[str, Aggregate]:
        """The aggregates of all requirements by the names of their columns."""
        pairs = (zip(_names(r), process_query(r).aggregates, strict=True) for r in self.requirements)
        return dict(chain.from_iterable(pairs))

    @property
    def columns(self) -> list[str]:
        """The names of the columns of the query."""
        keys = [f"g{j}" for j in range(len(self.process.group_by))]
        return [*keys, "n", *self.aggregates_by_name, *(f"s{name}" for name in self.shares)]

    def _complete(self, grouped: exp.Select) -> exp.Select:
        """The classes with the regions of shares, and with the totals of reference tables for their keys; a class that
        a file lacks has 0 (X14)."""
        found = {name: share.region("i") for name, share in self.shares.items()}
        found |= {f"s{name}": share.ratio("i") for name, share in self.shares.items()}
        joins: dict[Reference, exp.Join] = {}
        for name, aggregate in self.aggregates_by_name.items():
            if aggregate.reference is not None and self.process.group_by:
                if aggregate.reference not in joins:
                    joins[aggregate.reference] = self._totals(aggregate.reference, f"r{len(joins)}")
                total = exp.column(TOTAL, table=joins[aggregate.reference].alias_or_name)
                found[name] = exp.Coalesce(this=total, expressions=[sql.integer(0)])
        if not found:
            return grouped
        columns = [
            sql.with_alias(found[name], name) if name in found else exp.column(name, table="i") for name in self.columns
        ]
        select = sql.query(columns, grouped.subquery("i", copy=False))
        for join in joins.values():
            select.append("joins", join)
        return select

    def _totals(self, reference: Reference, table: str) -> exp.Join:
        assert self.totals is not None, "this query has no reference tables"
        pairs = zip(self.keys("i"), self.keys(table), strict=True)
        on = sql.all_of(*(exp.EQ(this=own, expression=key) for own, key in pairs))
        return exp.Join(this=self.totals(reference, table), on=on, side="LEFT")

    def _group_once(self) -> exp.Select:
        columns = [*self._keys_and_size(), *self._aggregate_columns(self._aggregate, self._share_parts)]
        select = self._select(columns)
        if self.process.group_by:
            return select.group_by(*self._key_values(), copy=False)
        # without GROUP BY, SQL returns one row for an empty table; PROCESS returns none (D16, empty tables)
        any_record = exp.GT(this=exp.Count(this=exp.Star()), expression=sql.integer(0))
        return select.having(any_record, copy=False)

    def _select(self, columns: Iterable[Sql]) -> exp.Select:
        """The columns of the selected records, which are ranked in their classes if a share needs that."""
        ranked = [share for share in self.shares.values() if share.needs_window(self.dialect)]
        if not ranked:
            return sql.query(columns, self.state.source(), self._where)
        windows = (share.window(self.state.value(share.column), self._key_values()) for share in ranked)
        every = exp.Column(this=exp.Star(), table=exp.to_identifier("t"))
        records = sql.query([every, *windows], self.state.source(), self._where)
        return sql.query(columns, records.subquery("t", copy=False))

    def _share_parts(self, share: "Share") -> Iterator[Sql]:
        return share.parts(self.dialect, self.state.value(share.column), self.state.count())

    def _group_twice(self) -> exp.Select:
        """Group by class and value first, then by class (see `count_in_two_levels`)."""
        aggregated = (each.column for r in self.requirements for each in process_query(r).aggregates)
        counted = next(self.state.value(column) for column in aggregated if column is not None)
        values = sql.query(self._keys_and_size(), self.state.source(), self._where)
        values.group_by(*self._key_values(), counted, copy=False)
        size = sql.cast(exp.Sum(this=exp.column("n", table="i")), "BIGINT")
        most = exp.Max(this=exp.column("n", table="i"))
        aggregates = self._aggregate_columns(
            lambda each: exp.Count(this=exp.Star()) if counts_distinct(each.function) else size.copy(),
            lambda share: share.mode_parts(most.copy(), size.copy()),
        )
        columns = [*self.keys("i"), sql.with_alias(size.copy(), "n"), *aggregates]
        return sql.query(columns, values.subquery("i", copy=False)).group_by(*self.keys("i"), copy=False)

    def _key_values(self) -> list[Sql]:
        return [self.state.value(g) for g in self.process.group_by]

    def _keys_and_size(self) -> list[Sql]:
        keys = (sql.with_alias(key, f"g{j}") for j, key in enumerate(self._key_values()))
        return [*keys, sql.with_alias(self.state.count(), "n")]

    def _aggregate_columns(
        self, lower: Callable[[Aggregate], Sql], lower_share: Callable[["Share"], Iterator[Sql]]
    ) -> Iterator[Sql]:
        """The aggregates of the table's records."""
        for name, aggregate in self.aggregates_by_name.items():
            if name in self.shares:
                yield from lower_share(self.shares[name])
            elif aggregate.reference is None or not self.process.group_by:
                yield sql.with_alias(lower(aggregate), name)

    def _aggregate(self, aggregate: Aggregate) -> Sql:
        if aggregate.reference is not None:  # without GROUP BY, it is about the whole file
            return sql.literal(aggregate.reference.total(()))
        if aggregate.column is None:
            return self.state.count()
        type_ = self.state.schema[aggregate.column].type
        return _aggregate(self.dialect, aggregate.function, self.state.value(aggregate.column), type_)

    def aggregates(self, requirement: Requirement, table: str) -> list[Sql]:
        """The aggregate values of a requirement, in the classes named `table`."""
        names = (f"s{name}" if name in self.shares else name for name in _names(requirement))
        return [exp.column(name, table=table) for name in names]

    def satisfies(self, requirement: Requirement) -> Sql:
        """Whether a class, named `k`, satisfies the requirement; NULL if that depends on an open share."""
        names, seen = _names(requirement), requirement.assertion
        columns = (*self.keys("k"), *(exp.column(name, table="k") for name in names))
        places = enumerate(names, len(self.process.group_by))
        shares = {place: self.shares[name] for place, name in places if name in self.shares}
        if not shares:
            return sql.condition(seen.condition, seen.schema, columns)
        from acompass.plan.run.shares import by_region

        schema = tuple(replace(each, type=INTEGER) if i in shares else each for i, each in enumerate(seen.schema))
        return sql.condition(by_region(seen.condition, shares), schema, columns)

    def join(self, table: str) -> exp.Join:
        """A join of records to their classes in a stored table, named `v`."""
        return exp.Join(this=sql.table(table, "v"), on=self.same_class("v"), side="LEFT")

    def same_class(self, table: str) -> Sql:
        """Whether a record of `t` is in a class of `table`."""
        pairs = zip(self.process.group_by, self.keys(table), strict=True)
        return sql.all_of(*(exp.EQ(this=self.state.value(g), expression=key) for g, key in pairs))


def _decide_shares(session: Session, classes: Classes) -> Classes:
    """The classes, stored with all regions, if SQL alone may not decide them."""
    if not classes.open_shares:
        return classes
    stored = replace(classes, stored=session.store(sql.select_all(classes.subquery())))
    numbered = _number_open_classes(session, stored)
    if numbered is None:
        return stored
    rows: dict[int, list[float]] = defaultdict(list)
    for share in classes.open_shares.values():
        for id_, found in exact_shares(session, classes, share, numbered).items():
            rows[id_] += [share.region_of(found), float(found)]
    types = [pair for name in classes.open_shares for pair in ((name, "BIGINT"), (f"s{name}", "DOUBLE"))]
    decided = session.upload([("id", "BIGINT"), *types], ((id_, *each) for id_, each in rows.items()))
    return replace(classes, stored=session.store(_with_decided(stored, numbered, decided)))


def _number_open_classes(session: Session, stored: Classes) -> str | None:
    """A table of the keys of the open classes, each with a number; None if there are none."""
    is_open = sql.any_of(*(_is_null(exp.column(name, table="k")) for name in stored.open_shares))
    count = exp.Count(this=exp.Star())
    counted = sql.query([count], stored.subquery(), is_open)
    if not session.fetch(counted.having(exp.GT(this=count.copy(), expression=sql.integer(0)), copy=False)):
        return None
    keys = stored.keys("k") or [exp.column("n", table="k")]
    order = exp.Order(expressions=[exp.Ordered(this=key.copy(), desc=False) for key in keys])
    number = sql.with_alias(exp.Window(this=exp.RowNumber(), order=order), "id")
    return session.store(sql.query([*stored.keys("k"), number], stored.subquery(), is_open.copy()))


def exact_shares(session: Session, classes: Classes, share: "Share", numbered: str) -> dict[int, Fraction]:
    """The share in the classes of a stored table, by the number in its column `id`."""
    from acompass.plan.run.shares import exact_share

    value, id_ = classes.state.value(share.column), exp.column("id", table="v")
    query = sql.query([id_, value, classes.state.count()], classes.state.source(), classes.where)
    query.append("joins", exp.Join(this=sql.table(numbered, "v"), on=classes.same_class("v")))
    counts: dict[int, dict[Any, int]] = defaultdict(dict)
    for number, each, records in session.fetch(query.group_by(id_.copy(), value.copy(), copy=False)):
        counts[int(number)][each] = int(records)
    return {number: exact_share(share.aggregate, each) for number, each in counts.items()}


def _with_decided(stored: Classes, numbered: str, decided: str) -> exp.Select:
    """The stored classes with the regions that Python decided."""
    changed = {column: name for name in stored.open_shares for column in (name, f"s{name}")}
    columns = [
        sql.with_alias(_choose(_is_null(exp.column(changed[name], table="k")), name), name)
        if name in changed
        else exp.column(name, table="k")
        for name in stored.columns
    ]
    query = sql.query(columns, stored.subquery())
    pairs = zip(stored.keys("k"), stored.keys("v"), strict=True)
    same = sql.all_of(*(exp.EQ(this=one, expression=other) for one, other in pairs))
    query.append("joins", exp.Join(this=sql.table(numbered, "v"), on=same, side="LEFT"))
    on = exp.EQ(this=exp.column("id", table="v"), expression=exp.column("id", table="w"))
    query.append("joins", exp.Join(this=sql.table(decided, "w"), on=on, side="LEFT"))
    return query


def _choose(is_open: Sql, name: str) -> Sql:
    return exp.Case(ifs=[exp.If(this=is_open, true=exp.column(name, table="w"))], default=exp.column(name, table="k"))


def _is_null(value: Sql) -> Sql:
    return exp.Is(this=value, expression=exp.null())


def _find_affected(context: Context, classes: Classes, requirement: Requirement) -> tuple[Affected, Verdict]:
    records = classes.state.records
    match requirement.assertion.quantifier:
        case Quantifier.SOME:
            satisfied = sql.count_where(classes.satisfies(requirement))
            found, selects_none = _aggregate_classes(context, classes, satisfied)
            count = 0 if found else records
            return Affected(sql.TRUE.copy(), count), Verdict(found > 0, count, records, selects_none)
        case Quantifier.EACH:
            affected, selects_none = _find_affected_by_each(context, classes, requirement)
            return affected, Verdict(affected.count == 0, affected.count, records, selects_none)
        case _:
            assert_never(requirement.assertion.quantifier)


def _find_affected_by_each(context: Context, classes: Classes, requirement: Requirement) -> tuple[Affected, bool]:
    """The affected bag, and whether WHERE selects no record.

    PROCESS without GROUP BY affects all of R' or nothing (Definition 11).
    """
    if requirement.action is not None and classes.process.group_by:
        affected = violating_classes(context, classes, requirement)
        return affected, affected.count == 0 and _selects_none(context, classes)
    violating, size = sql.negate(classes.satisfies(requirement)), exp.column("n", table="k")
    count, selects_none = _aggregate_classes(context, classes, _sum_where(size, violating))
    predicate = sql.FALSE.copy() if classes.process.group_by else classes.where
    return Affected(predicate, count), selects_none


def _aggregate_classes(context: Context, classes: Classes, aggregate: Sql) -> tuple[int, bool]:
    """An aggregate over the classes, and whether WHERE selects no record, so that no class exists."""
    query = sql.query([aggregate, exp.Count(this=exp.Star())], classes.subquery())
    ((value, number),) = context.session.fetch(query)
    return int(value), classes.process.where is not None and not number


def violating_classes(context: Context, classes: Classes, requirement: Requirement) -> Affected:
    """Store the violating classes, and return the affected bag: their records."""
    violating, size = sql.negate(classes.satisfies(requirement)), exp.column("n", table="k")
    table = context.session.store(sql.query([*classes.keys("k"), size], classes.subquery(), violating))
    total = sql.query([_sum(exp.column("n"))], sql.table(table))
    count = int(context.session.fetch(total)[0][0])
    stored = {g: (table, f"g{j}") for j, g in enumerate(classes.process.group_by)}
    return Affected(sql.all_of(has_class(), classes.where), count, [classes.join(table)], stored)


def has_class() -> Sql:
    """Whether the class of a record is among the stored ones, named `v`."""
    return exp.Not(this=exp.Is(this=exp.column("n", table="v"), expression=exp.null()))


def _selects_none(context: Context, classes: Classes) -> bool:
    """Whether WHERE selects no record; the scan ends at the first one selected."""
    if classes.process.where is None:
        return False
    query = sql.query([sql.integer(1)], classes.state.source(), classes.where)
    return not context.session.fetch(query.limit(1))


def _run_shared(context: Context, classes: Classes) -> State:
    """Each requirement sees the classes that the REJECTs before it left (see `share_aggregations`)."""
    flags = _flags(classes)
    if not any(removes_records(requirement.action) for requirement in classes.requirements):
        sums = (_sum_where(exp.column("n", table="k"), flag) for flag in flags)
        (counts,) = context.session.fetch(sql.query(sums, classes.subquery()))
        return _judge_shared(context, classes, counts)
    table = context.session.store(_mark_classes(classes, flags))
    sums = (_sum_where(exp.column("n"), _is_one(f"v{j}")) for j in range(len(flags)))
    (counts,) = context.session.fetch(sql.query(sums, sql.table(table)))
    after = _judge_shared(context, classes, counts)
    if after.records == classes.state.records:
        return after
    return replace(_without_rejected(classes, table), records=after.records)


def _flags(classes: Classes) -> list[Sql]:
    """For each requirement, whether a class violates it and no earlier requirement has rejected the class."""
    flags: list[Sql] = []
    rejected: list[Sql] = []
    for requirement in classes.requirements:
        violated = sql.negate(classes.satisfies(requirement))
        flags.append(sql.all_of(violated.copy(), *(sql.negate(each.copy()) for each in rejected)))
        if removes_records(requirement.action):
            rejected.append(violated)
    return flags


def _mark_classes(classes: Classes, flags: Sequence[Sql]) -> exp.Select:
    """The classes that violate a requirement, with the flag of requirement j as the number vj."""
    numbers = (sql.with_alias(_number_where(sql.integer(1), flag), f"v{j}") for j, flag in enumerate(flags))
    columns = [*classes.keys("k"), exp.column("n", table="k"), *numbers]
    return sql.query(columns, classes.subquery(), sql.any_of(*flags))


def _without_rejected(classes: Classes, table: str) -> State:
    rejecting = (j for j, requirement in enumerate(classes.requirements) if removes_records(requirement.action))
    drop = sql.any_of(*(_is_one(f"v{j}", "v") for j in rejecting))
    gone = exp.Coalesce(this=exp.Paren(this=drop), expressions=[sql.FALSE.copy()])
    return classes.state.derive({}, joins=[classes.join(table)], where=exp.Not(this=gone))


def _judge_shared(context: Context, classes: Classes, counts: Sequence[Any]) -> State:
    """Record the verdicts, and return the state with the number of records that the REJECTs leave."""
    records = classes.state.records
    for requirement, count in zip(classes.requirements, map(int, counts), strict=True):
        context.verdicts[requirement.index] = Verdict(count == 0, count, records)
        if removes_records(requirement.action):
            records -= count
    return replace(classes.state, records=records)


def _sum(expression: Sql) -> Sql:
    return exp.Coalesce(this=exp.Sum(this=expression), expressions=[sql.integer(0)])


def _sum_where(expression: Sql, flag: Sql) -> Sql:
    return _sum(_number_where(expression, flag))


def _number_where(number: Sql, flag: Sql) -> Sql:
    return exp.Case(ifs=[exp.If(this=flag.copy(), true=number.copy())], default=sql.integer(0))


def _is_one(column: str, table: str | None = None) -> Sql:
    return exp.EQ(this=exp.column(column, table=table), expression=sql.integer(1))


def _sample(context: Context, classes: Classes, requirement: Requirement) -> Sample:
    columns = [*classes.keys("k"), *classes.aggregates(requirement, "k")]
    query = sql.query(columns, classes.subquery(), sql.negate(classes.satisfies(requirement)))
    rows = context.session.fetch(query.limit(context.show))
    return Sample(tuple(column.name for column in requirement.assertion.schema), rows)


def _names(requirement: Requirement) -> list[str]:
    aggregates, index = process_query(requirement).aggregates, requirement.index
    return [f"a{index}"] if len(aggregates) == 1 else [f"a{index}_{j}" for j in range(len(aggregates))]


def _aggregate(dialect: Dialect, function: Function, column: Sql, type_: Type) -> Sql:
    facts = facts_about(function)
    if facts.adds:
        return dialect.float_sum(column) if type_.kind is Kind.FLOAT else dialect.exact_sum(column, type_)
    return sql.call(facts.sql, exp.Distinct(expressions=[column]) if facts.counts_distinct else column)
