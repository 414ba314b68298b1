"""`acompass studio`: what it opens, what it prints, and how it ends."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from acompass.cli.app import app
from tests.assist.studio.browsing import CLASSES, PEOPLE, write_people
from tests.assist.studio.pages import Page, start_studio
from tests.waiting import PATIENCE, wait_until

#: each test starts a process
pytestmark = pytest.mark.slow

Fail = Callable[..., str]


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Fail:
    """Run the command where it must fail, and return its error."""

    def invoke(*arguments: str) -> str:
        monkeypatch.chdir(tmp_path)
        ran = CliRunner().invoke(app, ["studio", *arguments, "--no-browser"])
        assert ran.exit_code == 2
        return ran.stderr

    return invoke


@pytest.mark.parametrize(
    ("arguments", "settings", "policy", "params"),
    [
        (["people.acp", "people.csv"], "", "people.acp", {}),
        (["people.csv"], "", "people.acp", {}),
        (["new.acp", "people.csv", "--set", "k=3"], "", "new.acp", {"k": "3"}),
        (
            ["people.acp"],
            '[policy."people.acp"]\ntable = "people.csv"\nparams = { k = 5 }\n',
            "people.acp",
            {"k": "5"},
        ),
        (
            ["."],
            '[policy."people.acp"]\ntable = "people.csv"\nparams = { k = 5, c = "5" }\n',
            "people.acp",
            {"k": "5", "c": "'5'"},
        ),
        (
            ["--set", "k=2"],
            '[policy."people.acp"]\ntable = "people.csv"\nparams = { k = 5 }\n',
            "people.acp",
            {"k": "2"},
        ),
    ],
)
def test_the_arguments_and_settings_choose_what_is_opened(
    tmp_path: Path, arguments: list[str], settings: str, policy: str, params: dict[str, str]
) -> None:
    write_people(tmp_path, CLASSES)
    if settings:
        (tmp_path / "acompass.toml").write_text(settings, encoding="utf-8")
    with start_studio(*arguments, folder=tmp_path) as (_, address), Page(address) as page:
        found = page.ask("open")["opened"]
        assert found["policy"]["name"] == policy
        assert found["policy"]["exists"] is (policy == "people.acp")
        assert found["table"] == {
            "name": "people.csv",
            "path": str(tmp_path / "people.csv"),
            "records": 6,
            "columns": ["Name", "Age", "Zip", "Disease"],
        }
        assert found["params"] == params


def test_a_new_policy_exists_after_the_first_save(tmp_path: Path) -> None:
    write_people(tmp_path)
    with start_studio("new.acp", "people.csv", folder=tmp_path) as (_, address), Page(address) as page:
        assert not (tmp_path / "new.acp").exists()
        page.ask("save", text=CLASSES, seen="")
        assert (tmp_path / "new.acp").read_text(encoding="utf-8") == CLASSES


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_studio_and_leaves_nothing_behind(tmp_path: Path, sign: signal.Signals, code: int) -> None:
    """Ctrl-C is the normal way to end the studio."""
    write_people(tmp_path, CLASSES)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with start_studio("people.csv", folder=tmp_path, env=environment) as (process, address), Page(address) as page:
        page.ask_about("risk", CLASSES, {"k": "2"})
        page.ask_about("preview", CLASSES, {"k": "2"})
        process.send_signal(sign)
        assert process.wait(timeout=PATIENCE) == code
        assert process.stderr is not None
        assert process.stderr.read() == "Ctrl-C ends the studio\n" + ("interrupted\n" if code else "")
        with pytest.raises(httpx.ConnectError):
            page.ask("state")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.acp", "people.csv", "temporary"]
    assert list(temporary.iterdir()) == []


def test_the_output_is_only_the_address(tmp_path: Path) -> None:
    write_people(tmp_path)
    with start_studio("people.csv", folder=tmp_path) as (process, address):
        assert address.startswith("http://127.0.0.1:")
        assert httpx.get(address).status_code == 303
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE)[0] == ""


def test_the_studio_listens_on_this_machine_only(tmp_path: Path) -> None:
    write_people(tmp_path)
    with start_studio("people.csv", folder=tmp_path) as (_, address):
        port = int(address.partition("/?")[0].rpartition(":")[2])
        with socket.socket() as other, pytest.raises(OSError, match="refused"):
            other.connect(("127.0.0.2", port))


def test_the_port_is_the_requested_one(tmp_path: Path, fail: Fail) -> None:
    write_people(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"[AC802]: port {port} is in use" in fail("people.csv", "--port", str(port))
    with start_studio("people.csv", "--port", str(port), folder=tmp_path) as (_, address):
        assert address.startswith(f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "k=3"], "[AC803]: no policy is given"),
        (["release.txt", "people.csv"], "[AC803]: policy `release.txt` does not exist"),
        (["nowhere/release.acp", "people.csv"], "[AC803]: folder `nowhere` for the policy does not exist"),
        (["people.acp"], "[AC411]: no table is given"),
        (["people.acp", "nothing.csv"], "[AC201]"),
        (["people.csv", "people.acp"], "[AC408]"),
        (["people.acp", "-"], "not standard input"),
        (["people.acp", "people.csv", "--set", "k"], "[AC109]"),
        (["people.acp", "people.csv", "--port", "0"], "--port"),
    ],
)
def test_the_command_says_what_it_cannot_open(tmp_path: Path, fail: Fail, arguments: list[str], said: str) -> None:
    write_people(tmp_path)
    assert said in fail(*arguments)


@pytest.mark.parametrize("arguments", [[], ["release"]])
def test_without_a_policy_the_start_page_is_opened(tmp_path: Path, arguments: list[str]) -> None:
    folder = tmp_path.joinpath(*arguments)
    folder.mkdir(exist_ok=True)
    write_people(folder)
    settings = "".join(f'[policy."{name}.acp"]\ntable = "people.csv"\n' for name in "ab")
    (folder / "acompass.toml").write_text(settings, encoding="utf-8")
    with start_studio(*arguments, folder=tmp_path) as (_, address), Page(address) as page:
        assert page.ask("open")["opened"] is None
        start = page.ask("start")
        assert start["folder"] == str(folder.resolve())
        assert [Path(each["policy"]).name for each in start["here"]] == ["a.acp", "b.acp"]
        assert [each["name"] for each in page.ask("browse")["files"]] == ["people.acp", "people.csv"]


def test_several_policies_in_the_settings_are_listed(tmp_path: Path, fail: Fail) -> None:
    settings = "".join(f'[policy."{name}.acp"]\ntable = "people.csv"\n' for name in "ab")
    (tmp_path / "acompass.toml").write_text(settings, encoding="utf-8")
    assert "`acompass.toml` names several policies: `a.acp`, `b.acp`" in fail("--set", "k=3")


@pytest.mark.parametrize("library", ["starlette", "tomlkit", "uvicorn"])
def test_without_its_libraries_the_command_says_how_to_install_them(tmp_path: Path, library: str) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    code = f"""
import sys
from importlib.machinery import PathFinder
class Hidden:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return None if name == "{library}" else PathFinder.find_spec(name, path, target)
sys.meta_path = [each for each in sys.meta_path if each is not PathFinder] + [Hidden]
sys.argv = ["acompass", "studio", "people.csv", "--no-browser"]
from acompass.cli import main
main()
"""
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 2
    assert f"error[AC801]: `studio` needs {library}" in ran.stderr
    assert "pip install 'acompass[studio]'" in ran.stderr


def test_the_token_is_not_in_the_arguments_of_the_browser(tmp_path: Path) -> None:
    """Every user of a machine can see the arguments of a process."""
    write_people(tmp_path)
    browser, said = tmp_path / "browser", tmp_path / "said"
    browser.write_text(f'#!/bin/sh\necho "$1" > {said}.part && mv {said}.part {said}\n', encoding="utf-8")
    browser.chmod(0o700)
    environment = {**os.environ, "BROWSER": str(browser)}
    with start_studio("people.csv", folder=tmp_path, browser=True, env=environment) as (process, address):
        wait_until(said.exists)
        page = Path(said.read_text(encoding="utf-8").strip().removeprefix("file://"))
        assert address in page.read_text(encoding="utf-8")
        assert page.parent.stat().st_mode & 0o077 == 0
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 0
    assert not page.parent.exists()
