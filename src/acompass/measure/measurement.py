"""Measure a table: find the columns of the roles, group the records in one pass, then compute every measure.

All tables of a measurement are read by the same engine, where they are stored.

The individual risk from sampling weights is estimated as in sdcMicro. Benedetti and Franconi (1998) model the number of
persons in the population that share a record's quasi-identifiers by a negative binomial distribution. Franconi and
Polettini (2004) approximate the risk in classes of three and more records.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import duckdb

from acompass.arguments import is_file
from acompass.dataclasses import dataclass, replace
from acompass.engines.duckdb.output import Output, write
from acompass.engines.duckdb.session import DuckDBSession, connection, report_failures
from acompass.engines.duckdb.table import DuckDBTable, LoadedInDuckDB, open_in_connection
from acompass.engines.protocol import OpenTable
from acompass.engines.reading import date_formats, missing_options
from acompass.errors.diagnostics import CallError, Diagnostic, Span, TableError, option_text
from acompass.language.program.types import BOOLEAN, FLOAT, INTEGER, Column
from acompass.language.program.uses import ColumnUse, Use
from acompass.measure.answer import (
    THRESHOLDS,
    Journalist,
    Measures,
    Persons,
    QuasiIdentifier,
    RecordsAbove,
    Sampling,
    count_noun,
    risk_among,
)
from acompass.measure.change import Meanings, compare
from acompass.measure.classes import CLASSES, Grouping, class_sizes, group, merged_classes
from acompass.measure.hierarchy import Values, column_values, parse_specs
from acompass.measure.loss import PolicyLevels, measure_loss, require_earlier_table
from acompass.measure.models import DIGITS, measure_column, natural_log, to_decimal
from acompass.measure.records import Records, Texts, comparable_value, count_texts, pair_counts, with_unit
from acompass.measure.roles import Positions, Roles, positions, refuse_opaque, same_columns
from acompass.options import DROP, ERROR, DatesArgument, HierarchiesArgument, NaArgument
from acompass.plan.lowering.state import ROW_KEY
from acompass.policy import Policy, TableRoles
from acompass.result import Note
from acompass.tables.errors import no_folder
from acompass.tables.formats import FileFormat, Options, ReadingOptions
from acompass.tables.output import is_same_file, is_stream, output_format, require_no_policy_file, require_other_file
from acompass.tables.source import find_paths

#: a risk, and the number of records that have it
Risk: TypeAlias = tuple[Decimal, int]
#: (records in a class, persons that they represent, number of such classes)
SampledClass: TypeAlias = tuple[int, Persons, int]

#: the factor that makes the median absolute deviation comparable to a standard deviation, as in R
_DEVIATION = Decimal("1.4826")
#: a record stands out if its risk is this many deviations above the median, and above this risk
_DEVIATIONS, _NOTABLE = 2, Decimal("0.1")
#: sums of weights are added and divided, but never multiplied, so they may use all digits of a decimal
LARGEST_TOTAL = 10**36
NOT_SAMPLED = (None, None)


def journalist_risk(records: Records, found: Positions, population: Records, theirs: Positions) -> Journalist | None:
    """The risk of the equivalence classes of a table; None if the table is empty."""
    both = list(zip(found.quasi_identifiers, theirs.quasi_identifiers, strict=True))
    pairs = [
        (records.persons(size), population.persons(persons), classes)
        for size, persons, classes in pair_counts(records, population, both)
        if size
    ]
    uncovered = sum(classes for size, persons, classes in pairs if persons < size)
    if uncovered:
        raise _not_a_population(uncovered, sum(classes for _, _, classes in pairs), records.person is not None)
    return _journalist_risks(pairs) if pairs else None


def _journalist_risks(pairs: Sequence[tuple[Persons, Persons, int]]) -> Journalist:
    """Each row is (records in a class, persons of the population in it, number of such classes)."""
    records = sum(size * classes for size, _, classes in pairs)
    in_classes: dict[Persons, Persons] = {}
    for size, persons, classes in pairs:
        in_classes[persons] = in_classes.get(persons, 0) + size * classes
    risks = (n * risk_among(persons) for persons, n in sorted(in_classes.items()))
    marketer = sum(risks, Fraction(0)) / records
    spread = Fraction(sum(c for *_, c in pairs), sum(persons * c for _, persons, c in pairs))
    return Journalist(risk_among(min(in_classes)), min(Fraction(1), max(spread, marketer)), marketer)


def _not_a_population(uncovered: int, classes: int, counts_persons: bool) -> TableError:
    message = (
        f"{uncovered:,} of {classes:,} equivalence classes have more {count_noun(counts_persons)} in the table "
        "than in the population, expected every person of the table in the population"
    )
    return TableError([Diagnostic("AC607", message, help="recode the population's columns like the table's")])


def individual_risk(records: int, persons: Persons) -> Decimal:
    """The risk of a record in a class of `records` that represent `persons`. A class that represents no more persons
    than it has records contains all of them."""
    if persons <= records:
        return to_decimal(Fraction(1, records))
    share = Fraction(records) / persons
    if records > 2:
        return to_decimal(share / (records - 1 + share))
    odds, logarithm = share / (1 - share), natural_log(1 / share)
    with localcontext(Context(prec=DIGITS)):
        if records == 1:
            return to_decimal(odds) * logarithm
        return to_decimal(odds) - to_decimal(odds**2) * logarithm


def total_risk(risks: Sequence[Risk]) -> Decimal:
    """The expected number of re-identified records."""
    with localcontext(Context(prec=DIGITS)):
        return sum((risk * records for risk, records in risks), Decimal(0))


def count_outstanding(risks: Sequence[Risk]) -> int:
    """The number of records with a much higher risk than most, by the rule of sdcMicro."""
    with localcontext(Context(prec=DIGITS)):
        middle = _median(risks)
        deviation = _DEVIATION * _median([(abs(risk - middle), records) for risk, records in risks])
        threshold = max(middle + _DEVIATIONS * deviation, _NOTABLE)
        return sum(records for risk, records in risks if risk > threshold)


def _median(values: Sequence[Risk]) -> Decimal:
    """The median; the mean of the two middle values if their number is even."""
    ascending, number = sorted(values), sum(records for _, records in values)
    return (_value_at(ascending, (number - 1) // 2) + _value_at(ascending, number // 2)) / 2


def _value_at(ascending: Sequence[Risk], place: int) -> Decimal:
    """The value at a position, with each value repeated as often as it occurs."""
    for value, records in ascending:
        if place < records:
            return value
        place -= records
    raise IndexError(place)


def refuse_other_populations(roles: Roles, population: Any) -> None:
    """Raise if sampling weights, which estimate the population and make a record one person, are combined with a known
    population or with weights."""
    if roles.sampling_weight is None:
        return
    others = {"weight": roles.weight, "population": population}
    for other in (option_text(name) for name, value in others.items() if value is not None):
        own = option_text("sampling_weight")
        message = f"`{other}` and `{own}` are given, expected one of them"
        raise CallError([Diagnostic("AC609", message, help=f"omit `{other}` or `{own}`")])


def sampling_risk(
    records: Records, found: Positions, thresholds: Sequence[int]
) -> tuple[Journalist, Sampling] | tuple[None, None]:
    """The risks of a nonempty table; None without sampling weights."""
    weight = found.sampling_weight
    if weight is None:
        return NOT_SAMPLED
    weighted = with_unit(replace(records, weight=weight), LARGEST_TOTAL)
    rows = weighted.sampled_classes(found.quasi_identifiers, weight)
    sampled = [(n, weighted.persons(units), classes) for n, units, classes in rows]
    column = records.schema[weight].name
    return _sampling_journalist(sampled), _sampling_measures(column, sampled, thresholds)


def _sampling_journalist(sampled: Sequence[SampledClass]) -> Journalist:
    """The journalist risk, as for a known population. Averages have 60 digits; exact fractions could have millions."""
    populated = [(records, max(persons, records), classes) for records, persons, classes in sampled]
    records = sum(records * classes for records, _, classes in sampled)
    found = total_risk([(to_decimal(1 / Fraction(persons)), n * classes) for n, persons, classes in populated])
    marketer = Fraction(found) / records
    spread = Fraction(sum(c for *_, c in populated)) / sum(persons * c for _, persons, c in populated)
    return Journalist(1 / Fraction(min(persons for _, persons, _ in populated)), max(spread, marketer), marketer)


def _sampling_measures(column: str, sampled: Sequence[SampledClass], thresholds: Sequence[int]) -> Sampling:
    risks = [(individual_risk(n, persons), n * classes) for n, persons, classes in sampled]
    expected, records = total_risk(risks), sum(records for _, records in risks)
    return Sampling(
        weight=column,
        persons=sum(persons * classes for _, persons, classes in sampled),
        maximum=float(max(risk for risk, _ in risks)),
        average=float(Fraction(expected) / records),
        expected=float(expected),
        outstanding=count_outstanding(risks),
        above=tuple(_records_above(k, sampled, risks) for k in thresholds),
        understated=sum(classes for n, persons, classes in sampled if persons < n),
    )


def _records_above(k: int, sampled: Sequence[SampledClass], risks: Sequence[Risk]) -> RecordsAbove:
    limit = to_decimal(Fraction(1, k))
    return RecordsAbove(
        k,
        journalist=sum(n * classes for n, persons, classes in sampled if max(persons, n) < k),
        individual=sum(records for risk, records in risks if risk > limit),
    )


def risk_by_quasi_identifier(
    con: duckdb.DuckDBPyConnection, grouping: Grouping, records: Records, quasi_identifiers: Sequence[int]
) -> tuple[QuasiIdentifier, ...]:
    """Computed from CLASSES and CELLS, without reading the records again. Empty for an empty table."""
    found = merged_classes(con, records, grouping, list(_groupings(grouping.keys)))
    columns = [records.schema[position].name for position in quasi_identifiers]
    pairs = zip(columns, found[::2], found[1::2], strict=True)
    return tuple(QuasiIdentifier(*pair) for pair in pairs) if found[0].sizes else ()


def _groupings(keys: Sequence[str]) -> Iterator[list[str]]:
    """For each column, first the column itself, then all others."""
    for key in keys:
        yield [key]
        yield [other for other in keys if other != key]


@dataclass(frozen=True, slots=True)
class PopulationTable:
    records: Records
    found: Positions


def write_record_risks(
    con: duckdb.DuckDBPyConnection, records: Records, found: Positions, population: PopulationTable | None, path: str
) -> None:
    """Write a row for each record, in the order of the table: its number from 1, the size of its class in CLASSES, and
    its risks. The file has no value of the table, but tells whom an attacker finds: it is personal data."""
    size = "c.size" if records.unit == 1 else f"c.size / {records.unit}"
    columns = [
        ("record", INTEGER, f"row_number() OVER (ORDER BY t.{ROW_KEY})"),
        ("class_size", INTEGER if records.unit == 1 else FLOAT, size),
        ("unique", BOOLEAN, f"{size} < 2"),
        ("prosecutor_risk", FLOAT, f"least(1.0, 1.0::DOUBLE / ({size}))"),
    ]
    joins = f"{records.duckdb_source} JOIN {CLASSES} AS c ON {_in_class(records, found)}"
    if found.sampling_weight is not None:
        risks = _class_risks(con, replace(records, weight=found.sampling_weight), joins)
        joins += f" JOIN {risks} AS r ON c.class = r.class"
        columns += [("journalist_risk", FLOAT, "r.journalist"), ("individual_risk", FLOAT, "r.individual")]
    if population is not None:
        joins += f" JOIN ({_population_sizes(records, found, population)}) AS p ON c.class = p.class"
        columns.append(("journalist_risk", FLOAT, f"least(1.0, {population.records.unit}::DOUBLE / p.n)"))
    schema = tuple(Column(name, type_) for name, type_, _ in columns)
    values = ", ".join(f"{value} AS c{place}" for place, (*_, value) in enumerate(columns))
    write(con, Output(f"SELECT {values} FROM {joins} ORDER BY c0", schema), path)


def _in_class(records: Records, found: Positions) -> str:
    """SQL for whether a record `t` is in a class `c`."""
    pairs = zip(found.quasi_identifiers, Grouping.of(found).keys, strict=True)
    return " AND ".join(f"{records.duckdb_value(place)} IS NOT DISTINCT FROM c.{key}" for place, key in pairs)


def _class_risks(con: duckdb.DuckDBPyConnection, records: Records, joins: str) -> str:
    """The name of a table with the journalist and the individual risk of each class of a sample."""
    weighted = with_unit(records, LARGEST_TOTAL)
    assert weighted.weight is not None, "a sampling weight"
    total = weighted.total(weighted.weight).sql("duckdb")
    rows = con.execute(f"SELECT c.class, count(*), {total}::VARCHAR FROM {joins} GROUP BY c.class").fetchall()
    sampled = {(n, units): weighted.persons(int(units)) for _, n, units in rows}
    risks = {
        key: (float(1 / Fraction(max(persons, key[0]))), float(individual_risk(key[0], persons)))
        for key, persons in sampled.items()
    }
    names = [("class", "BIGINT"), ("journalist", "DOUBLE"), ("individual", "DOUBLE")]
    return DuckDBSession(con).upload(names, [(place, *risks[n, units]) for place, n, units in rows])


def _population_sizes(records: Records, found: Positions, population: PopulationTable) -> str:
    """SQL for the number of persons in the population, in its units, of each class."""
    people, theirs = population.records, population.found
    both = list(zip(found.quasi_identifiers, theirs.quasi_identifiers, strict=True))
    keys = [comparable_value(people, b, records.schema[a].type) for a, b in both]
    values = [comparable_value(records, a, people.schema[b].type).sql("duckdb") for a, b in both]
    same = " AND ".join(f"{value} IS NOT DISTINCT FROM p.v{place}" for place, value in enumerate(values))
    return (
        f"SELECT DISTINCT c.class, p.n FROM {records.duckdb_source} JOIN {CLASSES} AS c ON {_in_class(records, found)} "
        f"JOIN ({people.group(keys).sql('duckdb')}) AS p ON {same}"
    )


#: the columns to measure, from the names of a table's columns
Find: TypeAlias = Callable[[Sequence[str]], Positions]


class Tables:
    """Tables that stay loaded together."""

    def __init__(
        self,
        stack: ExitStack,
        con: duckdb.DuckDBPyConnection,
        open_table: Callable[[Any], AbstractContextManager[OpenTable]],
        na: NaArgument = (),
    ):
        #: the DuckDB connection that computes the measures; the tables are in it too, unless another engine has them
        self.con = con
        self._stack = stack
        self._open_table = open_table
        self._na = tuple(na)  # of every table

    def open(self, table: Any, find: Find, every_column: bool, dates: DatesArgument = ()) -> tuple[Records, Positions]:
        return self.load(self._stack.enter_context(self._open_table(table)), find, every_column, dates)

    def load(
        self, table: OpenTable, find: Find, every_column: bool, dates: DatesArgument = ()
    ) -> tuple[Records, Positions]:
        """Without `every_column`, only the columns that `find` returns are read."""
        found = find(table.names)
        wanted = range(len(table.names)) if every_column else sorted(found.all())
        reading = ReadingOptions(dates=date_formats(dates, table.names), na=self._na)
        # a column without a role may have values that a policy could not use
        uses = {p: ColumnUse(Use.ANY, Span(0, 0), overwritten=p not in found.all()) for p in wanted}
        loaded = self._stack.enter_context(table.load(uses, reading))
        refuse_opaque(found, loaded.schema)
        relation = loaded.layout.view if isinstance(loaded, LoadedInDuckDB) else None
        records = Records(loaded.reading, loaded.state, found.weight, relation=relation)
        return with_unit(records), found


def table_to_measure(table: OpenTable, others: Sequence[Any]) -> OpenTable:
    """The table as opened in DuckDB, if DuckDB can also read the others; otherwise the table in its own engine."""
    local = table.duckdb_table
    names = [each for each in others if isinstance(each, str | os.PathLike) and not is_file(each)]
    return table if local is None or (table.about.has_tables and names) else local


@contextmanager
def open_tables(file_format: FileFormat, memory_limit: str | None, na: NaArgument = ()) -> Iterator[Tables]:
    """Open tables in a new connection."""
    with connection(memory_limit) as con, ExitStack() as stack:
        stack.enter_context(report_failures())
        yield Tables(stack, con, partial(open_in_connection, con, file_format=file_format), na)


@contextmanager
def tables_with(table: OpenTable, options: Options) -> Iterator[Tables]:
    """Open further tables in the engine of one that is already open."""
    with ExitStack() as stack:
        limit = options.memory_limit
        con = table.con if isinstance(table, DuckDBTable) else stack.enter_context(connection(limit))
        stack.enter_context(report_failures())
        yield Tables(stack, con, partial(table.open_other, options=options), options.na)


def measure_table(
    table: OpenTable,
    roles: Roles,
    options: Options,
    *,
    against: Any = None,
    population: Any = None,
    below: Sequence[int] = THRESHOLDS,
    hierarchies: HierarchiesArgument | None = None,
    marked: TableRoles | None = None,
    levels: PolicyLevels | None = None,
    record_risks: str | None = None,
) -> Measures:
    """Measure a table, and compare it with the earlier table `against` and with a population if they are given.

    If `hierarchies` is not None, even if it is empty, the loss against the earlier table is measured too.
    `marked` are the roles of all columns, for the notes; `levels` those of the policy that wrote the table.
    With `record_risks`, the risk of each record is written to this file.
    `options.dates` are the date formats of the earlier table if there is one: a released table has ISO dates (D28).
    """
    require_earlier_table(hierarchies, against)
    refuse_other_populations(roles, population)
    every_column = against is not None
    dates = options.dates
    here = table_to_measure(table, [against, population])
    if record_risks is not None and here.duckdb_table is None:
        raise _no_record_risks("a table in another engine", "copy the table into a file, and measure that")
    with tables_with(here, options) as tables:
        records, found = tables.load(here, partial(positions, roles), every_column, () if every_column else dates)
        measures = measure_records(tables.con, records, found, below)
        measures = replace(measures, notes=tuple(_notes(records, found, marked or TableRoles())))
        people = None
        if population is not None:
            find = partial(same_columns, roles, table="population")
            everyone, theirs = tables.open(population, find, every_column)
            ours, others = replace(records, person=found.person), replace(everyone, person=theirs.person)
            measures = replace(measures, journalist=journalist_risk(ours, found, others, theirs))
            people = PopulationTable(others, theirs)
        if record_risks is not None:
            write_record_risks(tables.con, records, found, people, record_risks)
        if against is not None:
            find = partial(same_columns, roles, table="earlier table")
            before, theirs = tables.open(against, find, every_column=True, dates=dates)
            pair = (records, found, before, theirs)
            loss = None if hierarchies is None else measure_loss(*pair, hierarchies)
            names = [before.schema[position].name for position in theirs.quasi_identifiers]
            specs = {names[place]: spec for place, spec in parse_specs(hierarchies or {}, names).items()}
            meanings = Meanings(levels or PolicyLevels(None), specs)
            measures = replace(measures, comparison=compare(*pair, meanings), loss=loss)
    return measures


def require_record_risks(path: str, inputs: Sequence[Any], policy: Policy | None, reports: Sequence[Any]) -> None:
    """Raise, before anything is read, unless the file for the risk of each record can be written."""
    if is_stream(path):
        raise _no_record_risks("standard output or a device", f"name a file: `{option_text('records', 'risk.csv')}`")
    output_format(path)
    if not Path(os.path.realpath(path)).parent.is_dir():
        raise no_folder(str(Path(path).parent))
    files = [os.fspath(each) for each in inputs if isinstance(each, str | os.PathLike)]
    require_other_file(path, tuple(name for each in files for name in find_paths(each)))
    if policy is not None:
        require_no_policy_file(path, policy)
    others = [*(() if policy is None else (policy.name,)), *(os.fspath(each) for each in reports if each is not None)]
    for other in others:
        if os.path.realpath(path) == os.path.realpath(other) or is_same_file(path, other):
            raise _no_record_risks(f"`{other}`, which is another file of the call", "choose another file")


def _no_record_risks(found: str, help_: str) -> CallError:
    message = f"the risk of each record needs a file of its own and a table in files or data frames, found {found}"
    return CallError([Diagnostic("AC618", message, help=help_)])


def _notes(records: Records, found: Positions, marked: TableRoles) -> Iterator[Note]:
    """Notes on persons and spellings (D35, D38). Values do not leave another engine to be compared."""
    from acompass.plan.run.doubts import find_repeated_persons, find_spellings

    if found.person is None and not found.weights:
        repeated = find_repeated_persons(records.session, records.state, marked, found.quasi_identifiers)
        yield from (Note(None, text) for text in repeated)
    if records.relation is not None:
        for column in (*found.sensitive, *found.persons):
            for doubt in find_spellings(records.session, records.state, column):
                yield Note(None, str(doubt))


def measure_records(
    con: duckdb.DuckDBPyConnection, records: Records, found: Positions, below: Sequence[int] = THRESHOLDS
) -> Measures:
    """Measure one table. For an empty table, no models of sensitive columns are computed."""
    grouping = Grouping.of(found)
    orders, people = group(con, records, found)
    classes = replace(class_sizes(con, records, grouping), thresholds=tuple(sorted(set(below))))
    names = [column.name for column in records.schema]
    ordered = list(zip(found.sensitive, orders, strict=True)) if classes.sizes else []
    risk, sampling = sampling_risk(records, found, classes.thresholds) if classes.sizes else NOT_SAMPLED
    return Measures(
        quasi_identifiers=tuple(names[position] for position in found.quasi_identifiers),
        weight=None if found.weight is None else names[found.weight],
        classes=classes,
        sensitive=tuple(measure_column(con, grouping, i, names[p], order) for i, (p, order) in enumerate(ordered)),
        journalist=risk,
        sampling=sampling,
        by_quasi_identifier=risk_by_quasi_identifier(con, grouping, records, found.quasi_identifiers),
        people=people,
    )


def column_texts(table: OpenTable, column: str, options: Options) -> Texts:
    """The number of records with each text of a column, with `options.missing` for those without a value if it is a
    value."""
    fill = missing_options(options.missing, table.names)
    with tables_with(table, options) as tables:
        records, found = tables.load(table, partial(positions, Roles((column,))), False, options.dates)
        (position,) = found.quasi_identifiers
        texts = count_texts(records, position)
    value = fill.for_column(position)
    if not texts.missing or value in (ERROR, DROP):
        return texts
    return Texts({**texts.counts, value: texts.counts.get(value, 0) + texts.missing}, 0)


def distinct_values(
    table: Any, column: str, file_format: FileFormat, memory_limit: str | None, na: NaArgument = ()
) -> Values:
    with open_tables(file_format, memory_limit, na) as tables:
        records, found = tables.open(table, partial(positions, Roles((column,))), every_column=False)
        (position,) = found.quasi_identifiers
        texts = count_texts(records, position)
    return column_values(records.schema[position].name, texts.counts, texts.missing)
