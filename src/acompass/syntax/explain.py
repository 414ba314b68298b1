"""Explain a syntax error, and suggest what to write instead."""

from dataclasses import replace as replace_field

from acompass.diagnostics import Diagnostic, Fix, Label, Span
from acompass.diagnostics.edits import delete, insert, offer, safe
from acompass.syntax.habits import HABITS, Rule
from acompass.syntax.malformed_actions import EVERYDAY
from acompass.syntax.malformed_balls import BALLS, SHARES
from acompass.syntax.malformed_chances import CHANCES, RATIOS
from acompass.syntax.malformed_maps import MAPS
from acompass.syntax.malformed_urns import BRACKETS, URNS
from acompass.syntax.misread import MISREAD
from acompass.syntax.missing import MISSING
from acompass.syntax.predicates import PREDICATES
from acompass.syntax.slips import SLIPS, replace_without_with
from acompass.syntax.tokens import Token
from acompass.syntax.unexpected import Unexpected, quote, text_of
from acompass.syntax.unreadable import unreadable

_LONGEST_HELP = 250
#: signs that only one form explains, tokens that are wrong anywhere, then forms beyond the paper, slips and
#: habits, misread words, missing parts
RULES: tuple[Rule, ...] = (
    *(*RATIOS, *SHARES, *BRACKETS),
    unreadable,
    *PREDICATES,
    *CHANCES,
    *URNS,
    *BALLS,
    *MAPS,
    *EVERYDAY,
    *SLIPS,
    *HABITS,
    *MISREAD,
    replace_without_with,
    *MISSING,
)


def explain(unexpected: Unexpected) -> Diagnostic:
    """The diagnostic of the first rule that recognizes the mistake."""
    for rule in RULES:
        diagnostic = rule(unexpected)
        if diagnostic is not None:
            return _with_short_help(diagnostic)
    message = f"expected {unexpected.expected}, found {unexpected.found}"
    help_ = _help(unexpected)
    diagnostic = Diagnostic("AC014", message, unexpected.label(), help_, fixes=_offers(unexpected))
    return _with_short_help(diagnostic)


def _help(unexpected: Unexpected) -> str:
    token = unexpected.token
    if token.type == "RPAR":
        return "remove the `)`"
    if token.type in ("OPERATOR", "UNEQUAL", "HABIT") and unexpected.wants_name:
        comparison = text_of([token, *unexpected.after[:1]])
        return f"name a column before {quote(token.text)}, as in `Age {comparison}`"
    if "SEMICOLON" in unexpected.accepted and unexpected.left_out is None:
        return f"end the requirement with `;` before {quote(token.text)}, or remove the rest"
    return f"write `{unexpected.sample}`"


def _with_short_help(diagnostic: Diagnostic) -> Diagnostic:
    """A help that repeats much of the policy is cut to a part of one line."""
    line = " ".join((diagnostic.help or "").split("\n"))
    if line == diagnostic.help and len(line) <= _LONGEST_HELP:
        return diagnostic
    return replace_field(diagnostic, help=f"{line[: _LONGEST_HELP - 1]}…")


def _offers(unexpected: Unexpected) -> tuple[Fix, ...]:
    token, previous = unexpected.token, unexpected.previous
    if unexpected.left_out is not None:
        return offer(f"insert `{unexpected.left_out}`", insert(token.start, f"{unexpected.left_out} "))
    if token.type == "RPAR":
        return offer("remove the `)`", delete(token.span))
    if token.type in ("COLON", "SEMICOLON") and "RPAR" in unexpected.accepted and previous is not None:
        return offer("insert `)`", insert(previous.end, ")"))
    return ()


def missing_semicolon(segment: list[Token]) -> Diagnostic:
    last = segment[-2]
    return Diagnostic(
        "AC010",
        "missing `;` at the end of the requirement",
        (Label(Span(last.end - 1, last.end), "expected `;` after this"),),
        help=f"write `{text_of(segment[-4:-1])};`",
        fixes=safe("insert `;`", insert(last.end, ";")),
    )


def too_deep(token: Token, maximum: int) -> Diagnostic:
    return Diagnostic(
        "AC020",
        f"more than {maximum} nested parentheses and `NOT`s",
        (Label(token.span),),
        help="split the condition into several requirements, or remove redundant parentheses",
    )
