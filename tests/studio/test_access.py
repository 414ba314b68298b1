"""Only the studio's own page is answered, and nothing else is served."""

from pathlib import Path

import httpx
import pytest

from acompass.studio.access import Access
from acompass.studio.guard import MOST_BYTES
from acompass.studio.routes import ROUTES
from tests.studio.pages import Page, opened
from tests.studio.tables import written

ASKED = {"content": b"{}", "headers": {"Content-Type": "application/json"}}


def asked(page: Page, path: str = "/api/state", **headers: str) -> httpx.Response:
    """A question with other headers than the page's."""
    given = {"Origin": page.origin, "Content-Type": "application/json", **headers}
    return page.http.post(path, content=b"{}", headers=given)


def test_the_page_is_answered(page: Page) -> None:
    assert asked(page).status_code == 200
    assert page.http.get("/").status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "localhost:{port}", "127.0.0.1", "127.0.0.1:{port}.evil.example"],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_host_is_refused(page: Page, access: Access, host: str, method: str) -> None:
    """Also after the name of another site was made to lead here, with the right port."""
    headers = {
        "Host": host.format(port=access.port),
        "Origin": page.origin,
        "Content-Type": "application/json",
    }
    path = "/" if method == "GET" else "/api/policy"
    response = page.http.request(method, path, headers=headers, content=b"{}" if method == "POST" else None)
    assert response.status_code == 403
    assert "text" not in response.json()


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1",
        "http://localhost:{port}",
    ],
)
def test_another_origin_is_refused(page: Page, access: Access, origin: str) -> None:
    assert asked(page, Origin=origin.format(port=access.port)).status_code == 403


def test_a_question_without_an_origin_is_refused(page: Page) -> None:
    assert page.http.post("/api/state", json={}).status_code == 403


def test_a_foreign_origin_may_not_even_read(page: Page) -> None:
    assert page.http.get("/", headers={"Origin": "http://evil.example"}).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_may_not_load_a_file(page: Page, site: str) -> None:
    """Another port of this machine is of the same site."""
    assert page.http.get("/static/studio.js", headers={"Sec-Fetch-Site": site}).status_code == 403


def test_two_values_of_a_header_are_refused(page: Page) -> None:
    headers = [
        ("Origin", page.origin),
        ("Origin", "http://evil.example"),
        ("Content-Type", "application/json"),
    ]
    assert page.http.post("/api/state", content=b"{}", headers=headers).status_code == 403


@pytest.mark.parametrize("path", ["/", "/static/studio.js", "/static/studio.css", "/preview", "/nothing"])
def test_nothing_is_read_without_the_cookie(access: Access, path: str) -> None:
    with httpx.Client(base_url=access.origin) as stranger:
        assert stranger.get(path).status_code == 401


@pytest.mark.parametrize("name", sorted(ROUTES))
def test_no_question_is_answered_without_the_cookie(access: Access, name: str) -> None:
    with httpx.Client(base_url=access.origin) as stranger:
        response = stranger.post(f"/api/{name}", json={}, headers={"Origin": access.origin})
    assert response.status_code == 401
    assert set(response.json()) == {"error"}


@pytest.mark.parametrize("token", ["", "wrong", "é"])
def test_a_wrong_token_is_refused(access: Access, token: str) -> None:
    with httpx.Client(base_url=access.origin) as stranger:
        response = stranger.get("/", params={"token": token})
    assert response.status_code == 401
    assert "Set-Cookie" not in response.headers


def test_a_wrong_token_is_refused_despite_the_cookie(page: Page) -> None:
    assert page.http.get("/?token=wrong").status_code == 401


def test_the_token_is_swapped_for_a_cookie_that_scripts_cannot_read(access: Access) -> None:
    with httpx.Client(base_url=access.origin) as browser:
        response = browser.get(access.address)
        assert response.headers["Location"] == "/"
        name, _, attributes = response.headers["Set-Cookie"].partition("=")
        assert name == f"acompass-studio-{access.port}"
        assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(attributes.split("; "))
        assert access.token not in response.headers["Set-Cookie"]
        assert browser.get("/").status_code == 200


