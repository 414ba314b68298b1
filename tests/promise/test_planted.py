"""Plant values in a table, and search for them in everything that is written (invariant 4, D39).

A planted value is in fewer than ten records, as a person's is. `explain`, `check --show` and the internal page show
values when asked. `hierarchy`, `pram`, `estimate` and `core` write them: that is their answer."""

import csv
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import openpyxl
import pandas
import polars
import pyarrow
import pytest
from click.testing import CliRunner

import acompass
from acompass.cli.app import app
from acompass.errors.diagnostics import AcompassError
from tests.assist.lsp.editor import SETTINGS, Editor, connect
from tests.assist.studio.pages import open_studio, values_in
from tests.folding import folded

HEADER = ("Name", "Age", "Zip", "Disease", "Visit", "Pay", "Weight")
#: every value but a weight is in fewer than ten records. `measure` shows weights: it counts persons by their sum
PEOPLE = [
    (f"Zebulon{i:02}", str(20 + i % 7 * 5 if i < 60 else 7331 + i), f"7{i % 8}31{i % 9}", f"Zeb{chr(97 + i % 8)}osis",
     f"2024-{1 + i % 8:02}-{10 + i % 9}", f"{7300 + i}.25", str(1 + i % 3))
    for i in range(62)
]  # fmt: skip
POLICY = """\
ALWAYS : DROP Name, Visit;
EACH RESULT : Age <= 500 : REJECT;
ALWAYS : WITH PROBABILITY 0.5 RANDOM Disease FROM ('flu', 'asthma');
EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Disease) AS d GROUP BY Age, Zip
   : n >= k AND d >= 1
   : GENERALIZE Zip TO PREFIX OF 1 THEN REJECT;
"""
SIMPLE = "EACH RESULT : Age <= 500;\n"
SEED = "8f4e1c7a2b9d60353fd1a8e6c04b7792"


def _values(rows: list[tuple[str, ...]]) -> set[str]:
    return {value for row in rows for value in row if value.startswith(("Ze", "7")) or "-" in value}


VALUES = _values(PEOPLE)


def _found(text: str) -> set[str]:
    return values_in(text, VALUES)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the table, policies and what other commands need."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")
    with open("people.csv", "w", newline="") as file:
        csv.writer(file).writerows([HEADER, *PEOPLE])
    Path("policy.acp").write_text(POLICY)
    Path("simple.acp").write_text(SIMPLE)
    Path("random.acp").write_text("ALWAYS : WITH PROBABILITY 0.5 RANDOM Disease FROM ('flu', 'asthma');")
    Path("seed.txt").write_text(SEED)
    Path("project").mkdir()
    Path("project/dbt_project.yml").write_text("name: p\nprofile: p\n")
    Path("acompass.toml").write_text('[policy."simple.acp"]\ntable = "people.csv"\n')
    return tmp_path


