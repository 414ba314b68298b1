"""The report in a real browser. axe-core finds no problems on it: WCAG 2.2 AA and best practices."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import acompass
from tests.report.browser import CHROMIUM, dump_dom, inaccessible, print_pdf, screenshot
from tests.report.pages import POLICY, people

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

#: a script, appended to a copy of the page, that reports as JSON how the browser renders it
PROBE = """<pre id="probe"></pre><script>
const box = element => element.getBoundingClientRect();
const visible = element => box(element).width > 0 && box(element).height > 0;
const count = (selector, test) => [...document.querySelectorAll(selector)].filter(test ?? visible).length;
document.getElementById("probe").textContent = JSON.stringify({
  requests: performance.getEntriesByType("resource").length,
  verdicts: count(".verdict"), sections: count("main > section"), bars: count("svg.chart rect"),
  headers: count("th"), unscoped: count("th:not([scope])", () => true),
  ground: getComputedStyle(document.body).backgroundColor,
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  mode: document.compatMode, lang: document.documentElement.lang, title: document.title,
});
</script>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "people.csv").write_text(people(), encoding="utf-8")
    table, out = str(folder / "people.csv"), folder / "out.csv"
    pages = {"report": folder / "r.html", "report_internal": folder / "i.html"}
    acompass.run(POLICY, table, params={"k": 2}, output=out, **pages)
    return folder / "r.html"


def _probe(page: Path) -> dict[str, Any]:
    copy = page.with_name("probed.html")
    text = page.read_text(encoding="utf-8")
    copy.write_text(text.replace("</footer>", f"</footer>{PROBE}"), encoding="utf-8")
    found = re.search(r'<pre id="probe">(.*?)</pre>', dump_dom(copy), re.DOTALL)
    assert found is not None
    content: dict[str, Any] = json.loads(unescape(found[1]))
    return content


def test_the_browser_shows_everything_and_sends_no_request(page: Path) -> None:
    seen = _probe(page)
    assert seen["requests"] == 0
    assert seen["verdicts"] == 1 + 4 + 4 + 2  # in the header, the policy's lines, and the front page
    assert seen["sections"] == 11
    assert seen["bars"] == 4
    assert seen["headers"] > 50
    assert seen["unscoped"] == 0
    assert seen["overflow"] == 0
    assert (seen["mode"], seen["lang"]) == ("CSS1Compat", "en")
    assert seen["title"] == "Release report: out.csv"


def test_light_and_dark_differ(page: Path, tmp_path: Path) -> None:
    for scheme in ("light", "dark"):
        screenshot(page, tmp_path / f"{scheme}.png", scheme, (800, 600))
    light, dark = ((tmp_path / f"{scheme}.png").read_bytes() for scheme in ("light", "dark"))
    assert light.startswith(b"\x89PNG")
    assert light != dark


def test_the_report_can_be_printed(page: Path, tmp_path: Path) -> None:
    print_pdf(page, tmp_path / "r.pdf")
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")


#: the width of the page, and the texts that are smaller than 14 pixels on the screen
NARROW = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const small = [];
  while (texts.nextNode()) {
    const { textContent, parentElement } = texts.currentNode;
    const box = parentElement.getBoundingClientRect();
    if (!textContent.trim() || !box.width || parentElement.closest(".skip, style, script")) continue;
    const scale = parentElement.getScreenCTM?.().a ?? 1;
    if (parseFloat(getComputedStyle(parentElement).fontSize) * scale < 13.99) small.push(textContent);
  }
  return { width: document.documentElement.scrollWidth, small };
}"""


@pytest.mark.parametrize("name", ["r.html", "i.html"])
@pytest.mark.parametrize("width", [390, 700, 960, 1280])
def test_the_report_fits_the_screen_in_readable_letters(browser: Browser, page: Path, name: str, width: int) -> None:
    with browser.new_page(viewport={"width": width, "height": 800}) as tab:
        tab.goto(page.with_name(name).resolve().as_uri())
        for closed in tab.query_selector_all("summary"):
            closed.click()
        seen = tab.evaluate(NARROW)
    assert seen == {"width": width, "small": []}


SCREEN, PHONE = 1280, 390


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a report of each command that writes one."""
    folder = tmp_path_factory.mktemp("reports")
    before, after, params = folder / "people.csv", folder / "out.csv", {"k": 2}
    before.write_text(people(), encoding="utf-8")
    pages = {"report": folder / "run.html", "report_internal": folder / "internal.html"}
    acompass.run(POLICY, before, params=params, output=after, **pages)
    acompass.check(POLICY, before, params=params, report=folder / "check.html")
    acompass.measure(after, policy=POLICY, against=before, report=folder / "measure.html")
    return folder


@pytest.mark.parametrize("width", [SCREEN, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("command", ["run", "internal", "check", "measure"])
def test_a_report_is_accessible(browser: Browser, reports: Path, command: str, scheme: str, width: int) -> None:
    assert inaccessible(browser, reports / f"{command}.html", scheme, width) == []


def test_axe_finds_a_pale_verdict(browser: Browser, reports: Path, tmp_path: Path) -> None:
    page = (reports / "run.html").read_text(encoding="utf-8")
    pale = tmp_path / "pale.html"
    pale.write_text(re.sub(r"--good: #\w+", "--good: #15803d", page, count=1), encoding="utf-8")
    found = inaccessible(browser, pale, "light", SCREEN)
    assert found
    assert all("verdict good" in each for each in found)
