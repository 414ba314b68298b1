"""Each mistake has its code, its place and its help, and its message follows the style of the project."""

import re
from decimal import Decimal

import pytest

from acompass.errors.catalog import CODES
from acompass.errors.diagnostics import Span, apply_edits
from acompass.language.mistakes.habits import beyond_paper
from acompass.language.mistakes.unreadable_text import is_csv
from acompass.language.text import tree, walk
from acompass.language.text.formatter import format_condition, format_program, format_tree
from acompass.language.text.parser import allowances, parse_text
from tests.folding import folded
from tests.length import at_length
from tests.text.fuzz_texts import failures, texts
from tests.text.mistakes import MISTAKES
from tests.text.probability_mistakes import Mistake
from tests.text.published_mistakes import PUBLISHED
from tests.text.trees import parse_requirement


@folded("mistake", MISTAKES, ids=lambda mistake: mistake.text)
def test_a_mistake_has_its_code_place_and_help(mistake: Mistake) -> None:
    program, (diagnostic,) = parse_text(mistake.text)
    start, end = diagnostic.labels[0].span.start, diagnostic.labels[0].span.end
    assert Mistake(mistake.text, diagnostic.code, mistake.text[start:end], diagnostic.help or "") == mistake
    assert bool(program.requirements) == (diagnostic.code == "AC010")


@folded("mistake", MISTAKES, ids=lambda mistake: mistake.text)
def test_messages_are_in_the_house_style(mistake: Mistake) -> None:
    _, (diagnostic,) = parse_text(mistake.text)
    prose = re.sub(r"`[^`]*`", "", diagnostic.message)
    assert not re.search(r"\b(you|your|token|Token|None|lark)\b", prose)
    assert not diagnostic.message.endswith(".")
    assert prose.replace("SQL", "").replace("COMPASS", "").replace("A-", "").islower()


def test_every_code_of_a_policy_text_is_among_them() -> None:
    about_other_languages = {"AC060", "AC061"}
    expected = {code for code in CODES if code < "AC1"} - about_other_languages
    assert {mistake.code for mistake in MISTAKES} == expected


def test_all_mistakes_in_one_policy_are_reported() -> None:
    """Except for open quotes, which a later quote would close."""
    open_quotes = ("AC002", "AC003")
    whole = [each for each in MISTAKES if each.text.endswith(";") and each.code not in open_quotes]
    _, diagnostics = parse_text("\n".join(mistake.text for mistake in whole))
    assert [diagnostic.code for diagnostic in diagnostics] == [mistake.code for mistake in whole]


EXAMPLE = """\
ALWAYS : DROP name, insurance number;
ALWAYS : REPLACE employer WITH '*';
ALWAYS : GENERALIZE age TO BANDS OF 5 UP TO 90;
ALWAYS : GENERALIZE zip TO PREFIX OF 3;
ALWAYS : GENERALIZE admission TO MONTH;
ALWAYS : GENERALIZE education TO LEVEL 1 OF 'education.csv' ELSE 'other';

EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(diagnosis) AS d GROUP BY age, zip, admission
   : n >= k AND d >= l
   : GENERALIZE admission TO YEAR
     THEN GENERALIZE age TO BANDS OF 10 UP TO 90
     THEN REJECT;
"""


def _condition(text: str) -> tree.Condition:
    assertion = walk.assertion_of(parse_requirement(f"EACH RESULT : {text};"))
    assert assertion is not None
    return assertion.condition


def _map(text: str) -> tree.Map:
    action = parse_requirement(f"ALWAYS : GENERALIZE a TO {text};").action
    assert isinstance(action, tree.Generalize)
    return action.map


def _number(text: str) -> tree.Number:
    return tree.Number(Decimal(text))


A = tree.Name("a")


