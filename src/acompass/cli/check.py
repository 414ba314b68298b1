"""`acompass check` and `check-all`: evaluate the assertions of a policy, or of every policy in some folders."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from acompass.cli import fixes, options
from acompass.cli.command import VIOLATED, WRONG, Command, exit_by_verdict, exit_codes, print_error
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
from acompass.cli.streams import print_out, progress_bar, stream_style
from acompass.errors.diagnostics import AcompassError, CallError, Diagnostic
from acompass.errors.display import on_one_line
from acompass.options import Opening
from acompass.result import Result

if TYPE_CHECKING:
    from acompass.policy import Policy

EXAMPLES = """\
acompass check policy.acp people.csv
acompass check policy.acp
acompass check policy.acp people.csv --set k=5 --format sarif > check.sarif
acompass check policy.acp people.csv --also sarif=check.sarif --also junit=junit.xml
acompass check policy.acp people.csv --format markdown >> "$GITHUB_STEP_SUMMARY"
acompass check policy.acp 'parts/*.parquet' --quiet && echo ready
acompass check policy.acp people.csv --diff
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@options.policy_table
@options.settings
@options.missing
@options.dates
@options.engine
@ci_formats
@also
@click.option(
    "--show",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Also show up to N violating classes or records for each requirement; they are personal data.",
)
@fixes.fix
@fixes.diff
@options.files
@options.memory_limit
@options.report
@options.report_internal
@options.quiet
@options.no_progress
@options.paper
def check(
    policy: str,
    table: str | None,
    settings: tuple[str, ...],
    format_: CiFormat,
    also: Also,
    show: int,
    fix: bool,
    diff: bool,
    report: Path | None,
    report_internal: Path | None,
    quiet: bool,
    no_progress: bool,
    paper: bool,
    **opening: Unpack[Opening],
) -> None:
    """Evaluate every assertion of a policy on a table. No action is performed and the table is not changed.

    --fix first corrects mistakes in the policy that have only one possible correction. Exits with 1 if an
    assertion does not hold.
    """
    fixer = fixes.PolicyFixer(policy, fix, diff, quiet)
    fixer.require_text(format_ == "text")
    require_other_files(also, policy, table)
    with exit_codes(error_report(format_, policy, also)):
        from acompass import api

        call = resolve_inputs(policy, table, settings)

        def check_policy(parsed: "Policy") -> Result:
            with progress_bar(not (quiet or no_progress)) as progress:
                return api.check(
                    parsed,
                    call.table,
                    params=call.params,
                    report=report,
                    report_internal=report_internal,
                    show=show,
                    progress=progress,
                    paper=paper,
                    **opening,
                )

        result = fixer.perform(lambda: read_policy(policy, table), check_policy)
        write_also(also, lambda each: render_result(result, policy, each, fixer.report_stream))
        if not quiet:
            fixer.print_report(render_result(result, policy, format_, fixer.report_stream))
        exit_by_verdict(result.ok)


CHECK_ALL_EXAMPLES = """\
acompass check-all
acompass check-all register survey
"""


@click.command("check-all", cls=Command, epilog=CHECK_ALL_EXAMPLES)
@click.argument(
    "folders",
    nargs=-1,
    metavar="[FOLDER]…",
    type=click.Path(exists=True, file_okay=False),
    help="Folders to search; the current folder by default.",
)
@options.no_progress
def check_all(folders: tuple[str, ...], no_progress: bool) -> None:
    """Check every policy for which an acompass.toml names a table, in these folders and their subfolders.

    Hidden folders are skipped. Every policy is reported; those without a table are listed at the end.
    Exits with 1 if an assertion does not hold, and with 2 if a policy cannot be checked.
    """
    with exit_codes():
        from acompass.policy import folders_below

        codes, unchecked = list[int](), list[str]()
        for folder in dict.fromkeys(each for root in folders or (".",) for each in folders_below(root)):
            codes += _check_folder(folder, unchecked, not no_progress)
        if not codes:
            raise CallError([_no_table_in(folders)])
        if unchecked:
            print_out(f"not checked, because no table is named: {', '.join(unchecked)}")
    raise click.exceptions.Exit(max(codes))


def _check_folder(folder: Path, unchecked: list[str], shows_progress: bool) -> Iterator[int]:
    """Yield the exit code of each policy that has a table, and add the other policies to `unchecked`."""
    from acompass.policy import policies_in

    try:
        configured = policies_in(folder)
    except AcompassError as error:
        print_error(error)
        yield WRONG
        return
    files = sorted(path.name for path in folder.glob("*.acp"))
    for name in dict.fromkeys((*configured, *files)):
        policy = str(folder / name)
        code = _check_policy(policy, shows_progress)
        if code is None:
            unchecked.append(on_one_line(policy))
        else:
            yield code


def _check_policy(policy: str, shows_progress: bool) -> int | None:
    """The exit code; None if no acompass.toml names a table for the policy."""
    from acompass import api
    from acompass.report.text import check_text

    try:
        call = resolve_inputs(policy, None, ())
        if call.default_table is None:
            return None
        with progress_bar(shows_progress) as progress:
            result = api.check(read_policy(policy), call.table, params=call.params, progress=progress)
    except AcompassError as error:
        print_error(error)
        return WRONG
    print_out(f"{on_one_line(policy)}\n{check_text(result, stream_style(sys.stdout))}\n")
    return 0 if result.ok else VIOLATED


def _no_table_in(folders: Sequence[str]) -> Diagnostic:
    where = " or ".join(f"`{folder}`" for folder in folders) or "this folder"
    section = '`[policy."release.acp"]` and `table = "people.csv"`'
    message = f"no `acompass.toml` in {where} or its subfolders names a table for a policy"
    return Diagnostic("AC411", message, help=f"write {section} in an `acompass.toml` in the policy's folder")
