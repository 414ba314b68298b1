"""Generate the files of a dbt project from a policy and the types of its columns.

Not every assertion can be tested on a relation; the coverage says which can, and why the others cannot. The source is
tested like `check`: every assertion on the input table (D22, check and run). The released model is the table after the
policy, whose types are known before it runs."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from acompass.author.answers import DbtFiles
from acompass.author.dbt.project import Folders, apply, changes_in, project_folders
from acompass.author.dbt.relations import (
    Mark,
    Variable,
    mark_variables,
    parse_relation,
    policy_name,
    released_relation,
    settable_variables,
)
from acompass.author.dbt.templates import (
    CommonParts,
    Embedded,
    assertion_text,
    columns_text,
    model_text,
    names_by_line,
    properties_text,
)
from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program.constants import ParamValue
from acompass.language.program.effects import columns_aggregated, columns_read, comparisons, is_always, process_of
from acompass.language.program.effects import record_comparisons as compared_in_records
from acompass.language.program.program import Aggregate, Assertion, Process, Program, Requirement
from acompass.language.program.types import TEXT, Column, Kind, Schema, Type, decimal
from acompass.language.program.uses import ColumnUse, Use, uses
from acompass.language.text.tree import Function
from acompass.language.text.walk import hierarchy_files
from acompass.plan.lowering.dialect import Dialect
from acompass.plan.run.statements import DIALECTS, AssertedRequirement, FailingRows, failing_rows, unreadable_values
from acompass.policy import Policy
from acompass.prove.search.column_types import ColumnTypes, column_types
from acompass.result import Note
from acompass.run import checked_program

#: the only adapter whose Python models are tested
_RUNS_PYTHON = "duckdb"

_LABELS = "no test: the column has labels of a later GENERALIZE, and the line compares numbers"
#: decimal places of a number of unknown scale
_SCALE = 9
_EXACT = (Kind.INTEGER, Kind.DECIMAL)


@dataclass(frozen=True, slots=True)
class Request:
    policy: Policy
    model: str
    released: str | None = None
    source: bool = False
    python_model: bool = True
    dialect: str = "duckdb"
    params: Mapping[str, ParamValue] = field(default_factory=dict)
    schema: Mapping[str, str | Type] | None = None
    types: Mapping[str, str | Type] | None = None
    shows_records: bool = False
    reading: Mapping[str, Any] = field(default_factory=dict)  # arguments of `acompass.run`


def dbt_files(request: Request, project: str | None = None, *, force: bool = False, dry: bool = False) -> DbtFiles:
    """Generate the files and, unless `dry`, write them to the project, if any."""
    folders = Folders() if project is None else project_folders(project)
    generator = _FileGenerator(request)
    found = generator.files(folders)
    if project is None:
        return found
    changes = changes_in(project, found.files, folders, generator.mark, force=force)
    if not dry:
        apply(project, changes)
    return replace(found, changed=tuple(changes.write), removed=changes.remove, others=changes.others)


@dataclass(frozen=True, slots=True)
class Coverage:
    tests: tuple[AssertedRequirement, ...]
    schema: Schema
    columns: tuple[int, ...]  # positions of the columns that must be complete, with their types in `schema`
    notes: tuple[Note, ...]


class _FileGenerator:
    def __init__(self, request: Request):
        _require_possible(request)
        self._request = request
        self._model = parse_relation(request.model)
        self._released = released_relation(request.released, self._model, is_written=self._writes_model)
        self._tested = self._model if request.source else self._released
        self.mark = Mark(policy_name(request.policy.name), self._tested.name)

    def files(self, folders: Folders) -> DbtFiles:
        tests, variables = self._tests()
        files = {f"{folders.tests}/{self.mark.tested}/{name}.sql": text for name, text in tests.items()}
        if self._writes_model:
            path = f"{folders.models}/{self._released.name}"
            files |= {f"{path}.py": self._model_text(variables)}
            files |= {f"{path}.yml": properties_text(self.mark, self._released.name, variables)}
        settable = {each.name: each.value for each in variables}
        notes = self._coverage(self._request.params).notes
        return DbtFiles(files, self._tested.name, tuple(tests), settable, notes)

    @property
    def _writes_model(self) -> bool:
        return self._request.python_model and not self._request.source

    def _tests(self) -> tuple[dict[str, str], tuple[Variable, ...]]:
        """The text of each test by name, and the variables."""
        request = self._request
        prefix = f"{self.mark.policy}_{self.mark.tested}"
        variables = settable_variables(request.params, self.mark.policy, self._lower)
        params = mark_variables(request.params, variables)
        coverage = self._coverage(params)
        common = CommonParts(request.policy.text, self.mark, self._tested, variables, request.shows_records)
        names = names_by_line(prefix, coverage.tests)
        pairs = zip(coverage.tests, self._lower(params), strict=True)
        tests = {name: assertion_text(common, *pair) for name, pair in zip(names, pairs, strict=True)}
        if coverage.columns:
            rows = unreadable_values(coverage.schema, coverage.columns, self._dialect)
            tests[f"{prefix}_columns"] = columns_text(common, rows)
        return tests, variables

    def _lower(self, params: Mapping[str, ParamValue]) -> Sequence[FailingRows]:
        shows = self._request.shows_records
        return [failing_rows(each, self._dialect, shows_records=shows) for each in self._coverage(params).tests]

    @property
    def _dialect(self) -> Dialect:
        return DIALECTS[self._request.dialect]

    def _coverage(self, params: Mapping[str, ParamValue]) -> Coverage:
        request, policy = self._request, self._request.policy
        types = column_types(policy.tree, dict(params), request.schema, request.types)
        used = uses(policy.tree, [column.name for column in types.schema], params)
        schema = _stored_types(types, used)
        if not request.source:
            return released_coverage(checked_program(policy, schema, params), types.any_scale)
        overwritten = frozenset(position for position, use in used.items() if use.overwritten)
        return source_coverage(
            checked_program(policy, schema, params, may_be_released=True), types.any_scale, overwritten
        )

    def _model_text(self, variables: Sequence[Variable]) -> str:
        policy = self._request.policy
        embedded = Embedded(
            name=Path(policy.name).name,
            text=policy.text,
            hierarchies=_hierarchies(policy),
            params=self._request.params,
            reading=self._request.reading,
        )
        return model_text(self.mark, self._model, embedded, variables)


def _stored_types(types: ColumnTypes, used: Mapping[int, ColumnUse]) -> Schema:
    """The types of the columns in a warehouse: numbers have no spelling there, and a column that only RANDOM writes
    may have any type, so it is compared as text."""
    return tuple(
        Column(column.name, TEXT)
        if at in types.inferred and used[at].use is Use.ANY
        else Column(column.name, replace(column.type, spelled=False))
        for at, column in enumerate(types.schema)
    )


def _hierarchies(policy: Policy) -> dict[str, str]:
    """The content of each hierarchy file, which checking the policy has read before."""
    files = {name: Path(policy.tree.folder, name) for name in hierarchy_files(policy.tree)}
    return {name: path.read_bytes().decode("utf-8-sig") for name, path in files.items()}


def _require_possible(request: Request) -> None:
    if request.dialect not in DIALECTS:
        known = ", ".join(f"`{name}`" for name in DIALECTS)
        message = f"unknown dialect `{request.dialect}`"
        raise CallError([Diagnostic("AC705", message, help=f"use one of {known}")])
    if request.dialect != _RUNS_PYTHON and request.python_model and not request.source:
        message = f"no Python model is written for `{request.dialect}`: dbt runs one only on DuckDB"
        help_ = "`--no-model` writes only the tests of the released model, `--source` those of the source"
        raise CallError([Diagnostic("AC644", message, help=help_)])
    if request.source and request.reading:
        message = "tests of the source read the table as it is stored: `missing` and `dates` do not apply"
        raise CallError([Diagnostic("AC644", message, help="omit `--missing` and `--dates`")])


def source_coverage(program: Program, any_scale: frozenset[int], overwritten: frozenset[int]) -> Coverage:
    """`any_scale` has the numbers of unknown scale, `overwritten` the columns that need not be complete (D27)."""
    tests, notes = [], []
    for requirement in _asserting_requirements(program):
        if not requirement.judged:
            notes.append(Note(requirement.line, _LABELS))
            continue
        seen = _with_room(requirement.before, any_scale)
        stored = _stored_schema(program.schema, seen, any_scale)
        earlier = program.requirements[: requirement.index - 1]
        tests.append(AssertedRequirement(_retype(requirement, seen), stored, earlier))
    columns = tuple(sorted(program.named - overwritten))
    return Coverage(tuple(tests), _with_room(program.schema, any_scale), columns, tuple(notes))


def _stored_schema(schema: Schema, seen: Schema, any_scale: frozenset[int]) -> Schema:
    """The schema as stored, where a number of unknown scale that became text has its stored text."""
    return tuple(seen[i] if i in any_scale else column for i, column in enumerate(schema))


def released_coverage(program: Program, any_scale: frozenset[int]) -> Coverage:
    """A line has no test if it compares values of a column that the released table no longer has."""
    final = _with_room(program.final_schema, any_scale)
    tests, notes = [], []
    for requirement in _asserting_requirements(program):
        changed = _changed_columns(requirement, final)
        if changed:
            names = ", ".join(f"`{final[i].name}`" for i in changed)
            notes.append(Note(requirement.line, f"no test: later lines drop {names} or turn it into text"))
            continue
        tests.append(AssertedRequirement(_retype(requirement, final), final))
    columns = tuple(i for i in sorted(program.named) if final[i].type.kind is not Kind.DROPPED)
    return Coverage(tuple(tests), final, columns, tuple(notes))


def _with_room(schema: Schema, any_scale: frozenset[int]) -> Schema:
    """Allow more decimal places: the policy is checked with the narrowest types that fit its labels and constants,
    and tables may have longer numbers."""
    return tuple(
        replace(column, type=decimal(max(_SCALE, column.type.scale)))
        if i in any_scale and column.type.kind in _EXACT
        else column
        for i, column in enumerate(schema)
    )


def _asserting_requirements(program: Program) -> Iterator[Requirement]:
    """The requirements that assert something, with the assertion of a THEN only once (X10)."""
    seen: set[tuple[object, ...]] = set()
    for requirement in program.requirements:
        assertion = requirement.assertion
        key = (assertion, assertion.span)
        if (requirement.judged and is_always(requirement)) or key in seen:
            continue
        seen.add(key)
        yield requirement


def _changed_columns(requirement: Requirement, final: Schema) -> list[int]:
    """The columns that the requirement needs and the released table lacks, or has with a type that cannot be
    compared. Classes and distinct values can have any type."""
    needed = _valued_columns(requirement)
    return [
        i
        for i in sorted(columns_read(requirement))
        if final[i].type.kind is Kind.DROPPED or (i in needed and not _alike(requirement.before[i].type, final[i].type))
    ]


def _valued_columns(requirement: Requirement) -> set[int]:
    """The columns whose values are compared or summed."""
    columns = {comparison.column for comparison in compared_in_records(requirement)}
    process = process_of(requirement)
    if process is not None:
        compared = {comparison.column for comparison in comparisons(requirement.assertion.condition)}
        columns |= {group for at, group in enumerate(process.group_by) if at in compared}
        summed = tuple(each for each in process.aggregates if each.function is not Function.COUNT_DISTINCT)
        columns |= columns_aggregated(replace(process, aggregates=summed))
    return columns


def _alike(before: Type, after: Type) -> bool:
    return before.kind is after.kind or (before.kind in _EXACT and after.kind in _EXACT)


def _retype(requirement: Requirement, final: Schema) -> Requirement:
    """Replace the types of the requirement's columns."""
    assertion, process = requirement.assertion, process_of(requirement)
    typed = replace(assertion, schema=final) if process is None else _retype_assertion(assertion, process, final)
    return replace(requirement, assertion=typed, before=final, after=final)


def _retype_assertion(assertion: Assertion, process: Process, final: Schema) -> Assertion:
    aggregates = tuple(_retype_aggregate(each, final) for each in process.aggregates)
    groups = tuple(final[group] for group in process.group_by)
    schema = (*groups, *(Column(each.name, each.type) for each in aggregates))
    return replace(assertion, result=replace(process, aggregates=aggregates), schema=schema)


def _retype_aggregate(aggregate: Aggregate, final: Schema) -> Aggregate:
    if aggregate.column is None or aggregate.function is Function.COUNT_DISTINCT:
        return aggregate
    return replace(aggregate, type=final[aggregate.column].type)
