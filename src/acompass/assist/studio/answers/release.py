"""Write the release, its reports and their preview, completely or not at all."""

import os
import shutil
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from acompass.arguments import STANDARD_INPUT
from acompass.assist.document import parameters
from acompass.assist.studio.messages import Body, Refused, json_object
from acompass.assist.studio.promises import (
    Release,
    before_last_drops,
    counts_dropped_columns,
    release_sentences,
    requirement_spans,
)
from acompass.assist.studio.question import Ask, about_project, about_text, table_suffix
from acompass.assist.studio.saved_files import Unseen
from acompass.assist.studio.state import Project
from acompass.errors.diagnostics import AcompassError
from acompass.option_groups import Roles as RolesOptions
from acompass.policy import Policy, as_policy, load
from acompass.report.page.output import require_files
from acompass.result import Result
from acompass.session import Session
from acompass.tables.output import is_same_file, output_format, require_no_policy_file, require_other_file
from acompass.tables.source import find_paths
from acompass.tables.temporary_files import replace_atomically, temporary_folder

_PAGE = ".html"
#: the limit of almost all file systems
_LONGEST_NAME = 255


#: shows the same output each time; a release draws from a secret seed
_PREVIEW_SEED = "the seed of a preview, which is never written"
#: the roles forbid a release, which the sentences say themselves
_ROLE_CODES = frozenset(("AC413", "AC414"))


def promise(ask: Ask) -> dict[str, Any]:
    """What the release would promise, for all records; the parameters that have no value, if there are any."""
    unbound = [name for name in parameters(ask.document) if name not in ask.params]
    if unbound:
        return {"diagnostics": [], "unbound": unbound, "promised": None}
    policy, project = as_policy(ask.policy), ask.project
    key = ("promises", ask.key, project.roles)
    found = project.recall(key, lambda: project.ask_whole(ask.body, lambda session: _perform(ask, policy, session)))
    return {"diagnostics": [], "unbound": [], "promised": _promised_json(ask, found)}


def _perform(ask: Ask, policy: Policy, session: Session) -> Release:
    project, params = ask.project, ask.used_params
    try:
        result = session.plan(
            policy, params=params, seed=_PREVIEW_SEED, key=project.start.key, **_roles(project)
        ).result
    except AcompassError as error:
        if not {each.code for each in error.diagnostics} <= _ROLE_CODES:
            raise
        result = session.plan(policy, params=params, seed=_PREVIEW_SEED, key=project.start.key, roles={}).result
    return _release(ask, policy, session, result)


def _release(ask: Ask, policy: Policy, session: Session, result: Result) -> Release:
    project, program = ask.project, session.checked(policy, params=ask.used_params)
    is_parquet = table_suffix(project) == ".parquet"
    before_drops = _run_before_drops(ask, policy, session) if counts_dropped_columns(program) else None
    return Release(policy, program, result, project.roles, project.reading, is_parquet, before_drops)


def _run_before_drops(ask: Ask, policy: Policy, session: Session) -> Result | None:
    kept = before_last_drops(policy)
    if kept is None:
        return None
    return session.plan(kept, params=ask.used_params, key=ask.project.start.key, roles={}).result


def _roles(project: Project) -> RolesOptions:
    return {"roles": project.roles.by_name, "person": project.roles.person}


def _promised_json(ask: Ask, release: Release) -> dict[str, Any]:
    spans = requirement_spans(release)
    sentences = [
        {
            **json_object(each, "text", "basis", "line"),
            **(ask.offsets.span(spans[each.line]) if each.line in spans else {"from": None, "to": None}),
        }
        for each in release_sentences(release)
    ]
    return {"sentences": sentences, **json_object(release.result, "records_in", "records_out", "ok")}


def preview(ask: Ask) -> dict[str, Any]:
    project = ask.project
    with temporary_folder() as folder:
        table, report = Path(folder, f"preview{table_suffix(project)}"), Path(folder, f"preview{_PAGE}")
        files = {"table": table, "report": report}
        result, _ = project.ask_all(ask.body, lambda session: _run(session, ask.policy, ask, files, _PREVIEW_SEED))
        project.preview = report.read_text(encoding="utf-8")
    return {"diagnostics": [], "ok": result.ok}


def release(ask: Ask) -> dict[str, Any]:
    """Write all files to a temporary folder first, and move them only if no check is violated."""
    project, body = ask.project, ask.body
    _require_saved(project, body)
    policy = load(project.file.path)  # with its own line endings, which the certificate includes
    targets = _targets(project, policy, body)
    with temporary_folder() as folder:
        made = {what: Path(folder, target.name) for what, target in targets.items()}
        result, found = project.ask_all(body, lambda session: _run(session, policy, ask, made))
        if result.ok:
            _require_saved(project, body)
            for what, target in targets.items():
                with replace_atomically(target) as part:
                    shutil.copyfile(made[what], part)
            project.reports = {what: target for what, target in targets.items() if what != "table"}
    names = {what: targets[what].name if result.ok and what in targets else None for what in _FILES}
    released = {**names, "folder": str(project.file.folder.absolute()), "promised": _promised_json(ask, found)}
    return {"diagnostics": [], "released": {**released, **json_object(result, *_COUNTS)}}


