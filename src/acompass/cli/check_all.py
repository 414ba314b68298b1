"""`acompass check-all`: check every policy that has a table in an acompass.toml."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import VIOLATED, WRONG, exit_codes, print_error
from acompass.cli.inputs import given, read_policy
from acompass.cli.progress import progress_bar
from acompass.cli.streams import print_out, style_of
from acompass.diagnostics import AcompassError, CallError, Diagnostic
from acompass.report.words import on_one_line

EXAMPLES = """\
acompass check-all
acompass check-all register survey
"""
SUFFIX = ".acp"


@click.command("check-all", cls=Command, epilog=EXAMPLES)
@click.argument(
    "folders",
    nargs=-1,
    metavar="[FOLDER]…",
    type=click.Path(exists=True, file_okay=False),
    help="Where to look; by default the current folder.",
)
@options.no_progress
def check_all(folders: tuple[str, ...], no_progress: bool) -> None:
    """Check every policy that an acompass.toml gives a table, in these folders and the folders inside them.

    Hidden folders are left out. Every policy is reported, and those without a table are listed at the end.
    Exits with 1 if an assertion does not hold, and with 2 if a policy cannot be checked.
    """
    with exit_codes():
        from acompass.project import folders_below

        inside = dict.fromkeys(each for folder in folders or (".",) for each in folders_below(folder))
        codes, unchecked = list[int](), list[str]()
        for folder in inside:
            codes += _check_folder(folder, unchecked, not no_progress)
        if not codes:
            raise CallError([_no_table(folders)])
        if unchecked:
            print_out(f"not checked, without a table: {', '.join(unchecked)}")
    raise click.exceptions.Exit(max(codes))


def _check_folder(folder: Path, unchecked: list[str], shows_progress: bool) -> Iterator[int]:
    """An exit code for each policy that has a table; the others are added to `unchecked`."""
    from acompass.project import policies_in

    try:
        settled = policies_in(folder)
    except AcompassError as error:
        print_error(error)
        yield WRONG
        return
    written = sorted(path.name for path in folder.glob(f"*{SUFFIX}"))
    for name in dict.fromkeys((*settled, *written)):
        policy = str(folder / name)
        code = _check(policy, shows_progress)
        if code is None:
            unchecked.append(on_one_line(policy))
        else:
            yield code


def _check(policy: str, shows_progress: bool) -> int | None:
    """The exit code; None if nothing gives the policy a table."""
    from acompass import api
    from acompass.report.text.result import check_text

    try:
        call = given(policy, None, ())
        if call.table_beside is None:
            return None
        with progress_bar(shows_progress) as progress:
            result = api.check(read_policy(policy), call.table, params=call.params, progress=progress)
    except AcompassError as error:
        print_error(error)
        return WRONG
    print_out(f"{on_one_line(policy)}\n{check_text(result, style_of(sys.stdout))}\n")
    return 0 if result.ok else VIOLATED


def _no_table(folders: Sequence[str]) -> Diagnostic:
    where = " or ".join(f"`{folder}`" for folder in folders) or "this folder"
    section = '`[policy."release.acp"]` and `table = "people.csv"`'
    message = f"no `acompass.toml` in {where} or below gives a policy a table"
    return Diagnostic("AC411", message, help=f"write {section} in an `acompass.toml` beside the policy")
