"""The studio answers only its own page, and serves nothing else."""

from base64 import b64encode
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest

from acompass.assist.studio.access import MOST_BYTES, MOST_SENT, Access
from acompass.assist.studio.server import QUESTIONS
from acompass.assist.studio.settings import FRONT_PAGE
from tests.assist.studio.browsing import write_people
from tests.assist.studio.pages import Page, open_studio, values_in
from tests.folding import folded

UPLOAD = "/api/upload?name=people.csv"
TABLE_TYPE = "application/octet-stream"


def upload(page: Page, content: bytes, name: str = "people.csv", **headers: str) -> httpx.Response:
    """Send a table, with headers that override the page's."""
    given = {"Origin": page.origin, "Content-Type": TABLE_TYPE, **headers}
    return page.http.post("/api/upload", params={"name": name}, content=content, headers=given)


def test_a_table_is_taken_from_the_page_only(page: Page, access: Access) -> None:
    assert upload(page, b"Age\n1\n").status_code == 200
    assert upload(page, b"Age\n1\n", Origin="http://evil.example").status_code == 403
    assert upload(page, b"Age\n1\n", Host="evil.example").status_code == 403
    assert upload(page, b"Age\n1\n", **{"Sec-Fetch-Site": "same-site"}).status_code == 403
    with httpx.Client(base_url=access.origin) as stranger:
        headers = {"Origin": access.origin, "Content-Type": TABLE_TYPE}
        assert stranger.post(UPLOAD, content=b"Age\n1\n", headers=headers).status_code == 401
    assert page.http.get(UPLOAD).status_code == 405


@pytest.mark.parametrize("kind", ["text/plain", "application/json", "multipart/form-data", ""])
def test_a_table_in_a_type_that_a_form_can_send_is_rejected(page: Page, kind: str) -> None:
    assert upload(page, b"Age\n1\n", **{"Content-Type": kind}).status_code == 415
    assert post(page, **{"Content-Type": TABLE_TYPE}).status_code == 415


def test_a_table_that_is_too_large_is_rejected_before_it_is_sent(page: Page) -> None:
    connection = HTTPConnection(page.origin.removeprefix("http://"))
    connection.putrequest("POST", UPLOAD)
    cookie = "; ".join(f"{name}={value}" for name, value in page.http.cookies.items())
    length = str(MOST_SENT + 1)
    headers = {"Origin": page.origin, "Content-Type": TABLE_TYPE, "Cookie": cookie, "Content-Length": length}
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders(b"Age\n")
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.parametrize(
    "name", ["../people.csv", "/etc/people.csv", "a\\people.csv", ".people.csv", "people.exe", "people", "", "a\0.csv"]
)
def test_a_name_that_is_no_name_of_a_table_is_rejected(page: Page, name: str) -> None:
    assert upload(page, b"Age\n1\n", name).status_code in (400, 415)


@pytest.mark.parametrize("path", ["/etc/passwd", "/etc/hosts", "/proc/self/environ"])
def test_a_file_that_is_no_table_is_not_read(page: Page, path: str) -> None:
    """What the page may open ends as a table or a policy does (D37, headers)."""
    for name in ("open/table", "detect"):
        answer = page.ask(name, path=path, reading={})
        assert [each["code"] for each in answer["diagnostics"]] == ["AC252"]
        assert "root:" not in str(answer)


def post(page: Page, path: str = "/api/state", **headers: str) -> httpx.Response:
    """Ask a question, with headers that override the page's."""
    given = {"Origin": page.origin, "Content-Type": "application/json", **headers}
    return page.http.post(path, content=b"{}", headers=given)


def test_the_page_is_answered(page: Page) -> None:
    assert post(page).status_code == 200
    assert page.http.get("/").status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "localhost:{port}", "127.0.0.1", "127.0.0.1:{port}.evil.example"],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_host_is_rejected(page: Page, access: Access, host: str, method: str) -> None:
    """DNS rebinding: the name of another site resolves to this machine, with the right port."""
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
def test_another_origin_is_rejected(page: Page, access: Access, origin: str) -> None:
    assert post(page, Origin=origin.format(port=access.port)).status_code == 403


def test_a_request_without_an_origin_is_rejected(page: Page) -> None:
    assert page.http.post("/api/state", json={}).status_code == 403


def test_another_origin_may_not_even_read(page: Page) -> None:
    assert page.http.get("/", headers={"Origin": "http://evil.example"}).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_may_not_load_a_file(page: Page, site: str) -> None:
    """Another port of this machine is the same site."""
    assert page.http.get("/static/studio.js", headers={"Sec-Fetch-Site": site}).status_code == 403


