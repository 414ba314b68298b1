"""Tokens that are invalid anywhere: open quotes, malformed numbers, unknown characters."""

import re

from acompass.diagnostics import Diagnostic, Fix
from acompass.diagnostics.edits import insert, offer, replace, safe
from acompass.syntax.spelling import quoted_name, spell_name, spell_string
from acompass.syntax.tokens import FOREIGN_COMMENTS
from acompass.syntax.unexpected import Unexpected, quote, text_of

_DOUBLE = "“”„«»"
#: the quotes that close each opening one
_CLOSING = {"‘": "’", "“": "”", "„": "“”", "«": "»"}
#: a quote and the words before a comparison sign
_BEFORE_SIGN = re.compile(r'"[^<>=≤≥!]*[^<>=≤≥!\s](?=\s*[<>=≤≥!])')
#: digits in groups, or without a digit on one side of the point
_NEARLY_A_NUMBER = re.compile(r"[+-]?[0-9]+(_[0-9]+)*(\.[0-9]*)?|[+-]?\.[0-9]+")


def unreadable(unexpected: Unexpected) -> Diagnostic | None:
    text = unexpected.token.text

    def wrong(code: str, message: str, help_: str, fixes: tuple[Fix, ...] = ()) -> Diagnostic:
        return Diagnostic(code, message, unexpected.label(), help_, fixes=fixes)

    match unexpected.token.type:
        case "OPEN_STRING":
            help_ = f"write `{text.rstrip()}'`"
            return wrong("AC002", f"missing closing `'` of {quote(text)}", help_, _closed(unexpected, "'"))
        case "OPEN_QUOTED":
            return _open_name(unexpected)
        case "OPEN_COMMENT":
            return wrong("AC004", "missing closing `*/` of a comment", "end the comment with `*/`")
        case "MALFORMED_NUMBER":
            return _malformed_number(unexpected)
        case "EMPTY_QUOTED":
            return _empty_name(unexpected)
        case "CURLY":
            return _curly_quotes(unexpected)
        case "CHARACTER":
            help_ = "in a name or a text it needs quotes, as in `\"AEC (kWh)\" = '212**'`"
            return wrong("AC001", f"unexpected character {_character(text[0])}", help_)
        case _:
            return None


def _open_name(unexpected: Unexpected) -> Diagnostic:
    """The quote probably belongs before the comparison sign, if there is one."""
    text = unexpected.token.text.rstrip()
    name = _BEFORE_SIGN.match(text)
    end = len(text) if name is None else name.end()
    help_ = f'write `{text[:end]}"{text[end:]}`'
    # behind the quote, a mark in the name would begin a comment and hide what follows it on the line
    hides = any(mark in text[end:] for mark in ("--", "/*", *FOREIGN_COMMENTS))
    fixes = () if hides else offer('insert `"`', insert(unexpected.token.start + end, '"'))
    message = f'missing closing `"` of {quote(text)}'
    return Diagnostic("AC003", message, unexpected.label(), help_, fixes=fixes)


def _empty_name(unexpected: Unexpected) -> Diagnostic:
    message, label = 'empty name `""`', unexpected.label()
    if "STRING" not in unexpected.accepted:
        return Diagnostic("AC006", message, label, 'name a column, as in `Age` or `"AEC (kWh)"`')
    fixes = safe("write `''`", replace(unexpected.token.span, "''"))
    return Diagnostic("AC006", message, label, "write `''` for the empty text", fixes=fixes)


def _closed(unexpected: Unexpected, mark: str) -> tuple[Fix, ...]:
    """The fix is only an offer, because the quote may have been meant to close earlier."""
    token = unexpected.token
    return offer(f"insert `{mark}`", insert(token.start + len(token.text.rstrip()), mark))


def _character(character: str) -> str:
    """The character if it is printable, otherwise its code point."""
    return f"`{character}`" if character.isprintable() else f"U+{ord(character):04X}"


def _malformed_number(unexpected: Unexpected) -> Diagnostic:
    text = unexpected.token.text
    message = f"malformed number {quote(text)}"
    if not _NEARLY_A_NUMBER.fullmatch(text):
        help_, fixes = _not_a_number(unexpected)
        return Diagnostic("AC005", message, unexpected.label(), help_, fixes=fixes)
    help_ = f"write `{_number(text)}`"
    fixes = safe(help_, replace(unexpected.token.span, _number(text)))
    is_place = "NUMBER" in unexpected.accepted
    return Diagnostic("AC005", message, unexpected.label(), help_, fixes=fixes if is_place else ())


def _not_a_number(unexpected: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    """The help, and an offer to quote the text or the name that it may be."""
    help_, words = "write a number in digits, as in `1200` or `-0.5`", [unexpected.token]
    if "STRING" in unexpected.accepted:
        quoted = spell_string(unexpected.token.text)
    elif unexpected.wants_name:
        words += unexpected.words_after
        quoted = quoted_name(text_of(words))
    else:
        return help_, ()
    fixes = offer(f"write `{quoted}`", replace(words[0].span.to(words[-1].span), quoted))
    return f"{help_}; if it is not a number, write `{quoted}`", fixes


def _number(text: str) -> str:
    """The number that was probably meant."""
    return re.sub(r"^([+-]?)\.", r"\g<1>0.", text.replace("_", "")).removesuffix(".")


def _curly_quotes(unexpected: Unexpected) -> Diagnostic:
    token = unexpected.token
    straight = _straight(unexpected)
    fixes = safe(f"write `{straight}`", replace(token.span, straight)) if _is_quoted(unexpected) else ()
    message = f"curly quotes {quote(token.text)}"
    return Diagnostic("AC007", message, unexpected.label(), f"write `{straight}`", fixes=fixes)


def _straight(unexpected: Unexpected) -> str:
    text = unexpected.token.text
    inner = text.strip(_DOUBLE + "‘’´")
    if text[0] in _DOUBLE and inner:
        return spell_name(inner)
    return spell_string(inner)


def _is_quoted(unexpected: Unexpected) -> bool:
    """Whether this is a complete name in double curly quotes, or text in single ones, where one is allowed.

    In `‘it’s’`, the text ends too early: the rest follows immediately.
    """
    token, following = unexpected.token, unexpected.following
    if len(token.text) < 2 or token.text[-1] not in _CLOSING.get(token.text[0], ""):
        return False
    if following is not None and following.start == token.end and following.type in ("WORD", "CURLY"):
        return False
    if token.text[0] in _DOUBLE:
        return unexpected.wants_name and len(token.text) > 2
    return "STRING" in unexpected.accepted
