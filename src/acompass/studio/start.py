"""What the command line asks the studio to open."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from acompass.checked.literals import read_constant
from acompass.checked.parameters import ParamValue
from acompass.diagnostics import CallError, Diagnostic
from acompass.options import ERROR, DatesArgument, MissingArgument
from acompass.project import FILE, policies_in
from acompass.syntax.spelling import spell_string
from acompass.tables.file_format import FileFormat
from acompass.tables.source import is_file, matching

_POLICY = ".acp"
_DEFAULT = FileFormat()


@dataclass(frozen=True, slots=True)
class Start:
    """`params` are texts, as the page's fields show them. `population` is a table of the people that the
    table's are of."""

    policy: str
    table: str
    params: Mapping[str, str] = field(default_factory=dict)
    missing: MissingArgument = ERROR
    dates: DatesArgument = ()
    file_format: FileFormat = _DEFAULT
    memory_limit: str | None = None
    population: str | None = None


def named_files(first: str | None, second: str | None) -> tuple[str, str | None]:
    """The policy, and the table unless only an acompass.toml knows it.

    A single argument may be the table: its policy has the same name, beside it.
    """
    if first is None:
        return _only_policy(), None
    if second is None and _is_table(first):
        return str(Path(first).with_name(Path(first).name.partition(".")[0] + _POLICY)), first
    _require_policy(first)
    return first, second


def setting_text(value: ParamValue) -> str:
    """A value as `--set` and the page's fields take it; text that looks like a number is quoted."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return value if read_constant(value.strip()) is None else spell_string(value)
        case int():
            return str(value)
        case _:
            return f"{value:f}"


def _only_policy() -> str:
    found = policies_in(".")
    if len(found) == 1:
        return found[0]
    help_ = "name a policy or a table: `acompass studio people.csv`"
    if not found:
        raise CallError(
            [Diagnostic("AC803", f"no policy is given, and `{FILE}` names none here", help=help_)]
        )
    listed = ", ".join(f"`{name}`" for name in found)
    raise CallError([Diagnostic("AC803", f"`{FILE}` names several policies: {listed}", help=help_)])


def _is_table(path: str) -> bool:
    return not path.lower().endswith(_POLICY) and is_file(path) and bool(matching(path))


def _require_policy(path: str) -> None:
    """A new policy would be created by the first save."""
    if not Path(path).exists() and not path.lower().endswith(_POLICY):
        help_ = f"name a file that exists, or a new policy: `{Path(path).stem}{_POLICY}`"
        raise CallError([Diagnostic("AC803", f"there is no policy `{path}`", help=help_)])
    if not Path(path).parent.is_dir():
        message = f"there is no folder `{Path(path).parent}` for the policy"
        raise CallError([Diagnostic("AC803", message, help="create the folder first")])
