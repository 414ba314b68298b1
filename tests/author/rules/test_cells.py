"""The traps of rules about counts, in tables as users have them: several counts in a row, statistics next to a count,
counts that are texts, and the order of suppressing and rounding."""

import csv
from pathlib import Path

import pytest

from acompass.author.rules.library import find_rule
from tests.author.rules.harness import released, violated

#: the rules of a smallest count, with the smallest count that they show and whether they show zero
SMALLEST = {
    "all-of-us": (21, True),
    "cms-cell-size": (11, True),
    "ferpa": (10, True),
    "manitoba": (6, True),
    "nci-state-cancer-profiles": (16, False),
    "ons-longitudinal-study": (10, False),
    "pcornet": (11, True),
    "pedsnet": (5, True),
    "wicid": (3, True),
}
#: the rules that suppress counts of 1 to 7 with this mark
MARKS = {"nhs-hes": "*", "opensafely": "[REDACTED]"}


def _write(folder: Path, text: str) -> Path:
    path = folder / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


def _read(path: Path | None) -> list[list[str]]:
    assert path is not None
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("name", SMALLEST)
def test_every_count_of_a_row_has_to_be_large_enough(name: str, tmp_path: Path) -> None:
    rule, (smallest, _) = find_rule(name), SMALLEST[name]
    columns = {"count": ["all", "women"]}
    table = _write(tmp_path, f"area,all,women\na,{smallest},{smallest}\nb,9000,{smallest - 1}\n")
    assert violated(rule, table, columns) == {"counts"}
    assert _read(released(rule, table, tmp_path, columns))[1:] == [["a", str(smallest), str(smallest)]]


@pytest.mark.parametrize("name", SMALLEST)
def test_zero_is_shown_where_the_source_allows_it(name: str, tmp_path: Path) -> None:
    rule, (smallest, shows_zero) = find_rule(name), SMALLEST[name]
    table = _write(tmp_path, f"area,n\na,{smallest}\nb,0\n")
    assert violated(rule, table, {"count": ["n"]}) == (set() if shows_zero else {"counts"})


@pytest.mark.parametrize("name", [*SMALLEST, *MARKS, "google-ads-data-hub", "nces", "nhs-education-scotland", "uk-llc"])
def test_a_count_with_separators_is_never_released(name: str, tmp_path: Path) -> None:
    """Neither as a text that is compared with texts, nor as a number that it is not."""
    rule = find_rule(name)
    counts = [each.name for each in rule.columns if each.name in ("count", "sample", "users", "clickers")]
    assert counts
    table = _write(tmp_path, 'area,n\na,5000\nb,"1,204"\nc,"<5"\n')
    for count in counts:
        assert released(rule, table, tmp_path, {count: ["n"]}) is None


@pytest.mark.parametrize(("name", "mark"), MARKS.items())
def test_small_counts_are_suppressed_before_they_are_rounded(name: str, mark: str, tmp_path: Path) -> None:
    """Rounded first, 1 and 2 would be 0, which may be shown."""
    rule, columns = find_rule(name), {"count": ["episodes", "patients"]}
    rows = "".join(f"{each},{each},{100 + each}\n" for each in range(14))
    output = released(rule, _write(tmp_path, f"area,episodes,patients\n{rows}"), tmp_path, columns)
    shown = ["0", *[mark] * 7, *["10"] * 5, "15"]
    assert [row[1] for row in _read(output)[1:]] == shown
    assert {row[2] for row in _read(output)[1:]} == {"100", "105", "110", "115"}
    assert output is not None
    assert violated(rule, output, columns) == set()


@pytest.mark.parametrize(("name", "mark"), MARKS.items())
def test_no_statistic_of_few_people_stays(name: str, mark: str, tmp_path: Path) -> None:
    """A mean of one person is that person's value; a percentage and its total give the count."""
    rule = find_rule(name)
    columns = {"count": ["n", "total"], "mean": ["mean age", "median age"], "rate": ["percent"]}
    table = _write(tmp_path, "area,n,total,mean age,median age,percent\na,1,50,93.0,93.0,2.0\nb,20,50,41.5,40.0,40.0\n")
    assert _read(released(rule, table, tmp_path, columns)) == [
        ["area", "n", "total", "mean age", "median age"],
        ["a", mark, "50", mark, mark],
        ["b", "20", "50", "41.5", "40.0"],
    ]


@pytest.mark.parametrize("name", MARKS)
@pytest.mark.parametrize("mark", ["*", "[REDACTED]", "<8", "c", "suppressed"])
def test_a_rate_next_to_any_mark_is_found(name: str, mark: str, tmp_path: Path) -> None:
    rule, columns = find_rule(name), {"count": ["n"], "mean": ["average"], "rate": ["percent"]}
    rates = _write(tmp_path, f"area,n,average,percent\na,{mark},{mark},.02\nb,20,3.5,40.0\n")
    assert violated(rule, rates, columns) == {"rates"}
    means = _write(tmp_path, f"area,n,average,percent\na,{mark},93,{mark}\nb,20,3.5,40.0\n")
    assert violated(rule, means, columns) == {"means"}


@pytest.mark.parametrize("name", MARKS)
@pytest.mark.parametrize(("count", "clause"), [("-10", "small"), ("8", "rounded"), ("99", "rounded")])
def test_negative_and_unrounded_counts_are_found(name: str, count: str, clause: str, tmp_path: Path) -> None:
    assert violated(find_rule(name), _write(tmp_path, f"area,n\na,{count}\nb,20\n"), {"count": ["n"]}) == {clause}


@pytest.mark.parametrize("name", MARKS)
def test_counts_of_a_data_frame_with_gaps_are_found(name: str, tmp_path: Path) -> None:
    """Pandas writes integers with a fraction where a column had missing values."""
    assert violated(find_rule(name), _write(tmp_path, "area,n\na,7.0\nb,20.0\n"), {"count": ["n"]}) == {"small"}


def test_a_table_of_clicks_needs_fewer_users(tmp_path: Path) -> None:
    rule, columns = find_rule("google-ads-data-hub"), {"users": ["reach"], "clickers": ["clicking users"]}
    table = _write(tmp_path, "campaign,reach,clicking users\na,50,10\nb,50,9\nc,49,10\n")
    assert violated(rule, table, columns) == {"users", "clicks"}
    assert _read(released(rule, table, tmp_path, columns))[1:] == [["a", "50", "10"]]


def test_without_a_column_of_persons_records_are_counted(tmp_path: Path) -> None:
    rule, columns = find_rule("pedsnet"), {"cell": ["site", "age"]}
    rows = "a,3\n" * 5 + "a,4\n" * 4
    assert _read(released(rule, _write(tmp_path, f"site,age\n{rows}"), tmp_path, columns))[1:] == [["a", "3"]] * 5