_FILES = ("table", "report", "internal")
_COUNTS = ("records_in", "records_out", "ok", "checks_nothing")


def _run(
    session: Session, policy: Policy, ask: Ask, files: Mapping[str, Path], seed: str | None = None
) -> tuple[Result, Release]:
    project = ask.project

    def note(done: int, of: int) -> None:
        project.written = done, of

    try:
        result = session.run(
            policy,
            params=ask.used_params,
            output=files["table"],
            report=files.get("report"),
            report_internal=files.get("internal"),
            seed=seed,
            key=project.start.key,
            progress=note,
            **_roles(project),
        )
    finally:
        project.written = None
    return result, _release(ask, policy, session, result)


def show_progress(project: Project, _: Body) -> dict[str, Any]:
    """The number of requirements that are done, and of all of them, while a release is written."""
    written = project.written
    return {"written": None if written is None else {"done": written[0], "of": written[1]}}


def _require_saved(project: Project, body: Body) -> None:
    saved = project.file.read()
    if (saved.version, saved.text) != (body.text("seen"), body.text("text")):
        raise Unseen(saved)


def _targets(project: Project, policy: Policy, body: Body) -> dict[str, Path]:
    """The paths of the table and of the reports that are requested."""
    table = path_in_folder(project, body.text("table"))
    output_format(str(table))
    require_other_file(str(table), _originals(project))
    require_no_policy_file(str(table), policy)
    reports = {what: _report_path(project, body.text(what)) for what in _FILES[1:] if body.has(what)}
    for report in reports.values():
        require_files(report, None, [*_originals(project)], str(table), policy)
    if len({os.path.normcase(each.name) for each in reports.values()}) < len(reports):
        raise Refused(HTTPStatus.BAD_REQUEST, "the two reports need different names")
    targets = {"table": table, **reports}
    _require_free(list(targets.values()), body.flag("replace"))
    return targets


def _originals(project: Project) -> tuple[str, ...]:
    """The files of the table and of the population, which nothing replaces."""
    tables = (project.start.table, project.start.population)
    return tuple(path for table in tables if table is not None for path in find_paths(table))


def _report_path(project: Project, name: str) -> Path:
    path = path_in_folder(project, name)
    if path.suffix.lower() != _PAGE:
        raise Refused(HTTPStatus.BAD_REQUEST, f"a report's name must end in `{_PAGE}`")
    return path


def write_beside(project: Project, contents: Mapping[str, bytes], replace: bool, keep: bool) -> None:
    """Write files that a policy names to the policy's folder. Of those with other content, replace or keep all."""
    paths = {path_in_folder(project, name): content for name, content in contents.items()}
    wanted = {path: content for path, content in paths.items() if not path.is_file() or path.read_bytes() != content}
    for path in wanted:
        require_other_file(str(path), _originals(project))
    _require_free(list(wanted), replace or keep)
    for path, content in wanted.items():
        if not (keep and path.exists()):
            with replace_atomically(path) as part:
                Path(part).write_bytes(content)


def path_in_folder(project: Project, name: str) -> Path:
    """A path in the policy's folder, even after resolving links."""
    folder = project.file.folder
    path = folder / name
    if not name.isprintable() or name == STANDARD_INPUT or len(os.fsencode(name)) > _LONGEST_NAME:
        limit = f"a file name has printable characters, at most {_LONGEST_NAME} bytes, and is not `{STANDARD_INPUT}`"
        raise Refused(HTTPStatus.BAD_REQUEST, limit)
    is_plain = name == Path(name).name and name not in ("", ".", "..") and "\\" not in name
    if not is_plain or path.resolve().parent != folder.resolve() or is_same_file(str(path), project.file.path):
        raise Refused(HTTPStatus.BAD_REQUEST, "files are written to the policy's folder: use a name without a path")
    return path


def _require_free(targets: list[Path], replace: bool) -> None:
    taken = [target.name for target in targets if target.exists()]
    if taken and not replace:
        listed = " and ".join(f"`{name}`" for name in taken)
        exist = "already exists" if len(taken) == 1 else "already exist"
        raise Refused(HTTPStatus.CONFLICT, f"{listed} {exist}", exists=taken)


QUESTIONS = {
    "promises": about_text(promise, unbound=[], promised=None),
    "preview": about_text(preview, ok=False),
    "release": about_text(release, released=None),
    "release/progress": about_project(show_progress),
}
