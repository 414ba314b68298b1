"""δ in closed form is the largest hockey-stick divergence, and never exceeds the published bound."""

import random
from decimal import Decimal
from fractions import Fraction
from math import comb, factorial
from pathlib import Path

import pytest

from acompass.language.program.types import INTEGER, Column
from acompass.reason.privacy import sampling as of_binomial
from acompass.reason.privacy.answer import BITS, ColumnVerdict, Direction, epsilon_from_ratio
from acompass.reason.privacy.proof import column_privacy
from acompass.reason.privacy.sampling import just_below_exponential, worst_class
from benchmarks.privacy import BETAS as BENCHMARKED
from benchmarks.privacy import EPSILONS, published_delta, row, smallest_k
from tests.errors.pages import FOLDER, Page, read_page, require_error, run_fix
from tests.folding import folded
from tests.generators.strategies import parse_and_check
from tests.length import at_length
from tests.reason.privacy.enumeration import Truth
from tests.reason.privacy.neighbors import hockey_stick
from tests.repo.sources import ROOT

BETAS = [Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(3, 5), Fraction(19, 20)]
RATIOS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(3)]
#: the largest class that is enumerated
LARGEST = 40


def _class_law(size: int, k: int, beta: Fraction) -> dict[int, Fraction]:
    """The law of the number of records that are left of a class: k or more, or none."""
    law: dict[int, Fraction] = {}
    for left in range(size + 1):
        output = left if left >= k else 0
        chance = comb(size, left) * beta**left * (1 - beta) ** (size - left)
        law[output] = law.get(output, Fraction(0)) + chance
    return law


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_the_closed_form_is_the_largest_hockey_stick(k: int, beta: Fraction) -> None:
    laws = [_class_law(size, k, beta) for size in range(LARGEST + 1)]
    for ratio in RATIOS:
        added = [hockey_stick(laws[size], laws[size - 1], ratio) for size in range(1, LARGEST + 1)]
        removed = [hockey_stick(laws[size - 1], laws[size], ratio) for size in range(1, LARGEST + 1)]
        worst = worst_class(k, beta, ratio)
        assert worst.is_exact
        if worst.size <= LARGEST:
            assert worst.delta == max(*added, *removed)
            attained = added if worst.direction is Direction.WITH else removed
            assert attained[worst.size - 1] == worst.delta


@pytest.mark.parametrize("ratio", RATIOS)
def test_without_the_record_nothing_is_likelier_if_the_sample_is_small(ratio: Fraction) -> None:
    """Nothing is at β = 1 - 1 / E, and something is above it."""
    for above in (Fraction(0), Fraction(1, 5)):
        laws = [_class_law(size, 3, 1 - 1 / ratio + above) for size in range(20)]
        removed = [hockey_stick(laws[size - 1], laws[size], ratio) for size in range(1, 20)]
        assert (max(removed) > 0) == (above > 0)


def test_a_large_sample_can_be_worst_without_the_record() -> None:
    assert worst_class(40, Fraction(19, 20), Fraction(101, 100)).direction is Direction.WITHOUT


@pytest.mark.parametrize("k", [2, 5, 17])
def test_more_sampling_is_more_private(k: int) -> None:
    for ratio in RATIOS:
        deltas = [worst_class(k, beta, ratio).delta for beta in sorted(BETAS)]
        assert deltas == sorted(deltas)


@pytest.mark.parametrize(
    ("beta", "k", "published"),
    [(Fraction("0.632"), 58, 74), (Fraction("0.25"), 14, 18), (Fraction("0.1"), 8, 9)],
)
def test_the_smallest_k_is_below_the_published_one(beta: Fraction, k: int, published: int) -> None:
    ratio, target = just_below_exponential(Fraction(1)), Fraction(1, 10**6)
    assert smallest_k(lambda k: worst_class(k, beta, ratio).delta, target) == k
    assert smallest_k(lambda k: published_delta(k, beta, ratio), target) == published


