"""`acompass check`: evaluate the assertions of a policy, of every policy in some folders, or of a published rule."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.exceptions import Exit

from acompass.cli import fixes, options
from acompass.cli.command import (
    VIOLATED,
    WRONG,
    Command,
    exit_by_verdict,
    exit_codes,
    print_error,
    print_out,
    progress_bar,
)
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
from acompass.cli.inputs import add_reading_settings, convert_options, read_policy, resolve_inputs
from acompass.errors.diagnostics import AcompassError, CallError, Diagnostic
from acompass.errors.display import on_one_line
from acompass.options import CheckedRule, CheckOnTable, RuleColumns
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
acompass check --rule cms-cell-size counts.csv
acompass check --rule cms-cell-size visits.csv --column cell=Age,Zip --column beneficiary=Patient
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument(
    "policy",
    metavar="POLICY|FOLDER",
    help="The policy (.acp), - for standard input; or a folder, whose policies are checked. With --rule, the table.",
)
@options.policy_table
@click.argument("folders", nargs=-1, metavar="[FOLDER]…", help="More folders.")
@options.declared(RuleColumns, CheckOnTable, rule=CheckedRule)
@ci_formats
@also
@fixes.fix
@fixes.diff
@options.quiet
@options.no_progress
def check(policy: str, table: str | None, folders: tuple[str, ...], rule: str | None, **given: Any) -> None:
    """Evaluate every assertion of a policy on a table. No action is performed and the table is not changed.

    With folders, checks every policy for which an acompass.toml names a table, in these folders and their subfolders.
    Hidden folders are skipped. Policies without a table are listed at the end.

    With --rule, checks a table against a published rule, clause by clause: `check --rule NAME TABLE`. The rule's
    columns are matched with those of the table by role, name and values. A clause about columns that the table does
    not have says nothing about it.

    --fix first corrects mistakes in the policy that have only one possible correction. Exits with 1 if an
    assertion does not hold, and with 2 if a policy cannot be checked.
    """
    if rule is not None:
        _require_one_table(policy, table, given)
        _check_rule(rule, policy, **given)
        return
    if given.pop("columns"):
        raise click.UsageError("--column is for the columns of a rule; name it with --rule")
    if os.path.isdir(policy):
        _check_folders([each for each in (policy, table, *folders) if each is not None], **given)
    if folders:
        raise click.UsageError(f"'{policy}' is not a folder; several folders can be checked, but only one policy")
    _check_policy(policy, table, **given)


def _require_one_table(table: str, other: str | None, given: dict[str, Any]) -> None:
    if other is not None:
        raise click.UsageError("--rule takes the place of the policy; give only the table")
    if os.path.isdir(table):
        raise click.UsageError(f"'{table}' is a folder; a rule is checked on one table")
    for option in ("fix", "diff", "paper"):
        if given.pop(option):
            raise click.UsageError(f"--{option} is for a policy, not for a rule")


def _check_rule(
    rule: str, table: str, format_: CiFormat, also: Also, quiet: bool, no_progress: bool, **given: Any
) -> None:
    require_other_files(also, table)
    with exit_codes(error_report(format_, table, also)):
        from acompass import rules

        found = add_reading_settings(convert_options(given), table)
        with progress_bar(not (quiet or no_progress)) as progress:
            checked = rules.check(rule, table, progress=progress, **found)
        context = call_context(table)
        write_also(checked, also, context)
        if not quiet:
            print_report(checked, format_, context)
        exit_by_verdict(checked.ok)


def _check_policy(
    policy: str,
    table: str | None,
    format_: CiFormat,
    also: Also,
    fix: bool,
    diff: bool,
    quiet: bool,
    no_progress: bool,
    **given: Any,
) -> None:
    fixer = fixes.PolicyFixer(policy, fix, diff, quiet)
    fixer.require_text(format_ == "text")
    require_other_files(also, policy, table)
    with exit_codes(error_report(format_, policy, also)):
        result = _evaluate(policy, table, fixer, not (quiet or no_progress), given)
        if also or not quiet:
            from acompass.report import render

            context = call_context(policy, fixer.report_stream)
            write_also(result, also, context)
            if not quiet:
                fixer.print_report(render(result, format_, context))
        exit_by_verdict(result.ok)


def _evaluate(
    policy: str, table: str | None, fixer: fixes.PolicyFixer, shows_progress: bool, given: dict[str, Any]
) -> Result:
    from acompass import api

    call = resolve_inputs(policy, table, given)

    def check_policy(parsed: "Policy") -> Result:
        with progress_bar(shows_progress) as progress:
            return api.check(parsed, call.table, progress=progress, **call.options)

    return fixer.perform(lambda: read_policy(policy, table), check_policy)


def _check_folders(
    roots: Sequence[str], format_: CiFormat, also: Also, quiet: bool, no_progress: bool, **given: Any
) -> NoReturn:
    _require_folders(roots, given)
    with exit_codes(error_report(format_, ".", also)):
        from acompass.policy import folders_below
        from acompass.report.answers.results import unchecked_text
        from acompass.result import CheckedFolder

        answers, unchecked = list[tuple[str, Result | AcompassError]](), list[str]()
        for folder in dict.fromkeys(below for root in roots for below in folders_below(root)):
            for policy, problem in _policies_in(folder):
                if problem is None and not _has_table(policy):
                    unchecked.append(policy)
                    continue
                answer = problem or _check_in_folder(policy, format_, quiet, no_progress, **given)
                if isinstance(answer, AcompassError):
                    print_error(answer)
                answers.append((policy, answer))
        if not answers:
            raise CallError([_no_table_in(roots)])
        found = CheckedFolder(tuple(answers), tuple(unchecked))
        write_also(found, also, call_context("."))
        if format_ != "text" and not quiet:
            print_report(found, format_, call_context("."))
        elif unchecked:
            print_out(unchecked_text(unchecked))
    raise Exit(max(_exit_code(answer) for _, answer in answers))


def _require_folders(roots: Sequence[str], given: dict[str, Any]) -> None:
    if given["report"] or given["report_internal"]:
        raise click.UsageError("a page is about one policy; give one instead of a folder")
    for root in roots:
        if not os.path.isdir(root):
            raise click.BadParameter(f"'{root}' is not a folder")


def _check_in_folder(
    policy: str, format_: CiFormat, quiet: bool, no_progress: bool, fix: bool, diff: bool, **given: Any
) -> Result | AcompassError:
    """Check one policy, and print its text before the next one is checked, which may take long."""
    fixer = fixes.PolicyFixer(policy, fix, diff, quiet)
    fixer.require_text(format_ == "text")
    try:
        result = _evaluate(policy, None, fixer, not (quiet or no_progress), given)
    except AcompassError as error:
        return error
    if format_ == "text" and not quiet:
        from acompass.report import render

        context = call_context(policy, fixer.report_stream)
        fixer.print_report(f"{on_one_line(policy)}\n{render(result, format_, context)}\n")
    return result


def _policies_in(folder: Path) -> Iterator[tuple[str, AcompassError | None]]:
    """Yield the policies of a folder, or the folder with the error in its acompass.toml."""
    from acompass.policy import policies_in

    try:
        configured = policies_in(folder)
    except AcompassError as error:
        yield str(folder), error
        return
    files = sorted(path.name for path in folder.glob("*.acp"))
    yield from ((str(folder / name), None) for name in dict.fromkeys((*configured, *files)))


def _has_table(policy: str) -> bool:
    from acompass.policy import policy_settings

    try:
        return policy_settings(policy).table is not None
    except AcompassError:  # the check of the policy reports it
        return True


def _exit_code(answer: Result | AcompassError) -> int:
    if isinstance(answer, AcompassError):
        return WRONG
    return 0 if answer.ok else VIOLATED


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
    check.callback(first, None, tuple(others), None, columns=(), **given)


_NOT_OF_FOLDERS = ("max_errors", "rule", "columns")
_folders = click.Path(exists=True, file_okay=False)
check_all = Command(
    "check-all",
    params=[
        click.Argument(
            ["folders"], nargs=-1, type=_folders, metavar="[FOLDER]…", help="Folders; the current folder by default."
        ),
        *(each for each in check.params if isinstance(each, click.Option) and each.name not in _NOT_OF_FOLDERS),
    ],
    callback=_check_all,
    help="Check every policy for which an acompass.toml names a table, in these folders and their subfolders: another "
    "name of `check FOLDER…`.",
    epilog=CHECK_ALL_EXAMPLES,
    hidden=True,
)
