"""Habits from SQL and COMPASS (D7): each an error of its own, whose help is what to write instead."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeAlias

from acompass.diagnostics import Diagnostic, Label
from acompass.syntax.spelling import spell_string, unquote
from acompass.syntax.tokens import Token
from acompass.syntax.unexpected import Unexpected, quote, text_of

Rule: TypeAlias = Callable[[Unexpected], Diagnostic | None]

_STATEMENTS = frozenset({"select", "update", "delete", "insert", "create", "drop", "alter", "from"})
_CONSTANTS = frozenset({"NUMBER", "STRING", "WORD", "PARAMETER", "QUOTED"})
_LAST_BEFORE_SURROGATES = 0xD7FF
_SIGNS = {"==": "=", "=<": "<=", "=>": ">="}
_CONNECTIVES = {"&&": "AND", "||": "OR", "!": "NOT"}


def sign(unexpected: Unexpected) -> Diagnostic | None:
    """`!=`, `<>`, `≠`, `==`, `=<`, `=>`, `&&`, `||` and `!`."""
    if unexpected.token.type != "HABIT":
        return None
    found, at = unexpected.token.text, unexpected.label()
    name, constant = text_of(_name_before(unexpected)), text_of(unexpected.after[:1])
    if found in _CONNECTIVES:
        return Diagnostic("AC039", f"unknown sign {quote(found)}", at, f"write `{_CONNECTIVES[found]}`")
    if found in _SIGNS:
        comparison = f"{name} {_SIGNS[found]} {constant}".strip()
        message = f"unknown comparison sign {quote(found)}"
        return Diagnostic("AC031", message, at, f"write `{comparison}`")
    message = f"there is no comparison {quote(found)}"
    return Diagnostic("AC030", message, at, f"write `NOT ({name or 'A'} = {constant or '0'})`")


def _name_before(unexpected: Unexpected) -> list[Token]:
    previous = unexpected.previous
    if previous is not None and previous.type == "QUOTED":
        return [previous]
    return unexpected.words_before


@dataclass(frozen=True)
class _Predicate:
    """SQL's `name [NOT] word operands`."""

    name: str
    negated: bool
    word: Token
    operands: list[Token]


def _predicate(unexpected: Unexpected, words: Iterable[str]) -> _Predicate | None:
    if "OPERATOR" not in unexpected.accepted:
        return None
    tokens = [*_name_before(unexpected), *unexpected.tokens[unexpected.index : -1]]
    at = next((i for i, token in enumerate(tokens) if i and token.text.upper() in words), None)
    if at is None or any(token.type not in ("WORD", "QUOTED", "NOT") for token in tokens[:at]):
        return None
    negated = tokens[at - 1].type == "NOT"
    return _Predicate(text_of(tokens[: at - negated]), negated, tokens[at], tokens[at + 1 :])


def predicate(unexpected: Unexpected) -> Diagnostic | None:
    """`A IN (…)`, `A BETWEEN … AND …`, `A LIKE …`, and each after NOT."""
    found = _predicate(unexpected, _INSTEAD)
    if found is None:
        return None
    word = found.word.text.upper()
    code, instead = _INSTEAD[word]
    condition = f"({instead(found.name, found.operands)})"
    help_ = f"write `NOT {condition}`" if found.negated else f"write `{condition}`"
    return Diagnostic(code, f"there is no `{word}` in conditions", (Label(found.word.span),), help_)


def is_null(unexpected: Unexpected) -> Diagnostic | None:
    found = _predicate(unexpected, ("IS",))
    if found is None:
        return None
    message = "there is no `IS` in conditions, and no missing value in the columns a policy names"
    help_ = "drop incomplete records with `--missing drop`, or fill them with `--missing VALUE`"
    return Diagnostic("AC038", message, (Label(found.word.span),), help_)


def _instead_of_in(name: str, operands: list[Token]) -> str:
    listed = takewhile(lambda token: token.type != "RPAR", operands)
    values = [_constant(token) for token in listed if token.type in _CONSTANTS]
    return " OR ".join(f"{name} = {value}" for value in values or ["1", "2"])


def _instead_of_between(name: str, operands: list[Token]) -> str:
    values = [_constant(token) for token in operands if token.type in _CONSTANTS]
    lower, upper = values[:2] if len(values) >= 2 else ("1", "2")
    return f"{name} >= {lower} AND {name} <= {upper}"


def _instead_of_like(name: str, operands: list[Token]) -> str:
    """A prefix is an interval of code points; any other pattern has no counterpart."""
    pattern = operands[0].text[1:-1] if operands and operands[0].type == "STRING" else ""
    prefix = pattern.removesuffix("%")
    if not prefix or set(prefix) & set("%_'") or ord(prefix[-1]) >= _LAST_BEFORE_SURROGATES:
        return f"{name} = 'one value' OR {name} = 'another'"
    if prefix == pattern:
        return f"{name} = '{pattern}'"
    return f"{name} >= '{prefix}' AND {name} < '{prefix[:-1]}{chr(ord(prefix[-1]) + 1)}'"


def _constant(token: Token) -> str:
    return spell_string(unquote(token.text)) if token.type == "QUOTED" else token.text


_INSTEAD: dict[str, tuple[str, Callable[[str, list[Token]], str]]] = {
    "IN": ("AC032", _instead_of_in),
    "BETWEEN": ("AC033", _instead_of_between),
    "LIKE": ("AC034", _instead_of_like),
    "ILIKE": ("AC034", _instead_of_like),
}


def compass_action(unexpected: Unexpected) -> Diagnostic | None:
    """COMPASS's `ZERO A` and `JOIN`."""
    if "REJECT" not in unexpected.accepted:
        return None
    name = text_of(token for token in unexpected.after if token.type in ("WORD", "QUOTED")) or "A"
    match unexpected.token.text.lower():
        case "zero":
            message = "`ZERO` is an action of COMPASS, not of A-COMPASS"
            return Diagnostic("AC035", message, unexpected.label(), f"write `REPLACE {name} WITH 0`")
        case "join":
            message = "`JOIN` is an action of COMPASS, not of A-COMPASS"
            help_ = (
                f"write one requirement with `REPLACE {name} WITH …` for each group to join, "
                "and check the joined groups with `EACH PROCESS SUM(Number) AS Size …`"
            )
            return Diagnostic("AC036", message, unexpected.label(), help_)
    return None


def statement(unexpected: Unexpected) -> Diagnostic | None:
    """`SELECT …` and its like where a requirement begins."""
    if "EACH" not in unexpected.accepted or unexpected.token.text.lower() not in _STATEMENTS:
        return None
    found = quote(unexpected.token.text)
    return Diagnostic(
        "AC037",
        f"expected `EACH` or `SOME`, found the SQL statement {found}",
        unexpected.label(),
        "write `EACH FILTER Age > 80 : Age = 80 : REPLACE Age WITH 80;`",
    )


HABITS: tuple[Rule, ...] = (sign, predicate, is_null, compass_action, statement)
