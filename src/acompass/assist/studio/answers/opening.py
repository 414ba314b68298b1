"""The open project: watch and save its policy and settings, and switch what the pages show."""

import importlib.util
import os
from datetime import date
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

from acompass.assist.document import Document, used_params
from acompass.assist.studio.messages import Body, Refused, error_json, json_object
from acompass.assist.studio.question import Question, about_project, table_suffix
from acompass.assist.studio.saved_files import ABSENT
from acompass.assist.studio.settings import FRONT_PAGE, READING, Settings
from acompass.assist.studio.state import Project, setting_text
from acompass.assist.studio.workspace import Workspace
from acompass.dataclasses import asdict, replace
from acompass.engines.reading import date_formats, missing_options
from acompass.errors.diagnostics import AcompassError
from acompass.language.program.constants import parse_settings
from acompass.options import ERROR, Opening
from acompass.policy import TableRoles
from acompass.roles import with_exact_names
from acompass.session import Session
from acompass.version import __version__


def open_page(workspace: Workspace, body: Body) -> dict[str, Any]:
    """What a page needs at its start: the open project, if there is one."""
    studio = {"has_suggest": importlib.util.find_spec("numpy") is not None, "version": __version__}
    project = workspace.project
    return {**studio, "opened": None if project is None else open_project(project, body)}


def open_project(project: Project, body: Body) -> dict[str, Any]:
    saved = project.file.read()
    records = project.ask(body, Session.records)
    return {
        "project": project.id,
        "files": project.files,
        "policy": {"name": project.file.name, **asdict(saved), "exists": saved.version != ABSENT},
        "folder": str(project.file.folder.resolve()),
        "is_writable": os.access(project.file.folder, os.W_OK),
        "table": {
            "name": Path(project.start.table).name,
            "path": os.path.abspath(project.start.table),
            "records": records,
            "columns": list(project.queue.session.columns),
        },
        "params": dict(project.start.params),
        "roles": roles_json(project.roles),
        "reading": reading_json(project),
        "settings": settings_json(project),
        "sample": sample_json(project),
        "show_records": project.show_records,
        "release": _release_names(project),
    }


def reading_json(project: Project) -> dict[str, Any]:
    """The options that the table is read with, missing values and dates by column."""
    columns = project.queue.session.columns
    found: dict[str, Any] = {name: value for name, value in project.reading.items() if name in READING}
    if "missing" in found:
        options = missing_options(found["missing"], columns)
        choices = {name: options.for_column(position) for position, name in enumerate(columns)}
        found["missing"] = {name: choice for name, choice in choices.items() if choice != ERROR}
    if "dates" in found:
        formats = date_formats(found["dates"], columns)
        found["dates"] = {columns[position]: format_.text for position, format_ in formats.items()}
    return found


def state(workspace: Workspace, body: Body) -> dict[str, Any]:
    """What other pages and programs may have changed. A page of another project learns that from `project`."""
    project = workspace.project
    if project is None or (body.has("project") and body.text("project") != project.id):
        return {"project": None if project is None else project.id, "files": None if project is None else project.files}
    is_followed, version, problem = False, None, None
    try:
        version = project.file.version
        is_followed = project.follow_settings()
    except AcompassError as error:
        problem = error.diagnostics[0].message
    return {
        "project": project.id,
        "files": project.files,
        "version": version,
        "problem": problem,
        "show_records": project.show_records,
        "settings": project.settings.version,
        "settings_differ": not is_followed,
    }


def policy(project: Project, _: Body) -> dict[str, Any]:
    saved = project.file.read()
    return asdict(saved)


def save(project: Project, body: Body) -> dict[str, Any]:
    """Save the policy with its settings. The text comes first: it is what cannot be entered again."""
    text = body.text("text")
    project.require_seen_settings()
    version = project.file.save(text, body.text("seen"))
    document, params = Document(text, project.file.path), project.settings.current.policy.params
    try:
        project.save_settings(params if document.policy is None else used_params(document, params))
    except AcompassError as error:
        return {"version": version, "settings": None, "diagnostics": error_json(error, body)}
    return {"version": version, "settings": settings_json(project)}


def show_settings(project: Project, _: Body) -> dict[str, Any]:
    return {"settings": settings_json(project)}


