"""The controls of a policy's columns: each choice is one edit of the text, which shows the choice and nothing else."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from acompass.assist.controls import (
    KEPT,
    REMOVED,
    SUPPRESSION,
    Choice,
    Control,
    Problems,
    find_controls,
    maps_named,
)
from acompass.assist.document import Document
from acompass.dataclasses import replace
from acompass.errors.diagnostics import PolicyError, apply_edits
from acompass.language.program.checker import check
from acompass.language.program.types import INTEGER, TEXT, Column, Names, Schema
from acompass.language.text import tree
from acompass.language.text.formatter import format_program
from acompass.language.text.parser import parse_text
from acompass.measure.hierarchy import ByFile
from acompass.measure.levels import FittingMap, fitting_maps, map_words
from acompass.testing.conformance.cases import random_case
from tests.length import at_length

SCHEMA = (Column("Age", INTEGER), Column("Zip", TEXT), Column("Birth", TEXT), Column("Illness", TEXT))
VALUES = {
    "Age": {str(age): 100 - age for age in range(20, 80)},
    "Zip": {f"212{number:02}": 1 for number in range(30)},
    "Birth": {f"19{year}-{month:02}-{day}": 1 for year in range(75, 85) for month in range(1, 13) for day in (14, 15)},
    "Illness": {"flu": 3, "asthma": 2},
}


def problems_for(schema: Schema, params: Mapping[str, int] | None = None) -> Problems:
    return lambda text, program: check(program, text, schema, params)[1]


def ladders(text: str, values: Mapping[str, Mapping[str, int]] = VALUES) -> dict[str, tuple[FittingMap, ...]]:
    program, _ = parse_text(text)
    named = maps_named(program, Names(list(values)))
    return {
        column: fitting_maps(column, counts, named.get(column, ()), None, program) for column, counts in values.items()
    }


def controls(text: str) -> dict[str, Control]:
    found = find_controls(Document(text), [column.name for column in SCHEMA], ladders(text), problems_for(SCHEMA))
    return {each.column: each for each in found}


def choice(text: str, column: str, key: str) -> Choice:
    return next(each for each in controls(text)[column].choices if each.setting.key == key)


def choose(text: str, column: str, key: str) -> str:
    edits = choice(text, column, key).edits
    assert edits is not None
    return apply_edits(text, edits)


POLICY = """\
-- What leaves the hospital

ALWAYS : GENERALIZE Age TO BANDS OF 5; -- by hand
ALWAYS : DROP Birth;

-- small classes
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip -- both
   : n >= 5
   : GENERALIZE Age TO BANDS OF 10 -- first
     THEN REPLACE Zip WITH '*' -- then
     THEN REJECT;
