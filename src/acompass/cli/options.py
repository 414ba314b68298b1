"""Make the options of a command from their declarations in `acompass.options`, and its arguments."""

from collections.abc import Callable, Collection
from typing import Any, TypeAlias

import click

from acompass.arguments import Option, declared_option, declared_options, help_text
from acompass.options import SHARED, Opening, command_line_spelling

Callback: TypeAlias = Callable[..., None]

TABLE_FILE = "A .csv, .csv.gz, .parquet or .xlsx file, or a glob of them; - for standard input."
_TABLE = (
    "A .csv, .csv.gz, .parquet or .xlsx file, a glob of them, or with --engine the name of a table; "
    "- for standard input."
)
#: the title of the options in every --help that an acompass.toml can give for a table
READING = "Reading options"

policy = click.argument("policy", help="The policy (.acp); - for standard input.")
table = click.argument("table", help=_TABLE)
policy_table = click.argument(
    "table", required=False, help=f"{_TABLE} Defaults to the table in the policy's acompass.toml."
)
quiet = click.option("--quiet", "-q", is_flag=True, help="Print no report; only set the exit code.")
no_progress = click.option("--no-progress", is_flag=True, help="Do not show a progress bar.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print a JSON object on standard output.")


class NamedOption(click.Option):
    """An option of a command; its earlier flag is still accepted, and not shown."""

    def __init__(self, *args: Any, earlier: str = "", **attributes: Any):
        super().__init__(*args, **attributes)
        self._shown = [flag for flag in self.opts if flag != earlier]

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        accepted, self.opts = self.opts, self._shown
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = accepted


class DeclaredOption(NamedOption):
    """An option that the command shares with a call in Python."""

    def __init__(self, *args: Any, declared: Option, **attributes: Any):
        super().__init__(*args, **attributes)
        self.declared = declared
        self.title = READING if self.name in Opening.__annotations__ else "Options"


def declared(
    *groups: Any, leave_out: Collection[str] = (), required: Collection[str] = (), **arguments: Any
) -> Callable[[Callback], Callback]:
    """Add the options of TypedDicts to a command, and before them those of single arguments, which are annotations."""
    found = {name: declared_option(annotation) for name, annotation in arguments.items()}
    for group in groups:
        found |= declared_options(group)
    names = (name for name, option in found.items() if option.flags and name not in leave_out)
    shown = {name: found[name] for name in sorted(names, key=lambda name: name in SHARED)}

    def add(command: Callback) -> Callback:
        for name, option in reversed(shown.items()):  # --help lists the last one applied first
            command = _make_option(name, option, name in required)(command)
        return command

    return add


def _make_option(name: str, option: Option, required: bool) -> Callable[[Callback], Callback]:
    flags = [option.flag, *(word.rstrip(",") for word in option.flags.split() if word[0] == "-" and word[1] != "-")]
    earlier = f"--{option.earlier}" if option.earlier else ""
    is_repeatable = option.kind.form in ("texts", "names", "pairs", "name sets", "numbers")
    attributes: dict[str, Any] = {"help": _help(option, is_repeatable), "required": required}
    if option.kind.form == "flag":
        attributes |= {"is_flag": True, "default": option.default}
        if option.default:
            attributes["flag_value"] = False
    else:
        attributes |= {"metavar": option.metavar, "multiple": is_repeatable, "type": _type(option)}
        if option.default is not None:
            attributes["default"] = option.default
    names = [*flags, *filter(None, [earlier]), name]
    return click.option(*names, cls=DeclaredOption, declared=option, earlier=earlier, **attributes)


def _help(option: Option, is_repeatable: bool) -> str:
    text = help_text(option, command_line_spelling)
    if option.kind.form == "flag" and option.cli_help:
        text = option.cli_help  # of a flag that means the opposite
    elif option.cli_help:
        text = f"{text} {option.cli_help}"
    return f"{text.rstrip('.')}; repeatable." if is_repeatable else text


def _type(option: Option) -> Any:
    match option.kind.form:
        case "number" | "numbers" if option.kind.least is not None:
            return click.IntRange(min=option.kind.least)
        case "number" | "numbers":
            return int
        case _:
            return str


reading = declared(Opening)
