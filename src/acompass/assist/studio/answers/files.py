"""Open, watch and save the policy file; write the release and its preview, completely or not at all."""

import importlib.util
import os
import shutil
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from acompass.arguments import STANDARD_INPUT
from acompass.assist.analysis import SEED
from acompass.assist.studio.messages import Body, Refused, json_object
from acompass.assist.studio.question import Ask, table_suffix
from acompass.assist.studio.state import ABSENT, Studio, Unseen
from acompass.dataclasses import asdict
from acompass.policy import Policy, TableRoles, load
from acompass.report.page.output import require_files
from acompass.result import Result
from acompass.session import Session
from acompass.tables.output import is_same_file, output_format, require_no_policy_file, require_other_file
from acompass.tables.source import find_paths
from acompass.tables.temporary_files import replace_atomically, temporary_folder
from acompass.version import __version__


def open_studio(studio: Studio, body: Body) -> dict[str, Any]:
    saved = studio.file.read()
    records = studio.ask(body, Session.records)
    return {
        "policy": {"name": studio.file.name, **asdict(saved), "exists": saved.version != ABSENT},
        "table": {
            "name": Path(studio.start.table).name,
            "records": records,
            "columns": list(studio.queue.session.columns),
        },
        "params": dict(studio.start.params),
        "roles": roles_json(studio.roles),
        "sample": sample_json(studio),
        "show_records": studio.show_records,
        "has_suggest": importlib.util.find_spec("numpy") is not None,
        "release": _release_names(studio),
        "missing": {"drop": studio.drops_incomplete},
        "version": __version__,
    }


def state(studio: Studio, _: Body) -> dict[str, Any]:
    return {"version": studio.file.version, "show_records": studio.show_records}


def policy(studio: Studio, _: Body) -> dict[str, Any]:
    saved = studio.file.read()
    return asdict(saved)


def save(studio: Studio, body: Body) -> dict[str, Any]:
    return {"version": studio.file.save(body.text("text"), body.text("seen"))}


def switch_missing(studio: Studio, body: Body) -> dict[str, Any]:
    studio.switch_missing(body.flag("drop"))
    return open_studio(studio, body)


def switch_all(studio: Studio, body: Body) -> dict[str, Any]:
    studio.use_all(body.flag("on"))
    return {"sample": sample_json(studio)}


def show(studio: Studio, body: Body) -> dict[str, Any]:
    studio.show_records = body.flag("on")
    return {"show_records": studio.show_records}


def roles_json(roles: TableRoles) -> dict[str, Any]:
    return {**roles.by_name, "person": roles.person}


def sample_json(studio: Studio) -> dict[str, int] | None:
    sample = studio.queue.sample
    return None if sample is None else json_object(sample, "records", "of")


def _release_names(studio: Studio) -> dict[str, str]:
    stem = Path(studio.file.path).stem
    return {"table": f"{stem}-released{table_suffix(studio)}", "report": f"{stem}-report.html"}


def require_shown(studio: Studio) -> None:
    if not studio.show_records:
        raise Refused(HTTPStatus.FORBIDDEN, "turn on `show records` first")


_PAGE = ".html"
#: the limit of almost all file systems
_LONGEST_NAME = 255


def preview(ask: Ask) -> dict[str, Any]:
    studio = ask.studio
    with temporary_folder() as folder:
        table, report = Path(folder, f"preview{table_suffix(studio)}"), Path(folder, f"preview{_PAGE}")
        result = studio.ask_all(ask.body, lambda session: _run(session, ask.policy, ask, table, report, SEED))
        studio.preview = report.read_text(encoding="utf-8")
    return {"diagnostics": [], "ok": result.ok}


