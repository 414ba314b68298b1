"""The desktop shortcut, on Linux as it is written and started, on other platforms by its text."""

import configparser
import shlex
import subprocess
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from click.testing import CliRunner

from acompass.assist.studio.shortcut import ShortcutFile, shortcut_files
from acompass.cli.app import app
from acompass.errors.diagnostics import CallError

#: what a folder's name may contain and a shell or a desktop would not take as it is
STRANGE = "a b'c\"d`e$HOME%f\\g"


def linux(python: str, **environment: str) -> list[ShortcutFile]:
    return shortcut_files("linux", python, {"HOME": "/users/ann", **environment}, None)


def read_arguments(entry: str) -> list[str]:
    """The arguments of Exec, as the Desktop Entry Specification says that they are read."""
    parser = configparser.RawConfigParser()
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(entry)
    value = parser["Desktop Entry"]["Exec"].replace("\\\\", "\\")
    arguments = shlex.shlex(value, posix=True, punctuation_chars=False)
    arguments.whitespace_split, arguments.commenters, arguments.quotes = True, "", '"'
    arguments.escapedquotes = '"'
    return [argument.replace("%%", "%").replace("\\`", "`").replace("\\$", "$") for argument in arguments]


@pytest.mark.parametrize("python", ["/usr/bin/python3", f"/opt/{STRANGE}/python"])
def test_linux_gets_an_entry_that_starts_this_python(python: str) -> None:
    (file,) = linux(python)
    assert file.path == PurePosixPath("/users/ann/.local/share/applications/acompass-studio.desktop")
    assert read_arguments(file.content) == [python, "-m", "acompass", "studio"]
    assert "\nPath=/users/ann\n" in file.content
    assert "\nTerminal=true\n" in file.content


def test_linux_follows_the_data_folder_and_the_desktop() -> None:
    files = shortcut_files(
        "linux", "python", {"HOME": "/h", "XDG_DATA_HOME": "/data"}, PurePosixPath("/h/Arbeitsplatz")
    )
    assert [file.path.as_posix() for file in files] == [
        "/data/applications/acompass-studio.desktop",
        "/h/Arbeitsplatz/acompass-studio.desktop",
    ]
    assert [file.is_program for file in files] == [False, True]


def test_macos_gets_a_program_that_the_shell_reads(tmp_path: Path) -> None:
    folder = tmp_path / STRANGE.replace("/", "")
    folder.mkdir()
    python = folder / "python"
    python.write_text('#!/bin/sh\npwd\necho "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    (file,) = shortcut_files("darwin", str(python), {"HOME": str(tmp_path)}, None)
    assert file.path == tmp_path / "Applications" / "A-COMPASS Studio.command"
    assert file.is_program
    ran = subprocess.run(["sh", "-c", file.content], env={"HOME": str(tmp_path)}, capture_output=True, text=True)
    assert ran.stdout == f"{tmp_path}\n-m acompass studio\n"


def test_windows_gets_a_batch_file_in_the_start_menu_and_on_the_desktop() -> None:
    environment = {"USERPROFILE": r"C:\Users\Ann", "APPDATA": r"C:\Users\Ann\Roaming"}
    desktop = PureWindowsPath(r"C:\Users\Ann\Desktop")
    files = shortcut_files("win32", r"C:\100% sure\python.exe", environment, desktop)
    assert [str(file.path) for file in files] == [
        r"C:\Users\Ann\Roaming\Microsoft\Windows\Start Menu\Programs\A-COMPASS Studio.bat",
        r"C:\Users\Ann\Desktop\A-COMPASS Studio.bat",
    ]
    lines = files[0].content.split("\r\n")
    assert lines[-2:] == [r'"C:\100%% sure\python.exe" -m acompass studio', ""]
    assert 'cd /d "%USERPROFILE%"' in lines


def test_a_user_without_a_home_gets_an_error() -> None:
    with pytest.raises(CallError, match="AC804"):
        shortcut_files("linux", "python", {}, None)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="writes the shortcut of Linux")
def test_the_command_writes_and_removes_the_shortcut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", "")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "Desktop").mkdir()
    entry = tmp_path / ".local/share/applications/acompass-studio.desktop"
    icon = tmp_path / "Desktop/acompass-studio.desktop"

    def studio(option: str) -> list[str]:
        ran = CliRunner().invoke(app, ["studio", option])
        assert ran.exit_code == 0, ran.output
        return ran.output.splitlines()

    assert studio("--install-shortcut") == [f"wrote {entry}", f"wrote {icon}"]
    content = entry.read_text(encoding="utf-8")
    assert read_arguments(content)[0] == sys.executable
    assert icon.stat().st_mode & 0o111
    assert studio("--install-shortcut") == [f"wrote {entry}", f"wrote {icon}"]
    assert entry.read_text(encoding="utf-8") == content
    assert studio("--remove-shortcut") == [f"removed {entry}", f"removed {icon}"]
    assert studio("--remove-shortcut") == [f"not there: {entry}", f"not there: {icon}"]
    assert list(entry.parent.iterdir()) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="writes the shortcut of Linux")
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".local").write_text("", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", "")
    ran = CliRunner().invoke(app, ["studio", "--install-shortcut"])
    assert ran.exit_code == 2
    assert "[AC804]: cannot write" in ran.output
