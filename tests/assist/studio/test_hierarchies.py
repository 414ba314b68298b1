"""The hierarchy editor's questions: proposals, previews, the policy's line, and hierarchy files."""

import tomllib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from acompass import load, measure, run
from acompass.assist.studio.grouping import MOST_VALUES
from acompass.options import Opening
from tests.assist.studio.pages import Page, open_studio

CHECK = "EACH PROCESS COUNT(*) AS n GROUP BY age, job : n >= 2 : REJECT;\n"
POLICY = f"-- the release\n{CHECK}"
AGES = (18, 19, 25, 31, 31, 40, 52, 67)
JOBS = ("baker", "baker", "cook", "judge", "judge", "nurse", "nurse", "")
CODES = [f"{90000 + 37 * place}" for place in range(24)]


def write_table(folder: Path) -> tuple[Path, Path]:
    table, policy = folder / "people.csv", folder / "release.acp"
    lines = [f"{age},{job},{-1.5 + place / 4},2024-0{1 + place % 3}-15" for place, (age, job) in enumerate(people())]
    listed = (f"{line},{code}" for line, code in zip(lines, CODES, strict=True))
    table.write_text("\n".join(["age,job,score,seen,zip", *listed]) + "\n", encoding="utf-8")
    policy.write_text(POLICY, encoding="utf-8")
    return policy, table


def people() -> list[tuple[int, str]]:
    return list(zip(AGES, JOBS, strict=True)) * 3


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[tuple[Page, Path]]:
    with open_studio(*write_table(tmp_path)) as (page, _):
        page.ask("show", on=True)
        yield page, tmp_path


def preview(page: Page, column: str, text: str = POLICY, line: int | None = None, **spec: Any) -> dict[str, Any]:
    return page.ask_about("hierarchy/preview", text, column=column, line=line, spec={"level": 1, **spec})


def save(page: Page, column: str, file: str, replace: bool = False, **spec: Any) -> httpx.Response:
    given = {"level": 1, "file": file, **spec}
    return page.send("hierarchy/save", text=POLICY, params={}, column=column, file=file, replace=replace, spec=given)


def edited(text: str, answer: dict[str, Any]) -> str:
    for edit in sorted(answer["preview"]["edits"], key=lambda edit: -int(edit["from"])):
        text = text[: edit["from"]] + edit["insert"] + text[edit["to"] :]
    return text


PROPOSALS = {
    "age": {"kind": "bands", "widths": ["5"], "from": None, "up_to": None, "level": 1},
    "zip": {"kind": "prefix", "lengths": ["4", "3", "2"], "level": 1},
    "seen": {"kind": "dates", "units": ["MONTH", "QUARTER", "YEAR", "DECADE"], "level": 1},
    "job": {"kind": "groups", "level": 1},
}


def test_the_proposal_follows_the_kind(studio: tuple[Page, Path]) -> None:
    found = {column: studio[0].ask_about("hierarchy", POLICY, column=column)["hierarchy"] for column in PROPOSALS}
    assert {column: each["proposal"] for column, each in found.items()} == PROPOSALS
    assert [each["text"] for each in found["job"]["values"]] == ["baker", "cook", "judge", "nurse"]
    assert found["job"]["missing"] == 3
    assert found["age"]["histogram"] == {
        "start": "18",
        "width": "2",
        "bars": [6, 0, 0, 3, 0, 0, 6, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 3],
        "lowest": "18",
        "highest": "67",
    }


def test_a_preview_says_what_each_group_holds(studio: tuple[Page, Path]) -> None:
    found = preview(studio[0], "age", kind="at", cuts=["20", "50"])["preview"]
    assert [(each["label"], each["records"], each["values"]) for each in found["groups"]] == [
        ("<20", 6, 2),
        ("20-49", 12, 3),
        ("50+", 6, 2),
    ]
    assert (found["count"], found["smallest"], found["line"]) == (3, 6, "GENERALIZE age TO BANDS AT 20, 50")
    negative = preview(studio[0], "score", kind="bands", widths=["0.5"])["preview"]
    assert negative["groups"][0] == {"label": "[-1.5,-1.0)", "records": 2, "values": 2, "examples": ["-1.5", "-1.25"]}


