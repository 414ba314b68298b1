"""Constants outside a policy, in the policy's syntax (D4)."""

from decimal import Decimal

from acompass.syntax.spelling import unquote
from acompass.syntax.tokens import tokenize


def read_constant(text: str) -> Decimal | str | None:
    """A number, or the text between single quotes; None if the text is neither."""
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
