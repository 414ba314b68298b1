"""The policy file: opened, watched and saved."""

import importlib.util
from http import HTTPStatus
from pathlib import Path
from typing import Any

from acompass.assist.table import record_count
from acompass.project import TableRoles
from acompass.studio.body import Body, Refused
from acompass.studio.policy_file import ABSENT
from acompass.studio.releasing import suffix_of
from acompass.studio.studio import Studio
from acompass.version import __version__


def open_studio(studio: Studio, body: Body) -> dict[str, Any]:
    saved = studio.file.read()
    records = studio.ask(body, record_count)
    return {
        "policy": {
            "name": studio.file.name,
            "text": saved.text,
            "version": saved.version,
            "exists": saved.version != ABSENT,
        },
        "table": {
            "name": Path(studio.start.table).name,
            "records": records,
            "columns": list(studio.desk.session.columns),
        },
        "params": dict(studio.start.params),
        "roles": roles_json(studio.roles),
        "sample": sample_json(studio),
        "show_records": studio.show_records,
        "has_suggest": importlib.util.find_spec("numpy") is not None,
        "release": _proposed_names(studio),
        "missing": {"drop": studio.drops_incomplete},
        "version": __version__,
    }


def state(studio: Studio, _: Body) -> dict[str, Any]:
    return {"version": studio.file.version, "show_records": studio.show_records}


def policy(studio: Studio, _: Body) -> dict[str, Any]:
    saved = studio.file.read()
    return {"text": saved.text, "version": saved.version}


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


def roles_json(roles: TableRoles) -> dict[str, list[str]]:
    return {
        "identifiers": list(roles.identifiers),
        "quasi_identifiers": list(roles.quasi_identifiers),
        "sensitive": list(roles.sensitive),
    }


def sample_json(studio: Studio) -> dict[str, int] | None:
    sample = studio.desk.sample
    return None if sample is None else {"records": sample.records, "of": sample.of}


def _proposed_names(studio: Studio) -> dict[str, str]:
    stem = Path(studio.file.path).stem
    return {"table": f"{stem}-released{suffix_of(studio)}", "report": f"{stem}-report.html"}


def require_shown(studio: Studio) -> None:
    if not studio.show_records:
        raise Refused(HTTPStatus.FORBIDDEN, "records are shown only after `show records` is switched on")
