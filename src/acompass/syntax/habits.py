"""Habits from SQL and COMPASS (D7). Each is an error whose help shows what to write instead."""

from collections.abc import Callable
from itertools import takewhile
from typing import TypeAlias

from acompass.diagnostics import Diagnostic, Fix, Label
from acompass.diagnostics.edits import insert, replace, safe
from acompass.syntax.tokens import Token
from acompass.syntax.unexpected import Unexpected, quote, text_of

Rule: TypeAlias = Callable[[Unexpected], Diagnostic | None]

_STATEMENTS = frozenset({"select", "update", "delete", "insert", "create", "drop", "alter", "from"})
_SIGNS = {"==": "=", "=<": "<=", "=>": ">="}
_CONNECTIVES = {"&&": "AND", "||": "OR", "!": "NOT"}


def sign(unexpected: Unexpected) -> Diagnostic | None:
    """`≠`, `==`, `=<`, `=>`, `&&`, `||` and `!`."""
    if unexpected.token.type != "HABIT":
        return None
    if unexpected.token.text in _CONNECTIVES:
        return _connective(unexpected)
    if unexpected.token.text in _SIGNS:
        return _misspelt_sign(unexpected)
    return _unequal(unexpected)


def _connective(unexpected: Unexpected) -> Diagnostic:
    token, word = unexpected.token, _CONNECTIVES[unexpected.token.text]
    help_ = f"write `{word}`"
    fixes = safe(help_, replace(token.span, word)) if word in unexpected.accepted else ()
    return Diagnostic("AC039", f"unknown sign {quote(token.text)}", unexpected.label(), help_, fixes=fixes)


def _misspelt_sign(unexpected: Unexpected) -> Diagnostic:
    token, meant = unexpected.token, _SIGNS[unexpected.token.text]
    name, constant = text_of(name_before(unexpected)), text_of(unexpected.after[:1])
    help_ = f"write `{f'{name} {meant} {constant}'.strip()}`"
    is_whole = unexpected.following is not None and unexpected.following.type not in ("OPERATOR", "HABIT")
    is_sure = unexpected.wants_operator and is_whole
    fixes = safe(f"write `{meant}`", replace(token.span, meant)) if is_sure else ()
    message = f"unknown comparison sign {quote(token.text)}"
    return Diagnostic("AC031", message, unexpected.label(), help_, fixes=fixes)


def _unequal(unexpected: Unexpected) -> Diagnostic | None:
    if unexpected.token.text != "≠":
        return None
    name, constant = text_of(name_before(unexpected)), text_of(unexpected.after[:1])
    help_ = f"write `{name or 'A'} != {constant or '0'}`"
    fixes = safe("write `!=`", replace(unexpected.token.span, "!=")) if unexpected.wants_operator else ()
    return Diagnostic("AC030", "unknown comparison sign `≠`", unexpected.label(), help_, fixes=fixes)


def name_before(unexpected: Unexpected) -> list[Token]:
    previous = unexpected.previous
    if previous is not None and previous.type == "QUOTED":
        return [previous]
    return unexpected.words_before


def is_null(unexpected: Unexpected) -> Diagnostic | None:
    if not unexpected.wants_operator:
        return None
    tokens = [*name_before(unexpected), *unexpected.tokens[unexpected.index :]]
    words = takewhile(lambda token: token.type in ("WORD", "QUOTED"), tokens)
    found = next((word for word in [*words][1:] if word.text.upper() == "IS"), None)
    if found is None:
        return None
    message = "`IS` is not supported in conditions: the columns that a policy names have no missing values"
    help_ = "drop incomplete records with `--missing drop`, or fill them with `--missing VALUE`"
    return Diagnostic("AC038", message, (Label(found.span),), help_)


def compass_action(unexpected: Unexpected) -> Diagnostic | None:
    """COMPASS's `ZERO A` and `JOIN`."""
    if not unexpected.wants_action:
        return None
    name = text_of(token for token in unexpected.after if token.type in ("WORD", "QUOTED")) or "A"
    match unexpected.token.text.lower():
        case "zero":
            message = "`ZERO` is an action of COMPASS, not of A-COMPASS"
            help_ = f"write `REPLACE {name} WITH 0`"
            return Diagnostic("AC035", message, unexpected.label(), help_, fixes=_zero(unexpected, help_))
        case "join":
            message = "`JOIN` is an action of COMPASS, not of A-COMPASS"
            help_ = (
                f"write one requirement with `REPLACE {name} WITH …` for each group to join, "
                "and check the joined groups with `EACH PROCESS SUM(Number) AS Size …`"
            )
            return Diagnostic("AC036", message, unexpected.label(), help_)
    return None


def _zero(unexpected: Unexpected, title: str) -> tuple[Fix, ...]:
    name = unexpected.after
    if [token.type for token in name] != ["QUOTED"] and {token.type for token in name} != {"WORD"}:
        return ()
    return safe(title, replace(unexpected.token.span, "REPLACE"), insert(name[-1].end, " WITH 0"))


def statement(unexpected: Unexpected) -> Diagnostic | None:
    """An SQL statement where a requirement begins."""
    if "EACH" not in unexpected.accepted or unexpected.token.text.lower() not in _STATEMENTS:
        return None
    found = quote(unexpected.token.text)
    return Diagnostic(
        "AC037",
        f"expected {unexpected.expected}, found the SQL statement {found}",
        unexpected.label(),
        "a policy consists of requirements, as in `EACH FILTER Age > 80 : Age = 80 : REPLACE Age WITH 80;`",
    )


HABITS: tuple[Rule, ...] = (sign, is_null, compass_action, statement)
