"""`acompass run`: apply a policy to a table and write the result. `acompass plan`, or --dry-run, only shows it."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_by_verdict, exit_codes, print_err, print_out, progress_bar
from acompass.cli.formats import Format, call_context, error_report, formats, print_report, require_other_output
from acompass.cli.inputs import STANDARD_OUTPUT, read_policy, resolve_inputs
from acompass.options import RunOnTable

if TYPE_CHECKING:
    from acompass.result import Plan

EXAMPLES = """\
acompass run policy.acp people.csv -o released.csv
acompass run policy.acp -o released.csv
acompass run policy.acp people.csv --dry-run
acompass run policy.acp people.parquet -o released.parquet --set k=3 --set l=2
acompass run policy.acp people.xlsx --sheet 2024 -o released/ --partition year
acompass run policy.acp people.csv -o released.csv --report report.html --report-internal internal.html
acompass run policy.acp people.csv -o released.csv --format markdown >> "$GITHUB_STEP_SUMMARY"
acompass run policy.acp people.csv -o - --seed-file seed.txt --order canonical > released.csv
acompass run policy.acp people.csv -o released.csv --key-file key.txt
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@options.policy_table
@options.declared(RunOnTable)
@click.option("--dry-run", is_flag=True, help="Write nothing; show what the run would do, with the same counts.")
@click.option("--stages", is_flag=True, help="With --dry-run, show the stages in which requirements are executed.")
@click.option("--sql", is_flag=True, help="With --dry-run, show the SQL sent to the engine.")
@formats
@options.quiet
@options.no_progress
def run(
    policy: str,
    table: str | None,
    output: str | None,
    dry_run: bool,
    stages: bool,
    sql: bool,
    format_: Format,
    quiet: bool,
    no_progress: bool,
    **given: Any,
) -> None:
    """Apply a policy to a table, one requirement after the other, and write the result.

    If a requirement without an action is violated, or an assertion does not hold for the result, exits with 1 and
    writes nothing, unless --force is given. With --dry-run, writes nothing and exits with the same code; `acompass
    plan` is another name for that.
    """
    _require_sense(output, format_, dry_run, stages or sql)
    with exit_codes(error_report(format_, policy)):
        from acompass import api

        parsed, call = read_policy(policy, table), resolve_inputs(policy, table, {**given, "output": output})
        with progress_bar(not (quiet or no_progress or format_ == "json")) as progress:
            if dry_run:
                planned = api.plan(parsed, call.table, progress=progress, **_without_output(call.options))
                if not quiet or format_ == "json":
                    _print_plan(planned, policy, format_, stages, sql)
                exit_by_verdict(planned.result.ok)
                return
            result = api.run(parsed, call.table, progress=progress, **call.options)
        not_written = None
        if not (result.ok or given["force"]):
            not_written = f"`{output}` not written: {result.objection}; use `--force` to write it anyway"
        if format_ == "json" or not quiet:
            from acompass.report import render

            stream = sys.stderr if output == STANDARD_OUTPUT else sys.stdout
            context = call_context(policy, stream, not_written=not_written)
            (print_err if stream is sys.stderr else print_out)(render(result, format_, context))
        if not_written is not None:
            print_err(not_written)
        exit_by_verdict(result.ok)


def _require_sense(output: str | None, format_: Format, dry_run: bool, shows_plan: bool) -> None:
    if dry_run:
        return
    if output is None:
        raise click.MissingParameter(param_hint="'--output' / '-o'", param_type="option")
    if shows_plan:
        raise click.UsageError("--stages and --sql need --dry-run")
    require_other_output(format_, output)


def _without_output(given: dict[str, Any]) -> dict[str, Any]:
    """The options of a run that a plan has."""
    from acompass.options import PlanOnTable

    return {name: value for name, value in given.items() if name in PlanOnTable.__annotations__}


def _print_plan(planned: "Plan", policy: str, format_: Format, stages: bool, sql: bool) -> None:
    if format_ == "text" and (stages or sql):
        lines = [*(planned.stages if stages else ()), *(f"{each};" for each in planned.statements if sql)]
        print_out("".join(f"{line}\n" for line in lines))
    else:
        print_report(planned, format_, call_context(policy))


PLAN_EXAMPLES = """\
acompass plan policy.acp people.csv --set k=3
acompass plan policy.acp people.csv --set k=3 --stages
acompass plan policy.acp people.csv --set k=3 --sql > policy.sql
acompass plan policy.acp people.csv --key-file key.txt
"""
assert run.callback is not None
plan = Command(
    "plan",
    params=[each for each in run.params if each.name not in ("dry_run", "max_errors")],
    callback=partial(run.callback, dry_run=True),
    help="Show what `run` would do to a table, with the same counts: another name of `run --dry-run`.\n\n"
    "Writes nothing, and exits with the same code as `run`.",
    epilog=PLAN_EXAMPLES,
    hidden=True,
)
