"""D26: a value that no action writes comes out of a CSV file byte for byte, whatever the policy reads."""

import csv
import io
import random
from pathlib import Path

import acompass
from acompass.checked.effects import columns_written
from acompass.checked.types import Kind, remaining
from acompass.checked.uses import Use, uses
from acompass.conformance.generate import Case, random_case
from acompass.diagnostics import TableError
from acompass.syntax.parse import parse
from tests.generators.tables import csv_of, numbered

CASES = 80
KINDS = (Kind.INTEGER, Kind.DECIMAL, Kind.DECIMAL, Kind.TEXT)
#: numbers with leading zeros, and numbers or dates compared as text
REFUSED = {"AC210", "AC230", "AC231", "AC232", "AC237"}


def _kept(case: Case) -> list[int]:
    """The columns that no action writes, without those whose numbers may be respelled."""
    written = columns_written(case.program().requirements)
    tree, _ = parse(case.policy_text)
    named = uses(tree, [column.name for column in case.schema], case.params)
    respelled = {p for p, use in named.items() if use.forms_classes and use.use is Use.NUMBER}
    return [p for p in range(len(case.schema)) if p not in written | respelled]


def _is_run(case: Case, table: Path, output: Path) -> bool:
    """Whether the table was read, and not refused for a comparison that would mislead."""
    options = {"params": case.params, "trace": case.trace, "force": True}
    try:
        acompass.run(case.policy_text, table, output=output, **options)
    except TableError as error:
        if {each.code for each in error.diagnostics} <= REFUSED:
            return False
        raise
    return True


def _records(path: Path) -> dict[str, list[str]]:
    """The records by their number."""
    rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline=""))
    return {row[-1]: row for row in rows}


def _keeps_its_bytes(case: Case, folder: Path) -> bool:
    """False where the case was refused."""
    table, output = folder / "in.csv", folder / "out.csv"
    table.write_text(csv_of(numbered(case)), encoding="utf-8", newline="")
    if not _is_run(case, table, output):
        return False
    left = remaining(case.program().final_schema)
    given, kept = _records(table), [p for p in _kept(case) if p in left]
    for number, record in _records(output).items():
        assert [record[left.index(p)] for p in kept] == [given[number][p] for p in kept]
    return True


def test_what_no_action_writes_keeps_its_bytes(tmp_path: Path) -> None:
    cases = [random_case(random.Random(f"bytes {seed}"), KINDS) for seed in range(CASES)]
    run = sum(_keeps_its_bytes(case, tmp_path) for case in cases)
    assert run > CASES / 2
