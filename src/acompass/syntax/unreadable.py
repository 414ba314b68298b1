"""Tokens that are wrong wherever they stand: open quotes, malformed numbers, characters without a meaning."""

from acompass.diagnostics import Diagnostic
from acompass.syntax.spelling import quoted_name, spell_name, spell_string
from acompass.syntax.unexpected import Unexpected, quote

_DOUBLE = "“”„«»"


def unreadable(unexpected: Unexpected) -> Diagnostic | None:
    text = unexpected.token.text

    def wrong(code: str, message: str, help_: str) -> Diagnostic:
        return Diagnostic(code, message, unexpected.label(), help_)

    match unexpected.token.type:
        case "OPEN_STRING":
            help_ = f"write `{text.rstrip()}'`"
            return wrong("AC002", f"string {quote(text)} has no closing `'`", help_)
        case "OPEN_QUOTED":
            return wrong("AC003", f'name {quote(text)} has no closing `"`', f'write `{text.rstrip()}"`')
        case "OPEN_COMMENT":
            return wrong("AC004", "comment `/*` has no closing `*/`", "write `*/` where the comment ends")
        case "MALFORMED_NUMBER":
            return wrong("AC005", f"malformed number {quote(text)}", _number_help(text))
        case "EMPTY_QUOTED":
            return wrong("AC006", 'the name `""` is empty', "write `''` for the empty text")
        case "CURLY":
            return wrong("AC007", f"curly quotes {quote(text)}", f"write `{_straight(text)}`")
        case "CHARACTER":
            help_ = "in a name or a text it goes in quotes, as in `\"AEC (kWh)\" = '212**'`"
            return wrong("AC001", f"unexpected character {_character(text[0])}", help_)
        case _:
            return None


def _character(character: str) -> str:
    """The character itself where it can be seen, else its number."""
    return f"`{character}`" if character.isprintable() else f"U+{ord(character):04X}"


def _number_help(text: str) -> str:
    digits = text.replace("_", "").removesuffix(".")
    digits = f"0{digits}" if digits.startswith(".") else digits
    whole, point, fraction = digits.lstrip("+-").partition(".")
    if whole.isdecimal() and (fraction.isdecimal() or not point):
        return f"write `{digits}`"
    return f"write a number as `1200` or `-0.5`, a name as `{quoted_name(text)}`"


def _straight(text: str) -> str:
    inner = text.strip(_DOUBLE + "‘’´")
    if text[0] in _DOUBLE and inner:
        return spell_name(inner)
    return spell_string(inner)