def test_a_repeated_header_is_rejected(page: Page) -> None:
    headers = [
        ("Origin", page.origin),
        ("Origin", "http://evil.example"),
        ("Content-Type", "application/json"),
    ]
    assert page.http.post("/api/state", content=b"{}", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "path", ["/", "/static/studio.js", "/static/more.js", "/static/studio.css", "/preview", "/nothing"]
)
def test_nothing_is_read_without_the_cookie(access: Access, path: str) -> None:
    with httpx.Client(base_url=access.origin) as stranger:
        assert stranger.get(path).status_code == 401


@pytest.fixture(scope="module")
def stranger(access: Access) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=access.origin) as stranger:
        yield stranger


@folded("name", sorted(QUESTIONS))
def test_no_request_is_answered_without_the_cookie(access: Access, stranger: httpx.Client, name: str) -> None:
    response = stranger.post(f"/api/{name}", json={}, headers={"Origin": access.origin})
    assert response.status_code == 401
    assert set(response.json()) == {"error"}


@pytest.mark.parametrize("token", ["", "wrong", "é"])
def test_a_wrong_token_is_rejected(access: Access, token: str) -> None:
    with httpx.Client(base_url=access.origin) as stranger:
        response = stranger.get("/", params={"token": token})
    assert response.status_code == 401
    assert "Set-Cookie" not in response.headers


def test_a_wrong_token_is_rejected_despite_the_cookie(page: Page) -> None:
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


def test_a_browser_that_comes_from_another_site_is_forwarded_by_a_page(access: Access) -> None:
    """After a redirect, it would not send the strict cookie."""
    with httpx.Client(base_url=access.origin) as browser:
        response = browser.get(access.address, headers={"Sec-Fetch-Site": "cross-site"})
    assert response.status_code == 200
    assert 'content="0; url=/"' in response.text
    assert "Set-Cookie" in response.headers


def test_the_cookie_of_another_studio_is_rejected(tmp_path: Path, access: Access) -> None:
    with open_studio(*write_people(tmp_path)) as (_, other):
        secrets = {f"acompass-studio-{access.port}": other.cookie, other.cookie_name: other.cookie}
        with httpx.Client(base_url=access.origin, cookies=secrets) as stranger:
            assert stranger.get("/").status_code == 401


def test_two_studios_do_not_share_a_cookie(tmp_path: Path, page: Page) -> None:
    """A browser sends its cookies to every port of a machine."""
    with open_studio(*write_people(tmp_path)) as (_, other):
        page.http.get(other.address)
        assert page.http.get("/").status_code == 200
        assert page.http.get(f"{other.origin}/").status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_request_that_is_not_json_is_rejected(page: Page, kind: str) -> None:
    """A form on another site can send these types."""
    assert post(page, **{"Content-Type": kind}).status_code == 415


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"1", b'{"a": "\\ud800"}', b"[" * 100_000, b"\xff"])
def test_a_body_that_is_not_an_object_is_rejected(page: Page, content: bytes) -> None:
    headers = {"Origin": page.origin, "Content-Type": "application/json"}
    assert page.http.post("/api/state", content=content, headers=headers).status_code == 400


def test_a_large_body_is_rejected(page: Page) -> None:
    headers = {"Origin": page.origin, "Content-Type": "application/json"}
    declared = page.http.post("/api/save", content=b" " * (MOST_BYTES + 1), headers=headers)
    streamed = page.http.post("/api/save", content=iter([b" " * (1 << 20)] * 30), headers=headers)
    assert (declared.status_code, streamed.status_code) == (413, 413)


@folded("name", sorted(QUESTIONS))
@folded("method", ["GET", "PUT", "DELETE", "OPTIONS", "HEAD"])
def test_requests_must_be_posted(page: Page, name: str, method: str) -> None:
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
def test_only_listed_files_are_served(page: Page, path: str) -> None:
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
def test_every_response_has_the_security_headers(page: Page, path: str) -> None:
    headers = page.http.get(path).headers
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert not [name for name in headers if name.lower().startswith("access-control")]
    assert "server" not in headers


def test_rejections_have_the_security_headers(access: Access) -> None:
    refused = httpx.get(access.origin)
    assert refused.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert refused.headers["Cache-Control"] == "no-store"


NAMES = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a\nb",
    "\u202egnp.exe",
    "'; DROP TABLE x;--",
    "{{7*7}}",
]


