"""What is wrong with a requirement, and what to write instead."""

from acompass.diagnostics import Diagnostic, Label, Span
from acompass.syntax import tree
from acompass.syntax.tokens import Token
from acompass.syntax.unexpected import Unexpected, quote, text_of


def explain(unexpected: Unexpected) -> Diagnostic:
    message = f"expected {unexpected.expected}, found {unexpected.found}"
    return Diagnostic("AC014", message, unexpected.label())


def missing_semicolon(segment: list[Token]) -> Diagnostic:
    last = segment[-2]
    return Diagnostic(
        "AC010",
        "missing `;` at the end of the requirement",
        (Label(Span(last.end - 1, last.end), "expected `;` after this"),),
        help=f"`{text_of(segment[-4:-1])};`",
    )


def too_deep(token: Token, maximum: int) -> Diagnostic:
    return Diagnostic(
        "AC020",
        f"more than {maximum} parentheses and `NOT`s inside each other",
        (Label(token.span),),
        help="split the condition into several requirements, or remove parentheses that change nothing",
    )


def not_an_integer(bound: tree.Number) -> Diagnostic:
    found = f"{bound.value:f}"
    return Diagnostic(
        "AC021",
        f"the bounds of `RANDOM` are integers, found {quote(found)}",
        (Label(bound.span),),
        help=quote(found.partition(".")[0]),
    )