#: the arguments of each command, without a format
COMMANDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "run": (
        ("run", "policy.acp", "people.csv", "-o", "out.csv", "--set", "k=2", "--seed-file", "seed.txt"),
        ("run", "policy.acp", "people.csv", "--set", "k=2", "--dry-run", "--stages"),
        ("run", "policy.acp", "people.csv", "--set", "k=2", "--dry-run", "--sql"),
        ("run", "simple.acp", "people.csv", "-o", "out.csv"),
    ),
    "check": (
        ("check", "policy.acp", "people.csv", "--set", "k=2"),
        ("check", "simple.acp", "people.csv"),
        ("check", "."),
        ("check", "--rule", "gdpr-wp29", "people.csv", "--column", "known=Age,Zip", "--column", "sensitive=Disease"),
    ),
    "plan": (("plan", "policy.acp", "people.csv", "--set", "k=2", "--seed-file", "seed.txt"),),
    "check-all": (("check-all", "."),),
    "measure": (
        ("measure", "people.csv", "--qi", "Age,Zip", "--sensitive", "Disease"),
        ("measure", "people.csv", "--qi", "Zip", "--against", "people.csv", "--weight", "Weight"),
    ),
    "prove": (
        ("prove", "policy.acp", "--table", "people.csv", "--set", "k=2", "--certificate", "certificate.json"),
        ("prove", "simple.acp", "--table", "people.csv", "--claim", "EACH RESULT : Age <= 30", "--privacy"),
    ),
    "compare": (("compare", "simple.acp", "random.acp", "--table", "people.csv"),),
    "lint": (("lint", "policy.acp", "simple.acp", "--table", "people.csv", "--set", "k=2"),),
    "suggest": (
        ("suggest", "people.csv", "--qi", "Age,Zip", "--k", "3", "--sensitive", "Disease", "-o", "suggested.acp"),
        ("suggest", "people.csv", "--qi", "Visit,Disease", "--k", "3", "--style", "uniform", "-o", "suggested.acp"),
        ("suggest", "people.csv", "--qi", "Age,Pay", "--k", "3", "--max-lost", "50%", "-o", "suggested.acp"),
    ),
    "rules": (
        ("rules", "new", "hipaa-safe-harbor", "people.csv", "-o", "rule.acp"),
        ("rules", "new", "ontario-ipc", "people.csv", "-o", "rule.acp", "--column", "quasi-identifier=Age,Zip"),
        ("rules", "list"),
    ),
    "fmt": (("fmt", "policy.acp", "--check"),),
    "dbt": (("dbt", "policy.acp", "--model", "people", "--table", "people.csv", "--set", "k=2", "-o", "project"),),
    "doctor": (("doctor", "--no-progress"),),
    "conform": (("conform", "--engine", "duckdb", "--cases", "3", "--no-progress"),),
    "verify-report": (("verify-report", "people.csv"),),
}
#: commands whose answer consists of values, because the user asks for them or they are needed to write a policy
SHOWING: dict[str, tuple[tuple[str, ...], ...]] = {
    "explain": (
        ("explain", "policy.acp", "people.csv", "--record", "1", "--set", "k=2", "--seed-file", "seed.txt"),
        ("check", "policy.acp", "people.csv", "--set", "k=2", "--show", "2"),
    ),
    "hierarchy": (("hierarchy", "people.csv", "Zip"),),
    "pram": (("pram", "people.csv", "Disease", "--keep", "0.8"),),
    "estimate": (("estimate", "people.csv", "Zip", "--policy", "zip.acp"),),
    "core": (("core", "recode.acp", "--table", "people.csv"),),
}
#: these answer an editor or a browser, below
SERVERS = ("studio", "lsp")


def _formats(command: str) -> list[str]:
    """The formats that a command has; none for one without the option."""
    found = app.get_command(click.Context(app), command)
    assert found is not None
    for parameter in found.params:
        if "--format" in parameter.opts and isinstance(parameter.type, click.Choice):
            return list(parameter.type.choices)
    return []


