"""The whole way in the page: from a folder with a raw table to a written release with its report.

Each action goes through a hand, the mouse or the keyboard, which counts it."""

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request, expect

from tests.assist.studio.browsing import LONGEST, SIZE
from tests.assist.studio.pages import start_studio
from tests.assist.studio.tables import write_ambulance, write_birds, write_claims, write_visits
from tests.waiting import wait_until

PURPOSE = "A study of tests"
#: Tab reaches every control of the page after fewer stops
_MOST_STOPS = 400


class Hand(ABC):
    """What a person uses the page with. An action is a click, a chord, or what is typed or chosen in one field."""

    def __init__(self, page: Page):
        self.page = page
        self.actions = 0

    @abstractmethod
    def press(self, control: Locator) -> None:
        """Use a button, a link or a choice."""

    @abstractmethod
    def type(self, field: Locator, text: str) -> None: ...


class Mouse(Hand):
    def press(self, control: Locator) -> None:
        self.actions += 1
        control.click()

    def type(self, field: Locator, text: str) -> None:
        self.actions += 1
        field.click()
        self.page.keyboard.insert_text(text)


class Keyboard(Hand):
    """Tab, arrows, Enter and Space; the focus is never set by a script."""

    def press(self, control: Locator) -> None:
        self.actions += 1
        self._reach(control)
        is_choice = control.evaluate("each => each.matches('[type=radio], [role=tab]')")
        if not is_choice:  # the arrows have chosen it already
            self.page.keyboard.press("Enter")

    def type(self, field: Locator, text: str) -> None:
        self.actions += 1
        self._reach(field)
        self.page.keyboard.type(text)

    def _reach(self, control: Locator) -> None:
        """Move the focus with Tab, and with arrows inside a list, tabs or radio buttons."""
        expect(control).to_be_visible()
        expect(control).to_be_enabled()
        for _ in range(_MOST_STOPS):
            where = control.evaluate(_WHERE)
            if where == "here":
                return
            self.page.keyboard.press({"after": "ArrowDown", "before": "ArrowUp"}.get(where, "Tab"))
        raise AssertionError(f"Tab never reaches {control}")


_WHERE = """control => {
  const focused = document.activeElement;
  if (focused === control) return "here";
  const group = control.closest("ul.files, [role=tablist], fieldset:has([type=radio])");
  if (group === null || !group.contains(focused)) return "elsewhere";
  return focused.compareDocumentPosition(control) & Node.DOCUMENT_POSITION_FOLLOWING ? "after" : "before";
}"""


@dataclass(frozen=True)
class Journey:
    """A table, and what its curator decides on the way."""

    write: Callable[[Path], Path]
    drops_identifiers: bool = False
    leaves_records_out: bool = False
    refined: tuple[str, str] | None = None  # a column, and the setting that it gets


BIRDS = Journey(write_birds, drops_identifiers=True, leaves_records_out=True, refined=("ringer", "removed"))
JOURNEYS = {
    "birds": BIRDS,
    "ambulance": Journey(write_ambulance, leaves_records_out=True),
    "claims": Journey(write_claims, drops_identifiers=True),
    "visits": Journey(write_visits),  # a search drops the column that tells persons apart
}


def whole_way(hand: Hand, table: str, journey: Journey = BIRDS) -> Iterator[str]:
    """Go from the start page to the written release, and yield the name of each step after it."""
    page = hand.page
    expect(page.get_by_role("button", name=table)).to_be_visible()
    yield "start"
    hand.press(page.get_by_role("button", name=table))
    expect(page.get_by_role("heading", name="How the table is read")).to_be_visible()
    yield "open"
    hand.press(page.get_by_role("link", name="Go on to the columns"))
    hand.press(page.get_by_role("button", name="Accept all proposals"))
    expect(page.get_by_text("accepted. Check the reasons below")).to_be_visible()
    if journey.drops_identifiers:
        hand.press(page.get_by_role("button", name="Drop identifiers"))
    yield "columns"
    hand.press(step_link(page, "Rule or search"))
    settle(page)
    if journey.leaves_records_out:
        hand.press(page.get_by_role("button", name="Leave these records out"))
    expect(page.get_by_role("button", name="Leave these records out")).to_have_count(0)
    hand.press(page.get_by_role("button", name="Search", exact=True))
    expect(page.get_by_role("button", name="Use this policy")).to_be_visible()
    yield "search"
    hand.press(page.get_by_role("button", name="Use this policy"))
    expect(page.get_by_role("heading", name="What happens to each column")).to_be_visible()
    if journey.refined is not None:
        column, setting = journey.refined
        radio = page.get_by_role("group", name=column, exact=True).get_by_role("radio", name=setting)
        hand.press(radio)
        expect(radio).to_be_checked()
    expect(page.get_by_text("no check is violated")).to_be_visible()
    settle(page)
    yield "refine"
    hand.press(step_link(page, "Release"))
    expect(
        page.get_by_text("form classes with at least 5").or_(page.get_by_text("Nothing is promised")).first
    ).to_be_visible()
    hand.type(page.get_by_label("Purpose"), PURPOSE)
    hand.type(page.get_by_role("textbox", name="Recipients", exact=True), "The testers")
    settle(page)
    yield "release"
    hand.press(page.get_by_role("button", name="Save and write"))
    expect(page.get_by_text("✓ written")).to_be_visible()
    yield "written"


