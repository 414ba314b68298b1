"""Verdicts on pairs of policies that are equivalent, and on similar pairs that are not."""

import random
import re
from decimal import Decimal
from itertools import product

import pytest

import acompass
from acompass.errors.diagnostics import AcompassError
from acompass.language.program.label_maps import Prefix
from acompass.reason.compare.answer import Comparison
from acompass.reason.compare.kinds import prefix_kinds
from acompass.reason.compare.pairs import replace_parameters
from acompass.reason.privacy.mentions import Undecided
from tests.folding import folded
from tests.length import at_length

TYPES = {"A": "integer", "B": "text", "C": "text", "D": "text"}
K = "EACH PROCESS COUNT(*) AS n GROUP BY A, B : n >= 3 : REJECT;"

EQUIVALENT = {
    "rounding twice": (
        "ALWAYS : GENERALIZE A TO NEAREST 5; ALWAYS : GENERALIZE A TO NEAREST 5;",
        "ALWAYS : GENERALIZE A TO NEAREST 5;",
    ),
    "pseudonyms before and after a k": (f"ALWAYS : PSEUDONYM C; {K}", f"{K} ALWAYS : PSEUDONYM C;"),
    "means, and another column": (
        "ALWAYS : MICROAGGREGATE A BY 3; ALWAYS : REPLACE D WITH '*';",
        "ALWAYS : MICROAGGREGATE A BY 3; EACH RESULT : D = '*' : REPLACE D WITH '*';",
    ),
    "random numbers that are added": (
        "EACH RESULT : B = 'x' : REJECT; ALWAYS : ADD RANDOM -2 2 TO A;",
        "EACH RESULT : NOT B != 'x' : REJECT; ALWAYS : ADD RANDOM -2 2 TO A;",
    ),
    "shares": (
        "EACH PROCESS SHARE OF MODE (C) AS s GROUP BY B : s <= 0.5 : REJECT;",
        "EACH PROCESS SHARE OF MODE (C) AS t GROUP BY B : NOT t > 0.50 : REJECT;",
    ),
    "formatting and core forms": (
        "EACH RESULT : A BETWEEN 1 AND 5 AND B IN ('x', 'y') : REJECT;",
        "each record\n: (B = 'y' OR B = 'x') AND NOT (A < 1 OR A > 5) : reject; -- the same",
    ),
    "neighboring integers": (
        "EACH RESULT : A <= 80 : REPLACE A WITH 80;",
        "EACH RESULT : A < 81 : REPLACE A WITH 80;",
    ),
    "a value that is already written": (
        "EACH RESULT : A <= 80 : REPLACE A WITH 80;",
        "EACH RESULT : A < 80 : REPLACE A WITH 80;",
    ),
    "record-level lines in another order": (
        "EACH RESULT : A <= 80 : REJECT; ALWAYS : REPLACE B WITH '*';",
        "ALWAYS : REPLACE B WITH '*'; EACH RESULT : A <= 80 : REJECT;",
    ),
    "a chain of REPLACEs in one": (
        "EACH RESULT : A != 1 : REPLACE A WITH 2; EACH RESULT : A != 2 : REPLACE A WITH 3;",
        "EACH RESULT : A NOT IN (1, 2) : REPLACE A WITH 3;",
    ),
    "a check, written as another one": ("EACH RESULT : A > 3;", "EACH FILTER A < 4 : A > 3;"),
    "a map that a coarser one absorbs": (
        "ALWAYS : GENERALIZE A TO BANDS OF 5; ALWAYS : GENERALIZE A TO BANDS OF 10;",
        "ALWAYS : GENERALIZE A TO BANDS OF 10;",
    ),
    "prefixes": (
        "ALWAYS : GENERALIZE B TO PREFIX OF 4; ALWAYS : GENERALIZE B TO PREFIX OF 2;",
        "ALWAYS : GENERALIZE B TO PREFIX OF 2;",
    ),
    "bands by a list": (
        "ALWAYS : GENERALIZE A TO BANDS OF 10 FROM 0 UP TO 30;",
        "ALWAYS : GENERALIZE A TO BANDS AT 0, 10, 20, 30;",
    ),
    "periods of texts": (
        "ALWAYS : GENERALIZE B TO MONTH; ALWAYS : GENERALIZE B TO YEAR;",
        "ALWAYS : GENERALIZE B TO YEAR;",
    ),
    "a dropped column that was written": (
        "ALWAYS : REPLACE B WITH 'x'; ALWAYS : DROP B;",
        "ALWAYS : DROP B;",
    ),
    "names and order of classes": (
        "EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(C) AS d GROUP BY A, B : n >= 5 AND d >= 2 : REJECT;",
        "EACH PROCESS COUNT DISTINCT(C) AS l, COUNT(*) AS k GROUP BY B, A : NOT (l < 2 OR k <= 4) : REJECT;",
    ),
    "a line about records past one about classes": (
        f"ALWAYS : DROP D; {K}",
        f"{K} ALWAYS : DROP D;",
    ),
    "a line that never affects anything": (
        K,
        f"{K} EACH PROCESS COUNT(*) AS n GROUP BY A : n >= 2 : REJECT;",
    ),
    "THEN, spelled out": (
        "EACH PROCESS COUNT(*) AS n GROUP BY A : n >= 3 : GENERALIZE A TO BANDS OF 5 THEN REJECT;",
        "EACH PROCESS COUNT(*) AS n GROUP BY A : n >= 3 : GENERALIZE A TO BANDS OF 5;"
        "EACH PROCESS COUNT(*) AS n GROUP BY A : n >= 3 : REJECT;",
    ),
    "lines about classes that commute": (
        "EACH PROCESS COUNT(*) AS n GROUP BY A : n >= 2 : REPLACE B WITH '*';"
        "EACH PROCESS COUNT(*) AS n GROUP BY C : n >= 2 : REPLACE D WITH '*';",
        "EACH PROCESS COUNT(*) AS n GROUP BY C : n >= 2 : REPLACE D WITH '*';"
        "EACH PROCESS COUNT(*) AS n GROUP BY A : n >= 2 : REPLACE B WITH '*';",
    ),
    "the same WHERE in other words": (
        "EACH PROCESS COUNT(*) AS n WHERE A > 3 GROUP BY B : n >= 3 : REJECT;",
        "EACH PROCESS COUNT(*) AS n WHERE NOT A <= 3 GROUP BY B : n >= 3 : REJECT;",
    ),
    "SOME": ("SOME RESULT : A > 3;", "SOME FILTER A > 3 : A > 2;"),
    "weights in proportion": (
        "ALWAYS : RANDOM B FROM (2 OF 'x', 'y');",
        "ALWAYS : RANDOM B FROM (4 OF 'x', 2 OF 'y');",
    ),
    "a value that follows from a draw": (
        "ALWAYS : RANDOM A 0 9; EACH RESULT : A <= 5 : REPLACE A WITH 5;",
        "ALWAYS : RANDOM A 0 9; EACH RESULT : NOT A > 5 : REPLACE A WITH 5;",
    ),
    "a comparison of numbers as text, which is not analyzed": (
        "EACH RESULT : A <= 80 : REPLACE A WITH '*'; EACH RESULT : A > '3' : REJECT; ALWAYS : DROP D;",
        "ALWAYS : DROP D; EACH RESULT : A <= 80 : REPLACE A WITH '*'; EACH RESULT : A > '3' : REJECT;",
    ),
}

