"""Paste the replacements of a help into the policy, as a reader would."""

import re
from collections.abc import Iterator

from acompass.diagnostics import Diagnostic, Span
from acompass.diagnostics.fixing import apply_edits
from acompass.syntax.tokens import Token, tokenize

#: `write `X``, `write one of `X` `Y``, `did you mean `X`?`
_OFFERED = re.compile(r"(?:\bwrite|\bdid you mean)(?: one of)? ((?:`[^`]+`(?:,? or |, | )?)+)")
_REPLACEMENT = re.compile(r"`([^`]+)`")


def replacements(diagnostic: Diagnostic) -> list[str]:
    """The texts that a help offers to write. One with an ellipsis is a pattern, not a text."""
    offered = " ".join(_OFFERED.findall(diagnostic.help or ""))
    return [text for text in _REPLACEMENT.findall(offered) if "…" not in text]


def pasted(text: str, diagnostic: Diagnostic, replacement: str) -> Iterator[str]:
    """The policy with the replacement in every place where a reader could mean to paste it.

    A fix of the same name says where. Otherwise, it replaces tokens at the place of the error. Of the tokens
    around that place it only replaces those that it repeats, so that nothing of the policy is lost.
    """
    yield from (apply_edits(text, fix.edits) for fix in diagnostic.fixes if f"`{replacement}`" in fix.title)
    place = diagnostic.labels[0].span
    if text[place.start : place.end].startswith(("--", "//", "#")):
        yield text[: place.start] + replacement + text[place.end :]
        return
    tokens = tokenize(text)[0]
    written = [token.text.lower() for token in tokenize(replacement)[0]]
    for first in range(len(tokens)):
        for last in range(first, len(tokens)):
            span = Span(tokens[first].start, tokens[last].end)
            if _touches(span, place) and _repeats(written, tokens[first : last + 1], place):
                yield f"{text[: span.start]}{replacement}{text[span.end :]}"


def _touches(span: Span, place: Span) -> bool:
    return span.start <= place.end + 1 and place.start <= span.end + 1


def _repeats(written: list[str], replaced: list[Token], place: Span) -> bool:
    """Whether the replaced tokens outside of the place are among the written ones, in this order."""
    kept = [token.text.lower() for token in replaced if not _is_within(token, place)]
    rest = iter(written)
    return all(text in rest for text in kept)


def _is_within(token: Token, place: Span) -> bool:
    return token.start < place.end and place.start < token.end
