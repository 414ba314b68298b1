"""`acompass doctor` reports what works and what does not, and reveals nothing about the machine's owner."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner

import acompass
from acompass.cli.app import app
from acompass.testing import doctor, health
from acompass.testing.doctor import examine_engines, examine_files
from acompass.testing.health import Finding, Health, Library, Need, State, health_text, is_older, needs
from tests.engines.postgres_server import Server
from tests.repo.sources import PACKAGE, ROOT

MARKER = "Qx7Zmark"


def _doctor(
    *arguments: str, folder: Path, **changes: str | None
) -> tuple[subprocess.CompletedProcess[str], dict[str, Finding]]:
    """Run the command in a changed environment; returns its outcome and its findings by name."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), **changes}
    ran = subprocess.run(
        [sys.executable, "-m", "acompass", "doctor", "--json", *arguments],
        cwd=folder,
        env={name: value for name, value in environment.items() if value is not None},
        capture_output=True,
        text=True,
    )
    return ran, _findings(json.loads(ran.stdout)) if ran.stdout else {}


def _findings(printed: Mapping[str, object]) -> dict[str, Finding]:
    sections = [section for section in printed.values() if isinstance(section, list)]
    return {
        each["name"]: Finding(each["name"], State(each["state"]), each["detail"], each["help"])
        for section in sections
        for each in section
    }