def test_a_browser_from_elsewhere_is_led_on_by_a_page(access: Access) -> None:
    """After a redirect, it would not send the strict cookie."""
    with httpx.Client(base_url=access.origin) as browser:
        response = browser.get(access.address, headers={"Sec-Fetch-Site": "cross-site"})
    assert response.status_code == 200
    assert 'content="0; url=/"' in response.text
    assert "Set-Cookie" in response.headers


def test_the_cookie_of_another_start_is_refused(tmp_path: Path, access: Access) -> None:
    with opened(*written(tmp_path)) as (_, other):
        secrets = {f"acompass-studio-{access.port}": other.cookie, other.cookie_name: other.cookie}
        with httpx.Client(base_url=access.origin, cookies=secrets) as stranger:
            assert stranger.get("/").status_code == 401


def test_two_studios_do_not_share_a_cookie(tmp_path: Path, page: Page) -> None:
    """A browser sends its cookies to every port of a machine."""
    with opened(*written(tmp_path)) as (_, other):
        page.http.get(other.address)
        assert page.http.get("/").status_code == 200
        assert page.http.get(f"{other.origin}/").status_code == 200


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_a_question_that_is_not_json_is_refused(page: Page, kind: str) -> None:
    """A form of another site can send these."""
    assert asked(page, **{"Content-Type": kind}).status_code == 415


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"1", b'{"a": "\\ud800"}', b"[" * 100_000, b"\xff"])
def test_a_body_that_is_no_object_is_refused(page: Page, content: bytes) -> None:
    headers = {"Origin": page.origin, "Content-Type": "application/json"}
    assert page.http.post("/api/state", content=content, headers=headers).status_code == 400


def test_a_large_body_is_refused(page: Page) -> None:
    headers = {"Origin": page.origin, "Content-Type": "application/json"}
    declared = page.http.post("/api/save", content=b" " * (MOST_BYTES + 1), headers=headers)
    streamed = page.http.post("/api/save", content=iter([b" " * (1 << 20)] * 30), headers=headers)
    assert (declared.status_code, streamed.status_code) == (413, 413)


@pytest.mark.parametrize("name", sorted(ROUTES))
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "HEAD"])
def test_questions_are_only_posted(page: Page, name: str, method: str) -> None:
    response = page.http.request(method, f"/api/{name}", headers={"Origin": page.origin})
    assert response.status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "/static/../studio.py",
        "/static/%2e%2e/studio.py",
        "/static/..%2fstudio.py",
        "/static/studio.py",
        "/static/",
        "/static//etc/passwd",
        "/people.csv",
        "/people.acp",
        "/..%2f..%2fetc%2fpasswd",
        "/api/",
        "/api/none",
    ],
)
def test_only_the_files_named_are_served(page: Page, path: str) -> None:
    response = page.http.get(httpx.URL(page.origin).copy_with(raw_path=path.encode()))
    assert response.status_code == 404


def test_the_page_loads_only_its_own_files(page: Page) -> None:
    first, second = page.http.get("/"), page.http.get("/")
    policy = first.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'nonce-")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert policy != second.headers["Content-Security-Policy"]
    assert "http" not in first.text


@pytest.mark.parametrize("path", ["/", "/static/studio.css", "/nothing"])
def test_every_answer_has_the_headers(page: Page, path: str) -> None:
    headers = page.http.get(path).headers
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert not [name for name in headers if name.lower().startswith("access-control")]
    assert "server" not in headers


def test_refusals_have_the_headers(access: Access) -> None:
    refused = httpx.get(access.origin)
    assert refused.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert refused.headers["Cache-Control"] == "no-store"
