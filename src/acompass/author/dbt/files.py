"""Generate the files of a dbt project from a policy and the types of its columns, and write all of them or none.

Not every assertion can be tested on a relation; the coverage says which can, and why the others cannot. The source is
tested like `check`: every assertion on the input table (D22, check and run). The released model is the table after the
policy, whose types are known before it runs."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from acompass.author.answers import DbtFiles
from acompass.author.dbt import templates
from acompass.author.dbt.templates import Mark, Variable
from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.errors.display import list_names, reason_of
from acompass.language.program.aggregates import facts_about
from acompass.language.program.constants import ParamValue
from acompass.language.program.effects import (
    aggregates_of,
    columns_aggregated,
    columns_compared,
    columns_read,
    columns_with_pseudonyms,
    comparisons,
    is_always,
    process_of,
)
from acompass.language.program.effects import record_comparisons as compared_in_records
from acompass.language.program.program import Aggregate, Assertion, Process, Program, Requirement
from acompass.language.program.types import TEXT, Column, Kind, Schema, Type, decimal
from acompass.language.program.uses import ColumnUse, Use, uses
from acompass.language.text.walk import hierarchy_files, reference_files
from acompass.plan.lowering.dialect import Dialect
from acompass.plan.run.statements import DIALECTS, AssertedRequirement, FailingRows, failing_rows, unreadable_values
from acompass.policy import Policy
from acompass.prove.search.column_types import ColumnTypes, column_types
from acompass.result import Note
from acompass.run import checked_program
from acompass.tables.output import replace_file, report_write_errors

#: the only adapter whose Python models are tested
_RUNS_PYTHON = "duckdb"

_LABELS = "no test: the column has labels of a later GENERALIZE, and the line compares numbers"
#: the most classes of a reference table that a test contains
_MOST_CLASSES = 10_000
#: decimal places of a number of unknown scale
_SCALE = 9
_EXACT = (Kind.INTEGER, Kind.DECIMAL)
FILE = "dbt_project.yml"
#: subfolder of the project's tests, with a folder for each model, so that the project can configure tests of the
#: source and of the released model separately
TESTS = "acompass"


@dataclass(frozen=True, slots=True)
class Folders:
    """Paths relative to the project."""

    models: str = "models"
    tests: str = f"tests/{TESTS}"


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
    changed = tuple(changes.write)
    return replace(found, changed=changed, removed=changes.remove, others=changes.others, is_written=not dry)


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
        self._model = templates.parse_relation(request.model)
        self._released = templates.released_relation(request.released, self._model, is_written=self._writes_model)
        self._tested = self._model if request.source else self._released
        self.mark = Mark(templates.policy_name(request.policy.name), self._tested.name)

    def files(self, folders: Folders) -> DbtFiles:
        tests, variables = self._tests()
        files = {f"{folders.tests}/{self.mark.tested}/{name}.sql": text for name, text in tests.items()}
        if self._writes_model:
            path = f"{folders.models}/{self._released.name}"
            files |= {f"{path}.py": self._model_text(variables)}
            files |= {f"{path}.yml": templates.properties_text(self.mark, self._released.name, variables)}
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
        variables = templates.settable_variables(request.params, self.mark.policy, self._lower)
        params = templates.mark_variables(request.params, variables)
        coverage = self._coverage(params)
        common = templates.CommonParts(request.policy.text, self.mark, self._tested, variables, request.shows_records)
        names = templates.names_by_line(prefix, coverage.tests)
        pairs = zip(coverage.tests, self._lower(params), strict=True)
        tests = {name: templates.assertion_text(common, *pair) for name, pair in zip(names, pairs, strict=True)}
        if coverage.columns:
            rows = unreadable_values(coverage.schema, coverage.columns, self._dialect)
            tests[f"{prefix}_columns"] = templates.columns_text(common, rows)
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
        files = {name: Path(policy.tree.folder, name) for name in hierarchy_files(policy.tree)}
        # checking the policy has read these files before
        hierarchies = {name: path.read_bytes().decode("utf-8-sig") for name, path in files.items()}
        hierarchies |= {name: _reference_text(policy, name) for name in reference_files(policy.tree)}
        settings = (hierarchies, self._request.params, self._request.reading)
        return templates.model_text(self.mark, self._model, variables, policy, *settings)


def _reference_text(policy: Policy, name: str) -> str:
    """The text of a reference table, which a model contains."""
    if not name.lower().endswith((".csv", ".tsv")):
        message = f"a Python model cannot contain reference table `{name}`: it is not plain text"
        help_ = f"convert it to CSV, or write only the tests: `{option_text('python_model', False)}`"
        raise CallError([Diagnostic("AC644", message, help=help_)])
    return Path(policy.tree.folder, name).read_bytes().decode("utf-8-sig")


def _stored_types(types: ColumnTypes, used: Mapping[int, ColumnUse]) -> Schema:
    """The types of the columns in a warehouse: numbers have no spelling there, and a column that only RANDOM writes
    may have any type, so it is compared as text."""
    return tuple(
        Column(column.name, TEXT)
        if at in types.inferred and used[at].use is Use.ANY
        else Column(column.name, replace(column.type, spelled=False))
        for at, column in enumerate(types.schema)
    )


def _require_possible(request: Request) -> None:
    if request.dialect not in DIALECTS:
        known = list_names(DIALECTS)
        message = f"unknown dialect `{request.dialect}`"
        raise CallError([Diagnostic("AC705", message, help=f"use one of {known}")])
    if request.dialect != _RUNS_PYTHON and request.python_model and not request.source:
        message = f"no Python model is written for `{request.dialect}`: dbt runs one only on DuckDB"
        only_tests, source = option_text("python_model", False), option_text("source", True)
        help_ = f"`{only_tests}` writes only the tests of the released model, `{source}` those of the source"
        raise CallError([Diagnostic("AC644", message, help=help_)])
    if request.source and request.reading:
        message = "tests of the source read the table as it is stored: `missing`, `na` and `dates` do not apply"
        given = " and ".join(f"`{option_text(name)}`" for name in request.reading)
        raise CallError([Diagnostic("AC644", message, help=f"omit {given}")])


def source_coverage(program: Program, any_scale: frozenset[int], overwritten: frozenset[int]) -> Coverage:
    """`any_scale` has the numbers of unknown scale, `overwritten` the columns that need not be complete (D27)."""
    tests, notes = [], []
    for requirement in _asserting_requirements(program):
        why = _large_reference(requirement) if requirement.judged else _LABELS
        if why is not None:
            notes.append(Note(requirement.line, why))
            continue
        seen = _with_room(requirement.before, any_scale)
        # a number of unknown scale that became text has its stored text
        stored = tuple(seen[i] if i in any_scale else column for i, column in enumerate(program.schema))
        earlier = program.requirements[: requirement.index - 1]
        tests.append(AssertedRequirement(_retype(requirement, seen), stored, earlier))
    columns = tuple(sorted(program.named - overwritten))
    return Coverage(tuple(tests), _with_room(program.schema, any_scale), columns, tuple(notes))


def released_coverage(program: Program, any_scale: frozenset[int]) -> Coverage:
    """A line has no test if it compares values of a column that the released table no longer has."""
    final = _with_room(program.final_schema, any_scale)
    tests, notes, pseudonyms = [], [], columns_with_pseudonyms(program.requirements)
    for requirement in _asserting_requirements(program):
        why, changed = _large_reference(requirement), _changed_columns(requirement, final)
        if hidden := sorted(pseudonyms.keys() & columns_compared(requirement.assertion)):
            names = list_names(final[i].name for i in hidden)
            why, changed = f"no test: it compares {names}, which has pseudonyms", []
        if changed:
            names = list_names(final[i].name for i in changed)
            why = f"no test: later lines drop {names} or turn it into text"
        if why is not None:
            notes.append(Note(requirement.line, why))
            continue
        tests.append(AssertedRequirement(_retype(requirement, final), final))
    columns = tuple(i for i in sorted(program.named) if final[i].type.kind is not Kind.DROPPED)
    return Coverage(tuple(tests), final, columns, tuple(notes))


def _large_reference(requirement: Requirement) -> str | None:
    """Why a requirement has no test, if it has a reference table with many classes, which the test would contain."""
    for aggregate in aggregates_of(requirement):
        if aggregate.reference is not None and aggregate.reference.has_more_groups_than(_MOST_CLASSES):
            return f"no test: reference table `{aggregate.reference.file}` has more than {_MOST_CLASSES:,} classes"
    return None


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
    needed, changed = _valued_columns(requirement), []
    for i in sorted(columns_read(requirement)):
        before, after = requirement.before[i].type.kind, final[i].type.kind
        is_alike = before is after or (before in _EXACT and after in _EXACT)
        if after is Kind.DROPPED or (i in needed and not is_alike):
            changed.append(i)
    return changed


def _valued_columns(requirement: Requirement) -> set[int]:
    """The columns whose values are compared or summed."""
    columns = {comparison.column for comparison in compared_in_records(requirement)}
    process = process_of(requirement)
    if process is not None:
        compared = {comparison.column for comparison in comparisons(requirement.assertion.condition)}
        looked_up = any(each.reference is not None for each in process.aggregates)
        columns |= {group for at, group in enumerate(process.group_by) if looked_up or at in compared}
        summed = tuple(each for each in process.aggregates if not each.facts.tells_values_apart)
        columns |= columns_aggregated(replace(process, aggregates=summed))
    return columns


def _retype(requirement: Requirement, final: Schema) -> Requirement:
    """Replace the types of the requirement's columns."""
    assertion, process = requirement.assertion, process_of(requirement)
    typed = replace(assertion, schema=final) if process is None else _retype_assertion(assertion, process, final)
    return replace(requirement, assertion=typed, before=final, after=final)


