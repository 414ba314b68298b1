"""The golden files of answers: `python -m tests.report.golden --write [NAME…]` writes them; read the difference before
you commit it.

The cases are commands as users call them, and answers as Python shows them. Each case has one golden file with a
section for each format. Nothing in it depends on the machine, the version or the time."""

import argparse
import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import acompass
from acompass.cli.app import app
from acompass.errors.diagnostics import AcompassError
from acompass.errors.display import PLAIN, Style
from acompass.plan.stages import Sample
from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.reason.compare.answer import Comparison, Impact, Releases
from acompass.reason.lint import Findings
from acompass.report import Context, Format, render
from acompass.result import Note, Plan, RequirementOutcome, Result
from acompass.version import __version__
from tests.assist.notebook import answers
from tests.report.pages import MIXED

FOLDER = Path(__file__).with_suffix("")
CI = ("text", "color", "json", "sarif", "junit", "markdown")
FORMATS = ("text", "color", "json", "markdown")
SHORT = ("text", "color", "json")
TEXT = ("text", "color")

FILES = {
    "people.csv": """\
Name,Age,Zip,Disease,Weight
Ada,31,21201,flu,10.5
Ben,31,21201,flu,10
Cleo,31,21202,gout,20
Dan,45,21202,flu,5
Eve,45,21401,asthma,8
Finn,45,21401,flu,12
Gus,85,21401,gout,3
Hal,91,21499,flu,2
""",
    "counts.csv": "Region,Patients\nnorth,25\nsouth,0\n",
    "gaps.csv": "Age,Zip\n31,21201\n,21201\n85,\n40,21202\n",
    "released.csv": """\
Age,Zip,Disease,Area
30,212**,flu,A
30,212**,flu,A
30,212**,gout,B
40,212**,flu,A
40,214**,asthma,A
40,214**,flu,B
80,214**,gout,B
80,214**,flu,A
""",
    "policy.acp": """\
-- ages
EACH RESULT : Age <= 80 -- old people
   : REPLACE Age WITH 80;
EACH FILTER Zip > '50000' AND Zip < '60000' : Zip = '5****' : REPLACE Zip WITH '5****';
EACH PROCESS COUNT(*) AS Size, COUNT DISTINCT Disease AS Kinds GROUP BY Zip : Size >= k AND Kinds >= 2 : REJECT;
EACH RESULT : Age >= 18;
EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= k;
""",
    "then.acp": """\
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 2
   : GENERALIZE Age TO BANDS OF 10 THEN GENERALIZE Zip TO PREFIX OF 3 THEN REJECT;
ALWAYS : DROP Name;
""",
    "random.acp": """\
ALWAYS : WITH PROBABILITY 0.25 REPLACE Disease WITH 'none';
EACH RESULT : Age <= 80 : RANDOM Age 60 80;
ALWAYS : WITH PROBABILITY 0.375 REJECT;
""",
    "holds.acp": "EACH RESULT : Age >= 18;\nEACH PROCESS COUNT(*) AS n : n >= 3 : REJECT;\n",
    "empty.acp": "-- nothing\n",
    "wrong.acp": "EACH RESULT Age <= 80;\nEACH RESULT : Zip = '1' : REPLACE Zip WIHT '2';\nEACH;\n",
    "unknown.acp": "EACH RESULT : Aeg <= 80;\nEACH RESULT : Age = 'x';\n",
    "classes.acp": "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : REJECT;\nEACH RESULT : Age <= 80 : REJECT;\n",
    "looser.acp": "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 2 : REJECT;\nEACH RESULT : Age <= 90 : REJECT;\n",
    "stricter.acp": "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 5 : REJECT;\nEACH RESULT : Age <= 80 : REJECT;\n",
    "twice.acp": "EACH RESULT : NOT a = 1 : REPLACE a WITH 2;\nEACH RESULT : NOT a = 0 : REPLACE a WITH 1;\n",
    "checked.acp": "EACH RESULT : a <= 1;\nEACH RESULT : a >= 0 : REPLACE a WITH 0;\n",
    "noise.acp": "ALWAYS : WITH PROBABILITY 0.5 REPLACE Disease WITH 'flu';\nEACH RESULT : Age <= 80 : REJECT;\n",
    "sampled.acp": "ALWAYS : WITH PROBABILITY 0.9 REJECT;\n"
    "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 5 : REJECT;\n",
    "mistakes.acp": """\
EACH RESULT : Age <= 80;
EACH RESULT : Age <= 3 OR Age >= 4 : REJECT;
EACH FILTER Zip > '10' AND Zip < '20' : Zip = '1*' : REPLACE Zip WITH '1*';
EACH FILTER Zip > '20' AND Zip < '30' : Zip = '2*' : REPLACE Zip WITH '2*';
""",
    "broken.acp": """EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 2 : REJECT;
-- allow AC330: the ages are replaced below
EACH RESULT : Age <= 60 : REPLACE Age WITH 60;
EACH RESULT : Disease != 'gout' : REPLACE Age WITH 70;
EACH RESULT : Name != 'Ben' : REJECT;
""",
    "pram.acp": "ALWAYS : WITH PROBABILITY 0.5 RANDOM Area FROM ('A', 'B');\n",
    "levels.csv": "31;30-39;*\n45;40-49;*\n",
    "crooked.csv": "31;30-39;*\n31;40-49;*\n45;40-49;x\n50;50-59\n",
    "all/acompass.toml": '[policy."a.acp"]\ntable = "t.csv"\n[policy."b.acp"]\ntable = "t.csv"\n'
    '[policy."c.acp"]\ntable = "t.csv"\n',
    "all/t.csv": "Age\n17\n20\n",
    "all/a.acp": "EACH RESULT : Age <= 80;\n",
    "all/b.acp": "EACH RESULT : Age >= 18 : REJECT;\n",
    "all/c.acp": "EACH RESULT : Aeg >= 18;\n",
    "all/d.acp": "EACH RESULT : Age >= 18;\n",
    "project/dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: shop\nmodel-paths: [models]\n",
}

