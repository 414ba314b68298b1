"""Keep a table open for many calls, so that it is read only once."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from acompass.base_session import BaseSession, Calls, SampleInfo
from acompass.engines.errors import require_numpy
from acompass.engines.protocol import About, Destination, Execution, TraceValue, trace_source
from acompass.engines.reading import date_formats, missing_options
from acompass.engines.registry import connect
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program.constants import ParamValue
from acompass.language.program.program import Program
from acompass.language.program.types import Schema
from acompass.language.text.tokens import quoted_name, spell_string
from acompass.options import ERROR, DatesArgument, HierarchiesArgument, MissingArgument, validate_arguments
from acompass.plan.run.context import Progress
from acompass.policy import Policy, PolicyArgument, as_policy
from acompass.result import Plan, Result
from acompass.run import Call, check_policy, plan_policy, policy_schema, preview_policy, program_for_table, run_policy
from acompass.tables.formats import Options, ReadingOptions
from acompass.tables.output import parquet_files, require_no_hierarchy

if TYPE_CHECKING:
    from acompass.author.answers import Estimate, Perturbation, Suggestion
    from acompass.explain.answer import Explanation
    from acompass.measure.answer import ColumnFacts, Measures
    from acompass.report.page.content import Command

Params: TypeAlias = Mapping[str, ParamValue]
Path: TypeAlias = str | os.PathLike[str]

#: the default number of records to explain for a condition
FEW = 5


@validate_arguments
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

    `dates` maps text columns to the format of their dates, as in `{"Admission": "%d.%m.%Y"}`. `decimal` is the
    decimal mark of CSV files, `sheet` the name of a sheet of a workbook.
    """
    reading = ERROR if missing is None else missing, dates or ()
    options = Options(engine, *reading, delimiter, memory_limit, encoding, decimal, sheet)
    stack = ExitStack()
    source = stack.enter_context(connect(table, options).open(table, options))
    return Session(table, options, source, stack, Calls())


class Pages(NamedTuple):
    """Where to write a call's report pages; None for a page that was not requested."""

    report: Path | None
    internal: Path | None


