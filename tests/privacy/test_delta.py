"""δ in closed form is the largest hockey-stick divergence, and never above the published bound."""

from fractions import Fraction
from math import comb

import pytest

from acompass.privacy import binomial as of_binomial
from acompass.privacy.delta import worst_class
from acompass.privacy.exponential import just_below_exponential
from acompass.privacy.table_answer import Direction
from benchmarks.privacy import BETAS as BENCHMARKED
from benchmarks.privacy import EPSILONS, published_delta, row, smallest_k
from tests.privacy.neighbours import hockey_stick
from tests.repo.sources import ROOT

BETAS = [Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(3, 5), Fraction(19, 20)]
RATIOS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(3)]
#: classes up to this size are looked at; the worst one is smaller
LARGEST = 40


def _class_law(size: int, k: int, beta: Fraction) -> dict[int, Fraction]:
    """How many records are left of a class of so many: k or more, or none."""
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
    """At β = 1 - 1 / E nothing is, and just above it something is."""
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
