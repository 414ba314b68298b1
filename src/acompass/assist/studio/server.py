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
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from acompass.assist.request_queue import Stale
from acompass.assist.studio import FILES, read_bundle
from acompass.assist.studio.access import HOST, MOST_BYTES, UPLOAD, Access, Guard, refusal, too_large
from acompass.assist.studio.answers import (
    columns,
    hierarchies,
    measures,
    opening,
    policy,
    refine,
    release,
    rules,
    search,
    start,
)
from acompass.assist.studio.messages import Body, Refused, error_json, page_spelling
from acompass.assist.studio.question import Question
from acompass.assist.studio.saved_files import Unseen, UnseenSettings
from acompass.assist.studio.state import Project, Start, files_id
from acompass.assist.studio.workspace import Workspace
from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import AcompassError, CallError, Canceled, Diagnostic, spelled_by
from acompass.errors.display import reason_of
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
def run_studio(start: Start | None, port: int | None = None, folder: str = ".") -> Iterator[Running]:
    """Open the table, if any, and answer questions; at the end, cancel all questions and remove temporary files.

    `folder` is the one that the start page shows. While the studio runs, messages name the controls of its page in
    place of options."""
    with listen(port, files_id(start)) as listening:
        workspace = Workspace(start, folder)
        with spelled_by(page_spelling), _run_server(workspace, listening) as running:
            yield running


@contextmanager
def _run_server(workspace: Workspace, listening: socket.socket) -> Iterator[Running]:
    access = Access(listening_port(listening))
    server = _Server(_config(workspace, access))
    thread = Thread(target=server.run, args=([listening],), name="acompass-studio")
    thread.start()
    try:
        server.answers.wait()
        yield Running(access, server.ended)
    finally:
        server.should_exit = True
        workspace.stop()
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


def _config(workspace: Workspace, access: Access) -> uvicorn.Config:
    """Turn logs off: an address contains the token, and a traceback may contain record values."""
    return uvicorn.Config(
        studio_app(workspace, access),
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
#: the ports that a studio tries by itself: browsers block none of them, and systems give none to other connections
_OWN_PORTS = range(20_000, 32_000)


def listen(port: int | None, files: str = "") -> socket.socket:
    """Listen on a port; by default on the same one for the same files, or on a random free one if it is in use.

    With the same port, the pages of an earlier start find this one. The address is not a secret; the token is.
    """
    if port is not None:
        return _bind(port)
    try:
        return _bind(_OWN_PORTS[int(hashlib.sha256(files.encode()).hexdigest(), 16) % len(_OWN_PORTS)])
    except CallError:
        return _bind(_ANY_FREE)


def _bind(port: int) -> socket.socket:
    # with an explicit protocol, asyncio sends small answers at once and not 40 ms later
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise _unusable(port, error) from None
    return listening


def listening_port(listening: socket.socket) -> int:
    port: int = listening.getsockname()[1]
    return port


def _unusable(port: int, error: OSError) -> CallError:
    if error.errno == errno.EADDRINUSE:
        message, help_ = f"port {port} is in use", "choose another, or omit `--port`"
    else:
        reason = reason_of(error)
        message, help_ = f"port {port} cannot be used: {reason}", "omit `--port`"
    return CallError([Diagnostic("AC802", message, help=help_)])


def studio_app(workspace: Workspace, access: Access) -> Starlette:
    return Starlette(
        routes=[
            Route("/", page, methods=["GET"]),
            Route("/preview", lambda _: preview(workspace.project), methods=["GET"]),
            *(_written_report(workspace, name) for name in ("report", "internal")),
            *map(_static, FILES),
            Route(UPLOAD, partial(receive_table, workspace), methods=["POST"]),
            *(_question(workspace, name) for name in QUESTIONS),
        ],
        middleware=[Middleware(Guard, access=access)],
        exception_handlers={HTTPException: _refuse, Refused: _refuse},
    )


def _written_report(workspace: Workspace, name: str) -> Route:
    return Route(f"/released/{name}", lambda _: written_report(workspace.project, name), methods=["GET"])


def _static(name: str) -> Route:
    return Route(f"/static/{name}", lambda _: static_file(name), methods=["GET"])


def _question(workspace: Workspace, name: str) -> Route:
    async def endpoint(request: Request) -> Response:
        body = Body.read(name, await _content(request))
        answer = partial(answer_question, QUESTIONS[name], workspace, body)
        return JSONResponse(await _unless_closed(request, answer, partial(workspace.withdraw, body)))

    return Route(f"/api/{name}", endpoint, methods=["POST"])


async def receive_table(workspace: Workspace, request: Request) -> Response:
    """Keep a table that a page sends, without holding it in memory. Nothing is kept of an incomplete one."""
    name = request.query_params.get("name", "")
    try:
        with workspace.private.receive(name) as received:
            async for chunk in request.stream():
                await anyio.to_thread.run_sync(received.add, chunk)
            path = await anyio.to_thread.run_sync(received.finish)
    except ClientDisconnect:
        raise Refused(HTTPStatus.BAD_REQUEST, "the page stopped sending the table") from None
    except OSError as error:
        raise Refused(HTTPStatus.INSUFFICIENT_STORAGE, f"{name} cannot be kept: {reason_of(error)}") from None
    return JSONResponse({"path": str(path), "folder": str(path.parent)})


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


QUESTIONS = {
    **opening.QUESTIONS,
    **start.QUESTIONS,
    **columns.QUESTIONS,
    **hierarchies.QUESTIONS,
    **search.QUESTIONS,
    **rules.QUESTIONS,
    **policy.QUESTIONS,
    **measures.QUESTIONS,
    **refine.QUESTIONS,
    **release.QUESTIONS,
}

#: the answer to a question that a newer one of the same page replaces
STALE = {"stale": True}


def answer_question(question: Question, workspace: Workspace, body: Body) -> dict[str, Any] | Refused:
    try:
        return question.answer(workspace, body)
    except (Stale, Canceled):
        return STALE
    except AcompassError as error:
        return {**question.without, "diagnostics": error_json(error, body)}
    except Unseen as error:
        message = "the policy file was changed outside this page"
        return Refused(HTTPStatus.CONFLICT, message, text=error.now.text, version=error.now.version)
    except UnseenSettings:
        message = "the acompass.toml was changed outside the studio"
        return Refused(HTTPStatus.CONFLICT, message, settings=True)
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


def preview(project: Project | None) -> Response:
    if project is None or project.preview is None:
        raise Refused(HTTPStatus.NOT_FOUND, "no preview was requested")
    return _report(project.preview)


def written_report(project: Project | None, name: str) -> Response:
    """A report of the last release, as it is on disk now."""
    path = None if project is None else project.reports.get(name)
    if path is None or not path.is_file():
        raise Refused(HTTPStatus.NOT_FOUND, "no such report was written")
    return _report(path.read_text(encoding="utf-8"))


def _report(report: str) -> Response:
    """A report has a style and no script, and is shown in a tab of its own or in a frame of the page."""
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