DIFFERENT = {
    "one number": (
        "EACH RESULT : A <= 80 : REPLACE A WITH 80;",
        "EACH RESULT : A <= 81 : REPLACE A WITH 80;",
    ),
    "record-level lines that do not commute": (
        "EACH RESULT : A <= 80 : REJECT; ALWAYS : REPLACE A WITH 0;",
        "ALWAYS : REPLACE A WITH 0; EACH RESULT : A <= 80 : REJECT;",
    ),
    "a check and a REJECT": ("EACH RESULT : A > 3;", "EACH RESULT : A > 3 : REJECT;"),
    "a check that only the empty table fails": (
        "ALWAYS : DROP D; SOME RESULT : A > 3 OR A <= 3;",
        "ALWAYS : DROP D;",
    ),
    "the end of bands": (
        "ALWAYS : GENERALIZE A TO BANDS OF 5 UP TO 90; ALWAYS : GENERALIZE A TO BANDS OF 10;",
        "ALWAYS : GENERALIZE A TO BANDS OF 10;",
    ),
    "prefixes of long texts": (
        "ALWAYS : GENERALIZE B TO PREFIX OF 3;",
        "ALWAYS : GENERALIZE B TO PREFIX OF 4;",
    ),
    "a prefix of some texts": (
        "EACH RESULT : A > 3 : GENERALIZE B TO PREFIX OF 1;",
        "EACH RESULT : B <= 'x' : GENERALIZE B TO PREFIX OF 3;EACH RESULT : A > 3 : GENERALIZE B TO PREFIX OF 1;",
    ),
    "a type that only the empty table shows": (
        "EACH RESULT : A < 5 AND A > 5;",
        "EACH RESULT : A < 5 AND A > 5; EACH RESULT : A > 5 : REPLACE A WITH '*';",
    ),
    "a value without a label": ("ALWAYS : GENERALIZE B TO YEAR;", "ALWAYS : GENERALIZE B TO MONTH;"),
    "a column": ("ALWAYS : DROP D, C;", "ALWAYS : DROP D;"),
    "the type of a column": (
        "EACH RESULT : A > 3 : REPLACE A WITH '*';",
        "EACH RESULT : A > 3 : REPLACE A WITH 0;",
    ),
    "k": (K, K.replace("3", "4")),
    "large k": (K.replace("3", "140"), K.replace("3", "141")),
    "l": (
        "EACH PROCESS COUNT DISTINCT(C) AS d GROUP BY A : d >= 2 : REJECT;",
        "EACH PROCESS COUNT DISTINCT(C) AS d GROUP BY A : d >= 3 : REJECT;",
    ),
    "the columns of classes": (K, K.replace("A, B", "A")),
    "the number that is rounded to": (
        "ALWAYS : GENERALIZE A TO NEAREST 5;",
        "ALWAYS : GENERALIZE A TO NEAREST 10;",
    ),
    "a pseudonym of a pseudonym": ("ALWAYS : PSEUDONYM B;", "ALWAYS : PSEUDONYM B; ALWAYS : PSEUDONYM B;"),
    "pseudonyms that are compared": (
        "ALWAYS : PSEUDONYM B; EACH RESULT : B != 'x' : REJECT;",
        "EACH RESULT : B != 'x' : REJECT; ALWAYS : PSEUDONYM B;",
    ),
    "the bounds of random numbers": ("ALWAYS : ADD RANDOM -2 2 TO A;", "ALWAYS : ADD RANDOM -2 3 TO A;"),
    "the days of a shift": (
        "ALWAYS : SHIFT B BY C WITHIN 9 DAYS;",
        "ALWAYS : SHIFT B BY C WITHIN 10 DAYS;",
    ),
    "the number of largest values": (
        "EACH PROCESS SHARE OF LARGEST 1 (A) AS s GROUP BY B : s <= 0.5 : REJECT;",
        "EACH PROCESS SHARE OF LARGEST 2 (A) AS s GROUP BY B : s <= 0.5 : REJECT;",
    ),
    "WHERE": (K, K.replace("GROUP", "WHERE B != '*' GROUP")),
    "what happens to a class": (K, K.replace("REJECT", "REPLACE B WITH '*'")),
    "lines about classes that do not commute": (
        "EACH PROCESS COUNT(*) AS n GROUP BY A : n >= 2 : REPLACE B WITH '*';"
        "EACH PROCESS COUNT(*) AS n GROUP BY B : n >= 2 : REPLACE D WITH '*';",
        "EACH PROCESS COUNT(*) AS n GROUP BY B : n >= 2 : REPLACE D WITH '*';"
        "EACH PROCESS COUNT(*) AS n GROUP BY A : n >= 2 : REPLACE B WITH '*';",
    ),
    "SOME, and another record": ("SOME RESULT : A > 3;", "SOME FILTER A > 3 : A > 4;"),
    "a probability": ("ALWAYS : WITH PROBABILITY 0.5 REJECT;", "ALWAYS : WITH PROBABILITY 0.4 REJECT;"),
    "weights": ("ALWAYS : RANDOM B FROM (2 OF 'x', 'y');", "ALWAYS : RANDOM B FROM ('x', 'y');"),
    "a value that follows from a draw": (
        "ALWAYS : RANDOM A 0 9; EACH RESULT : A <= 5 : REPLACE A WITH 5;",
        "ALWAYS : RANDOM A 0 9; EACH RESULT : A <= 6 : REPLACE A WITH 5;",
    ),
}


