"""Completions are what the grammar accepts at the cursor, even in a text that does not parse."""

from decimal import Decimal
from pathlib import Path

import pytest

import acompass
from acompass.assist.analysis import Context
from acompass.assist.completion import Completion, complete
from acompass.assist.document import Document
from acompass.assist.request_queue import table_facts
from acompass.errors.diagnostics import Edit, apply_edits
from acompass.language.program.types import DATE, INTEGER, TEXT, TIMESTAMP, make_schema
from acompass.measure.answer import SMALLEST, ColumnFacts
from tests.assist.people import COLUMNS, POLICY, context, people
from tests.repo.sources import ROOT


def completions(text: str, given: Context | None = None) -> list[Completion]:
    """The completions at the position of `|`."""
    offset = text.index("|")
    return list(complete(Document(text.replace("|", "", 1)), offset, given or context()))


def labels(text: str, kind: str | None = None) -> list[str]:
    return [each.label for each in completions(text) if kind in (None, each.kind)]


def choose(text: str, label: str) -> str:
    """The text after choosing a completion."""
    (chosen,) = [each for each in completions(text) if each.label == label]
    return apply_edits(text.replace("|", "", 1), [Edit(chosen.replace, chosen.insert)])


STEPS = ("GENERALIZE", "REPLACE", "REJECT", "RANDOM", "PSEUDONYM", "SHIFT", "ADD RANDOM", "MICROAGGREGATE")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("|", ["EACH", "ALWAYS", "SOME"]),
        ("e|", ["EACH"]),
        ("EACH RESULT : Age <= 80; |", ["EACH", "ALWAYS", "SOME"]),
        ("EACH |", ["RESULT", "PROCESS", "FILTER"]),
        ("EACH RESULT |", [":"]),
        ("EACH RESULT : Age |", ["<=", ">=", "=", "<", ">", "!=", "IN", "BETWEEN", "LIKE"]),
        ("EACH RESULT : Age NOT |", ["IN", "BETWEEN", "LIKE"]),
        ("EACH RESULT : Age BETWEEN 3 |", ["AND"]),
        ("EACH RESULT : Age = 3 |", ["AND", "OR", ":", ";"]),
        ("EACH RESULT : Age = 3 : |", [*STEPS, "WITH PROBABILITY"]),
        ("EACH PROCESS |", ["COUNT(*)", "COUNT DISTINCT", "SUM", "MIN", "MAX", "SHARE OF"]),
        ("EACH PROCESS SHARE OF |", ["LARGEST", "MODE"]),
        ("EACH PROCESS SHARE OF LARGEST 2 (Age) |", ["AS"]),
        ("EACH PROCESS COUNT(*) AS n, M|", ["MIN", "MAX"]),
        ("EACH PROCESS COUNT D|", ["DISTINCT"]),
        ("EACH PROCESS COUNT(*) |", ["AS", "IN"]),
        ("EACH PROCESS MAX(Age) |", ["AS"]),
        ("EACH PROCESS COUNT(*) AS n |", ["WHERE", "GROUP BY", ":"]),
        ("EACH PROCESS COUNT(*) AS n GROUP |", ["BY"]),
        ("EACH PROCESS COUNT(*) AS n group b|", ["BY"]),
        ("ALWAYS : |", [*STEPS, "DROP", "WITH PROBABILITY"]),
        ("ALWAYS : with p|", ["PROBABILITY"]),
        ("ALWAYS : WITH PROBABILITY 0.5 |", [*STEPS]),
        ("ALWAYS : SHIFT Age |", ["BY"]),
        ("ALWAYS : SHIFT Age BY Name |", ["WITHIN"]),
        ("ALWAYS : SHIFT Age BY Name WITHIN k |", ["DAYS"]),
        ("ALWAYS : SHIFT Age BY Name WITHIN k DAYS |", ["THEN", ";"]),
        ("ALWAYS : ADD |", ["RANDOM"]),
        ("ALWAYS : ADD RANDOM -5 k |", ["TO"]),
        ("ALWAYS : ADD RANDOM -5 k TO Age |", ["THEN", ";"]),
        ("ALWAYS : MICROAGGREGATE Age |", ["BY"]),
        ("ALWAYS : PSEUDONYM Name |", ["THEN", ";"]),
        ("ALWAYS : REJECT THEN W|", ["WITH PROBABILITY"]),
        ("ALWAYS : RANDOM Age |", ["FROM"]),
        ("ALWAYS : RANDOM Age FROM (3 |", ["OF"]),
        ("ALWAYS : RANDOM Age FROM (3 OF 'x') |", ["THEN", ";"]),
        ("ALWAYS : GENERALIZE Age |", ["TO"]),
        ("ALWAYS : GENERALIZE Age TO BANDS |", ["OF", "AT"]),
        ("ALWAYS : GENERALIZE Age TO BANDS OF 5 |", ["FROM", "UP TO", "THEN", ";"]),
        ("ALWAYS : GENERALIZE Age TO BANDS OF 5 UP |", ["TO"]),
        ("ALWAYS : GENERALIZE Age TO LEVEL 2 OF 'f.csv' |", ["ELSE", "THEN", ";"]),
        ("ALWAYS : REPLACE Age |", ["WITH"]),
    ],
)
def test_keywords_that_may_come_next_are_offered(text: str, words: list[str]) -> None:
    found = [label for label in labels(text, "keyword") if not label.startswith("NOT ")]
    assert sorted(found) == sorted(words)


