"""`acompass check` and `check-all`: evaluate the assertions of a policy, or of every policy in some folders."""

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
    call_context,
    ci_formats,
    error_report,
    print_report,
    require_other_files,
    write_also,
)
from acompass.cli.inputs import read_policy, resolve_inputs
from acompass.cli.streams import print_hint, print_out, progress_bar
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

        parsed, result = fixer.perform(lambda: read_policy(policy, table), check_policy)
        if also or not quiet:
            from acompass.report import render

            context = call_context(policy, fixer.report_stream)
            write_also(result, also, context)
            if not quiet:
                fixer.print_report(render(result, format_, context))
        if not quiet and format_ == "text":
            print_hint(parsed, call.params)
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
@ci_formats
@also
@options.no_progress
def check_all(folders: tuple[str, ...], format_: CiFormat, also: Also, no_progress: bool) -> None:
    """Check every policy for which an acompass.toml names a table, in these folders and their subfolders.

    Hidden folders are skipped. Every policy is reported; those without a table are listed at the end.
    Exits with 1 if an assertion does not hold, and with 2 if a policy cannot be checked.
    """
    with exit_codes(error_report(format_, ".", also)):
        from acompass.policy import folders_below
        from acompass.report.answers.results import unchecked_text
        from acompass.result import CheckedFolder

        answers, unchecked = list[tuple[str, Result | AcompassError]](), list[str]()
        for folder in dict.fromkeys(each for root in folders or (".",) for each in folders_below(root)):
            for policy, answer in _check_folder(folder, not no_progress):
                _print_policy(policy, answer, format_)
                if answer is None:
                    unchecked.append(policy)
                else:
                    answers.append((policy, answer))
        if not answers:
            raise CallError([_no_table_in(folders)])
        found = CheckedFolder(tuple(answers), tuple(unchecked))
        write_also(found, also, call_context("."))
        if format_ != "text":
            print_report(found, format_, call_context("."))
        elif unchecked:
            print_out(unchecked_text(unchecked))
    raise click.exceptions.Exit(max(_exit_code(answer) for _, answer in answers))


def _check_folder(folder: Path, shows_progress: bool) -> Iterator[tuple[str, Result | AcompassError | None]]:
    """Yield the answer for each policy; None if no acompass.toml names a table for it."""
    from acompass.policy import policies_in

    try:
        configured = policies_in(folder)
    except AcompassError as error:
        yield str(folder), error
        return
    files = sorted(path.name for path in folder.glob("*.acp"))
    for name in dict.fromkeys((*configured, *files)):
        policy = str(folder / name)
        yield policy, _check_policy(policy, shows_progress)


def _check_policy(policy: str, shows_progress: bool) -> Result | AcompassError | None:
    from acompass import api

    try:
        call = resolve_inputs(policy, None, ())
        if call.default_table is None:
            return None
        with progress_bar(shows_progress) as progress:
            return api.check(read_policy(policy), call.table, params=call.params, progress=progress)
    except AcompassError as error:
        return error


def _print_policy(policy: str, answer: Result | AcompassError | None, format_: CiFormat) -> None:
    """Print text at once, because the next policies may take long."""
    if isinstance(answer, AcompassError):
        print_error(answer)
    elif answer is not None and format_ == "text":
        from acompass.report import render

        print_out(f"{on_one_line(policy)}\n{render(answer, format_, call_context(policy))}\n")


def _exit_code(answer: Result | AcompassError) -> int:
    if isinstance(answer, AcompassError):
        return WRONG
    return 0 if answer.ok else VIOLATED


def _no_table_in(folders: Sequence[str]) -> Diagnostic:
    where = " or ".join(f"`{folder}`" for folder in folders) or "this folder"
    section = '`[policy."release.acp"]` and `table = "people.csv"`'
    message = f"no `acompass.toml` in {where} or its subfolders names a table for a policy"
    return Diagnostic("AC411", message, help=f"write {section} in an `acompass.toml` in the policy's folder")
