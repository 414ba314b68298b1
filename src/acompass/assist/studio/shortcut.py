"""A desktop shortcut that starts the studio, for each platform: what it writes is computed first, then written.

It starts this Python with `-m acompass studio` in the user's home."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath, PureWindowsPath

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.errors.display import reason_of
from acompass.tables.temporary_files import replace_atomically

_NAME = "A-COMPASS Studio"
_COMMENT = "Anonymize a table: from a file to a release"


@dataclass(frozen=True, slots=True)
class ShortcutFile:
    path: PurePath
    content: str
    is_program: bool = False  # whether the user may run it


def shortcut_files(
    platform: str, python: str, environment: Mapping[str, str], desktop: PurePath | None
) -> list[ShortcutFile]:
    """The files of the shortcut. `desktop` is the folder of the user's desktop, if there is one."""
    home = environment.get("USERPROFILE" if platform == "win32" else "HOME")
    if not home:
        raise CallError([Diagnostic("AC804", "the user has no home folder for a shortcut")])
    match platform:
        case "win32":
            return _windows(python, PureWindowsPath(home), environment, desktop)
        case "darwin":
            return [ShortcutFile(Path(home, "Applications", f"{_NAME}.command"), _macos_script(python), True)]
        case _:
            return _linux(python, Path(home), environment, desktop)


def _linux(python: str, home: Path, environment: Mapping[str, str], desktop: PurePath | None) -> list[ShortcutFile]:
    entry = _desktop_entry(python, home)
    data = environment.get("XDG_DATA_HOME", "")
    folder = Path(data) if os.path.isabs(data) else home / ".local" / "share"
    files = [ShortcutFile(folder / "applications" / "acompass-studio.desktop", entry)]
    if desktop is not None:
        files.append(ShortcutFile(desktop / "acompass-studio.desktop", entry, True))
    return files


def _desktop_entry(python: str, home: Path) -> str:
    """A terminal shows the address, and closing it ends the studio."""
    lines = (
        "[Desktop Entry]",
        "Type=Application",
        f"Name={_NAME}",
        f"Comment={_COMMENT}",
        f"Exec={_entry_value(' '.join(map(_entry_argument, (python, '-m', 'acompass', 'studio'))))}",
        f"Path={_entry_value(str(home))}",
        "Icon=accessories-text-editor",
        "Terminal=true",
        "Categories=Science;Office;",
    )
    return "\n".join(lines) + "\n"


def _entry_argument(text: str) -> str:
    """Quote an argument of Exec by the rules of the Desktop Entry Specification, in which `%` begins a field code."""
    escaped = "".join(f"\\{letter}" if letter in '"`$\\' else letter for letter in text.replace("%", "%%"))
    return f'"{escaped}"'


def _entry_value(text: str) -> str:
    """Escape a value of the file, for which backslashes and line ends have a meaning of their own."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


def _macos_script(python: str) -> str:
    return f'#!/bin/sh\ncd "$HOME" && exec {shlex.quote(python)} -m acompass studio\n'


def _windows(
    python: str, home: PureWindowsPath, environment: Mapping[str, str], desktop: PurePath | None
) -> list[ShortcutFile]:
    roaming = environment.get("APPDATA")
    data = PureWindowsPath(roaming) if roaming else home / "AppData" / "Roaming"
    script = _windows_script(python)
    folders: list[PurePath] = [data / "Microsoft" / "Windows" / "Start Menu" / "Programs"]
    folders += [] if desktop is None else [desktop]
    return [ShortcutFile(folder / f"{_NAME}.bat", script) for folder in folders]


def _windows_script(python: str) -> str:
    """A path in Windows has no double quote, and `%` is doubled in a batch file, which is read as UTF-8."""
    program = python.replace("%", "%%")
    lines = ("@echo off", "chcp 65001 >nul", 'cd /d "%USERPROFILE%"', f'"{program}" -m acompass studio')
    return "\r\n".join(lines) + "\r\n"


def change_shortcut(is_wanted: bool) -> Iterator[str]:
    """Write or remove the shortcut of this user, and yield a line for each file."""
    files = shortcut_files(sys.platform, sys.executable, os.environ, _desktop())
    for file in files:
        try:
            yield _write(file) if is_wanted else _remove(Path(file.path))
        except OSError as error:
            message = f"cannot write `{file.path}`: {reason_of(error)}"
            raise CallError([Diagnostic("AC804", message, help="check the permissions of the folder")]) from None


def _write(file: ShortcutFile) -> str:
    path = Path(file.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_atomically(path) as part:
        Path(part).write_bytes(file.content.encode())
    if file.is_program:
        path.chmod(0o755)
    return f"wrote {path}"


def _remove(path: Path) -> str:
    if not path.exists():
        return f"not there: {path}"
    path.unlink()
    return f"removed {path}"


def _desktop() -> Path | None:
    """The folder of the desktop, which has a translated name on some computers."""
    found = Path.home() / "Desktop"
    if sys.platform.startswith("linux"):
        try:
            said = subprocess.run(["xdg-user-dir", "DESKTOP"], capture_output=True, text=True, timeout=5)
        except (OSError, subprocess.SubprocessError):
            pass
        else:
            named = Path(said.stdout.strip())
            found = named if named.is_absolute() and named != Path.home() else found
    return found if found.is_dir() else None
