"""`acompass check`: evaluate the assertions of a policy, or of every policy in some folders."""

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.exceptions import Exit

from acompass.cli import fixes, options
from acompass.cli.command import WRONG, Command, exit_by_verdict, exit_codes, print_error, worst_code
from acompass.cli.formats import (
    Also,
    CiFormat,
    also,
    ci_formats,
    error_report,
    render_result,
    require_other_files,
    write_also,
)
from acompass.cli.inputs import read_policy, resolve_inputs
from acompass.cli.streams import print_hint, print_out, progress_bar
from acompass.errors.diagnostics import AcompassError, CallError, Diagnostic
from acompass.errors.display import on_one_line
from acompass.options import CheckOnTable
from acompass.result import Result

if TYPE_CHECKING:
    from acompass.policy import Policy

EXAMPLES = """\
acompass check policy.acp people.csv
acompass check policy.acp
acompass check register survey
acompass check policy.acp people.csv --set k=5 --format sarif > check.sarif
acompass check policy.acp people.csv --also sarif=check.sarif --also junit=junit.xml
acompass check policy.acp people.csv --format markdown >> "$GITHUB_STEP_SUMMARY"
acompass check policy.acp 'parts/*.parquet' --quiet && echo ready
acompass check policy.acp people.csv --diff
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument(
    "policy",
    metavar="POLICY|FOLDER",
    help="The policy (.acp), - for standard input; or a folder, whose policies are checked.",
)
@options.policy_table
@click.argument("folders", nargs=-1, metavar="[FOLDER]…", help="More folders.")
@options.declared(CheckOnTable)
@ci_formats
@also
@fixes.fix
@fixes.diff
@options.quiet
@options.no_progress
def check(policy: str, table: str | None, folders: tuple[str, ...], **given: Any) -> None:
    """Evaluate every assertion of a policy on a table. No action is performed and the table is not changed.

    With folders, checks every policy for which an acompass.toml names a table, in these folders and their subfolders.
    Hidden folders are skipped. Policies without a table are listed at the end.

    --fix first corrects mistakes in the policy that have only one possible correction. Exits with 1 if an
    assertion does not hold, and with 2 if a policy cannot be checked.
    """
    if os.path.isdir(policy):
        _check_folders([each for each in (policy, table, *folders) if each is not None], given)
    if folders:
        raise click.UsageError(f"'{policy}' is not a folder; several folders can be checked, but only one policy")
    _check_policy(policy, table, **given)


def _check_policy(
    policy: str,
    table: str | None,
    format_: CiFormat,
    also: Also,
    fix: bool,
    diff: bool,
    quiet: bool,
    no_progress: bool,
    heading: str = "",
    **given: Any,
) -> None:
    fixer = fixes.PolicyFixer(policy, fix, diff, quiet)
    fixer.require_text(format_ == "text")
    require_other_files(also, policy, table)
    with exit_codes(error_report(format_, policy, also)):
        from acompass import api

        call = resolve_inputs(policy, table, given)

        def check_policy(parsed: "Policy") -> Result:
            with progress_bar(not (quiet or no_progress)) as progress:
                return api.check(parsed, call.table, progress=progress, **call.options)

        parsed, result = fixer.perform(lambda: read_policy(policy, table), check_policy)
        write_also(also, lambda each: render_result(result, policy, each, fixer.report_stream))
        if not quiet:
            report = render_result(result, policy, format_, fixer.report_stream)
            fixer.print_report(f"{heading}\n{report}\n" if heading else report)
        if not quiet and format_ == "text" and not heading:
            print_hint(parsed, call.params)
        exit_by_verdict(result.ok)


def _check_folders(roots: Sequence[str], given: dict[str, Any]) -> NoReturn:
    if given["format_"] != "text" or given["also"] or given["report"] or given["report_internal"]:
        raise click.UsageError("the policies of folders are reported as text; give one policy for another report")
    for root in roots:
        if not os.path.isdir(root):
            raise click.BadParameter(f"'{root}' is not a folder")
    with exit_codes():
        from acompass.policy import folders_below

        broken, unchecked, checked = list[AcompassError](), list[str](), list[str]()
        for folder in dict.fromkeys(below for root in roots for below in folders_below(root)):
            try:
                checked += _policies_with_table(folder, unchecked)
            except AcompassError as error:
                broken.append(error)
        if not (checked or broken):
            raise CallError([_no_table_in(roots)])
        for each in broken:
            print_error(each)
        code = worst_code(checked, partial(_check_in_folder, given))
        if unchecked:
            print_out(f"not checked, because no table is named: {', '.join(unchecked)}")
    raise Exit(WRONG if broken else code)


def _policies_with_table(folder: Path, unchecked: list[str]) -> Iterator[str]:
    """Yield the policies of a folder for which its acompass.toml names a table, and add the others to `unchecked`."""
    from acompass.policy import policies_in

    files = sorted(path.name for path in folder.glob("*.acp"))
    for name in dict.fromkeys((*policies_in(folder), *files)):
        policy = str(folder / name)
        if _has_table(policy):
            yield policy
        else:
            unchecked.append(on_one_line(policy))


def _has_table(policy: str) -> bool:
    from acompass.policy import policy_settings

    try:
        return policy_settings(policy).table is not None
    except AcompassError:  # the check of the policy reports it
        return True


def _check_in_folder(given: dict[str, Any], policy: str) -> None:
    _check_policy(policy, None, heading=on_one_line(policy), **given)


def _no_table_in(folders: Sequence[str]) -> Diagnostic:
    where = " or ".join("this folder" if folder == "." else f"`{folder}`" for folder in folders)
    section = '`[policy."release.acp"]` and `table = "people.csv"`'
    message = f"no `acompass.toml` in {where} or its subfolders names a table for a policy"
    return Diagnostic("AC411", message, help=f"write {section} in an `acompass.toml` in the policy's folder")


CHECK_ALL_EXAMPLES = """\
acompass check-all
acompass check-all register survey
"""


def _check_all(folders: tuple[str, ...], **given: Any) -> None:
    first, *others = folders or (".",)
    assert check.callback is not None
    check.callback(first, None, tuple(others), **given)


_folders = click.Path(exists=True, file_okay=False)
check_all = Command(
    "check-all",
    params=[
        click.Argument(
            ["folders"], nargs=-1, type=_folders, metavar="[FOLDER]…", help="Folders; the current folder by default."
        ),
        *(each for each in check.params if isinstance(each, click.Option) and each.name != "max_errors"),
    ],
    callback=_check_all,
    help="Check every policy for which an acompass.toml names a table, in these folders and their subfolders: another "
    "name of `check FOLDER…`.",
    epilog=CHECK_ALL_EXAMPLES,
    hidden=True,
)