def change_settings(project: Project, body: Body) -> dict[str, Any]:
    """Change the parameters, the levels of columns, or what the front page of a report says."""
    current = project.settings.current
    changed: dict[str, Any] = {}
    if body.has("params"):
        given = body.texts("params").items()
        changed["params"] = parse_settings(f"{name}={value}" for name, value in given if value.strip())
    for key in FRONT_PAGE:
        if body.has(key):
            changed[key] = _front_page_value(key, body.text(key).strip())
    levels = _levels(project, body) if body.has("hierarchies") else current.hierarchies
    changed_settings = replace(current, policy=replace(current.policy, **changed), hierarchies=levels)
    project.change_settings(changed_settings, is_typing=not body.has("hierarchies"))
    return {"settings": settings_json(project)}


def _levels(project: Project, body: Body) -> dict[str, str]:
    """Raise CallError for levels that no call would take."""
    given = body.texts("hierarchies")
    project.levels(given, given)
    return given


def _front_page_value(key: str, text: str) -> str | date | None:
    if not text.isprintable():
        raise Refused(HTTPStatus.BAD_REQUEST, f"`{key}` must be one line of text")
    if key != "valid_until" or not text:
        return text or None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Refused(HTTPStatus.BAD_REQUEST, "expected a date, such as 2027-12-31") from None


def restore_settings(project: Project, body: Body) -> dict[str, Any]:
    """Set the settings that a page has kept, such as those of an earlier start."""
    current, given = (
        project.settings.current,
        parse_settings(f"{name}={value}" for name, value in body.texts("params").items() if value.strip()),
    )
    front: dict[str, Any] = {key: _front_page_value(key, body.text(key).strip()) for key in FRONT_PAGE}
    reading = cast(Opening, {**current.reading, **body.reading()})
    policy = replace(current.policy, params=given, **front)
    roles = with_exact_names(body.roles(), project.queue.session.columns)
    levels = _levels(project, body) if body.has("hierarchies") else current.hierarchies
    project.change_settings(Settings(policy, roles, reading, levels))
    return {"settings": settings_json(project)}


def undo_settings(project: Project, _: Body) -> dict[str, Any]:
    return {"undone": project.undo_settings(), "settings": settings_json(project)}


def choose_settings(project: Project, body: Body) -> dict[str, Any]:
    """Load the settings that another program wrote, or let the next save overwrite them."""
    if body.flag("theirs"):
        project.follow_settings(even_if_unsaved=True)
    else:
        project.settings_seen = project.settings_files.version
    return {"settings": settings_json(project)}


def settings_json(project: Project) -> dict[str, Any]:
    settings = project.settings
    of_policy, roles = settings.current.policy, settings.current.roles
    return {
        "version": settings.version,
        "unsaved": settings.is_unsaved,
        "undo": settings.last_change,
        "params": {name: setting_text(value) for name, value in of_policy.params.items()},
        "roles": roles_json(roles),
        "reading": {name: value for name, value in settings.current.reading.items() if name in READING},
        "hierarchies": dict(settings.current.hierarchies),
        **{key: str(getattr(of_policy, key) or "") for key in FRONT_PAGE},
    }


def switch_all(project: Project, body: Body) -> dict[str, Any]:
    project.use_all(body.flag("on"))
    return {"sample": sample_json(project)}


def show(project: Project, body: Body) -> dict[str, Any]:
    project.show_records = body.flag("on")
    return {"show_records": project.show_records}


def roles_json(roles: TableRoles) -> dict[str, Any]:
    return {**roles.by_name, "person": roles.person}


def sample_json(project: Project) -> dict[str, int] | None:
    sample = project.queue.sample
    return None if sample is None else json_object(sample, "records", "of")


def _release_names(project: Project) -> dict[str, str]:
    stem = Path(project.file.path).stem
    return {
        "table": f"{stem}-released{table_suffix(project)}",
        "report": f"{stem}-report.html",
        "internal": f"{stem}-internal.html",
    }


def require_shown(project: Project) -> None:
    if not project.show_records:
        raise Refused(HTTPStatus.FORBIDDEN, "turn on `show values` first")


QUESTIONS = {
    "open": Question(open_page),
    "state": Question(state),
    "policy": about_project(policy),
    "save": about_project(save, version=None, settings=None),
    "settings": about_project(show_settings),
    "settings/change": about_project(change_settings, settings=None),
    "settings/restore": about_project(restore_settings, settings=None),
    "settings/undo": about_project(undo_settings, undone=None, settings=None),
    "settings/choose": about_project(choose_settings, settings=None),
    "all": about_project(switch_all),
    "show": about_project(show),
}
