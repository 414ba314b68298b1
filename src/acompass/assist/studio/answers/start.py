"""The start page: what can be opened, and how a table is read, which the page can change."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

from acompass.arguments import TABLE_SUFFIXES
from acompass.assist.detection import detect
from acompass.assist.request_queue import Stale
from acompass.assist.studio.answers.opening import open_project
from acompass.assist.studio.messages import Body, Refused, json_object
from acompass.assist.studio.question import Question
from acompass.assist.studio.state import POLICY_SUFFIX, Start, resolve_files, setting_text
from acompass.assist.studio.workspace import EXAMPLES, OTHER_KINDS, Recent, Workspace, read_example
from acompass.dataclasses import asdict, replace
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.errors.display import reason_of
from acompass.options import Opening
from acompass.policy import policies_in, policy_settings, reading_settings

#: the bytes that are copied at once
_CHUNK = 1 << 20


def read_again(workspace: Workspace, body: Body) -> dict[str, Any]:
    """Read the open table with other options: all of those that the page has controls for."""
    project = workspace.project_of(body)
    with workspace.reading(body):
        project.reopen(cast(Opening, {**project.reading, **body.reading()}))
    return {"diagnostics": [], "opened": open_project(project, body)}


def detect_reading(workspace: Workspace, body: Body) -> dict[str, Any]:
    """How a table can be read, and its first records if values are shown: the open table, or one to be opened."""
    path = _path(body) if body.has("path") else workspace.project_of(body).start.table
    _require_table(Path(path))
    found = detect(path, _given(body) if body.has("reading") else reading_settings(path))
    is_hidden = workspace.project is not None and not workspace.project.show_records
    return {"detected": {**found.to_json(), **({"rows": []} if is_hidden else {})}}


def start_page(workspace: Workspace, _: Body) -> dict[str, Any]:
    """What can be opened without looking for it."""
    private = workspace.private
    return {
        "folder": str(workspace.folder),
        "private": None if private.path is None else str(private.path),
        "recent": [_recent(each) for each in private.recent],
        "here": _policies(workspace.folder),
        "examples": [asdict(example) for example in EXAMPLES],
    }


def _recent(recent: Recent) -> dict[str, Any]:
    return {**json_object(recent, "key", "policy", "table", "opened"), "exists": recent.is_there}


def _policies(folder: Path) -> list[dict[str, Any]]:
    """The policies that the folder's acompass.toml names; none if it is malformed, which opening one of them says."""
    try:
        names = policies_in(folder)
        return [{"policy": str(folder / name), "table": policy_settings(folder / name).table} for name in names]
    except CallError:
        return []


def forget(workspace: Workspace, body: Body) -> dict[str, Any]:
    workspace.private.forget_recent(body.text("key"))
    return start_page(workspace, body)


def browse(workspace: Workspace, body: Body) -> dict[str, Any]:
    """The folders, tables and policies in a folder: names, sizes and dates, no contents. Hidden ones are left out."""
    asked = Path(_path(body)) if body.has("path") else workspace.folder
    home = os.path.expanduser("~")
    try:
        folder = asked.resolve(strict=True)
        entries = sorted(folder.iterdir(), key=lambda path: path.name.casefold())
        found = [(path, _kind(path)) for path in entries if not path.name.startswith(".")]
        error = None
    except OSError as failed:
        folder, found, error = asked, [], reason_of(failed)
    return {
        "path": str(folder),
        "parent": None if folder.parent == folder else str(folder.parent),
        "home": home if os.path.isabs(home) else None,
        "folders": [{"name": path.name, "path": str(path.resolve())} for path, kind in found if kind == "folder"],
        "files": list(_files(found)),
        "error": error,
    }


def _kind(path: Path) -> str | None:
    """What a symbolic link leads to is what counts; None for what the studio does not open."""
    try:
        if path.is_dir():
            return "folder"
        if not path.is_file() or not os.access(path, os.R_OK):
            return None
    except OSError:
        return None
    name = path.name.lower()
    return "policy" if name.endswith(POLICY_SUFFIX) else "table" if name.endswith(TABLE_SUFFIXES) else None


