"""`check-all` checks what the acompass.toml files say, reports all of it, and has the worst exit code."""

from pathlib import Path

import pytest

YOUNG = "EACH RESULT : Age <= 40 : REJECT;"
OLD = "EACH RESULT : Age <= 90 : REJECT;"


@pytest.fixture
def study(tmp_path: Path):
    """Write policies into a folder, with an acompass.toml that gives each of them people.csv."""

    def write(folder: str, **policies: str) -> None:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        sections = []
        for name, text in policies.items():
            (tmp_path / folder / f"{name}.acp").write_text(text, encoding="utf-8")
            table = Path(*[".."] * len(Path(folder).parts), "people.csv").as_posix()
            sections.append(f'[policy."{name}.acp"]\ntable = "{table}"\n')
        (tmp_path / folder / "acompass.toml").write_text("".join(sections), encoding="utf-8")

    return write


def test_every_policy_below_the_folder_is_reported(acompass, study):
    study(".", release=OLD)
    study("inside/deeper", strict=YOUNG)
    ran = acompass("check-all")
    assert ran.exit_code == 1
    first, second = ran.stdout.index("release.acp\n"), ran.stdout.index("inside/deeper/strict.acp\n")
    assert "every requirement holds" in ran.stdout[first:second]
    assert "1 of 1 requirement violated" in ran.stdout[second:]


def test_all_hold(acompass, study):
    study(".", release=OLD)
    assert acompass("check-all").exit_code == 0


def test_the_worst_exit_code_wins_and_nothing_stops_the_others(acompass, study, tmp_path):
    study(".", broken="EACH RESULT : Age <= 40", release=OLD)
    study("strict", strict=YOUNG)
    study("unreadable", release=OLD)
    (tmp_path / "unreadable" / "acompass.toml").write_text("[policy", encoding="utf-8")
    ran = acompass("check-all")
    assert ran.exit_code == 2
    assert "error[AC010]" in ran.stderr
    assert "error[AC625]" in ran.stderr
    assert "\nrelease.acp\n" in "\n" + ran.stdout
    assert "strict/strict.acp\n" in ran.stdout


def test_a_policy_that_is_not_there_is_an_error(acompass, study, tmp_path):
    study(".", release=OLD)
    (tmp_path / "release.acp").unlink()
    ran = acompass("check-all")
    assert (ran.exit_code, "error[AC402]" in ran.stderr) == (2, True)


def test_policies_without_a_table_are_named(acompass, study, policy):
    study(".", release=OLD)
    policy(YOUNG, "draft.acp")
    ran = acompass("check-all")
    assert (ran.exit_code, ran.stdout.splitlines()[-1]) == (0, "not checked, without a table: draft.acp")


def test_it_is_an_error_if_there_is_nothing_to_check(acompass, policy):
    policy(OLD)
    ran = acompass("check-all")
    assert ran.exit_code == 2
    assert "error[AC411]: no `acompass.toml` in this folder or below" in ran.stderr


def test_hidden_folders_are_left_out(acompass, study):
    study(".", release=OLD)
    study(".cache/copy", strict=YOUNG)
    assert acompass("check-all").exit_code == 0


def test_folders_can_be_chosen_and_are_checked_once(acompass, study):
    study("one", release=OLD)
    study("two", strict=YOUNG)
    ran = acompass("check-all", "one", "one")
    assert (ran.exit_code, ran.stdout.count("release.acp")) == (0, 1)


def test_no_value_of_the_table_is_shown(acompass, study):
    study(".", strict=YOUNG)
    ran = acompass("check-all")
    assert not {"Ada", "Bob", "82", "21101"} & set(ran.stdout.replace(",", " ").split())
