"""No record's value is in a response unless `show records` is on (invariant 4)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acompass.studio.routes import ROUTES
from tests.studio.pages import Page, opened
from tests.studio.tables import written

#: each value of these columns occurs once, or in fewer records than a report may show
NAMES = [f"marker{number:03d}x" for number in range(40)]
AGES = [20 + 13 * number + 70_000 for number in range(40)]
DATES = [f"19{10 + number}-03-17" for number in range(40)]
TABLE = "Name,Age,Born,Team\n" + "".join(
    f"{name},{age},{born},{'abcd'[place % 4]}\n"
    for place, (name, age, born) in enumerate(zip(NAMES, AGES, DATES, strict=True))
)
VALUES = [*NAMES, *map(str, AGES), *DATES]

POLICY = """\
EACH RESULT : Age <= k : REPLACE Age WITH 3;
EACH PROCESS COUNT(*) AS n GROUP BY Team, Born : n >= 2 : GENERALIZE Born TO YEAR THEN REJECT;
EACH RESULT : Name != 'nobody';
"""
ROLES = {"identifiers": ["Name"], "quasi_identifiers": ["Age", "Born", "Team"], "sensitive": ["Name"]}
ASK = {"text": POLICY, "params": {"k": "71000"}}
PLACES = [{"at": place} for place in range(0, len(POLICY), 3)]

#: the bodies that each route is sent
BODIES: dict[str, list[dict[str, Any]]] = {
    "open": [{}],
    "state": [{}],
    "policy": [{}],
    "save": [{"text": POLICY, "seen": "never"}],
    "missing": [{"drop": True}, {"drop": False}],
    "all": [{"on": True}, {"on": False}],
    "show": [{"on": False}],
    "diagnose": [
        ASK,
        {**ASK, "text": POLICY + "EACH RESULT : Name <= 3 : RANDOM Name 1 2;"},
        {**ASK, "text": "EACH"},
    ],
    "hover": [{**ASK, **place} for place in PLACES],
    "complete": [{**ASK, **place} for place in PLACES],
    "rename": [{**ASK, "at": POLICY.index("AS n") + 3, "name": "size"}],
    "references": [{**ASK, "at": POLICY.index("AS n") + 3}],
    "format": [ASK],
    "symbols": [ASK],
    "verdicts": [ASK, {**ASK, "text": POLICY + "EACH RESULT : Name >= 3;"}, {**ASK, "params": {}}],
    "proofs": [ASK],
    "claim": [{**ASK, "claim": "EACH RESULT : Age <= 30"}, {**ASK, "claim": "EACH RESULT : Name = 'x'"}],
    "table": [{}],
    "roles": [{"roles": ROLES}],
    "templates": [ASK],
    "risk": [{**ASK, "roles": ROLES | {"sensitive": []}}],
    "change": [{**ASK, "roles": ROLES | {"sensitive": []}}],
    "record": [{**ASK, "record": 1}, {**ASK, "where": "Age > 3"}],
    "suggest": [
        {"roles": ROLES | {"quasi_identifiers": ["Age", "Born"], "sensitive": ["Team"]}, "k": 3, "l": 2}
    ],
    "stop": [{"topic": "suggest"}],
    "progress": [{}],
    "preview": [ASK],
    "release": [{**ASK, "table": "x.csv", "report": "x.html", "replace": False, "seen": ""}],
}


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, Path]]:
    folder = tmp_path_factory.mktemp("marked")
    with opened(*written(folder, POLICY, TABLE)) as (page, _):
        yield page, folder


def test_every_route_is_asked() -> None:
    assert set(BODIES) == set(ROUTES)


def test_the_questions_are_answered(marked: tuple[Page, Path]) -> None:
    """Otherwise nothing could be found."""
    page, _ = marked
    for name in ("verdicts", "proofs", "risk", "change", "suggest", "preview"):
        assert page.ask(name, **BODIES[name][0])["diagnostics"] == [], name


@pytest.mark.parametrize("name", sorted(ROUTES))
def test_no_answer_has_a_value(marked: tuple[Page, Path], name: str) -> None:
    page, _ = marked
    answers = [page.send(name, **body).text for body in BODIES[name]]
    assert [value for value in VALUES if any(value in answer for answer in answers)] == []


def test_the_preview_has_no_value(marked: tuple[Page, Path]) -> None:
    page, _ = marked
    assert page.about("preview", POLICY, {"k": "71000"})["ok"]
    shown = page.http.get("/preview")
    assert "Release report" in shown.text
    assert [value for value in VALUES if value in shown.text] == []


def test_a_release_answers_with_names_and_counts_alone(marked: tuple[Page, Path]) -> None:
    page, folder = marked
    seen = page.ask("policy")["version"]
    files = {"table": "released.csv", "report": "report.html", "replace": False}
    answer = page.send("release", **ASK, **files, seen=seen).text
    assert (folder / "released.csv").exists()
    assert [value for value in VALUES if value in answer] == []


def test_records_are_shown_only_when_switched_on(marked: tuple[Page, Path]) -> None:
    page, _ = marked
    assert page.send("record", **ASK, record=1).status_code == 403
    page.ask("show", on=True)
    try:
        assert NAMES[0] in page.send("record", **ASK, record=1).text
        assert NAMES[1] in page.send("record", **ASK, where=f"Age = {AGES[1]}").text
    finally:
        page.ask("show", on=False)
    refused = page.send("record", **ASK, record=1)
    assert refused.status_code == 403
    assert NAMES[0] not in refused.text


def test_an_internal_error_tells_no_value(marked: tuple[Page, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    page, _ = marked

    def fail(*_: object) -> None:
        raise ValueError(NAMES[0])

    monkeypatch.setattr("acompass.studio.answers.files.roles_json", fail)
    response = page.send("open")
    assert response.status_code == 500
    assert "ValueError" in response.text
    assert NAMES[0] not in response.text
