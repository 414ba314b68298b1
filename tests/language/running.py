"""Run a literate case through the public call and give the result in the format of the case."""

from contextlib import chdir
from decimal import Decimal
from pathlib import Path

from acompass import api
from acompass.checked.parameters import parse_settings
from acompass.diagnostics import AcompassError
from acompass.result import Result
from tests.language.cases import Case
from tests.language.tables import write_table

_WORDS = {True: "holds", False: "violated", None: "-"}


def run_case(case: Case, engine: str, folder: Path) -> dict[str, str]:
    """The resulting blocks: `after` if a table was written, and `verdicts`; or only `error`."""
    output = folder / "out.csv"
    try:
        with chdir(folder):
            result = _call(case, engine, write_table(case))
    except AcompassError as error:
        assert not output.exists(), "an error leaves no output behind"
        return {"error": "".join(f"{d.code} {d.message}\n" for d in error.diagnostics)}
    verdicts = "".join(
        f"{r.index} {_WORDS[r.holds]} {r.affected} {r.action or '-'}\n" for r in result.requirements
    )
    after = {"after": output.read_text(encoding="utf-8")} if output.exists() else {}
    return {**after, "verdicts": verdicts}


def _call(case: Case, engine: str, table: str) -> Result:
    """The current folder is the case's, so that messages with file names are the same everywhere."""
    policy = case.blocks["acompass"]
    params = parse_settings(value for name, value in case.options if name == "set")
    missing = tuple(value for name, value in case.options if name == "missing") or None
    dates = tuple(value for name, value in case.options if name == "dates")
    if case.option("command") == "check":
        return api.check(policy, table, params=params, missing=missing, dates=dates, engine=engine)
    trace = case.option("trace")
    return api.run(
        policy,
        table,
        params=params,
        trace=None if trace is None else [Decimal(value) for value in trace.split()],
        seed=case.option("seed"),
        missing=missing,
        dates=dates,
        order=case.option("order"),
        engine=engine,
        force=case.option("force") == "yes",
        output="out.csv",
    )
