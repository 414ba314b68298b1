"""Record the SQL that DuckDB receives for every literate case: `python -m tests.plan.core_statements --write`.

It was recorded before the everyday language (section 5) was added, which must not change the plans of core programs."""

import argparse
import hashlib
import json
import re
import sys
from contextlib import chdir
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

from acompass import api
from acompass.errors.diagnostics import AcompassError
from acompass.language.program.constants import parse_settings
from tests.language.cases import Case, all_cases, write_table

RECORDED = Path(__file__).with_name("core_statements.json")
#: each process numbers the tables that it loads
_LOADED = re.compile(r"\bloaded\d+\b")


def digest(case: Case) -> str | None:
    """A digest of the statements; None if the case is an error."""
    with TemporaryDirectory() as folder, chdir(folder):
        table = write_table(case)
        try:
            planned = _plan(case, table)
        except AcompassError:
            return None
        statements = (_LOADED.sub("loaded", statement) for statement in planned.statements)
        return hashlib.sha256("\n".join(statements).encode()).hexdigest()[:16]


def _plan(case: Case, table: str):
    trace = case.option("trace")
    return api.plan(
        case.blocks["acompass"],
        table,
        params=parse_settings(value for name, value in case.options if name == "set"),
        trace=None if trace is None else [Decimal(value) for value in trace.split()],
        seed=case.option("seed"),
        missing=tuple(value for name, value in case.options if name == "missing") or None,
        dates=tuple(value for name, value in case.options if name == "dates"),
        order=case.option("order"),
        paper=True,  # the paper's run ends with the last requirement, and does not verify its output (D33)
    )


def recorded_digests() -> dict[str, str]:
    return json.loads(RECORDED.read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", required=True, help=f"overwrite {RECORDED.name}")
    parser.parse_args()
    found = {case.id: digest(case) for case in all_cases()}
    runnable = {id_: each for id_, each in found.items() if each is not None}
    RECORDED.write_text(json.dumps(runnable, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
