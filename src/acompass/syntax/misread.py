"""Words and quotes that mean something else than was meant."""

from difflib import get_close_matches

from acompass.diagnostics import Diagnostic, Label, Span
from acompass.syntax.habits import Rule
from acompass.syntax.spelling import quoted_name, spell_name, spell_string, unquote
from acompass.syntax.tokens import KEYWORDS
from acompass.syntax.unexpected import Unexpected, is_keyword, quote, text_of

#: swapped neighbours in a word of three letters still count as close
_CLOSE = 0.66
#: how many words of a name may hide a keyword
_WORDS_BACK = 3


def misspelt_keyword(unexpected: Unexpected) -> Diagnostic | None:
    """A word close to a keyword that could stand here: the token, or one taken into the name before it."""
    meant = {word: text for kind, (word, text) in _KEYWORDS.items() if kind in unexpected.accepted}
    for token in (unexpected.token, *reversed(unexpected.words_before[1:][-_WORDS_BACK:])):
        if token.type not in ("WORD", "GROUP"):
            continue
        close = get_close_matches(token.text.upper(), meant, n=1, cutoff=_CLOSE)
        if close:
            message = f"expected {unexpected.expected}, found {quote(token.text)}"
            return Diagnostic("AC019", message, (Label(token.span),), f"did you mean `{meant[close[0]]}`?")
    return None


#: terminal: the word to be close to, and how it is written in full
_KEYWORDS = {
    **{kind: (kind, kind) for kind in ("SUM", "MIN", "MAX", "COUNT", *KEYWORDS.values())},
    "GROUP_BY": ("GROUP", "GROUP BY"),
}


def reserved_word(unexpected: Unexpected) -> Diagnostic | None:
    """`Group = 'A'`, `Record ID = 1`, `Status = Result`."""
    token = unexpected.token
    if not is_keyword(token):
        return None
    if "STRING" in unexpected.accepted:
        help_ = f"write `{spell_string(token.text)}`"
        return Diagnostic("AC016", f"{quote(token.text)} is a reserved word", unexpected.label(), help_)
    rest = unexpected.words_after
    if "WORD" not in unexpected.accepted or not _reads_as_name(unexpected, len(rest)):
        return None
    name = text_of([*unexpected.words_before, token, *rest])
    message = f"{quote(token.text)} is a reserved word, and a name with it goes in double quotes"
    return Diagnostic("AC016", message, unexpected.label(), f"write `{quoted_name(name)}`")


def _reads_as_name(unexpected: Unexpected, words: int) -> bool:
    """Whether what follows the reserved word goes on as it would after a name."""
    following = unexpected.tokens[unexpected.index + 1 + words :]
    follower = following[0].type if following else ""
    if unexpected.token.type in ("AND", "OR"):
        return follower == "OPERATOR" and not words
    if unexpected.wants_name and not unexpected.wants_condition:
        return True
    return follower == "OPERATOR" or (bool(unexpected.words_before) and follower in unexpected.accepted)


def double_quoted_constant(unexpected: Unexpected) -> Diagnostic | None:
    if unexpected.token.type != "QUOTED" or "STRING" not in unexpected.accepted:
        return None
    message = f"expected a constant, found the name {unexpected.found}"
    text = spell_string(unquote(unexpected.token.text))
    return Diagnostic("AC017", message, unexpected.label(), f"write `{text}`")


def single_quoted_name(unexpected: Unexpected) -> Diagnostic | None:
    if unexpected.token.type != "STRING" or not unexpected.wants_name or unexpected.token.text == "''":
        return None
    message = f"expected a name, found the text {unexpected.found}"
    name = spell_name(unquote(unexpected.token.text))
    return Diagnostic("AC018", message, unexpected.label(), f"write `{name}`")


def partly_quoted_name(unexpected: Unexpected) -> Diagnostic | None:
    """`"AEC" kWh` and `AEC "(kWh)"`."""
    previous, token = unexpected.previous, unexpected.token
    if previous is None or {previous.type, token.type} not in ({"WORD", "QUOTED"}, {"QUOTED"}):
        return None
    before = unexpected.words_before or [previous]
    after = [token, *unexpected.words_after]
    parts = [unquote(t.text) if t.type == "QUOTED" else t.text for t in (*before, *after)]
    span = Span(before[0].start, after[-1].end)
    message = "a name is either bare words or one quoted text"
    return Diagnostic("AC027", message, (Label(span),), f"write `{quoted_name(' '.join(parts))}`")


def several_words(unexpected: Unexpected) -> Diagnostic | None:
    """`Class Size >= Min Size`: a parameter is one word, a text has quotes."""
    previous = unexpected.previous
    if previous is None or previous.type != "PARAMETER" or unexpected.token.type != "WORD":
        return None
    words = [previous, unexpected.token, *unexpected.words_after]
    message = f"expected one word as a parameter, found {quote(text_of(words))}"
    labels = (Label(Span(words[0].start, words[-1].end)),)
    return Diagnostic("AC022", message, labels, f"write `{spell_string(text_of(words))}`")


MISREAD: tuple[Rule, ...] = (
    misspelt_keyword,
    reserved_word,
    double_quoted_constant,
    single_quoted_name,
    partly_quoted_name,
    several_words,
)
