"""The routes: the page, its files, the preview, and every question that a page may ask, each answered in a thread.

The page loads only the studio's two files, which carry a nonce."""

import base64
import hashlib
import os
import secrets
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, TypeAlias

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from acompass.assist.request_queue import Stale
from acompass.assist.studio import FILES, read_bundle
from acompass.assist.studio.access import MOST_BYTES, Access, Guard, refusal, too_large
from acompass.assist.studio.answers import files, measures, table, text, verdicts
from acompass.assist.studio.messages import Body, Refused, error_json
from acompass.assist.studio.policy_file import Unseen
from acompass.assist.studio.state import Studio
from acompass.dataclasses import dataclass, field
from acompass.errors.diagnostics import AcompassError, Canceled
from acompass.report.html import Html, tag
from acompass.report.page.layout import STYLE


def studio_app(studio: Studio, access: Access) -> Starlette:
    return Starlette(
        routes=[
            Route("/", page, methods=["GET"]),
            Route("/preview", lambda _: preview(studio.preview), methods=["GET"]),
            *map(_static, FILES),
            *(_question(studio, name) for name in ROUTES),
        ],
        middleware=[Middleware(Guard, access=access)],
        exception_handlers={HTTPException: _refuse, Refused: _refuse},
    )


def _static(name: str) -> Route:
    return Route(f"/static/{name}", lambda _: static_file(name), methods=["GET"])


def _question(studio: Studio, name: str) -> Route:
    async def endpoint(request: Request) -> Response:
        body = Body.read(name, await _content(request))
        answer = partial(answer_question, ROUTES[name], studio, body)
        return JSONResponse(await _unless_closed(request, answer, partial(studio.withdraw, body)))

    return Route(f"/api/{name}", endpoint, methods=["POST"])


async def _content(request: Request) -> bytes:
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > MOST_BYTES:
            raise too_large()
    return bytes(content)


async def _unless_closed(
    request: Request, answer: Callable[[], dict[str, Any] | Refused], withdraw: Callable[[], None]
) -> dict[str, Any]:
    """Answer the question, or withdraw it if the page closes the connection before."""
    async with anyio.create_task_group() as group:
        group.start_soon(_watch, request, withdraw)
        found = await anyio.to_thread.run_sync(answer)
        group.cancel_scope.cancel()
    if isinstance(found, Refused):
        raise found
    return found


async def _watch(request: Request, withdraw: Callable[[], None]) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    await anyio.to_thread.run_sync(withdraw)


async def _refuse(_: Request, error: Exception) -> Response:
    match error:
        case Refused():
            return refusal(error)
        case HTTPException():
            return refusal(Refused(error.status_code, error.detail.lower()))
        case _:
            return refusal(Refused(HTTPStatus.INTERNAL_SERVER_ERROR, "internal error"))


Answer: TypeAlias = Callable[[Studio, Body], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Question:
    answer: Answer
    without: Mapping[str, Any] = field(default_factory=dict)  # other fields of the response if there are mistakes


ROUTES = {
    "open": Question(files.open_studio),
    "state": Question(files.state),
    "policy": Question(files.policy),
    "save": Question(files.save),
    "missing": Question(files.switch_missing),
    "all": Question(files.switch_all),
    "show": Question(files.show),
    "diagnose": Question(text.find_diagnostics, {"parameters": []}),
    "hover": Question(text.hover_at, {"hover": None}),
    "complete": Question(text.complete_at, {"completions": []}),
    "rename": Question(text.rename_at, {"edits": []}),
    "references": Question(text.references_at, {"definition": None, "references": []}),
    "format": Question(text.format_text, {"edits": []}),
    "symbols": Question(text.outline, {"symbols": []}),
    "verdicts": Question(verdicts.judge, {"verdicts": None}),
    "proofs": Question(verdicts.prove_policy, {"proofs": None}),
    "claim": Question(verdicts.prove_typed, {"claim": None}),
    "table": Question(table.describe_table, {"columns": [], "records": None}),
    "roles": Question(table.set_roles, {"templates": []}),
    "templates": Question(table.list_templates, {"templates": []}),
    "risk": Question(measures.assess, {"risk": None}),
    "change": Question(measures.compare, {"change": None}),
    "record": Question(verdicts.explain_record, {"lives": None}),
    "suggest": Question(table.suggest, {"suggestion": None}),
    "stop": Question(table.stop),
    "progress": Question(table.progress),
    "preview": Question(files.preview, {"ok": False}),
    "release": Question(files.release, {"released": None}),
}

#: the answer to a question that a newer one of the same page replaces
STALE = {"stale": True}


def answer_question(question: Question, studio: Studio, body: Body) -> dict[str, Any] | Refused:
    try:
        return question.answer(studio, body)
    except (Stale, Canceled):
        return STALE
    except AcompassError as error:
        return {**question.without, "diagnostics": error_json(error, body)}
    except Unseen as error:
        message = "the policy file was changed outside this page"
        return Refused(HTTPStatus.CONFLICT, message, text=error.now.text, version=error.now.version)
    except Refused as refused:
        return refused
    except Exception as error:
        return _internal(error)


def _internal(error: Exception) -> Refused:
    """Report only the exception's type: its message may contain record values."""
    if os.environ.get("ACOMPASS_DEBUG"):
        traceback.print_exception(error)
    return Refused(HTTPStatus.INTERNAL_SERVER_ERROR, f"internal error: `{type(error).__name__}`", code="AC901")


def page(_: Request) -> Response:
    nonce = secrets.token_urlsafe(16)
    return _response(_html(nonce), _policy(nonce))


def preview(report: str | None) -> Response:
    """A report has a style and no script, and is shown only in a frame of the page."""
    if report is None:
        raise Refused(HTTPStatus.NOT_FOUND, "no preview was requested")
    hashed = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    return _response(report, f"default-src 'none'; style-src 'sha256-{hashed}'; frame-ancestors 'self'; sandbox")


def _response(html: str, content_policy: str) -> Response:
    return Response(html, media_type="text/html", headers={"Content-Security-Policy": content_policy})


def static_file(name: str) -> Response:
    return Response(read_bundle(name), media_type=FILES[name])


def _policy(nonce: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'nonce-{nonce}'",
            f"style-src 'nonce-{nonce}'",
            "connect-src 'self'",
            "img-src 'self' data:",
            "frame-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def _html(nonce: str) -> str:
    head = tag(
        "head",
        Html('<meta charset="utf-8">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html(f'<meta name="nonce" content="{nonce}">'),
        Html('<link rel="icon" href="data:,">'),
        Html(f'<link rel="stylesheet" href="/static/studio.css" nonce="{nonce}">'),
        tag("title", "A-COMPASS Studio"),
    )
    script = tag("script", src="/static/studio.js", nonce=nonce, defer="")
    without = tag("noscript", "The studio needs JavaScript.")
    body = tag("body", tag("div", id="app"), without, script)
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"