def release(ask: Ask) -> dict[str, Any]:
    """Write both files to a temporary folder first, and move them only if no check is violated."""
    studio, body = ask.studio, ask.body
    _require_saved(studio, body)
    policy = load(studio.file.path)  # with its own line endings, which the certificate includes
    targets = _targets(studio, policy, body)
    with temporary_folder() as folder:
        made = [Path(folder, target.name) for target in targets]
        report = made[1] if len(made) > 1 else None
        result = studio.ask_all(body, lambda session: _run(session, policy, ask, made[0], report))
        if result.ok:
            _require_saved(studio, body)
            for source, target in zip(made, targets, strict=True):
                with replace_atomically(target) as part:
                    shutil.copyfile(source, part)
    names = [target.name if result.ok else None for target in targets]
    written = {"table": names[0], "report": names[1] if len(names) > 1 else None}
    released = {**written, **json_object(result, "records_in", "records_out", "ok", "checks_nothing")}
    return {"diagnostics": [], "released": released}


def _run(
    session: Session, policy: Policy, ask: Ask, table: Path, report: Path | None, seed: str | None = None
) -> Result:
    roles = ask.studio.roles
    return session.run(
        policy,
        params=ask.used_params,
        output=table,
        report=report,
        seed=seed,
        key=ask.studio.start.key,
        roles=roles.by_name,
        person=roles.person,
    )


def _require_saved(studio: Studio, body: Body) -> None:
    saved = studio.file.read()
    if (saved.version, saved.text) != (body.text("seen"), body.text("text")):
        raise Unseen(saved)


def _targets(studio: Studio, policy: Policy, body: Body) -> list[Path]:
    """The paths of the table and, if requested, the report."""
    table = _path_in_folder(studio, body.text("table"))
    output_format(str(table))
    require_other_file(str(table), tuple(find_paths(studio.start.table)))
    require_no_policy_file(str(table), policy)
    targets = [table]
    if body.has("report"):
        report = _path_in_folder(studio, body.text("report"))
        if report.suffix.lower() != _PAGE:
            raise Refused(HTTPStatus.BAD_REQUEST, f"the report's name must end in `{_PAGE}`")
        require_files(report, None, [studio.start.table], str(table), policy)
        targets.append(report)
    _require_free(targets, body.flag("replace"))
    return targets


def write_beside(studio: Studio, contents: Mapping[str, bytes], replace: bool, keep: bool) -> None:
    """Write files that a policy names to the policy's folder. Of those with other content, replace or keep all."""
    paths = {_path_in_folder(studio, name): content for name, content in contents.items()}
    wanted = {path: content for path, content in paths.items() if not path.is_file() or path.read_bytes() != content}
    for path in wanted:
        require_other_file(str(path), tuple(find_paths(studio.start.table)))
    _require_free(list(wanted), replace or keep)
    for path, content in wanted.items():
        if not (keep and path.exists()):
            with replace_atomically(path) as part:
                Path(part).write_bytes(content)


def _path_in_folder(studio: Studio, name: str) -> Path:
    """A path in the policy's folder, even after resolving links."""
    folder = studio.file.folder
    path = folder / name
    if not name.isprintable() or name == STANDARD_INPUT or len(os.fsencode(name)) > _LONGEST_NAME:
        limit = f"a file name has printable characters, at most {_LONGEST_NAME} bytes, and is not `{STANDARD_INPUT}`"
        raise Refused(HTTPStatus.BAD_REQUEST, limit)
    is_plain = name == Path(name).name and name not in ("", ".", "..") and "\\" not in name
    if not is_plain or path.resolve().parent != folder.resolve() or is_same_file(str(path), studio.file.path):
        raise Refused(HTTPStatus.BAD_REQUEST, "files are written to the policy's folder: use a name without a path")
    return path


def _require_free(targets: list[Path], replace: bool) -> None:
    taken = [target.name for target in targets if target.exists()]
    if taken and not replace:
        listed = " and ".join(f"`{name}`" for name in taken)
        raise Refused(HTTPStatus.CONFLICT, f"{listed} already exists", exists=taken)
