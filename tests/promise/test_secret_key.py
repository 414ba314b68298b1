"""The key of PSEUDONYM and SHIFT appears nowhere (X15, D20): neither its text, nor its hexadecimal digits, nor what
HMAC makes of it before it reads a value."""

import hashlib
import hmac
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import acompass
from acompass.cli.app import app
from acompass.dbt import NotReleased, release
from acompass.engines.protocol import Execution, key_source
from acompass.language.program.effects import with_key
from acompass.language.program.keys import Key
from tests.assist.studio.pages import open_studio
from tests.folding import folded
from tests.promise.key_search import KEY, found_key, key_forms

POLICY = """\
ALWAYS : SHIFT day BY name WITHIN 30 DAYS;
ALWAYS : PSEUDONYM name;
ALWAYS : ADD RANDOM 1 5 TO age;
ALWAYS : DROP zip;
"""
FORMATS = ("text", "json", "markdown")
ENGINES = ("duckdb", "reference")


def test_the_search_finds_a_key() -> None:
    for shown in (KEY, repr(KEY.encode()), KEY.encode().hex(), str(list(KEY.encode())), f"key {KEY} of"):
        assert found_key(shown), shown


def test_the_blocks_are_those_of_hmac() -> None:
    _, inner, outer = key_forms(KEY.encode())
    digest = hashlib.sha256(outer + hashlib.sha256(inner + b"Ann").digest()).hexdigest()
    assert digest == hmac.new(KEY.encode(), b"Ann", "sha256").hexdigest()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ACOMPASS_KEY", raising=False)
    monkeypatch.setenv("COLUMNS", "400")
    Path("people.csv").write_text("name,age,zip,day\nAnn,31,21101,2024-03-01\nBob,42,21102,2024-04-01\n")
    Path("policy.acp").write_text(POLICY)
    Path("key.txt").write_text(f"{KEY}\n")
    return tmp_path


def _written(*arguments: str) -> str:
    """Everything that a command prints or writes."""
    before = set(Path.cwd().rglob("*"))
    ran = CliRunner().invoke(app, list(arguments))
    new = [path for path in Path.cwd().rglob("*") if path.is_file() and path not in before]
    text = ran.output + "".join(path.read_bytes().decode("latin-1") for path in new)
    for path in new:
        path.unlink()
    return text


RUNS = (
    ("run", "-o", "out.csv"),
    ("run", "-o", "out.csv", "--report", "report.html", "--report-internal", "internal.html"),
    ("run", "-o", "out.parquet"),
    ("run", "--dry-run", "--sql"),
    ("run", "--dry-run", "--stages"),
    ("plan",),
    ("explain", "--record", "1", "--seed", "0123456789abcdef"),
)


@folded("engine", ENGINES)
@pytest.mark.parametrize("source", ["file", "environment"])
@pytest.mark.parametrize("run", RUNS, ids=" ".join)
def test_nothing_that_a_command_writes_contains_the_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch, source: str, run: tuple[str, ...], engine: str
) -> None:
    given = ("--key-file", "key.txt") if source == "file" else ()
    if source == "environment":
        monkeypatch.setenv("ACOMPASS_KEY", KEY)
    command, *options = run
    for format_ in FORMATS if command != "explain" else ("text", "json"):
        call = (command, "policy.acp", "people.csv", *options, "--engine", engine, "--format", format_, *given)
        said = _written(*call)
        assert said, call
        assert "AC901" not in said, call
        assert found_key(said) == [], call


WITHOUT_A_RUN = (
    ("prove", "policy.acp", "--certificate", "certificate.json"),
    ("lint", "policy.acp"),
    ("fmt", "policy.acp", "--check"),
    ("explain", "policy.acp", "--sql"),
    ("explain", "policy.acp", "--algebra"),
    ("check", "policy.acp", "people.csv"),
    ("dbt", "policy.acp", "--model", "people", "--table", "people.csv", "-o", "project"),
    ("doctor", "--no-progress"),
    ("doctor", "--no-progress", "--json"),
)


@pytest.mark.parametrize("call", WITHOUT_A_RUN, ids=" ".join)
def test_no_command_that_performs_nothing_contains_the_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch, call: tuple[str, ...]
) -> None:
    monkeypatch.setenv("ACOMPASS_KEY", KEY)
    Path("project").mkdir()
    Path("project/dbt_project.yml").write_text("name: p\nprofile: p\n")
    assert found_key(_written(*call)) == []


@folded("engine", ENGINES)
def test_no_repr_contains_the_key(folder: Path, engine: str) -> None:
    source = key_source(KEY, None)
    assert source is not None
    with acompass.open("people.csv", engine=engine) as session:
        options: Any = {"key": KEY, "seed": "0123456789abcdef"}
        program = with_key(session.checked(POLICY), Key(KEY.encode()))
        ran = session.run(POLICY, **options)
        planned = session.plan(POLICY, **options)
        shown = [ran, planned, session, session.explain(POLICY, record=1, **options), *planned.statements]
    for each in (*shown, source, source.key, Execution(key=source), program, *program.requirements):
        assert found_key(repr(each) + str(each)) == [], type(each)


def _fault(*objects: object, **_: object) -> None:
    raise RuntimeError(f"a fault with {objects}")


#: functions of a run that have the key among their arguments, or in them
FAULTS = (
    ("acompass.run", "_promises"),
    ("acompass.run", "execute"),
    ("acompass.run", "_run_result"),
    ("acompass.session", "run_policy"),
    ("acompass.engines.loading", "_trace"),
    ("acompass.plan.run.computations", "_pads"),
)