def test_maps_are_offered() -> None:
    assert labels("ALWAYS : GENERALIZE Age TO |", "map") == [
        *("BANDS OF", "BANDS AT", "NEAREST", "PREFIX OF", "LEVEL", "MONTH", "QUARTER", "YEAR", "DECADE"),
    ]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("ALWAYS : SHIFT |", ["Born", "Seen"]),
        ("ALWAYS : SHIFT Born, |", ["Born", "Seen"]),
        ("ALWAYS : SHIFT Born BY |", ["Age", "Born", "Seen", "Name"]),
        ("ALWAYS : MICROAGGREGATE |", ["Age"]),
        ("ALWAYS : ADD RANDOM 1 k TO |", ["Age"]),
        ("ALWAYS : PSEUDONYM |", ["Age", "Born", "Seen", "Name"]),
        ("ALWAYS : DROP Age; ALWAYS : MICROAGGREGATE |", ["Born", "Seen", "Name"]),
    ],
)
def test_columns_that_an_action_can_change_are_offered(text: str, columns: list[str]) -> None:
    """All columns if there is none."""
    schema = make_schema({"Age": INTEGER, "Born": DATE, "Seen": TIMESTAMP, "Name": TEXT})
    given = Context(columns=("Age", "Born", "Seen", "Name"), schema=schema)
    assert [each.label for each in completions(text, given) if each.kind == "column"] == columns


def test_the_columns_of_a_reference_table_are_those_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "zip.csv").write_text("zip,people living there\n212,3\n")
    for typed in ("", "peo", "people l"):
        text = f"EACH PROCESS SUM({typed}|) IN 'zip.csv' AS p GROUP BY Age : p > 3;"
        document = Document(text.replace("|", "", 1), str(tmp_path / "policy.acp"))
        found = [each.label for each in complete(document, text.index("|"), context()) if each.kind == "column"]
        assert found == ["zip", "people living there"][0 if not typed else 1 :]
    missing = Document("EACH PROCESS SUM() IN 'none.csv' AS p : p > 3;", str(tmp_path / "policy.acp"))
    assert [each for each in complete(missing, 17, context()) if each.kind == "column"] == []


@pytest.mark.parametrize(
    "text",
    [
        "EACH RESULT : |",
        "EACH FILTER |",
        "EACH PROCESS SUM(|",
        "EACH PROCESS COUNT(*) AS n WHERE |",
        "EACH PROCESS COUNT(*) AS n GROUP BY |",
        "EACH PROCESS COUNT(*) AS n GROUP BY Age, |",
        "ALWAYS : DROP |",
        "ALWAYS : DROP Age, |",
        "ALWAYS : GENERALIZE |",
        "ALWAYS : REPLACE |",
        "EACH RESULT : Age = 3 AND (Age < 3 OR |",
        # with an earlier mistake
        "EACH RESULT : Age ! 3 AND |",
        "EACH RESULT : Age == k AND |",
        "EACH RESULT : Age : REPLACE |",
        "EACH PROCESS COUNT(*) n GROUP BY |",
        "EACH PROCESS COUNT(*) AS n GROUP BY : n >= 3 : REPLACE |",
        "EACH RESULT : (Age = 3 : REPLACE |",
        "EACH;\nEACH RESULT Age;\nEACH RESULT : |",
    ],
)
def test_columns_are_offered(text: str) -> None:
    assert labels(text, "column") == list(COLUMNS)


