"""What is wrong with a requirement, and what to write instead."""

from acompass.diagnostics import Diagnostic, Label, Span
from acompass.syntax import tree
from acompass.syntax.habits import HABITS, Rule
from acompass.syntax.misread import MISREAD
from acompass.syntax.missing import MISSING
from acompass.syntax.tokens import Token
from acompass.syntax.unexpected import Unexpected, quote, text_of
from acompass.syntax.unreadable import unreadable

#: a token's own fault first, then habits, then what was meant, last what is not there
RULES: tuple[Rule, ...] = (unreadable, *HABITS, *MISREAD, *MISSING)


def explain(unexpected: Unexpected) -> Diagnostic:
    """The first rule that knows the mistake has the word."""
    for rule in RULES:
        diagnostic = rule(unexpected)
        if diagnostic is not None:
            return diagnostic
    message = f"expected {unexpected.expected}, found {unexpected.found}"
    return Diagnostic("AC014", message, unexpected.label(), f"write `{unexpected.sample}`")


def missing_semicolon(segment: list[Token]) -> Diagnostic:
    last = segment[-2]
    return Diagnostic(
        "AC010",
        "missing `;` at the end of the requirement",
        (Label(Span(last.end - 1, last.end), "expected `;` after this"),),
        help=f"write `{text_of(segment[-4:-1])};`",
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
        f"expected an integer as the bound of `RANDOM`, found {quote(found)}",
        (Label(bound.span),),
        help=f"write {quote(found.partition('.')[0])}",
    )
