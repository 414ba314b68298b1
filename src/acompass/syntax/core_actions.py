"""The core's RANDOM that a RANDOM … FROM with equal weights stands for (X6)."""

from decimal import Decimal
from itertools import pairwise

from acompass.syntax import tree

#: the bounds of RANDOM are 64-bit integers (D14)
_LOWEST, _HIGHEST = Decimal(-(2**63)), Decimal(2**63 - 1)


def random(draw: tree.Draw) -> tree.Random | None:
    """The action that draws the same values from the same trace; None if the core has none.

    The values have to be integers without a gap, in ascending order, each with the same weight.
    """
    numbers = [ball.constant for ball in draw.balls if isinstance(ball.constant, tree.Number)]
    integers = [number.value for number in numbers if number.value.as_tuple().exponent == 0]
    is_without_gap = all(above - below == 1 for below, above in pairwise(integers))
    if len(integers) < len(draw.balls) or not is_without_gap or len({ball.times for ball in draw.balls}) > 1:
        return None
    if integers[0] < _LOWEST or integers[-1] > _HIGHEST:
        return None
    return tree.Random(draw.name, numbers[0], numbers[-1], draw.span)