POLICY = ("policy.acp", "people.csv", "--set", "k=2")
TYPES = ("--types", "Age=integer", "--types", "Disease=text")

#: a command without its format, and the formats to record
RULE_COLUMNS = ("--column", "known=Age,Zip", "--column", "sensitive=Disease")
COMMANDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "check": (("check", *POLICY), CI),
    # one class and one record: engines show several in any order
    "check-show": (("check", "looser.acp", "people.csv", "--show", "2"), ("text", "color", "json", "markdown")),
    "check-holds": (("check", "holds.acp", "people.csv"), CI),
    "check-then": (("check", "then.acp", "people.csv"), CI),
    "check-nothing": (("check", "empty.acp", "people.csv"), CI),
    "check-dropped": (("check", "holds.acp", "gaps.csv", "--missing", "drop"), ("text", "json", "markdown")),
    "check-wrong-policy": (("check", "wrong.acp", "people.csv"), CI),
    "check-wrong-policy-first": (("check", "wrong.acp", "people.csv", "--max-errors", "1"), CI),
    "check-unknown-column": (("check", "unknown.acp", "people.csv"), CI),
    "check-no-table": (("check", "holds.acp", "none.csv"), CI),
    "check-rule": (
        ("check", "--rule", "gdpr-wp29", "people.csv", *("--column", "identifier=Name"), *RULE_COLUMNS, "--show", "1"),
        CI,
    ),
    "check-rule-holds": (("check", "--rule", "cms-cell-size", "counts.csv", "--set", "k=20"), CI),
    "check-rule-problem": (("check", "--rule", "cms-cell-size", "people.csv", "--column", "count=Disease"), CI),
    "check-rule-nothing": (("check", "--rule", "cms-cell-size", "gaps.csv", "--column", "count="), CI),
    "run": (("run", *POLICY, "-o", "out.csv", "--force"), FORMATS),
    "run-not-written": (("run", *POLICY, "-o", "out.csv"), FORMATS),
    "run-broken": (("run", "broken.acp", "people.csv", "-o", "out.csv"), FORMATS),
    "run-then": (("run", "then.acp", "people.csv", "-o", "out.csv"), FORMATS),
    "run-random": (("run", "random.acp", "people.csv", "-o", "out.csv", "--seed", "golden"), FORMATS),
    "run-dropped": (("run", "holds.acp", "gaps.csv", "-o", "out.csv", "--missing", "drop"), FORMATS),
    "run-piped": (("run", "holds.acp", "people.csv", "-o", "-", "--order", "canonical"), ("text",)),
    "run-wrong-policy": (("run", "wrong.acp", "people.csv", "-o", "out.csv"), FORMATS),
    "plan": (("plan", *POLICY), SHORT),
    "plan-then": (("plan", "then.acp", "people.csv"), SHORT),
    "plan-wrong-policy": (("plan", "wrong.acp", "people.csv"), FORMATS),
    "explain-record": (("explain", *POLICY, "--record", "7"), FORMATS),
    "explain-where": (("explain", "then.acp", "people.csv", "--where", "Age >= 45", "--limit", "3"), FORMATS),
    "explain-random": (("explain", "random.acp", "people.csv", "--where", "Age > 30", "--seed", "golden"), FORMATS),
    "explain-none": (("explain", *POLICY, "--where", "Age = 5"), FORMATS),
    "explain-incomplete": (("explain", "holds.acp", "gaps.csv", "--record", "2", "--missing", "drop"), FORMATS),
    "explain-no-code": (("explain", "AC999"), FORMATS),
    "measure": (("measure", "people.csv", "--qi", "Age,Zip", "--sensitive", "Disease"), FORMATS),
    "measure-weight": (("measure", "people.csv", "--qi", "Zip", "--weight", "Weight", "--below", "7"), FORMATS),
    "measure-sampling": (
        ("measure", "people.csv", "--qi", "Age,Zip", "--sampling-weight", "Weight", "--sensitive", "Disease"),
        FORMATS,
    ),
    "measure-against": (
        ("measure", "released.csv", "--qi", "Age,Zip", "--sensitive", "Disease", "--against", "people.csv"),
        FORMATS,
    ),
    "measure-loss": (
        (
            *("measure", "released.csv", "--qi", "Age,Zip", "--against", "people.csv", "--loss"),
            *("--population", "released.csv", "--hierarchy", "Age=bands:5,10"),
        ),
        FORMATS,
    ),
    "measure-wrong": (("measure", "people.csv", "--qi", "Aeg"), FORMATS),
    "prove": (("prove", "policy.acp", "--set", "k=2"), CI),
    "prove-claims": (
        ("prove", "classes.acp", "--claim", "EACH RESULT : Age <= 70", "--claim", "EACH RESULT : Age <= 80"),
        CI,
    ),
    "prove-idempotent": (("prove", "twice.acp", "--claim", "idempotent", "--types", "a=integer"), CI),
    "prove-order": (("prove", "checked.acp", "--claim", "order of 1, 2", "--types", "a=integer"), CI),
    "prove-certificate": (
        (
            *("prove", "classes.acp", "--claim", "EACH RESULT : Age <= 80", "--claim", "idempotent"),
            *("--certificate", "certificate.json"),
        ),
        CI,
    ),
    "prove-privacy": (("prove", "noise.acp", "--privacy", *TYPES), CI),
    "prove-privacy-of-table": (("prove", "sampled.acp", "--privacy", "--types", "Age=integer"), CI),
    "prove-nothing": (("prove", "empty.acp"), CI),
    "prove-wrong-policy": (("prove", "wrong.acp"), CI),
    "compare-equivalent": (("compare", "classes.acp", "classes.acp"), CI),
    "compare-looser": (("compare", "classes.acp", "looser.acp"), CI),
    "compare-looser-impact": (("compare", "classes.acp", "looser.acp", "--impact"), CI),
    "compare-stricter": (("compare", "classes.acp", "stricter.acp"), CI),
    "compare-stricter-impact": (("compare", "classes.acp", "stricter.acp", "--impact"), CI),
    "compare-checked": (("compare", "checked.acp", "twice.acp", "--types", "a=integer"), CI),
    "compare-random": (("compare", "noise.acp", "random.acp", "--impact", *TYPES), CI),
    "compare-wrong-policy": (("compare", "classes.acp", "wrong.acp"), CI),
    "lint": (("lint", "mistakes.acp"), CI),
    "lint-first": (("lint", "mistakes.acp", "--max-errors", "1"), CI),
    "lint-nothing": (("lint", "holds.acp"), CI),
    "lint-several": (("lint", "mistakes.acp", "holds.acp"), TEXT),
    "lint-wrong-policy": (("lint", "wrong.acp"), CI),
    "suggest": (("suggest", "people.csv", "--qi", "Age,Zip", "--k", "2", "--lines", "4", "-o", "out.acp"), FORMATS),
    "suggest-compare": (
        (
            *("suggest", "people.csv", "--qi", "Age,Zip", "--k", "2", "--lines", "3", "--compare"),
            *("--sensitive", "Disease", "--l", "2", "--t", "0.6", "--max-lost", "100%"),
        ),
        FORMATS,
    ),
    "suggest-piped": (("suggest", "people.csv", "--qi", "Zip", "--k", "3", "--lines", "2", "-o", "-"), ("text",)),
    "suggest-unreachable": (
        ("suggest", "people.csv", "--qi", "Zip", "--k", "50", "--lines", "1", "-o", "out.acp"),
        FORMATS,
    ),
    "pram": (("pram", "people.csv", "Disease", "--keep", "0.8", "-o", "out.acp"), FORMATS),
    "pram-piped": (("pram", "people.csv", "Disease", "--keep", "0.8"), TEXT),
    "estimate": (("estimate", "released.csv", "Area", "--policy", "pram.acp"), FORMATS),
    "estimate-wrong": (("estimate", "released.csv", "Zip", "--policy", "policy.acp", "--set", "k=2"), FORMATS),
    "hierarchy-check": (("hierarchy", "levels.csv", "--check"), FORMATS),
    "hierarchy-check-problems": (("hierarchy", "crooked.csv", "--check"), FORMATS),
    "dbt": (("dbt", "classes.acp", "--model", "people", *TYPES[:2], "-o", "project"), ("json", "text", "markdown")),
    "dbt-check": (
        ("dbt", "policy.acp", "--model", "people", "--set", "k=2", "-o", "project", "--check"),
        ("text", "json", "markdown"),
    ),
    "check-all": (("check-all", "all"), CI),
    "fmt-check": (("fmt", "--check", "policy.acp", "holds.acp"), TEXT),
}

