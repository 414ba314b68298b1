"""Recognize text that cannot be read, or that does not mean what its author intended.

The rules are about a table in place of a policy; open quotes, malformed numbers and unknown characters; and misspelled
keywords, reserved words and wrong quotes."""

import codecs
import csv
import re
from difflib import get_close_matches
from itertools import islice

from acompass.errors.diagnostics import Diagnostic, Fix, Label, insert, offer, replace, safe
from acompass.errors.display import quote
from acompass.language.mistakes.syntax_error import (
    Rule,
    Unexpected,
    is_keyword,
    is_one_letter_off,
    is_swapped,
    join_tokens,
)
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
    r"(ALWAYS|EACH|SOME|SELECT|UPDATE|DELETE|INSERT|CREATE|WITH|FROM|DROP|GENERALIZE)\s+\w|--|/\*|//|#",
    re.IGNORECASE,
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


def unreadable_token(unexpected: Unexpected) -> Diagnostic | None:
    text, wrong = unexpected.token.text, unexpected.diagnose
    match unexpected.token.type:
        case "OPEN_STRING":
            help_ = f"write `{text.rstrip()}'`"
            # an offer, because the quote may have been meant to close earlier
            fixes = offer("insert `'`", insert(unexpected.token.start + len(text.rstrip()), "'"))
            return wrong("AC002", f"missing closing `'` of {quote(text)}", help_, fixes)
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
            help_ = "in a name or in text, it needs quotes, as in `\"AEC (kWh)\" = '212**'`"
            return wrong("AC001", f"unexpected character {_character(text[0])}", help_)
        case _:
            return None


def _open_name(unexpected: Unexpected) -> Diagnostic:
    """A name without its closing quote, which probably belongs before the comparison operator, if there is one."""
    text = unexpected.token.text.rstrip()
    name = _BEFORE_SIGN.match(text)
    end = len(text) if name is None else name.end()
    help_ = f'write `{text[:end]}"{text[end:]}`'
    # after the quote, a mark in the name would begin a comment and hide the rest of the line
    hides = any(mark in text[end:] for mark in ("--", "/*", *FOREIGN_COMMENTS))
    fixes = () if hides else offer('insert `"`', insert(unexpected.token.start + end, '"'))
    return unexpected.diagnose("AC003", f'missing closing `"` of {quote(text)}', help_, fixes)


def _empty_name(unexpected: Unexpected) -> Diagnostic:
    message = 'empty name `""`'
    if "STRING" not in unexpected.accepted:
        return unexpected.diagnose("AC006", message, 'name a column, as in `Age` or `"AEC (kWh)"`')
    fixes = safe("write `''`", replace(unexpected.token.span, "''"))
    return unexpected.diagnose("AC006", message, "write `''` for the empty text", fixes)


def _character(character: str) -> str:
    """The character if it is printable, otherwise its code point."""
    return f"`{character}`" if character.isprintable() else f"U+{ord(character):04X}"


def _malformed_number(unexpected: Unexpected) -> Diagnostic:
    text = unexpected.token.text
    message = f"malformed number {quote(text)}"
    if not _NEARLY_A_NUMBER.fullmatch(text):
        help_, fixes = _not_a_number(unexpected)
        return unexpected.diagnose("AC005", message, help_, fixes)
    help_ = f"write `{_number(text)}`"
    fixes = safe(help_, replace(unexpected.token.span, _number(text)))
    is_place = "NUMBER" in unexpected.accepted
    return unexpected.diagnose("AC005", message, help_, fixes if is_place else ())


