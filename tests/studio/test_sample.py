"""A large table is worked on as a sample, which says so; whatever leaves the studio is of all records."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acompass.assist import desk
from acompass.studio import studio
from tests.studio.pages import Page, opened
from tests.studio.tables import CLASSES, written

RECORDS, SAMPLE = 5_000, 400
STATED = {"records": SAMPLE, "of": RECORDS}
TABLE = "Name,Age,Zip\n" + "".join(f"n{n},{20 + n % 50},{21400 + n % 7}\n" for n in range(RECORDS))
ASK: dict[str, Any] = {"text": CLASSES, "params": {"k": "12"}}
ROLES = {"identifiers": ["Name"], "quasi_identifiers": ["Age", "Zip"], "sensitive": []}


@pytest.fixture
def sampling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a table this small, the whole would be looked at."""
    for module in (desk, studio):
        monkeypatch.setattr(module, "SAMPLE_FROM", 1_000)
        monkeypatch.setattr(module, "SAMPLE", SAMPLE)


@pytest.fixture
def large(tmp_path: Path, sampling: None) -> Iterator[Page]:
    with opened(*written(tmp_path, CLASSES, TABLE)) as (page, _):
        yield page


def test_what_rests_on_a_sample_says_so(large: Page) -> None:
    assert large.ask("open")["sample"] == STATED
    found = large.ask("verdicts", **ASK)["verdicts"]
    assert found["sample"] == STATED
    assert found["records_in"] == SAMPLE
    risk = large.ask("risk", **ASK, roles=ROLES)["risk"]
    assert (risk["sample"], risk["before"]["records"]) == (STATED, SAMPLE)
    change = large.ask("change", **ASK, roles=ROLES)["change"]
    assert (change["sample"], change["records_before"]) == (STATED, SAMPLE)
    assert change["records_after"] == found["records_out"]
    assert large.ask("table")["sample"] == STATED


def test_all_records_on_demand_and_back(large: Page) -> None:
    sampled = large.ask("verdicts", **ASK)["verdicts"]
    assert large.ask("all", on=True) == {"sample": None}
    whole = large.ask("verdicts", **ASK)["verdicts"]
    assert (whole["sample"], whole["records_in"]) == (None, RECORDS)
    assert large.ask("risk", **ASK, roles=ROLES)["risk"]["before"]["records"] == RECORDS
    assert large.ask("all", on=False) == {"sample": STATED}
    assert large.ask("verdicts", **ASK)["verdicts"] == sampled


def test_a_release_is_of_all_records(large: Page, tmp_path: Path) -> None:
    seen = large.ask("policy")["version"]
    files = {"table": "out.csv", "report": "out.html", "replace": False}
    released = large.ask("release", **ASK, **files, seen=seen)["released"]
    assert released["records_in"] == RECORDS
    assert len((tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()) == released["records_out"] + 1
    large.ask("preview", **ASK)
    assert f"{RECORDS:,}" in large.http.get("/preview").text


def test_a_record_is_found_in_all_records(large: Page) -> None:
    large.ask("show", on=True)
    (life,) = large.ask("record", **ASK, record=RECORDS)["lives"]
    assert life["given"]["Name"] == f"'n{RECORDS - 1}'"


def test_a_suggestion_is_of_all_records(large: Page) -> None:
    pytest.importorskip("numpy")
    found = large.ask("suggest", roles=ROLES, k=20)["suggestion"]
    assert found["records_out"] + found["dropped"] == RECORDS


@pytest.mark.usefixtures("sampling")
@pytest.mark.parametrize("on", [False, True])
def test_local_dates_are_compared(tmp_path: Path, on: bool) -> None:
    """They come out of a sample in ISO form."""
    table = "Day,Zip\n" + "".join(f"{1 + n % 28:02d}.03.2020,{21400 + n % 7}\n" for n in range(RECORDS))
    text = "ALWAYS : GENERALIZE Day TO MONTH;\n"
    with opened(*written(tmp_path, text, table), dates=("Day=%d.%m.%Y",)) as (page, _):
        page.ask("all", on=on)
        change = page.about("change", text, roles={"quasi_identifiers": ["Day"]})["change"]
        assert change["columns"][0]["values_before"] == 28
        assert change["columns"][0]["values_after"] == 1
        risk = page.about("risk", text, roles={"quasi_identifiers": ["Day"]})["risk"]
        assert (risk["before"]["classes"], risk["after"]["classes"]) == (28, 1)


def test_a_small_table_is_never_sampled(tmp_path: Path) -> None:
    with opened(*written(tmp_path)) as (page, _):
        assert page.ask("all", on=False) == {"sample": None}
