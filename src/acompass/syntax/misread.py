"""Words and quotes that mean something other than the author intended."""

from difflib import get_close_matches

from acompass.diagnostics import Diagnostic, Fix, Label
from acompass.diagnostics.edits import offer, replace, safe
from acompass.syntax.habits import Rule
from acompass.syntax.spelling import quoted_name, spell_name, spell_string, unquote
from acompass.syntax.tokens import KEYWORDS, Token
from acompass.syntax.typos import is_one_letter_off, is_swapped
from acompass.syntax.unexpected import Unexpected, is_keyword, quote, text_of

#: low enough to match a word of three letters with two neighbors swapped
_CLOSE = 0.66
#: how many words at the end of a name to compare with keywords
_WORDS_BACK = 3
#: tokens that can follow a name outside of a condition
_AFTER_NAME = frozenset({"WHERE", "GROUP_BY", "COLON", "COMMA", "RPAR", "AS", "WITH", "SEMICOLON"})


def misspelt_keyword(unexpected: Unexpected) -> Diagnostic | None:
    """A word similar to a keyword that is allowed here: the token itself, or a word of the name before it."""
    meant = {word: text for kind, (word, text) in _KEYWORDS.items() if kind in unexpected.accepted}
    for token in (unexpected.token, *reversed(unexpected.words_before[1:][-_WORDS_BACK:])):
        if token.type not in ("WORD", "GROUP"):
            continue
        close = get_close_matches(token.text.upper(), meant, n=2, cutoff=_CLOSE)
        if close:
            message = f"expected {unexpected.expected}, found {quote(token.text)}"
            help_ = f"did you mean `{meant[close[0]]}`?"
            fixes = _respelt(unexpected, token, meant[close[0]], len(close) == 1)
            return Diagnostic("AC019", message, (Label(token.span),), help_, fixes=fixes)
    return None


#: terminal: the word to compare with, and its full spelling
_KEYWORDS = {
    **{kind: (kind, kind) for kind in ("SUM", "MIN", "MAX", "COUNT", *KEYWORDS.values())},
    **{kind: (kind, kind) for kind in ("ALWAYS", "GENERALIZE", "THEN", "BETWEEN")},
    "GROUP_BY": ("GROUP", "GROUP BY"),
}


def _respelt(unexpected: Unexpected, token: Token, meant: str, is_only: bool) -> tuple[Fix, ...]:
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
    help_ = f"write `{quoted_name(text_of(words))}`"
    edit = replace(words[0].span.to(words[-1].span), quoted_name(text_of(words)))
    is_safe = len(words) == 1 and _is_only_a_name(unexpected)
    return Diagnostic(
        "AC016", message, unexpected.label(), help_, fixes=(safe if is_safe else offer)(help_, edit)
    )


def _reserved_constant(unexpected: Unexpected) -> Diagnostic:
    token = unexpected.token
    help_ = f"write `{spell_string(token.text)}`"
    fixes = offer(help_, replace(token.span, spell_string(token.text)))
    return Diagnostic(
        "AC016", f"{quote(token.text)} is a reserved word", unexpected.label(), help_, fixes=fixes
    )


def _reads_as_name(unexpected: Unexpected, words: int) -> bool:
    """Whether the text after the reserved word continues as it would after a name."""
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
    return Diagnostic("AC017", message, unexpected.label(), f"write `{text}`", fixes=fixes)


def single_quoted_name(unexpected: Unexpected) -> Diagnostic | None:
    if unexpected.token.type != "STRING" or not unexpected.wants_name or unexpected.token.text == "''":
        return None
    message = f"expected a name, found the text {unexpected.found}"
    name = spell_name(unquote(unexpected.token.text))
    fix = safe if _is_name_in_quotes(unexpected) else offer
    fixes = fix(f"write `{name}`", replace(unexpected.token.span, name))
    return Diagnostic("AC018", message, unexpected.label(), f"write `{name}`", fixes=fixes)


def _is_name_in_quotes(unexpected: Unexpected) -> bool:
    """Whether the quotes are the only mistake: `'Bob' = Name` is a comparison the wrong way round."""
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
    message = "a name is either bare words or one quoted text"
    fixes = offer(f"write `{name}`", replace(span, name))
    return Diagnostic("AC027", message, (Label(span),), f"write `{name}`", fixes=fixes)


def several_words(unexpected: Unexpected) -> Diagnostic | None:
    """`Class Size >= Min Size`: a parameter is a single word, and text needs quotes."""
    previous = unexpected.previous
    if previous is None or previous.type != "PARAMETER" or unexpected.token.type != "WORD":
        return None
    words = [previous, unexpected.token, *unexpected.words_after]
    span, text = words[0].span.to(words[-1].span), spell_string(text_of(words))
    message = f"expected one word as a parameter, found {quote(text_of(words))}"
    fixes = offer(f"write `{text}`", replace(span, text))
    return Diagnostic("AC022", message, (Label(span),), f"write `{text}`", fixes=fixes)


MISREAD: tuple[Rule, ...] = (
    misspelt_keyword,
    reserved_word,
    double_quoted_constant,
    single_quoted_name,
    partly_quoted_name,
    several_words,
)
