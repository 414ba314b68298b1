"""The key of PSEUDONYM and SHIFT (X15): where it comes from, and that it appears nowhere."""

import hashlib
import hmac
import os
import signal
import stat
from pathlib import Path

import pytest

import acompass as acompass_package
from acompass import api
from acompass.engines.protocol import key_source
from acompass.errors.diagnostics import CallError
from tests.assist.studio.pages import Page, start_studio
from tests.errors.pages import pages, run_blocks, run_fix

KEY = "6d1f0c7e9b2a48335e17c0a45b1c0e2f9d7a4833"
POLICY = "ALWAYS : PSEUDONYM name;"
ENGINE = ("--engine", "reference")


@pytest.fixture(autouse=True)
def _table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ACOMPASS_KEY", raising=False)
    (tmp_path / "names.csv").write_text("name,age\nAnn,31\nBob,42\nAnn,54\n", encoding="utf-8")


def _pseudonym(text: str, key: str = KEY) -> str:
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()[:24]


def _private(name: str, content: bytes) -> str:
    Path(name).write_bytes(content)
    os.chmod(name, stat.S_IRUSR | stat.S_IWUSR)
    return name


def test_a_key_comes_from_a_file_the_environment_or_a_call(acompass, policy, monkeypatch):
    """The call comes before the environment; one line end is stripped, wherever the key comes from."""
    for name, text in (("lf", f"{KEY}\n"), ("crlf", f"{KEY}\r\n"), ("bare", KEY), ("two", f"{KEY}\n\n")):
        _private(name, text.encode())

    def released(*arguments: str) -> str:
        ran = acompass("run", policy(POLICY), "names.csv", "-o", "-", *ENGINE, *arguments)
        assert ran.exit_code == 0, ran.stderr
        assert KEY not in ran.output
        return ran.stdout

    ann, bob = _pseudonym("Ann"), _pseudonym("Bob")
    expected = f"name,age\n{ann},31\n{bob},42\n{ann},54\n"
    assert {released("--key-file", name) for name in ("lf", "crlf", "bare")} == {expected}
    assert _pseudonym("Ann", f"{KEY}\n") in released("--key-file", "two")
    monkeypatch.setenv("ACOMPASS_KEY", f"{KEY}\n")
    assert released() == expected
    monkeypatch.setenv("ACOMPASS_KEY", "another secret of a sufficient length")
    assert released("--key-file", "lf") == expected
    for key in (KEY, f"{KEY}\n", KEY.encode(), bytearray(KEY, "ascii"), f"{KEY}\r\n".encode()):
        assert api.run(POLICY, "names.csv", key=key, engine="reference").table["name"].to_pylist() == [ann, bob, ann]
    assert api.run(POLICY, "names.csv", key_file="lf", engine="reference").table["name"].to_pylist() == [ann, bob, ann]


@pytest.mark.parametrize("option", ["-o", "--report", "--report-internal"])
def test_no_output_replaces_the_key(acompass, policy, option):
    _private("key.csv", KEY.encode())
    output = () if option == "-o" else ("-o", "out.csv")
    arguments = ("run", policy(POLICY), "names.csv", option, "key.csv", *output, "--key-file", "key.csv", "--replace")
    ran = acompass(*arguments, *ENGINE)
    assert ran.exit_code == 2
    assert "the output `key.csv` is the file of the key or the seed" in ran.stderr
    assert Path("key.csv").read_text() == KEY
    assert not Path("out.csv").exists()


def test_a_key_may_be_any_bytes(acompass, policy):
    secret = bytes(range(128, 192))
    _private("bytes", secret)
    assert acompass("run", policy(POLICY), "names.csv", "-o", "out.csv", *ENGINE, "--key-file", "bytes").exit_code == 0
    assert hmac.new(secret, b"Bob", hashlib.sha256).hexdigest()[:24] in Path("out.csv").read_text()


@pytest.mark.parametrize(
    "command", [("run", "-o", "out.csv"), ("run", "--dry-run"), ("plan",), ("explain", "--record", "1")]
)
@pytest.mark.parametrize("action", ["PSEUDONYM name", "SHIFT day BY name WITHIN 10 DAYS"])
def test_without_a_key_nothing_is_performed(acompass, policy, command, action):
    Path("days.csv").write_text("name,day\nAnn,2024-03-01\n", encoding="utf-8")
    name, *options = command
    ran = acompass(name, policy(f"ALWAYS : {action};"), "days.csv", *options, *ENGINE)
    assert ran.exit_code == 2
    assert f"error[AC415]: {action.split()[0]} needs a key\n --> policy.acp:1:10\n" in ran.stderr
    assert "--key-file key.txt" in ran.stderr
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("command", ["check", "prove", "lint", "fmt"])
def test_what_performs_no_action_needs_no_key(acompass, policy, command):
    tables = ("names.csv", *ENGINE) if command == "check" else ()
    ran = acompass(command, policy(f"{POLICY}\n"), *tables)
    assert "AC415" not in ran.output
    assert ran.exit_code in (0, 1), ran.output


