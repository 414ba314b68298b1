"""A receiver's page shows no value that the release does not contain, unless the policy itself names it.

Tests seeded tables of distinctive texts and policies with every kind of action, without Hypothesis, because pages take
too long to shrink a case. The curator's page shows the removed values."""

import html
import random
from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass.errors.diagnostics import AcompassError
from acompass.language.text.walk import names_written
from acompass.policy import parse
from tests.length import at_length
from tests.report.pages import read_page

#: values that occur nowhere else on a page, and whose prefixes are not values
TOWNS = [f"{town}{number}qx" for number, town in enumerate(("Wexl", "Vurn", "Zobb", "Kwint", "Jarph"))]
ILLS = ["morbus-aq", "morbus-bq", "morbus-cq", "morbus-dq"]
PAYS = [901_731, 901_737, 901_739, 901_743]
COLUMNS = {"Town": TOWNS, "Ill": ILLS, "Pay": PAYS}
GONE = "Planted-Qzx"

ACTIONS = [
    "REJECT",
    "REPLACE Town WITH '*'",
    "REPLACE Ill WITH 'some-illness'",
    "REPLACE Pay WITH 5",
    "GENERALIZE Town TO PREFIX OF 2",
    "GENERALIZE Pay TO BANDS OF 5",
    "RANDOM Ill FROM ('other-a', 2 OF 'other-b')",
    "WITH PROBABILITY 0.5 REPLACE Town WITH '*'",
    "WITH PROBABILITY 0.25 REJECT",
]
ASSERTIONS = [
    "ALWAYS",
    "EACH PROCESS COUNT(*) AS n GROUP BY Town, Ill : n >= 12",
    "EACH PROCESS COUNT DISTINCT Ill AS n GROUP BY Town : n >= 3",
    "EACH FILTER Pay > 901735 : Ill LIKE 'morbus-a%'",
    "SOME RESULT : Pay > 901999",
]
DROPS = ["", "", "ALWAYS : DROP Ill;", "ALWAYS : DROP Town, Pay;"]
#: policies that the table's types allow
CASES = at_length(4)


def _policy(rng: random.Random) -> str:
    """Some lines. Only the last may drop columns, because later lines must not name them."""
    lines = [f"{rng.choice(ASSERTIONS)} : {rng.choice(ACTIONS)};" for _ in range(rng.randint(1, 3))]
    return "\n".join(["EACH RESULT : Secret = '-' : REPLACE Secret WITH '-';", *lines, rng.choice(DROPS)])


def _table(rng: random.Random) -> list[dict[str, Any]]:
    """Groups of equal records, some of which are large enough for bars."""
    groups = [
        ({name: rng.choice(values) for name, values in COLUMNS.items()}, rng.choice([1, 3, 9, 10, 11, 25]))
        for _ in range(rng.randint(2, 8))
    ]
    return [
        {**group, "Name": f"person-{number}-{i}-zq", "Secret": GONE}
        for number, (group, size) in enumerate(groups)
        for i in range(size)
    ]


def _values(records: list[dict[str, Any]]) -> set[str]:
    return {str(value) for record in records for value in record.values()}


def _words(path: Path) -> str:
    """The text of a page including its certificate, without the commas in numbers."""
    page = read_page(path)
    return html.unescape(page.all("header")[0].words + page.all("main")[0].words).replace(",", "")


@pytest.mark.campaign
@pytest.mark.slow
def test_a_receivers_page_has_only_released_values(tmp_path: Path) -> None:
    rng = random.Random(0)
    report, internal = tmp_path / "r.html", tmp_path / "i.html"
    for _ in range(CASES):
        policy, records = _runnable(rng)
        released = acompass.run(policy, records, seed="a", report=report, report_internal=internal).table
        gone = {value for value in _values(records) - _values(released) if value not in policy}
        page = _words(report)
        assert {value for value in gone if value in page} == set(), policy
        assert "before" not in _above_written(report, policy), policy
        assert GONE in gone
        assert GONE in _words(internal), policy


def _runnable(rng: random.Random) -> tuple[str, list[dict[str, Any]]]:
    while True:
        policy, records = _policy(rng), _table(rng)
        try:
            acompass.plan(policy, records, seed="a")
        except AcompassError:  # labels where a later line compares numbers, a column dropped twice
            continue
        return policy, records


def _above_written(report: Path, policy: str) -> str:
    """The captions and headers of the distributions of columns that a line writes."""
    written = {name.text for name in names_written(parse(policy).tree)}
    tables = {table.all("caption")[0].text: table.all("thead")[0].words for table in read_page(report).all("table")}
    of_columns = {caption: head for caption, head in tables.items() if caption.startswith("Values of ")}
    return " ".join(
        caption + head
        for caption, head in of_columns.items()
        if caption.removeprefix("Values of ").split(",")[0] in written
    )