WRONG: dict[str, tuple[str, dict[str, Any]]] = {
    "the numbers after AT must increase, but 20 follows 50": ("age", {"kind": "at", "cuts": ["50", "20"]}),
    "bands of integers need integer bounds, found 2.5": ("age", {"kind": "at", "cuts": ["2.5"]}),
    "UP TO 91 is not 20 plus a multiple of 5": ("age", {"kind": "bands", "widths": ["5"], "from": "20", "up_to": "91"}),
    "`x` is not a number": ("age", {"kind": "at", "cuts": ["x"]}),
    "no boundary is given": ("age", {"kind": "at", "cuts": []}),
    "column `zip` has codes, which are not banded as numbers": ("zip", {"kind": "bands", "widths": ["10"]}),
    "the length of a prefix must be at least 1, found 0": ("zip", {"kind": "prefix", "lengths": ["0"]}),
    "`WEEK` is not a unit of dates": ("seen", {"kind": "dates", "units": ["WEEK"]}),
    "there is no level 2": ("seen", {"kind": "dates", "units": ["YEAR"], "level": 2}),
    "`x` of level 1 has two parents, `y` and `z` (lines 1 and 2)": (
        "job",
        {"kind": "groups", "file": "job.csv", "rows": [["baker", "x", "y"], ["cook", "x", "z"]]},
    ),
}


def test_a_wrong_specification_never_becomes_a_line(studio: tuple[Page, Path]) -> None:
    found = {}
    for message, (column, spec) in WRONG.items():
        answer = preview(studio[0], column, **spec)
        assert answer["preview"] is None
        found[message] = answer["diagnostics"][0]["message"]
    assert found["`x` of level 1 has two parents, `y` and `z` (lines 1 and 2)"].startswith("a label has two parents")
    others = {message: text for message, text in found.items() if "parents" not in message}
    assert list(others) == list(others.values())


def test_a_new_line_stands_before_the_check_that_counts_by_the_column(studio: tuple[Page, Path]) -> None:
    found = preview(studio[0], "age", kind="bands", widths=["10"])
    assert edited(POLICY, found) == f"-- the release\nALWAYS : GENERALIZE age TO BANDS OF 10;\n{CHECK}"
    number = "EACH RESULT : age <= 60 : REJECT;\n"
    later = preview(studio[0], "age", f"{POLICY}{number}", kind="bands", widths=["10"])
    assert edited(f"{POLICY}{number}", later) == f"{POLICY}{number}ALWAYS : GENERALIZE age TO BANDS OF 10;\n"


def test_an_existing_line_is_replaced_unless_a_later_one_forbids_it(studio: tuple[Page, Path]) -> None:
    text = f"ALWAYS : GENERALIZE age TO BANDS OF 5; -- fine\n{CHECK.replace('REJECT', 'GENERALIZE age TO BANDS OF 10')}"
    lines = studio[0].ask_about("hierarchy", text, column="age")["hierarchy"]["lines"]
    assert [(each["line"], each["spec"]["widths"]) for each in lines] == [(1, ["5"]), (2, ["10"])]
    found = preview(studio[0], "age", text, line=0, kind="bands", widths=["2", "10"])
    assert edited(text, found) == text.replace("OF 5", "OF 2")
    refused = preview(studio[0], "age", text, line=0, kind="bands", widths=["7"])
    assert refused["preview"]["edits"] is None
    assert refused["diagnostics"][0]["message"] == "this map of column `age` cannot follow an earlier one (line 2)"


def test_a_step_that_would_do_nothing_is_removed_and_named(studio: tuple[Page, Path]) -> None:
    text = CHECK.replace("REJECT", "GENERALIZE age TO BANDS OF 5 THEN REJECT")
    found = preview(studio[0], "age", text, kind="bands", widths=["10"])
    assert edited(text, found) == f"ALWAYS : GENERALIZE age TO BANDS OF 10;\n{CHECK}"
    assert found["preview"]["notes"] == ["a step that would do nothing is removed: GENERALIZE age TO BANDS OF 5"]


def test_missing_values_are_a_note(studio: tuple[Page, Path]) -> None:
    text = "EACH RESULT : age <= 90 : REJECT;"
    found = preview(studio[0], "job", text, kind="prefix", lengths=["2"])
    assert found["preview"]["notes"] == [
        "column `job` has 3 missing values; choose in the first step what happens to them"
    ]
    assert edited(text, found) == f"ALWAYS : GENERALIZE job TO PREFIX OF 2;\n{text}"