def test_the_everyday_example_is_canonical() -> None:
    assert format_program(EXAMPLE) == EXAMPLE
    program = parse_text(EXAMPLE)[0]
    assert format_tree(program) == EXAMPLE
    assert parse_text(format_tree(program))[0].requirements == program.requirements


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bands of 5", tree.BandsOf(_number("5"))),
        ("BANDS OF 0.5 FROM -1.0", tree.BandsOf(_number("0.5"), _number("-1.0"))),
        ("BANDS OF 5 FROM 20 UP TO 90", tree.BandsOf(_number("5"), _number("20"), _number("90"))),
        ("BANDS AT 18, 25, 65", tree.BandsAt((_number("18"), _number("25"), _number("65")))),
        ("PREFIX OF 3", tree.PrefixOf(_number("3"))),
        ("Quarter", tree.DatePart(tree.DateUnit.QUARTER)),
        ("LEVEL 2 OF 'a.csv'", tree.LevelOf(_number("2"), tree.String("a.csv"))),
        (
            "LEVEL 2 OF 'a.csv' ELSE other",
            tree.LevelOf(_number("2"), tree.String("a.csv"), tree.Parameter("other")),
        ),
    ],
)
def test_a_map_has_this_tree(text: str, expected: tree.Map) -> None:
    assert _map(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a != 3", tree.Unequal(A, tree.Inequality.C, _number("3"))),
        ("a <> k", tree.Unequal(A, tree.Inequality.SQL, tree.Parameter("k"))),
        ("a in (1, k, 'x')", tree.In(A, (_number("1"), tree.Parameter("k"), tree.String("x")))),
        ("a NOT IN ('x')", tree.In(A, (tree.String("x"),), negated=True)),
        ("a BETWEEN lo AND 9", tree.Between(A, tree.Parameter("lo"), _number("9"))),
        ("a NOT BETWEEN 1 AND hi", tree.Between(A, _number("1"), tree.Parameter("hi"), negated=True)),
        ("a LIKE 'x%'", tree.Like(A, tree.String("x%"))),
        ("NOT a NOT LIKE 'x%'", tree.Not(tree.Like(A, tree.String("x%"), negated=True))),
    ],
)
def test_a_condition_has_this_tree(text: str, expected: tree.Condition) -> None:
    assert _condition(text) == expected
    assert format_condition(expected).upper() == format_condition(_condition(text)).upper()


def test_between_takes_its_own_and() -> None:
    condition = _condition("a BETWEEN 1 AND 2 AND b = 3 OR c NOT BETWEEN lo AND hi")
    assert isinstance(condition, tree.Or)
    assert [type(operand).__name__ for operand in condition.operands] == ["And", "Between"]


