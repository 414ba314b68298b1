"""Random probabilities and weights (X5, X6), and values of a trace that lie at their cuts."""

import random
from collections.abc import Sequence
from fractions import Fraction
from math import floor

#: the finest step of a trace: every multiple of 2⁻⁵² is a multiple of it
_STEP = 10**60
#: 2⁻³², the rarest outcome that a policy may have (X7), and its complement
_RAREST = "0.00000000023283064365386962890625"
_ALMOST_SURE = "0.99999999976716935634613037109375"
_PLAIN = ("0.5", "0.25", "0.75", "0.1", "0.9", "0.50", "0.3", "0.999")
_PRIMES = (2, 3, 5, 7, 11, 13, 97, 7919, 104_729, 1_000_003)


def random_probability(rng: random.Random) -> str:
    many_digits = f"0.{rng.randrange(10**39, 10**40 - 10**39)}"
    return rng.choice((*_PLAIN, many_digits, many_digits, many_digits, _RAREST, _ALMOST_SURE))


def random_weights(rng: random.Random, count: int) -> list[int]:
    draw = rng.choice(
        (
            lambda: 1,
            lambda: rng.randint(1, 9),
            lambda: rng.choice(_PRIMES),
            lambda: 2 ** rng.randint(0, 20),
            lambda: 10**40 + rng.randrange(10**40),
        )
    )
    return [draw() for _ in range(count)]


def near(rng: random.Random, cuts: Sequence[Fraction]) -> Fraction:
    """A value of a trace at one of the cuts, or just before or after it."""
    steps = floor(rng.choice(cuts) * _STEP) + rng.choice((-1, 0, 0, 1))
    return Fraction(min(max(steps, 0), _STEP - 1), _STEP)
