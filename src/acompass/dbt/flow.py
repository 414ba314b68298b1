"""From a policy and the types of its columns to the files of a dbt project."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from acompass.checked.parameters import ParamValue
from acompass.checked.types import TEXT, Column, Schema, Type
from acompass.checked.uses import ColumnUse, Use, uses
from acompass.dbt.coverage import Coverage, in_released, in_source
from acompass.dbt.marks import Mark
from acompass.dbt.project import Folders, apply, changes_in, folders_of
from acompass.dbt.python_model import Embedded, model_text, properties_text
from acompass.dbt.relations import policy_name, relation_of, released_relation
from acompass.dbt.singular_tests import Written, assertion_text, columns_text, names_by_line
from acompass.dbt.variables import Variable, marked, variables_of
from acompass.dbt_files import DbtFiles
from acompass.diagnostics import CallError, Diagnostic
from acompass.pipeline import checked
from acompass.plan.lowering.dialects.dialect import Dialect
from acompass.plan.running.dry_run import DIALECTS
from acompass.plan.running.failing_rows import FailingRows, failing_rows, unreadable_values
from acompass.policy import Policy
from acompass.prove.column_types import ColumnTypes, column_types
from acompass.syntax.walk import hierarchy_files

#: the only adapter whose Python models are tried
_RUNS_PYTHON = "duckdb"


@dataclass(frozen=True, slots=True)
class Request:
    """`schema` and `types` as `prove` takes them. `reading` are arguments of `acompass.run`."""

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
    reading: Mapping[str, Any] = field(default_factory=dict)


def dbt_files(
    request: Request, project: str | None = None, *, force: bool = False, dry: bool = False
) -> DbtFiles:
    """The files, written into a project if one is given, unless `dry`."""
    folders = Folders() if project is None else folders_of(project)
    writing = _Writing(request)
    found = writing.files(folders)
    if project is None:
        return found
    changes = changes_in(project, found.files, folders, writing.mark, force=force)
    if not dry:
        apply(project, changes)
    return replace(found, changed=tuple(changes.write), removed=changes.remove, others=changes.others)


class _Writing:
    def __init__(self, request: Request):
        _require_possible(request)
        self._request = request
        self._model = relation_of(request.model)
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
        """The text of each test by its name."""
        request = self._request
        prefix = f"{self.mark.policy}_{self.mark.tested}"
        variables = variables_of(request.params, self.mark.policy, self._lowered)
        params = marked(request.params, variables)
        coverage = self._coverage(params)
        written = Written(request.policy.text, self.mark, self._tested, variables, request.shows_records)
        names = names_by_line(prefix, coverage.tests)
        pairs = zip(coverage.tests, self._lowered(params), strict=True)
        tests = {name: assertion_text(written, *pair) for name, pair in zip(names, pairs, strict=True)}
        if coverage.columns:
            rows = unreadable_values(coverage.schema, coverage.columns, self._dialect)
            tests[f"{prefix}_columns"] = columns_text(written, rows)
        return tests, variables

    def _lowered(self, params: Mapping[str, ParamValue]) -> Sequence[FailingRows]:
        shows = self._request.shows_records
        return [
            failing_rows(each, self._dialect, shows_records=shows) for each in self._coverage(params).tests
        ]

    @property
    def _dialect(self) -> Dialect:
        return DIALECTS[self._request.dialect]

    def _coverage(self, params: Mapping[str, ParamValue]) -> Coverage:
        request, policy = self._request, self._request.policy
        types = column_types(policy.tree, dict(params), request.schema, request.types)
        used = uses(policy.tree, [column.name for column in types.schema], params)
        schema = _stored_types(types, used)
        if not request.source:
            return in_released(checked(policy, schema, params), types.any_scale)
        overwritten = frozenset(position for position, use in used.items() if use.overwritten)
        return in_source(checked(policy, schema, params, may_be_released=True), types.any_scale, overwritten)

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
    """A number of a CSV file has no spelling in a warehouse. A column that RANDOM alone writes may have
    values of any type, of which text is always true."""
    return tuple(
        Column(column.name, TEXT)
        if at in types.inferred and used[at].use is Use.ANY
        else Column(column.name, replace(column.type, spelled=False))
        for at, column in enumerate(types.schema)
    )


def _hierarchies(policy: Policy) -> dict[str, str]:
    """The policy was checked before, so the files can be read."""
    files = {name: Path(policy.tree.folder, name) for name in hierarchy_files(policy.tree)}
    return {name: path.read_bytes().decode("utf-8-sig") for name, path in files.items()}


def _require_possible(request: Request) -> None:
    if request.dialect not in DIALECTS:
        known = ", ".join(f"`{name}`" for name in DIALECTS)
        message = f"unknown dialect `{request.dialect}`"
        raise CallError([Diagnostic("AC705", message, help=f"use one of {known}")])
    if request.dialect != _RUNS_PYTHON and request.python_model and not request.source:
        message = f"no Python model is written for `{request.dialect}`: dbt runs one only on DuckDB"
        help_ = "`--no-model` writes the tests of the released model alone, `--source` those of the source"
        raise CallError([Diagnostic("AC644", message, help=help_)])
    if request.source and request.reading:
        message = "tests of the source read the table as it is stored: `missing` and `dates` do not apply"
        raise CallError([Diagnostic("AC644", message, help="leave `--missing` and `--dates` out")])
