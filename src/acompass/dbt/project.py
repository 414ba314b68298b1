"""A dbt project on disk: its folders, and the files that `acompass dbt` writes there, all of them or none."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acompass.dbt.marks import Mark, mark_of
from acompass.diagnostics import CallError, Diagnostic
from acompass.tables.replacing import replacing, written

FILE = "dbt_project.yml"
#: the folder of the tests, inside that of the project's tests; in it, each model has a folder of its own, so
#: that the project can configure tests of the source and of what is released in different ways
TESTS = "acompass"


@dataclass(frozen=True, slots=True)
class Folders:
    """Relative to the project."""

    models: str = "models"
    tests: str = f"tests/{TESTS}"


@dataclass(frozen=True, slots=True)
class Changes:
    """Paths in the project, with the text of those to write. The `others` are Python models that the policy
    has, and that are not written now."""

    write: Mapping[str, str]
    remove: tuple[str, ...]
    others: tuple[str, ...]


def folders_of(project: str) -> Folders:
    """The folders that the project's file names first; dbt's own, where it names none."""
    settings = _settings(project)
    models = _first(settings, ("model-paths", "source-paths"), "models")
    return Folders(models, str(Path(_first(settings, ("test-paths",), "tests"), TESTS)))


def changes_in(
    project: str, files: Mapping[str, str], folders: Folders, mark: Mark, *, force: bool
) -> Changes:
    """What has to change. A file that has another origin is an error, unless `force` is given."""
    present = {path: _text_of(Path(project, path)) for path in files}
    foreign = [path for path, text in present.items() if text is not None and not _is_of(mark.policy, text)]
    if foreign and not force:
        raise CallError([_foreign(foreign[0])])
    write = {path: text for path, text in files.items() if present[path] != text}
    tests, models = (
        _marked(project, folder, suffix, files)
        for folder, suffix in ((f"{folders.tests}/{mark.tested}", "sql"), (folders.models, "py"))
    )
    stale = [path for path, found in tests.items() if found == mark]
    others = [path for path, found in models.items() if found.policy == mark.policy]
    return Changes(write, tuple(stale), tuple(others))


def apply(project: str, changes: Changes) -> None:
    """All files are written beside their places before the first of them is renamed."""
    for path in changes.write:
        with written(path):
            Path(project, path).parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        for path, text in changes.write.items():
            part = stack.enter_context(replacing(str(Path(project, path))))
            Path(part).write_text(text, encoding="utf-8", newline="")
    for path in changes.remove:
        with written(path):
            os.unlink(Path(project, path))


def _is_of(policy: str, text: str) -> bool:
    mark = mark_of(text)
    return mark is not None and mark.policy == policy


def _marked(project: str, folder: str, suffix: str, files: Mapping[str, str]) -> dict[str, Mark]:
    """The files of earlier calls that are not among `files`, with their marks."""
    paths = sorted(Path(project, folder).glob(f"*.{suffix}"))
    named = {path.relative_to(project).as_posix(): path for path in paths}
    marks = {name: mark_of(_text_of(path) or "") for name, path in named.items() if name not in files}
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
        help_ = "go to the folder with that file, or name it: `-o path/to/project`"
        raise CallError([Diagnostic("AC641", f"`{project}` has no `{FILE}`", help=help_)]) from None
    except (yaml.YAMLError, UnicodeDecodeError):
        found = None
    if not isinstance(found, dict):
        raise CallError([Diagnostic("AC641", f"`{path}` is not a file of settings", help="`dbt parse`")])
    return found


def _first(settings: Mapping[str, Any], keys: tuple[str, ...], otherwise: str) -> str:
    for key in keys:
        match settings.get(key):
            case [str() as folder, *_]:
                return folder
    return otherwise


def _text_of(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CallError([_unreadable(path, error)]) from None


def _unreadable(path: Path, error: OSError) -> Diagnostic:
    reason = (error.strerror or "unknown reason").lower()
    return Diagnostic("AC643", f"cannot read `{path}`: {reason}", help="move it, or name another model")


def _foreign(path: str) -> Diagnostic:
    message = f"`{path}` is there and was not written by `acompass dbt` for this policy"
    return Diagnostic("AC643", message, help="move it, name another model, or replace it with `--force`")
