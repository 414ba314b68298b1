"""Constants written outside a policy, read as the policy would read them (D4)."""

from decimal import Decimal

from acompass.syntax.spelling import unquote
from acompass.syntax.tokens import tokenize


def read_constant(text: str) -> Decimal | str | None:
    """A number, the text between single quotes, or None where the whole text is neither."""
    tokens, _ = tokenize(text)
    if len(tokens) != 1 or tokens[0].text != text:
        return None
    match tokens[0].type:
        case "NUMBER":
            return Decimal(text)
        case "STRING":
            return unquote(text)
        case _:
            return None
