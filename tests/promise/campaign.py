"""Every sentence of a release is true: `python -m tests.promise.campaign --cases 5000`.

Random tables with several records of one person are released under random roles and policies. The released file is read
again by `reread.py`, which shares no code with the project, and each sentence of the summary, the report's front page
and `measure` is compared with it. Prints the number of sentences and of false ones by kind."""

import argparse
import csv
import json
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import acompass
from acompass.cli.app import app
from acompass.errors.catalog import CODES
from acompass.errors.diagnostics import AcompassError
from tests.promise.reread import Among, Assertion, Between, Least, Table, read_front_page, read_table

COLUMNS = ("patient", "name", "age", "zip", "sex", "dx", "note")
SEED = "a seed that cannot be guessed"
#: a case in this many has a report, is run by the command, has missing values
_REPORTS, _COMMANDS = 10, 5


@dataclass(frozen=True)
class Line:
    text: str
    assertion: Assertion | None = None  # None for ALWAYS
    action: str | None = None


@dataclass
class Case:
    rng: random.Random
    rows: list[dict[str, str]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    roles: dict[str, list[str]] = field(default_factory=dict)
    person: str | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def policy(self) -> str:
        return "".join(f"{line.text};\n" for line in self.lines)

    @property
    def quasi_identifiers(self) -> list[str]:
        declared = self.roles.get("quasi_identifiers", [])
        grouped = [name for each in self.lines if isinstance(each.assertion, Least) for name in each.assertion.by]
        return declared or list(dict.fromkeys(grouped))


def random_case(seed: str) -> Case:
    case = Case(random.Random(seed))
    case.rows = _random_rows(case.rng)
    case.lines = list(_PolicyWriter(case.rng).lines())
    if case.rng.random() < 0.6:
        case.person = "patient"
    if case.rng.random() < 0.5:
        case.roles = _random_roles(case.rng)
    case.options = {
        "force": case.rng.random() < 0.2,
        "escape_formulas": case.rng.random() < 0.3,
        "order": case.rng.choice([None, "canonical"]),
    }
    return case


def _random_rows(rng: random.Random) -> list[dict[str, str]]:
    persons = rng.randint(2, 25)
    people = [(str(rng.randint(15, 60)), f"2120{rng.randint(0, 3)}", rng.choice("FM")) for _ in range(persons)]
    has_gaps, has_formulas = rng.random() < 0.2, rng.random() < 0.3
    rows = []
    for _ in range(rng.randint(1, 60)):
        person = rng.randrange(persons)
        age, zip_, sex = people[person]
        if rng.random() < 0.2:
            zip_ = f"2121{rng.randint(0, 3)}"
        note = rng.choice(["=1+1", "-1.5", "+49 170", "@x", "-"]) if has_formulas and rng.random() < 0.2 else "ok, fine"
        diagnosis = rng.choice(["flu", "gout", "HIV", "hiv ", "asthma"])
        values = (f"p{person}", f"Name {person}", "" if has_gaps and rng.random() < 0.1 else age, zip_, sex)
        rows.append(dict(zip(COLUMNS, (*values, diagnosis, note), strict=True)))
    return rows


def _random_roles(rng: random.Random) -> dict[str, list[str]]:
    roles = {
        "identifiers": ["name"],
        "quasi_identifiers": ["age", "zip", "sex"],
        "sensitive": ["dx"],
        "other": ["note"],
    }
    roles[rng.choice(["identifiers", "other"])].append("patient")
    if rng.random() < 0.1:
        roles["other"].remove("note")
    return roles


class _PolicyWriter:
    """Writes lines that a checker accepts: no column is used after its DROP, no number after its GENERALIZE."""

    def __init__(self, rng: random.Random):
        self._rng = rng
        self._left = list(COLUMNS)
        self._numbers = {"age"}

    def lines(self) -> Iterator[Line]:
        makers = [self._bound, self._bound, self._generalize, self._classes, self._classes, self._values, self._random]
        if self._rng.random() < 0.8:
            yield self._drop(["name", *(["patient"] if self._rng.random() < 0.4 else [])])
        for _ in range(self._rng.randint(1, 4)):
            yield from self._rng.choice(makers)()
        if self._rng.random() < 0.8:
            yield from self._classes()
        if self._rng.random() < 0.2:
            yield from self._generalize()
        if "patient" in self._left and self._rng.random() < 0.5:
            yield self._drop(["patient"])

    def _drop(self, names: Sequence[str]) -> Line:
        self._left = [name for name in self._left if name not in names]
        return Line(f"ALWAYS : DROP {', '.join(names)}", None, "DROP")

    def _bound(self) -> Iterator[Line]:
        if "age" not in self._numbers:
            return
        low, high = self._rng.choice([(0, 50), (18, 99), (20, 45)])
        says = f"EACH RESULT : age BETWEEN {low} AND {high}"
        bound = Between("age", low, high)
        match self._rng.randrange(4):
            case 0:
                yield Line(says, bound)
            case 1:
                yield Line(f"{says} : REJECT", bound, "REJECT")
            case 2:
                yield Line(f"{says} : REPLACE age WITH {self._rng.choice([low, high, 30])}", bound, "REPLACE")
            case _:
                yield Line(f"{says} : RANDOM age {low} {high}", bound, "RANDOM")

    def _generalize(self) -> Iterator[Line]:
        if "age" in self._numbers and self._rng.random() < 0.6:
            self._numbers.remove("age")
            yield Line(f"ALWAYS : GENERALIZE age TO BANDS OF {self._rng.choice([5, 10, 20])}", None, "GENERALIZE")
        else:
            yield Line("ALWAYS : GENERALIZE zip TO PREFIX OF 4", None, "GENERALIZE")

    def _classes(self) -> Iterator[Line]:
        by = tuple(self._rng.sample(["age", "zip", "sex"], self._rng.randint(1, 3)))
        counted = "patient" if "patient" in self._left and self._rng.random() < 0.5 else None
        least = self._rng.choice([2, 2, 3, 5])
        size = "COUNT(*)" if counted is None else f"COUNT DISTINCT({counted})"
        says = f"EACH PROCESS {size} AS n GROUP BY {', '.join(by)} : n >= {least}"
        bound = Least(by, counted, least)
        match self._rng.randrange(5):
            case 0:
                yield Line(says, bound)
            case 1 | 2:
                yield Line(f"{says} : REJECT", bound, "REJECT")
            case 3:
                yield from self._cascade(says, bound)
            case _:
                yield Line(f"{says} : REPLACE zip WITH '*'", bound, "REPLACE")

    def _cascade(self, says: str, bound: Least) -> Iterator[Line]:
        steps = [("REPLACE zip WITH '*'", "REPLACE")]
        if "age" in self._numbers:
            self._numbers.remove("age")
            steps.insert(0, ("GENERALIZE age TO BANDS OF 10", "GENERALIZE"))
        yield Line(f"{says} : {' THEN '.join(text for text, _ in steps)} THEN REJECT", bound, "REJECT")

    def _values(self) -> Iterator[Line]:
        if self._rng.random() < 0.4:
            yield Line("EACH RESULT : sex IN ('F', 'M')", Among("sex", ("F", "M")))
        elif self._rng.random() < 0.5:
            says = "EACH RESULT : dx IN ('flu', 'gout', 'HIV')"
            yield Line(f"{says} : REPLACE dx WITH 'flu'", Among("dx", ("flu", "gout", "HIV")), "REPLACE")
        else:
            by = tuple(self._rng.sample(["age", "zip", "sex"], self._rng.randint(1, 2)))
            says = f"EACH PROCESS COUNT DISTINCT(dx) AS d GROUP BY {', '.join(by)} : d >= 2"
            yield Line(f"{says} : REJECT", Least(by, "dx", 2), "REJECT")

    def _random(self) -> Iterator[Line]:
        match self._rng.randrange(3):
            case 0:
                yield Line("ALWAYS : WITH PROBABILITY 0.5 REPLACE dx WITH 'flu'", None, "REPLACE")
            case 1:
                yield Line("ALWAYS : RANDOM sex FROM ('F', 'M')", None, "RANDOM")
            case _:
                yield Line("ALWAYS : WITH PROBABILITY 0.25 REJECT", None, "REJECT")


@dataclass
class Findings:
    cases: int = 0
    released: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # errors before anything is written, by code
    sentences: Counter[str] = field(default_factory=Counter)  # that were compared with the file, by kind
    false: list[tuple[str, str, str]] = field(default_factory=list)  # kind, seed, what was found

    def add(self, other: "Findings") -> None:
        self.cases, self.released = self.cases + other.cases, self.released + other.released
        self.refused += other.refused
        self.sentences += other.sentences
        self.false += other.false

    def __str__(self) -> str:
        wrong = Counter(kind for kind, _, _ in self.false)
        kinds = "\n".join(
            f"  {kind}: {n:,} sentences, {wrong[kind]:,} false" for kind, n in sorted(self.sentences.items())
        )
        refused = ", ".join(f"{code} {number:,}" for code, number in sorted(self.refused.items())) or "none"
        total = f"{sum(self.sentences.values()):,} sentences, {len(self.false):,} false"
        return f"promise: {self.cases:,} cases, {self.released:,} released, refused: {refused}; {total}\n{kinds}"


class Judge:
    """Performs one case and compares what is said about it with the files."""

    def __init__(self, seed: str, folder: Path, findings: Findings):
        self._seed, self._folder, self._findings = seed, folder, findings
        self._case = random_case(seed)
        self._table, self._output = folder / "people.csv", folder / "out.csv"
        self._report = folder / "report.html" if self._case.rng.random() < 1 / _REPORTS else None

    def judge(self) -> None:
        self._findings.cases += 1
        self._write_inputs()
        try:
            said, text = self._run()
        except AcompassError as error:
            self._findings.refused[error.diagnostics[0].code] += 1
            self._compare("nothing is written after an error", False, self._output.exists())
            return
        before = read_table(self._table)
        self._compare("records in", len(before.rows), said["records_in"])
        is_written = bool(said["ok"] or self._case.options["force"])
        self._compare("the output is written only if allowed", is_written, self._output.exists())
        complete = before.complete(self._named_columns())
        self._compare("dropped as incomplete", len(before.rows) - len(complete.rows), said["dropped"])
        self._compare_first_line(said, complete)
        if is_written:
            self._findings.released += 1
            after = self._read_output()
            self._compare_table(said, before, after)
            self._compare_lines(said, after)
            self._compare_notes(said, complete, after)
            self._compare_text(said, text)
            self._compare_measures(after)
            if self._report is not None:
                self._compare_report(before, after)

    def _compare(self, kind: str, expected: object, said: object) -> None:
        self._findings.sentences[kind] += 1
        if expected != said:
            self._findings.false.append((kind, self._seed, f"found {expected!r}, said {said!r}\n{self._case.policy}"))

    # Performing

    def _write_inputs(self) -> None:
        case = self._case
        with self._table.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(case.rows)
        (self._folder / "policy.acp").write_text(case.policy, encoding="utf-8")
        lines = [
            '[table."people.csv"]',
            *(f"{role.replace('_', '-')} = {json.dumps(case.roles[role])}" for role in case.roles),
        ]
        lines += [] if case.person is None else [f'person = "{case.person}"']
        (self._folder / "acompass.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _run(self) -> tuple[dict[str, Any], str]:
        """The object of `--json` and the text of the same run."""
        given = {key: value for key, value in self._case.options.items() if value}
        if self._report is None and self._case.rng.random() < 1 / _COMMANDS:
            return self._command(given)
        result = acompass.run(
            self._folder / "policy.acp",
            self._table,
            output=self._output,
            report=self._report,
            seed=SEED,
            missing="drop",
            **given,
        )
        return result.to_json(), str(result)

    def _command(self, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
        flags = [
            flag for name in ("force", "escape_formulas") if given.get(name) for flag in [f"--{name.replace('_', '-')}"]
        ]
        flags += ["--order", "canonical"] if "order" in given else []
        arguments = [
            str(self._folder / "policy.acp"),
            str(self._table),
            "-o",
            str(self._output),
            "--missing",
            "drop",
            *flags,
        ]
        answers = []
        for format_ in ("json", "text"):
            ran = CliRunner().invoke(
                app, ["run", *arguments, "--seed", SEED, "--format", format_], prog_name="acompass"
            )
            if ran.exit_code == 2:
                codes = re.findall(r"AC\d{3}", ran.stderr) or re.findall(r"AC\d{3}", ran.stdout)
                raise _refusal(codes[0])
            answers.append(ran.stdout)
        said = json.loads(answers[0])
        self._compare("exit code", 0 if said["ok"] else 1, ran.exit_code)
        return said, answers[1]

    def _read_output(self) -> Table:
        """The released table, without the signs in front of formulas."""
        found = read_table(self._output)
        if not self._case.options["escape_formulas"]:
            return found
        self._compare("no cell is run by a spreadsheet", 0, found.formulas())
        texts = [{name: re.sub(r"^'(?=[=+\-@])", "", cell) for name, cell in row.items()} for row in found.rows]
        return Table(found.header, texts)

    # Comparing

    def _named_columns(self) -> list[str]:
        return [name for name in COLUMNS if re.search(rf"\b{name}\b", self._case.policy)]

    def _compare_first_line(self, said: dict[str, Any], complete: Table) -> None:
        first, outcome = self._case.lines[0], said["requirements"][0]
        violating = len(complete.rows) if first.assertion is None else first.assertion.violating(complete)
        self._compare("affected by the first line", violating, outcome["affected"])
        holds = None if first.assertion is None else violating == 0
        self._compare("the first line holds for the input", holds, outcome["holds"])

    def _compare_table(self, said: dict[str, Any], before: Table, after: Table) -> None:
        dropped = {
            name
            for line in self._case.lines
            if line.action == "DROP"
            for name in line.text.split("DROP ")[1].split(", ")
        }
        self._compare("columns", [name for name in COLUMNS if name not in dropped], after.header)
        self._compare("records out", len(after.rows), said["records_out"])
        self._compare("columns never named", [n for n in COLUMNS if n not in self._named_columns()], said["unnamed"])
        for name in said["unnamed"]:
            self._compare("an unnamed column is released unchanged", True, after.column(name) <= before.column(name))
        if "AC413" in CODES:  # roles act (D36)
            for name in set(self._case.roles.get("identifiers", ())) & set(after.header):
                self._compare("identifiers are gone", set(), set(after.column(name)) & set(before.column(name)))
        if "AC414" in CODES and self._case.roles:
            decided = {name for names in self._case.roles.values() for name in names}
            self._compare("every released column has a role", set(), set(after.header) - decided)

    def _compare_lines(self, said: dict[str, Any], after: Table) -> None:
        """`after` of each line, and the verdict of a last line that only checks, are about the file."""
        steps = [line for line in self._case.lines for _ in range(line.text.count(" THEN ") + 1)]
        self._compare("lines", len(steps), len(said["requirements"]))
        for line, outcome in zip(steps, said["requirements"], strict=True):
            verdict = outcome["after"]
            if verdict is None:
                continue
            can_be_asked = line.assertion is not None and after.has(line.assertion.columns)
            self._compare("only assertions about released columns are verified", True, can_be_asked)
            if can_be_asked:
                assert line.assertion is not None
                holds = line.assertion.violating(after) == 0
                self._compare(f"after: {verdict}", holds, verdict != "violated")
        last = self._case.lines[-1]
        if last.assertion is not None and last.action is None:
            self._compare("a last check", last.assertion.violating(after) == 0, said["requirements"][-1]["holds"])
        if said["ok"]:
            broken = [each["line"] for each in said["requirements"] if each["after"] == "violated"]
            self._compare("ok: no line is violated by the output", [], broken)

    def _compare_notes(self, said: dict[str, Any], complete: Table, after: Table) -> None:
        for note in said["notes"]:
            self._compare("a note of a known kind", True, self._is_known(note["line"], note["text"], complete, after))

    def _is_known(self, line: int | None, text: str, complete: Table, after: Table) -> bool:
        numbers = [int(each.replace(",", "")) for each in re.findall(r"\b\d[\d,]*\b", text)]
        if "like a formula" in text:
            self._compare("note: formulas", after.formulas(), numbers[0])
        elif text == "no record is left":
            self._compare("note: no record is left", 0, len(after.rows))
        elif found := re.search(
            r"fewest(?: persons)? has ([\d,]+) records? (?:and|of) ([\d,]+) (?:value|person)", text
        ):
            self._compare_fewest(line, text, (int(found[1]), int(found[2])), complete, after)
        elif found := re.match(r"column `(\w+)` has ([\d,]+) values? in ([\d,]+) spellings", text):
            self._compare("note: spellings", complete.spellings(found[1]), (int(found[2]), int(found[3])))
        elif found := re.match(r"column `(\w+)` is released unchanged", text):
            is_kept = found[1] in after.header and after.column(found[1]) <= complete.column(found[1])
            self._compare("note: released unchanged", True, is_kept)
        elif found := re.search(r"quasi-identifiers? (?:is|are) (.+?)(?:: classes .* at least ([\d,]+) (\w+))?$", text):
            self._compare_grouping(found, after)
        elif text == "no check in this policy":
            checks = [
                each for each in self._case.lines if each.assertion is not None and each.action in (None, "REJECT")
            ]
            self._compare("note: no check", [], checks)
        else:
            return False
        return True

    def _compare_fewest(
        self, line: int | None, text: str, said: tuple[int, int], complete: Table, after: Table
    ) -> None:
        """The numbers are about the output if it has the columns, and else about the table as read."""
        named = re.search(r"a value of `(\w+)` can have several", text)
        person = self._case.person if named is None else named[1]
        assert person is not None, "only a declared person is not named"
        bound = self._case.lines[(line or 1) - 1].assertion
        assert isinstance(bound, Least)
        table = after if after.has([*bound.by, person]) else complete
        self._compare("note: table as read", table is complete, "in the table as read" in text)
        self._compare("note: records and persons", table.fewest_persons(bound.by, person), said)

    def _compare_grouping(self, found: re.Match[str], after: Table) -> None:
        names = re.findall(r"\w+", found[1].replace("`", ""))
        self._compare(
            "note: quasi-identifiers", self._case.roles["quasi_identifiers"], [n for n in names if n in COLUMNS]
        )
        if found[2] is not None:
            person = self._case.person if found[3].startswith("person") else None
            sizes = after.sizes(self._case.roles["quasi_identifiers"], person)
            self._compare("note: smallest class", min(sizes, default=0), int(found[2].replace(",", "")))

    def _compare_text(self, said: dict[str, Any], text: str) -> None:
        found = re.search(r"([\d,]+) records? in(?:, ([\d,]+) dropped as incomplete)?, ([\d,]+) out", text)
        numbers = None if found is None else tuple(int((each or "0").replace(",", "")) for each in found.groups())
        self._compare("text: records", (said["records_in"], said["dropped"], said["records_out"]), numbers)
        unnamed = re.search(r"^[^`]*released unchanged: (.+)$", text, re.MULTILINE) if said["unnamed"] else None
        listed = unnamed[1].split(", ") if unnamed else []
        self._compare("text: columns never named", said["unnamed"], listed)

    def _compare_measures(self, after: Table) -> None:
        names = [name for name in self._case.quasi_identifiers if name in after.header]
        if not names or not after.rows:
            return
        person = self._case.person if self._case.person in after.header else None
        measures = acompass.measure(self._output, names, ["dx"], person=person).to_json()
        counts_persons = person is not None and measures.get("people") is not None
        smallest = min(after.sizes(names, person if counts_persons else None))
        kind = "persons" if counts_persons else "records"
        self._compare(f"measure: k of {kind}", smallest, measures["k"])
        risk: Any = measures["risk"]
        self._compare(f"measure: highest risk of {kind}", 1 / smallest, risk["prosecutor"]["maximum"])
        self._compare("measure: records", len(after.rows), measures["records"])

    def _compare_report(self, before: Table, after: Table) -> None:
        assert self._report is not None
        page = read_front_page(self._report)
        for name in page.kept():
            self._compare("report: released as it was", True, after.column(name) <= before.column(name))
        self._compare(
            "report: removed", [n for n in COLUMNS if n not in after.header], sorted(page.removed(), key=COLUMNS.index)
        )
        names, achieved = page.names.get("Attacker assumed", []), page.achieved()
        if achieved is not None:
            counted = "persons" if re.search(r"k = [\d,]+ persons?\b", page.words["Achieved"]) else "records"
            expected = min(after.sizes(names, self._case.person if counted == "persons" else None))
            self._compare(f"report: k of {counted}", expected, achieved[0])
            self._compare("report: highest risk", float(f"{100 / achieved[0]:.3g}"), achieved[1])
        required = page.lists.get("Required", [])
        bounds = {each.assertion.least for each in self._case.lines if isinstance(each.assertion, Least)}
        self._compare("report: required", bounds, {int(re.findall(r"≥ (\d+)", each)[0]) for each in required})


def _refusal(code: str) -> AcompassError:
    from acompass.errors.diagnostics import CallError, Diagnostic

    return CallError([Diagnostic(code, "refused")])


def judge_all(seeds: Sequence[str]) -> Findings:
    findings = Findings()
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            Judge(seed, Path(folder), findings).judge()
    return findings


#: number of cases per task of a process
_SHARE = 50


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="number of processes")
    options = parser.parse_args()
    started, found = time.monotonic(), Findings()
    seeds = [f"{options.seed} promise {number}" for number in range(options.cases)]
    with ProcessPoolExecutor(options.workers) as pool:
        for share in pool.map(judge_all, [seeds[start : start + _SHARE] for start in range(0, len(seeds), _SHARE)]):
            found.add(share)
            for kind, seed, what in share.false[:3]:
                print(f"{seed}: {kind}: {what}", file=sys.stderr, flush=True)
    print(found)
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
    return 1 if found.false else 0


if __name__ == "__main__":
    sys.exit(main())