@pytest.mark.parametrize(
    "text",
    [
        "EACH RESULT : 'Ag|'",
        "EACH RESULT : Age = 3; -- A|",
        "EACH RESULT /* A| */ : Age = 3;",
        "EACH RESULT : Age = 3|",
        "EACH PROCESS COUNT(*) AS |",
        "EACH PROCESS COUNT(*) AS A|",
        "EACH RESULT : Age <= |",
    ],
)
def test_columns_are_not_offered_elsewhere(text: str) -> None:
    assert labels(text, "column") == []


def test_after_process_only_its_names_are_visible() -> None:
    text = 'EACH PROCESS COUNT(*) AS n, SUM(Age) AS "the sum" WHERE Age > 3 GROUP BY Postal Code, Age : |'
    assert labels(text, "name") == ["n", "the sum", "Postal Code", "Age"]
    assert labels(text, "column") == []


def test_the_action_of_a_process_is_offered_the_columns() -> None:
    assert labels("EACH PROCESS COUNT(*) AS n GROUP BY Age : n > 3 : REPLACE |", "column") == list(COLUMNS)


def test_a_dropped_column_is_not_offered() -> None:
    found = labels("ALWAYS : DROP name, Age;\nEACH RESULT : |", "column")
    assert found == ["Postal Code", "AEC (kWh)", "Illness"]


@pytest.mark.parametrize(
    ("text", "label", "after"),
    [
        ("EACH RESULT : postal c| = '2'", "Postal Code", "EACH RESULT : Postal Code = '2'"),
        ("EACH RESULT : Pos|tal = '2'", "Postal Code", "EACH RESULT : Postal Code = '2'"),
        ("EACH RESULT : aec|", "AEC (kWh)", 'EACH RESULT : "AEC (kWh)"'),
        ('EACH RESULT : "aec|', "AEC (kWh)", 'EACH RESULT : "AEC (kWh)"'),
        ('EACH RESULT : "ae|c" = 3', "AEC (kWh)", 'EACH RESULT : "AEC (kWh)" = 3'),
        ("EACH RESULT : Illness = |", "it's asthma", "EACH RESULT : Illness = 'it''s asthma'"),
        (
            "EACH RESULT : Illness IN ('flu', 'it|",
            "it's asthma",
            "EACH RESULT : Illness IN ('flu', 'it''s asthma'",
        ),
        ("EACH RESULT : Age >= |", "k", "EACH RESULT : Age >= k"),
        ("EACH PROCESS COUNT(*) AS n group|", "GROUP BY", "EACH PROCESS COUNT(*) AS n GROUP BY"),
    ],
)
def test_a_completion_replaces_the_typed_word(text: str, label: str, after: str) -> None:
    assert choose(text, label) == after


def test_a_column_whose_name_is_a_keyword_here_is_quoted() -> None:
    given = context(columns=("way to go", "each", "then what"))
    inserted = {each.label: each.insert for each in completions("ALWAYS : GENERALIZE |", given)}
    assert inserted == {"way to go": '"way to go"', "each": '"each"', "then what": "then what"}
    dropped = {each.label: each.insert for each in completions("ALWAYS : DROP |", given)}
    assert dropped["then what"] == '"then what"'
    (drawn,) = completions("ALWAYS : RANDOM |", context(columns=("date from",)))
    assert drawn.insert == '"date from"'


def test_a_column_is_found_by_a_later_word() -> None:
    assert labels("EACH RESULT : code|", "column") == ["Postal Code"]


def test_parameters_of_the_context_and_of_the_policy_are_offered() -> None:
    found = completions("EACH RESULT : Age <= top AND Age >= k; EACH RESULT : Age = |")
    assert [(each.label, each.detail) for each in found] == [("k", "= 5"), ("top", "not bound")]


@pytest.mark.parametrize(
    "text",
    [
        "ALWAYS : RANDOM Illness FROM (|",
        "ALWAYS : RANDOM Illness FROM (3 OF |",
        "ALWAYS : WITH PROBABILITY 0.5 RANDOM Illness FROM (3 OF 'flu', k, |",
    ],
)
def test_values_to_draw_are_offered(text: str) -> None:
    assert labels(text, "value") == ["flu", "it's asthma"]


