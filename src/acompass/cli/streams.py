"""Write results to standard output and everything else to standard error."""

import os
import shutil
import sys
from io import TextIOWrapper
from typing import TextIO

from acompass.report.text.style import Style


def print_out(text: str) -> None:
    """Write and flush, so that a closed pipe is noticed here and not when Python exits."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def print_err(text: str) -> None:
    sys.stderr.write(text if text.endswith("\n") else text + "\n")
    sys.stderr.flush()


def write_utf8() -> None:
    """Let standard output be UTF-8 in every locale: what reads a report in a file expects it."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def shows_color(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def style_of(stream: TextIO) -> Style:
    width = shutil.get_terminal_size().columns if stream.isatty() else None
    return Style(color=shows_color(stream), width=width)