def compare(old: str, new: str) -> Comparison:
    """Compare the policies on a table with A and the columns that they name."""
    names = {"A", *re.findall(r"\b[ABCD]\b", f"{old} {new}")}
    types = {name: type_ for name, type_ in TYPES.items() if name in names}
    return acompass.compare(old, new, schema=types)


@pytest.mark.parametrize("name", EQUIVALENT)
def test_equivalent_policies_are_recognized(name: str) -> None:
    old, new = EQUIVALENT[name]
    for comparison in (compare(old, new), compare(new, old), compare(old, old)):
        assert comparison.equivalent is True, comparison.reason
        assert comparison.difference is None
        assert comparison.ok
        assert comparison.impact.released in ((), None)


@pytest.mark.parametrize("name", DIFFERENT)
@pytest.mark.slow
def test_a_difference_between_policies_is_found(name: str) -> None:
    old, new = DIFFERENT[name]
    for comparison in (compare(old, new), compare(new, old)):
        assert comparison.equivalent is False, comparison.reason
        assert comparison.difference is not None


def test_a_difference_is_small_and_shows_both_results() -> None:
    found = compare(*DIFFERENT["k"]).difference
    assert found is not None
    assert len(found.records) == 3
    assert found.old is not None
    assert found.new is not None
    assert (len(found.old.records), len(found.new.records)) == (3, 0)


