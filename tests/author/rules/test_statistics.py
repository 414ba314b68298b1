"""Rules of statistical offices and of risk on random tables with other columns, rechecked with csv and fractions."""

import csv
import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import pytest

import acompass
from acompass.author.rules.library import find_rule
from acompass.author.rules.writing import policy_with_files, write_policy

Rows: TypeAlias = list[dict[str, str]]


def _released(name: str, columns: dict[str, list[str]], rows: Rows, folder: Path, **params: int) -> Rows:
    rule, table, output = find_rule(name), folder / "table.csv", folder / "released.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    policy = policy_with_files(rule, write_policy(rule, columns, params), columns)
    assert acompass.run(policy, table, output=output).ok
    with output.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _groups(rows: Rows, *names: str) -> Iterable[Rows]:
    found = defaultdict[tuple[str, ...], Rows](list)
    for row in rows:
        found[tuple(row[name] for name in names)].append(row)
    return found.values()


def _share(amounts: Iterable[str], largest: int) -> Fraction:
    values = sorted((abs(Fraction(each)) for each in amounts), reverse=True)
    return sum(values[:largest]) / (sum(values) or Fraction(1))


def _patients(rng: random.Random, ages: int) -> Rows:
    """Up to three records of a patient; name and number are unlike any other value."""
    visits = [f"{1000 + patient}" for patient in range(240) for _ in range(rng.randint(1, 3))]
    return [
        {
            "Age": f"{rng.randrange(ages) * 10}s",
            "Sex": rng.choice("fm"),
            "Visitor": patient,
            "Surname": f"surname {patient}",
            "Card": f"card {patient}",
            "Weight": str(rng.randint(40, 120)),
        }
        for patient in visits
    ]


@pytest.mark.parametrize(
    ("name", "params", "threshold", "is_rounded"),
    [
        ("ontario-ipc", {"k": 11}, "0.09", True),
        ("ontario-ipc", {"k": 15}, "0.075", False),
        ("ontario-ipc", {}, "0.05", False),
        ("ema-0070", {}, "0.09", False),
        ("health-canada-prci", {}, "0.09", False),
        ("heritage-cihi", {}, "0.05", False),
        ("singapore-pdpc", {}, "0.2", False),
    ],
)
def test_a_release_keeps_the_threshold_of_risk(
    name: str, params: dict[str, int], threshold: str, is_rounded: bool, tmp_path: Path
) -> None:
    columns = {"quasi-identifier": ["Age", "Sex"], "person": ["Visitor"], "identifier": ["Surname", "Card"]}
    left = 0
    for seed in range(4):
        rows = _patients(random.Random(seed), ages=3 + 3 * seed)
        for at, row in enumerate(rows):
            row["Weight"] = f"{at}.5"  # tells the released records apart
        after = _released(name, columns, rows, tmp_path, **params)
        persons = {row["Weight"]: row["Visitor"] for row in rows}
        for group in _groups(after, "Age", "Sex"):
            risk = Fraction(1, len({persons[row["Weight"]] for row in group}))
            assert (round(risk, 2) if is_rounded else risk) <= Fraction(threshold)
        assert not after or set(after[0]) == {"Age", "Sex", "Weight"}
        left += len(after)
    assert left


@pytest.mark.parametrize(
    ("name", "least", "is_safe"),
    [
        ("abs-datalab", 10, lambda each: _share(each, 1) <= Fraction("0.5") and _share(each, 2) <= Fraction("0.67")),
        ("sacro", 10, lambda each: _share(each, 2) < Fraction("0.9") and _has_p_percent(each)),
        ("german-rdc", 5, lambda each: _share(each, 2) < Fraction("0.85")),
    ],
)
def test_no_contributor_dominates_a_cell(
    name: str, least: int, is_safe: Callable[[list[str]], bool], tmp_path: Path
) -> None:
    columns = {"cell": ["Region", "Sector"], "contributor": ["Firm"], "value": ["Turnover", "Profit"]}
    rng = random.Random(name)
    rows = [
        {
            "Region": rng.choice("abcd"),
            "Sector": rng.choice("vwxyz"),
            "Firm": f"f{at}",
            "Turnover": str(int(1000 / (1 - rng.random()) ** 0.9)),
            "Profit": f"{rng.choice((-1, 1)) * rng.randint(0, 400)}.25",
        }
        for at in range(240)
    ]
    after = _released(name, columns, rows, tmp_path)
    safe = [
        group
        for group in _groups(rows, "Region", "Sector")
        if len(group) >= least and all(is_safe([row[name] for row in group]) for name in ("Turnover", "Profit"))
    ]
    assert 0 < len(after) < len(rows)
    assert {row["Firm"] for row in after} == {row["Firm"] for group in safe for row in group}