def quote(field: str) -> str:
    return '"' + field.replace('"', '""') + '"'


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each value occurs often enough to be shown."""
    lines = [NAMES, *([NAMES] * 30), *([["1", "2", "3", "4", "5", "6"]] * 12)]
    table = "".join(",".join(map(quote, line)) + "\n" for line in lines)
    folder = tmp_path_factory.mktemp("hostile")
    return write_people(folder, "", table)[0]


def test_names_and_values_are_sent_as_data(hostile: Path) -> None:
    with open_studio(hostile, hostile.with_suffix(".csv"), reading={"header": True}) as (page, _):
        assert page.ask("open")["opened"]["table"]["columns"] == NAMES
        table = page.send("table")
        assert table.headers["Content-Type"] == "application/json"
        columns = table.json()["columns"]
        assert [each["name"] for each in columns] == NAMES
        for name, column in zip(NAMES, columns, strict=True):
            assert " ".join(name.split()) in [" ".join(bar["label"].split()) for bar in column["bars"]]
            assert not any("script" in bar["bar"] or "onerror" in bar["bar"] for bar in column["bars"])


def test_charts_and_reports_escape_names_and_values(hostile: Path) -> None:
    with open_studio(hostile, hostile.with_suffix(".csv"), reading={"header": True}) as (page, _):
        roles = {"quasi_identifiers": NAMES[:2], "sensitive": NAMES[2:3], "identifiers": [], "other": NAMES[3:]}
        templates = page.ask("roles", roles=roles)["templates"]
        text = next(each["text"] for each in templates if "GROUP BY" in each["text"])
        answer = page.ask_about("risk", text, {"k": "2", "l": "1"}, roles=roles)
        assert answer["diagnostics"] == []
        assert "<script" not in answer["risk"]["chart"]
        assert "<img" not in answer["risk"]["chart"]
        assert page.ask_about("preview", text, {"k": "2", "l": "1"})["diagnostics"] == []
        preview = page.http.get("/preview")
        assert "<script>alert" not in preview.text
        assert "<img" not in preview.text
        assert "&lt;script&gt;" in preview.text
        assert "script-src" not in preview.headers["Content-Security-Policy"]
        assert preview.headers["Content-Security-Policy"].endswith("sandbox")


def test_a_hostile_policy_is_text(page: Page) -> None:
    text = "EACH RESULT : \"<script>alert(1)</script>\" = '</textarea><script>';"
    answer = page.send("diagnose", text=text, params={"<b>": "1"})
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_page_itself_contains_no_name_from_the_files(tmp_path: Path) -> None:
    policy, table = write_people(tmp_path, "-- <script>alert(1)</script>\n")
    hostile = tmp_path / "<img src=x>.csv"
    table.rename(hostile)
    with open_studio(policy, hostile) as (page, _):
        assert "<img" not in page.http.get("/").text
        assert page.ask("open")["opened"]["table"]["name"] == "<img src=x>.csv"


#: each value of Name, Age and Born occurs once, in fewer records than a report may show
PEOPLE_NAMES = [f"marker{number:03d}x" for number in range(40)]
AGES = [20 + 13 * number + 70_000 for number in range(40)]
DATES = [f"19{10 + number}-03-17" for number in range(40)]
TABLE = "Name,Age,Born,Team\n" + "".join(
    f"{name},{age},{born},{'abcd'[place % 4]}\n"
    for place, (name, age, born) in enumerate(zip(PEOPLE_NAMES, AGES, DATES, strict=True))
)
VALUES = [*PEOPLE_NAMES, *map(str, AGES), *DATES]

POLICY = """\
EACH RESULT : Age <= k : REPLACE Age WITH 3;
EACH PROCESS COUNT(*) AS n GROUP BY Team, Born : n >= 2 : GENERALIZE Born TO YEAR THEN REJECT;
EACH RESULT : Name != 'none';
"""
ROLES = {"identifiers": ["Name"], "quasi_identifiers": ["Age", "Born", "Team"], "sensitive": ["Name"]}
ASK = {"text": POLICY, "params": {"k": "71000"}}
PLACES = [{"at": place} for place in range(0, len(POLICY), 3)]

RULE = "cms-cell-size"
RULE_COLUMNS = [{"cell": names, "count": [], "beneficiary": []} for names in (["Team", "Born"], ["Name"], ["none"])]


def _hierarchy(names: list[str]) -> str:
    return b64encode("".join(f"{name};first;*\n" for name in names).encode()).decode()


#: columns, and how the hierarchy editor groups them; the first leaves values without a group
GROUPS: list[tuple[str, dict[str, Any]]] = [
    ("Name", {"kind": "groups", "level": 1, "rows": [[name, "first"] for name in PEOPLE_NAMES[:20]]}),
    ("Age", {"kind": "bands", "widths": ["7"], "level": 1}),
    ("Born", {"kind": "dates", "units": ["YEAR"], "level": 1}),
    ("Name", {"kind": "prefix", "lengths": ["9"], "level": 1}),
    ("Age", {"kind": "at", "cuts": ["70100", "70400"], "level": 1}),
]

#: the bodies sent to each route
BODIES: dict[str, list[dict[str, Any]]] = {
    "open": [{}],
    "state": [{}],
    "policy": [{}],
    "save": [{"text": POLICY, "seen": "never"}],
    "reading": [{"reading": {"missing": {"Age": "drop"}}}, {"reading": {"delimiter": ";"}}, {"reading": {}}],
    "start": [{}],
    "forget": [{"key": "none"}],
    "browse": [{}, {"path": "/nowhere"}],
    "detect": [{"reading": {}}, {"reading": {"encoding": "none"}}],
    "example": [{"name": "none"}],
    "open/copy": [{"project": "another"}],
    "open/table": [{"path": "/nowhere/people.csv"}, {"path": "people.csv"}, {"path": "/etc/passwd"}],
    "all": [{"on": True}, {"on": False}],
    "show": [{"on": False}],
    "diagnose": [
        ASK,
        {**ASK, "text": POLICY + "EACH RESULT : Name <= 3 : RANDOM Name 1 2;"},
        {**ASK, "text": "EACH"},
    ],
    "hover": [{**ASK, **place} for place in PLACES],
    "complete": [{**ASK, **place} for place in PLACES],
    "rename": [{**ASK, "at": POLICY.index("AS n") + 3, "name": "size"}],
    "references": [{**ASK, "at": POLICY.index("AS n") + 3}],
    "format": [ASK],
    "symbols": [ASK],
    "verdicts": [ASK, {**ASK, "text": POLICY + "EACH RESULT : Name >= 3;"}, {**ASK, "params": {}}],
    "proofs": [ASK],
    "claim": [{**ASK, "claim": "EACH RESULT : Age <= 30"}, {**ASK, "claim": "EACH RESULT : Name = 'x'"}],
    "table": [{}],
    "rarest": [{"column": name} for name in ("Name", "Age", "none")],
    "rows": [{"first": 0, "count": 40}, {"first": -1, "count": 40}],
    "hierarchy": [{**ASK, "column": name} for name in ("Name", "Age", "Born", "Team")],
    "hierarchy/cuts": [{**ASK, "column": "Age", "by": by, "bands": 4} for by in ("count", "width")],
    "hierarchy/preview": [{**ASK, "column": name, "spec": spec} for name, spec in GROUPS],
    "hierarchy/save": [
        {**ASK, "column": "Name", "file": "groups.csv", "replace": True, "spec": GROUPS[0][1] | {"file": "groups.csv"}},
        {**ASK, "column": "Age", "file": "ages.csv", "replace": True, "spec": GROUPS[1][1]},
        {**ASK, "column": "Born", "file": "people.csv", "replace": False, "spec": GROUPS[2][1]},
    ],
    "hierarchy/load": [
        {**ASK, "column": "Name", "content": _hierarchy(PEOPLE_NAMES[:20])},
        {**ASK, "column": "Name", "content": _hierarchy(PEOPLE_NAMES[:2] * 2)},
        {**ASK, "column": "Name", "file": "people.csv"},
    ],
    "refine/controls": [ASK, {**ASK, "only": ["Age", "Born"]}, {**ASK, "text": ""}],
    "refine/effects": [ASK, {**ASK, "text": ""}],
    "refine/rows": [{**ASK, "first": 0, "count": 40}],
    "roles": [{"roles": ROLES}],
    "templates": [ASK],
    "risk": [{**ASK, "roles": ROLES | {"sensitive": []}}],
    "change": [{**ASK, "roles": ROLES | {"sensitive": []}}],
    "record_risks": [
        {**ASK, "roles": ROLES, "name": name, "released": released, "replace": True}
        for name in ("risks.csv", "people.csv", "risks.exe")
        for released in (True, False)
    ],
    "words": [{}],
    "record": [{**ASK, "record": 1}, {**ASK, "where": "Age > 3"}],
    "search": [{"roles": ROLES | {"quasi_identifiers": ["Age", "Born"], "sensitive": ["Team"]}, "k": 3, "l": 2}],
    "search/incomplete": [{"roles": ROLES | {"sensitive": []}, "needs_sensitive": False}],
    "rules": [{}],
    "rule": [{"name": RULE}, {"name": "none"}],
    "rule/write": [
        {"name": RULE, "columns": columns, "numbers": {"k": k}, "replace": False, "keep": False}
        for columns in RULE_COLUMNS
        for k in ("3", "", "many")
    ],
    "rule/check": [{**ASK, "name": RULE, "columns": columns, "numbers": {}} for columns in RULE_COLUMNS],
    "stop": [{"topic": "search"}],
    "progress": [{}],
    "promises": [ASK, {**ASK, "params": {}}, {**ASK, "text": POLICY + "EACH RESULT : Name >= 3;"}],
    "preview": [ASK],
    "release/progress": [{}],
    "settings": [{}],
    "settings/change": [{"params": {"k": "3"}, "purpose": "Study"}, {"valid_until": "soon"}],
    "settings/undo": [{}],
    "settings/choose": [{"theirs": True}, {"theirs": False}],
    "settings/restore": [
        {"params": {}, "roles": {}, "reading": {}, **dict.fromkeys(FRONT_PAGE, "")},
        {"params": {}, "roles": ROLES, "reading": {"dates": {"Name": "%d"}}, **dict.fromkeys(FRONT_PAGE, "")},
    ],
    "release": [{**ASK, "table": "x.csv", "report": "x.html", "replace": False, "seen": ""}],
}


@pytest.fixture(scope="module")
def distinct_values(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, Path]]:
    folder = tmp_path_factory.mktemp("marked")
    with open_studio(*write_people(folder, POLICY, TABLE)) as (page, _):
        page.ask("show", on=False)
        yield page, folder


def test_every_route_is_tested() -> None:
    assert set(BODIES) == set(QUESTIONS)


def test_the_requests_succeed(distinct_values: tuple[Page, Path]) -> None:
    """Errors would contain no values, and the tests below would prove nothing."""
    page, _ = distinct_values
    for name in ("verdicts", "proofs", "risk", "change", "search", "promises", "preview", "rule/write", "rule/check"):
        assert page.ask(name, **BODIES[name][0])["diagnostics"] == [], name


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_no_answer_contains_a_record_value(distinct_values: tuple[Page, Path], name: str) -> None:
    page, _ = distinct_values
    for body in BODIES[name]:
        assert values_in(page.send(name, **body).text, VALUES) == set()


def test_the_preview_contains_no_record_value(distinct_values: tuple[Page, Path]) -> None:
    page, _ = distinct_values
    page.ask("roles", roles={})
    assert page.ask_about("preview", POLICY, {"k": "71000"})["ok"]
    shown = page.http.get("/preview")
    assert "Release report" in shown.text
    assert values_in(shown.text, VALUES) == set()


def test_a_release_answers_with_names_and_counts_only(distinct_values: tuple[Page, Path]) -> None:
    page, folder = distinct_values
    page.ask("roles", roles={})
    seen = page.ask("policy")["version"]
    files = {"table": "released.csv", "report": "report.html", "replace": False}
    answer = page.send("release", **ASK, **files, seen=seen).text
    assert (folder / "released.csv").exists()
    assert values_in(answer, VALUES) == set()


def test_records_are_shown_only_when_switched_on(distinct_values: tuple[Page, Path]) -> None:
    page, _ = distinct_values
    assert page.send("record", **ASK, record=1).status_code == 403
    page.ask("show", on=True)
    try:
        assert PEOPLE_NAMES[0] in page.send("record", **ASK, record=1).text
        assert PEOPLE_NAMES[1] in page.send("record", **ASK, where=f"Age = {AGES[1]}").text
    finally:
        page.ask("show", on=False)
    refused = page.send("record", **ASK, record=1)
    assert refused.status_code == 403
    assert PEOPLE_NAMES[0] not in refused.text


def test_an_internal_error_reveals_no_record_value(
    distinct_values: tuple[Page, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    page, _ = distinct_values

    def fail(*_: object) -> None:
        raise ValueError(PEOPLE_NAMES[0])

    monkeypatch.setattr("acompass.assist.studio.answers.opening.roles_json", fail)
    response = page.send("open")
    assert response.status_code == 500
    assert "ValueError" in response.text
    assert PEOPLE_NAMES[0] not in response.text
