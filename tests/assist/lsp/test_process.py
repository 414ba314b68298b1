"""The server writes only messages to standard output, reveals no record value and leaves nothing behind."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from acompass.assist.lsp.view import as_response
from tests.assist.lsp.editor import COMMAND, RawServer, raw_server
from tests.waiting import PATIENCE, is_running, wait_until

pytestmark = pytest.mark.slow

SECRET = "Yggdrasil-4711"
EVERYTHING = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}


def _open_table(server: RawServer, folder: Path) -> dict[str, str]:
    """Open a policy and wait until its table is loaded."""
    rows = "".join(f"{SECRET}-{row},{20 + row}\n" for row in range(30))
    (folder / "people.csv").write_text(f"Name,Age\n{rows}")
    (folder / "acompass.toml").write_text('[policy."release.acp"]\ntable = "people.csv"\n')
    text = "EACH RESULT : Name > 'A';\nEACH PROCESS COUNT(*) AS n GROUP BY Name, Age : n >= 2 : REJECT;\n"
    document = server.open(folder / "release.acp", text)
    hints = server.request(1, "textDocument/inlayHint", textDocument=document, range=EVERYTHING)
    assert len(hints["result"]) == 2
    return document


def test_no_record_value_is_sent_or_logged(tmp_path: Path) -> None:
    with raw_server() as server:
        server.start()
        document = _open_table(server, tmp_path)
        number = 10
        for line, length in enumerate([25, 64]):
            for character in range(0, length, 4):
                place = {"line": line, "character": character}
                for method in ("hover", "completion", "definition", "prepareRename"):
                    number += 1
                    server.request(number, f"textDocument/{method}", textDocument=document, position=place)
        for number, command in enumerate(["run", "prove", "explain"], start=1000):
            server.request(
                number, "workspace/executeCommand", command=f"acompass.{command}", arguments=[document["uri"]]
            )
        symbols = server.request(2000, "textDocument/documentSymbol", textDocument=document)
        assert len(symbols["result"]) > 0
        server.request(3000, "shutdown")
        server.notify("exit")
        code, errors = server.wait()
    assert (code, errors) == (0, b"")
    assert len(server.received) > 100
    assert SECRET not in json.dumps(server.received)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'{"jsonrpc": "2.0", "id": 7, "method": "no/such"}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover", "params": {}}',
        b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"a": 1}}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "workspace/executeCommand", "params": {"command": "acompass.run"}}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "workspace/executeCommand",'
        b' "params": {"command": "acompass.run", "arguments": [3, {}, []]}}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover", "params": {"textDocument":'
        b' {"uri": "release.acp"}, "position": {"line": 99999, "character": 99999}}}',
    ],
)
def test_an_invalid_message_does_not_end_the_server(body: bytes, tmp_path: Path) -> None:
    with raw_server() as server:
        server.start()
        server.send(body)
        document = server.open(tmp_path / "a.acp", "EACH RESULT : a = 1;")
        answer = server.request(9, "textDocument/documentSymbol", textDocument=document)
    assert len(answer["result"]) == 1
    answers = [each for each in server.received if each.get("id") == 7]
    assert all("Traceback" not in json.dumps(each) for each in answers)


def test_a_lone_surrogate_does_not_end_the_server(tmp_path: Path) -> None:
    """JSON can encode a lone surrogate, UTF-8 cannot."""
    with raw_server() as server:
        server.start()
        document = server.open(tmp_path / "a.acp", 'EACH RESULT : "\ud800" = 1;')
        answer = server.request(10, "textDocument/documentSymbol", textDocument=document)
    assert "\ud800" in answer["result"][0]["name"]


def test_an_internal_error_names_only_the_type_of_its_exception() -> None:
    answer = as_response(KeyError(SECRET))
    assert "internal error (AC901): `KeyError`" in answer.message
    assert SECRET not in answer.message
    assert answer.data is None


def _end(server: RawServer, how: str) -> int:
    """End a server; returns the exit code to expect."""
    assert server.process.stdin is not None
    match how:
        case "exit":
            server.request(99, "shutdown")
            server.notify("exit")
            return 0
        case "exit without shutdown":
            server.notify("exit")
            return 1
        case "closed input":
            server.process.stdin.close()
            server.process.stdin = None
            return 0
        case "SIGTERM":
            server.process.send_signal(signal.SIGTERM)
            return 128 + signal.SIGTERM
        case _:
            raise AssertionError(how)


@pytest.mark.parametrize("how", ["exit", "exit without shutdown", "closed input", "SIGTERM"])
def test_the_server_always_ends_cleanly(how: str, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with raw_server(TMPDIR=str(temporary)) as server:
        server.start()
        _open_table(server, tmp_path)
        expected = _end(server, how)
        code, errors = server.wait()
    assert (code, errors) == (expected, b"interrupted\n" if how == "SIGTERM" else b"")
    assert list(temporary.glob("acompass-*")) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["acompass.toml", "people.csv", "temporary"]


def test_a_killed_editor_leaves_no_server(tmp_path: Path) -> None:
    """The supervisor is killed; the server behind it sees that its input is closed."""
    with raw_server() as server:
        server.start()
        _open_table(server, tmp_path)
        children = _children(server.process.pid)
        assert children
        server.process.kill()
        server.wait()
        wait_until(lambda: not any(is_running(child) for child in children))


def _children(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children")
    if not listed.exists():
        pytest.skip("needs /proc")
    return [int(number) for number in listed.read_text().split()]


def test_without_pygls_the_command_says_what_to_install() -> None:
    code = (
        "import importlib.util; find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *a: None if name == 'pygls' else find(name, *a)\n"
        "import sys; sys.argv = ['acompass', 'lsp']\n"
        "from acompass.cli import main; main()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "error[AC811]: `lsp` needs pygls\n  = help: pip install 'acompass[lsp]'" in ran.stderr


def test_in_a_terminal_the_server_says_what_it_waits_for() -> None:
    ours, theirs = pty.openpty()
    pipe = subprocess.PIPE
    with subprocess.Popen(COMMAND, stdin=theirs, stdout=pipe, stderr=pipe) as process:
        os.close(theirs)
        assert process.stderr is not None
        first = process.stderr.readline()
        os.close(ours)
        output, _ = process.communicate(timeout=PATIENCE)
    assert first.startswith(b"acompass lsp: waiting for an editor")
    assert output == b""


def test_help_shows_how_an_editor_starts_the_server() -> None:
    ran = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0
    assert 'args = ["lsp"]' in ran.stdout
