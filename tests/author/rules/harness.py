"""The table of rules, measured: `python -m tests.author.rules.harness [NAME…]`.

For each rule: the number of its clauses, of the tables that pass and that fail one clause, and of the clauses that are
proved of its policy for every table. A rule's own tables have its own columns, so nothing has to be matched."""

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import acompass
from acompass.author.rules.library import Rule, all_rules, find_rule
from acompass.author.rules.writing import clauses_for, policy_with_files, write_policy
from acompass.language.text.walk import names_dropped_by


@dataclass(frozen=True)
class Measured:
    rule: str
    clauses: int
    passing: int
    failing: int
    proved: int
    problems: tuple[str, ...]


def _tables(rule: Rule, kind: str) -> list[Path]:
    found = sorted(rule.folder.glob(f"{kind}*.csv"))
    assert found, f"{rule.name} has no {kind}.csv"
    return found


def own_columns(rule: Rule, table: Path) -> dict[str, list[str]]:
    """The rule's columns that one of its tables has, under their own names."""
    with table.open(encoding="utf-8", newline="") as file:
        header = [name.casefold() for name in next(csv.reader(file))]
    return {column.name: [column.name] for column in rule.columns if column.name.casefold() in header}


def violated(rule: Rule, table: Path, columns: dict[str, list[str]] | None = None) -> set[str]:
    """The clauses that a table violates."""
    found = clauses_for(rule, own_columns(rule, table) if columns is None else columns)
    return {clause.name for clause, policy in found if policy is not None and not acompass.check(policy, table).ok}


def released(rule: Rule, table: Path, folder: Path) -> Path:
    """Run the rule's policy on one of its tables."""
    columns = own_columns(rule, table)
    policy = policy_with_files(rule, write_policy(rule, columns), columns)
    output = folder / f"released-{table.name}"
    assert acompass.run(policy, table, output=output, key=b"a key of the tests, long enough for it").ok
    return output


def proofs(rule: Rule, table: Path) -> Iterator[tuple[str, str]]:
    """The verdict on each clause of the columns that the policy does not drop."""
    columns = own_columns(rule, table)
    policy = policy_with_files(rule, write_policy(rule, columns), columns)
    dropped = {name.text.casefold() for name in names_dropped_by(policy.tree)}
    left = {name: each for name, each in columns.items() if name.casefold() not in dropped}
    for clause, made in clauses_for(rule, left):
        if made is not None:
            proof = acompass.prove(policy, claims=[made.text.strip().removesuffix(";")], table=table)
            yield clause.name, proof.claims[0].verdict


def problems(rule: Rule, folder: Path) -> Iterator[str]:
    """What is wrong with a rule's tables."""
    names = [clause.name for clause in rule.clauses]
    tables = {path.stem.removeprefix("fails-"): path for path in sorted(rule.folder.glob("fails-*.csv"))}
    if set(names) != set(tables):
        yield f"clauses {names} and tables {list(tables)} that fail them differ"
    for table in _tables(rule, "passes"):
        if found := violated(rule, table):
            yield f"{table.name} violates {found}"
    for name, table in tables.items():
        if (found := violated(rule, table)) != {name}:
            yield f"{table.name} violates {found or 'nothing'}"
    for table in (*_tables(rule, "table"), *tables.values()):
        if found := violated(rule, released(rule, table, folder)):
            yield f"the release of {table.name} violates {found}"


def measure(rule: Rule, folder: Path) -> Measured:
    verdicts = {name: verdict for table in _tables(rule, "table") for name, verdict in proofs(rule, table)}
    found = [f"{name} is {verdict}" for name, verdict in verdicts.items() if verdict != "proved"]
    failing = len(list(rule.folder.glob("fails-*.csv")))
    proved = list(verdicts.values()).count("proved")
    return Measured(
        rule.name, len(rule.clauses), len(_tables(rule, "passes")), failing, proved, (*problems(rule, folder), *found)
    )


def main(names: list[str]) -> int:
    from tempfile import TemporaryDirectory

    rules = [find_rule(name) for name in names] or all_rules()
    print(f"{'rule':32} {'clauses':>8} {'pass':>5} {'fail':>5} {'proved':>7}")
    is_right = True
    with TemporaryDirectory() as folder:
        for rule in rules:
            each = measure(rule, Path(folder))
            print(f"{each.rule:32} {each.clauses:8} {each.passing:5} {each.failing:5} {each.proved:7}")
            for problem in each.problems:
                print(f"    {problem}")
            is_right &= not each.problems
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
