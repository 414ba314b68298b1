"""Run class-level stages: one aggregation finds the violating classes, and a join finds their records."""

from collections.abc import Callable, Sequence
from typing import Any, assert_never

from sqlglot import exp

from acompass.dataclasses import dataclass, replace
from acompass.language.program.aggregates import counts_distinct, facts_about
from acompass.language.program.effects import removes_records
from acompass.language.program.program import Aggregate, Process, Requirement, Verdict
from acompass.language.program.references import Reference
from acompass.language.program.types import Kind, Type
from acompass.language.text.tree import Function, Quantifier
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import Dialect
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.run.actions import perform
from acompass.plan.run.context import Affected, Context, Totals
from acompass.plan.stages import GroupStage, Sample, process_query


def run_groups(context: Context, state: State, stage: GroupStage) -> State:
    classes = Classes(context.session.dialect, state, stage.requirements, stage.two_levels, context.totals)
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
    single value is named `a` followed by the requirement's index; several values also have a number of their own.
    """

    dialect: Dialect
    state: State
    requirements: tuple[Requirement, ...]
    two_levels: bool = False
    totals: Totals | None = None  # needed for aggregates over reference tables (X14)

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
        classes = self._group_twice() if self.two_levels else self._group_once()
        if self.process.group_by and self._references:
            classes = self._look_up_totals(classes)
        return classes.subquery(table, copy=False)

    @property
    def _references(self) -> list[Reference]:
        """The reference tables of all requirements, each once."""
        aggregates = (each for r in self.requirements for each in process_query(r).aggregates)
        return list(dict.fromkeys(each.reference for each in aggregates if each.reference is not None))

    def _look_up_totals(self, classes: exp.Select) -> exp.Select:
        """Join the classes to the totals of their keys; a class that a file lacks has 0 (X14)."""
        assert self.totals is not None, "this query has no reference tables"
        places = {reference: f"r{j}" for j, reference in enumerate(self._references)}
        aggregates = [
            exp.column(name, table="i")
            if each.reference is None
            else sql.with_alias(_total_or_zero(places[each.reference]), name)
            for r in self.requirements
            for each, name in zip(process_query(r).aggregates, _names(r), strict=True)
        ]
        columns = [*self.keys("i"), exp.column("n", table="i"), *aggregates]
        select = sql.query(columns, classes.subquery("i", copy=False))
        for reference, place in places.items():
            pairs = zip(self.keys("i"), self.keys(place), strict=True)
            on = sql.all_of(*(exp.EQ(this=own, expression=key) for own, key in pairs))
            select.append("joins", exp.Join(this=self.totals(reference, place), on=on, side="LEFT"))
        return select

    def _group_once(self) -> exp.Select:
        columns = [*self._keys_and_size(), *self._aggregate_columns(self._aggregate)]
        select = sql.query(columns, self.state.source(), self._where)
        if self.process.group_by:
            return select.group_by(*self._key_values(), copy=False)
        # without GROUP BY, SQL returns one row for an empty table; PROCESS returns none (D16, empty tables)
        any_record = exp.GT(this=exp.Count(this=exp.Star()), expression=sql.integer(0))
        return select.having(any_record, copy=False)

    def _group_twice(self) -> exp.Select:
        """Group by class and value first, then by class (see `count_in_two_levels`)."""
        aggregated = (each.column for r in self.requirements for each in process_query(r).aggregates)
        counted = next(self.state.value(column) for column in aggregated if column is not None)
        values = sql.query(self._keys_and_size(), self.state.source(), self._where)
        values.group_by(*self._key_values(), counted, copy=False)
        size = sql.cast(exp.Sum(this=exp.column("n", table="i")), "BIGINT")
        aggregates = self._aggregate_columns(
            lambda each: exp.Count(this=exp.Star()) if counts_distinct(each.function) else size.copy()
        )
        columns = [*self.keys("i"), sql.with_alias(size.copy(), "n"), *aggregates]
        return sql.query(columns, values.subquery("i", copy=False)).group_by(*self.keys("i"), copy=False)

    def _key_values(self) -> list[Sql]:
        return [self.state.value(g) for g in self.process.group_by]

    def _keys_and_size(self) -> list[Sql]:
        keys = (sql.with_alias(key, f"g{j}") for j, key in enumerate(self._key_values()))
        return [*keys, sql.with_alias(self.state.count(), "n")]

    def _aggregate_columns(self, lower: Callable[[Aggregate], Sql]) -> list[Sql]:
        return [
            sql.with_alias(lower(aggregate), name)
            for r in self.requirements
            for aggregate, name in zip(process_query(r).aggregates, _names(r), strict=True)
            if aggregate.reference is None or not self.process.group_by
        ]

    def _aggregate(self, aggregate: Aggregate) -> Sql:
        if aggregate.reference is not None:  # without GROUP BY, it is about the whole file
            return sql.literal(aggregate.reference.total(()))
        if aggregate.column is None:
            return self.state.count()
        type_ = self.state.schema[aggregate.column].type
        return _aggregate(self.dialect, aggregate.function, self.state.value(aggregate.column), type_)

    def aggregates(self, requirement: Requirement, table: str) -> list[Sql]:
        """The aggregate values of a requirement, in the classes named `table`."""
        return [exp.column(name, table=table) for name in _names(requirement)]

    def satisfies(self, requirement: Requirement) -> Sql:
        """Whether a class, named `k`, satisfies the requirement."""
        columns = (*self.keys("k"), *self.aggregates(requirement, "k"))
        return sql.condition(requirement.assertion.condition, requirement.assertion.schema, columns)

    def join(self, table: str) -> exp.Join:
        """A join of records to their classes in a stored table, named `v`."""
        pairs = zip(self.process.group_by, self.keys("v"), strict=True)
        on = sql.all_of(*(exp.EQ(this=self.state.value(g), expression=key) for g, key in pairs))
        return exp.Join(this=sql.table(table, "v"), on=on, side="LEFT")


def _total_or_zero(table: str) -> Sql:
    return exp.Coalesce(this=exp.column("total", table=table), expressions=[sql.integer(0)])


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
    distinct = {g: _distinct(table, f"g{j}") for j, g in enumerate(classes.process.group_by)}
    return Affected(sql.all_of(has_class(), classes.where), count, [classes.join(table)], distinct)


def has_class() -> Sql:
    """Whether the class of a record is among the stored ones, named `v`."""
    return exp.Not(this=exp.Is(this=exp.column("n", table="v"), expression=exp.null()))


def _distinct(table: str, key: str) -> exp.Select:
    """The values of a group column in stored classes, with their numbers of records."""
    columns = [sql.with_alias(exp.column(key), "value"), exp.Sum(this=exp.column("n"))]
    return sql.query(columns, sql.table(table)).group_by(exp.column(key), copy=False)


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
