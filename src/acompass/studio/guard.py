"""Before any route: which requests are answered at all, and the headers of every answer.

A page of another site can make the browser send requests here. Its own name in Host or Origin gives it away,
also after its name was made to lead to this machine, and it cannot send JSON or the cookie.
"""

from collections.abc import Iterator
from http import HTTPStatus
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from acompass.studio.access import Access
from acompass.studio.body import Refused

#: a policy may have 10 MiB, and JSON escapes some of it
MOST_BYTES = 24 << 20

#: routes may set their own policy for content, no other
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_NOTHING_LOADED = "default-src 'none'; frame-ancestors 'none'"
_READING, _ASKING = "GET", "POST"
#: what a browser says of the page that a request comes from; another port of this machine is `same-site`
_NONE = "none"
_OWN_SITES = (_NONE, "same-origin")

_ONWARD = '<!DOCTYPE html><meta http-equiv="refresh" content="0; url=/"><title>A-COMPASS Studio</title>'
_NO_COOKIE = "open the address that `acompass studio` prints: it contains the token of this start"


class Guard:
    def __init__(self, app: ASGIApp, access: Access):
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        sending = _with_headers(send)
        try:
            self._require_allowed(scope)
        except Refused as refused:
            await refusal(refused)(scope, receive, sending)
            return
        if (response := self._entered(scope)) is not None:
            await response(scope, receive, sending)
            return
        await self._app(scope, receive, sending)

    def _require_allowed(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        _require_one(headers, "host", self._access.host, HTTPStatus.FORBIDDEN)
        if headers.getlist("origin") or scope["method"] != _READING:
            _require_one(headers, "origin", self._access.origin, HTTPStatus.FORBIDDEN)
        if self._token(scope) is None and not self._access.has_cookie(headers.get("cookie", "")):
            raise Refused(HTTPStatus.UNAUTHORIZED, _NO_COOKIE)
        if scope["path"] != "/" and headers.get("sec-fetch-site", _NONE) not in _OWN_SITES:
            raise Refused(HTTPStatus.FORBIDDEN, "a request of another site is not answered")
        if scope["method"] == _ASKING:
            _require_json(headers)

    def _entered(self, scope: Scope) -> Response | None:
        """The answer to a request that brings the token: it is swapped for the cookie."""
        token = self._token(scope)
        if token is None:
            return None
        if not self._access.has_token(token):
            return refusal(Refused(HTTPStatus.UNAUTHORIZED, _NO_COOKIE))
        return _entry(Headers(scope=scope), self._access.set_cookie)

    def _token(self, scope: Scope) -> str | None:
        if scope["path"] != "/" or scope["method"] != _READING:
            return None
        given = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True).get("token")
        return None if given is None else given[0]


def _entry(headers: Headers, set_cookie: str) -> Response:
    """On to the page. A browser that comes from elsewhere, such as from a local file, would not send a strict
    cookie after a redirect. It sends it where this page leads."""
    if headers.get("sec-fetch-site", _NONE) in _OWN_SITES:
        location = {"Location": "/", "Set-Cookie": set_cookie}
        return Response(status_code=HTTPStatus.SEE_OTHER, headers=location)
    return HTMLResponse(_ONWARD, headers={"Set-Cookie": set_cookie})


def _require_one(headers: Headers, name: str, value: str, status: HTTPStatus) -> None:
    if headers.getlist(name) != [value]:
        raise Refused(status, f"a request with another {name.capitalize()} is not answered")


def _require_json(headers: Headers) -> None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a request has to be JSON")
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length) > MOST_BYTES:
        raise too_large()


def too_large() -> Refused:
    return Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MOST_BYTES >> 20} MiB")


def refusal(refused: Refused) -> Response:
    return JSONResponse({"error": {"message": refused.message}, **refused.beside}, refused.status)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _added(headers):
                headers[name] = value
        await send(message)

    return sending


def _added(headers: MutableHeaders) -> Iterator[tuple[str, str]]:
    yield from _HEADERS.items()
    if "Content-Security-Policy" not in headers:
        yield "Content-Security-Policy", _NOTHING_LOADED
