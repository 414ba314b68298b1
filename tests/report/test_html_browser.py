"""The report in a real browser."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import acompass
from tests.report.browser import CHROMIUM, printed, rendered, screenshot
from tests.report.people import POLICY, people

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

#: appended to a copy of the page: reports how the browser renders it, as JSON
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
    acompass.run(POLICY, table, params={"k": 2}, output=out, report=folder / "r.html")
    return folder / "r.html"


def _probed(page: Path) -> dict[str, Any]:
    copy = page.with_name("probed.html")
    text = page.read_text(encoding="utf-8")
    copy.write_text(text.replace("</footer>", f"</footer>{PROBE}"), encoding="utf-8")
    found = re.search(r'<pre id="probe">(.*?)</pre>', rendered(copy), re.DOTALL)
    assert found is not None
    content: dict[str, Any] = json.loads(unescape(found[1]))
    return content


def test_the_browser_shows_everything_and_sends_no_request(page: Path) -> None:
    seen = _probed(page)
    assert seen["requests"] == 0
    assert seen["verdicts"] == 1 + 4 + 4
    assert seen["sections"] == 7
    assert seen["bars"] > 5
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


def test_it_prints(page: Path, tmp_path: Path) -> None:
    printed(page, tmp_path / "r.pdf")
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")
