"""Recognize text that cannot be read, or that does not mean what its author intended.

The rules are about a table in place of a policy; open quotes, malformed numbers and unknown characters; and misspelled
keywords, reserved words and wrong quotes."""

import codecs
import csv
import re
from difflib import get_close_matches
from itertools import islice

from acompass.errors.diagnostics import Diagnostic, Fix, insert, offer, replace, safe
from acompass.errors.display import quote
from acompass.language.mistakes.syntax_error import Rule, Unexpected, is_one_letter_off, is_swapped, join_tokens
from acompass.language.text.tokens import (
    FOREIGN_COMMENTS,
    KEYWORDS,
    Token,
    quoted_name,
    spell_name,
    spell_string,
    unquote,
)

#: bytes that are enough to recognize a file
ENOUGH = 1 << 16

_MAGIC = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\x1f\x8b": "a gzip file",
    b"PK\x03\x04": "an Excel workbook or another zip file",
    b"\xd0\xcf\x11\xe0": "an Excel workbook",
    b"SQLite format 3": "a database file",
}
_DELIMITERS = (",", ";", "\t", "|")
#: lines that are compared with the header
_SAMPLED = 20
_REQUIREMENT = re.compile(r"\bALWAYS\s*:|\b(EACH|SOME)\s+(RESULT|RECORD|(FILTER|PROCESS)\b[^:;]*+)\s*:", re.IGNORECASE)
_FIRST_WORD_OF_POLICY = re.compile(
    r"(ALWAYS|EACH|SOME|SELECT|UPDATE|DELETE|INSERT|CREATE|WITH|FROM|DROP|GENERALIZE)\s+\w|--|/\*|//|#", re.IGNORECASE
)
_COMPARISON = re.compile(r"[<>=≤≥≠]")


def table_kind(start: bytes) -> str | None:
    """The kind of table that begins with these bytes; None if it may be a policy."""
    for magic, kind in _MAGIC.items():
        if start.startswith(magic):
            return kind
    return "a CSV file" if is_csv(decode_start(start)) else None


def decode_start(start: bytes) -> str:
    """The text of the first bytes, with replacement characters where it cannot be decoded."""
    return start.decode("utf-16" if is_utf16(start) else "utf-8-sig", errors="replace")


def is_utf16(start: bytes) -> bool:
    return start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def is_csv(text: str) -> bool:
    """Whether a text begins with a header of at least two columns and has records of the same width."""
    lines = text[:ENOUGH].lstrip().splitlines()
    if not lines or _FIRST_WORD_OF_POLICY.match(lines[0]) or _COMPARISON.search(lines[0]):
        return False
    if _REQUIREMENT.search(text, 0, ENOUGH):
        return False
    return any(_splits_evenly(lines, delimiter) for delimiter in _DELIMITERS)


def _splits_evenly(lines: list[str], delimiter: str) -> bool:
    """Whether most lines have as many fields as the first one."""
    try:
        header, *records = islice(csv.reader(lines, delimiter=delimiter), 1 + _SAMPLED)
    except csv.Error:
        return False
    alike = sum(len(record) == len(header) for record in records)
    return sum(map(bool, header)) > 1 and 2 * alike >= len(records)


_DOUBLE = "“”„«»"
#: the quotes that close each opening one
_CLOSING = {"‘": "’", "“": "”", "„": "“”", "«": "»"}
#: a quote and the words before a comparison operator
_BEFORE_SIGN = re.compile(r'"[^<>=≤≥!]*[^<>=≤≥!\s](?=\s*[<>=≤≥!])')
#: digits in groups, or without a digit on one side of the point
_NEARLY_A_NUMBER = re.compile(r"[+-]?[0-9]+(_[0-9]+)*(\.[0-9]*)?|[+-]?\.[0-9]+")


