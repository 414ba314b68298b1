"""The parser, decision by decision (docs/language.md, D1-D8)."""

import sys
from decimal import Decimal

import pytest

import acompass
from acompass.errors.diagnostics import Span
from acompass.language.text import tree
from acompass.language.text.formatter import format_program, format_tree
from acompass.language.text.parser import MAXIMUM_DEPTH, find_continuation, parse_text
from acompass.language.text.walk import is_core
from tests.folding import folded
from tests.repo.sources import ROOT
from tests.text.trees import PAPER, README, README_TEXT, digests, parse_requirement, recorded_digests


def _condition(text: str) -> tree.Condition:
    return parse_requirement(f"EACH RESULT : {text};").assertion.condition


def _comparison(text: str) -> tree.Comparison:
    condition = _condition(text)
    assert isinstance(condition, tree.Comparison)
    return condition


def _process(text: str) -> tree.Process:
    result = parse_requirement(f"EACH PROCESS {text} : x = 1;").assertion.result
    assert isinstance(result, tree.Process)
    return result


def _random(text: str) -> tuple[str, object, object]:
    action = parse_requirement(f"EACH RESULT : a = 1 : RANDOM {text};").action
    assert isinstance(action, tree.Random)
    bounds = [b.value if isinstance(b, tree.Number) else b.name for b in (action.lower, action.upper)]
    return action.name.text, *bounds  # type: ignore[return-value]


@pytest.mark.parametrize("text", PAPER)
def test_the_paper_reads_as_printed(text: str) -> None:
    parse_requirement(text)


def test_two_spellings_are_one_tree() -> None:
    assert parse_requirement("each record: Postal  code\n<= 'x' : replace Postal code with 'y';") == parse_requirement(
        "EACH RESULT : Postal code ≤ 'x' : REPLACE Postal code WITH 'y';"
    )
    assert _process("COUNT DISTINCT a b AS c GROUP_BY d") == _process("count distinct(a b) AS c GROUP BY d")


def test_process_has_all_its_parts() -> None:
    process = _process('SUM(a) AS Sum WHERE b = 1 OR c = 2 GROUP BY d e, "f"')
    assert process.aggregate.function is tree.Function.SUM
    assert process.aggregate.column is not None
    assert (process.aggregate.column.text, process.alias.text) == ("a", "Sum")
    assert isinstance(process.where, tree.Or)
    assert [name.text for name in process.group_by] == ["d e", "f"]


@pytest.mark.parametrize("function", ["SUM", "MIN", "MAX", "COUNT DISTINCT"])
def test_an_aggregate_has_its_function(function: str) -> None:
    assert _process(f"{function}(a) AS c").aggregate.function == function


def test_count_has_no_column() -> None:
    aggregate = _process("COUNT ( * ) AS c").aggregate
    assert (aggregate.function, aggregate.column) == (tree.Function.COUNT, None)


@pytest.mark.parametrize(
    "name",
    ["Count", "COUNT DISTINCT", "Sum of x", "min", "MAX age", "education-num", "_a.b", "Größe 東京", "m²"],
)
def test_a_bare_name_is_read_as_it_is_written(name: str) -> None:
    comparison = _comparison(f"{name} = 1")
    assert comparison.name.text == name


def test_quoted_names_and_strings_double_their_quote() -> None:
    comparison = _comparison('"AEC ""(kWh)" = \'it\'\'s; -- "no" comment\'')
    assert comparison.name.text == 'AEC "(kWh)'
    assert comparison.constant == tree.String('it\'s; -- "no" comment')


@pytest.mark.parametrize("text", ["0", "-1", "+12", "3.50", "-0.000001", "9" * 60 + "." + "1" * 60])
def test_numbers_are_exact(text: str) -> None:
    constant = _comparison(f"a ={text}").constant
    assert isinstance(constant, tree.Number)
    assert constant.value.as_tuple() == Decimal(text).as_tuple()


def test_a_word_in_place_of_a_constant_is_a_parameter() -> None:
    assert _comparison("a >= Min-Size").constant == tree.Parameter("Min-Size")
    assert isinstance(parse_requirement("EACH RESULT : a = k : REPLACE a WITH count;").action, tree.Replace)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AEC 3000 4000", ("AEC", 3000, 4000)),
        ("AEC lo hi", ("AEC", "lo", "hi")),
        ("Annual use -5 hi", ("Annual use", -5, "hi")),
        ("Annual use lo 5", ("Annual use", "lo", 5)),
        ('"AEC (kWh)" lo hi', ("AEC (kWh)", "lo", "hi")),
    ],
)
def test_the_last_two_of_random_are_its_bounds(text: str, expected: tuple[str, object, object]) -> None:
    assert _random(text) == expected


