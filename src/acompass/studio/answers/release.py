"""The release and its preview: always all records, written whole or not at all."""

import shutil
from http import HTTPStatus
from pathlib import Path
from typing import Any

from acompass.assist.requirements import SEED
from acompass.atomic import atomically
from acompass.leftovers import temporary_folder
from acompass.pages.write import require_files
from acompass.policy import Policy, load
from acompass.result import Result
from acompass.session import Session
from acompass.studio.asking import Ask
from acompass.studio.body import Body, Refused
from acompass.studio.policy_file import Unseen
from acompass.studio.releasing import suffix_of
from acompass.studio.studio import Studio
from acompass.tables.output import format_of, is_same_file, require_no_hierarchy, require_other_file
from acompass.tables.source import matching

_PAGE = ".html"


def preview(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.of(studio, body)
    with temporary_folder() as folder:
        table, report = Path(folder, f"preview{suffix_of(studio)}"), Path(folder, f"preview{_PAGE}")
        result = studio.ask_all(body, lambda session: _run(session, ask.policy, ask, table, report, SEED))
        studio.preview = report.read_text(encoding="utf-8")
    return {"diagnostics": [], "ok": result.ok}


def release(studio: Studio, body: Body) -> dict[str, Any]:
    """Both files are made first, and put into place only if no check is violated."""
    ask = Ask.of(studio, body)
    _require_saved(studio, body)
    policy = load(studio.file.path)  # with its own line ends, which the certificate counts
    targets = _targets(studio, policy, body)
    with temporary_folder() as folder:
        made = [Path(folder, target.name) for target in targets]
        report = made[1] if len(made) > 1 else None
        result = studio.ask_all(body, lambda session: _run(session, policy, ask, made[0], report))
        if result.ok:
            _require_saved(studio, body)
            for part, target in zip(made, targets, strict=True):
                _put(part, target)
    return {"diagnostics": [], "released": _json(result, targets)}


def _run(
    session: Session, policy: Policy, ask: Ask, table: Path, report: Path | None, seed: str | None = None
) -> Result:
    return session.run(policy, params=ask.used, output=table, report=report, seed=seed)


def _require_saved(studio: Studio, body: Body) -> None:
    saved = studio.file.read()
    if (saved.version, saved.text) != (body.text("seen"), body.text("text")):
        raise Unseen(saved)


def _targets(studio: Studio, policy: Policy, body: Body) -> list[Path]:
    """The table, and the report if one is asked for."""
    table = _beside(studio, body.text("table"))
    format_of(str(table))
    require_other_file(str(table), tuple(matching(studio.start.table)))
    require_no_hierarchy(str(table), policy.hierarchies)
    targets = [table]
    if body.has("report"):
        report = _beside(studio, body.text("report"))
        if report.suffix.lower() != _PAGE:
            raise Refused(HTTPStatus.BAD_REQUEST, f"the report's name has to end in `{_PAGE}`")
        require_files(report, None, [studio.start.table], str(table), policy)
        targets.append(report)
    _require_free(targets, body.flag("replace"))
    return targets


def _beside(studio: Studio, name: str) -> Path:
    """A file in the policy's folder, also behind links."""
    folder = studio.file.folder
    path = folder / name
    is_plain = (
        name == Path(name).name and name not in ("", ".", "..") and "\\" not in name and "\0" not in name
    )
    if not is_plain or path.resolve().parent != folder.resolve() or is_same_file(str(path), studio.file.path):
        raise Refused(HTTPStatus.BAD_REQUEST, "a release is written beside the policy: give a name, no path")
    return path


def _require_free(targets: list[Path], replace: bool) -> None:
    taken = [target.name for target in targets if target.exists()]
    if taken and not replace:
        listed = " and ".join(f"`{name}`" for name in taken)
        raise Refused(HTTPStatus.CONFLICT, f"{listed} exists already", exists=taken)


def _put(made: Path, target: Path) -> None:
    with atomically(target) as part:
        shutil.copyfile(made, part)


def _json(result: Result, targets: list[Path]) -> dict[str, Any]:
    names = [target.name for target in targets]
    return {
        "table": names[0] if result.ok else None,
        "report": names[1] if result.ok and len(names) > 1 else None,
        "records_in": result.records_in,
        "records_out": result.records_out,
        "ok": result.ok,
    }
