"""Habits from SQL and COMPASS (D7). Each is an error whose help shows what to write instead."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeAlias

from acompass.diagnostics import Diagnostic, Fix, Label
from acompass.diagnostics.edits import insert, offer, replace, safe
from acompass.syntax.spelling import spell_string, unquote
from acompass.syntax.tokens import Token
from acompass.syntax.unexpected import Unexpected, quote, text_of

Rule: TypeAlias = Callable[[Unexpected], Diagnostic | None]

_STATEMENTS = frozenset({"select", "update", "delete", "insert", "create", "drop", "alter", "from"})
#: includes text in double quotes, which may be meant as a column
_CONSTANTS = frozenset({"NUMBER", "STRING", "WORD", "PARAMETER", "QUOTED"})
_CERTAIN_CONSTANTS = _CONSTANTS - {"QUOTED"}
_LAST_BEFORE_SURROGATES = 0xD7FF
_SIGNS = {"==": "=", "=<": "<=", "=>": ">="}
_CONNECTIVES = {"&&": "AND", "||": "OR", "!": "NOT"}


def sign(unexpected: Unexpected) -> Diagnostic | None:
    """`!=`, `<>`, `≠`, `==`, `=<`, `=>`, `&&`, `||` and `!`."""
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
    name, constant = text_of(_name_before(unexpected)), text_of(unexpected.after[:1])
    help_ = f"write `{f'{name} {meant} {constant}'.strip()}`"
    fixes = safe(f"write `{meant}`", replace(token.span, meant)) if unexpected.wants_operator else ()
    message = f"unknown comparison sign {quote(token.text)}"
    return Diagnostic("AC031", message, unexpected.label(), help_, fixes=fixes)


def _unequal(unexpected: Unexpected) -> Diagnostic:
    name, constant = text_of(_name_before(unexpected)), text_of(unexpected.after[:1])
    help_ = f"write `NOT ({name or 'A'} = {constant or '0'})`"
    message = f"unsupported comparison {quote(unexpected.token.text)}"
    fixes = _negated_equality(unexpected, help_)
    return Diagnostic("AC030", message, unexpected.label(), help_, fixes=fixes)


def _negated_equality(unexpected: Unexpected, title: str) -> tuple[Fix, ...]:
    name, after = _name_before(unexpected), unexpected.after
    if not unexpected.wants_operator or not after or after[0].type not in _CONSTANTS:
        return ()
    if _is_several_words(after):
        return ()
    return safe(
        title,
        insert(name[0].start, "NOT ("),
        replace(unexpected.token.span, "="),
        insert(after[0].end, ")"),
    )


def _is_several_words(tokens: list[Token]) -> bool:
    """Whether a second word follows the first. A constant is a single word."""
    return len(tokens) > 1 and tokens[1].type in ("WORD", "QUOTED")


def _name_before(unexpected: Unexpected) -> list[Token]:
    previous = unexpected.previous
    if previous is not None and previous.type == "QUOTED":
        return [previous]
    return unexpected.words_before


@dataclass(frozen=True)
class _Predicate:
    """SQL's `name [NOT] word operands`."""

    name: list[Token]
    negated: bool
    word: Token
    operands: list[Token]

    def condition(self, inner: str) -> str:
        return f"NOT ({inner})" if self.negated else f"({inner})"

    @property
    def has_plain_name(self) -> bool:
        return len(self.name) == 1 or all(token.type == "WORD" for token in self.name)


def _predicate(unexpected: Unexpected, words: Iterable[str]) -> _Predicate | None:
    if not unexpected.wants_operator:
        return None
    tokens = [*_name_before(unexpected), *unexpected.tokens[unexpected.index : -1]]
    at = next((i for i, token in enumerate(tokens) if i and token.text.upper() in words), None)
    if at is None or any(token.type not in ("WORD", "QUOTED", "NOT") for token in tokens[:at]):
        return None
    negated = tokens[at - 1].type == "NOT"
    return _Predicate(tokens[: at - negated], negated, tokens[at], tokens[at + 1 :])


@dataclass(frozen=True)
class _Rewrite:
    """A condition of the language, and the last token that it replaces; None if it is only an example."""

    condition: str
    last: Token | None
    is_certain: bool = True