def unreadable_token(error: Unexpected) -> Diagnostic | None:
    text, wrong = error.token.text, error.diagnose
    match error.token.type:
        case "OPEN_STRING":
            help_ = f"write `{text.rstrip()}'`"
            # an offer, because the quote may have been meant to close earlier
            fixes = offer("insert `'`", insert(error.token.start + len(text.rstrip()), "'"))
            return wrong("AC002", f"missing closing `'` of {quote(text)}", help_, fixes)
        case "OPEN_QUOTED":
            return _open_name(error)
        case "OPEN_COMMENT":
            return wrong("AC004", "missing closing `*/` of a comment", "end the comment with `*/`")
        case "MALFORMED_NUMBER":
            return _malformed_number(error)
        case "EMPTY_QUOTED":
            return _empty_name(error)
        case "CURLY":
            return _curly_quotes(error)
        case "CHARACTER":
            help_ = "in a name or in text, it needs quotes, as in `\"AEC (kWh)\" = '212**'`"
            return wrong("AC001", f"unexpected character {_character(text[0])}", help_)
        case _:
            return None


def _open_name(error: Unexpected) -> Diagnostic:
    """A name without its closing quote, which probably belongs before the comparison operator, if there is one."""
    text = error.token.text.rstrip()
    name = _BEFORE_SIGN.match(text)
    end = len(text) if name is None else name.end()
    # after the quote, a mark in the name would begin a comment and hide the rest of the line
    hides = any(mark in text[end:] for mark in ("--", "/*", *FOREIGN_COMMENTS))
    fixes = () if hides else offer('insert `"`', insert(error.token.start + end, '"'))
    return error.diagnose("AC003", f'missing closing `"` of {quote(text)}', f'write `{text[:end]}"{text[end:]}`', fixes)


def _empty_name(error: Unexpected) -> Diagnostic:
    help_, fixes = "write `''` for the empty text", safe("write `''`", replace(error.token.span, "''"))
    if "STRING" not in error.accepted:
        help_, fixes = 'name a column, as in `Age` or `"AEC (kWh)"`', ()
    return error.diagnose("AC006", 'empty name `""`', help_, fixes)


def _character(character: str) -> str:
    """The character if it is printable, otherwise its code point."""
    return f"`{character}`" if character.isprintable() else f"U+{ord(character):04X}"


def _malformed_number(error: Unexpected) -> Diagnostic:
    text = error.token.text
    message = f"malformed number {quote(text)}"
    if not _NEARLY_A_NUMBER.fullmatch(text):
        return error.diagnose("AC005", message, *_not_a_number(error))
    number = re.sub(r"^([+-]?)\.", r"\g<1>0.", text.replace("_", "")).removesuffix(".")
    fixes = safe(f"write `{number}`", replace(error.token.span, number)) if "NUMBER" in error.accepted else ()
    return error.diagnose("AC005", message, f"write `{number}`", fixes)


