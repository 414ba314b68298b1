"""Keep a table open for many calls, so that it is read only once."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, Unpack

from acompass.arguments import validate_arguments
from acompass.base_session import BaseSession, Calls, SampleInfo
from acompass.dataclasses import replace
from acompass.engines.errors import require_numpy
from acompass.engines.protocol import About, Destination, Execution, key_source, trace_source
from acompass.engines.reading import date_formats, missing_options
from acompass.engines.registry import connect
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program.constants import ParamValue
from acompass.language.program.program import Program
from acompass.language.program.types import Schema
from acompass.language.text.tokens import quoted_name, spell_string
from acompass.options import (
    CheckOptions,
    ClassSize,
    ColumnArgument,
    EstimateOptions,
    ExplainOptions,
    KeepProbability,
    MeasureOptions,
    Opening,
    PlanOptions,
    PolicyArgument,
    PramOptions,
    QuasiIdentifiers,
    Reading,
    RuleCheckOptions,
    RunOptions,
    SensitiveColumns,
    SuggestOptions,
    TableArgument,
    WeightColumn,
)
from acompass.policy import Policy, TableRoles, as_policy, table_roles
from acompass.result import Plan, Result
from acompass.run import (
    Call,
    check_policy,
    plan_policy,
    policy_schema,
    preview_policy,
    program_for_table,
    run_policy,
    table_doubts,
)
from acompass.tables.formats import Options, ReadingOptions
from acompass.tables.output import parquet_files, require_no_policy_file, require_no_secret

if TYPE_CHECKING:
    from acompass.author.answers import Estimate, Perturbation, RuleCheck, Suggestion
    from acompass.author.rules.library import Rule
    from acompass.author.rules.matching import Matching
    from acompass.explain.answer import Explanation, Pair
    from acompass.measure.answer import ColumnEffect, ColumnFacts, Measures
    from acompass.measure.records import Texts
    from acompass.plan.run.doubts import Doubt
    from acompass.report.page.content import Command

Path: TypeAlias = str | os.PathLike[str]


@validate_arguments
def open(table: TableArgument, **options: Unpack[Opening]) -> "Session":  # noqa: A001
    """Open a table for many calls. Close the session, or use it in a `with` statement.

    >>> with acompass.open([{"Age": 54}, {"Age": 86}]) as session:
    ...     session.check("EACH RESULT : Age <= 80;").ok, session.run("EACH RESULT : Age <= 80 : REJECT;").table
    (False, [{'Age': 54}])
    """
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    reading = Options(**given)
    stack = ExitStack()
    source = stack.enter_context(connect(table, reading).open(table, reading))
    return Session(table, reading, source, stack, Calls())


class Pages(NamedTuple):
    """Where to write a call's report pages; None for a page that was not requested."""

    report: Path | None
    internal: Path | None