def test_groups_become_a_file_and_a_line_that_runs(studio: tuple[Page, Path]) -> None:
    page, folder = studio
    rows = [["baker", "food"], ["cook", "food"], ["judge", "other"]]
    spec = {"kind": "groups", "file": "job.csv", "rows": rows}
    without = preview(page, "job", **spec)["preview"]
    assert without["uncovered"] == {"values": 1, "records": 6, "texts": ["nurse"]}
    assert without["edits"] is None
    whole = {**spec, "otherwise": "health"}
    answer = preview(page, "job", **whole)
    assert answer["preview"]["others"] == {"values": 1, "records": 6, "texts": ["nurse"]}
    assert answer["preview"]["line"] == "GENERALIZE job TO LEVEL 1 OF 'job.csv' ELSE 'health'"
    assert answer["preview"]["notes"] == []  # its missing values are an error of the policy already
    saved = page.ask_about(
        "hierarchy/save", POLICY, column="job", file="job.csv", replace=False, spec={**whole, "level": 1}
    )
    assert saved["saved"] == {"file": "job.csv", "levels": 2, "search": "job.csv"}
    assert (folder / "job.csv").read_text(encoding="utf-8") == "baker;food;*\ncook;food;*\njudge;other;*\n"
    (folder / "release.acp").write_text(edited(POLICY, answer), encoding="utf-8")
    released = run(folder / "release.acp", folder / "people.csv", missing="drop", output=folder / "out.csv")
    assert released.ok
    assert {line.split(",")[1] for line in (folder / "out.csv").read_text().splitlines()[1:]} <= {
        "food",
        "other",
        "health",
    }