def predicate(unexpected: Unexpected) -> Diagnostic | None:
    """`A IN (…)`, `A BETWEEN … AND …`, `A LIKE …`, and each after NOT."""
    found = _predicate(unexpected, _INSTEAD)
    if found is None:
        return None
    word = found.word.text.upper()
    code, instead = _INSTEAD[word]
    rewrite = instead(text_of(found.name), found.operands)
    condition = found.condition(rewrite.condition)
    help_ = f"write `{condition}`"
    fixes: tuple[Fix, ...] = ()
    if rewrite.last is None:
        help_ = f"list the values, as in `{condition}`"
    else:
        is_safe = rewrite.is_certain and found.has_plain_name and word in _SAME_MEANING
        fixes = (safe if is_safe else offer)(
            help_, replace(found.name[0].span.to(rewrite.last.span), condition)
        )
    message = f"`{word}` is not supported in conditions"
    return Diagnostic(code, message, (Label(found.word.span),), help_, fixes=fixes)


def is_null(unexpected: Unexpected) -> Diagnostic | None:
    found = _predicate(unexpected, ("IS",))
    if found is None:
        return None
    message = "`IS` is not supported in conditions: the columns that a policy names have no missing values"
    help_ = "drop incomplete records with `--missing drop`, or fill them with `--missing VALUE`"
    return Diagnostic("AC038", message, (Label(found.word.span),), help_)


def _instead_of_in(name: str, operands: list[Token]) -> _Rewrite:
    listed = list(takewhile(lambda token: token.type != "RPAR", operands))
    values = [_constant(token) for token in listed if token.type in _CONSTANTS]
    condition = " OR ".join(f"{name} = {value}" for value in values or ["1", "2"])
    is_whole = _is_list(listed) and len(listed) < len(operands)
    is_certain = all(token.type != "QUOTED" for token in listed)
    return _Rewrite(condition, operands[len(listed)] if is_whole else None, is_certain)


def _is_list(tokens: list[Token]) -> bool:
    """Whether the tokens are `(`, then constants with a comma between each two."""
    constants, commas = tokens[1::2], tokens[2::2]
    return (
        text_of(tokens[:1]) == "("
        and len(constants) == len(commas) + 1
        and all(token.type in _CONSTANTS for token in constants)
        and all(token.type == "COMMA" for token in commas)
    )


def _instead_of_between(name: str, operands: list[Token]) -> _Rewrite:
    """BETWEEN includes both ends, as in SQL."""
    values = [_constant(token) for token in operands if token.type in _CONSTANTS]
    lower, upper = values[:2] if len(values) >= 2 else ("1", "2")
    condition = f"{name} >= {lower} AND {name} <= {upper}"
    return _Rewrite(condition, operands[2] if _is_interval(operands) else None)


def _is_interval(operands: list[Token]) -> bool:
    if len(operands) < 3 or _is_several_words(operands[2:]):
        return False
    lower, word, upper = operands[:3]
    return {lower.type, upper.type} <= _CERTAIN_CONSTANTS and word.type == "AND"


def _instead_of_like(name: str, operands: list[Token]) -> _Rewrite:
    """A prefix pattern is an interval of text. Other patterns cannot be written as a condition."""
    pattern = operands[0].text[1:-1] if operands and operands[0].type == "STRING" else ""
    prefix = pattern.removesuffix("%")
    if not prefix or set(prefix) & set("%_'") or ord(prefix[-1]) >= _LAST_BEFORE_SURROGATES:
        return _Rewrite(f"{name} = 'one value' OR {name} = 'another'", None)
    if prefix == pattern:
        return _Rewrite(f"{name} = '{pattern}'", operands[0])
    beyond = spell_string(prefix[:-1] + chr(ord(prefix[-1]) + 1))
    return _Rewrite(f"{name} >= '{prefix}' AND {name} < {beyond}", operands[0])


def _constant(token: Token) -> str:
    return spell_string(unquote(token.text)) if token.type == "QUOTED" else token.text


_INSTEAD: dict[str, tuple[str, Callable[[str, list[Token]], _Rewrite]]] = {
    "IN": ("AC032", _instead_of_in),
    "BETWEEN": ("AC033", _instead_of_between),
    "LIKE": ("AC034", _instead_of_like),
    "ILIKE": ("AC034", _instead_of_like),
}
#: without ILIKE, because no condition ignores case
_SAME_MEANING = frozenset(_INSTEAD) - {"ILIKE"}


def compass_action(unexpected: Unexpected) -> Diagnostic | None:
    """COMPASS's `ZERO A` and `JOIN`."""
    if "REJECT" not in unexpected.accepted:
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
        f"expected `EACH` or `SOME`, found the SQL statement {found}",
        unexpected.label(),
        "a policy consists of requirements, as in `EACH FILTER Age > 80 : Age = 80 : REPLACE Age WITH 80;`",
    )


HABITS: tuple[Rule, ...] = (sign, predicate, is_null, compass_action, statement)
