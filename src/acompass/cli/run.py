"""`acompass run`: perform a policy on a table and write the result."""

import sys
from typing import Annotated, TextIO

import typer

from acompass.cli.exits import exit_by_verdict, exit_codes, tell_error
from acompass.cli.hints import hint
from acompass.cli.options import (
    AsJson,
    Delimiter,
    Engine,
    MemoryLimit,
    Missing,
    NoProgress,
    Order,
    PolicyPath,
    Quiet,
    Report,
    Seed,
    Settings,
    TablePath,
    Trace,
    params_of,
    policy_and_table,
)
from acompass.cli.progress import progress_bar
from acompass.cli.streams import say, style_of, tell
from acompass.cli.trace import read_trace
from acompass.report.as_json import to_json, to_object
from acompass.result import Result

STANDARD_OUTPUT = "-"
NOT_WRITTEN = "a requirement without an action is violated; `--force` writes it all the same"

EXAMPLES = """**Examples**

    acompass run policy.acp people.csv -o released.csv

    acompass run policy.acp people.parquet -o released.parquet --set k=3 --set l=2

    acompass run policy.acp people.csv -o - --seed "$SEED" --order canonical > released.csv
"""

Output = Annotated[
    str, typer.Option("--output", "-o", metavar="OUT", help="Where the table goes; - is standard output.")
]
Force = Annotated[
    bool, typer.Option("--force", help="Write even over the input, and even if a check is violated.")
]


def run(
    policy: PolicyPath,
    table: TablePath,
    output: Output,
    settings: Settings = None,
    seed: Seed = None,
    trace: Trace = None,
    missing: Missing = None,
    order: Order = None,
    engine: Engine = None,
    force: Force = False,
    json: AsJson = False,
    delimiter: Delimiter = None,
    memory_limit: MemoryLimit = None,
    report: Report = None,
    quiet: Quiet = False,
    no_progress: NoProgress = False,
) -> None:
    """Perform a policy's requirements on a table, one after the other, and write the table they leave.

    Exits with 1 and writes nothing if a requirement without an action is violated, unless forced.
    """
    if json and output == STANDARD_OUTPUT:
        raise typer.BadParameter("--json and -o - both want standard output")
    with exit_codes(tell_error if json else None):
        from acompass import pipeline

        parsed, params = policy_and_table(policy, table), params_of(settings)
        with progress_bar(not (quiet or no_progress or json)) as progress:
            result = pipeline.run(
                parsed,
                table,
                params=params,
                seed=seed,
                trace=None if trace is None else read_trace(trace),
                missing=missing,
                order=order,
                engine=engine,
                output=output,
                force=force,
                delimiter=delimiter,
                memory_limit=memory_limit,
                report=report,
                progress=progress,
            )
        if json:
            tell(to_json(to_object(result)))
        elif not quiet:
            _report(result, sys.stderr if output == STANDARD_OUTPUT else sys.stdout)
            hint(parsed, params)
        if not (result.ok or force):
            say(f"`{output}` not written: {NOT_WRITTEN}")
        exit_by_verdict(result.ok)


def _report(result: Result, stream: TextIO) -> None:
    from acompass.report.terminal import run_text

    stream.write(run_text(result, style_of(stream)))
    stream.flush()
