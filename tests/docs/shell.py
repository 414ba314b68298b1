"""Run commands as at a terminal, so that a page shows the same output as a reader sees."""

import os
import pty
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

COLUMNS = "96"


@dataclass
class Shell:
    """Runs commands in one folder; `status` is the exit code of the last one."""

    folder: Path
    status: int = 0
    _path: str = field(default=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")

    def run(self, command: str) -> str:
        """The command's output, then its standard error, which is a pipe so that no progress bar is drawn."""
        ours, its = pty.openpty()
        environment = {**os.environ, "PATH": self._path, "COLUMNS": COLUMNS, "NO_COLOR": "1"}
        printed = bytearray()
        reader = Thread(target=_read, args=(ours, printed))
        reader.start()
        try:
            ran = subprocess.run(
                ["bash", "-c", f"(exit {self.status}); {command}"],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=its,
                stderr=subprocess.PIPE,
            )
        finally:
            os.close(its)
            reader.join()
            os.close(ours)
        self.status = ran.returncode
        return (bytes(printed) + ran.stderr).decode().replace("\r\n", "\n")


def _read(terminal: int, printed: bytearray) -> None:
    try:
        while chunk := os.read(terminal, 65536):
            printed += chunk
    except OSError:
        """Linux raises this when the other end is closed."""