@pytest.mark.parametrize("debug", [False, True])
@folded("place", FAULTS)
def test_a_fault_does_not_show_the_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch, place: tuple[str, str], debug: bool
) -> None:
    """Not even in the traceback that ACOMPASS_DEBUG asks for."""
    module, name = place
    with monkeypatch.context() as patch:
        patch.setattr(import_module(module), name, _fault)
        patch.setenv("ACOMPASS_DEBUG", "1" if debug else "")
        call = ("run", "policy.acp", "people.csv", "-o", "out.csv", "--key-file", "key.txt")
        said = CliRunner().invoke(app, list(call)).output
        assert ("AC901" in said, "a fault with" in said) == (True, debug)
        assert found_key(said) == []
        with pytest.raises(RuntimeError) as raised:
            acompass.run(POLICY, "people.csv", key=KEY)
        assert found_key("".join(traceback.format_exception(raised.value))) == []


ERRORS: dict[str, Callable[[], object]] = {
    "AC416": lambda: acompass.run(POLICY, "people.csv", key=KEY[:31]),
    "AC407": lambda: acompass.run(POLICY, "people.csv", key=[KEY]),
    "AC238": lambda: acompass.run(
        "ALWAYS : SHIFT day BY name WITHIN 5 DAYS;", [{"name": "Ann", "day": "unknown"}], key=KEY
    ),
    "AC101": lambda: acompass.run("ALWAYS : PSEUDONYM unknown;", "people.csv", key=KEY),
}


@folded("code", ERRORS)
def test_no_error_shows_the_key(folder: Path, code: str) -> None:
    with pytest.raises(acompass.AcompassError) as raised:
        ERRORS[code]()
    error = raised.value
    assert code in str(error)
    shown = [str(error), repr(error), repr(error.args), repr(error.diagnostics), *traceback.format_exception(error)]
    assert found_key("".join(shown)) == []
    assert KEY[:31] not in "".join(shown)


def test_a_model_of_dbt_has_the_key_of_the_environment_and_does_not_show_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = acompass.run("EACH RESULT : age >= 0;", "people.csv").table
    with pytest.raises(NotReleased, match="AC415"):
        release(table, POLICY, "policy.acp", {}, {}, {})
    monkeypatch.setenv("ACOMPASS_KEY", KEY)
    released = release(table, POLICY, "policy.acp", {}, {}, {})
    assert released["name"].to_pylist()[0] == Key(KEY.encode()).pseudonym("Ann")
    monkeypatch.setenv("ACOMPASS_KEY", KEY[:20])
    with pytest.raises(NotReleased) as raised:
        release(table, POLICY, "policy.acp", {}, {}, {})
    assert KEY[:20] not in str(raised.value)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="only Linux shows the arguments of a process there")
def test_the_list_of_processes_does_not_show_the_key(folder: Path) -> None:
    """The key is read from a pipe, so that the run is still waiting when its arguments are read."""
    os.mkfifo("pipe")
    call = [sys.executable, "-m", "acompass", "run", "policy.acp", "people.csv", "-o", "out.csv"]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*call, "--key-file", "pipe"], **pipes) as process:
        with open("pipe", "w") as pipe:  # waits until the run opens it
            shown = "".join(_arguments(process.pid))
            pipe.write(KEY)
        said = b"".join(process.communicate()).decode()
    assert process.returncode == 0, said
    assert "--key-file" in shown
    assert found_key(shown + said) == []
    assert Key(KEY.encode()).pseudonym("Ann") in Path("out.csv").read_text()


def _arguments(process: int) -> Iterator[str]:
    """The arguments of a process and of those that it started."""
    yield Path(f"/proc/{process}/cmdline").read_text()
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield from _arguments(int(child))


@pytest.mark.slow
def test_no_answer_of_the_studio_shows_the_key(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from acompass.assist.studio.server import QUESTIONS

    extra: dict[str, dict[str, Any]] = {
        "hover": {"at": 10},
        "complete": {"at": 10},
        "claim": {"claim": "EACH RESULT : age <= 30"},
        "save": {"version": None},
        "show": {"on": True},
        "record": {"record": 1},
        "all": {"all": True},
        "release": {"name": "released", "report": True},
    }
    policy, table = folder / "policy.acp", folder / "people.csv"
    with open_studio(policy, table, key=KEY.encode()) as (page, _):
        answered = {}
        for name in ["show", *(each for each in QUESTIONS if each not in ("show", "stop", "roles", "reading"))]:
            response = page.send(name, text=POLICY, params={}, **extra.get(name, {}))
            assert found_key(response.text) == [], name
            answered[name] = response
        assert found_key(page.http.get("/preview").text) == []
        assert found_key(page.http.get("/").text) == []
    assert answered["verdicts"].json()["diagnostics"] == []
    assert Key(KEY.encode()).pseudonym("Ann") in answered["record"].text


@pytest.mark.slow
def test_the_studio_without_a_key_says_so_and_takes_that_of_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_studio(folder / "policy.acp", folder / "people.csv") as (page, _):
        missing = page.send("verdicts", text=POLICY, params={}).json()
        assert [each["code"] for each in missing["diagnostics"]] == ["AC415"]
        monkeypatch.setenv("ACOMPASS_KEY", KEY)
        found = page.send("preview", text=POLICY, params={})
        assert found.json()["diagnostics"] == []
        assert found_key(found.text) == []
