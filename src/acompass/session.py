"""A table that stays open for many calls, so that it is read only once."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeAlias

from acompass import pipeline
from acompass.arguments import validated
from acompass.calls import Calls
from acompass.checked.parameters import ParamValue
from acompass.checked.program import Program
from acompass.checked.types import Schema
from acompass.diagnostics import CallError, Diagnostic
from acompass.engines.connect import connect
from acompass.engines.engine import Destination, Execution
from acompass.engines.errors import require_numpy
from acompass.opened import SampleInfo
from acompass.options import ERROR, DatesArgument, HierarchiesArgument, MissingArgument, Options
from acompass.perturbing import Perturbing
from acompass.plan.running.context import Progress
from acompass.policy import Policy, as_policy
from acompass.randomness import TraceValue, trace_source
from acompass.reporting import Pages, Reporting
from acompass.result import Plan, Result
from acompass.syntax.spelling import quoted_name, spell_string
from acompass.tables.output import parquet_files, require_no_hierarchy

if TYPE_CHECKING:
    from acompass.engines.duckdb.sampled import SampledTable
    from acompass.explanation import Explanation
    from acompass.measures import ColumnFacts, Measures
    from acompass.suggestion import Suggestion

Params: TypeAlias = Mapping[str, ParamValue]
Path: TypeAlias = str | os.PathLike[str]

#: the default number of records to explain for a condition
FEW = 5


@validated
def open(  # noqa: A001
    table: Any,
    *,
    engine: Any = None,
    missing: MissingArgument | None = None,
    dates: DatesArgument | None = None,
    delimiter: str | None = None,
    memory_limit: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
) -> "Session":
    """Open a table for many calls. Close the session, or use it in a `with` statement.

    `dates` are formats of columns whose text is read as dates, such as `{"Admission": "%d.%m.%Y"}`. `decimal`
    is the decimal mark of CSV files, `sheet` the name of a sheet of a workbook.
    """
    reading = ERROR if missing is None else missing, dates or ()
    options = Options(engine, *reading, delimiter, memory_limit, encoding, decimal, sheet)
    stack = ExitStack()
    source = stack.enter_context(connect(table, options).open(table, options))
    return Session(table, options, source, stack, Calls())


class Session(Perturbing, Reporting):
    """An open table. Each method does the same as the function of that name in `acompass`.

    Calls from several threads run one after the other. `cancel` makes the running call raise Canceled.
    """

    @validated
    def check(
        self,
        policy: Policy | str,
        *,
        params: Params | None = None,
        missing: MissingArgument | None = None,
        dates: DatesArgument | None = None,
        show: int = 0,
        report: Path | None = None,
        report_internal: Path | None = None,
        progress: Progress | None = None,
        paper: bool = False,
    ) -> Result:
        """Evaluate every assertion on the table; perform no action (D22)."""
        call = self._call(
            policy, params, missing, dates, Execution(show=show, progress=progress), paper=paper
        )
        pages = Pages(report, report_internal)
        self._require_files(pages, call.policy, [self._table])
        with self._calling():
            result = pipeline.check(self._source, call)
        self._report_call(pages, "check", call, result)
        return result

    @validated
    def run(
        self,
        policy: Policy | str,
        *,
        params: Params | None = None,
        seed: str | None = None,
        trace: Iterable[TraceValue] | None = None,
        missing: MissingArgument | None = None,
        dates: DatesArgument | None = None,
        order: str | None = None,
        output: Path | None = None,
        partition: Sequence[str] | None = None,
        force: bool = False,
        report: Path | None = None,
        report_internal: Path | None = None,
        progress: Progress | None = None,
        paper: bool = False,
    ) -> Result:
        """Perform the requirements one after the other.

        With `output`, the table is written there, unless a requirement without an action is violated and
        `force` is False. Otherwise, it is in the result. With `partition`, `output` is a folder with a folder
        of Parquet files for each value of these columns. With `force`, an existing table of a database, or
        such a folder, is replaced. The input is never overwritten.
        """
        path = None if output is None else os.fspath(output)
        destination = Destination(path, _is_canonical(order), force, tuple(partition or ()))
        execution = Execution(trace_source(seed, trace), destination.canonical, progress=progress)
        call = self._call(policy, params, missing, dates, execution, paper=paper)
        pages = Pages(report, report_internal)
        self._require_files(pages, call.policy, [self._table], path)
        if path is not None:
            require_no_hierarchy(path, call.policy.hierarchies)
        with self._calling():
            result = pipeline.run(self._source, call, destination)
        written = parquet_files(path) if path is not None and partition else path
        left = result.table if path is None else written if result.ok or force else None
        self._report_call(pages, "run", call, result, left)
        return result

    @validated
    def plan(
        self,
        policy: Policy | str,
        *,
        params: Params | None = None,
        seed: str | None = None,
        trace: Iterable[TraceValue] | None = None,
        missing: MissingArgument | None = None,
        dates: DatesArgument | None = None,
        order: str | None = None,
        progress: Progress | None = None,
        paper: bool = False,
    ) -> Plan:
        """Do everything that `run` does, except for writing the output."""
        execution = Execution(trace_source(seed, trace), _is_canonical(order), progress=progress)
        call = self._call(policy, params, missing, dates, execution, paper=paper)
        with self._calling():
            return pipeline.plan_run(self._source, call)

    def preview(
        self, policy: Policy | str, *, params: Params | None = None, seed: str | None = None
    ) -> Result:
        """What `run` would report, without its table."""
        call = self._call(policy, params, None, None, Execution(trace_source(seed, None)))
        with self._calling():
            return pipeline.preview(self._source, call)

    @validated
    def explain(
        self,
        policy: Policy | str,
        *,
        record: int | None = None,
        where: str | None = None,
        limit: int = FEW,
        params: Params | None = None,
        seed: str | None = None,
        trace: Iterable[TraceValue] | None = None,
        missing: MissingArgument | None = None,
        dates: DatesArgument | None = None,
        paper: bool = False,
    ) -> "Explanation":
        """Explain what a run does to record number `record`, or to the first `limit` that satisfy `where`.

        In PostgreSQL and Spark, records are numbered in canonical order. The explanation contains personal
        data.
        """
        from acompass.explain.flow import choice_of, explain_records

        choice = choice_of(record, where, limit)
        is_random = seed is not None or trace is not None
        execution = Execution(trace_source(seed, trace))
        call = self._call(policy, params, missing, dates, execution, paper=paper)
        with self._calling():
            return explain_records(self._source, call, choice, knows_trace=is_random)

    @validated
    def measure(
        self,
        qi: Sequence[str] | None = None,
        sensitive: Sequence[str] | None = None,
        weight: str | None = None,
        *,
        policy: Policy | str | None = None,
        against: Any = None,
        population: Any = None,
        sampling_weight: str | None = None,
        below: Sequence[int] | None = None,
        hierarchies: HierarchiesArgument | None = None,
        report: Path | None = None,
        report_internal: Path | None = None,
        paper: bool = False,
    ) -> "Measures":
        """Measure the table by its quasi-identifiers. Columns that are not given come from the policy.

        `weight` is a column with the number of persons that a record stands for, `sampling_weight` one with
        the number of persons of the population that a record of a sample represents, `population` a table of
        that population. `against` is the table before anonymization; `dates` of the session are those of this
        table. With `hierarchies`, the loss against it is measured; columns that they lack get levels from
        their values.
        """
        from acompass.measure.columns import assign_roles
        from acompass.measure.flow import measure_table
        from acompass.measure.opening import where_measured
        from acompass.measures import THRESHOLDS

        parsed = None if policy is None else as_policy(policy, paper)
        pages = Pages(report, report_internal)
        self._require_files(pages, parsed, [self._table, against, population])
        roles = assign_roles(None if parsed is None else parsed.tree, qi, sensitive, weight, sampling_weight)
        with self._calling():
            measures = measure_table(
                self._source,
                roles,
                self._options,
                against=against,
                population=population,
                below=below or THRESHOLDS,
                hierarchies=hierarchies,
            )
        before, after = (self._table, None) if against is None else (against, self._table)
        about = where_measured(self._source, [against, population]).about
        self._report(
            pages,
            "measure",
            about,
            before=before,
            after=after,
            policy=parsed,
            dates=self._options.dates,
            roles=roles,
            measured=measures,
        )
        return measures

    @validated
    def suggest(
        self,
        qi: Sequence[str],
        k: int,
        *,
        sensitive: Sequence[str] | None = None,
        l: int | None = None,  # noqa: E741
        t: str | None = None,
        hierarchies: HierarchiesArgument | None = None,
        max_lost: str | None = None,
        lines: int | None = None,
        seconds: float | None = None,
        keep: Sequence[str] | None = None,
        style: str = "cascade",
        compare: bool = False,
        missing: MissingArgument | None = None,
        dates: DatesArgument | None = None,
        output: Path | None = None,
        stopped: Callable[[], bool] | None = None,
        progress: Callable[[float, float], None] | None = None,
    ) -> "Suggestion":
        """Search for a policy that reaches k, and l for each sensitive column, with little loss.

        When `stopped` returns True, the best policy so far is the answer. `progress` is told the part of the
        search that is done and the least loss so far.
        """
        require_numpy()
        from acompass.suggest.columns import columns_of
        from acompass.suggest.flow import SearchCall, suggest_policy
        from acompass.suggest.read import Reading
        from acompass.suggest.request import request_of
        from acompass.suggest.write import require_other_files
        from acompass.tables.policy_files import write_policy

        request = request_of(
            qi, k, sensitive, l, t, hierarchies, max_lost, lines, seconds, keep, style, compare
        )
        path = None if output is None else os.fspath(output)
        require_other_files(path, self._table, columns_of(request, self.columns))
        reading = Reading(request, *self._reading(missing, dates))
        with self._calling():
            found = suggest_policy(self._source, SearchCall(reading, path, stopped, progress))
        if path is not None:
            write_policy(path, found.text)
        return found

    @validated
    def schema(self, policy: Policy | str, *, params: Params | None = None) -> Schema:
        """The table's columns, with the types that the policy gives them (D10)."""
        with self._calling():
            return pipeline.schema_of(self._source, self._call(policy, params, None, None, Execution()))

    def checked(self, policy: Policy | str, *, params: Params | None = None) -> Program:
        """The policy checked against the table. Raise for all that a run would refuse before it begins."""
        call = self._call(policy, params, None, None, Execution())
        with self._calling():
            return pipeline.checked_for(self._source, call)

    def occurs(self, column: str, texts: Sequence[str]) -> bool:
        """Whether a column of the table has one of the texts; True if the table is empty."""
        listed = ", ".join(map(spell_string, texts))
        result = self.check(f"SOME RESULT : {quoted_name(column)} IN ({listed});", missing="drop")
        return result.ok or not result.records_in

    def column_facts(self) -> "tuple[ColumnFacts, ...]":
        """What is known about each column, without values that few records have."""
        from acompass.measure.column_facts import column_facts

        with self._calling():
            return column_facts(self._duckdb_table("facts about columns"), self._options.dates)

    def sample(self, records: int, seed: str) -> "Session":
        """A session on some of the table's records, to be closed before this one. Their calls take turns."""
        from acompass.engines.duckdb.sampled import SampledTable

        whole = self.records()
        with self._calling():
            source = SampledTable(self._duckdb_table("a sample"), records, seed)
        stack = ExitStack()
        stack.callback(self._drop, source)
        info = SampleInfo(min(records, whole), whole, seed)
        return Session(self._table, self._options, source, stack, self._calls, info)

    def _drop(self, sampled: "SampledTable") -> None:
        with self._calls.calling(sampled):
            sampled.drop()


def _is_canonical(order: str | None) -> bool:
    if order not in (None, "canonical"):
        help_ = "omit it, or use `canonical`"
        raise CallError([Diagnostic("AC406", f"unknown order `{order}`", help=help_)])
    return order == "canonical"
