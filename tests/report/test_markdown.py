"""Every answer as rendered Markdown is complete, and no text breaks out of its cell."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acompass
from acompass.errors.diagnostics import Diagnostic, Label, PolicyError, Span
from acompass.errors.display import on_one_line
from acompass.language.text.tokens import policy_line, spell_name, spell_string
from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.reason.lint import Findings
from acompass.report import Context
from acompass.report import render as render_answer
from acompass.report.answers.results import value_text as spelled
from acompass.report.document import Bullets, Code, CodeBlock, Heading, Lines, Paragraph, Phrase, Table, Verdict
from acompass.report.text import document_markdown as document
from acompass.report.text import words_markdown
from tests.report.pages import EMPTY, MIXED, Rendered, render

RESULT = ("line", "verdict", "affected", "action", "requirement")
CLAIMS = ("line", "verdict", "assertion", "why")
FINDINGS = ("line", "code", "finding", "help")

SMALL = "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 3 : REJECT;"
SMALLER = "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 2 : REJECT;"

HOSTILE = [
    "a | b",
    "`x` | <img src=x>",
    "</td></table><script>alert(1)</script>",
    "[click](https://example.org) ![](x)",
    "\\| & &lt; \\",
    "```\n# heading\n| a | b |\n| --- | --- |",
    "\x1b[31m\u202e www.example.org",
]


def test_a_check_lists_the_violated_lines() -> None:
    found = render(MIXED.to_markdown("policy.acp"))
    assert found.headings == ["❌ Check of policy.acp: 2 of 3 requirements violated"]
    assert [row[:4] for row in found.table(*RESULT)] == [
        ["2", "❌ violated", "3 of 1,000", "REPLACE"],
        ["6", "✅ holds", "0 of 1,000", "REJECT"],
        ["7", "❌ violated", "1 of 1,000", ""],
    ]
    assert found.table(*RESULT)[2][4] == r"EACH RESULT : Name < '<b>&' OR Name > '\x07'"
    assert found.surprises == []


def test_a_run_marks_only_violations_without_an_action() -> None:
    context = Context("policy.acp", not_written="`out.csv` not written: for a reason")
    found = render(render_answer(replace(MIXED, performed=True), "markdown", context))
    assert found.headings == ["❌ Run of policy.acp: 1 requirement without an action violated"]
    assert "out.csv not written: for a reason" in found.paragraphs
    (repaired, nothing, checked) = found.table(*RESULT)
    assert repaired[1:4] == ["repaired", "3 of 1,000", "replaced"]
    assert nothing[1:4] == ["✅ holds", "0 of 1,000", "nothing"]
    assert checked[1:4] == ["❌ violated", "1 of 1,000", "only checked"]


#: the last line of every report on a table
LIMITS = "Attacks that no requirement covers: acompass explain limits"


def test_a_result_without_requirements_has_no_table() -> None:
    found = render(EMPTY.to_markdown())
    assert found.headings == ["Check: no check in this policy"]
    assert (found.paragraphs, found.tables) == (["1 record", LIMITS], [])
    ran = render(replace(EMPTY, performed=True).to_markdown())
    assert (ran.headings, ran.tables) == (["Run: 1 record in, 1 out; no check in this policy"], [])


def test_a_proof_has_verdicts_reasons_counterexamples_and_types() -> None:
    policy = f"{SMALL} EACH RESULT : Age <= 80 : REJECT;"
    claims = ["EACH RESULT : Age <= 80", "EACH RESULT : Age <= 70", "EACH PROCESS SUM(Age) AS s : s >= 0"]
    found = render(acompass.prove(policy, claims, types={"Age": "integer"}).to_markdown("p.acp"))
    assert found.headings[0] == "❌ Proof of p.acp: 1 proved, 2 refuted"
    proved, refuted, _ = found.table(*CLAIMS)
    assert proved == ["claim", "✅ proved", claims[0], "line 1: leaves no record that violates it"]
    assert refuted[1:3] == ["❌ refuted", claims[1]]
    before, *_ = [table for table in found.tables if table[0] == ["record", "Age"]]
    assert len(before) > 3
    assert found.table("column", "type", "note") == [["Age", "integer", ""]]
    assert "Types of the columns" in found.headings


def test_a_counterexample_of_two_runs_shows_the_table_of_both() -> None:
    policy = "EACH RESULT : NOT a = 1 : REPLACE a WITH 2; EACH RESULT : NOT a = 0 : REPLACE a WITH 1;"
    proof = acompass.prove(policy, ["idempotent"], types={"a": "integer"})
    found = render(proof.to_markdown())
    counterexample = proof.claims[0].counterexample
    assert counterexample is not None
    assert counterexample.instead is not None
    title = counterexample.instead.title.capitalize()
    assert [text for text in found.paragraphs if text in ("Before", "After", title)] == [
        "Before",
        "After",
        title,
    ]
    assert [rows[1:] for rows in found.tables if rows[0] == ["record", "a"]] == [
        [["1", "0"]],
        [["1", "1"]],
        [["1", "2"]],
    ]


def test_an_undecided_claim_has_no_sign() -> None:
    claim = Claim("idempotent", None, ClaimVerdict.UNDECIDED, "first reason\nsecond reason")
    found = render(Proof((claim,), {}).to_markdown())
    assert found.headings == ["❌ Proof: 1 undecided"]
    assert found.table(*CLAIMS) == [["claim", "undecided", "idempotent", "first reason\nsecond reason"]]


def test_privacy_follows_the_claims() -> None:
    policy = "ALWAYS : WITH PROBABILITY 0.5 REPLACE Age WITH 0;"
    proof = acompass.prove(policy, types={"Age": "integer"}, privacy=True)
    found = render(proof.to_markdown())
    assert found.table("columns", "verdict", "E", "ε", "why")[0][:2] == ["Age", "none"]
    assert {"Privacy by column", "Not covered"} <= set(found.headings)
    assert found.surprises == []


def test_a_comparison_begins_with_what_is_lost() -> None:
    comparison = acompass.compare(SMALL, SMALLER)
    found = render(comparison.to_markdown("policy.acp"))
    assert found.headings[:2] == [
        "❌ Comparison of policy.acp: different, 1 guarantee of the old policy lost",
        "No longer guaranteed",
    ]
    lost, reverse = [rows for rows in found.tables if rows[0] == list(CLAIMS)]
    assert lost[1][:3] == ["1", "❌ refuted", "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 3"]
    assert reverse[1][:2] == ["1", "✅ proved"]
    assert {"The old policy writes: no records", "The new policy writes"} <= set(found.paragraphs)


def test_a_comparison_without_impact_names_the_option() -> None:
    comparison = acompass.compare("EACH RESULT : Age <= 80 : REJECT;", "EACH RESULT : Age <= 90 : REJECT;")
    brief = render(render_answer(comparison, "markdown", Context(impact=False)))
    assert "--impact shows what" in brief.paragraphs
    in_full = render(comparison.to_markdown())
    assert "records with Age above 80 up to 90" in in_full.paragraphs
    assert "The new policy releases more than the old one" in in_full.headings


@pytest.mark.parametrize(
    ("old", "new", "heading"),
    [
        (SMALL, SMALL, "✅ Comparison: equivalent"),
        (
            SMALLER,
            SMALL,
            "✅ Comparison: different, no guarantee of the old policy lost; "
            "the new policy releases no more than the old one",
        ),
        (
            "EACH RESULT : Age <= 80 : REPLACE Age WITH 80; ALWAYS : DROP Zip;",
            "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;",
            "❌ Comparison: different, no guarantee of the old policy lost; "
            "the new policy releases more than the old one",
        ),
    ],
)
def test_the_heading_of_a_comparison_states_its_consequence(old: str, new: str, heading: str) -> None:
    assert render(acompass.compare(old, new).to_markdown()).headings[0] == heading


def test_measures_begin_with_k_l_and_risk(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("Age,Disease|\n30,flu\n30,cold\n40,flu\n40,flu\n")
    measures = acompass.measure(table, ["Age"], ["Disease|"], against=table, hierarchies={})
    found = render(measures.to_markdown("people.csv"))
    assert found.headings[0] == "Measures of people.csv: k = 2"
    assert found.tables[0][1:] == [
        ["k-anonymity", "k = 2"],
        ["distinct l-diversity of Disease|", "l = 1"],
        ["highest prosecutor risk", "0.5"],
        ["marketer risk", "0.5"],
        ["loss", "0.0000"],
    ]
    assert found.paragraphs == [
        "4 records in 2 equivalence classes by Age",
        "against 4 records before: information lost 0.0%, discernibility 8",
        LIMITS,
    ]
    assert found.table("sensitive", "Disease|")[0] == ["values", "2"]
    assert found.table("column", "distance", "values before", "after", "information lost")[1][0] == "Disease|"
    assert found.surprises == []


def test_findings_and_errors_have_lines_notes_and_help() -> None:
    source = "EACH RESULT : a;\nEACH RESULT : b;"
    labels = (Label(Span(31, 32), "`b` here"), Label(Span(14, 15), "`a` there"))
    diagnostic = Diagnostic("AC001", "found `a|b`", labels, help="first\nsecond")
    found = render(Findings.of([diagnostic] * 3, source, "policy.acp").to_markdown(most=1))
    assert found.headings == ["❌ Lint of policy.acp: 3 findings"]
    assert found.table(*FINDINGS) == [["2", "AC001", "found a|b\nline 2: b here\nline 1: a there", "first\nsecond"]]
    assert "and 2 more" in found.paragraphs
    error = render(render_answer(PolicyError([Diagnostic("AC201", "no table")]), "markdown"))
    assert error.headings == ["❌ 1 error"]
    assert error.table(*FINDINGS) == [["", "AC201", "no table", ""]]


def test_lint_in_python_has_the_same_report() -> None:
    policy = acompass.parse("EACH RESULT : Age <= 3 OR Age >= 4 : REJECT;", "ages.acp")
    findings = acompass.lint(policy)
    found = render(findings.to_markdown())
    assert found.headings == [f"❌ Lint of ages.acp: {len(findings)} finding"]
    assert [row[:2] for row in found.table(*FINDINGS)] == [["1", findings[0].code]]
    assert render(acompass.lint(SMALL).to_markdown()).headings == ["✅ Lint of <policy>: nothing found"]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_name_and_no_constant_breaks_out_of_its_cell(hostile: str, tmp_path: Path) -> None:
    name, value, other = spell_name(hostile), spell_string(hostile), f"other {hostile}"
    old = f"EACH RESULT : NOT {name} = {value} : REJECT; EACH RESULT : {name} <= 'x' : REJECT;"
    new = f"EACH RESULT : {name} = {value}; EACH RESULT : {name} = 'y' : REPLACE {name} WITH {value};"
    table = tmp_path / "t.parquet"
    _write_parquet(table, {hostile: ["a", hostile], other: ["b", "c"]})
    shown, shown_other = on_one_line(hostile), on_one_line(other)

    checked = acompass.check(old, table, show=5)
    found = _render_safely(checked.to_markdown(hostile))
    assert found.headings == [f"❌ Check of {shown}: 1 of 2 requirements violated"]
    assert [row[4] for row in found.table(*RESULT)] == [policy_line(each.text) for each in checked.requirements]
    assert found.table(shown, shown_other) == [[spelled(hostile), "'c'"]]

    proof = acompass.prove(old, [f"EACH RESULT : {name} = {value}"])
    found = _render_safely(proof.to_markdown())
    assert [row[2] for row in found.table(*CLAIMS)] == [policy_line(proof.claims[0].text)]
    assert ["record", shown] in [rows[0] for rows in found.tables]

    comparison = acompass.compare(old, new)
    found = _render_safely(comparison.to_markdown())
    assert policy_line(comparison.old_by_new[0].text) in {row[2] for row in _claims(found)}

    found = _render_safely(acompass.measure(table, [hostile], [other], against=table).to_markdown())
    assert found.tables[0][2][0] == f"distinct l-diversity of {shown_other}"

    _render_safely(acompass.lint(new).to_markdown(hostile))
    with pytest.raises(acompass.AcompassError) as raised:
        acompass.check(f"EACH RESULT : {name} = 1;", table)
    found = _render_safely(render_answer(raised.value, "markdown"))
    assert [row[0] for row in found.table(*FINDINGS)] == ["1"]


def _render_safely(report: str) -> Rendered:
    found = render(report)
    assert found.surprises == []
    return found


def _claims(found: Rendered) -> list[list[str]]:
    return [row for rows in found.tables if rows[0] == list(CLAIMS) for row in rows[1:]]


def _write_parquet(path: Path, columns: dict[str, list[str]]) -> None:
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table(columns), path)


def test_checks_and_runs_contain_no_record_value(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("Name,Age\nCanary,81\nCanaria,82\n")
    policy = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80; EACH RESULT : Name = 'x';"
    for answer in (acompass.check(policy, table), acompass.run(policy, table)):
        report = answer.to_markdown("policy.acp")
        assert [value for value in ("Canar", "82") if value in report] == []
    assert "Canary" in acompass.check(policy, table, show=2).to_markdown()


#: characters with a meaning in Markdown, alone and in combination
MARKDOWN_ELEMENTS_HOSTILE = st.text(
    st.sampled_from("`|\\<>[]()*_~#&!-+=:/.$@'\"{}1w \n\r\t\x00\x07\u202eä"), max_size=12
)
WORDS = MARKDOWN_ELEMENTS_HOSTILE | st.sampled_from(
    [
        "<img src=x onerror=alert(1)>",
        "</table><script>alert(1)</script>",
        "[click](https://example.org)",
        "![](https://example.org/x.png)",
        "https://example.org www.example.org",
        "a | b",
        "a \\| b",
        "ends with \\",
        "``` fenced",
        "`one` ``two`` `",
        "- item\n# heading\n> quote\n1. first\n---\n===\n***",
        "&lt;b&gt; &#124;",
    ]
)


def _without_pairs(text: str) -> str:
    """Prose as a reader sees it, without the backticks around code."""
    return text.replace("`", "")


@given(WORDS)
def test_code_shows_exactly_its_text(text: str) -> None:
    found = render(document([Paragraph("before"), Paragraph(Code(text)), Paragraph("after")]))
    assert found.surprises == []
    assert found.paragraphs == ["before", *filter(None, [on_one_line(text)]), "after"]
    if on_one_line(text):
        assert [child.type for child in found.tokens[4].children or ()] == ["code_inline"]


@given(WORDS)
def test_prose_shows_its_text_and_nothing_else(text: str) -> None:
    marked = Paragraph(Verdict(text, "good"))
    for block in (Paragraph(text), Heading(text, 2), Bullets([text]), marked, Paragraph(Phrase((text,)))):
        found = render(document([block]))
        assert found.surprises == []
        seen = "".join([*found.headings, *found.paragraphs]).removeprefix("✅")
        assert _without_space(_without_pairs(seen)) == _without_space(_without_pairs(on_one_line(text)))


def _without_space(text: str) -> str:
    """Remove spaces, and the character that prevents GitHub from linking an address."""
    return "".join(text.replace("\u2060", "").split())


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=3))
def test_a_table_keeps_each_text_in_its_cell(names: list[tuple[str, str]]) -> None:
    rows = [(Code(name), words, Lines((words, name)), "end") for name, words in names]
    found = render(document([Table("", ("a", "b", "c", "d"), rows)]))
    assert found.surprises == []
    seen = found.table("a", "b", "c", "d")
    assert [row[0] for row in seen] == [on_one_line(name) for name, _ in names]
    assert [row[3] for row in seen] == ["end"] * len(names)
    for row, (_, words) in zip(seen, names, strict=True):
        assert _without_space(_without_pairs(row[1])) == _without_space(_without_pairs(on_one_line(words)))


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("unknown column `Post code`", "unknown column `Post code`"),
        ("`a``b`", "`a``b`"),
        ("a lone ` and <b>", r"a lone \` and \<b\>"),
        ("see http://example.org", r"see http\://example.org"),
        ("ada@example.org, @ada", "ada@\u2060example.org, @\u2060ada"),
        ("`@ada`", "`@ada`"),
        ("1. first", r"1\. first"),
        ("0.375", "0.375"),
        ("- no list", r"\- no list"),
    ],
)
def test_prose_is_escaped_no_more_than_necessary(text: str, markdown: str) -> None:
    assert words_markdown(text) == markdown


def test_a_phrase_keeps_the_spaces_between_its_parts() -> None:
    assert words_markdown(Phrase(("Check of ", Code("a|b"), ": *x*"))) == r"Check of `a|b`: \*x\*"


@given(WORDS)
def test_a_block_of_code_shows_exactly_its_text(text: str) -> None:
    (fence,) = render(document([CodeBlock(text)])).tokens
    assert fence.type == "fence"
    assert fence.content.split() == text.replace("\x00", "\ufffd").split()


def test_code_with_backticks_has_longer_delimiters() -> None:
    assert words_markdown(Code("a `` b")) == "```a `` b```"
    assert words_markdown(Code("`a`")) == "`` `a` ``"
    assert words_markdown(Code("  ")) == ""
