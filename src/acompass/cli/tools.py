"""Small commands: `fmt`, `core` and `dbt` rewrite a policy; `verify-report`, `doctor` and `conform` verify a report
page, the installation and an engine."""

import sys
from typing import Any

import click

from acompass.cli import options
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
from acompass.cli.fixes import rewrite_policy
from acompass.cli.formats import Format, call_context, error_report, formats, print_report
from acompass.cli.inputs import STANDARD_INPUT, add_reading_settings, read_policy, resolve_inputs
from acompass.errors.diagnostics import AcompassError
from acompass.options import DbtOptions, EstimateOnTable, ModelName, PaperOnly

FMT_EXAMPLES = """\
acompass fmt policy.acp
acompass fmt --check policies/*.acp
acompass fmt - < draft.acp > policy.acp
"""


@click.command(cls=Command, epilog=FMT_EXAMPLES)
@click.argument(
    "policies",
    nargs=-1,
    required=True,
    metavar="POLICY…",
    help="Policies to rewrite; - reads standard input and writes standard output.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a policy would change.")
@options.declared(paper=PaperOnly)
def fmt(policies: tuple[str, ...], check: bool, paper: bool) -> None:
    """Rewrite policies in canonical form: one block per requirement, colons aligned, comments kept.

    A policy with a syntax error is left unchanged.
    """
    with exit_codes():
        codes = [_format_policy(policy, check, paper) for policy in policies]
    raise click.exceptions.Exit(max(codes))


def _format_policy(policy: str, check: bool, paper: bool) -> int:
    from acompass.language.text.formatter import format_program

    try:
        before = read_policy(policy, paper=paper).text
        after = format_program(before)
    except AcompassError as error:
        print_error(error)
        return WRONG
    if check:
        if before == after:
            return 0
        print_out(f"would format {policy}")
        return VIOLATED
    if policy == STANDARD_INPUT:
        sys.stdout.write(after)
        sys.stdout.flush()  # a closed pipe must raise here, not at exit
    elif before != after:
        rewrite_policy(policy, after)
        print_out(f"formatted {policy}")
    return 0


CORE_EXAMPLES = """\
acompass core policy.acp
acompass core policy.acp --table people.csv --set k=5 > paper.acp
"""


@click.command(cls=Command, epilog=CORE_EXAMPLES)
@options.policy
@click.option("--table", metavar="TABLE", help="The table whose values GENERALIZE maps.")
@options.declared(EstimateOnTable, leave_out=("paper",))
def core(policy: str, table: str | None, **given: Any) -> None:
    """Print an equivalent policy in the paper's language, the core.

    BANDS, PREFIX and date units become one REPLACE for each label, over the values of --table, so the printed
    policy contains values of the table. Exits with 2 if a requirement cannot be expressed in the core.
    """
    with exit_codes():
        from acompass.author.core import core_policy
        from acompass.tables.formats import Options

        parsed, call = read_policy(policy, table), resolve_inputs(policy, table, given)
        reading = add_reading_settings(call.given, table)
        params = reading.pop("params")
        print_out(core_policy(parsed, table, params, Options(**reading)))


DBT_EXAMPLES = """\
acompass dbt policy.acp --model people --set k=3
acompass dbt policy.acp --model people --set k=3 --types Age=integer -o warehouse
acompass dbt policy.acp --model people --set k=3 --check
acompass dbt policy.acp --model source:raw.people --set k=3 --source
acompass dbt policy.acp --model people --set k=3 --no-model --dialect postgres
"""


