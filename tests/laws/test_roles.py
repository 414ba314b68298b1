"""Roles act (D36): if a run with roles succeeds, no identifier is in the file and every column has a role. The file is
read with `csv`, and classes are counted with `Counter`."""

import csv
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import acompass
from acompass.arguments import ROLE_NAMES
from acompass.errors.diagnostics import AcompassError
from tests.length import at_length

COLUMNS = ("Name", "Card", "Age", "Zip", "Sex", "Ill ness")
#: lines about a column: those that remove what was read, and those that leave something of it
GONE = (
    "ALWAYS : DROP {};",
    "ALWAYS : REPLACE {} WITH '*';",
    "ALWAYS : RANDOM {} FROM ('*', '**');",
    "ALWAYS : GENERALIZE {} TO PREFIX OF 1 THEN REPLACE {} WITH '*';",
)
LEFT = (
    "EACH RESULT : {} > 'm' : REPLACE {} WITH '*';",
    "ALWAYS : WITH PROBABILITY 0.5 REPLACE {} WITH '*';",
    "ALWAYS : GENERALIZE {} TO PREFIX OF 2;",
    "SOME RESULT : {} = '*' : REPLACE {} WITH '*';",
)


def _table(rng: random.Random) -> list[dict[str, str]]:
    """Each value of the first two columns has a mark that no other text of a release has."""
    return [
        {
            "Name": f"n@{rng.randrange(10)}{place}",
            "Card": f"z@{rng.randrange(10)}{place}",
            "Age": str(rng.randrange(30, 34)),
            "Zip": rng.choice(("21000", "21500")),
            "Sex": rng.choice("fm"),
            "Ill ness": rng.choice(("flu", "gout")),
        }
        for place in range(rng.randrange(1, 40))
    ]


def _policy(rng: random.Random) -> tuple[str, set[str]]:
    """A policy, and the columns of which nothing that was read is left."""
    lines, gone = [], set[str]()
    grouped = rng.sample(COLUMNS[2:5], rng.randrange(1, 4))
    lines.append(f"EACH PROCESS COUNT(*) AS n GROUP BY {', '.join(grouped)} : n >= {rng.randrange(1, 4)} : REJECT;")
    for column in COLUMNS:
        if rng.random() < 0.2:
            lines.append(rng.choice(LEFT).format(column, column))
        if rng.random() < 0.5:
            lines.append(rng.choice(GONE).format(column, column))
            gone.add(column)
    return "\n".join(lines), gone


def _roles(rng: random.Random) -> dict[str, list[str]]:
    roles: dict[str, list[str]] = {role: [] for role in ROLE_NAMES}
    for column in COLUMNS:
        role = "identifiers" if column in COLUMNS[:2] and rng.random() < 0.8 else rng.choice(ROLE_NAMES)
        if rng.random() < 0.97:
            roles[role].append(rng.choice((column, column.upper(), column.lower())))
    return roles


def _cases() -> Iterator[tuple[int, random.Random]]:
    return ((seed, random.Random(f"roles {seed}")) for seed in range(at_length(40)))


@pytest.mark.campaign
def test_a_release_has_no_identifier_and_every_column_has_a_role(tmp_path: Path) -> None:
    outcomes = Counter[str]()
    for seed, rng in _cases():
        table, (policy, gone), roles = _table(rng), _policy(rng), _roles(rng)
        given, output = tmp_path / "people.csv", tmp_path / f"released {seed}.csv"
        with given.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(table)
        role_by_column = {name.lower(): role for role, names in roles.items() for name in names}
        expected, force = _codes(role_by_column, gone), rng.random() < 0.5
        if expected and role_by_column:
            with pytest.raises(AcompassError) as error:
                acompass.run(policy, given, output=output, roles=roles, force=force)
            assert {each.code for each in error.value.diagnostics} == expected, (policy, roles)
            assert not output.exists()
            outcomes["refused"] += 1
            continue
        result = acompass.run(policy, given, output=output, roles=roles, force=force)
        outcomes["released"] += 1
        assert result.ok or not output.exists() or force
        if role_by_column and output.exists():
            _require_promises(output, role_by_column, result)
    assert outcomes["released"] >= at_length(5), outcomes
    assert outcomes["refused"] >= at_length(5), outcomes


def _codes(roles: dict[str, str], gone: set[str]) -> set[str]:
    identifiers = {column for column in COLUMNS if roles.get(column.lower()) == "identifiers"}
    undecided = {column for column in COLUMNS if column.lower() not in roles}
    return {code for code, columns in (("AC413", identifiers - gone), ("AC414", undecided)) if columns}


def _require_promises(output: Path, roles: dict[str, str], result: acompass.Result) -> None:
    with output.open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    for record in records:
        for column, value in record.items():
            assert roles[column.lower()]
            assert roles[column.lower()] != "identifiers" or value in ("*", "**")
    for note in result.notes:
        if found := re.search(r"quasi-identifiers? (?:is|are) (.*): classes .* at least ([\d,]+) records?$", note.text):
            columns = re.findall("`(.*?)`", found[1])
            classes = Counter(tuple(record[column] for column in columns) for record in records)
            assert min(classes.values()) == int(found[2].replace(",", ""))
            assert {each.lower() for each in columns} == {
                column.lower() for column in records[0] if roles[column.lower()] == "quasi_identifiers"
            }
