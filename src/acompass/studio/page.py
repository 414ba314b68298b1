"""The page, and what it may load: the two files of the studio by a nonce, nothing from elsewhere."""

import base64
import hashlib
import secrets
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from acompass.report.html.elements import Html, tag
from acompass.report.html.page import STYLE
from acompass.studio.body import Refused
from acompass.studio.bundle import FILES, bundled


def page(_: Request) -> Response:
    nonce = secrets.token_urlsafe(16)
    return _response(_html(nonce), _policy(nonce))


def preview(report: str | None) -> Response:
    """A report has a style and no script, and is shown in a frame of the page only."""
    if report is None:
        raise Refused(HTTPStatus.NOT_FOUND, "no preview was asked for")
    hashed = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    return _response(
        report, f"default-src 'none'; style-src 'sha256-{hashed}'; frame-ancestors 'self'; sandbox"
    )


def _response(html: str, content_policy: str) -> Response:
    return Response(html, media_type="text/html", headers={"Content-Security-Policy": content_policy})


def static_file(name: str) -> Response:
    return Response(bundled(name), media_type=FILES[name])


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