OPTIONS = {
    "text": (),
    "color": (),
    "json": ("--json",),
    **{name: ("--format", name) for name in ("markdown", "sarif", "junit")},
}


def write_files(folder: Path) -> None:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


class _Stream(io.TextIOWrapper):
    """Standard output or error; a terminal shows colors."""

    def __init__(self, is_terminal: bool):
        super().__init__(io.BytesIO(), encoding="utf-8")
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    @property
    def text(self) -> str:
        self.flush()
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode()


def command_sections(name: str, folder: Path) -> dict[str, str]:
    """The output of a command in each format, in a folder with `FILES`."""
    call, formats = COMMANDS[name]
    sections = {}
    for format_ in formats:
        write_files(folder)
        out, err, code = _invoke([*call, *OPTIONS[format_]], folder, format_ == "color")
        sections[f"{format_}, exit {code}"] = out
        if err:
            sections[f"{format_}, standard error"] = err
    return sections


def _invoke(call: list[str], folder: Path, is_terminal: bool) -> tuple[str, str, int]:
    out, err = _Stream(is_terminal), _Stream(is_terminal)
    with _in_folder(folder), _streams(out, err):
        try:
            app(call, prog_name="acompass")
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    return _stable(out.text), _stable(_without_hints(err.text)), code


@contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    before, columns = Path.cwd(), os.environ.get("COLUMNS")
    os.chdir(folder)
    os.environ["COLUMNS"] = "88"
    try:
        yield
    finally:
        os.chdir(before)
        if columns is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = columns


@contextmanager
def _streams(out: _Stream, err: _Stream) -> Iterator[None]:
    before = sys.stdout, sys.stderr
    variables = {name: os.environ.pop(name, None) for name in ("NO_COLOR", "TERM")}
    sys.stdout, sys.stderr = out, err
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        os.environ.update({name: value for name, value in variables.items() if value is not None})


def _without_hints(text: str) -> str:
    """A hint is about the policy and not a part of the answer."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("hint: "))


def _stable(text: str) -> str:
    text = text.replace(f'"version": "{__version__}"', '"version": "VERSION"')
    return re.sub(r'"seconds": [0-9.e-]+', '"seconds": SECONDS', text)


#: a value of each kind that a format has to escape
SAMPLE = Sample(("Name|`", "<b>"), (("a | b", 1), ("</td>", None), ("*x*\n_y_", Fraction(1, 2))))
OUTCOMES = (
    *MIXED.requirements,
    RequirementOutcome(4, 9, "ALWAYS : WITH PROBABILITY 0.25 REJECT", None, 0, "REJECT", 1000, None, Fraction(1, 4)),
    RequirementOutcome(5, 10, "EACH RESULT : Zip | `a` = '*'", False, 12, "GENERALIZE", 999, SAMPLE, Fraction(1, 8)),
)
HOSTILE = replace(
    MIXED,
    requirements=OUTCOMES,
    dropped=3,
    unnamed=("Name", "a|b `c`", "<i>"),
    notes=(Note(2, "`a|b` selects nothing"), Note(None, "the table <b> is empty")),
)
CLAIMS = (
    Claim("EACH RESULT\n   : Age <= 80", 1, ClaimVerdict.PROVED, "line 1: leaves no such record", is_certified=True),
    Claim("EACH RESULT : Age <= 70", 3, ClaimVerdict.REFUTED, "fails | on a table\nof <b>1</b> record"),
    Claim("idempotent", None, ClaimVerdict.UNDECIDED, "the deadline has passed", None, False, "no proof"),
)
PROOF = Proof(CLAIMS, {"Age": "integer", "a|b": "text"}, ("a|b",))


def _undecided(equivalent: bool | None) -> Comparison:
    impact = Impact(CLAIMS[1:], () if equivalent else None, "" if equivalent else "the deadline has passed")
    releases, types = Releases.SAME if equivalent else Releases.UNDECIDED, {"Age": "integer"}
    return Comparison(equivalent, "no reason\nknown", None, releases, CLAIMS, CLAIMS[:1], impact, types, ("Age",))


#: answers as Python has them
ANSWERS: Mapping[str, Callable[[], Any]] = {
    "answer-checked": lambda: HOSTILE,
    "answer-performed": lambda: replace(HOSTILE, performed=True),
    "answer-planned": lambda: Plan(
        replace(HOSTILE, performed=True), ("requirement 1: <b>", "requirement 2: a|b"), ("SELECT 1 < 2", "SELECT '`'")
    ),
    "answer-proof": lambda: PROOF,
    "answer-proof-all": lambda: Proof(CLAIMS[:1], {}),
    "answer-comparison-undecided": lambda: _undecided(None),
    "answer-comparison-equivalent": lambda: _undecided(True),
    "answer-findings": lambda: acompass.lint(acompass.parse(FILES["mistakes.acp"], "mistakes.acp")),
    "answer-error": lambda: _error(FILES["wrong.acp"]),
}
#: the answers about a table and a policy with hostile names
KINDS = ("run", "check", "plan", "proof", "privacy", "comparison", "measures", "suggestion", "estimate", "explanation")


def _error(text: str) -> AcompassError:
    try:
        acompass.parse(text, "wrong.acp")
    except AcompassError as error:
        return error
    raise AssertionError


_WIDE, _NARROW = Style(color=True, width=88), Style(color=True, width=40)


def answer_sections(answer: Any) -> dict[str, str]:
    """An answer in every format that it has."""
    found = {
        "text": render_answer(answer, "text"),
        "color": render_answer(answer, "text", _WIDE),
        "color, narrow": render_answer(answer, "text", _NARROW),
        **{format_: render_answer(answer, format_) for format_ in ("json", "sarif", "junit", "markdown", "html")},
    }
    return {name: _stable(text) for name, text in found.items() if text is not None}


def kind_sections(kind: str) -> dict[str, str]:
    """An answer about hostile names. Its stages contain names of internal tables, so only its result is recorded."""
    answer = _kind(kind)
    return answer_sections(replace(answer, stages=("stage",), statements=()) if kind == "plan" else answer)


def _kind(kind: str) -> Any:
    if kind == "explanation":
        return answers.explanation()
    return answers.without_records()[kind]


def parse_golden(text: str) -> dict[str, str]:
    parts = re.split(r"^════ (.*)\n", text, flags=re.M)[1:]
    return {name: content[:-1] for name, content in zip(parts[::2], parts[1::2], strict=True)}


def golden_text(sections: Mapping[str, str]) -> str:
    return "".join(f"════ {name}\n{content}\n" for name, content in sections.items())


@dataclass(frozen=True)
class Case:
    name: str
    sections: Callable[[Path], dict[str, str]]

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.golden"


CASES = [
    *(Case(name, lambda folder, name=name: command_sections(name, folder)) for name in COMMANDS),
    *(Case(name, lambda _, make=make: answer_sections(make())) for name, make in ANSWERS.items()),
    *(Case(f"hostile-{kind}", lambda _, kind=kind: kind_sections(kind)) for kind in KINDS),
]


def render_answer(answer: Any, format_: Format, style: Style = PLAIN) -> str | None:
    """None if the answer has no such format."""
    file = "a|policy.acp" if format_ == "markdown" else None if format_ == "html" else "a policy.acp"
    has_findings = isinstance(answer, Result | Proof | Comparison | Findings | AcompassError)
    if format_ in ("junit", "sarif") and not has_findings:
        return None
    return render(answer, format_, Context(file, style, texts=("old\n", "new\n")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", required=True, help="replace the golden files")
    parser.add_argument("names", nargs="*", help="default: all cases")
    names = parser.parse_args().names
    chosen = [case for case in CASES if not names or case.name in names]
    if not names:
        for path in {*FOLDER.glob("*.golden")} - {case.path for case in CASES}:
            path.unlink()
    for case in chosen:
        with tempfile.TemporaryDirectory() as folder:
            case.path.write_text(golden_text(case.sections(Path(folder))), encoding="utf-8")
    print(f"{len(chosen)} files written")


if __name__ == "__main__":
    main()