def _perform(*arguments: str) -> str:
    """Everything that a command prints or writes, except for released tables."""
    before = {path: path.read_bytes() for path in Path.cwd().rglob("*") if path.is_file()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ran = CliRunner().invoke(app, list(arguments))
    assert ran.exit_code in (0, 1, 2), ran.output
    assert "AC901" not in ran.output, ran.output
    written = [path for path in Path.cwd().rglob("*") if path.is_file() and before.get(path) != path.read_bytes()]
    kept = [path.read_text(encoding="utf-8") for path in written if path.name != "out.csv"]
    return ran.output + "".join(kept)


def test_every_command_is_searched() -> None:
    assert {*COMMANDS, *SHOWING, *SERVERS} == set(app.list_commands(click.Context(app)))


@pytest.mark.slow
@folded("command", COMMANDS)
def test_no_command_shows_a_value_of_a_record(folder: Path, command: str) -> None:
    for arguments in COMMANDS[command]:
        for format_ in _formats(command) or [""]:
            said = _perform(*arguments, *(["--format", format_] if format_ else []))
            assert said, (arguments, format_)
            assert _found(said) == set(), (arguments, format_)


@pytest.mark.slow
@folded("command", SHOWING)
def test_values_are_found_where_they_are_asked_for(folder: Path, command: str) -> None:
    """Otherwise, the search could be blind."""
    values = ", ".join(f"'{value}'" for value in sorted({row[2] for row in PEOPLE}))
    Path("zip.acp").write_text(f"ALWAYS : WITH PROBABILITY 0.5 RANDOM Zip FROM ({values});")
    Path("recode.acp").write_text("ALWAYS : GENERALIZE Zip TO PREFIX OF 1;")
    for arguments in SHOWING[command]:
        assert _found(_perform(*arguments)), arguments


@pytest.mark.slow
@folded("arguments", [COMMANDS["run"][0], COMMANDS["check"][0], COMMANDS["measure"][0]])
def test_only_the_internal_page_shows_values_that_are_not_released(folder: Path, arguments: tuple[str, ...]) -> None:
    CliRunner().invoke(app, [*arguments, "--report", "r.html", "--report-internal", "i.html"])
    released = set(Path("out.csv").read_text().replace("\n", ",").split(",")) if Path("out.csv").exists() else set()
    assert _found(Path("r.html").read_text()) <= released
    assert _found(Path("i.html").read_text()), "the search finds values on the internal page"


#: what is wrong with a table: the column, and a value that is in one record
BAD_VALUES: dict[str, tuple[str, str]] = {
    "not a number": ("Age", "Zebulon99"),
    "leading zero": ("Age", "07331"),
    "plus sign": ("Age", "+7331"),
    "decimal comma": ("Age", "7331,5"),
    "missing": ("Age", ""),
    "too many digits": ("Age", "7331" * 12),
    "not a date": ("Visit", "7331-99-99"),
    "no label": ("Disease", "Zebulon99"),
    "no band": ("Zip", "7331-7399"),
    "not a weight": ("Weight", "Zebulon99"),
    "negative weight": ("Weight", "-7331"),
}
WHOLE_FILES: dict[str, Callable[[str], bytes]] = {
    "wrong encoding": lambda text: text.encode().replace(b"Zebaosis", b"Zeb\xe4osis7331"),
    "too many fields": lambda text: text.replace("Zebulon05,", "Zebulon05,Zebulon05,").encode(),
    "too few fields": lambda text: text.replace(",Zebfosis", "").encode(),
    "open quote": lambda text: text.replace("Zebulon05,", '"Zebulon05,').encode(),
    "text after a quote": lambda text: text.replace("Zebulon05,", '"Zebulon05"Zebulon06,').encode(),
    "not Parquet": lambda text: b"PAR1" + text.encode() + b"PAR1",
    "not a workbook": lambda text: b"PK\x03\x04" + text.encode(),
    "not gzip": lambda text: b"\x1f\x8b" + text.encode(),
}
BAD_POLICY = """\
EACH RESULT : Age <= 500 : REPLACE Age WITH 500;
EACH RESULT : Visit >= '2024-01-01' : REJECT;
ALWAYS : GENERALIZE Disease TO LEVEL 1 OF 'disease.csv';
ALWAYS : GENERALIZE Zip TO BANDS OF 10;
"""
BAD_COMMANDS = (
    ("run", "bad.acp", "{}", "-o", "out.csv", "--report", "r.html"),
    ("run", "bad.acp", "{}", "--dry-run", "--sql"),
    ("run", "bad.acp", "{}", "-o", "out.csv", "--dates", "Visit=%Y-%m-%d"),
    ("check", "bad.acp", "{}"),
    ("measure", "{}", "--qi", "Age,Zip", "--sensitive", "Disease"),
    ("measure", "{}", "--qi", "Zip", "--weight", "Weight"),
    ("lint", "bad.acp", "--table", "{}"),
    ("prove", "bad.acp", "--table", "{}"),
    ("suggest", "{}", "--qi", "Age,Zip", "--k", "3", "-o", "-"),
    ("explain", "bad.acp", "{}", "--where", "Age = 1"),
)


def _bad_tables() -> Iterator[tuple[str, str, bytes]]:
    text = "\n".join(",".join(row) for row in [HEADER, *PEOPLE]) + "\n"
    for what, (column, value) in BAD_VALUES.items():
        place = HEADER.index(column)
        quoted = f'"{value}"' if "," in value else value
        rows = [
            tuple(quoted if i == place and row is PEOPLE[7] else each for i, each in enumerate(row)) for row in PEOPLE
        ]
        yield what, "bad.csv", ("\n".join(",".join(row) for row in [HEADER, *rows]) + "\n").encode()
    suffixes = {"not Parquet": "parquet", "not a workbook": "xlsx", "not gzip": "csv.gz"}
    for what, make in WHOLE_FILES.items():
        yield what, f"bad.{suffixes.get(what, 'csv')}", make(text)


BAD_TABLES = {what: (name, content) for what, name, content in _bad_tables()}


@pytest.mark.slow
@folded("what", BAD_TABLES)
def test_no_error_about_a_table_shows_a_value(folder: Path, what: str) -> None:
    name, content = BAD_TABLES[what]
    Path(name).write_bytes(content)
    diseases = sorted({row[3] for row in PEOPLE})
    Path("disease.csv").write_text("".join(f"{each},ill\n" for each in diseases))
    Path("bad.acp").write_text(BAD_POLICY)
    codes = set()
    for command in BAD_COMMANDS:
        arguments = [name if each == "{}" else each for each in command]
        formats = [each for each in ("text", "json", "sarif", "junit", "markdown") if each in _formats(command[0])]
        for format_ in formats[:3]:
            said = _perform(*arguments, "--format", format_)
            assert _found(said) | {each for each in ("07331", "7331,5", "Zebulon99") if each in said} == set(), said
            codes.update(re.findall(r"\bAC[0-9]{3}\b", said))
    assert codes, f"no command found what is wrong: {what}"


def _codes(text: str) -> set[str]:
    return {
        text[at : at + 5] for at in range(len(text)) if text[at : at + 2] == "AC" and text[at + 2 : at + 5].isdigit()
    }


BAD_FRAMES: dict[str, Callable[[], Any]] = {
    "mixed types": lambda: pandas.DataFrame({"Age": [1, "Zebulon05", None]}),
    "mixed dicts": lambda: [{"Age": 1}, {"Age": "Zebulon05"}],
    "huge": lambda: [{"Age": int("7331" * 12)}],
    "objects": lambda: pandas.DataFrame({"Age": [object(), {"Zebulon05": 1}, {1}]}),
    "text": lambda: polars.DataFrame({"Age": ["36", "Zebulon05"]}),
    "missing": lambda: pyarrow.table({"Age": [1, None], "Name": ["Zebulon05", None]}),
    "surrogates": lambda: [{"Age": "Zebulon05\ud800"}],
    "unequal lists": lambda: {"Age": [1, 2], "Name": ["Zebulon05"]},
    "workbook error": lambda: _workbook("#REF!"),
    "formula": lambda: _workbook("=1+1"),
}


def _workbook(cell: str) -> str:
    book = openpyxl.Workbook()
    for row in (["Name", "Age"], ["Zebulon05", 36], ["Zebulon06", cell]):
        book.active.append(row)
    if cell.startswith("#"):
        book.active["B3"].data_type = "e"
    book.save("book.xlsx")
    return "book.xlsx"


@folded("what", BAD_FRAMES)
def test_no_error_in_python_shows_a_value(folder: Path, what: str) -> None:
    with pytest.raises(AcompassError) as raised:
        acompass.run("EACH RESULT : Age <= 80 : REPLACE Age WITH 80;", BAD_FRAMES[what]())
    error = raised.value
    shown = [str(error), repr(error), repr(error.args), repr(error.diagnostics), *traceback.format_exception(error)]
    assert _found("".join(shown)) == set()
    assert "73317331" not in "".join(shown)


@pytest.mark.slow
def test_no_repr_shows_a_value(folder: Path) -> None:
    table = pandas.DataFrame(PEOPLE, columns=list(HEADER)).astype({"Age": int})
    policy = acompass.load("policy.acp")
    with acompass.open(table) as session:
        answers = [
            policy,
            session,
            session.run(policy, params={"k": 2}, seed=SEED),
            session.check(policy, params={"k": 2}),
            session.plan(policy, params={"k": 2}),
            session.measure(qi=["Age", "Zip"], sensitive=["Disease"]),
            session.suggest(["Age", "Zip"], 3),
            acompass.prove(policy, table=table, params={"k": 2}),
            acompass.lint(policy, table=table, params={"k": 2}),
        ]
    for answer in answers:
        assert _found(repr(answer) + str(answer)) == set(), type(answer)
        assert SEED not in repr(answer) + str(answer)
    shown = acompass.check(policy, table, params={"k": 2}, show=3)
    assert _found(str(shown))
    assert _found(repr(shown)) == set()
    assert _found(repr(acompass.explain(policy, table, record=1, params={"k": 2}, seed=SEED))) == set()


@pytest.mark.slow
def test_an_internal_error_shows_no_value(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from acompass import session

    def fail(*_: object) -> None:
        raise RuntimeError(f"the value {PEOPLE[0][0]} is the cause")

    monkeypatch.setattr(session, "run_policy", fail)
    for format_ in ("text", "json", "markdown"):
        ran = CliRunner().invoke(app, ["run", "simple.acp", "people.csv", "-o", "out.csv", "--format", format_])
        assert (ran.exit_code, "AC901" in ran.output) == (2, True)
        assert _found(ran.output) == set()


def test_progress_shows_no_value(folder: Path) -> None:
    seen: list[Any] = []
    acompass.run(POLICY, "people.csv", params={"k": 2}, progress=lambda *done: seen.append(done))
    acompass.suggest("people.csv", ["Age", "Zip"], 3, progress=lambda *done: seen.append(done))
    assert seen
    assert _found(repr(seen)) == set()


# What the studio and the language server answer


@pytest.mark.slow
def test_no_answer_of_the_studio_shows_a_value_while_values_are_hidden(folder: Path) -> None:
    from acompass.assist.studio.server import QUESTIONS

    text = POLICY + "EACH RESULT : Zip = '1' : REPLACE Disease WITH 'f';\n"
    extra: dict[str, dict[str, Any]] = {
        "hover": {"at": text.index("Zip =") + 1},
        "complete": {"at": text.index("'1'") + 1},
        "rename": {"at": text.index(" n ") + 1, "name": "size"},
        "references": {"at": text.index(" n ") + 1},
        "claim": {"claim": "EACH RESULT : Age <= 30"},
        "roles": {"roles": {"Age": "quasi-identifier", "Zip": "quasi-identifier", "Disease": "sensitive"}},
        "save": {"version": None},
        "reading": {"reading": {"missing": "drop"}},
        "all": {"all": True},
        "search": {"k": 3},
        "release": {"name": "released", "report": True},
    }
    not_asked = {"show", "record", "stop"}  # `show` lets others show values
    answered = set()
    with open_studio(folder / "policy.acp", folder / "people.csv") as (page, _):
        page.ask("show", on=False)
        for name in [each for each in QUESTIONS if each not in not_asked]:
            response = page.send(name, text=text, params={"k": "2"}, **extra.get(name, {}))
            assert _found(response.text) == set(), name
            answered.update([name] * (response.status_code == 200))
        assert _found(page.http.get("/preview").text) == set()
        refused = page.send("record", text=text, params={"k": "2"}, record=1)
        assert _found(refused.text) == set()
    assert answered >= {"table", "verdicts", "risk", "change", "complete", "hover", "diagnose", "proofs", "preview"}


@pytest.mark.asyncio
@pytest.mark.slow
async def test_no_answer_of_the_language_server_shows_a_value(tmp_path: Path) -> None:
    from lsprotocol import types

    text = "EACH RESULT : Zip = '1';\nEACH PROCESS COUNT(*) AS n GROUP BY Age, Disease : n >= k : REJECT;\n"
    async with connect() as connection:
        editor = Editor(connection, tmp_path)
        editor.write(people_csv="\n".join(",".join(row) for row in [HEADER, *PEOPLE]) + "\n", acompass_toml=SETTINGS)
        editor.open(text)
        said = [repr(await editor.final_diagnostics()), repr(await editor.hints())]
        for place in ("Zip = '|1", "GROUP BY |Age", "Zi|p ="):
            document, position = editor.document, editor.at(place)
            hover, completion = types.HoverParams(document, position), types.CompletionParams(document, position)
            said.append(repr(await editor.client.text_document_hover_async(hover)))
            said.append(repr(await editor.client.text_document_completion_async(completion)))
    assert "Disease" in "".join(said), "the server has read the table"
    assert _found("".join(said)) == set()
