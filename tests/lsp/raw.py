"""A client that sends bytes, for what no well-behaved client sends, and to see every byte of the answers."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.waiting import PATIENCE

COMMAND = [sys.executable, "-m", "acompass", "lsp"]


class Raw:
    def __init__(self, process: "subprocess.Popen[bytes]"):
        self.process = process
        self.received: list[dict[str, Any]] = []

    def send(self, body: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method: str, **params: Any) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def request(self, number: int, method: str, **params: Any) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.send(json.dumps(message).encode())
        return self.until(lambda answer: answer.get("id") == number and "method" not in answer)

    def until(self, is_wanted: Any) -> dict[str, Any]:
        while True:
            message = self._message()
            self.received.append(message)
            if is_wanted(message):
                return message

    def _message(self) -> dict[str, Any]:
        """Any other byte on standard output is an error here."""
        assert self.process.stdout is not None
        headers = {}
        while (line := self.process.stdout.readline()) != b"\r\n":
            name, value = line.decode("ascii").split(": ")
            headers[name] = value.strip()
        message: dict[str, Any] = json.loads(self.process.stdout.read(int(headers["Content-Length"])))
        return message

    def start(self, **capabilities: Any) -> None:
        self.request(0, "initialize", processId=None, rootUri=None, capabilities=capabilities)
        self.notify("initialized")

    def open(self, path: Path, text: str) -> dict[str, str]:
        item = {"uri": path.as_uri(), "languageId": "acompass", "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=item)
        return {"uri": path.as_uri()}

    def ended(self) -> tuple[int, bytes]:
        """The exit code, and what was written to standard error. The input stays open until then."""
        self.process.wait(PATIENCE)
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors


@contextmanager
def raw_server(**environment: str) -> Iterator[Raw]:
    pipe = subprocess.PIPE
    settings = {**os.environ, **environment}
    with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, env=settings) as process:
        try:
            yield Raw(process)
        finally:
            process.kill()