@pytest.mark.parametrize(
    ("arguments", "environment", "message"),
    [
        (("--key-file", "short"), None, "the key in `short` has fewer than 32 bytes, so it could be guessed"),
        (("--key-file", "end"), None, "the key in `end` has fewer than 32 bytes, so it could be guessed"),
        (("--key-file", "none"), None, "cannot read the key in `none`: no such file or directory"),
        (("--key-file", "."), None, "cannot read the key in `.`: is a directory"),
        (("--key-file", "long"), None, "the key in `long` has more than 100,000 bytes"),
        ((), "", "the key in `ACOMPASS_KEY` has fewer than 32 bytes, so it could be guessed"),
    ],
)
def test_a_key_that_is_short_or_unreadable_is_an_error(acompass, policy, monkeypatch, arguments, environment, message):
    for name, content in {"short": b"k" * 31, "end": b"k" * 31 + b"\n", "long": b"k" * 100_003}.items():
        _private(name, content)
    if environment is not None:
        monkeypatch.setenv("ACOMPASS_KEY", environment)
    ran = acompass("run", policy(POLICY), "names.csv", "-o", "out.csv", *ENGINE, *arguments)
    assert ran.exit_code == 2
    assert f"error[AC416]: {message}\n" in ran.stderr
    assert not Path("out.csv").exists()


def test_a_key_in_python_is_bytes_or_text_and_given_once():
    for key, code in ((5, "AC407"), ("\ud800" * 40, "AC416"), (b"", "AC416")):
        with pytest.raises(CallError) as raised:
            api.run(POLICY, "names.csv", key=key)
        assert [each.code for each in raised.value.diagnostics] == [code]
    _private("key", KEY.encode())
    with pytest.raises(CallError, match="both a key and a file with a key are given"):
        api.run(POLICY, "names.csv", key=KEY, key_file="key")


def test_a_key_that_no_action_needs_is_no_error(acompass, policy, monkeypatch):
    """Not even an unusable one in the environment, which other policies of the project may need."""
    other = policy("EACH RESULT : age <= 50 : REJECT;")
    _private("key", KEY.encode())
    assert acompass("run", other, "names.csv", "-o", "out.csv", "--key-file", "key").exit_code == 0
    monkeypatch.setenv("ACOMPASS_KEY", "short")
    assert acompass("run", other, "names.csv", "-o", "out.csv").exit_code == 0


@pytest.mark.parametrize(("mode", "is_noted"), [(0o600, False), (0o640, True), (0o604, True), (0o400, False)])
def test_a_note_says_that_others_can_read_the_key(acompass, policy, mode, is_noted):
    os.chmod(_private("a key", KEY.encode()), mode)
    arguments = ("names.csv", "-o", "out.csv", *ENGINE, "--key-file", "a key")
    ran = acompass("run", policy(POLICY), *arguments)
    assert ran.exit_code == 0, ran.stderr
    assert ("run `chmod 600 'a key'` (AC417)" in ran.stdout) is is_noted
    assert "AC417" not in acompass("run", policy("EACH RESULT : age <= 50 : REJECT;"), *arguments).output


def test_a_key_from_a_pipe_is_not_a_file_that_others_can_read():
    reading, writing = os.pipe()
    os.write(writing, f"{KEY}\n".encode())
    os.close(writing)
    try:
        source = key_source(None, f"/dev/fd/{reading}")
    finally:
        os.close(reading)
    assert source is not None
    assert source.key.pseudonym("Ann") == _pseudonym("Ann")
    assert source.readable_file is None


def test_the_example_of_the_page_gives_the_note_and_the_fix_does_not():
    (page,) = [each for each in pages() if each.code == "AC417"]
    (ran,) = run_blocks(page.sections["Example"])
    assert ran.exit_code == 0
    assert "(AC417)" in ran.output
    assert "AC417" not in run_fix(page).output


def test_calls_on_one_session_have_their_own_keys():
    with acompass_package.open("names.csv") as session:
        for key in (KEY, "another secret of a sufficient length", KEY):
            names = session.run(POLICY, key=key).table["name"].to_pylist()
            assert names == [_pseudonym(name, key) for name in ("Ann", "Bob", "Ann")]
            (life,) = session.explain(POLICY, record=2, key=key).lives
            assert life.left["name"] == _pseudonym("Bob", key)


def test_a_cell_of_a_notebook_has_a_key_file(monkeypatch):
    from acompass.assist.notebook import load_ipython_extension
    from acompass.errors.diagnostics import AcompassError

    class Shell:
        def __init__(self):
            self.user_ns = {"people": [{"name": "Ann"}]}

        def register_magic_function(self, func, magic_kind, magic_name):
            self.magic = func

    shell = Shell()
    load_ipython_extension(shell)
    _private("key", KEY.encode())
    shell.magic("people --key-file key --out released", POLICY)
    assert shell.user_ns["released"] == [{"name": _pseudonym("Ann")}]
    with pytest.raises(AcompassError, match="AC415"):
        shell.magic("people", POLICY)
    with pytest.raises(Exception, match="--key-file has no effect with --check"):
        shell.magic("people --check --key-file key", POLICY)


@pytest.mark.slow
def test_the_studio_reads_the_key_when_it_starts(tmp_path, policy):
    """The file may be a pipe, so it is read once; an unusable key ends the command."""
    os.chmod(_private("key", KEY.encode()), 0o644)
    with start_studio(policy(POLICY), "names.csv", "--key-file", "key", folder=tmp_path) as (process, address):
        Path("key").unlink()
        with Page(address) as page:
            assert page.send("verdicts", text=POLICY, params={}).json()["diagnostics"] == []
        process.send_signal(signal.SIGINT)
        assert "note: other users of this computer can read the key" in process.stderr.read()
    _private("short", b"short")
    with start_studio(policy(POLICY), "names.csv", "--key-file", "short", folder=tmp_path) as (process, address):
        assert address == ""
        assert "AC416" in process.stderr.read()