"""


def test_a_control_shows_what_the_policy_does_to_every_record() -> None:
    found = controls(POLICY)
    settings = {column: each.setting and each.setting.key for column, each in found.items()}
    assert settings == {"Age": "BANDS OF 5", "Zip": "as it is", "Birth": "removed", "Illness": "as it is"}
    assert found["Age"].line is not None
    assert found["Age"].line.line == 3
    (other,) = found["Age"].others
    assert (other.line, other.text) == (9, "GENERALIZE Age TO BANDS OF 10")
    assert other.words == "only in classes that miss the condition"


def test_choices_have_words_and_the_label_of_a_typical_value() -> None:
    found = [(each.setting.words, each.example) for each in controls(POLICY)["Age"].choices]
    assert found == [
        ("as it is", None),
        ("bands of 5", "20-24"),
        ("bands of 10", "20-29"),
        ("bands of 20", "20-39"),
        ("suppressed (*)", None),
        ("removed", None),
    ]
    assert [each.setting.words for each in controls(POLICY)["Zip"].choices][1:2] == ["first 4 characters"]
    assert [each.setting.words for each in controls("")["Birth"].choices] == [
        "as it is",
        "month",
        "quarter",
        "year",
        "decade",
        "suppressed (*)",
        "removed",
    ]


def test_a_line_is_inserted_before_the_first_that_groups_by_the_column() -> None:
    assert choose(POLICY, "Zip", "PREFIX OF 4") == POLICY.replace(
        "DROP Birth;\n", "DROP Birth;\nALWAYS : GENERALIZE Zip TO PREFIX OF 4;\n"
    )


def test_a_map_is_replaced_where_it_stands() -> None:
    assert choose(POLICY, "Age", "BANDS OF 10") == POLICY.replace("TO BANDS OF 5;", "TO BANDS OF 10;")


def test_steps_for_small_classes_that_would_do_nothing_are_removed() -> None:
    after = choose(POLICY, "Age", "BANDS OF 20")
    assert after == POLICY.replace("BANDS OF 5;", "BANDS OF 20;").replace(
        "GENERALIZE Age TO BANDS OF 10 -- first\n     THEN ", ""
    )


def test_a_removed_line_goes_with_the_comment_beside_it() -> None:
    assert choose(POLICY, "Age", "as it is") == POLICY.replace(
        "ALWAYS : GENERALIZE Age TO BANDS OF 5; -- by hand\n", ""
    )


def test_the_last_step_is_removed_without_its_comment() -> None:
    first = "ALWAYS : GENERALIZE Age TO BANDS OF 5"
    assert choose(f"{first} THEN DROP Zip;\n", "Zip", "as it is") == f"{first};\n"


def test_a_removed_column_joins_the_drop_and_leaves_the_group_by() -> None:
    after = choose(POLICY, "Zip", "removed")
    assert "ALWAYS : DROP Birth, Zip;\n" in after
    assert "GROUP BY Age -- both\n" in after
    assert "     THEN REJECT;\n" in after
    assert "REPLACE Zip" not in after


def test_a_column_comes_back_from_the_drop() -> None:
    assert "DROP" not in choose(POLICY, "Birth", "as it is")
    assert "ALWAYS : GENERALIZE Birth TO YEAR;\n" in choose(POLICY, "Birth", "YEAR")


def test_a_choice_that_does_not_check_has_a_reason() -> None:
    counted = "EACH PROCESS COUNT DISTINCT(Illness) AS d GROUP BY Zip : d >= 2 : REJECT;\n"
    assert choice(counted, "Illness", "removed").reason == "line 1 reads the column"
    assert choice(counted, "Zip", "removed").reason == "line 1 groups by this column alone"
    compared = "EACH RESULT : Age <= 80 : REJECT;\nEACH RESULT : Age >= 18 : REJECT;\n"
    assert choose(compared, "Age", "BANDS OF 5").endswith("ALWAYS : GENERALIZE Age TO BANDS OF 5;\n")


@pytest.mark.parametrize(
    "line",
    [
        "ALWAYS : PSEUDONYM Illness;",
        "ALWAYS : RANDOM Illness FROM ('flu', 'asthma');",
        "ALWAYS : REPLACE Illness WITH 'ill';",
        "ALWAYS : WITH PROBABILITY 0.5 REPLACE Illness WITH '*';",
        "ALWAYS : GENERALIZE Illness TO PREFIX OF 3 THEN GENERALIZE Illness TO PREFIX OF 1;",
    ],
)
def test_what_no_control_shows_stays_text(line: str) -> None:
    found = controls(f"{line}\n")["Illness"]
    assert (found.setting, found.choices) == (None, ())
    assert found.others[0].line == 1


def test_comments_inside_a_replaced_step_are_kept() -> None:
    text = "ALWAYS : GENERALIZE Age -- why\n     TO BANDS /* narrow */ OF 5;\n"
    for each in controls(text)["Age"].choices:
        after = apply_edits(text, each.edits or ())
        assert each.setting in (KEPT, REMOVED) or ("-- why" in after and "/* narrow */" in after)


def test_an_allow_stays_above_its_line() -> None:
    text = "-- Hospital\n-- allow AC506: known\nEACH RESULT : Age <= 80 : REJECT;\n"
    after = choose(text, "Zip", "suppressed")
    assert after.startswith("-- Hospital\nALWAYS : REPLACE Zip WITH '*';\n")
    assert "-- allow AC506: known\nEACH RESULT" in after


def test_a_hierarchy_file_gives_levels(tmp_path: Path) -> None:
    Path(tmp_path, "illness.csv").write_text("flu;lungs;*\nasthma;lungs;*\n", encoding="utf-8")
    spec = ByFile(str(tmp_path / "illness.csv"))
    (level,) = fitting_maps("Illness", VALUES["Illness"], (), spec, tree.Program(()))
    assert (level.example, level.labels) == ("lungs", 1)


def test_a_file_that_the_policy_names_has_all_its_levels(tmp_path: Path) -> None:
    Path(tmp_path, "illness.csv").write_text("flu;viral;lungs;*\nasthma;chronic;lungs;*\n", encoding="utf-8")
    program, _ = parse_text("ALWAYS : GENERALIZE Illness TO LEVEL 2 OF 'illness.csv';")
    placed = replace(program, folder=str(tmp_path))
    named = maps_named(placed, Names(list(VALUES)))["Illness"]
    found = fitting_maps("Illness", VALUES["Illness"], named, None, placed)
    assert [(map_words(each.map), each.example) for each in found] == [("level 1", "viral"), ("level 2", "lungs")]


def test_a_text_that_does_not_parse_has_no_controls() -> None:
    with pytest.raises(PolicyError):
        controls("ALWAYS : GENERALIZE;")


#: as `suggest` writes it: remarks at the ends of lines, and a line for each column of a long GROUP BY
SUGGESTED = """\
-- Found by suggest: every class has at least 5 records
ALWAYS : GENERALIZE Birth TO YEAR; -- 100% of the records
EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Illness) AS d -- in each class
     GROUP BY Age, -- bands of 5, 10 and 20
     Birth, -- years
     Zip -- prefixes of 4 characters
   : n >= 5 AND d >= 2
   : GENERALIZE Age TO BANDS OF 5 -- 40 records
     THEN GENERALIZE Zip TO PREFIX OF 4 -- 30 records
     THEN GENERALIZE Age TO BANDS OF 10 -- 20 records
     THEN REJECT; -- 10 records
