"""The privacy of sampling before a k, against the exact laws of all small tables."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest

from acompass.language.program.program import Program
from acompass.language.program.types import FLOAT, INTEGER, OPAQUE, TEXT, Schema, decimal, make_schema
from acompass.reason.privacy.answer import Refusal, TablePrivacy
from acompass.reason.privacy.sampling import table_privacy, worst_class
from acompass.semantics.core import run_program, trace_of_values
from tests.generators.strategies import parse_and_check
from tests.length import at_length
from tests.reason.privacy.neighbors import hockey_stick, largest_delta, law_of_output
from tests.reason.privacy.sampling_policies import campaign, is_attained

NUMBER = make_schema({"a": INTEGER})
PAIR = make_schema({"a": INTEGER, "b": TEXT})
NUMBERS = [(0,), (1,), (2,)]
PAIRS = [(0, "x"), (0, "y"), (1, "x"), (1, "y")]

SAMPLE = "ALWAYS : WITH PROBABILITY 0.75 REJECT;"
REJECT = "EACH PROCESS COUNT(*) AS n GROUP BY a, b : n >= 2 : REJECT;"


def _answer(program: Program, epsilon: Fraction = Fraction(1, 2)) -> TablePrivacy:
    answer = table_privacy(program, epsilon)
    assert isinstance(answer, TablePrivacy), answer
    return answer


@pytest.mark.parametrize("epsilon", ["0", "0.7", "1.2"])
@pytest.mark.parametrize(("rejected", "k"), [("0.5", 2), ("0.75", 2), ("0.3", 3), ("0.05", 2), ("0.6", 3), ("0.5", 4)])
def test_delta_is_that_of_all_tables_of_at_most_five_records(rejected: str, k: int, epsilon: str) -> None:
    """δ is attained if the worst class has at most five records; otherwise it is not exceeded."""
    program = parse_and_check(
        f"""ALWAYS : WITH PROBABILITY {rejected} REJECT;
            EACH RESULT : a != 1 : REPLACE a WITH 0;
            EACH PROCESS COUNT(*) AS n GROUP BY a : n >= {k} : REJECT;""",
        NUMBER,
    )
    answer = _answer(program, Fraction(epsilon))
    truth = largest_delta(program, NUMBERS, 5, answer.ratio)
    assert answer.is_exact
    assert (answer.k, answer.beta) == (k, 1 - Fraction(rejected))
    assert truth == answer.delta if answer.class_size <= 5 else truth < answer.delta


#: a policy, its β and k, and whether its δ is known to be the least
CLAIMED = {
    "the plain form": (SAMPLE + REJECT, "1/4", 2, True),
    "two samples": ("ALWAYS : WITH PROBABILITY 0.5 REJECT;" + SAMPLE + REJECT, "1/8", 2, True),
    "a sample of some records more": (
        SAMPLE + "EACH RESULT : b = 'x' : WITH PROBABILITY 0.5 REJECT;" + REJECT, "1/4", 2, True
    ),
    "strata": (
        "EACH RESULT : a >= 1 : WITH PROBABILITY 0.5 REJECT;"
        "EACH RESULT : a < 1 : WITH PROBABILITY 0.75 REJECT;" + REJECT, "1/2", 2, True
    ),
    "a sample by what was written": (
        "EACH RESULT : a = 0 : REPLACE b WITH 'x';" + SAMPLE
        + "EACH RESULT : b = 'y' : WITH PROBABILITY 0.5 REJECT;" + REJECT, "1/4", 2, True
    ),
    "some are rejected for certain": ("EACH RESULT : a = 0 : REJECT;" + SAMPLE + REJECT, "1/4", 2, True),
    "randomized response before": (
        "ALWAYS : WITH PROBABILITY 0.5 RANDOM a FROM (0, 1);" + SAMPLE + REJECT, "1/4", 2, False
    ),
    "randomized response between": (
        SAMPLE + "ALWAYS : WITH PROBABILITY 0.5 RANDOM a FROM (0, 3 OF 1);" + REJECT, "1/4", 2, False
    ),
    "a draw for some records": (SAMPLE + "EACH RESULT : a = 0 : RANDOM a 0 1;" + REJECT, "1/4", 2, True),
    "a constant": (
        SAMPLE + "ALWAYS : REPLACE b WITH '*'; EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 2 : REJECT;",
        "1/4", 2, True,
    ),
    "the paper's suppression": (
        SAMPLE + "EACH RESULT : b = '*' : REPLACE b WITH '*';"
        "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 2 : REJECT;", "1/4", 2, True,
    ),
    "a column that is dropped": (
        "ALWAYS : DROP b;" + SAMPLE + "EACH PROCESS COUNT(*) AS n GROUP BY a : n > 1 : REJECT;",
        "1/4", 2, True,
    ),
    "labels": (
        "ALWAYS : GENERALIZE a TO BANDS OF 2; ALWAYS : GENERALIZE b TO PREFIX OF 1;" + SAMPLE + REJECT,
        "1/4", 2, True,
    ),
    "no GROUP BY": (
        "ALWAYS : DROP b; ALWAYS : REPLACE a WITH 7;" + SAMPLE
        + "EACH PROCESS COUNT(*) AS n : n >= 2 : REJECT;", "1/4", 2, True,
    ),
    "a condition that asks for more": (
        SAMPLE + "EACH PROCESS COUNT(*) AS n GROUP BY a, b : n >= 2 AND a = 0 : REJECT;", "1/4", 2, True
    ),
    "classes of one size": (
        SAMPLE + "EACH PROCESS COUNT(*) AS n GROUP BY a, b : n = 2 : REJECT;", "1/4", 2, False
    ),
    "another aggregate": (
        SAMPLE + "EACH PROCESS COUNT(*) AS n, MAX(a) AS m GROUP BY a, b : n >= 2 AND m >= 1 : REJECT;",
        "1/4", 2, False,
    ),
    "post-processing": (
        SAMPLE + REJECT + "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 3 : REPLACE b WITH '*';"
        "ALWAYS : RANDOM a 1 2;", "1/4", 2, True,
    ),
    "post-processing that rejects": (SAMPLE + REJECT + "EACH RESULT : a = 0 : REJECT;", "1/4", 2, False),
    "a check afterwards": (SAMPLE + REJECT + "SOME RESULT : a = 0;", "1/4", 2, False),
}  # fmt: skip


@pytest.mark.parametrize("policy", CLAIMED)
@pytest.mark.parametrize("bits", [None, 52])
def test_a_claim_is_true_of_all_tables_of_at_most_three_records(policy: str, bits: int | None) -> None:
    """For the ideal trace, and for the trace of a seed."""
    text, beta, k, is_exact = CLAIMED[policy]
    program = parse_and_check(text, PAIR)
    answer = _answer(program)
    assert (answer.beta, answer.k, answer.is_exact) == (Fraction(beta), k, is_exact)
    assert largest_delta(program, PAIRS, 3, answer.ratio, bits) <= answer.delta


@pytest.mark.parametrize("policy", [name for name, (*_, is_exact) in CLAIMED.items() if is_exact])
def test_copies_of_the_witness_attain_delta(policy: str) -> None:
    program = parse_and_check(CLAIMED[policy][0], PAIR)
    assert is_attained(program, _answer(program))


CHECK = "EACH RESULT : a = 0;"
CHANGE = "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 2 : REPLACE a WITH 7;"
BY_A = "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 2 : REJECT;"
#: a policy, the line that the refusal names, and a word of the reason
REFUSED = {
    "no k": (SAMPLE, None, "small classes"),
    "a column is not in GROUP BY": (f"{SAMPLE}\n{BY_A}", 2, "`b` is not in `GROUP BY`"),
    "the sample comes after the k": (f"{REJECT}\n{SAMPLE}", 1, "always keep"),
    "no sample": (REJECT, 1, "always keep"),
    "a sample of some records": (
        f"EACH RESULT : a = 0 : WITH PROBABILITY 0.5 REJECT;\n{REJECT}", 2, "always keep"
    ),
    "something else with a probability": (
        f"ALWAYS : WITH PROBABILITY 0.75 REPLACE a WITH 0;\n{REJECT}", 2, "always keep"
    ),
    "nothing is left": (f"ALWAYS : REJECT;\n{REJECT}", 2, "every record"),
    "classes are changed in between": (
        f"{SAMPLE}\n{CHANGE}\n{REJECT}", 2, "whole classes"
    ),
    "records are averaged": (f"{SAMPLE}\nALWAYS : MICROAGGREGATE a BY 2;\n{REJECT}", 2, "averages"),
    "classes are changed before": (
        f"{CHANGE}\n{SAMPLE}\n{REJECT}", 1, "whole classes"
    ),
    "the k is a cascade": (
        f"{SAMPLE}\nEACH PROCESS COUNT(*) AS n GROUP BY a, b : n >= 2 : REPLACE b WITH '*' THEN REJECT;",
        2, "whole classes",
    ),
    "the k is left to chance": (
        f"{SAMPLE}\nEACH PROCESS COUNT(*) AS n GROUP BY a, b : n >= 2 : WITH PROBABILITY 0.5 REJECT;",
        2, "whole classes",
    ),
    "the k spares records": (
        f"{SAMPLE}\nEACH PROCESS COUNT(*) AS n WHERE a = 0 GROUP BY a, b : n >= 2 : REJECT;", 2, "`WHERE`"
    ),
    "the k accepts one record": (
        f"{SAMPLE}\nEACH PROCESS COUNT(*) AS n GROUP BY a, b : n >= 2 OR a = 0 : REJECT;", 2, "one record"
    ),
    "the k is an upper bound": (
        f"{SAMPLE}\nEACH PROCESS COUNT(*) AS n GROUP BY a, b : n <= 2 : REJECT;", 2, "one record"
    ),
    "the k accepts nothing": (
        f"{SAMPLE}\nEACH PROCESS COUNT(*) AS n GROUP BY a, b : n < 1 : REJECT;", 2, "no class"
    ),
    "SOME": (f"{SAMPLE}\nSOME RESULT : a = 0 : REJECT;\n{REJECT}", 2, "all records or none"),
    "a check before": (f"{SAMPLE}\n{CHECK}\n{REJECT}", 2, "check"),
    "a constant that is overwritten": (
        f"{SAMPLE}\nALWAYS : REPLACE b WITH '*';\nEACH RESULT : a = 0 : REPLACE b WITH '+';\n{BY_A}", 4, "`b`"
    ),
    "a constant for some records": (
        f"{SAMPLE}\nALWAYS : WITH PROBABILITY 0.5 REPLACE b WITH '*';\n{BY_A}", 3, "`b`"
    ),
    "a draw is not a constant": (f"{SAMPLE}\nALWAYS : RANDOM b FROM ('x', 'y');\n{BY_A}", 3, "`b`"),
}  # fmt: skip


@pytest.mark.parametrize("policy", REFUSED)
def test_other_policies_are_refused(policy: str) -> None:
    text, line, word = REFUSED[policy]
    answer = table_privacy(parse_and_check(text, PAIR), Fraction(1, 2))
    assert isinstance(answer, Refusal)
    assert answer.line == line
    assert word in answer.reason


#: mutants, and the number of records that refutes the claim of the original policy
MUTANTS = {
    "a column is not in GROUP BY": 3,
    "the sample comes after the k": 2,
    "classes are changed in between": 3,
    "the k is a cascade": 3,
    "the k spares records": 2,
    "a check before": 2,
    "SOME": 5,
}


@pytest.mark.parametrize("policy", MUTANTS)
def test_a_refused_policy_would_break_the_claim(policy: str) -> None:
    """These mutants need a larger δ than the original policy, so its claim would be false."""
    honest = _answer(parse_and_check(SAMPLE + REJECT, PAIR))
    mutant, domain = parse_and_check(REFUSED[policy][0], PAIR), PAIRS if MUTANTS[policy] < 5 else PAIRS[1:3]
    assert largest_delta(mutant, domain, MUTANTS[policy], honest.ratio) > honest.delta


def test_input_order_would_break_the_claim() -> None:
    """A release in the order of the input reveals more than its bag: here, the position of each record."""
    program = parse_and_check(
        f"{SAMPLE} EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 3 : REJECT;", make_schema({"a": TEXT})
    )
    claimed = worst_class(3, Fraction(1, 4), Fraction(2)).delta
    one, other = _law_in_order(program, "aaababb"), _law_in_order(program, "aaabbb")
    assert hockey_stick(one, other, Fraction(2)) > claimed
    bags = [law_of_output(program, [(letter,) for letter in text]) for text in ("aaababb", "aaabbb")]
    assert hockey_stick(*bags, Fraction(2)) <= claimed


def _law_in_order(program: Program, letters: str) -> dict[str, Fraction]:
    """The law of the output in the order of the input, for a program that samples one record in four."""
    law: dict[str, Fraction] = {}
    for coins in product((Fraction(0), Fraction(3, 4)), repeat=len(letters)):
        outcome = run_program(program, [(letter,) for letter in letters], trace_of_values(coins))
        chance = prod((Fraction(1, 4) if coin else Fraction(3, 4) for coin in coins), start=Fraction(1))
        released = "".join(letter for (letter,) in outcome.records)
        law[released] = law.get(released, Fraction(0)) + chance
    return law


NUMERIC: Schema = make_schema({"x": decimal(1), "f": FLOAT})
BY_X = "EACH PROCESS COUNT(*) AS n GROUP BY x : n >= 2 : REJECT;"


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        ("ALWAYS : DROP f;", "decimal"),
        ("ALWAYS : DROP f; EACH RESULT : x < 3 : REPLACE x WITH 'many';", "decimal"),
        ("ALWAYS : DROP f; ALWAYS : GENERALIZE x TO PREFIX OF 1;", "decimal"),
        ("ALWAYS : DROP f; ALWAYS : REPLACE x WITH 2.5;", "decimal"),
        ("ALWAYS : DROP f; EACH RESULT : x = 2 : REPLACE x WITH 2;", "decimal"),
        ("ALWAYS : DROP f; ALWAYS : RANDOM x 1 2;", "decimal"),
        ("ALWAYS : DROP f; ALWAYS : GENERALIZE x TO BANDS OF 2;", None),
        ("ALWAYS : DROP f; ALWAYS : REPLACE x WITH '*';", None),
        ("ALWAYS : REPLACE f WITH 1.5; ALWAYS : REPLACE x WITH '*';", None),
        ("ALWAYS : REPLACE x WITH '*';", "`f` is not in `GROUP BY`"),
    ],
)
def test_numbers_that_can_be_written_in_two_ways_are_refused(lines: str, word: str | None) -> None:
    answer = table_privacy(parse_and_check(lines + SAMPLE + BY_X, NUMERIC), Fraction(1))
    refusal = answer.reason if isinstance(answer, Refusal) else None
    assert (word is None and refusal is None) or (word is not None and refusal is not None and word in refusal)


def test_floats_have_two_zeros() -> None:
    """They are in one class, but a release distinguishes them."""
    program = parse_and_check(
        f"{SAMPLE} EACH PROCESS COUNT(*) AS n GROUP BY f : n >= 2 : REJECT;", make_schema({"f": FLOAT})
    )
    answer = table_privacy(program, Fraction(1))
    assert isinstance(answer, Refusal)
    assert "-0.0" in answer.reason


def test_a_column_of_an_unsupported_type_is_not_in_group_by() -> None:
    answer = table_privacy(parse_and_check(SAMPLE + REJECT, (*PAIR, *make_schema({"blob": OPAQUE}))), Fraction(1))
    assert answer == Refusal(1, "`blob` is not in `GROUP BY`, so it can distinguish the records of a class")


def test_all_lines_that_sample_are_named() -> None:
    answer = _answer(parse_and_check(CLAIMED["strata"][0].replace(";", ";\n"), PAIR))
    assert (answer.sampled, answer.rejects) == ((1, 2), 3)


def test_a_witness_has_the_types_of_the_columns() -> None:
    """Records with x between 3 and 4 are kept more often, but a column of integers has none."""
    text = """EACH RESULT : x > 3 : WITH PROBABILITY 0.75 REJECT;
        EACH RESULT : x < 4 : WITH PROBABILITY 0.5 REJECT;
        ALWAYS : WITH PROBABILITY 0.5 REJECT; ALWAYS : GENERALIZE x TO BANDS OF 10;
        EACH PROCESS COUNT(*) AS n GROUP BY x : n >= 2 : REJECT;"""
    whole, tenths = (_answer(parse_and_check(text, make_schema({"x": decimal(scale)}))) for scale in (0, 1))
    assert whole.beta == tenths.beta == Fraction(1, 2)
    assert (whole.is_exact, tenths.is_exact) == (False, True)


def test_delta_is_shown_rounded_up() -> None:
    answer = _answer(parse_and_check(SAMPLE + REJECT.replace("2", "14"), PAIR), Fraction(1))
    assert answer.delta_shown == "8.42e-7"
    assert Fraction(answer.delta_shown) > answer.delta


@pytest.mark.campaign
def test_no_random_policy_has_a_false_claim() -> None:
    found = campaign(at_length(30))
    assert found["refused"] > at_length(5)
    assert found["exact"] > 0
    assert found["at most"] > 0
