"""The hierarchy in a file that a call names."""

from pathlib import Path

from acompass.diagnostics import CallError, Diagnostic
from acompass.hierarchies.from_csv import read_hierarchy
from acompass.hierarchies.hierarchy import Hierarchy
from acompass.hierarchies.problems import Problem, summary


def sound_hierarchy(path: str) -> Hierarchy:
    """Raises if anything is wrong with it."""
    found = checked_hierarchy(path)
    if isinstance(found, Hierarchy):
        return found
    help_ = f"`acompass hierarchy {path} --check` lists what is wrong"
    raise CallError([Diagnostic("AC614", f"hierarchy `{path}`: {summary(found)}", help=help_)])


def checked_hierarchy(path: str) -> Hierarchy | tuple[Problem, ...]:
    """The hierarchy, or everything that is wrong with it. Raises if the file cannot be read."""
    try:
        return read_hierarchy(Path(path))
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "unknown reason").lower()
        finding = Diagnostic("AC613", f"cannot read hierarchy `{path}`: {reason}", help="check the path")
        raise CallError([finding]) from None