@pytest.mark.parametrize(
    "text",
    [
        "EACH RESULT : in between like = then AND always = drop : REPLACE generalize to WITH else;",
        "EACH RESULT : check in date >= 3 : RANDOM a then b from to;",
        "EACH PROCESS COUNT(*) AS always GROUP BY drop, always : always >= bands;",
        "EACH FILTER level of = 1 : prefix of = month : RANDOM then then then;",
        "EACH RESULT : probability >= 0.5 AND from = of : REPLACE probability WITH probability;",
        "EACH PROCESS COUNT(*) AS of GROUP BY from, probability of : of >= from : RANDOM of from to;",
        "EACH RESULT : valid from = '2024' : RANDOM date from 5;",
        "EACH RESULT : shift >= 3 AND add = nearest AND in = days : REPLACE microaggregate x WITH within;",
        "EACH RESULT : pseudonym = 1 : RANDOM add then pseudonym x;",
        "EACH PROCESS SUM(share) AS share GROUP BY share of mode, largest : share > largest : RANDOM shift add mode;",
        "EACH PROCESS COUNT DISTINCT in AS in WHERE within = 1 GROUP BY in : in > 3 : RANDOM a b c then pseudonym;",
    ],
)
def test_no_word_is_reserved_in_a_core_program(text: str) -> None:
    requirement = parse_requirement(text)
    assert walk.is_core(requirement)
    assert format_program(format_program(text)) == format_program(text)
    assert '"' not in format_program(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('ALWAYS : GENERALIZE "time to event" TO YEAR;', "time to event"),
        ("ALWAYS : GENERALIZE level of bands TO YEAR;", "level of bands"),
        ('ALWAYS : DROP "now then";', "now then"),
        ("ALWAYS : REPLACE then to WITH '*' THEN REJECT;", "then to"),
        ("ALWAYS : RANDOM always then 1 5 THEN REJECT;", "always then"),
        ('ALWAYS : RANDOM "a b then" lo hi THEN REJECT;', "a b then"),
        ("EACH RESULT : a != 1 : REPLACE between in WITH then THEN REJECT;", "between in"),
        ("ALWAYS : REPLACE date from WITH probability THEN REJECT;", "date from"),
        ('ALWAYS : RANDOM "date from" FROM (from, 3 OF of);', "date from"),
        ("ALWAYS : RANDOM from FROM ('a');", "from"),
        ("ALWAYS : RANDOM probability of then FROM ('a') THEN REJECT;", "probability of then"),
        ("ALWAYS : RANDOM valid from lo hi THEN REJECT;", "valid from"),
        ("ALWAYS : RANDOM a b c then shift;", "a b c"),
        ("ALWAYS : RANDOM a lo hi then PSEUDONYM x;", "a lo hi then"),
        ("ALWAYS : RANDOM a lo hi then pseudonym x THEN REJECT;", "a lo hi then"),
        ('ALWAYS : RANDOM "a" lo hi THEN PSEUDONYM x;', "a"),
        ('EACH RESULT : a = 1 : RANDOM "a" lo hi THEN PSEUDONYM x;', "a"),
        ("ALWAYS : RANDOM a lo hi THEN MICROAGGREGATE x BY 3;", "a"),
        ("ALWAYS : RANDOM a lo hi THEN ADD RANDOM 1 5 TO x;", "a"),
        ("ALWAYS : GENERALIZE nearest share TO NEAREST 5;", "nearest share"),
        ("ALWAYS : PSEUDONYM pseudonym of add;", "pseudonym of add"),
        ('ALWAYS : PSEUDONYM "now then" THEN REJECT;', "now then"),
        ("ALWAYS : PSEUDONYM then THEN REJECT;", "then"),
        ("ALWAYS : SHIFT shift within days BY person WITHIN 3 DAYS;", "shift within days"),
        ("ALWAYS : ADD RANDOM add to TO to within THEN REJECT;", "to within"),
        ("ALWAYS : MICROAGGREGATE in days BY mode;", "in days"),
    ],
)
def test_own_words_end_a_bare_name_only_in_their_form(text: str, name: str) -> None:
    action = next(walk.steps_of(parse_requirement(text))).action
    names = action.names if isinstance(action, tree.Drop | tree.Shift) else (action.name,)  # type: ignore[union-attr]
    assert [each.text for each in names] == [name]
    assert parse_text(format_program(text))[0].requirements == (parse_requirement(text),)


@pytest.mark.parametrize(
    ("text", "person", "days"),
    [
        ("SHIFT a, b BY within WITHIN within DAYS", "within", tree.Parameter("within")),
        ("SHIFT a BY the days WITHIN days DAYS", "the days", tree.Parameter("days")),
        ('SHIFT a BY "stay within" WITHIN 30 DAYS', "stay within", _number("30")),
    ],
)
def test_a_shift_has_a_person_and_days(text: str, person: str, days: tree.Constant) -> None:
    action = parse_requirement(f"ALWAYS : {text};").action
    assert isinstance(action, tree.Shift)
    assert (action.person.text, action.days) == (person, days)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("share of largest n (a)", tree.Aggregate(tree.Function.SHARE_OF_LARGEST, A, largest=tree.Parameter("n"))),
        (
            "SHARE OF LARGEST largest(a)",
            tree.Aggregate(tree.Function.SHARE_OF_LARGEST, A, largest=tree.Parameter("largest")),
        ),
        ("SHARE OF MODE (mode)", tree.Aggregate(tree.Function.SHARE_OF_MODE, tree.Name("mode"))),
        ("SUM(a) in 'f.csv'", tree.Aggregate(tree.Function.SUM, A, file=tree.String("f.csv"))),
        ("COUNT(*) IN 'f.csv'", tree.Aggregate(tree.Function.COUNT, file=tree.String("f.csv"))),
    ],
)
def test_an_aggregate_has_this_tree(text: str, expected: tree.Aggregate) -> None:
    for written in (text, f"COUNT(*) AS n, {text}"):
        process = walk.process_of(parse_requirement(f"EACH PROCESS {written} AS in GROUP BY share : in > 1;"))
        assert process is not None
        assert process.aggregates[-1] == tree.NamedAggregate(expected, tree.Name("in"))