class Session(BaseSession):
    """An open table. Each method does the same as the function of that name in `acompass`.

    Calls from several threads run one after the other. `cancel` makes the running call raise Canceled.
    """

    @validate_arguments
    def check(
        self,
        policy: PolicyArgument,
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
        call = self._call(policy, params, missing, dates, Execution(show=show, progress=progress), paper=paper)
        pages = Pages(report, report_internal)
        self._require_files(pages, call.policy, [self._table])
        with self._calling():
            result = check_policy(self._source, call)
        self._report_call(pages, "check", call, result)
        return result

    @validate_arguments
    def run(
        self,
        policy: PolicyArgument,
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

        The table is in the result or, with `output`, written there, unless a requirement without an action is
        violated and `force` is False. With `partition`, `output` is a folder with a subfolder of Parquet files
        for each value of these columns. `force` also replaces such a folder, or an existing database table. The
        input is never overwritten.
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
            result = run_policy(self._source, call, destination)
        written = parquet_files(path) if path is not None and partition else path
        left = result.table if path is None else written if result.ok or force else None
        self._report_call(pages, "run", call, result, left)
        return result

    @validate_arguments
    def plan(
        self,
        policy: PolicyArgument,
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
        """Do everything that `run` does, except write the output."""
        execution = Execution(trace_source(seed, trace), _is_canonical(order), progress=progress)
        call = self._call(policy, params, missing, dates, execution, paper=paper)
        with self._calling():
            return plan_policy(self._source, call)

    def preview(self, policy: PolicyArgument, *, params: Params | None = None, seed: str | None = None) -> Result:
        """Return what `run` would report, without the table."""
        call = self._call(policy, params, None, None, Execution(trace_source(seed, None)))
        with self._calling():
            return preview_policy(self._source, call)

    @validate_arguments
    def explain(
        self,
        policy: PolicyArgument,
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
        """Explain what a run does to record number `record`, or to the first `limit` records that satisfy `where`.

        In PostgreSQL and Spark, records are numbered in canonical order. The explanation contains personal data.
        """
        from acompass.explain.lives import choose_records, explain_records

        choice = choose_records(record, where, limit)
        is_random = seed is not None or trace is not None
        execution = Execution(trace_source(seed, trace))
        call = self._call(policy, params, missing, dates, execution, paper=paper)
        with self._calling():
            return explain_records(self._source, call, choice, knows_trace=is_random)

    @validate_arguments
    def measure(
        self,
        qi: Sequence[str] | None = None,
        sensitive: Sequence[str] | None = None,
        weight: str | None = None,
        *,
        policy: PolicyArgument | None = None,
        against: Any = None,
        population: Any = None,
        sampling_weight: str | None = None,
        below: Sequence[int] | None = None,
        hierarchies: HierarchiesArgument | None = None,
        report: Path | None = None,
        report_internal: Path | None = None,
        paper: bool = False,
    ) -> "Measures":
        """Measure the table's disclosure risk by its quasi-identifiers; omitted columns are taken from the policy.

        `weight` names the column with the number of people a record stands for, `sampling_weight` the one with
        the number of people in the population that a sampled record represents. `population` is the table of
        the population that the records were sampled from. `against` is the table before anonymization, to which
        the session's `dates` then apply. With `hierarchies`, the loss against it is measured; columns without a
        hierarchy get levels derived from their values.
        """
        from acompass.measure.answer import THRESHOLDS
        from acompass.measure.measurement import measure_table, table_to_measure
        from acompass.measure.roles import assign_roles

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
        about = table_to_measure(self._source, [against, population]).about
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

    @validate_arguments
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

        `stopped()` returns True to end the search with the best policy found so far; `progress(done, loss)`
        receives the fraction done and the lowest loss.
        """
        require_numpy()
        from acompass.author.suggest.flow import SearchCall, suggest_policy
        from acompass.author.suggest.request import find_columns, make_request, require_other_files
        from acompass.author.suggest.table import Reading
        from acompass.tables.output import write_policy

        request = make_request(qi, k, sensitive, l, t, hierarchies, max_lost, lines, seconds, keep, style, compare)
        path = None if output is None else os.fspath(output)
        require_other_files(path, self._table, find_columns(request, self.columns))
        reading = Reading(request, *self._reading(missing, dates))
        with self._calling():
            found = suggest_policy(self._source, SearchCall(reading, path, stopped, progress))
        if path is not None:
            write_policy(path, found.text)
        return found

    @validate_arguments
    def pram(
        self,
        column: str,
        keep: str | None = None,
        *,
        matrix: Path | None = None,
        uniform: bool = False,
        round: int | None = None,  # noqa: A002
        missing: MissingArgument | None = None,
        dates: DatesArgument | None = None,
        output: Path | None = None,
    ) -> "Perturbation":
        """Write policy lines that randomize a column: a record keeps its value with probability `keep`."""
        from acompass.author.perturb.pram import make_request, pram_policy
        from acompass.tables.output import require_policy_place, write_policy

        request = make_request(column, keep, matrix, uniform, round)
        path = None if output is None else os.fspath(output)
        if path is not None:
            require_policy_place(path, self._table, () if request.matrix is None else (request.matrix,))
        with self._calling():
            policy = pram_policy(self._source, request, self._reading_options(missing, dates), path)
        if path is not None:
            write_policy(path, policy.text)
        return policy

    @validate_arguments
    def estimate(
        self,
        policy: PolicyArgument,
        column: str,
        *,
        params: Params | None = None,
        missing: MissingArgument | None = None,
        dates: DatesArgument | None = None,
        paper: bool = False,
    ) -> "Estimate":
        """Estimate a column's distribution before the policy from this table, which the policy released."""
        from acompass.author.perturb.estimate import estimate_column

        parsed = as_policy(policy, paper)
        with self._calling():
            reading = self._reading_options(missing, dates)
            return estimate_column(self._source, parsed, params or {}, column, reading)

    @validate_arguments
    def schema(self, policy: PolicyArgument, *, params: Params | None = None) -> Schema:
        """The table's columns with the types that the policy gives them (D10, types from use)."""
        with self._calling():
            return policy_schema(self._source, self._call(policy, params, None, None, Execution()))

    def checked(self, policy: PolicyArgument, *, params: Params | None = None) -> Program:
        """Check the policy against the table. Raise every error that a run would report before it starts."""
        call = self._call(policy, params, None, None, Execution())
        with self._calling():
            return program_for_table(self._source, call)

    def occurs(self, column: str, texts: Sequence[str]) -> bool:
        """Whether any of the texts occurs in a column; True if the table is empty."""
        listed = ", ".join(map(spell_string, texts))
        result = self.check(f"SOME RESULT : {quoted_name(column)} IN ({listed});", missing="drop")
        return result.ok or not result.records_in

    def column_facts(self) -> "tuple[ColumnFacts, ...]":
        """Describe each column, without values that only a few records have."""
        from acompass.measure.overview import column_facts

        with self._calling():
            return column_facts(self._duckdb_table("facts about columns"), self._options.dates)

    def sample(self, records: int, seed: str) -> "Session":
        """Open a session on a random sample of the table, which closes with this one. Their calls take turns."""
        from acompass.engines.duckdb.table import SampledTable

        whole = self.records()
        with self._calling():
            source = SampledTable(self._duckdb_table("a sample"), records, seed)
        stack = ExitStack()
        stack.callback(source.drop)
        info = SampleInfo(min(records, whole), whole, seed)
        sampled = Session(self._table, self._options, source, stack, self._calls, info)
        self._samples.add(sampled)
        return sampled

    def _reading_options(self, missing: MissingArgument | None, dates: DatesArgument | None) -> ReadingOptions:
        by_missing, by_dates = self._reading(missing, dates)
        names = self.columns
        return ReadingOptions(missing_options(by_missing, names), date_formats(by_dates, names))

    def _require_files(self, pages: Pages, policy: Policy | None, tables: Sequence[Any], output: Any = None) -> None:
        if pages != (None, None):
            from acompass.report.page.output import require_files

            require_files(*pages, tables, output, policy)

    def _report_call(
        self,
        pages: Pages,
        command: Literal["check", "run"],
        call: Call,
        result: Result,
        after: Any = None,
    ) -> None:
        if pages == (None, None):
            return
        with self._calling():
            schema = policy_schema(self._source, call)
        self._report(
            pages,
            command,
            self._source.about,
            before=self._table,
            after=after,
            policy=call.policy,
            params=call.params,
            dates=call.dates,
            schema=schema,
            result=result,
        )

    def _report(self, pages: Pages, command: "Command", about: About, **content: Any) -> None:
        if pages == (None, None):
            return
        from acompass.report.page.content import ReportRequest
        from acompass.report.page.output import write_reports

        content |= {"engine": about.version, "has_tables": about.has_tables, "options": self._options}
        with self._calling():
            write_reports(*pages, ReportRequest(command, **content))


def _is_canonical(order: str | None) -> bool:
    if order not in (None, "canonical"):
        help_ = "omit it, or use `canonical`"
        raise CallError([Diagnostic("AC406", f"unknown order `{order}`", help=help_)])
    return order == "canonical"