class Session(BaseSession):
    """An open table. Each method is described with the function of the same name in `acompass`.

    Calls from several threads run one after the other. `cancel` makes the running call raise Canceled.
    """

    @validate_arguments
    def check(self, policy: PolicyArgument, **options: Unpack[CheckOptions]) -> Result:
        call = self._call(policy, options, Execution(show=options["show"], progress=options["progress"]))
        pages = _pages(options)
        self._require_files(pages, call.policy, [self._table])
        with self._calling():
            result = check_policy(self._source, call)
        self._report_call(pages, "check", call, result)
        return result

    def check_rule(self, rule: "Rule", matching: "Matching", options: RuleCheckOptions) -> "RuleCheck":
        """Check the table against a rule whose columns were found in it; the options are complete."""
        from acompass.author.rules.checking import check_rule, clauses_policy, person_of, roles_to_measure

        pages, declared, clauses = _pages(options), self._roles(options), clauses_policy(rule)
        self._require_files(pages, clauses, [self._table])
        execution = Execution(show=options["show"], progress=options["progress"])
        roles = TableRoles(person=person_of(rule, matching, declared))
        with self._calling():
            found = check_rule(
                self._source,
                rule,
                matching,
                options["params"],
                lambda policy: Call(policy, {}, *self._reading(options), execution, roles),
            )
        missing, na, dates = self._reading(options)
        self._report(
            pages,
            "check",
            self._source.about,
            before=self._table,
            policy=clauses,
            params={each.name: each.value for each in rule.parameters} | dict(options["params"] or {}),
            na=na,
            dates=dates,
            missing=missing,
            names=self.columns,
            table_roles=declared,
            roles=roles_to_measure(rule, matching, declared),
            rule=found,
        )
        return found

    @validate_arguments
    def run(self, policy: PolicyArgument, **options: Unpack[RunOptions]) -> Result:
        path, partition, force = _path(options["output"]), options["partition"], options["force"]
        destination = Destination(
            path,
            _is_canonical(options["order"]),
            force,
            options["replace"],
            tuple(partition or ()),
            options["escape_formulas"],
        )
        call = self._run_call(policy, options)
        pages = _pages(options)
        self._require_files(pages, call.policy, [self._table], path)
        require_no_secret((path, *pages), (options["key_file"], options["seed_file"]))
        if path is not None:
            require_no_policy_file(path, call.policy)
        with self._calling():
            result = run_policy(self._source, call, destination)
        written = parquet_files(path) if path is not None and partition else path
        left = result.table if path is None else written if result.ok or force else None
        self._report_call(pages, "run", call, result, left)
        return result

    @validate_arguments
    def plan(self, policy: PolicyArgument, **options: Unpack[PlanOptions]) -> Plan:
        call = self._run_call(policy, options)
        with self._calling():
            return plan_policy(self._source, call)

    @validate_arguments
    def preview(self, policy: PolicyArgument, **options: Unpack[PlanOptions]) -> Result:
        """Return what `run` would report, without the table."""
        call = self._run_call(policy, options)
        with self._calling():
            return preview_policy(self._source, call)

    @validate_arguments
    def explain(self, policy: PolicyArgument, **options: Unpack[ExplainOptions]) -> "Explanation":
        from acompass.explain.lives import choose_records, explain_records

        choice = choose_records(options["record"], options["where"], options["limit"])
        source = trace_source(options["seed"], options["trace"], options["seed_file"])
        call = self._call(policy, options, Execution(source, key_source(options["key"], options["key_file"])))
        with self._calling():
            return explain_records(self._source, call, choice, knows_trace=source.is_given)

    @validate_arguments
    def measure(
        self,
        qi: QuasiIdentifiers = None,
        sensitive: SensitiveColumns = None,
        weight: WeightColumn = None,
        **options: Unpack[MeasureOptions],
    ) -> "Measures":
        from acompass.measure.answer import THRESHOLDS
        from acompass.measure.loss import PolicyLevels
        from acompass.measure.measurement import measure_table, require_record_risks, table_to_measure
        from acompass.measure.roles import assign_roles, measure_notes, record_risks_note, without_dropped

        parsed = None if options["policy"] is None else as_policy(options["policy"], options["paper"])
        against, others = options["against"], [options["against"], options["population"]]
        pages = _pages(options)
        self._require_files(pages, parsed, [self._table, *others])
        record_risks = _path(options["records"])
        if record_risks is not None:
            require_record_risks(record_risks, [self._table, *others], parsed, pages)
        tree = None if parsed is None else parsed.tree
        declared = self._roles(options)
        roles = assign_roles(tree, qi, sensitive, weight, options["sampling_weight"], declared)
        if tree is not None:
            roles = without_dropped(roles, tree, self.columns)
        with self._calling():
            measures = measure_table(
                self._source,
                roles,
                self._options,
                against=against,
                population=options["population"],
                below=options["below"] or THRESHOLDS,
                hierarchies=options["hierarchies"],
                marked=declared,
                levels=PolicyLevels(tree),
                record_risks=record_risks,
            )
        measures = replace(measures, notes=(*measures.notes, *measure_notes(declared, measures, tree, self.columns)))
        before, after = (self._table, None) if against is None else (against, self._table)
        about = table_to_measure(self._source, others).about
        self._report(
            pages,
            "measure",
            about,
            before=before,
            after=after,
            policy=parsed,
            na=self._options.na,
            dates=self._options.dates,
            names=self.columns,
            table_roles=declared,
            roles=roles,
            measured=measures,
        )
        if record_risks is not None:
            measures = replace(measures, notes=(*measures.notes, record_risks_note(record_risks)))
        return measures

    @validate_arguments
    def suggest(self, qi: QuasiIdentifiers, k: ClassSize, **options: Unpack[SuggestOptions]) -> "Suggestion":
        require_numpy()
        from acompass.author.suggest.flow import Search, SearchCall
        from acompass.author.suggest.request import find_columns, make_request, require_other_files
        from acompass.author.suggest.table import Reading
        from acompass.roles import locate_roles
        from acompass.tables.output import write_policy

        declared = self._roles(options)
        if options["sensitive"] is None:
            options["sensitive"] = declared.sensitive
        located = locate_roles(declared, self.columns)
        identifiers = located.texts(located.columns("identifiers"))
        request = make_request(qi or declared.quasi_identifiers, k, options, declared)
        path = _path(options["output"])
        require_other_files(path, self._table, find_columns(request, self.columns))
        reading = Reading(request, *self._reading(options), declared)
        with self._calling():
            watching = options["stopped"], options["progress"], options["found"]
            call = SearchCall(reading, path, tuple(identifiers), *watching)
            found = Search(self._source, call).suggest()
        if path is not None:
            write_policy(path, found.text)
        return found

    @validate_arguments
    def pram(
        self, column: ColumnArgument, keep: KeepProbability = None, **options: Unpack[PramOptions]
    ) -> "Perturbation":
        from acompass.author.perturb.pram import make_request, pram_policy
        from acompass.tables.output import require_policy_place, write_policy

        request = make_request(column, keep, options["matrix"], options["uniform"], options["round"])
        path = _path(options["output"])
        if path is not None:
            require_policy_place(path, self._table, () if request.matrix is None else (request.matrix,))
        with self._calling():
            policy = pram_policy(self._source, request, self._reading_options(options), path)
        if path is not None:
            write_policy(path, policy.text)
        return policy

    @validate_arguments
    def estimate(
        self, policy: PolicyArgument, column: ColumnArgument, **options: Unpack[EstimateOptions]
    ) -> "Estimate":
        from acompass.author.perturb.estimate import estimate_column

        parsed = as_policy(policy, options["paper"])
        with self._calling():
            reading = self._reading_options(options)
            return estimate_column(self._source, parsed, options["params"] or {}, column, reading)

    @validate_arguments
    def schema(self, policy: PolicyArgument, **options: Unpack[EstimateOptions]) -> Schema:
        """The table's columns with the types that the policy gives them (D10, types from use)."""
        with self._calling():
            return policy_schema(self._source, self._call(policy, options, Execution()))

    @validate_arguments
    def checked(self, policy: PolicyArgument, **options: Unpack[EstimateOptions]) -> Program:
        """Check the policy against the table. Raise every error that a run would report before it starts."""
        with self._calling():
            return program_for_table(self._source, self._call(policy, options, Execution()))

    @validate_arguments
    def doubts(self, policy: PolicyArgument, **options: Unpack[EstimateOptions]) -> "tuple[Doubt, ...]":
        """What the table says against the requirements, about persons and spellings (D35, D38)."""
        call = replace(self._call(policy, options, Execution()), roles=table_roles(self._table))
        with self._calling():
            return table_doubts(self._source, call)

    def occurs(self, column: str, texts: Sequence[str]) -> bool:
        """Whether any of the texts occurs in a column; True if the table is empty."""
        listed = ", ".join(map(spell_string, texts))
        result = self.check(f"SOME RESULT : {quoted_name(column)} IN ({listed});", missing="drop")
        return result.ok or not result.records_in

    def column_facts(self) -> "tuple[ColumnFacts, ...]":
        """Describe each column, without values that only a few records have."""
        from acompass.measure.overview import column_facts

        with self._calling():
            return column_facts(self._duckdb_table("facts about columns"), self._options)

    def column_texts(self, column: str) -> "Texts":
        """The number of records with each text of a column."""
        from acompass.measure.measurement import column_texts

        with self._calling():
            return column_texts(self._source, column, self._options)

    @validate_arguments
    def column_effects(self, policy: PolicyArgument, **options: Unpack[PlanOptions]) -> "tuple[ColumnEffect, ...]":
        """Describe what `run` would do to each column."""
        from acompass.measure.overview import column_effects

        call = self._run_call(policy, options)
        with self._calling():
            return column_effects(self._duckdb_table("the effect on each column"), call)

    def pairs(
        self, policy: Policy, first: int, count: int, params: Mapping[str, ParamValue], seed: str, key: bytes | str
    ) -> "tuple[Pair, ...]":
        """Return some records, counted from 0, as they are and as `run` would release them."""
        from acompass.explain.lives import pair_records

        execution = Execution(trace_source(seed, None, None), key_source(key, None))
        call = Call(policy, params, self._options.missing, self._options.na, self._options.dates, execution)
        with self._calling():
            return pair_records(self._source, call, first, count)

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

    def _run_call(self, policy: PolicyArgument, options: PlanOptions | RunOptions) -> Call:
        source = trace_source(options["seed"], options["trace"], options["seed_file"])
        key = key_source(options["key"], options["key_file"])
        execution = Execution(source, key, _is_canonical(options["order"]), progress=options["progress"])
        return self._call(policy, options, execution)

    def _reading_options(self, options: Reading) -> ReadingOptions:
        by_missing, na, by_dates = self._reading(options)
        names = self.columns
        return ReadingOptions(missing_options(by_missing, names), date_formats(by_dates, names), tuple(na))

    def _require_files(self, pages: Pages, policy: Policy | None, tables: Sequence[Any], output: Any = None) -> None:
        if pages != (None, None):
            from acompass.report.page.output import require_files

            require_files(*pages, tables, output, policy)

    def _report_call(
        self, pages: Pages, command: Literal["check", "run"], call: Call, result: Result, after: Any = None
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
            na=call.na,
            dates=call.dates,
            missing=call.missing,
            names=self.columns,
            table_roles=call.roles,
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


def _pages(options: CheckOptions | RuleCheckOptions | RunOptions | MeasureOptions) -> Pages:
    return Pages(options["report"], options["report_internal"])


def _path(output: Path | None) -> str | None:
    return None if output is None else os.fspath(output)


def _is_canonical(order: str | None) -> bool:
    if order not in (None, "canonical"):
        help_ = "omit it, or use `canonical`"
        raise CallError([Diagnostic("AC406", f"unknown order `{order}`", help=help_)])
    return order == "canonical"