def _has_p_percent(amounts: list[str]) -> bool:
    """The p percent rule with 10 percent, which the page says follows."""
    values = sorted((abs(Fraction(each)) for each in amounts), reverse=True)
    assert _share(amounts, 2) >= Fraction("0.9") or sum(values[2:]) >= values[0] / 10
    return True


def test_several_records_of_a_contributor_are_refused_if_a_column_tells_them_apart() -> None:
    rule = find_rule("abs-datalab")
    columns = {"cell": ["Region"], "value": ["Turnover"]}
    assert "Records" not in write_policy(rule, columns)
    assert "COUNT(*) AS Contributors" in write_policy(rule, columns)
    with_firm = _on_one_line(write_policy(rule, columns | {"contributor": ["Firm"]}))
    assert "COUNT(*) AS Records WHERE Turnover != 0 GROUP BY Region, Firm : Records <= 1;" in with_firm


def _on_one_line(text: str) -> str:
    """The text of a policy on one line."""
    return " ".join(text.split())


def test_small_areas_are_hidden(tmp_path: Path) -> None:
    areas = ["example-1", "example-2", "example-3", "example-4", "unknown"]
    rows = [{"PUMA": areas[at % 5], "Tract": f"t{at}", "Lat": f"{at}.5", "Age": str(at)} for at in range(40)]
    after = _released("us-census-puma", {"area": ["PUMA"], "finer": ["Tract", "Lat"]}, rows, tmp_path)
    assert [row["Age"] for row in after] == [row["Age"] for row in rows]
    assert {row["PUMA"] for row in after} == {"example-1", "example-4", "*"}
    assert set(after[0]) == {"PUMA", "Age"}


def test_counts_are_rounded_at_random_to_base_3(tmp_path: Path) -> None:
    rows = [{"id": str(at), "Men": str(at % 70), "Women": "17"} for at in range(700)]
    after = _released("stats-nz", {"count": ["Men", "Women"]}, rows, tmp_path)
    pairs = [(int(old["Men"]), int(new["Men"])) for old, new in zip(rows, after, strict=True)]
    assert all(new % 3 == 0 and abs(new - old) < 3 and (old % 3 or new == old) for old, new in pairs)
    assert {int(row["Women"]) for row in after} == {15, 18}