def test_levels_of_bands_are_saved_as_arx_writes_them(studio: tuple[Page, Path]) -> None:
    page, folder = studio
    save(page, "age", "age.csv", kind="bands", widths=["10", "20"])
    lines = (folder / "age.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "18;10-19;0-19;*"
    loaded = page.ask_about("hierarchy/load", POLICY, column="age", file="age.csv")["loaded"]
    assert (loaded["levels"], loaded["uncovered"]["values"], loaded["rows"][0]) == (3, 0, ["18", "10-19", "0-19", "*"])
    again = save(page, "age", "age.csv", kind="bands", widths=["10"])
    assert (again.status_code, again.json()["exists"]) == (409, ["age.csv"])


def test_a_file_never_replaces_the_table_or_leaves_the_folder(studio: tuple[Page, Path]) -> None:
    page, folder = studio
    before = (folder / "people.csv").read_bytes()
    for name in ("people.csv", "../age.csv", "release.acp"):
        response = save(page, "age", name, replace=True, kind="bands", widths=["10"])
        assert response.status_code == 400 or response.json()["saved"] is None, name
    assert page.send("hierarchy/load", text="", params={}, column="age", file="/etc/passwd").status_code == 400
    assert (folder / "people.csv").read_bytes() == before


def test_a_loaded_file_lists_its_problems_and_what_it_lacks(studio: tuple[Page, Path]) -> None:
    page, folder = studio

    def load(content: str, encoding: str = "utf-8") -> Any:
        sent = b64encode(content.encode(encoding)).decode()
        return page.ask_about("hierarchy/load", POLICY, column="job", content=sent)["loaded"]

    found = load("baker;food;*\ncook;food;*\npilot;travel;*\n")
    assert found["uncovered"] == {"values": 2, "records": 12, "texts": ["judge", "nurse"]}
    assert found["unused"] == 1
    wrong = load("baker;food;a;*\ncook;food;b;*\n")
    assert wrong["problems"] == [{"lines": [1, 2], "message": "`food` of level 1 has two parents, `a` and `b`"}]
    catalog = load("".join(f"job {place};any;*\n" for place in range(MOST_VALUES)) + "baker;food;*\n")
    assert (catalog["rows"], catalog["unused"]) == ([["baker", "food", "*"]], MOST_VALUES)
    old = load("baker;Bäckerei;*\n", "cp1252")
    assert (old["rows"], old["encoding"]) == ([["baker", "Bäckerei", "*"]], "cp1252")
    (folder / "jobs.csv").write_bytes("baker;Bäckerei;*\n".encode("cp1252"))
    assert page.ask_about("hierarchy/load", POLICY, column="job", file="jobs.csv")["loaded"] == old
    page.ask("show", on=False)
    assert load("baker;food;a;*\ncook;food;b;*\n")["problems"][0]["message"] == "a label has two parents"
    assert "turn on “Show values”" in load("baker;food;*\n")["problems"][0]["message"]


def test_no_value_is_sent_while_values_are_hidden(studio: tuple[Page, Path]) -> None:
    page, folder = studio
    (folder / "job.csv").write_text("baker;food;*\n", encoding="utf-8")
    page.ask("show", on=False)
    answers = [
        page.ask_about("hierarchy", POLICY, column="job"),
        preview(page, "job", kind="prefix", lengths=["3"]),
        preview(page, "job", kind="file", file="job.csv"),
        page.ask_about("hierarchy/load", POLICY, column="job", file="job.csv"),
    ]
    assert not any(value in str(answers) for value in ("bak", "coo", "jud", "nur", "food"))
    assert answers[1]["preview"]["smallest"] == 3
    asked = {"text": POLICY, "params": {}, "column": "age", "bands": 4}
    assert [page.send("hierarchy/cuts", **asked, by=by).status_code for by in ("width", "count")] == [403, 403]


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("wide")
    policy, table = folder / "release.acp", folder / "wide.csv"
    rows = (f"name {place},{place * place % 99_991 / 4}" for place in range(10_000))
    table.write_text("\n".join(["who,score", *rows]) + "\n", encoding="utf-8")
    with open_studio(policy, table) as (page, _):
        page.ask("show", on=True)
        yield page


def test_many_values_are_not_listed_but_can_be_banded_and_shortened(wide: Page) -> None:
    found = wide.ask_about("hierarchy", "", column="who")["hierarchy"]
    assert (found["distinct"], found["values"], found["most"]) == (10_000, None, 5_000)
    short = preview(wide, "who", "", kind="prefix", lengths=["6"])["preview"]
    assert len(short["groups"]) <= 200 < 10_000
    cuts = wide.ask_about("hierarchy/cuts", "", column="score", by="count", bands=4)["cuts"]
    banded = preview(wide, "score", "", kind="at", cuts=cuts)["preview"]
    assert all(2_400 <= group["records"] <= 2_600 for group in banded["groups"])
    assert edited("", {"preview": banded}).startswith("ALWAYS : GENERALIZE score TO BANDS AT ")


@pytest.mark.parametrize(("by", "cuts"), [("width", ["30", "42", "55"]), ("count", ["20", "30", "50"])])
def test_boundaries_of_four_bands(studio: tuple[Page, Path], by: str, cuts: list[str]) -> None:
    assert studio[0].ask_about("hierarchy/cuts", POLICY, column="age", by=by, bands=4)["cuts"] == cuts


# the hierarchies of the project

WORKERS = list(zip(range(20, 80, 3), ["baker"] * 2 + ["cook"] * 3 + ["judge"] * 7 + ["nurse"] * 8, strict=True))
JOB_LEVELS = "baker;food;*\ncook;food;*\njudge;office;*\nnurse;health;*\n"
SETTINGS = """\
[table."people.csv"]  # the workers
quasi-identifiers = ["age", "job"]
hierarchies = { AGE = "bands:10,20", job = "levels/job.csv", gone = "dates" }  # ours
"""
ROLES = {"quasi_identifiers": ["age", "job"], "identifiers": [], "sensitive": [], "other": [], "person": None}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[tuple[Page, Path]]:
    """The table and the policy are in two folders, and the server runs in a third one."""
    for folder in ("policies", "data", "data/levels"):
        (tmp_path / folder).mkdir()
    table = tmp_path / "data" / "people.csv"
    table.write_text("age,job\n" + "".join(f"{age},{job}\n" for age, job in WORKERS), encoding="utf-8")
    (tmp_path / "data" / "acompass.toml").write_text(SETTINGS, encoding="utf-8")
    (tmp_path / "data" / "levels" / "job.csv").write_text(JOB_LEVELS, encoding="utf-8")
    with open_studio(tmp_path / "policies" / "release.acp", table) as (page, _):
        page.ask("show", on=True)
        yield page, tmp_path


def hierarchies(page: Page) -> Any:
    return page.ask("settings")["settings"]["hierarchies"]


def test_hierarchies_are_settings_of_the_project(project: tuple[Page, Path]) -> None:
    page, folder = project
    first = {"age": "bands:10,20", "job": "levels/job.csv"}
    assert hierarchies(page) == first
    kept = page.ask("settings/change", hierarchies={**first, "age": "bands:5", "no column": "dates"})["settings"]
    assert (kept["undo"], kept["unsaved"]) == ("the levels of `age`", True)
    assert page.ask("settings/undo")["undone"] == "the levels of `age`"
    assert hierarchies(page) == first
    page.ask("settings/restore", **{key: kept[key] for key in kept if key not in ("version", "unsaved", "undo")})
    assert hierarchies(page) == {**first, "age": "bands:5"}
    page.ask("save", text="", seen=page.ask("policy")["version"])
    settings = folder / "data" / "acompass.toml"
    text = settings.read_text(encoding="utf-8")
    assert tomllib.loads(text)["table"]["people.csv"]["hierarchies"] == hierarchies(page)
    assert "# the workers" in text
    assert "# ours" in text
    settings.write_text(SETTINGS.replace("bands:10,20", "bands:7"), encoding="utf-8")
    assert page.ask("state")["settings_differ"] is False
    assert hierarchies(page) == {"age": "bands:7", "job": "levels/job.csv"}
    wrong = page.ask("settings/change", hierarchies={"age": "bands:x"})
    assert (wrong["diagnostics"][0]["code"], wrong["settings"]) == ("AC610", None)


def test_the_search_uses_the_hierarchies_of_the_project(project: tuple[Page, Path]) -> None:
    page, folder = project
    roles = {**ROLES, "quasi_identifiers": ["job"], "other": ["age"]}
    asked = {"roles": roles, "k": 5, "max_lost": "0%", "importance": {}}
    found = page.ask_about("search", "", **asked)["search"]["alternatives"]
    texts = [each["addition"] for each in found if "addition" in each]
    assert any("LEVEL 1 OF '../data/levels/job.csv' ELSE '*'" in text for text in texts)
    assert str(folder) not in "".join(texts)
    policy = folder / "policies" / "release.acp"
    policy.write_text(next(text for text in texts if "LEVEL" in text), encoding="utf-8")
    assert load(policy).files
    assert run(policy, folder / "data" / "people.csv", output=folder / "out.csv").ok
    other = page.ask_about("search", "", hierarchies={"job": "prefix:1"}, **asked)["search"]["alternatives"]
    assert not any("LEVEL" in each.get("text", "") for each in other)


def test_the_loss_is_measured_by_the_hierarchies_of_the_project(project: tuple[Page, Path]) -> None:
    page, folder = project
    policy, table, released = folder / "policies" / "release.acp", folder / "data" / "people.csv", folder / "out.csv"
    level = "LEVEL 1 OF '../data/levels/job.csv'"
    text = f"ALWAYS : GENERALIZE age TO BANDS OF 10;\nALWAYS : GENERALIZE job TO {level};\n"
    policy.write_text(text, encoding="utf-8")
    run(policy, table, output=released, roles={})
    by_level = measure(released, ["age", "job"], against=table, policy=load(policy))
    change = page.ask_about("change", text, roles=ROLES)["change"]
    assert by_level.loss is not None
    assert change["loss"] == pytest.approx(by_level.loss.total)
    page.ask("settings/change", hierarchies={})
    without = page.ask_about("change", text, roles=ROLES)["change"]
    assert without["loss"] is None, "the values of `job` have no levels of their own"


def test_the_controls_offer_the_levels_of_the_project(project: tuple[Page, Path]) -> None:
    page, _ = project

    def choices(column: str) -> dict[str, Any]:
        found = page.ask_about("refine/controls", "")["controls"]
        return {each["key"]: each for own in found if own["column"] == column for each in own["choices"]}

    level = choices("job")["LEVEL 1 OF '../data/levels/job.csv' ELSE '*'"]
    text = edited("", {"preview": level})
    assert text == "ALWAYS : GENERALIZE job TO LEVEL 1 OF '../data/levels/job.csv' ELSE '*';\n"
    assert page.ask_about("verdicts", text)["verdicts"]["records_out"] == len(WORKERS)
    assert {"BANDS OF 10", "BANDS OF 20"} <= choices("age").keys()
    assert "BANDS OF 5" not in choices("age")
    page.ask("settings/change", hierarchies={"job": "prefix:1"})
    assert "PREFIX OF 1" in choices("job")
    assert "BANDS OF 5" in choices("age"), "the levels that its values suggest"


def test_the_editor_begins_with_the_hierarchy_of_the_project(project: tuple[Page, Path]) -> None:
    page, _ = project
    about = page.ask_about("hierarchy", "", column="age")["hierarchy"]
    assert about["own"] == {"kind": "bands", "widths": ["10", "20"], "from": None, "up_to": None, "level": 1}
    assert preview(page, "age", "", **about["own"])["preview"]["search"] == "bands:10,20"
    own = page.ask_about("hierarchy", "", column="job")["hierarchy"]["own"]
    assert (own["kind"], own["file"]) == ("file", "../data/levels/job.csv")
    found = preview(page, "job", "", **own)["preview"]
    assert (found["search"], found["uncovered"]["values"]) == ("levels/job.csv", 0)
    groups = {"kind": "groups", "rows": [["baker", "food"], ["cook", "food"], ["judge", "a"], ["nurse", "b"]]}
    assert preview(page, "job", "", file="job.csv", **groups)["preview"]["search"] is None
    assert save(page, "job", "job.csv", **groups).json()["saved"]["search"] == "../policies/job.csv"
    dates = preview(page, "job", "", kind="dates", units=["YEAR"])
    assert dates["preview"] is None or dates["preview"]["search"] is None


def test_a_file_has_the_decimal_commas_of_the_table(tmp_path: Path) -> None:
    """LEVEL and PREFIX read a column as text, with the commas of the file; bands read it as numbers."""
    table = tmp_path / "doses.csv"
    table.write_text(
        "dose;age\n" + "".join(f"{9 + place % 4},5;{place % 2}\n" for place in range(40)), encoding="utf-8"
    )
    reading: Opening = {"delimiter": ";", "decimal": ","}
    with open_studio(tmp_path / "release.acp", table, reading=reading) as (page, _):
        page.ask("show", on=True)
        values = [each["text"] for each in page.ask_about("hierarchy", "", column="dose")["hierarchy"]["values"]]
        assert values == ["9,5", "10,5", "11,5", "12,5"]
        groups = {"kind": "groups", "file": "dose.csv", "rows": [[value, value[:1]] for value in values]}
        found = preview(page, "dose", "", **groups)
        assert found["preview"]["uncovered"]["values"] == 0
        assert save(page, "dose", **groups).json()["saved"]
        text = edited("", found)
        assert page.ask_about("verdicts", text)["verdicts"]["records_out"] == 40
        assert save(page, "dose", "bands.csv", kind="bands", widths=["1.5"], **{"from": "10", "up_to": None}).json()[
            "saved"
        ]
        written = (tmp_path / "bands.csv").read_text(encoding="utf-8")
        assert written == ('9,5;<10,0;*\n10,5;"[10,0;11,5)";*\n11,5;"[11,5;13,0)";*\n12,5;"[11,5;13,0)";*\n')
        roles = {**ROLES, "quasi_identifiers": ["dose"]}
        search = {"roles": roles, "k": 5, "max_lost": "0%", "importance": {}, "hierarchies": {"dose": "bands.csv"}}
        assert page.ask_about("search", "", **search)["diagnostics"] == []


def test_ages_up_to_an_open_band_have_bands_and_codes_have_none(tmp_path: Path) -> None:
    table = tmp_path / "stays.csv"
    lines = [f"{'90+' if age > 89 else age},{age % 7},{'CI'[age % 2]}{age % 30}.{age}" for age in range(20, 99)]
    table.write_text("\n".join(["age,clinic_id,icd", *lines, ""]), encoding="utf-8")
    with open_studio(tmp_path / "release.acp", table) as (page, _):
        page.ask("show", on=True)
        found = {
            name: page.ask_about("hierarchy", "", column=name)["hierarchy"] for name in ("age", "clinic_id", "icd")
        }
        assert [(each["form"], each["proposal"]["kind"]) for each in found.values()] == [
            *(("text", "bands"), ("code", "prefix"), ("code", "groups")),
        ]
        assert (found["age"]["numeric"], found["age"]["proposal"]["up_to"]) == (True, "90")
        assert found["age"]["proposal"]["widths"] == ["5", "10"]
        shown = preview(page, "age", "", **found["age"]["proposal"])["preview"]
        assert shown["uncovered"]["values"] == 0
        assert shown["groups"][-1]["label"] == "90+"