@folded("mistake", PUBLISHED, ids=lambda mistake: mistake.text)
def test_every_fix_gives_a_policy_without_mistakes(mistake: Mistake) -> None:
    _, (diagnostic,) = parse_text(mistake.text)
    for fix in diagnostic.fixes:
        assert parse_text(apply_edits(mistake.text, fix.edits))[1] == ()


@folded("action", ["RANDOM a 1.5 2", "ADD RANDOM 1.5 2 TO a"])
def test_a_bound_that_is_not_an_integer_is_one_of_its_action(action: str) -> None:
    _, (diagnostic,) = parse_text(f"ALWAYS : {action};")
    word = "ADD RANDOM" if action.startswith("ADD") else "RANDOM"
    assert diagnostic.message == f"expected an integer as the bound of `{word}`, found `1.5`"


def test_a_process_may_have_several_aggregates() -> None:
    requirement = parse_requirement(
        'EACH PROCESS COUNT DISTINCT x AS d, count distinct y AS e, SUM("z") AS s, COUNT(*) AS n : n > 1;'
    )
    process = walk.process_of(requirement)
    assert process is not None
    assert [(str(each.aggregate.function), each.alias.text) for each in process.aggregates] == [
        ("COUNT DISTINCT", "d"),
        ("COUNT DISTINCT", "e"),
        ("SUM", "s"),
        ("COUNT", "n"),
    ]


def test_steps_have_the_places_of_their_text() -> None:
    text = "EACH RESULT : a NOT IN (1) : REPLACE a WITH 1\nTHEN GENERALIZE a TO LEVEL 1 OF 'f' ELSE k THEN REJECT ;"
    requirement = parse_requirement(text)

    def at(span: Span) -> str:
        return text[span.start : span.end]

    action = requirement.action
    assert isinstance(action, tree.Then)
    assert [at(step.span) for step in action.steps] == [
        "REPLACE a WITH 1",
        "GENERALIZE a TO LEVEL 1 OF 'f' ELSE k",
        "REJECT",
    ]
    assert at(action.span) == text[text.index("REPLACE") : -2]
    assert at(action.steps[1].map.span) == "LEVEL 1 OF 'f' ELSE k"  # type: ignore[union-attr]
    assert at(_leaf(requirement).span) == "a NOT IN (1)"
    assert [at(step.span) for step in walk.steps(parse_text(text)[0])] == [
        "EACH RESULT : a NOT IN (1) : REPLACE a WITH 1",
        "GENERALIZE a TO LEVEL 1 OF 'f' ELSE k",
        "REJECT",
    ]


def _leaf(requirement: tree.Requirement) -> tree.Condition:
    return next(walk.leaves(next(walk.all_conditions(requirement))))


@pytest.mark.parametrize(
    "text",
    [
        "EACH RESULT : a = 1 : REJECT ALWAYS : DROP x;",
        "EACH RESULT : a = k ALWAYS : DROP x;",
        "EACH RESULT : a IN (1) ALWAYS : DROP x;",
        "ALWAYS : DROP y always : DROP x;",
        "ALWAYS : GENERALIZE d TO YEAR ALWAYS : DROP x;",
        "ALWAYS : DROP y EACH RESULT : a = 1;",
    ],
)
def test_a_missing_semicolon_before_the_next_requirement_is_found(text: str) -> None:
    program, (diagnostic,) = parse_text(text)
    assert diagnostic.code == "AC010"
    assert len(program.requirements) == 2


def test_a_group_called_always_does_not_begin_a_requirement() -> None:
    assert len(parse_text("EACH PROCESS COUNT(*) AS n GROUP BY a always : n > 1 : REJECT;")[0].requirements) == 1


@pytest.mark.parametrize("pattern", ["'%'", "'_'", "''", "'abc'", "'a%b'", "'a_%'", "'%a%'", "'a%%'"])
def test_like_takes_the_beginning_of_a_text(pattern: str) -> None:
    _, (diagnostic,) = parse_text(f"EACH RESULT : a LIKE {pattern};")
    assert diagnostic.code == "AC034"


