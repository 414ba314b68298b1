"""Verdicts on columns that can be checked by hand."""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from acompass.language.program.effects import with_key
from acompass.language.program.program import Program
from acompass.language.program.types import DATE, FLOAT, INTEGER, TEXT, Column, decimal
from acompass.prove.refute.replay import EXAMPLE_KEY
from acompass.reason.privacy.answer import ColumnPrivacy, ColumnVerdict, Weights
from acompass.reason.privacy.proof import column_privacy
from tests.generators.strategies import parse_and_check
from tests.reason.privacy.judged import require_replayed, require_run

TYPES = {"d": TEXT, "z": TEXT, "a": INTEGER, "c": decimal(1), "t": DATE, "f": FLOAT}
LIMITED = "EACH RESULT : d IN ('x', 'y', 'other') : REPLACE d WITH 'other';\n"
RESPONSE = "ALWAYS : WITH PROBABILITY 0.25 RANDOM d FROM ('x', 'y', 'other');\n"


def _program(text: str, columns: str) -> Program:
    return with_key(parse_and_check(text, tuple(Column(name, TYPES[name]) for name in columns)), EXAMPLE_KEY)


#: the law of a RANDOM of more integers is not enumerated
MOST_INTEGERS = 2_000


def _ask(text: str, columns: str = "dz", asked: str = "d") -> ColumnPrivacy:
    """The answer, after replaying its witness and computing its probabilities without the prover's own laws."""
    program = _program(text, columns)
    positions = frozenset(columns.index(name) for name in asked)
    (answer,) = column_privacy(program, [positions])
    if answer.witness is not None:
        drawn = re.findall(r"RANDOM \w+ (\d+) (\d+)", text)
        is_small = all(int(upper) - int(lower) < MOST_INTEGERS for lower, upper in drawn)
        require_run(program, answer.witness)
        if is_small:
            require_replayed(program, positions, answer.witness)
    return answer


def _exactly(text: str, columns: str = "dz", asked: str = "d") -> Fraction:
    answer = _ask(text, columns, asked)
    assert answer.verdict is ColumnVerdict.EXACT, answer
    assert answer.ratio is not None
    assert answer.ratio == 1 or answer.witness is not None
    return answer.ratio


@pytest.mark.parametrize("keep", ["0.75", "0.5", "0.9"])
@pytest.mark.parametrize("values", [2, 3, 5])
def test_randomized_response_has_the_ratio_of_its_formula(keep: str, values: int) -> None:
    """1 + m p / (1 - p) for m values, where p is the probability that the value is kept."""
    urn = ", ".join(f"'v{number}'" for number in range(values))
    limited = f"EACH RESULT : d IN ({urn}) : REPLACE d WITH 'v0';"
    p = Fraction(keep)
    assert _exactly(
        f"{limited} ALWAYS : WITH PROBABILITY {1 - Decimal(keep)} RANDOM d FROM ({urn});"
    ) == 1 + values * p / (1 - p)


def test_randomized_response_over_three_values_has_a_ratio_of_ten() -> None:
    answer = _ask(LIMITED + RESPONSE)
    assert (answer.ratio, str(answer.epsilon)) == (10, "2.303")
    assert answer.witness is not None
    assert answer.witness.probabilities == (Fraction(5, 6), Fraction(1, 12))


