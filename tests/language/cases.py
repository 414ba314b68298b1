"""Literate cases: a heading, prose, and fenced blocks with the input and the expected result.

acompass  the policy                          csv       the table
options   `set: k=2`, `trace: 0.5 0.25`, `seed: …`, `key: …`, `missing: drop`, `na: NA`, `dates: A=%d.%m.%Y`,
          `order: canonical`, `force: yes`, `paper: yes`, `header: yes`, `command: check`,
          `ends: lf crlf cr` for the line ends in turn,
          `types: integer decimal(2) float text boolean date timestamp`, one on each line
          `reference-types: …` for `reference.parquet` with these types in place of `reference.csv`
hierarchy the file `hierarchy.csv` in the policy's folder
reference the file `reference.csv` in the policy's folder
after     the resulting table                 verdicts  `1 violated 3 REPLACE proved`, a line for each requirement:
                                                        its verdict, affected records, action and, in a run, whether
                                                        it holds for the output (D33); `-` where it has none
error     a line with code and message for each error, instead of the other results"""

import csv
import re
from contextlib import chdir
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import cycle
from pathlib import Path

import duckdb

from acompass import api
from acompass.errors.diagnostics import AcompassError
from acompass.language.program.constants import parse_settings
from acompass.result import Result

HERE = Path(__file__).parent
EXPECTED = ("after", "verdicts", "error")

_HEADING = re.compile(r"^#+ (.+)$")
_FENCE = re.compile(r"^```(\w*)$")


@dataclass
class Case:
    path: Path
    title: str
    blocks: dict[str, str] = field(default_factory=dict)  # the text of each block, by the word after its fence
    lines: dict[str, slice] = field(default_factory=dict)  # the lines of each block in the file

    @property
    def id(self) -> str:
        return f"{self.path.stem}: {self.title}"

    @property
    def expected(self) -> dict[str, str]:
        return {word: text for word, text in self.blocks.items() if word in EXPECTED}

    @property
    def options(self) -> list[tuple[str, str]]:
        lines = self.blocks.get("options", "").splitlines()
        return [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]

    def option(self, name: str) -> str | None:
        return next((value for option, value in self.options if option == name), None)


def all_cases() -> list[Case]:
    return [case for path in sorted(HERE.glob("*.md")) for case in read_cases(path)]


def read_cases(path: Path) -> list[Case]:
    """Read the cases of a file. Each heading begins a case; sections without blocks are prose."""
    cases = [Case(path, "")]
    opened: tuple[str, int] | None = None
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if opened is None and fence:
            opened = (fence[1], number + 1)
        elif opened is not None and fence:
            _add_block(cases[-1], opened[0], slice(opened[1], number), lines)
            opened = None
        elif opened is None and (heading := _HEADING.match(line)):
            cases.append(Case(path, heading[1]))
    assert opened is None, f"{path.name}: a block is not closed"
    return [case for case in cases if case.blocks]


def _add_block(case: Case, word: str, place: slice, lines: list[str]) -> None:
    assert word not in case.blocks, f"{case.id}: two blocks of `{word}`"
    case.blocks[word] = "".join(f"{line}\n" for line in lines[place])
    case.lines[word] = place


_WORDS = {True: "holds", False: "violated", None: "-"}


def _after(word: str | None) -> str:
    return f" {word or '-'}"


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
        f"{r.index} {_WORDS[r.holds]} {r.affected} {r.action or '-'}{_after(r.after) if result.performed else ''}\n"
        for r in result.requirements
    )
    after = {"after": output.read_text(encoding="utf-8")} if output.exists() else {}
    return {**after, "verdicts": verdicts}


def _call(case: Case, engine: str, table: str) -> Result:
    """Paths are relative to the current folder, so that messages with file names are the same everywhere."""
    policy = case.blocks["acompass"]
    params = parse_settings(value for name, value in case.options if name == "set")
    missing = tuple(value for name, value in case.options if name == "missing") or None
    na = tuple(value for name, value in case.options if name == "na")
    dates = tuple(value for name, value in case.options if name == "dates")
    header = case.option("header") == "yes"
    if case.option("command") == "check":
        reading = {"missing": missing, "na": na, "dates": dates, "header": header}
        return api.check(policy, table, params=params, engine=engine, **reading)
    trace = case.option("trace")
    return api.run(
        policy,
        table,
        params=params,
        trace=None if trace is None else [Decimal(value) for value in trace.split()],
        seed=case.option("seed"),
        key=case.option("key"),
        missing=missing,
        na=na,
        dates=dates,
        header=header,
        order=case.option("order"),
        engine=engine,
        force=case.option("force") == "yes",
        paper=case.option("paper") == "yes",
        output="out.csv",
    )


_LINE_ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
_DUCKDB_TYPES = {"integer": "BIGINT", "float": "DOUBLE", "text": "VARCHAR"}


def write_table(case: Case) -> str:
    """Write a CSV file, or a Parquet file if the case has types, into the current folder; return its name."""
    ends = [_LINE_ENDS[word] for word in (case.option("ends") or "lf").split()]
    lines = zip(case.blocks["csv"].splitlines(), cycle(ends), strict=False)
    Path("table.csv").write_text("".join(line + end for line, end in lines), encoding="utf-8", newline="")
    for name in ("hierarchy", "reference"):
        if name in case.blocks:
            Path(f"{name}.csv").write_text(case.blocks[name], encoding="utf-8", newline="")
    if (types := case.option("reference-types")) is not None:
        _write_parquet("reference", case.blocks["reference"], types)
    types = case.option("types")
    return "table.csv" if types is None else _write_parquet("table", case.blocks["csv"], types)


def _write_parquet(name: str, text: str, types: str) -> str:
    """Convert a CSV file in the current folder to Parquet."""
    names = next(csv.reader([text.partition("\n")[0]]))
    columns = {name: _duckdb_type(word) for name, word in zip(names, types.split(), strict=True)}
    options = f"header = true, columns = {columns}, nullstr = '', allow_quoted_nulls = false"
    duckdb.sql(f"FROM read_csv('{name}.csv', {options})").write_parquet(f"{name}.parquet")
    return f"{name}.parquet"


def _duckdb_type(word: str) -> str:
    decimal = re.fullmatch(r"decimal\((\d+)\)", word)
    return f"DECIMAL(38, {decimal[1]})" if decimal else _DUCKDB_TYPES.get(word, word)
