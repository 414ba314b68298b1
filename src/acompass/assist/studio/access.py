"""Control access to the studio with secrets that are new at each start and compared in constant time.

The guard runs before any route, decides which requests are answered, and sets the headers of every answer. A page of
another site can make the browser send requests to the studio. The Host or Origin header gives it away, even if its
name resolves to this machine, and it cannot send JSON or the cookie."""

import hmac
import secrets
from collections.abc import Iterator
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from acompass.assist.studio.messages import Refused
from acompass.dataclasses import dataclass, field

#: the only address that the server listens on
HOST = "127.0.0.1"
_BYTES = 32


def _new_secret() -> str:
    return secrets.token_urlsafe(_BYTES)


@dataclass(frozen=True, slots=True)
class Access:
    """The token is in the address that opens the page; the page itself has only the cookie, which scripts cannot read.

    Two studios have different ports, and so different cookie names.
    """

    port: int
    token: str = field(default_factory=_new_secret, repr=False)
    cookie: str = field(default_factory=_new_secret, repr=False)

    @property
    def host(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    @property
    def address(self) -> str:
        return f"{self.origin}/?token={self.token}"

    @property
    def cookie_name(self) -> str:
        return f"acompass-studio-{self.port}"

    @property
    def set_cookie(self) -> str:
        return f"{self.cookie_name}={self.cookie}; HttpOnly; SameSite=Strict; Path=/"

    def has_token(self, token: str) -> bool:
        return _equal(token, self.token)

    def has_cookie(self, header: str) -> bool:
        try:
            morsel = SimpleCookie(header).get(self.cookie_name)
        except CookieError:
            return False
        return morsel is not None and _equal(morsel.value, self.cookie)


def _equal(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode(), secret.encode())


#: a policy may have 10 MiB, and JSON escapes some of it
MOST_BYTES = 24 << 20
#: a table that a page sends; larger ones are opened where they are
MOST_SENT = 4 << 30
#: the only route that takes a table instead of JSON
UPLOAD = "/api/upload"
_JSON, _TABLE = "application/json", "application/octet-stream"

#: routes may override only the content security policy
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_NOTHING_LOADED = "default-src 'none'; frame-ancestors 'none'"
_READING, _ASKING = "GET", "POST"
#: values of Sec-Fetch-Site; another port of this machine is `same-site`
_NONE = "none"
_OWN_SITES = (_NONE, "same-origin")

_ONWARD = '<!DOCTYPE html><meta http-equiv="refresh" content="0; url=/"><title>A-COMPASS Studio</title>'
_NO_COOKIE = "open the address that `acompass studio` printed: it contains the current token"


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
        if (response := self._enter(scope)) is not None:
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
            raise Refused(HTTPStatus.FORBIDDEN, "requests from other sites are not answered")
        if scope["method"] == _ASKING:
            is_table = scope["path"] == UPLOAD
            _require_content(headers, *((_TABLE, MOST_SENT) if is_table else (_JSON, MOST_BYTES)))

    def _enter(self, scope: Scope) -> Response | None:
        """Exchange the token, if the request has one, for the cookie."""
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
    """Redirect to the page. A browser that comes from elsewhere, such as from a local file, does not send a strict
    cookie after a redirect, but does after a page that refreshes."""
    if headers.get("sec-fetch-site", _NONE) in _OWN_SITES:
        location = {"Location": "/", "Set-Cookie": set_cookie}
        return Response(status_code=HTTPStatus.SEE_OTHER, headers=location)
    return HTMLResponse(_ONWARD, headers={"Set-Cookie": set_cookie})


def _require_one(headers: Headers, name: str, value: str, status: HTTPStatus) -> None:
    if headers.getlist(name) != [value]:
        raise Refused(status, f"requests with another {name.capitalize()} are not answered")


def _require_content(headers: Headers, expected: str, most: int) -> None:
    """Both types are such that a browser asks the studio before it sends them from another site."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != expected:
        name = "JSON" if expected == _JSON else f"`{expected}`"
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"the request is not {name}")
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length) > most:
        raise too_large() if expected == _JSON else too_large_table()


def too_large() -> Refused:
    return Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request is larger than {MOST_BYTES >> 20} MiB")


def too_large_table() -> Refused:
    message = f"the file is larger than {MOST_SENT >> 30} GiB: copy it to a folder of this computer and open it there"
    return Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)


def refusal(refused: Refused) -> Response:
    return JSONResponse({"error": {"message": refused.message}, **refused.fields}, refused.status)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _headers_to_add(headers):
                headers[name] = value
        await send(message)

    return sending


def _headers_to_add(headers: MutableHeaders) -> Iterator[tuple[str, str]]:
    yield from _HEADERS.items()
    if "Content-Security-Policy" not in headers:
        yield "Content-Security-Policy", _NOTHING_LOADED