def test_a_seed_draws_with_its_own_weights() -> None:
    """⌈2⁵²/3⌉ and ⌊2⁵²/3⌋ of the 2⁵² values draw each of three values with equal weights."""
    answer = _ask(LIMITED + RESPONSE)
    rare = Fraction(2**52 // 3, 2**52)
    assert answer.seed_ratio == (Fraction(3, 4) + rare / 4) / (rare / 4)


def test_the_rarest_value_decides_the_ratio_of_pram() -> None:
    """The rarest value decides: (p + (1 - p) w) / ((1 - p) w)."""
    urn = "RANDOM d FROM (5 OF 'x', 3 OF 'y', 2 OF 'other')"
    p, w = Fraction(4, 5), Fraction(2, 10)
    ratio = (p + (1 - p) * w) / ((1 - p) * w)
    assert _exactly(f"{LIMITED}ALWAYS : WITH PROBABILITY 0.2 {urn};") == ratio == 21


def test_a_pram_matrix_has_its_largest_ratio() -> None:
    """Each value is replaced by a code first, so that no later line reads what an earlier one drew."""
    lines = [
        "EACH RESULT : d IN ('x', 'y') : REPLACE d WITH 'y';",
        "EACH RESULT : d != 'x' : REPLACE d WITH '1';",
        "EACH RESULT : d != 'y' : REPLACE d WITH '2';",
        "EACH RESULT : d != '1' : RANDOM d FROM (9 OF 'x', 1 OF 'y');",
        "EACH RESULT : d != '2' : RANDOM d FROM (3 OF 'x', 7 OF 'y');",
    ]
    assert _exactly("\n".join(lines)) == 7


def test_values_that_are_never_drawn_have_no_bound() -> None:
    answer = _ask(RESPONSE)
    assert answer.verdict is ColumnVerdict.NONE
    assert answer.witness is not None
    assert answer.witness.probabilities[1] == 0


def test_the_papers_outliers_have_no_bound() -> None:
    answer = _ask("EACH RESULT : a >= 3000 : RANDOM a 3000 4000;", "a", "a")
    assert answer.verdict is ColumnVerdict.NONE


def test_a_column_that_the_policy_never_names_has_no_bound() -> None:
    assert _ask(LIMITED + RESPONSE, asked="z").verdict is ColumnVerdict.NONE


@pytest.mark.parametrize(
    "line",
    [
        "ALWAYS : DROP d;",
        "ALWAYS : REPLACE d WITH '*';",
        "ALWAYS : RANDOM d FROM ('x', 'y');",
        "ALWAYS : REJECT;",
    ],
)
def test_a_column_that_is_overwritten_reveals_nothing(line: str) -> None:
    assert _exactly(line) == 1


def test_a_column_that_is_read_before_it_is_dropped_has_no_bound() -> None:
    answer = _ask("EACH RESULT : d = 'x' : REPLACE z WITH 'ill'; ALWAYS : DROP d;")
    assert answer.verdict is ColumnVerdict.NONE


def test_a_condition_may_draw_for_another_column() -> None:
    even, uneven = "RANDOM z FROM ('u', 'v')", "RANDOM z FROM (3 OF 'u', 'v')"
    text = f"EACH RESULT : d = 'x' : {even}; EACH RESULT : d != 'x' : {uneven};"
    assert _exactly(f"{text} ALWAYS : DROP d;") == 2


def test_sampling_alone_changes_nothing() -> None:
    assert _exactly(f"{LIMITED}{RESPONSE}ALWAYS : WITH PROBABILITY 0.5 REJECT;") == 10


def test_a_sample_that_reads_the_column_needs_another_sample() -> None:
    text = "EACH RESULT : d = 'x' : WITH PROBABILITY 0.5 REJECT; ALWAYS : REPLACE d WITH '*';"
    answer = _ask(text)
    assert answer.verdict is ColumnVerdict.NONE
    assert _exactly(f"ALWAYS : WITH PROBABILITY 0.5 REJECT; {text}") == 2


K = "EACH PROCESS COUNT(*) AS n GROUP BY {} : n >= {} : REJECT;\n"


def test_a_k_that_reads_the_raw_value_has_no_bound() -> None:
    answer = _ask(K.format("d", 2) + "ALWAYS : RANDOM d FROM ('x', 'y');")
    assert answer.verdict is ColumnVerdict.NONE
    assert answer.witness is not None
    assert len(answer.witness.records) == 2


def test_a_k_after_the_response_is_post_processing() -> None:
    assert _exactly(LIMITED + RESPONSE + K.format("d, z", 3)) == 10


def test_a_k_over_other_columns_before_the_response_changes_nothing() -> None:
    assert _exactly(K.format("z", 2) + LIMITED + RESPONSE) == 10


@pytest.mark.slow
def test_a_k_that_no_small_table_reaches_leaves_a_bound() -> None:
    answer = _ask(LIMITED + RESPONSE + K.format("d", 1000))
    assert (answer.verdict, answer.ratio, answer.line) == (ColumnVerdict.AT_MOST, 10, 3)


@pytest.mark.slow
def test_other_records_that_see_a_draw_can_undo_the_average() -> None:
    """`z` decides how `d` is drawn, and classes by `z` can reveal it: the weaker draw counts."""
    lines = [
        "ALWAYS : RANDOM z FROM ('weak', 'strong');",
        LIMITED,
        "EACH FILTER z = 'weak' : d = '' : WITH PROBABILITY 0.25 RANDOM d FROM ('x', 'y', 'other');",
        "EACH FILTER z = 'strong' : d = '' : RANDOM d FROM ('x', 'y', 'other');",
    ]
    averaged = [*lines, "ALWAYS : REPLACE z WITH '';"]
    seen = [*lines, "EACH PROCESS COUNT(*) AS n GROUP BY z : n >= 2 : REJECT;", "ALWAYS : REPLACE z WITH '';"]
    # 1/2 · 5/6 + 1/2 · 1/3 against 1/2 · 1/12 + 1/2 · 1/3
    assert _exactly("\n".join(averaged)) == Fraction(14, 5)
    assert _ask("\n".join(seen)).ratio == 10


@pytest.mark.slow
def test_a_rejected_record_can_affect_the_others() -> None:
    """The record is rejected in any case, but if `d` is x so early that its class is smaller."""
    lines = [
        "EACH FILTER z = 'secret' : d != 'x' : REJECT;",
        "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 2 : REPLACE a WITH 0;",
        "EACH RESULT : z != 'secret' : REJECT;",
        "ALWAYS : DROP d;",
    ]
    answer = _ask("\n".join(lines), "dza")
    assert (answer.verdict, answer.line) == (ColumnVerdict.UNDECIDED, 2)


def test_the_ratios_of_two_columns_multiply() -> None:
    text = f"{LIMITED}{RESPONSE}EACH RESULT : z = 'u' : REPLACE z WITH 'v';"
    noise = "ALWAYS : WITH PROBABILITY 0.5 RANDOM z FROM ('u', 'v');"
    assert _exactly(text + noise, asked="z") == 3
    assert _exactly(text + noise, asked="dz") == 30


def test_bands_of_numbers_have_a_bound() -> None:
    text = "ALWAYS : GENERALIZE a TO BANDS OF 10 FROM 20 UP TO 40;"
    urn = "'<20', '20-29', '30-39', '40+'"
    assert _exactly(f"{text} ALWAYS : WITH PROBABILITY 0.5 RANDOM a FROM ({urn});", "a", "a") == 5


def test_bands_without_an_end_need_a_limit() -> None:
    bands = "ALWAYS : GENERALIZE a TO BANDS OF 10;"
    limited = "EACH RESULT : a IN ('20-29', '30-39') : REPLACE a WITH 'other';"
    noise = "ALWAYS : WITH PROBABILITY 0.5 RANDOM a FROM ('20-29', '30-39', 'other');"
    assert _exactly(bands + limited + noise, "a", "a") == 4
    assert _ask(bands, "a", "a").verdict is ColumnVerdict.NONE


def test_prefixes_have_a_bound() -> None:
    limited = "EACH RESULT : d IN ('21***', '22***') : REPLACE d WITH 'other';"
    noise = "ALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM ('21***', '22***', 'other');"
    assert _exactly(f"ALWAYS : GENERALIZE d TO PREFIX OF 2; {limited} {noise}") == 4


def test_years_of_dates_have_a_bound() -> None:
    text = "ALWAYS : GENERALIZE t TO YEAR; EACH RESULT : t >= '2018' : REPLACE t WITH 'before';"
    again = "EACH RESULT : t IN ('2018', '2019', 'before') : REPLACE t WITH '2019';"
    noise = "ALWAYS : WITH PROBABILITY 0.5 RANDOM t FROM ('2018', '2019', 'before');"
    assert _exactly(text + again + noise, "t", "t") == 4


def test_integers_in_place_of_dates_are_undecided() -> None:
    answer = _ask("ALWAYS : GENERALIZE t TO YEAR; ALWAYS : WITH PROBABILITY 0.5 RANDOM t 2000 2010;", "t", "t")
    assert (answer.verdict, answer.reason) == (ColumnVerdict.UNDECIDED, "RANDOM draws integers in place of dates")


def test_integers_drawn_from_a_large_range_have_a_bound() -> None:
    limited = "EACH RESULT : a BETWEEN 1 AND 1000000 : REPLACE a WITH 1;"
    noise = "ALWAYS : WITH PROBABILITY 0.5 RANDOM a 1 1000000;"
    assert _exactly(limited + noise, "a", "a") == 1_000_001


def test_all_integers_are_too_many_to_weigh() -> None:
    answer = _ask(f"ALWAYS : WITH PROBABILITY 0.5 RANDOM a {-(2**63)} {2**63 - 1};", "a", "a")
    assert (answer.verdict, answer.line) == (ColumnVerdict.UNDECIDED, 1)
    assert answer.reason == "RANDOM draws too many integers to weigh each"


def test_decimals_between_the_integers_that_are_drawn_have_no_bound() -> None:
    text = "EACH RESULT : c BETWEEN 1 AND 9 : REPLACE c WITH 1; ALWAYS : WITH PROBABILITY 0.5 RANDOM c 1 9;"
    assert _ask(text, "c", "c").verdict is ColumnVerdict.NONE


def test_integers_that_a_seed_never_draws_have_no_bound() -> None:
    limited = f"EACH RESULT : a BETWEEN 0 AND {2**60 - 1} : REPLACE a WITH 0;"
    answer = _ask(f"{limited} ALWAYS : WITH PROBABILITY 0.5 RANDOM a 0 {2**60 - 1};", "a", "a")
    assert answer.verdict is ColumnVerdict.NONE
    assert answer.witness is not None
    assert answer.witness.weights is Weights.SEED


def test_integers_drawn_into_text_have_a_bound() -> None:
    limited = "EACH RESULT : d IN ('1', '2', '3') : REPLACE d WITH '1';"
    noise = "ALWAYS : WITH PROBABILITY 0.5 RANDOM d 1 3;"
    assert _exactly(limited + noise) == 4
    assert _exactly(limited + noise.replace("3;", "300000;")) == 300_001


def test_nothing_written_is_an_output_too() -> None:
    answer = _ask("EACH RESULT : d = 'x'; ALWAYS : DROP d;")
    assert answer.verdict is ColumnVerdict.NONE
    assert answer.witness is not None
    assert (answer.witness.left is None) != (answer.witness.records[0][0] == "x")


def test_values_without_a_label_have_no_bound() -> None:
    answer = _ask("ALWAYS : GENERALIZE d TO YEAR; ALWAYS : REPLACE d WITH '*';")
    assert answer.verdict is ColumnVerdict.NONE
    assert answer.witness is not None


def test_the_number_of_distinct_dates_is_not_a_date() -> None:
    count = "EACH PROCESS COUNT DISTINCT(t) AS n GROUP BY z : n >= 2 : REJECT;"
    assert _ask(count, "tz", "t").verdict is ColumnVerdict.NONE
    assert _exactly(f"{count} {LIMITED} {RESPONSE}", "dtz", "d") == 10


def test_the_two_zeros_of_a_float_leave_the_question_undecided() -> None:
    limited = "EACH RESULT : f = 0 OR f = 1 : REPLACE f WITH 1;"
    answer = _ask(f"{limited} ALWAYS : WITH PROBABILITY 0.5 RANDOM f FROM (0, 1);", "f", "f")
    assert answer.verdict is ColumnVerdict.UNDECIDED


def test_an_open_question_names_its_line() -> None:
    text = "ALWAYS : GENERALIZE a TO PREFIX OF 1;\nALWAYS : RANDOM a FROM ('1', '2');"
    answer: Any = _ask(text, "a", "a")
    assert (answer.verdict, answer.line, bool(answer.reason)) == (ColumnVerdict.UNDECIDED, 1, True)


@pytest.mark.parametrize("action", ["PSEUDONYM d", "PSEUDONYM d THEN PSEUDONYM d"])
def test_a_pseudonym_of_a_response_is_post_processing(action: str) -> None:
    """A pseudonym adds no noise, and takes none away."""
    assert _exactly(f"{LIMITED}{RESPONSE}ALWAYS : {action};") == _exactly(LIMITED + RESPONSE)


@pytest.mark.parametrize(
    ("line", "columns"),
    [
        ("PSEUDONYM d", "dz"),
        ("SHIFT t BY z WITHIN 3 DAYS", "tz"),
        ("GENERALIZE a TO NEAREST 5", "az"),
        ("ADD RANDOM -3 3 TO a", "az"),
        ("MICROAGGREGATE a BY 2", "az"),
    ],
)
def test_words_without_noise_for_every_value_have_no_bound(line: str, columns: str) -> None:
    answer = _ask(f"ALWAYS : {line};", columns, columns[0])
    assert answer.verdict is ColumnVerdict.NONE
    assert answer.witness is not None


def test_a_person_that_shifts_dates_is_revealed_by_them() -> None:
    answer = _ask("ALWAYS : SHIFT t BY d WITHIN 300 DAYS; ALWAYS : DROP d;", "dt", "d")
    assert answer.verdict is ColumnVerdict.NONE


def test_a_column_that_breaks_the_ties_of_means_has_no_bound_from_later_noise() -> None:
    """The order of equal records decides which group a record is in, before d is drawn."""
    answer = _ask(f"{LIMITED}ALWAYS : MICROAGGREGATE a BY 2; {RESPONSE}", "da", "d")
    assert answer.ratio is None