def _files(found: list[tuple[Path, str | None]]) -> Iterator[dict[str, Any]]:
    for path, kind in found:
        if kind in ("policy", "table"):
            about = path.stat()
            changed = datetime.fromtimestamp(about.st_mtime, UTC).isoformat(timespec="seconds")
            yield {"name": path.name, "path": str(path), "kind": kind, "size": about.st_size, "changed": changed}


def open_example(workspace: Workspace, body: Body) -> dict[str, Any]:
    name = body.text("name")
    if all(example.file != name for example in EXAMPLES):
        raise Refused(HTTPStatus.NOT_FOUND, "there is no such example")
    return _open(workspace, body, _start(workspace.private.example(name, read_example(name)), body))


def open_copy(workspace: Workspace, body: Body) -> dict[str, Any]:
    """Copy the open table to the private folder, and open the copy: its own folder cannot be written."""
    start = workspace.project_of(body).start
    path = Path(start.table)
    try:
        with workspace.private.receive(path.name) as received, path.open("rb") as file:
            while content := file.read(_CHUNK):
                if body.is_withdrawn:
                    raise Stale
                received.add(content)
            copy = received.finish()
    except OSError as error:
        message = f"{path.name} cannot be copied: {reason_of(error)}"
        raise Refused(HTTPStatus.INSUFFICIENT_STORAGE, message) from None
    return _open(workspace, body, replace(_start(copy, body), population=start.population))


def open_table(workspace: Workspace, body: Body) -> dict[str, Any]:
    """Open a table, a policy or a folder in place of what is open. Without reading options, they are found."""
    return _open(workspace, body, _start(Path(_path(body)), body))


def _open(workspace: Workspace, body: Body, start: Start) -> dict[str, Any]:
    return {"diagnostics": [], "opened": open_project(workspace.open(start, body), body)}


def _start(path: Path, body: Body) -> Start:
    is_policy = path.name.lower().endswith(POLICY_SUFFIX)
    if not path.is_dir() and not is_policy:
        _require_table(path)
    own = str(Path(body.text("policy"))) if body.has("policy") else None
    policy, table = resolve_files(*((str(path), None) if own is None else (own, str(path))))
    settings = policy_settings(policy)
    table = table or settings.table
    if table is None:
        message = f"`{Path(policy).name}` names no table"
        raise CallError([Diagnostic("AC411", message, help="choose its table")])
    params = {name: setting_text(value) for name, value in settings.params.items()}
    is_saved = settings.table is not None and os.path.realpath(settings.table) == os.path.realpath(table)
    reading = cast(Opening, _given(body)) if body.has("reading") else find_reading(table, is_saved)
    return Start(policy, table, params, reading)


def find_reading(table: str, is_saved: bool) -> Opening:
    """The options of the table's acompass.toml and, unless a project saved them, what its first records show: an
    option that is absent from a saved project was not wanted."""
    known = reading_settings(table)
    if is_saved or "engine" in known:
        return known
    return cast(Opening, {**known, **detect(table, known).options})


def _given(body: Body) -> dict[str, Any]:
    return {name: value for name, value in body.reading().items() if value is not None}


def _path(body: Body) -> str:
    path = body.text("path")
    if "\0" in path or not os.path.isabs(path):
        raise Refused(HTTPStatus.BAD_REQUEST, "the path does not name a file of this computer")
    return path


def _require_table(path: Path) -> None:
    """Only what a reader knows by its suffix is opened (D37, headers)."""
    if not path.name.lower().endswith(TABLE_SUFFIXES):
        kinds = ", ".join(f"`{suffix}`" for suffix in TABLE_SUFFIXES)
        message = f"`{path.name}` has an unknown suffix"
        raise CallError([Diagnostic("AC252", message, help=f"choose a file that ends in {kinds}; {OTHER_KINDS}")])


QUESTIONS = {
    "start": Question(start_page),
    "forget": Question(forget),
    "browse": Question(browse),
    "detect": Question(detect_reading, detected=None),
    "example": Question(open_example, opened=None),
    "open/copy": Question(open_copy, opened=None),
    "open/table": Question(open_table, opened=None),
    "reading": Question(read_again, opened=None),
}
