"""Names, strings and numbers as policy text that parses back to the same value (D3, D4)."""

from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from acompass.syntax import tree
from acompass.syntax.tokens import KEYWORDS, is_word

#: digits after the point that are looked for; a probability of a policy has fewer
_MOST_DIGITS = 1_100


def spell_name(text: str, ending: str | None = None) -> str:
    """Bare words if possible, else double quotes. The word `ending` ends a bare name in its place (X0)."""
    words = text.split(" ")
    if all(is_word(word) and word.lower() not in KEYWORDS and word.upper() != ending for word in words):
        return text
    return quoted_name(text)


def quoted_name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def spell_string(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def spell_number(value: Decimal) -> str:
    return f"{value:f}"


def spell_fraction(value: Fraction) -> str | None:
    """A positive number in digits; None if it has too many or infinitely many."""
    for scale in range(_MOST_DIGITS if value < 10**_MOST_DIGITS else 0):
        if 10**scale % value.denominator == 0:
            whole, rest = divmod(int(value * 10**scale), 10**scale)
            return f"{whole}.{rest:0{scale}}" if scale else str(whole)
    return None


def spell_probability(value: Fraction) -> str:
    """A probability of a policy, where it was written in digits."""
    spelled = spell_fraction(value)
    assert spelled is not None, "no number of a policy has infinitely many digits"
    return spelled


def spell_constant(constant: tree.Constant) -> str:
    match constant:
        case tree.Number(value):
            return spell_number(value)
        case tree.String(text):
            return spell_string(text)
        case tree.Parameter(name):
            return name
        case _:
            assert_never(constant)


def unquote(text: str) -> str:
    """The text between quotes; a doubled quote stands for one."""
    quote = text[0]
    return text[1:-1].replace(quote * 2, quote)
