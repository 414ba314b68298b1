"""The routes: the page, its files, the preview, and the questions, each answered in a thread of its own."""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from acompass.studio.access import Access
from acompass.studio.answering import answered
from acompass.studio.body import Body, Refused
from acompass.studio.bundle import FILES
from acompass.studio.guard import MOST_BYTES, Guard, refusal, too_large
from acompass.studio.page import page, preview, static_file
from acompass.studio.routes import ROUTES
from acompass.studio.studio import Studio


def studio_app(studio: Studio, access: Access) -> Starlette:
    return Starlette(
        routes=[
            Route("/", page, methods=["GET"]),
            Route("/preview", lambda _: preview(studio.preview), methods=["GET"]),
            *map(_static, FILES),
            *(_question(studio, name) for name in ROUTES),
        ],
        middleware=[Middleware(Guard, access=access)],
        exception_handlers={HTTPException: _refused, Refused: _refused},
    )


def _static(name: str) -> Route:
    return Route(f"/static/{name}", lambda _: static_file(name), methods=["GET"])


def _question(studio: Studio, name: str) -> Route:
    async def endpoint(request: Request) -> Response:
        body = Body.read(name, await _content(request))
        answer = partial(answered, ROUTES[name], studio, body)
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
    """The answer. If the page closes the connection before, the question is withdrawn."""
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


async def _refused(_: Request, error: Exception) -> Response:
    match error:
        case Refused():
            return refusal(error)
        case HTTPException():
            return refusal(Refused(error.status_code, error.detail.lower()))
        case _:
            return refusal(Refused(HTTPStatus.INTERNAL_SERVER_ERROR, "internal error"))
