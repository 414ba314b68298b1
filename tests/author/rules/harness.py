"""The table of rules, measured: `python -m tests.author.rules.harness [NAME…]`.

For each rule: the number of its clauses, of the tables that pass and that fail one clause, and of the clauses that are
proved of its policy for every table. A rule's own tables have its own columns, so nothing has to be matched.
A clause can have several tables that fail it, such as fails-counts.csv and fails-counts-zero.csv. A policy with checks
refuses the tables that fail them: its run writes nothing."""

import argparse
import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

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
    """The clauses that a table violates. The rule's other columns are said to be absent, so that nothing is matched,
    except required ones, which belong to tables of another kind."""
    own = own_columns(rule, table) if columns is None else columns
    given = {each.name: own.get(each.name, []) for each in rule.columns if each.name in own or not each.is_required}
    return {clause.name for clause in acompass.rules.check(rule.folder, table, columns=given).violated}


def released(rule: Rule, table: Path, folder: Path, columns: dict[str, list[str]] | None = None) -> Path | None:
    """Run the rule's policy on one of its tables.

    None if nothing is written: a check of the policy refuses the table, or the table has marks for values that were
    suppressed before, which the policy cannot read as numbers."""
    columns = own_columns(rule, table) if columns is None else columns
    policy = policy_with_files(rule, write_policy(rule, columns), columns)
    output = folder / f"released-{rule.name}-{table.name}"
    output.unlink(missing_ok=True)
    try:
        run = acompass.run(policy, table, output=output, key=b"a key of the tests, long enough for it")
    except acompass.TableError:
        assert not output.exists()
        return None
    assert run.ok == output.exists(), f"{table.name} was released although the run says that it failed"
    assert run.ok or any(_checks(rule)), f"the policy cannot release {table.name}"
    return output if run.ok else None


def _checks(rule: Rule) -> list[bool]:
    """For each requirement of the rule's policy, whether it refuses a table instead of changing it."""
    return [requirement.action is None for requirement in rule.policy.tree.requirements]


def failing_tables(rule: Rule) -> Iterator[tuple[str | None, Path]]:
    """Each table that fails a clause, with the clause that its name begins with."""
    names = sorted((clause.name for clause in rule.clauses), key=len, reverse=True)
    for path in sorted(rule.folder.glob("fails-*.csv")):
        stem = path.stem.removeprefix("fails-")
        yield next((name for name in names if stem == name or stem.startswith(f"{name}-")), None), path


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
    failing = list(failing_tables(rule))
    for clause in rule.clauses:
        if clause.name not in [name for name, _ in failing]:
            yield f"no table fails {clause.name}"
    for table in _tables(rule, "passes"):
        if found := violated(rule, table):
            yield f"{table.name} violates {found}"
    for name, table in failing:
        if (found := violated(rule, table)) != {name}:
            yield f"{table.name} violates {found or 'nothing'}"
    yield from _problems_of_releases(rule, [table for _, table in failing], folder)


def _problems_of_releases(rule: Rule, failing: list[Path], folder: Path) -> Iterator[str]:
    if all(_checks(rule)):
        for table in failing:
            if released(rule, table, folder) is not None:
                yield f"{table.name} is released"
        for table in _tables(rule, "passes"):
            output = released(rule, table, folder)
            if output is None or output.read_bytes() != table.read_bytes():
                yield f"{table.name} is refused or changed"
    else:
        for table in (*_tables(rule, "table"), *failing):
            output = released(rule, table, folder)
            if output is None and table not in failing:
                yield f"{table.name} is refused"
            if output is not None and (found := violated(rule, output)):
                yield f"the release of {table.name} violates {found}"


def measure(rule: Rule, folder: Path) -> Measured:
    verdicts = {name: verdict for table in _tables(rule, "table") for name, verdict in proofs(rule, table)}
    found = [f"{name} is {verdict}" for name, verdict in verdicts.items() if verdict != "proved"]
    failing = len(list(rule.folder.glob("fails-*.csv")))
    proved = list(verdicts.values()).count("proved")
    return Measured(
        rule.name, len(rule.clauses), len(_tables(rule, "passes")), failing, proved, (*problems(rule, folder), *found)
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a rule; all rules by default")
    rules = [find_rule(name) for name in parser.parse_args().names] or all_rules()
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
    sys.exit(main())