def _module(folder: Path, name: str, code: str) -> str:
    """Write a module, and return a PYTHONPATH on which it precedes the real one."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(code, encoding="utf-8")
    return os.pathsep.join([str(folder), str(PACKAGE.parent)])


@pytest.mark.slow
def test_doctor_reports_what_works() -> None:
    ran = CliRunner().invoke(app, ["doctor"])
    lines = [" ".join(line.split()) for line in ran.stdout.splitlines()]
    assert lines[0].startswith("acompass 0.1.0, Python 3.")
    assert "duckdb works gives the same table as `reference` for a small policy" in lines
    assert "reference works runs the same policy" in lines
    assert any(line.startswith("click works 8.") for line in lines)
    assert (ran.exit_code == 0) == lines[-1].startswith("everything that is installed works")


@pytest.mark.slow
def test_the_json_has_the_same_findings() -> None:
    ran = CliRunner().invoke(app, ["doctor", "--json"])
    printed = json.loads(ran.stdout)
    assert list(printed) == [
        *("ok", "acompass", "python", "platform"),
        *("libraries", "parts", "engines", "files", "machine"),
    ]
    found = _findings(printed)
    assert found["duckdb"].state is State.WORKS
    assert printed["ok"] == all(finding.state is not State.BROKEN for finding in found.values())
    assert ran.exit_code == (0 if printed["ok"] else 1)


@pytest.mark.slow
def test_the_output_has_no_path_host_person_or_password(tmp_path: Path) -> None:
    """Everything around the command has a marker in its name, including what fails."""
    folder = tmp_path / f"{MARKER} folder"
    path = _module(folder / "broken", "numpy", f"raise RuntimeError('{MARKER} at {folder}')")
    for name in ("home", "tmp"):
        (folder / name).mkdir()
    urls = [
        f"postgres://{MARKER}:{MARKER}@127.0.0.1:1/{MARKER}",
        f"postgres://{MARKER}%zz@{MARKER}/",
        f"postgresql:///{MARKER}?host={quote(str(folder))}",
        f"{MARKER}://{MARKER}",
        f"{folder}/engine",
    ]
    named = dict.fromkeys(("USER", "LOGNAME", "USERNAME", "HOSTNAME", "PGUSER", "PGPASSWORD"), MARKER)
    arguments = [part for url in urls for part in ("--engine", url)]
    for debug in (None, "1"):
        ran, found = _doctor(
            *arguments,
            folder=folder,
            PYTHONPATH=path,
            HOME=str(folder / "home"),
            TMPDIR=str(folder / "tmp"),
            PWD=str(folder),
            JAVA_HOME=str(folder / "java"),
            ACOMPASS_DEBUG=debug,
            **named,
        )
        assert ran.returncode == 1, ran.stderr
        for secret in (MARKER, str(tmp_path), socket.gethostname(), os.sep.join(("", "tmp")), "Traceback"):
            assert secret not in ran.stdout + ran.stderr
        assert found["suggest"].state is found["java"].state is State.BROKEN
        assert found["suggest"].detail.endswith("its import fails with `RuntimeError`")
        assert [found[name].detail for name in ("postgres 1", "postgres 2", "postgresql")] == [
            "PostgreSQL server cannot be reached: no server is listening",
            "PostgreSQL server cannot be reached: the URL is malformed",
            "PostgreSQL server cannot be reached: no server runs on this machine",
        ]
        assert found["engine 1"].detail == found["engine 2"].detail == "unknown engine"
        assert found["duckdb"].state is State.WORKS
        assert list((folder / "tmp").iterdir()) == [], "a file was left behind"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("library", "also"),
    [("duckdb", ["reference"]), ("sqlglot", ["duckdb"])],
)
def test_a_broken_library_is_reported_without_a_traceback(library: str, also: list[str], tmp_path: Path) -> None:
    path = _module(tmp_path / "broken", library, "import no_such_module")
    ran, found = _doctor("--engine", "postgres://localhost/x", folder=tmp_path, PYTHONPATH=path)
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    assert {found[name].detail for name in also if name != library} <= {f"needs {library}"}
    assert found["engine 1"].state is State.BROKEN


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("x = 1", None),
        ("raise OSError('secret')", "its import fails with `OSError`"),
        ("raise SystemExit", "its import fails with `SystemExit`"),
        ("raise KeyboardInterrupt", "its import fails with `KeyboardInterrupt`"),
        ("import os; os.write(2, b'secret'); raise ValueError", "its import fails with `ValueError`"),
        ("import os; os.abort()", "its import crashes"),
        (
            "raise ImportError('libx.so.1: cannot open shared object file: secret')",
            "its import fails with `ImportError`, libx.so.1 is missing",
        ),
        (
            """raise ImportError("/lib/libc.so.6: version `GLIBC_2.38' not found (required by /secret)")""",
            "its import fails with `ImportError`, GLIBC_2.38 is missing",
        ),
    ],
)
def test_a_module_that_fails_in_any_way_is_reported(
    code: str, failure: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", _module(tmp_path, "calamity", code))
    monkeypatch.syspath_prepend(tmp_path)
    found = health.examine_libraries([Need("calamity", "0", None)])
    assert found == {"calamity": Library("calamity", "of unknown version", failure)}


def test_a_file_of_the_working_folder_is_not_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _module(tmp_path, "click", "raise ValueError")
    monkeypatch.chdir(tmp_path)
    assert health.examine_libraries([Need("click", "8", None)])["click"].failure is None


def test_a_version_that_is_too_old_is_broken() -> None:
    need = Need("click", "999.1", "lsp")
    found = health.examine_libraries([need])
    (part,) = health.optional_findings([need], found)
    assert part.state is State.BROKEN
    assert part.detail.endswith(": 999.1 or later is needed")
    assert part.help == "pip install --force-reinstall 'acompass[lsp]'"


@pytest.mark.parametrize(
    ("version", "least", "older"),
    [("8.5", "8.5", False), ("8.10", "8.9", False), ("8.4.9", "8.5", True), ("17.0.0rc1", "17", False)],
)
def test_versions_are_compared_as_numbers(version: str, least: str, older: bool) -> None:
    assert is_older(version, least) is older


def test_a_missing_part_is_not_a_failure_but_a_missing_library_is() -> None:
    needed = [Need("no-such-library", "1", "studio"), Need("no-such-library", "1", None)]
    found = health.examine_libraries(needed)
    (part,) = health.optional_findings(needed, found)
    assert part == Finding("studio", State.MISSING, "acompass studio", "pip install 'acompass[studio]'")
    (library,) = health.required_findings(needed, found)
    assert (library.state, library.detail) == (State.BROKEN, "not installed")


def test_every_optional_part_has_a_purpose() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["optional-dependencies"]) <= set(health.PURPOSES)
    listed = [project["dependencies"], *project["optional-dependencies"].values()]
    assert not any(";" in need for part in listed for need in part), "conditions are not understood"


@pytest.mark.slow  # since pyspark is installed for `make test-product` and not for `make test`
def test_every_library_is_looked_up_by_the_name_of_its_module() -> None:
    needed = needs()
    assert needed
    assert [need.library for need in needed if find_spec(need.module) is None] == []


def test_a_copied_package_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "needs", lambda: None)
    health = doctor.examine()
    assert not health.ok
    assert health.libraries[0].detail.startswith("copied and not installed")


def test_an_engine_that_differs_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_small_run", lambda engine: engine)
    duckdb, reference = examine_engines([], ())
    assert duckdb.detail == "fails, or its results differ from those of `reference`"
    assert (duckdb.state, reference.state) == (State.BROKEN, State.WORKS)


def test_a_requested_engine_that_differs_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acompass.testing.conformance.differential.agrees", lambda url, case: False)
    *_, asked = examine_engines(["local[2]"], ())
    assert (asked.name, asked.state) == ("local", State.BROKEN)
    assert asked.help == "acompass conform --engine URL"


def test_every_line_of_the_small_policy_has_something_to_do(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(doctor.CSV, encoding="utf-8")
    result = acompass.run(doctor.POLICY, table, params=doctor.PARAMS, engine="reference")
    assert all(requirement.affected for requirement in result.requirements)
    assert 0 < result.records_out < result.records_in


def test_an_engine_that_fails_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(engine: str) -> object:
        raise OSError(MARKER)

    monkeypatch.setattr(doctor, "_small_run", fail)
    assert [finding.detail for finding in examine_engines(["duckdb"], ())] == ["fails with `OSError`"] * 2


@pytest.mark.parametrize("engine", ["postgres", "spark"])
def test_a_requested_engine_agrees(engine: str, engine_url: str) -> None:
    *_, asked = examine_engines([engine_url], ())
    assert (asked.state, asked.detail) == (State.WORKS, "agrees with `reference` on a small policy")


def test_the_reason_of_a_server_is_reworded(postgres: Server) -> None:
    wrong = [postgres.url(user=MARKER), postgres.url().replace("/english", f"/{MARKER}")]
    assert [finding.detail.partition(": ")[2] for finding in examine_engines(wrong, ())[2:]] == [
        "the user is unknown",
        "the database is unknown",
    ]


def test_a_temporary_folder_that_cannot_be_written_is_broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / MARKER))
    found = doctor.temporary_space()
    assert (found.state, found.detail) == (State.BROKEN, "cannot be written")


@pytest.mark.parametrize(
    ("free", "words"),
    [
        (0, "less than 1 GB"),
        (10**9, "more than 1 GB"),
        (10**11 - 1, "more than 10 GB"),
        (10**13, "more than 100 GB"),
    ],
)
def test_free_space_is_reported_as_a_size_class(free: int, words: str) -> None:
    assert doctor._space_class(free) == words


@pytest.mark.parametrize(
    ("program", "state", "detail"),
    [
        ("echo 'openjdk version \"21.0.2\" 2024-01-16' >&2", State.WORKS, "21.0.2"),
        ("echo 'java version \"1.8.0_391\"' >&2", State.BROKEN, "1.8.0: too old for Spark"),
        (f"echo {MARKER} >&2; exit 1", State.BROKEN, "needed by Spark, but missing or broken"),
    ],
)
def test_java_is_reported_with_its_version(
    program: str, state: State, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    found = doctor.java()
    assert (found.state, found.detail) == (state, detail)


def test_a_container_limit_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text(f"{2**29}\n", encoding="ascii")
    monkeypatch.setattr(doctor, "_CONTAINER_LIMITS", (tmp_path / "memory.max", tmp_path / "none"))
    assert doctor.memory().detail.startswith("0.5 GiB for this process, of ")


def test_missing_files_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("acompass.errors.catalog._FOLDERS", (tmp_path,))
    pages, studio = examine_files()
    assert (pages.state, studio.state) == (State.BROKEN, State.WORKS)


def test_the_text_ends_with_what_to_look_at() -> None:
    broken = Finding("numpy", State.BROKEN, "2.0: its import crashes", "pip install numpy")
    lacking = Finding("excel", State.MISSING, "tables in .xlsx files", "pip install 'acompass[excel]'")
    text = health_text(Health("1", "3.11", "Linux", (broken,), (lacking,), (), (), ()))
    assert "  excel  missing  tables in .xlsx files; pip install 'acompass[excel]'\n" in text
    assert text.endswith("\nbroken: numpy; missing: excel")
