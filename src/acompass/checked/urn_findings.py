"""The mistakes that the values of a RANDOM … FROM can have for a schema, one function per mistake."""

from collections.abc import Sequence

from acompass.diagnostics import Diagnostic, Edit, Fix, Label, Span
from acompass.diagnostics.edits import delete, offer, replace
from acompass.syntax import tree
from acompass.syntax.spelling import spell_constant, spell_number, spell_string
from acompass.syntax.unexpected import quote


def mixed_kinds(balls: Sequence[tree.Ball], other: tree.Ball) -> Diagnostic:
    first = balls[0].constant
    return Diagnostic(
        "AC125",
        "numbers and texts among the values of one RANDOM",
        (Label(other.constant.span), Label(first.span, "the first value is of the other kind")),
        help="write all values as numbers, or all as texts in quotes",
        fixes=_in_quotes([ball.constant for ball in balls]),
    )


def _in_quotes(constants: Sequence[tree.Constant]) -> tuple[Fix, ...]:
    """All numbers as texts, if no parameter is among the values."""
    if any(isinstance(constant, tree.Parameter) for constant in constants):
        return ()
    numbers = [constant for constant in constants if isinstance(constant, tree.Number)]
    edits = (replace(number.span, spell_string(spell_number(number.value))) for number in numbers)
    return offer("put the numbers in quotes", *edits)


def drawn_twice(balls: Sequence[tree.Ball], first: int, again: int) -> Diagnostic:
    one, other = balls[first], balls[again]
    spelled = [quote(spell_constant(ball.constant)) for ball in (one, other)]
    message = f"{spelled[0]} twice among the values of RANDOM"
    if spelled[0] != spelled[1]:
        message = f"{spelled[0]} and {spelled[1]} are the same value in this column"
    once = f"{int(one.times) + int(other.times)} OF {spell_constant(one.constant)}"
    return Diagnostic(
        "AC126",
        message,
        (Label(other.span), Label(one.span, "here first")),
        help="write the value once, with the sum of both weights",
        fixes=offer(f"write {quote(once)} once", *_once(balls, first, again, once)),
    )


def _once(balls: Sequence[tree.Ball], first: int, again: int, written: str) -> tuple[Edit, Edit]:
    """The first ball with the weights of both, and the other one gone with the comma before it."""
    gone = Span(balls[again - 1].span.end, balls[again].span.end)
    return replace(balls[first].span, written), delete(gone)
