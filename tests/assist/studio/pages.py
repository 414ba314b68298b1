"""The studio's page without a browser: it sends the page's requests, with its cookie."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from acompass.assist.studio.access import Access
from acompass.assist.studio.server import run_studio
from acompass.assist.studio.state import Start
from tests.waiting import PATIENCE

#: hashes and computed fractions: some of their digits may be those of a planted value
_COMPUTED = re.compile(r"\b[0-9a-f]{16,}\b|(?<=\d)\.\d{5,}")


def values_in(text: str, values: Iterable[str]) -> set[str]:
    """The planted values in an answer or a file."""
    readable = _COMPUTED.sub("", text)
    return {value for value in values if value in readable}


class Page:
    def __init__(self, address: str):
        self.origin = address.partition("/?")[0]
        self.http = httpx.Client(base_url=self.origin, timeout=PATIENCE)
        entered = self.http.get(address)
        assert entered.status_code == 303, entered.text

    def send(self, name: str, /, **body: Any) -> httpx.Response:
        return self.http.post(f"/api/{name}", json=body, headers={"Origin": self.origin})

    def ask(self, name: str, /, **body: Any) -> dict[str, Any]:
        response = self.send(name, **body)
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    def ask_about(self, name: str, text: str, params: dict[str, str] | None = None, /, **body: Any) -> dict[str, Any]:
        """Ask a question about a policy."""
        return self.ask(name, text=text, params=params or {}, **body)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()


@contextmanager
def open_studio(policy: Path, table: Path, **options: Any) -> Iterator[tuple[Page, Access]]:
    """A studio on a real port, and its page."""
    with run_studio(Start(str(policy), str(table), **options)) as running, Page(running.access.address) as page:
        yield page, running.access


@contextmanager
def start_studio(
    *arguments: str, folder: Path, browser: bool = False, env: dict[str, str] | None = None
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the command in its own process, and yield the process and the address that it prints."""
    options = [] if browser else ["--no-browser"]
    command = [sys.executable, "-m", "acompass", "studio", *arguments, *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe, text=True, env=env) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=PATIENCE)


@contextmanager
def asking(page: Page, name: str, /, **body: Any) -> Iterator[Callable[[], dict[str, Any]]]:
    """Ask a question in another thread, and yield a function that returns the answer."""
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(page.ask, name, **body)
        yield lambda: asked.result(PATIENCE)
