"""Run the studio's server in its own thread, so that a signal is handled at once.

It listens on one port and accepts connections from this machine only. The routes are the page, its files, the preview,
and every question that a page may ask, each answered in a thread. The page loads only the studio's files: with a
nonce, or imported by one that has it."""

import base64
import errno
import hashlib
import os
import secrets
import socket
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from threading import Event, Thread
from typing import Any

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from acompass.assist.request_queue import Stale
from acompass.assist.studio import FILES, read_bundle
from acompass.assist.studio.access import HOST, MOST_BYTES, Access, Guard, refusal, too_large
from acompass.assist.studio.answers import files, measures, policy, table
from acompass.assist.studio.messages import Body, Refused, error_json
from acompass.assist.studio.question import Ask
from acompass.assist.studio.state import Start, Studio, Unseen
from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import AcompassError, CallError, Canceled, Diagnostic
from acompass.report.html import Html, tag
from acompass.report.page.layout import STYLE

#: seconds that an answer may still take when the studio ends
_GRACE = 1


@dataclass(frozen=True, slots=True)
class Running:
    access: Access
    _ended: Event

    def wait(self) -> None:
        """Return if the server ends by itself. A signal may interrupt this; if it interrupted `Thread.join`, the
        thread would count as ended."""
        self._ended.wait()


@contextmanager
def run_studio(start: Start, port: int | None = None) -> Iterator[Running]:
    """Open the table and answer questions; at the end, cancel all questions and remove temporary files."""
    with listen(port) as listening, _run_server(Studio(start), listening) as running:
        yield running


@contextmanager
def _run_server(studio: Studio, listening: socket.socket) -> Iterator[Running]:
    access = Access(listening_port(listening))
    server = _Server(_config(studio, access))
    thread = Thread(target=server.run, args=([listening],), name="acompass-studio")
    thread.start()
    try:
        server.answers.wait()
        yield Running(access, server.ended)
    finally:
        server.should_exit = True
        studio.stop()
        thread.join()


class _Server(uvicorn.Server):
    """Signals other threads when it starts to answer or fails to start, and when it has ended."""

    def __init__(self, config: uvicorn.Config):
        super().__init__(config)
        self.answers, self.ended = Event(), Event()

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            super().run(sockets)
        finally:
            self.answers.set()
            self.ended.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.answers.set()


def _config(studio: Studio, access: Access) -> uvicorn.Config:
    """Turn logs off: an address contains the token, and a traceback may contain record values."""
    return uvicorn.Config(
        studio_app(studio, access),
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
    )


_ANY_FREE = 0


def listen(port: int | None) -> socket.socket:
    """Listen on a port, by default a random free one."""
    # with an explicit protocol, asyncio sends small answers at once and not 40 ms later
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, _ANY_FREE if port is None else port))
    except OSError as error:
        listening.close()
        raise _unusable(port, error) from None
    return listening


def listening_port(listening: socket.socket) -> int:
    port: int = listening.getsockname()[1]
    return port


def _unusable(port: int | None, error: OSError) -> CallError:
    if error.errno == errno.EADDRINUSE:
        message, help_ = f"port {port} is in use", "choose another, or omit `--port` for a random free one"
    else:
        reason = (error.strerror or "unknown reason").lower()
        message, help_ = f"port {port} cannot be used: {reason}", "omit `--port` for a random free one"
    return CallError([Diagnostic("AC802", message, help=help_)])


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


class Question:
    """`without` are the other fields of the response if there are mistakes."""

    def __init__(self, answer: Callable[[Studio, Body], dict[str, Any]], **without: Any):
        self.answer, self.without = answer, without


def _about_text(answer: Callable[[Ask], dict[str, Any]], **without: Any) -> Question:
    return Question(lambda studio, body: answer(Ask.parse(studio, body)), **without)


ROUTES = {
    "open": Question(files.open_studio),
    "state": Question(files.state),
    "policy": Question(files.policy),
    "save": Question(files.save),
    "missing": Question(files.switch_missing),
    "all": Question(files.switch_all),
    "show": Question(files.show),
    "diagnose": _about_text(policy.find_diagnostics, parameters=[]),
    "hover": _about_text(policy.hover_at, hover=None),
    "complete": _about_text(policy.complete_at, completions=[]),
    "rename": _about_text(policy.rename_at, edits=[]),
    "references": _about_text(policy.references_at, definition=None, references=[]),
    "format": _about_text(policy.format_text, edits=[]),
    "symbols": _about_text(policy.outline, symbols=[]),
    "verdicts": _about_text(policy.judge, verdicts=None),
    "proofs": _about_text(policy.prove_policy, proofs=None),
    "claim": _about_text(policy.prove_typed, claim=None),
    "table": Question(table.describe_table, columns=[], records=None),
    "roles": Question(table.set_roles, templates=[]),
    "templates": Question(table.list_templates, templates=[]),
    "risk": _about_text(measures.assess, risk=None),
    "change": _about_text(measures.compare, change=None),
    "record": Question(policy.explain_record, lives=None),
    "suggest": Question(table.suggest, suggestion=None),
    "rules": Question(table.list_rules, rules=[]),
    "rule": Question(table.show_rule, rule=None),
    "rule/write": Question(table.write_rule_policy, text=None, files=[]),
    "rule/check": _about_text(table.check_rule, before=None, after=None),
    "stop": Question(table.stop),
    "progress": Question(table.progress),
    "preview": _about_text(files.preview, ok=False),
    "release": _about_text(files.release, released=None),
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
    script = tag("script", src="/static/studio.js", nonce=nonce, type="module")
    without = tag("noscript", "The studio needs JavaScript.")
    body = tag("body", tag("div", id="app"), without, script)
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"
