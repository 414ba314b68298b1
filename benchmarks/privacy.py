"""After sampling, how large must k be for a given ε and δ, by the exact δ and by the published bound?

The published bound is that of Li, Qardaji and Su, "On sampling, anonymization, and differential privacy",
2012.
"""

import sys
from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from math import ceil, comb, exp, floor, log

from acompass.reason.privacy.answer import round_up_delta
from acompass.reason.privacy.sampling import just_below_exponential, worst_class

EPSILONS = (Fraction("0.5"), Fraction(1), Fraction(2))
BETAS = (Fraction("0.632"), Fraction("0.25"), Fraction("0.1"))
TARGET = Fraction(1, 10**6)


def smallest_k(delta: Callable[[int], Fraction], target: Fraction) -> int:
    """The smallest k whose δ does not exceed the target; δ falls as k grows."""
    most = 1
    while delta(most) > target:
        most *= 2
    return 1 + bisect_left(range(1, most), True, key=lambda k: delta(k) <= target)


def published_delta(k: int, beta: Fraction, ratio: Fraction) -> Fraction:
    """The largest Pr[B > γn] over all n ≥ ⌈k/γ - 1⌉, where B is the number of successes in n trials."""
    gamma = (ratio - 1 + beta) / ratio
    rate = float(gamma) * log(gamma / beta) - float(gamma - beta)
    size = max(1, ceil(k / gamma - 1))
    largest = _tail(size, floor(gamma * size), beta)
    # Chernoff's bound on this and all larger classes
    while exp(-size * rate) > largest:
        size += 1
        largest = max(largest, _tail(size, floor(gamma * size), beta))
    return largest


def _tail(trials: int, successes: int, beta: Fraction) -> Fraction:
    """The probability of more than `successes` successes."""
    hit, whole = beta.numerator, beta.denominator
    terms = (comb(trials, j) * hit**j * (whole - hit) ** (trials - j) for j in range(successes + 1, trials + 1))
    return Fraction(sum(terms), whole**trials)


def row(epsilon: Fraction, beta: Fraction) -> str:
    ratio = just_below_exponential(epsilon)
    k = smallest_k(lambda k: worst_class(k, beta, ratio).delta, TARGET)
    worst = worst_class(k, beta, ratio)
    # the published bound holds only for β ≤ 1 - e^-ε
    applies = ratio * (1 - beta) >= 1
    published = smallest_k(lambda k: published_delta(k, beta, ratio), TARGET) if applies else "—"
    numbers = (float(epsilon), float(beta), k, published, round_up_delta(worst.delta), worst.size)
    return f"| {' | '.join(map(str, numbers))} |"


def main() -> None:
    sys.stdout.write(f"The smallest k with δ ≤ {round_up_delta(TARGET)}:\n\n")
    sys.stdout.write("| ε | β | k | published | δ | worst class |\n| --- | --- | --- | --- | --- | --- |\n")
    for epsilon in EPSILONS:
        for beta in BETAS:
            sys.stdout.write(f"{row(epsilon, beta)}\n")


if __name__ == "__main__":
    main()