def _not_a_number(unexpected: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    """The help, and an offer to quote it as the text or the name that it may be."""
    help_, words = "write a number in digits, as in `1200` or `-0.5`", [unexpected.token]
    if "STRING" in unexpected.accepted:
        quoted = spell_string(unexpected.token.text)
    elif unexpected.wants_name:
        words += unexpected.words_after
        quoted = quoted_name(join_tokens(words))
    else:
        return help_, ()
    fixes = offer(f"write `{quoted}`", replace(words[0].span.to(words[-1].span), quoted))
    return f"{help_}; if it is not a number, write `{quoted}`", fixes


def _number(text: str) -> str:
    """The number that was probably meant."""
    return re.sub(r"^([+-]?)\.", r"\g<1>0.", text.replace("_", "")).removesuffix(".")


def _curly_quotes(unexpected: Unexpected) -> Diagnostic:
    token = unexpected.token
    straight = _straighten_quotes(unexpected)
    fixes = safe(f"write `{straight}`", replace(token.span, straight)) if _is_quoted(unexpected) else ()
    return unexpected.diagnose("AC007", f"curly quotes {quote(token.text)}", f"write `{straight}`", fixes)


def _straighten_quotes(unexpected: Unexpected) -> str:
    text = unexpected.token.text
    inner = text.strip(_DOUBLE + "‘’´")
    if text[0] in _DOUBLE and inner:
        return spell_name(inner)
    return spell_string(inner)


def _is_quoted(unexpected: Unexpected) -> bool:
    """Whether a complete name in double curly quotes, or text in single ones, is allowed here.

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


#: low enough to match a word of three letters with two neighbors swapped
_CLOSE = 0.66
#: words at the end of a name that are compared with keywords
_WORDS_BACK = 3
#: tokens that can follow a name outside of a condition
_AFTER_NAME = frozenset({"WHERE", "GROUP_BY", "COLON", "COMMA", "RPAR", "AS", "WITH", "SEMICOLON"})


def misspelled_keyword(unexpected: Unexpected) -> Diagnostic | None:
    """A word similar to a keyword that is allowed here: the token itself, or a word of the name before it."""
    meant = {word: text for kind, (word, text) in _KEYWORDS.items() if kind in unexpected.accepted}
    for token in (unexpected.token, *reversed(unexpected.words_before[1:][-_WORDS_BACK:])):
        if token.type not in ("WORD", "GROUP"):
            continue
        close = get_close_matches(token.text.upper(), meant, n=2, cutoff=_CLOSE)
        if close:
            message = f"expected {unexpected.expected}, found {quote(token.text)}"
            help_ = f"did you mean `{meant[close[0]]}`?"
            fixes = _respell(unexpected, token, meant[close[0]], len(close) == 1)
            return Diagnostic("AC019", message, (Label(token.span),), help_, fixes=fixes)
    return None


#: terminal: the word to compare with, and its full spelling
_KEYWORDS = {
    **{kind: (kind, kind) for kind in ("SUM", "MIN", "MAX", "COUNT", *KEYWORDS.values())},
    **{kind: (kind, kind) for kind in ("ALWAYS", "GENERALIZE", "THEN", "BETWEEN")},
    "GROUP_BY": ("GROUP", "GROUP BY"),
}


def _respell(unexpected: Unexpected, token: Token, meant: str, is_only: bool) -> tuple[Fix, ...]:
    following = unexpected.tokens[unexpected.tokens.index(token) + 1]
    text = "GROUP" if meant == "GROUP BY" and following.type == "BY" else meant
    is_safe = is_only and _is_typo(token, meant, following, is_read_as_name=token is not unexpected.token)
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


def reserved_word(unexpected: Unexpected) -> Diagnostic | None:
    """`Group = 'A'`, `Record ID = 1`, `Status = Result`."""
    token = unexpected.token
    if not is_keyword(token):
        return None
    if "STRING" in unexpected.accepted:
        return _reserved_constant(unexpected)
    rest = unexpected.words_after
    if "WORD" not in unexpected.accepted or not _reads_as_name(unexpected, len(rest)):
        return None
    words = [*unexpected.words_before, token, *rest]
    message = f"{quote(token.text)} is a reserved word, and a name that contains it needs double quotes"
    help_ = f"write `{quoted_name(join_tokens(words))}`"
    edit = replace(words[0].span.to(words[-1].span), quoted_name(join_tokens(words)))
    is_safe = len(words) == 1 and _is_only_a_name(unexpected)
    return unexpected.diagnose("AC016", message, help_, (safe if is_safe else offer)(help_, edit))


def _reserved_constant(unexpected: Unexpected) -> Diagnostic:
    token = unexpected.token
    help_ = f"write `{spell_string(token.text)}`"
    fixes = offer(help_, replace(token.span, spell_string(token.text)))
    return unexpected.diagnose("AC016", f"{quote(token.text)} is a reserved word", help_, fixes)


def _reads_as_name(unexpected: Unexpected, words: int) -> bool:
    """Whether the text after the reserved word could follow a name."""
    following = unexpected.tokens[unexpected.index + 1 + words :]
    follower = following[0].type if following else ""
    if unexpected.token.type in ("AND", "OR"):
        return follower == "OPERATOR" and not words
    if unexpected.wants_name and not unexpected.wants_condition:
        return True
    return follower == "OPERATOR" or (bool(unexpected.words_before) and follower in unexpected.accepted)


def _is_only_a_name(unexpected: Unexpected) -> bool:
    """Whether a single reserved word must be a name, and not the keyword after a missing name."""
    following = unexpected.following
    if following is None or unexpected.token.type in ("AND", "OR", "NOT", "GROUP_BY"):
        return False
    if unexpected.wants_condition:
        return following.type == "OPERATOR"
    return following.type in _AFTER_NAME


def double_quoted_constant(unexpected: Unexpected) -> Diagnostic | None:
    if unexpected.token.type != "QUOTED" or "STRING" not in unexpected.accepted:
        return None
    message = f"expected a constant, found the name {unexpected.found}"
    text = spell_string(unquote(unexpected.token.text))
    fixes = offer(f"write `{text}`", replace(unexpected.token.span, text))
    return unexpected.diagnose("AC017", message, f"write `{text}`", fixes)


def single_quoted_name(unexpected: Unexpected) -> Diagnostic | None:
    if unexpected.token.type != "STRING" or not unexpected.wants_name or unexpected.token.text == "''":
        return None
    message = f"expected a name, found the text {unexpected.found}"
    name = spell_name(unquote(unexpected.token.text))
    fix = safe if _is_name_in_quotes(unexpected) else offer
    fixes = fix(f"write `{name}`", replace(unexpected.token.span, name))
    return unexpected.diagnose("AC018", message, f"write `{name}`", fixes)


def _is_name_in_quotes(unexpected: Unexpected) -> bool:
    """Whether the quotes are the only mistake: `'Bob' = Name` is a comparison the wrong way around."""
    kinds = [token.type for token in unexpected.tokens[unexpected.index + 1 :]]
    if unexpected.wants_condition:
        return kinds[:1] == ["OPERATOR"] and kinds[1] in ("NUMBER", "STRING")
    return kinds[0] in _AFTER_NAME | {"NUMBER", "PARAMETER"}


def partly_quoted_name(unexpected: Unexpected) -> Diagnostic | None:
    """`"AEC" kWh` and `AEC "(kWh)"`."""
    previous, token = unexpected.previous, unexpected.token
    if previous is None or {previous.type, token.type} not in ({"WORD", "QUOTED"}, {"QUOTED"}):
        return None
    before = unexpected.words_before or [previous]
    after = [token, *unexpected.words_after]
    parts = [unquote(t.text) if t.type == "QUOTED" else t.text for t in (*before, *after)]
    span, name = before[0].span.to(after[-1].span), quoted_name(" ".join(parts))
    message = "a name is either bare words or entirely in double quotes"
    fixes = offer(f"write `{name}`", replace(span, name))
    return Diagnostic("AC027", message, (Label(span),), f"write `{name}`", fixes=fixes)


def several_words(unexpected: Unexpected) -> Diagnostic | None:
    """`Class Size >= Min Size`: a parameter is a single word, and text needs quotes."""
    previous = unexpected.previous
    if previous is None or previous.type != "PARAMETER" or unexpected.token.type != "WORD":
        return None
    words = [previous, unexpected.token, *unexpected.words_after]
    span, text = words[0].span.to(words[-1].span), spell_string(join_tokens(words))
    message = f"expected one word as a parameter, found {quote(join_tokens(words))}"
    fixes = offer(f"write `{text}`", replace(span, text))
    return Diagnostic("AC022", message, (Label(span),), f"write `{text}`", fixes=fixes)


MISREAD_WORD_RULES: tuple[Rule, ...] = (
    misspelled_keyword,
    reserved_word,
    double_quoted_constant,
    single_quoted_name,
    partly_quoted_name,
    several_words,
)