@click.command(cls=Command, epilog=DBT_EXAMPLES)
@options.policy
@options.declared(DbtOptions, required=("model",), model=ModelName)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@formats
def dbt(policy: str, model: str, table: str | None, check: bool, format_: Format, **given: Any) -> None:
    """Write a policy into a dbt project: a Python model that applies it to --model, for dbt-duckdb, and a
    singular test of the released model for each assertion.

    A failing test selects the number of affected records, and none of their values. Integers set with --set
    become dbt variables. --missing, --na and --dates apply to the Python model.
    """
    with exit_codes(error_report(format_, policy)):
        from acompass import api

        parsed, call = read_policy(policy, table), resolve_inputs(policy, table, given)
        files = api.dbt(parsed, model, dry=check, **{"output": ".", **call.schema_options})
        print_report(files, format_, call_context(policy))
        exit_by_verdict(files.is_current or not check)


VERIFY_REPORT_EXAMPLES = """\
acompass verify-report report.html
acompass verify-report report.html --policy policy.acp --released released.csv
acompass verify-report internal.html --policy policy.acp --input people.csv --released released.csv
"""


@click.command(cls=Command, epilog=VERIFY_REPORT_EXAMPLES)
@click.argument("report", help="A page written by --report or --report-internal.")
@click.option("--policy", metavar="POLICY", help="The policy of the report.")
@click.option("--input", "input_", metavar="TABLE", help="The input table, for an internal page.")
@click.option(
    "--released", "--output", cls=options.NamedOption, earlier="--output", metavar="TABLE", help="The released table."
)
@formats
def verify_report(report: str, policy: str | None, input_: str | None, released: str | None, format_: Format) -> None:
    """Verify a report: compare its certificate with the page itself and with the given files.

    Exits with 1 if the page or a file does not match the certificate.
    """
    with exit_codes(error_report(format_, report)):
        from acompass.report.page.certificate import verify

        found = verify(report, policy, input_, released)
        print_report(found, format_, call_context(report))
        exit_by_verdict(found.ok)


DOCTOR_EXAMPLES = """\
acompass doctor
acompass doctor --engine postgres://me@localhost/test --engine 'local[2]'
acompass doctor --json
"""


@click.command(cls=Command, epilog=DOCTOR_EXAMPLES)
@click.option(
    "--engine", "engines", multiple=True, metavar="URL", help="Also test this engine, as for `run`; repeatable."
)
@formats
@options.no_progress
def doctor(engines: tuple[str, ...], format_: Format, no_progress: bool) -> None:
    """Test the installation: which libraries and optional parts are installed, and which engines work.

    Runs small synthetic tables through the engines and compares the results. Nothing is written. The output is
    safe to share: it contains no path, host name, user name or record value. Exits with 1 if an installed part
    or a requested engine does not work.
    """
    with exit_codes(error_report(format_, STANDARD_INPUT)):
        from acompass.testing.doctor import examine

        with progress_bar(not no_progress) as progress:
            health = examine(engines, progress)
        print_report(health, format_, call_context(STANDARD_INPUT))
        exit_by_verdict(health.ok)


CONFORM_EXAMPLES = """\
acompass conform --engine duckdb
acompass conform --engine postgres://me@localhost/test --cases 20000 --case-seed 7
"""


@click.command(cls=Command, epilog=CONFORM_EXAMPLES)
@click.option("--engine", required=True, metavar="URL", help="The engine to test, as for `run`.")
@click.option("--cases", type=click.IntRange(min=1), default=500, metavar="N", help="Number of random cases.")
@click.option(
    "--case-seed",
    "--seed",
    cls=options.NamedOption,
    earlier="--seed",
    type=int,
    default=0,
    metavar="N",
    help="Selects other random cases; the same number selects the same cases.",
)
@formats
@options.no_progress
def conform_command(engine: str, cases: int, case_seed: int, format_: Format, no_progress: bool) -> None:
    """Run random policies on random tables, and compare the engine's results with the formal semantics.

    If a result differs, shows the smallest such case as a literate test and exits with 1.
    """
    with exit_codes(error_report(format_, STANDARD_INPUT)):
        from acompass.testing.conformance.differential import conform

        with progress_bar(not no_progress) as progress:
            report = conform(engine, cases, case_seed, progress=progress)
        print_report(report, format_, call_context(STANDARD_INPUT))
        exit_by_verdict(report.ok)
