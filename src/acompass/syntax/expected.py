"""What may come next in a policy that someone is typing: the terminals that the grammar accepts there."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from acompass.syntax.contextual import reclassified
from acompass.syntax.parse import fitting, segments, with_bounds
from acompass.syntax.tokens import Token, scan

#: words that are a terminal only with the next word: that terminal, and what may follow
_HALVES = {
    "GROUP": ("GROUP_BY", frozenset({"BY"})),
    "NOT": ("NEGATING", frozenset({"IN", "BETWEEN", "LIKE"})),
}


@dataclass(frozen=True, slots=True)
class Expected:
    """`tokens` are those of the unfinished requirement, as the grammar reads them. One of the terminals in
    `accepted` may follow."""

    tokens: tuple[Token, ...]
    accepted: frozenset[str]

    @property
    def words_before(self) -> tuple[Token, ...]:
        """The words of a name that may go on."""
        if "WORD" not in self.accepted:
            return ()
        return tuple(takewhile(lambda token: token.type == "WORD", reversed(self.tokens)))[::-1]


def expected_after(text: str) -> Expected:
    """What may follow a text that does not end in the middle of a word.

    Tokens that do not fit are skipped, so that a mistake earlier in the requirement does not end all help.
    """
    tokens = _unfinished(text)
    found = _best(tokens)
    half = _HALVES.get(tokens[-1].type) if tokens else None
    if half is None or tokens[-1].start in {token.start for token in found.tokens}:
        return found
    whole, rest = half
    return Expected((*found.tokens, tokens[-1]), rest if whole in found.accepted else frozenset())


def _best(tokens: list[Token]) -> Expected:
    """The readings that make sense of the most tokens, taken together."""
    readings = list(_readings(tokens))
    most = max(len(reading.tokens) for reading in readings)
    best = [reading for reading in readings if len(reading.tokens) == most]
    follow = frozenset[str]().union(*(reading.accepted for reading in best))
    is_count = any(token.type == "COUNT" for reading in best for token in reading.tokens[-1:])
    return Expected(best[-1].tokens, follow | (frozenset({"DISTINCT"}) if is_count else frozenset()))


def _unfinished(text: str) -> list[Token]:
    """The tokens of the last requirement; none if it is closed."""
    segment = deque(segments(scan(text, [])), maxlen=1)
    last = segment[0] if segment else []
    return [] if not last or last[-1].text else last[:-1]


def _readings(tokens: list[Token]) -> Iterator[Expected]:
    """The tokens as a requirement of the paper, and as one with forms beyond it."""
    end = tokens[-1].end if tokens else 0
    closed = [*tokens, Token("SEMICOLON", "", end, end)]
    for reading in (tokens, with_bounds(closed)[:-1], reclassified(closed)[:-1]):
        kept, follow = fitting(reading)
        yield Expected(tuple(kept), follow - _barred(kept, follow))


def _barred(kept: list[Token], follow: frozenset[str]) -> frozenset[str]:
    """The parser accepts DROP after an assertion or a probability too, so that it can say what is wrong."""
    may_drop = bool(kept) and kept[0].type == "ALWAYS" and "WITH" in follow
    return frozenset({"$END"} if may_drop else {"$END", "DROP"})