"""
SUGGESTED = format_program(SUGGESTED)


@pytest.mark.parametrize(
    ("column", "gone"),
    [
        ("Age", ("Age, -- bands", "-- 40 records", "-- 20 records")),
        ("Birth", ("Birth, -- years",)),
        ("Zip", ("Zip -- prefixes", "-- 30 records")),
    ],
)
def test_a_removed_column_takes_its_own_remarks_along_and_no_others(column: str, gone: tuple[str, ...]) -> None:
    after = choose(SUGGESTED, column, "removed")
    assert format_program(after) == after
    remarks = {each.partition("-- ")[2] for each in SUGGESTED.splitlines()}
    left = {each.partition("-- ")[2] for each in after.splitlines()}
    assert len(remarks - left) == len(gone)
    assert not any(each in after for each in gone)
    assert controls(after)[column].setting == REMOVED


@pytest.mark.campaign
def test_a_choice_read_back_from_the_edited_text_is_the_choice() -> None:
    """Control, edit, control is the identity; every other line and comment stays as it is, and a formatted text stays
    formatted."""
    made = 0
    for seed in range(at_length(10)):
        case = random_case(random.Random(seed))
        schema, names = case.schema, [column.name for column in case.schema]
        rng = random.Random(seed)
        for text in (case.policy_text, _with_comments(format_program(case.policy_text), rng)):
            made += _check_choices(text, names, schema, case.params, rng)
    assert made > 50


def _with_comments(text: str, rng: random.Random) -> str:
    """Comments at the ends of some lines, formatted."""
    lines = [f"{line} -- c{at}" if line and rng.random() < 0.4 else line for at, line in enumerate(text.split("\n"))]
    return format_program("\n".join(lines))


LEVELS = "BANDS OF 2", "BANDS OF 10", "PREFIX OF 2", "YEAR", "NEAREST 5"


def _check_choices(
    text: str, names: Sequence[str], schema: Schema, params: Mapping[str, int], rng: random.Random
) -> int:
    maps = [_map(each) for each in LEVELS]
    levels = {name: [FittingMap(each, 2, None) for each in maps] for name in names}
    problems = problems_for(schema, params)
    before = find_controls(Document(text), names, levels, problems, rng.sample(names, 1))
    made = 0
    for control in before:
        for each in control.choices:
            if not each.edits:
                continue
            made += 1
            after = apply_edits(text, each.edits)
            found = find_controls(Document(after), names, levels, problems, ())
            expected = {one.column: one.setting for one in before} | {control.column: each.setting}
            assert {one.column: one.setting for one in found} == expected, (text, after)
            assert len(problems(after, Document(after).program)) <= len(problems(text, Document(text).program))
            assert format_program(text) != text or format_program(after) == after
            _require_others_kept(text, after, control.column)
    return made


def _map(text: str) -> tree.Map:
    (requirement,), _ = (program := parse_text(f"ALWAYS : GENERALIZE a TO {text};"))[0].requirements, program
    assert isinstance(requirement.action, tree.Generalize)
    return requirement.action.map


def _require_others_kept(before: str, after: str, column: str) -> None:
    """Each requirement that does not name the column stays, with every comment in it."""
    left = list(Document(after).program.requirements)
    comments = {each.text for each in Document(after).program.comments}
    for requirement in Document(before).program.requirements:
        if column.casefold() in repr(requirement).casefold() or isinstance(requirement.action, tree.Drop):
            continue
        assert requirement in left, (before, after)
        left.remove(requirement)
        inside = [each for each in Document(before).program.comments if requirement.span.start < each.span.start]
        assert {each.text for each in inside if each.span.end < requirement.span.end} <= comments


def test_suppression_and_removal_are_choices_of_every_column_without_lines() -> None:
    for control in controls("").values():
        settings = [each.setting for each in control.choices if each.edits is not None]
        assert {KEPT, SUPPRESSION, REMOVED} <= set(settings)