def test_a_difference_of_records_needs_one() -> None:
    found = compare(*DIFFERENT["one number"]).difference
    assert found is not None
    assert found.records == ((81,),)


def test_nothing_written_is_not_an_empty_table() -> None:
    found = compare(*DIFFERENT["a check and a REJECT"]).difference
    assert found is not None
    assert found.old is None
    assert found.new is not None


def test_a_trace_is_part_of_a_difference() -> None:
    found = compare(*DIFFERENT["a value that follows from a draw"]).difference
    assert found is not None
    assert found.trace == ("0.6",)


@pytest.mark.slow
def test_an_open_question_has_a_reason() -> None:
    """They are equivalent, because the order of records does not matter to draws, but no rule proves it."""
    comparison = compare(
        "ALWAYS : RANDOM A 0 9; ALWAYS : REPLACE B WITH 'x';",
        "ALWAYS : REPLACE B WITH 'x'; ALWAYS : RANDOM A 0 9;",
    )
    assert comparison.equivalent is None
    assert comparison.reason.endswith("no table was found on which they differ")
    assert not comparison.ok


def test_numbers_without_a_type_may_have_any_scale() -> None:
    """Without types, 80.5 is a number, which satisfies `A < 81`."""
    old, new = EQUIVALENT["neighboring integers"]
    assert acompass.compare(old, new).equivalent is False
    assert acompass.compare(old, new, types={"A": "integer"}).equivalent is True


def test_labels_of_integers_and_decimals_are_both_compared() -> None:
    old = "ALWAYS : GENERALIZE A TO BANDS OF 5; EACH RESULT : A != '0-4' : REJECT;"
    new = "ALWAYS : GENERALIZE A TO BANDS OF 5;"
    assert acompass.compare(old, new).equivalent is False
    assert acompass.compare(old, new, types={"A": "decimal(1)"}).equivalent is True