def _not_a_number(error: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    """The help, and an offer to quote it as the text or the name that it may be."""
    help_, words = "write a number in digits, as in `1200` or `-0.5`", [error.token]
    if "STRING" in error.accepted:
        quoted = spell_string(error.token.text)
    elif error.wants_name:
        words += error.words_after
        quoted = quoted_name(join_tokens(words))
    else:
        return help_, ()
    fixes = offer(f"write `{quoted}`", replace(words[0].span.to(words[-1].span), quoted))
    return f"{help_}; if it is not a number, write `{quoted}`", fixes


def _curly_quotes(error: Unexpected) -> Diagnostic:
    token = error.token
    inner = token.text.strip(_DOUBLE + "‘’´")
    straight = spell_name(inner) if token.text[0] in _DOUBLE and inner else spell_string(inner)
    fixes = safe(f"write `{straight}`", replace(token.span, straight)) if _is_quoted(error) else ()
    return error.diagnose("AC007", f"curly quotes {quote(token.text)}", f"write `{straight}`", fixes)


def _is_quoted(error: Unexpected) -> bool:
    """Whether a complete name in double curly quotes, or text in single ones, is allowed here.

    In `‘it’s’`, the text ends too early: the rest follows immediately.
    """
    token, following = error.token, error.following
    if len(token.text) < 2 or token.text[-1] not in _CLOSING.get(token.text[0], ""):
        return False
    if following.start == token.end and following.type in ("WORD", "CURLY"):
        return False
    if token.text[0] in _DOUBLE:
        return error.wants_name and len(token.text) > 2
    return "STRING" in error.accepted


#: low enough to match a word of three letters with two neighbors swapped
_CLOSE = 0.66
#: words at the end of a name that are compared with keywords
_WORDS_BACK = 3
#: tokens that can follow a name outside of a condition
_AFTER_NAME = frozenset({"WHERE", "GROUP_BY", "COLON", "COMMA", "RPAR", "AS", "WITH", "SEMICOLON"})


def misspelled_keyword(error: Unexpected) -> Diagnostic | None:
    """A word similar to a keyword that is allowed here: the token itself, or a word of the name before it."""
    meant = {word: text for kind, (word, text) in _KEYWORDS.items() if kind in error.accepted}
    for token in (error.token, *reversed(error.words_before[1:][-_WORDS_BACK:])):
        words = [token.text.upper()] if token.type in ("WORD", "GROUP") else []
        close = [each for word in words for each in get_close_matches(word, meant, n=2, cutoff=_CLOSE)]
        if close:
            message, keyword = f"expected {error.expected}, found {quote(token.text)}", meant[close[0]]
            fixes = _respell(error, token, keyword, len(close) == 1)
            return error.diagnose("AC019", message, f"did you mean `{keyword}`?", fixes, token.span)
    return None


#: terminal: the word to compare with, and its full spelling
_KEYWORDS = {
    **{kind: (kind, kind) for kind in ("SUM", "MIN", "MAX", "COUNT", *KEYWORDS.values())},
    **{kind: (kind, kind) for kind in ("ALWAYS", "GENERALIZE", "THEN", "BETWEEN")},
    **{kind: (kind, kind) for kind in ("PSEUDONYM", "SHIFT", "WITHIN", "MICROAGGREGATE", "SHARE")},
    "GROUP_BY": ("GROUP", "GROUP BY"),
}


def _respell(error: Unexpected, token: Token, meant: str, is_only: bool) -> tuple[Fix, ...]:
    following = error.tokens[error.tokens.index(token) + 1]
    text = "GROUP" if meant == "GROUP BY" and following.type == "BY" else meant
    is_safe = is_only and _is_typo(token, meant, following, is_read_as_name=token is not error.token)
    return (safe if is_safe else offer)(f"write `{meant}`", replace(token.span, text))


def _is_typo(token: Token, meant: str, following: Token, is_read_as_name: bool) -> bool:
    """Whether the word can only be the keyword. This is stricter for a word that may be part of a name."""
    if token.type == "GROUP":
        return following.type in ("WORD", "QUOTED")
    word, keyword = token.text.upper(), meant.removesuffix(" BY")
    if is_group_by(word) or is_swapped(word, keyword):
        return True
    return not is_read_as_name and is_one_letter_off(word, keyword)


def is_group_by(word: str) -> bool:
    """Whether a word is GROUP BY without its space."""
    return word.upper() in ("GROUPBY", "GROUP-BY", "GROUP.BY")


def reserved_word(error: Unexpected) -> Diagnostic | None:
    """`Group = 'A'`, `Record ID = 1`, `Status = Result`."""
    token, rest = error.token, error.words_after
    if token.text.lower() not in KEYWORDS and token.type != "GROUP_BY":
        return None
    message = f"{quote(token.text)} is a reserved word"
    if "STRING" in error.accepted:
        text = spell_string(token.text)
        return error.suggest("AC016", message, text, replace(token.span, text), is_safe=False)
    if "WORD" not in error.accepted or not _reads_as_name(error, len(rest)):
        return None
    words = [*error.words_before, token, *rest]
    name = quoted_name(join_tokens(words))
    edit, is_safe = replace(words[0].span.to(words[-1].span), name), len(words) == 1 and _is_only_a_name(error)
    message = f"{message}, and a name that contains it needs double quotes"
    return error.suggest("AC016", message, name, edit, is_safe=is_safe)


def _reads_as_name(error: Unexpected, words: int) -> bool:
    """Whether the text after the reserved word could follow a name."""
    following = error.tokens[error.index + 1 + words :]
    follower = following[0].type if following else ""
    if error.token.type in ("AND", "OR"):
        return follower == "OPERATOR" and not words
    if error.wants_name and not error.wants_condition:
        return True
    return follower == "OPERATOR" or (bool(error.words_before) and follower in error.accepted)


def _is_only_a_name(error: Unexpected) -> bool:
    """Whether a single reserved word must be a name, and not the keyword after a missing name."""
    if error.token.type in ("AND", "OR", "NOT", "GROUP_BY"):
        return False
    return error.following.type in ({"OPERATOR"} if error.wants_condition else _AFTER_NAME)


def double_quoted_constant(error: Unexpected) -> Diagnostic | None:
    if error.token.type != "QUOTED" or "STRING" not in error.accepted:
        return None
    text, message = spell_string(unquote(error.token.text)), f"expected a constant, found the name {error.found}"
    return error.suggest("AC017", message, text, replace(error.token.span, text), is_safe=False)


def single_quoted_name(error: Unexpected) -> Diagnostic | None:
    token = error.token
    if token.type != "STRING" or not error.wants_name or token.text == "''":
        return None
    name, message = spell_name(unquote(token.text)), f"expected a name, found the text {error.found}"
    return error.suggest("AC018", message, name, replace(token.span, name), is_safe=_is_name_in_quotes(error))


def _is_name_in_quotes(error: Unexpected) -> bool:
    """Whether the quotes are the only mistake: `'Bob' = Name` is a comparison the wrong way around."""
    kinds = [token.type for token in error.tokens[error.index + 1 :]]
    if error.wants_condition:
        return kinds[:1] == ["OPERATOR"] and kinds[1] in ("NUMBER", "STRING")
    return kinds[0] in _AFTER_NAME | {"NUMBER", "PARAMETER"}


def partly_quoted_name(error: Unexpected) -> Diagnostic | None:
    """`"AEC" kWh` and `AEC "(kWh)"`."""
    previous, token = error.previous, error.token
    if {previous.type, token.type} not in ({"WORD", "QUOTED"}, {"QUOTED"}):
        return None
    words = [*(error.words_before or [previous]), token, *error.words_after]
    parts = [unquote(each.text) if each.type == "QUOTED" else each.text for each in words]
    span, name = words[0].span.to(words[-1].span), quoted_name(" ".join(parts))
    message = "a name is either bare words or entirely in double quotes"
    return error.suggest("AC027", message, name, replace(span, name), at=span, is_safe=False)


def several_words(error: Unexpected) -> Diagnostic | None:
    """`Class Size >= Min Size`: a parameter is a single word, and text needs quotes."""
    if error.previous.type != "PARAMETER" or error.token.type != "WORD":
        return None
    words = [error.previous, error.token, *error.words_after]
    span, text = words[0].span.to(words[-1].span), spell_string(join_tokens(words))
    message = f"expected one word as a parameter, found {quote(join_tokens(words))}"
    return error.suggest("AC022", message, text, replace(span, text), at=span, is_safe=False)


MISREAD_WORD_RULES: tuple[Rule, ...] = (
    misspelled_keyword,
    reserved_word,
    double_quoted_constant,
    single_quoted_name,
    partly_quoted_name,
    several_words,
)
