"""With `person`, every class of a suggested policy has k distinct persons (D35), counted from the released file."""

import csv
from collections import defaultdict
from contextlib import chdir
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acompass
from acompass.author.answers import Unreachable
from acompass.errors.diagnostics import AcompassError
from acompass.language.text.formatter import format_program
from acompass.report import render
from tests.length import at_length

STYLES = ("cascade", "uniform", "stars")


def write_visits(random: Random, path: Path, patients: int) -> Path:
    """One to six visits of each patient, whose age, postal code and diagnosis may change between visits."""
    rows = []
    for patient in range(patients):
        age, zip_ = random.randint(20, 60), random.choice(["21201", "21202", "21300"])
        for _ in range(random.randint(1, 6)):
            moved = random.choice(["21201", "21202"]) if random.random() < 0.2 else zip_
            rows.append([f"P{patient}", str(age + random.randint(0, 1)), moved, random.choice(["flu", "cold", "HIV"])])
    random.shuffle(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["patient", "age", "zip", "diagnosis"], *rows])
    return path


def released_classes(path: Path) -> list[list[dict[str, str]]]:
    classes = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for record in csv.DictReader(file):
            classes[record["age"], record["zip"]].append(record)
    return list(classes.values())


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=at_length(4))
@given(st.integers(0, 2**32), st.integers(2, 5), st.sampled_from([None, 2]), st.integers(3, 25))
def test_every_class_of_the_release_has_k_persons(
    style: str, seed: int, k: int, least: int | None, patients: int
) -> None:
    with TemporaryDirectory() as folder, chdir(folder):
        table = write_visits(Random(seed), Path("visits.csv"), patients)
        options: dict[str, Any] = {"person": "patient", "roles": {"other": ["patient"]}}
        if least is not None:
            options |= {"sensitive": ["diagnosis"], "l": least}
        try:
            found = acompass.suggest(table, ["age", "zip"], k, max_lost="100%", style=style, output="v.acp", **options)
        except Unreachable:
            return
        assert found.k == k
        result = acompass.run(found.policy, table, engine="reference", output="released.csv", person="patient")
        assert [each.affected for each in result.requirements] == [step.affected for step in found.steps]
        classes = released_classes(Path("released.csv"))
        assert sum(map(len, classes)) == found.records_out
        assert min(len({record["patient"] for record in each}) for each in classes) >= k
        assert min(len({record["diagnosis"] for record in each}) for each in classes) >= (least or 1)
        assert {claim.verdict for claim in acompass.prove(found.policy).claims} == {"proved"}
        assert format_program(found.text) == found.text
        assert acompass.measure("released.csv", ["age", "zip"], person="patient").k == min(
            len({record["patient"] for record in each}) for each in classes
        )


def test_classes_are_merged_as_sets_of_persons(tmp_path: Path) -> None:
    """Two classes of three persons each merge to one of three persons, not six: they are the same persons."""
    table = tmp_path / "visits.csv"
    rows = [f"P{n % 3},{zip_}\n" for n in range(3) for zip_ in ("21201", "21202")]
    table.write_text("patient,zip\n" + "".join(rows), encoding="utf-8")
    assert acompass.suggest(table, ["zip"], 6).records_out == 6
    with pytest.raises(Unreachable, match="no policy was found that reaches k = 4 persons"):
        acompass.suggest(table, ["zip"], 4, person="patient", max_lost="100%")


def test_the_person_is_dropped_unless_its_role_is_other(tmp_path: Path) -> None:
    table = write_visits(Random(1), tmp_path / "visits.csv", 30)
    found = acompass.suggest(table, ["age", "zip"], 3, person="PATIENT")
    assert found.text.splitlines()[-1].startswith("ALWAYS : DROP patient; -- ")
    assert format_program(found.text) == found.text
    assert not acompass.lint(found.policy)
    assert found.person == "patient"
    assert "k = 3 persons (patient): on this table and, as `acompass prove` shows without the last line" in render(
        found, "text"
    )
    before = "\n".join(line for line in found.text.splitlines() if not line.startswith("ALWAYS : DROP"))
    assert [claim.verdict for claim in acompass.prove(before).claims] == ["proved"]
    released = acompass.run(found.policy, table, output=tmp_path / "released.csv")
    assert released.records_out == found.records_out
    assert "patient" not in (tmp_path / "released.csv").read_text(encoding="utf-8").splitlines()[0]
    kept = acompass.suggest(table, ["age", "zip"], 3, person="patient", roles={"other": ["Patient"]})
    assert "DROP" not in kept.text
    identifier = acompass.suggest(table, ["age", "zip"], 3, person="patient", roles={"identifiers": ["patient"]})
    assert identifier.text == found.text


def test_t_is_that_of_measure(tmp_path: Path) -> None:
    table = write_visits(Random(2), tmp_path / "visits.csv", 40)
    options: dict[str, Any] = {"sensitive": ["diagnosis"], "t": 0.5, "roles": {"other": ["patient"]}}
    found = acompass.suggest(table, ["age", "zip"], 3, person="patient", **options)
    acompass.run(found.policy, table, output=tmp_path / "released.csv")
    measured = acompass.measure(tmp_path / "released.csv", ["age", "zip"], ["diagnosis"], person="patient")
    assert found.t == pytest.approx(float(measured.sensitive[0].t_equal))


def test_the_person_is_no_quasi_identifier(tmp_path: Path) -> None:
    table = write_visits(Random(1), tmp_path / "visits.csv", 5)
    with pytest.raises(AcompassError) as error:
        acompass.suggest(table, ["age", "patient"], 3, person="patient")
    assert error.value.diagnostics[0].code == "AC604"


def test_the_person_may_stand_in_acompass_toml(tmp_path: Path) -> None:
    table = write_visits(Random(3), tmp_path / "visits.csv", 30)
    (tmp_path / "acompass.toml").write_text(
        '[table."visits.csv"]\nperson = "patient"\nquasi-identifiers = ["age", "zip"]\n', encoding="utf-8"
    )
    assert "COUNT DISTINCT(patient)" in acompass.suggest(table, ["age", "zip"], 3).text