def _retype_assertion(assertion: Assertion, process: Process, final: Schema) -> Assertion:
    groups = tuple(final[group] for group in process.group_by)
    aggregates = tuple(_retype_aggregate(each, groups, final) for each in process.aggregates)
    schema = (*groups, *(Column(each.name, each.type) for each in aggregates))
    return replace(assertion, result=replace(process, aggregates=aggregates), schema=schema)


def _retype_aggregate(aggregate: Aggregate, groups: Schema, final: Schema) -> Aggregate:
    if aggregate.reference is not None:
        types = tuple(group.type for group in groups)
        return replace(aggregate, reference=replace(aggregate.reference, types=types))
    if aggregate.column is None:
        return aggregate
    return replace(aggregate, type=facts_about(aggregate.function).type_for(final[aggregate.column].type))


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes to the project, by paths in it."""

    write: Mapping[str, str]  # text by path
    remove: tuple[str, ...]
    others: tuple[str, ...]  # Python models of the policy that this call does not write


def project_folders(project: str) -> Folders:
    """The first folders that the project's file names, or dbt's defaults."""
    settings = _settings(project)
    models = _first(settings, ("model-paths", "source-paths"), "models")
    return Folders(models, str(Path(_first(settings, ("test-paths",), "tests"), TESTS)))


def changes_in(project: str, files: Mapping[str, str], folders: Folders, mark: Mark, *, force: bool) -> Changes:
    """Find the necessary changes. A file of another origin is an error unless `force` is True."""
    present = {path: _read_text(Path(project, path)) for path in files}
    marks = {path: templates.parse_mark(text) for path, text in present.items() if text is not None}
    foreign = [path for path, found in marks.items() if found is None or found.policy != mark.policy]
    if foreign and not force:
        message = f"`{foreign[0]}` exists and was not written by `acompass dbt` for this policy"
        help_ = f"move it, name another model, or replace it with `{option_text('force', True)}`"
        raise CallError([Diagnostic("AC643", message, help=help_)])
    write = {path: text for path, text in files.items() if present[path] != text}
    tests, models = (
        _marked_files(project, folder, suffix, files)
        for folder, suffix in ((f"{folders.tests}/{mark.tested}", "sql"), (folders.models, "py"))
    )
    stale = [path for path, found in tests.items() if found == mark]
    others = [path for path, found in models.items() if found.policy == mark.policy]
    return Changes(write, tuple(stale), tuple(others))


def apply(project: str, changes: Changes) -> None:
    """Write all files under temporary names before renaming the first."""
    for path in changes.write:
        with report_write_errors(path):
            Path(project, path).parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        for path, text in changes.write.items():
            part = stack.enter_context(replace_file(str(Path(project, path))))
            Path(part).write_text(text, encoding="utf-8", newline="")
    for path in changes.remove:
        with report_write_errors(path):
            os.unlink(Path(project, path))


def _marked_files(project: str, folder: str, suffix: str, files: Mapping[str, str]) -> dict[str, Mark]:
    """The marks of files that earlier calls wrote and that are not among `files`."""
    paths = sorted(Path(project, folder).glob(f"*.{suffix}"))
    named = {path.relative_to(project).as_posix(): path for path in paths}
    marks = {name: templates.parse_mark(_read_text(path) or "") for name, path in named.items() if name not in files}
    return {name: mark for name, mark in marks.items() if mark is not None}


def _settings(project: str) -> Mapping[str, Any]:
    try:
        import yaml
    except ImportError:
        help_ = "pip install 'acompass[dbt]'"
        raise CallError([Diagnostic("AC640", "`dbt` needs PyYAML", help=help_)]) from None
    path = Path(project, FILE)
    try:
        found = yaml.safe_load(path.read_bytes())
    except OSError:
        help_ = "run the command in the folder with that file, or name the folder: `-o path/to/project`"
        raise CallError([Diagnostic("AC641", f"`{project}` has no `{FILE}`", help=help_)]) from None
    except (yaml.YAMLError, UnicodeDecodeError):
        found = None
    if not isinstance(found, dict):
        raise CallError([Diagnostic("AC641", f"`{path}` is not a dbt project file", help="`dbt parse`")])
    return found


def _first(settings: Mapping[str, Any], keys: tuple[str, ...], otherwise: str) -> str:
    for key in keys:
        match settings.get(key):
            case [str() as folder, *_]:
                return folder
    return otherwise


def _read_text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        help_ = "move it, or name another model"
        raise CallError([Diagnostic("AC643", f"cannot read `{path}`: {reason_of(error)}", help=help_)]) from None