def test_a_keyword_is_described_by_its_meaning_here() -> None:
    def detail(text: str, word: str) -> str:
        (found,) = [each for each in completions(text) if each.label == word]
        return found.detail

    assert detail("ALWAYS : RANDOM Age |", "FROM") == "the values to draw from, in parentheses"
    assert detail("ALWAYS : GENERALIZE Age TO BANDS OF 5 |", "FROM").startswith("where bands begin")
    assert detail("ALWAYS : RANDOM Age FROM (5 |", "OF").startswith("the weight of a value")
    assert detail("ALWAYS : |", "WITH PROBABILITY").startswith("the action is performed on each")
    assert detail("ALWAYS : REPLACE Age |", "WITH") == "the constant to write"


def test_frequent_texts_are_offered_as_values_and_numbers_are_not() -> None:
    assert labels("EACH RESULT : Illness = |", "value") == ["flu", "it's asthma"]
    assert labels("EACH RESULT : Age = |", "value") == []


def test_templates_are_offered_at_the_start_of_a_requirement() -> None:
    snippets = [each for each in completions("|") if each.kind == "snippet"]
    assert "k-anonymity" in [each.label for each in snippets]
    for snippet in snippets:
        assert Document(snippet.insert).policy is not None
    assert labels("EACH |", "snippet") == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/**/*.acp")), ids=lambda path: path.name)
def test_every_keyword_of_a_policy_is_offered_at_its_position(path: Path) -> None:
    """Each keyword of a real policy is among the completions at its start."""
    text = path.read_text(encoding="utf-8")
    document = Document(text, str(path))
    missing = []
    for segment in document.classified_tokens[:8]:
        for token in segment:
            if token.text[:1].isalpha() and token.type not in ("WORD", "PARAMETER"):
                found = complete(document, token.start + 1, Context())
                upper = " ".join(token.text.upper().split())
                if not any(each.label.startswith(upper.split()[0]) for each in found):
                    missing.append((token.type, token.start))
    assert missing == []


@pytest.mark.slow
def test_completion_works_at_any_position_in_any_text() -> None:
    """Completion never fails, whatever has been typed so far."""
    for text in (
        POLICY,
        "'",
        '"',
        "/*",
        "EACH GROUP NOT ( ; ;; COUNT RANDOM a b",
        "‘x’ ; 1a = =",
        "\ufeff each",
    ):
        for offset in range(len(text) + 1):
            complete(Document(text), offset, context())
            complete(Document(text[:offset]), offset, context())


def column_facts(table: object) -> dict[str, ColumnFacts]:
    with acompass.open(table) as session:
        return {fact.name: fact for fact in table_facts(session)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    lines = [f"{20 + n % 3},{n / 4},2020-0{n % 9 + 1}-01,{10000 + n},{'flu' if n else 'secret'}" for n in range(60)]
    path.write_text("Age,Dose,Day,Zip,Illness\n,,,,\n" + "\n".join(lines) + "\n")
    return path


def test_facts_include_types_and_forms(path: Path) -> None:
    found = column_facts(path)
    assert {name: (fact.type, fact.form) for name, fact in found.items()} == {
        "Age": ("integer", "number"),
        "Dose": ("decimal", "number"),
        "Day": ("text", "date"),
        "Zip": ("integer", "code"),
        "Illness": ("text", "text"),
    }


def test_facts_include_counts(path: Path) -> None:
    found = column_facts(path)
    assert {fact.missing for fact in found.values()} == {1}
    assert [found[name].distinct for name in ("Age", "Dose", "Illness")] == [3, 60, 2]
    with acompass.open(path) as session:
        assert session.records() == 61


def test_rare_values_are_withheld(path: Path) -> None:
    for fact in column_facts(path).values():
        assert "secret" not in repr(fact)
        assert "secret" not in fact.summary
        bars = () if fact.distribution is None else fact.distribution.bars
        assert all((bar.counts[0] or 0) >= SMALLEST for bar in bars)
    assert column_facts(path)["Illness"].summary == "flu (59)"


def test_a_typed_table_has_facts() -> None:
    rows = [{**row, "Weight": Decimal("1.50"), "Tall": True} for row in people()]
    found = column_facts(rows)
    assert (found["Weight"].type, found["Weight"].form) == ("decimal(2)", "number")
    assert (found["Tall"].type, found["Tall"].form) == ("boolean", "text")
    assert found["Name"].summary == ""


def test_an_empty_table_has_facts(tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("Age,Zip\n")
    assert [(fact.distinct, fact.missing, fact.summary) for fact in column_facts(path).values()] == [(0, 0, "")] * 2