def test_parameters_have_one_value_in_both() -> None:
    assert acompass.compare(K.replace("3", "k"), K, params={"k": 3}).equivalent is True
    assert acompass.compare(K.replace("3", "k"), K, params={"k": 4}).equivalent is False
    with pytest.raises(acompass.PolicyError):
        acompass.compare(K, K, params={"k": 4})


def test_an_error_names_its_policy() -> None:
    old, new = acompass.parse(K, "old.acp"), acompass.parse(K.replace("3", "k"), "new.acp")
    with pytest.raises(acompass.PolicyError) as raised:
        acompass.compare(old, new)
    assert raised.value.name == "new.acp"


_TEXTS = ["".join(letters) for size in range(6) for letters in product("!*ab", repeat=size)]


def _compare_forms(text: str, constants: list[str], lengths: list[int]) -> list[tuple[bool, bool]]:
    """How the text and its prefixes compare with the constants."""
    forms = [text, *(Prefix(length).label(text) for length in lengths)]
    return [(form < constant, form == constant) for form in forms for constant in constants]


@pytest.mark.campaign
@folded("seed", range(at_length(6)))
def test_every_text_belongs_to_a_kind(seed: int) -> None:
    rng = random.Random(seed)
    constants = rng.sample(_TEXTS[:400], rng.randint(0, 4))
    lengths = rng.sample(range(1, 5), rng.randint(1, 2))
    kinds = prefix_kinds(constants, lengths)
    known = set()
    for alike in kinds:
        first, *others = (tuple(_compare_forms(str(text), constants, lengths)) for text in alike)
        assert all(other == first for other in others), alike
        known.add(first)
    assert {tuple(_compare_forms(text, constants, lengths)) for text in _TEXTS} <= known


def test_two_prefixes_differ_on_some_text_of_a_kind_or_on_none() -> None:
    for alike in prefix_kinds(["ab", "b*"], [1, 3]):
        labels = [(Prefix(1).label(str(text)), Prefix(3).label(str(text))) for text in alike]
        is_long = len(str(alike[0])) > 1
        assert any(one != other for one, other in labels) <= is_long


def test_too_many_texts_are_undecided() -> None:
    with pytest.raises(Undecided):
        prefix_kinds([f"{number:040}" for number in range(1_000)], [3])


STEPS = """\
-- k and name in a comment stay
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= k
   : GENERALIZE Zip TO LEVEL 1 OF 'k.csv' ELSE other
   THEN REJECT;
EACH RESULT : Age <= top AND NOT Name = who : REPLACE Age WITH top;
"""


def test_values_are_written_as_constants() -> None:
    values = {"k": 5, "other": "it's", "top": Decimal("-80.50"), "who": "k"}
    bound = replace_parameters(acompass.parse(STEPS), values)
    assert bound.text.splitlines() == [
        "-- k and name in a comment stay",
        "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 5",
        "   : GENERALIZE Zip TO LEVEL 1 OF 'k.csv' ELSE 'it''s'",
        "   THEN REJECT;",
        "EACH RESULT : Age <= -80.50 AND NOT Name = 'k' : REPLACE Age WITH -80.50;",
    ]


def test_other_parameters_stay() -> None:
    bound = replace_parameters(acompass.parse("EACH RESULT : Age <= top AND Age >= low;"), {"top": 80})
    assert bound.text == "EACH RESULT : Age <= 80 AND Age >= low;"


@pytest.mark.parametrize(("values", "code"), [({"l": 3}, "AC107"), ({"k": float("nan")}, "AC109")])
def test_a_value_that_cannot_be_used_is_an_error(values: dict[str, float], code: str) -> None:
    policy = acompass.parse("EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= k : REJECT;")
    with pytest.raises(AcompassError) as raised:
        replace_parameters(policy, values)
    assert [found.code for found in raised.value.diagnostics] == [code]


def test_compare_takes_values_for_the_old_policy() -> None:
    policy = "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= k : REJECT;"
    assert not acompass.compare(policy, policy, params={"k": 3}, old_params={"k": 5}).ok
    assert acompass.compare(policy, policy, params={"k": 5}, old_params={"k": 3}).ok