def open_report(hand: Hand) -> str:
    """Follow the link to the report, and return its text."""
    with hand.page.context.expect_page() as opened:
        hand.press(hand.page.get_by_role("link", name="Open the report for the recipients"))
    text = opened.value.locator("body").inner_text()
    opened.value.close()
    return text


def step_link(page: Page, step: str) -> Locator:
    return page.get_by_role("navigation", name="Steps").get_by_role("link", name=step, exact=True)


def settle(page: Page) -> None:
    """Wait until the page asks nothing any more."""
    page.wait_for_timeout(400)  # the page asks a moment after the last change
    wait_until(lambda: page.evaluate(_IS_SETTLED) or page.wait_for_timeout(50))


# the policy of the page forbids the browser to evaluate what Playwright would wait for
_IS_SETTLED = "() => window.quietFor() > 500"


#: notes each request that a person waited for longer than a second without any sign of progress
_WATCH = """
window.unanswered = new Map();
window.silent = [];
let next = 0;
const note = (url, done) => {
  const key = next++;
  const unseen = ["/api/state", "/api/progress", "/api/release/progress", "/api/draft"];
  if (unseen.some((each) => String(url).startsWith(each))) return;
  unanswered.set(key, { url: String(url), since: performance.now() });
  done(() => unanswered.delete(key));
};
const fetched = window.fetch;
window.fetch = (url, options) => {
  const answer = fetched(url, options);
  note(url, (end) => answer.then(() => setTimeout(end), () => setTimeout(end)));
  return answer;
};
let loud = performance.now();
window.quietFor = () => performance.now() - loud;
setInterval(() => {
  if (unanswered.size > 0 || document.querySelector("main[aria-busy=true]") !== null) loud = performance.now();
}, 50);
const isShown = () => [...document.querySelectorAll("progress, [aria-busy=true], .busy.on")].length > 0;
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  const isLate = now - last > 600;  // the machine is too busy to draw
  last = now;
  if (isLate || isShown()) return;
  for (const [key, each] of unanswered) {
    if (now - each.since > 1000) { silent.push(each.url); unanswered.delete(key); }
  }
}, 200);
"""


class Visit:
    """A page in a browser's own profile: what it requested, and what went wrong."""

    def __init__(self, context: BrowserContext, address: str):
        self.requests: list[str] = []
        self.complaints: list[str] = []
        context.on("request", self._note)
        context.add_init_script(_WATCH)
        self.page = context.new_page()
        self.page.set_default_timeout(LONGEST)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address)

    def _note(self, request: Request) -> None:
        self.requests.append(request.url)

    def require_quiet(self) -> None:
        """No error, no request to another computer, and no long wait without a sign."""
        outside = [url for url in self.requests if not re.match(r"(http://127\.0\.0\.1[:/]|blob:|data:)", url)]
        assert (self.complaints, outside) == ([], [])
        silent = self.page.evaluate("window.silent")
        assert silent == [], f"longer than a second without a sign: {silent}"


@contextmanager
def visit(
    browser: Browser, folder: Path, *arguments: str, size: tuple[int, int] = SIZE, **context: Any
) -> Iterator[Visit]:
    """Start a studio in a folder, and open its page."""
    width, height = size
    with (
        start_studio(*arguments, folder=folder) as (_, address),
        browser.new_context(viewport={"width": width, "height": height}, **context) as own,
    ):
        visited = Visit(own, address)
        yield visited
        visited.require_quiet()


class Watch:
    """Prints the seconds since the last step."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def note(self, step: str) -> None:
        now = time.monotonic()
        print(f"a million records, seconds: {step} {now - self._last:.1f}")
        self._last = now