def test_and_binds_before_or_and_not_before_both() -> None:
    a, b, c = (tree.Comparison(tree.Name(n), tree.Operator.EQ, tree.Parameter("k")) for n in "abc")
    assert _condition("a = k OR b = k AND NOT c = k") == tree.Or((a, tree.And((b, tree.Not(c)))))
    assert _condition("(a = k OR b = k) AND c = k") == tree.And((tree.Or((a, b)), c))
    assert _condition("a = k AND b = k AND c = k") == tree.And((a, b, c))
    assert _condition("a = k AND (b = k AND c = k)") == tree.And((a, tree.And((b, c))))


def test_a_double_hyphen_is_a_comment_even_after_a_word() -> None:
    program, diagnostics = parse_text("EACH RESULT : a = k--note\n;/* b */-- c")
    assert diagnostics == ()
    assert [comment.text for comment in program.comments] == ["--note", "/* b */", "-- c"]


def test_a_span_covers_the_text_of_its_node() -> None:
    text = "-- x\nEACH PROCESS SUM(a b) AS c GROUP BY d : NOT (c >= 3) : REPLACE a b WITH 'z' ;"
    requirement = parse_text(text)[0].requirements[0]
    process = requirement.assertion.result
    assert isinstance(process, tree.Process)
    assert isinstance(requirement.action, tree.Replace)

    def at(span: Span) -> str:
        return text[span.start : span.end]

    assert at(requirement.span) == text[5:]
    assert at(process.span) == "PROCESS SUM(a b) AS c GROUP BY d"
    assert at(process.aggregate.span) == "SUM(a b)"
    assert at(requirement.assertion.condition.span) == "NOT (c >= 3)"
    assert at(requirement.action.span) == "REPLACE a b WITH 'z'"
    assert at(requirement.action.name.span) == "a b"


def test_every_error_is_reported_and_the_rest_is_read() -> None:
    text = (
        "EACH RESULT : a = 1;\nEACH RESULT : a ≠ 1;\nfoo;\n"
        "EACH RESULT : b = 1\nSOME RESULT : c == 1;\nEACH RESULT : d = 1;"
    )
    program, diagnostics = parse_text(text)
    assert [diagnostic.code for diagnostic in diagnostics] == ["AC030", "AC014", "AC010", "AC031"]
    names = [requirement.assertion.condition.name.text for requirement in program.requirements]  # type: ignore[union-attr]
    assert names == ["a", "b", "d"]


@pytest.mark.parametrize("text", ["a", "'a'", '"a"', "1", "("])
def test_an_end_without_a_semicolon_is_found(text: str) -> None:
    assert parse_text(f"EACH RESULT : b = 1 : REPLACE b WITH {text}")[1]


def test_nesting_is_limited() -> None:
    within = f"EACH RESULT : {'(' * MAXIMUM_DEPTH}a = 1{')' * MAXIMUM_DEPTH} AND NOT (NOT a = 1);"
    assert parse_text(within)[1] == ()
    beyond = f"EACH RESULT : {'NOT (' * MAXIMUM_DEPTH}a = 1{')' * MAXIMUM_DEPTH};"
    assert [diagnostic.code for diagnostic in parse_text(beyond)[1]] == ["AC020"]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 200_000,
        "EACH RESULT : " + "NOT " * 100_000 + "a = 1;",
        "EACH RESULT : a = 1" + " OR a = 1" * 20_000 + ";",
        "EACH RESULT : a = " + "9" * 200_000 + ";",
        "EACH RESULT : " + "a " * 50_000 + ";",
        "'" * 99_999,
        '"' * 99_999,
        "/*;" * 50_000,
        "'\n;" * 30_001,
        "x;" * 30_000,
        "\ud800\x00\x1b[2J;" * 1000,
        "".join(chr(code) for code in range(0, sys.maxunicode, 97)),
    ],
    ids=lambda text: repr(text[:16]),
)
def test_any_text_is_read(text: str) -> None:
    parse_text(text)


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("", {"EACH", "SOME", "ALWAYS"}),
        (
            "EACH RESULT : a = 1 : RANDOM a low high ",
            {"SEMICOLON", "THEN", "WORD", "NUMBER", "PARAMETER", "FROM"},
        ),
        ("EACH RESULT : a = 1 : WITH ", {"PROBABILITY"}),
        ("ALWAYS : WITH PROBABILITY ", {"NUMBER"}),
        (
            "ALWAYS : WITH PROBABILITY 0.5 ",
            {"REJECT", "REPLACE", "RANDOM", "GENERALIZE", "PSEUDONYM", "SHIFT", "ADD", "MICROAGGREGATE"},
        ),
        ("ALWAYS : RANDOM a FROM (", {"NUMBER", "STRING", "PARAMETER"}),
        ("ALWAYS : RANDOM a FROM (3 ", {"OF", "COMMA", "RPAR"}),
        ("ALWAYS : RANDOM a FROM (3 OF ", {"NUMBER", "STRING", "PARAMETER"}),
        ("ALWAYS : RANDOM a FROM (3 OF 'x', y ", {"COMMA", "RPAR"}),
        ("ALWAYS : RANDOM a FROM ('x') ", {"THEN", "SEMICOLON"}),
        ("EACH RESULT : a >= ", {"NUMBER", "STRING", "PARAMETER"}),
        ("EACH RESULT : a NOT ", {"IN", "BETWEEN", "LIKE"}),
        ("EACH RESULT : GROUP ", set()),
        ("EACH PROCESS COUNT(*) AS n GROUP ", {"BY"}),
        ("ALWAYS : DROP a ", {"WORD", "COMMA", "THEN", "SEMICOLON"}),
    ],
)
def test_the_accepted_tokens_are_known(text: str, accepted: set[str]) -> None:
    assert find_continuation(text).accepted == accepted


