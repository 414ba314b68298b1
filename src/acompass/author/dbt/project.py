"""Write the files of `acompass dbt` to a dbt project on disk, all of them or none."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from acompass.author.dbt.relations import Mark, parse_mark
from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.tables.output import replace_file, report_write_errors

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
    foreign = [path for path, text in present.items() if text is not None and not _is_of_policy(mark.policy, text)]
    if foreign and not force:
        message = f"`{foreign[0]}` exists and was not written by `acompass dbt` for this policy"
        help_ = "move it, name another model, or replace it with `--force`"
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


def _is_of_policy(policy: str, text: str) -> bool:
    mark = parse_mark(text)
    return mark is not None and mark.policy == policy


def _marked_files(project: str, folder: str, suffix: str, files: Mapping[str, str]) -> dict[str, Mark]:
    """The marks of files that earlier calls wrote and that are not among `files`."""
    paths = sorted(Path(project, folder).glob(f"*.{suffix}"))
    named = {path.relative_to(project).as_posix(): path for path in paths}
    marks = {name: parse_mark(_read_text(path) or "") for name, path in named.items() if name not in files}
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
        reason = (error.strerror or "unknown reason").lower()
        help_ = "move it, or name another model"
        raise CallError([Diagnostic("AC643", f"cannot read `{path}`: {reason}", help=help_)]) from None