@pytest.mark.parametrize(
    ("k", "beta", "ratio"),
    [
        (58, Fraction("0.632"), just_below_exponential(Fraction(1))),
        (20, Fraction(19, 20), Fraction(101, 100)),
        (150, Fraction(1, 10), Fraction(2)),
        (7, Fraction(1, 3), Fraction(1)),
    ],
)
def test_bounds_are_just_above_the_exact_number(
    k: int, beta: Fraction, ratio: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = worst_class(k, beta, ratio)
    monkeypatch.setattr(of_binomial, "LONGEST", 0)
    rounded = worst_class(k, beta, ratio)
    assert exact.is_exact
    assert not rounded.is_exact
    assert rounded.size == exact.size
    assert exact.delta <= rounded.delta <= exact.delta * (1 + Fraction(1, 10**40))


@pytest.mark.parametrize(
    ("k", "beta", "ratio"),
    [
        (500, Fraction(1, 1000), just_below_exponential(Fraction(1, 1000))),
        (1000, Fraction(1, 2**30), Fraction(1)),
        (100, Fraction(1, 2**30), 1 / (1 - Fraction(1, 2**30)) - Fraction(1, 2**80)),
    ],
)
def test_classes_of_any_size_are_bounded(k: int, beta: Fraction, ratio: Fraction) -> None:
    """Exact numbers would have millions of digits."""
    worst = worst_class(k, beta, ratio)
    assert not worst.is_exact
    assert 0 < worst.delta < beta
    assert worst.delta.denominator.bit_length() < 10**5


def test_the_page_has_the_table_of_the_benchmark() -> None:
    page = (ROOT / "docs" / "privacy-proofs.md").read_text(encoding="utf-8")
    rows = [row(epsilon, beta) for epsilon in EPSILONS for beta in BENCHMARKED]
    assert [each for each in rows if f"\n{each}\n" not in page] == []


STEP = Fraction(1, 1000)


def _exponential(exponent: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds on the exponential of a number from 0 to 30."""
    terms = [exponent**n / factorial(n) for n in range(150)]
    return sum(terms, Fraction(0)), sum(terms, Fraction(0)) + 2 * terms[-1]


@pytest.mark.parametrize(
    "ratio", [Fraction(10), Fraction(7, 3), Fraction(2**52), Fraction(10**9 + 1, 10**9), Fraction(10**12)]
)
def test_the_printed_number_is_the_least_that_is_large_enough(ratio: Fraction) -> None:
    epsilon = Fraction(epsilon_from_ratio(ratio))
    assert (epsilon / STEP).denominator == 1
    assert _exponential(epsilon)[0] >= ratio
    assert _exponential(epsilon - STEP)[1] < ratio or epsilon == STEP


def test_a_ratio_of_one_is_an_epsilon_of_zero() -> None:
    assert str(epsilon_from_ratio(Fraction(1))) == "0"


TERMS = 80


def _partial_sums(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Rational bounds on e^ε by its series, whose remainder is below twice the last term if 2ε < TERMS."""
    term = total = Fraction(1)
    for index in range(1, TERMS):
        term *= epsilon / index
        total += term
    return total, total + 2 * term


@pytest.mark.parametrize("epsilon", ["0", "1e-30", "0.001", "0.1", "1", "2.5", "10"])
def test_the_ratio_is_just_below_the_exponential(epsilon: str) -> None:
    low, high = _partial_sums(Fraction(epsilon))
    found = just_below_exponential(Decimal(epsilon))
    assert 1 <= found <= low
    assert high - found <= found / 10**28


def test_a_huge_epsilon_has_the_ratio_of_a_large_one() -> None:
    assert just_below_exponential(Decimal("1e99")) == just_below_exponential(Fraction(1000))


def test_a_fraction_is_rounded_down_too() -> None:
    low, _ = _partial_sums(Fraction(1, 3))
    assert low - Fraction(1, 10**27) <= just_below_exponential(Fraction(1, 3)) <= low


#: constants are from 0 to LAST; VALUES has some more on either side
LAST = 13
VALUES = range(-3, LAST + 4)
ASKED = frozenset((0,))


def _policy(rng: random.Random) -> str:
    lower, upper = sorted(rng.sample(range(LAST + 1), 2))
    limit = f"EACH RESULT : a BETWEEN {lower} AND {upper} : RANDOM a {lower} {upper};"
    noise = f"ALWAYS : WITH PROBABILITY 0.3 RANDOM a {lower} {upper};"
    others = [_line(rng) for _ in range(rng.randint(0, 3))]
    lines = [*([limit] if rng.random() < 0.7 else []), *others, *([noise] if rng.random() < 0.7 else [])]
    return " ".join(lines or [noise])


def _line(rng: random.Random) -> str:
    compared = f"EACH RESULT : a {rng.choice(('<', '<=', '=', '>=', '>'))} {rng.randint(0, LAST)}"
    lower, upper = sorted((rng.randint(0, LAST), rng.randint(0, LAST)))
    action = rng.choice(
        (
            "REJECT",
            f"REPLACE a WITH {lower}",
            f"RANDOM a {lower} {upper}",
            f"RANDOM a FROM (2 OF {lower}, {upper + 20})",
        )
    )
    often = "" if rng.random() < 0.4 else "WITH PROBABILITY 0.6 "
    return f"{rng.choice((compared, 'ALWAYS'))} : {often}{action};"


@pytest.mark.campaign
@folded("seed", range(at_length(10)))
def test_the_ratio_over_representatives_is_that_over_all_values(seed: int) -> None:
    text = _policy(random.Random(seed))
    program = parse_and_check(text, (Column("a", INTEGER),))
    (answer,) = column_privacy(program, [ASKED])
    assert answer.verdict in (ColumnVerdict.EXACT, ColumnVerdict.NONE), text
    assert Truth(program, [VALUES]).largest(ASKED, most=1) == answer.ratio, text
    if answer.ratio is not None:
        assert Truth(program, [VALUES], BITS).largest(ASKED, most=1) == answer.seed_ratio, text


PAGES = [read_page(FOLDER / f"{code}.md") for code in ("AC553", "AC554", "AC555")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_example_gives_the_error_and_the_fix_an_answer(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    require_error(page)
    ran = run_fix(page)
    assert "error[" not in ran.errors
    assert ran.output
