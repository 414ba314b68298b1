"""A browser reaches the page from a local file; other sites cannot use it."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.assist.studio.browsing import write_people
from tests.assist.studio.pages import open_studio
from tests.report.browser import browser

__all__ = ["browser"]


def test_the_file_that_the_command_opens_leads_to_the_page(tmp_path: Path, browser: Browser) -> None:
    """A browser does not send a strict cookie after a redirect that began in a local file."""
    with open_studio(*write_people(tmp_path)) as (_, access), browser.new_context() as context:
        entry = tmp_path / "studio.html"
        entry.write_text(f'<meta http-equiv="refresh" content="0; url={access.address}">', encoding="utf-8")
        page = context.new_page()
        page.goto(entry.as_uri())
        expect(page.get_by_role("textbox", name="Policy text")).to_be_visible()
        assert page.url == f"{access.origin}/"


def test_another_site_learns_and_changes_nothing(tmp_path: Path, browser: Browser) -> None:
    """The other page is in the same browser: another port is another origin, but the same site."""
    policy, table = write_people(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    before = policy.read_bytes()
    with (
        open_studio(policy, table) as (_, access),
        open_studio(*write_people(other)) as (_, stranger),
        browser.new_context() as context,
    ):
        page = context.new_page()
        page.goto(access.address)
        expect(page.get_by_role("textbox", name="Policy text")).to_be_visible()
        page.route(f"{stranger.origin}/evil", lambda route: route.fulfill(body="<title>evil</title>"))
        page.goto(f"{stranger.origin}/evil")
        answers = page.evaluate(_ATTACK, access.origin)
    assert answers == ["TypeError"] * len(answers)
    assert policy.read_bytes() == before


_ATTACK = """async (studio) => {
    const body = JSON.stringify({text: "evil", seen: "", on: true});
    const json = {"Content-Type": "application/json"}, plain = {"Content-Type": "text/plain"};
    const tries = [
        () => fetch(studio + "/api/policy", {method: "POST", body, headers: json, credentials: "include"}),
        () => fetch(studio + "/api/save", {method: "POST", body, headers: plain, credentials: "include"}),
        () => fetch(studio + "/api/show", {method: "POST", body, headers: plain, credentials: "include"}),
        () => fetch(studio + "/", {credentials: "include"}),
        () => fetch(studio + "/static/studio.js", {credentials: "include", mode: "no-cors"}),
    ];
    const answers = [];
    for (const attempt of tries) {
        answers.push(await attempt().then((found) => found.text(), (error) => error.name));
    }
    return answers;
}"""