def test_the_words_of_an_unfinished_name_are_known() -> None:
    words = find_continuation("ALWAYS : GENERALIZE Postal code ").words_before
    assert [word.text for word in words] == ["Postal", "code"]
    assert find_continuation("EACH RESULT : a = ").words_before == ()


PROGRAMS = recorded_digests()


def test_many_programs_are_recorded() -> None:
    assert len(PROGRAMS) > 200


@folded("text", PROGRAMS)
def test_the_tree_and_the_canonical_text_are_as_before(text: str) -> None:
    assert digests(text) == PROGRAMS[text]
    assert all(is_core(requirement) for requirement in parse_text(text)[0].requirements)


TABLE = ROOT / "examples/electricity/table.csv"


def test_a_built_tree_is_formatted_and_parses_back() -> None:
    assert format_tree(README) == README_TEXT == format_program(README_TEXT)
    assert parse_text(README_TEXT) == (README, ())


def test_an_empty_tree_is_an_empty_text() -> None:
    assert format_tree(tree.Program(())) == ""


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_a_policy_of_a_tree_runs_as_that_of_its_text(engine: str) -> None:
    built = acompass.run(acompass.Policy.from_tree(README), TABLE, params={"k": 2}, engine=engine)
    written = acompass.run(README_TEXT, TABLE, params={"k": 2}, engine=engine)
    assert built.requirements == written.requirements
    assert [each.line for each in built.requirements] == [1, 5, 9, 13]
    assert built.table.to_pylist() == written.table.to_pylist()


def test_an_error_about_a_policy_of_a_tree_points_into_its_text() -> None:
    with pytest.raises(acompass.PolicyError) as raised:
        acompass.check(acompass.Policy.from_tree(README, "built"), TABLE)
    assert "built:14:20" in str(raised.value)


def _policy(condition: tree.Condition) -> acompass.Policy:
    assertion = tree.Assertion(tree.Quantifier.EACH, tree.Result(), condition)
    return acompass.Policy.from_tree(tree.Program((tree.Requirement(assertion),)))


def _comparison_built(constant: tree.Constant) -> tree.Comparison:
    return tree.Comparison(tree.Name("Age"), tree.Operator.EQ, constant)


def test_a_number_keeps_its_value() -> None:
    assert _policy(_comparison_built(tree.Number(Decimal("1E+3")))).text.endswith(": Age = 1000;\n")


@pytest.mark.parametrize("word", ["80", "'x'", "k -- a comment"])
def test_a_tree_that_no_text_has_is_rejected(word: str) -> None:
    with pytest.raises((ValueError, acompass.PolicyError)):
        _policy(_comparison_built(tree.Parameter(word)))


@pytest.mark.parametrize("levels", [100, 100_000])
def test_a_tree_that_is_too_deep_is_rejected(levels: int) -> None:
    condition: tree.Condition = _comparison_built(tree.Parameter("k"))
    for _ in range(levels):
        condition = tree.Not(condition)
    with pytest.raises(acompass.PolicyError) as raised:
        _policy(condition)
    assert [error.code for error in raised.value.diagnostics] == ["AC020"]


@pytest.mark.parametrize(("function", "column"), [(tree.Function.COUNT, tree.Name("Age")), (tree.Function.SUM, None)])
def test_only_count_takes_no_column(function: tree.Function, column: tree.Name | None) -> None:
    with pytest.raises(ValueError, match="COUNT takes no column"):
        tree.Aggregate(function, column)