def test_comments_stay_with_their_steps() -> None:
    text = (
        "-- before\n"
        "EACH RESULT\n"
        "   : a != 1 -- asserted\n"
        "   : REPLACE a WITH 1 -- first\n"
        "     -- above the second\n"
        "     THEN REPLACE a WITH 2 /* second */\n"
        "     THEN REJECT; -- last\n"
    )
    assert format_program(text) == text


def test_an_allow_belongs_to_a_step_or_to_all() -> None:
    text = (
        "ALWAYS : REJECT;\n"
        "-- allow AC501: all\n"
        "EACH RESULT\n"
        "   : a != 1 -- allow AC502: all, too\n"
        "   : REPLACE a WITH 1 -- allow AC503: the first\n"
        "     -- allow AC504: the second\n"
        "     THEN REPLACE a WITH 2 -- allow AC505: the second, too\n"
        "     THEN REJECT; -- allow AC506: the last\n"
        "-- allow AC507: nothing\n"
    )
    found = {each.code: each.steps for each in allowances(parse_text(text)[0])}
    assert found == {
        "AC501": (1, 2, 3),
        "AC502": (1, 2, 3),
        "AC503": (1,),
        "AC504": (2,),
        "AC505": (2,),
        "AC506": (3,),
        "AC507": (),
    }


def test_paper_rejects_each_form_at_its_place() -> None:
    text = (
        "EACH RESULT : a = 1 : REJECT;\n"
        "ALWAYS : DROP x;\n"
        "EACH PROCESS COUNT(*) AS n, SUM(b) AS s WHERE a IN (1, 2) : n != 3 : REPLACE a WITH 1 THEN REJECT;\n"
        "EACH FILTER a BETWEEN 1 AND 2 : b LIKE 'x%' : GENERALIZE a TO YEAR;\n"
        "EACH PROCESS SHARE OF MODE (a) AS m, SUM(a) IN 'f' AS s : m < 1 : PSEUDONYM a;\n"
        "EACH RESULT : a = 1 : SHIFT a BY b WITHIN 3 DAYS THEN ADD RANDOM 1 2 TO a THEN MICROAGGREGATE a BY 3;"
    )
    refused = beyond_paper(parse_text(text)[0])
    places = [diagnostic.labels[0].span for diagnostic in refused]
    assert {diagnostic.code for diagnostic in refused} == {"AC060"}
    assert [text[place.start : place.end] for place in places] == [
        "ALWAYS",
        "DROP x",
        "SUM(b)",
        "a IN (1, 2)",
        "n != 3",
        "REJECT",
        "a BETWEEN 1 AND 2",
        "b LIKE 'x%'",
        "GENERALIZE a TO YEAR",
        "SHARE OF MODE (a)",
        "SUM(a) IN 'f'",
        "SUM(a) IN 'f'",
        "PSEUDONYM a",
        "ADD RANDOM 1 2 TO a",
        "SHIFT a BY b WITHIN 3 DAYS",
        "ADD RANDOM 1 2 TO a",
        "MICROAGGREGATE a BY 3",
    ]
    assert refused[3].help == "write `(a = 1 OR a = 2)`"
    assert refused[7].help == "write `(b >= 'x' AND b < 'y')`"


def test_paper_accepts_the_core() -> None:
    assert beyond_paper(parse_text("EACH RESULT : NOT (a = 1) : RANDOM a 1 5;")[0]) == ()


def test_the_help_of_paper_for_a_long_list_is_short() -> None:
    values = ", ".join(map(str, range(100)))
    (refused,) = beyond_paper(parse_text(f"EACH RESULT : a IN ({values});")[0])
    assert refused.help == "write one comparison for each value, joined by `OR`"


@pytest.mark.parametrize(
    "text",
    [
        "ALWAYS : DROP a; ALWAYS : DROP b;",
        "always: drop a, b;\nALWAYS : DROP c, d;",
        "DROP a, b;\nDROP c, d;",
    ],
)
def test_a_policy_that_looks_like_a_table_is_a_policy(text: str) -> None:
    assert not is_csv(text)


@pytest.mark.campaign
def test_no_text_raises() -> None:
    assert failures(0, at_length(300)) == []


def test_texts_are_neither_all_right_nor_all_wrong() -> None:
    wrong = sum(bool(parse_text(text)[1]) for text in texts(0, 1_000))
    assert 100 < wrong < 900