def test_income_and_small_counts_of_areas(tmp_path: Path) -> None:
    rng = random.Random("income")
    rows = [
        {
            "Area": str(at),
            "Pop": str(rng.choice((0, 7, 13, 249, 250, 400))),
            "HH": str(rng.choice((3, 39, 40, 90))),
            "Mean": "41000",
            "Low": "12.5",
            "Dwellings": str(rng.randint(0, 20)),
        }
        for at in range(200)
    ]
    columns = {"population": ["Pop"], "households": ["HH"], "income": ["Mean", "Low"], "count": ["Dwellings"]}
    after = _released("statcan-nhs-income", columns, rows, tmp_path)
    for old, new in zip(rows, after, strict=True):
        is_large = int(old["Pop"]) >= 250 and int(old["HH"]) >= 40
        assert (new["Mean"], new["Low"]) == (("41000", "12.5") if is_large else ("x", "x"))
        for name in ("Pop", "Dwellings"):
            count = int(old[name])
            assert int(new[name]) == (5 * ((count + 2) // 5) if count < 15 else count)


def test_farms_as_eurostat_shows_them(tmp_path: Path) -> None:
    rows = [{"Region": str(at), "Farms": str(at), "Cows": str(2 * at), "Sheep": str(400 - at)} for at in range(120)]
    after = _released("eurostat-farm-structure", {"holdings": ["Farms"], "value": ["Cows", "Sheep"]}, rows, tmp_path)

    def shown(count: int) -> str:
        return "0" if not count else "5" if count < 8 else str(10 * ((count + 5) // 10))

    for old, new in zip(rows, after, strict=True):
        is_few = 0 < int(old["Farms"]) < 5
        expected = [":c" if is_few else shown(int(old[name])) for name in ("Farms", "Cows", "Sheep")]
        assert [new[name] for name in ("Farms", "Cows", "Sheep")] == expected


_USUAL = {
    "ontario-ipc": "patient_id,last_name,phone,age,sex,zip_code,diagnosis",
    "ema-0070": "USUBJID,Name,Age,Sex,Country,Arm",
    "abs-datalab": "firm_id,Industry,Region,Turnover,Profit,Employees",
    "sacro": "Region,Year,n,Title",
    "german-rdc": "Company ID,Sector,Year,Revenue",
    "us-census-puma": "PUMA,Tract,AGEP",
    "uk-census-microdata": "Local authority,LSOA,Postcode,Age",
    "statcan-nhs-income": "Area,Population,Private households,Median income,Dwellings",
    "stats-nz": "Area,Sex,Count",
    "eurostat-farm-structure": "NUTS2,Farm type,Number of holdings,UAA,LSU",
}


#: columns of codes, which integers would make similar to counts
_CODED = ("Area", "Region", "Sex", "Year", "Title")


@pytest.mark.parametrize("name", _USUAL)
def test_a_rule_finds_the_columns_of_a_usual_table(name: str, tmp_path: Path) -> None:
    """Numbers are integers below 60, so that classes of all sizes and small counts occur."""
    rng, header = random.Random(name), _USUAL[name].split(",")
    table, output, released = tmp_path / "table.csv", tmp_path / "release.acp", tmp_path / "released.csv"
    drawn = [[at, *(rng.randrange(60) // rng.choice((1, 9, 30)) for _ in header[1:])] for at in range(300)]
    rows = [[f"{'c' * (own in _CODED)}{each}" for own, each in zip(header, row, strict=True)] for row in drawn]
    table.write_text("\n".join(map(",".join, [header, *rows])) + "\n", encoding="utf-8")
    made = acompass.rules.new(name, table, output=output)
    assert made.matching is not None
    assert not acompass.rules.check(name, table).ok
    assert acompass.run(output, table, output=released).ok
    kept = released.read_text(encoding="utf-8").splitlines()[0].split(",")
    given = {own: found for own, found in made.matching.columns.items() if set(found) <= set(kept)}
    assert acompass.rules.check(name, released, columns=given).ok


def test_a_table_of_one_kind_needs_no_column_of_the_other() -> None:
    counts = [{"Region": "north", "n": 10}, {"Region": "south", "n": 9}]
    checked = acompass.rules.check("abs-datalab", counts, columns={"count": ["n"], "cell": []})
    assert [clause.name for clause in checked.violated] == ["counts"]
    with pytest.raises(acompass.CallError, match="the rule needs a column for `cell`"):
        acompass.rules.check("abs-datalab", counts, columns={"count": [], "cell": []})


@pytest.mark.parametrize(
    ("name", "column", "value"),
    [
        *((name, "identifier", "Pike") for name in ("ema-0070", "health-canada-prci", "heritage-cihi")),
        *((name, "identifier", 4711) for name in ("ontario-ipc", "singapore-pdpc")),
        *((name, "finer", "Salem") for name in ("statcan-pumf", "uk-census-microdata")),
        *((name, "finer", 97301) for name in ("us-census-puma", "us-census-spd")),
    ],
)
def test_what_identifies_is_found_even_if_all_records_share_it(name: str, column: str, value: str | int) -> None:
    found = acompass.rules.check(name, [{column: value}] * 40, columns={column: column})
    assert [each.name for each in found.violated] == ["identifiers" if column == "identifier" else "finer"]
