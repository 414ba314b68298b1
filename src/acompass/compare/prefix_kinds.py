"""The kinds of texts that comparisons and PREFIX tell apart.

How a text compares with constants is decided by the longest beginning that it shares with one of them, and by
the character after that. How its prefix compares with them is decided by the same and by the text's length,
since a `*` stands for each further character.
"""

from collections.abc import Collection, Iterator
from itertools import pairwise

from acompass.privacy.representatives import Alike
from acompass.privacy.undecided import Undecided

#: more kinds are not told apart
MOST_KINDS = 6_000

#: characters that are preferred where any will do
_READABLE = "abcxyz0189ABXYZ -"
_LAST = chr(0x10FFFF)
_SURROGATES = range(0xD800, 0xE000)


def prefix_kinds(constants: Collection[str], lengths: Collection[int]) -> tuple[Alike, ...]:
    """`lengths` are those of the prefixes."""
    longest = max(map(len, constants), default=0)
    end = max(longest, *lengths) + 1
    beginnings = {constant[:size] for constant in constants for size in range(len(constant) + 1)} | {""}
    if len(beginnings) * end > MOST_KINDS:
        raise Undecided(None, "there are too many texts to tell apart")
    return tuple(kind for beginning in sorted(beginnings) for kind in _kinds(beginning, beginnings, end))


def _kinds(beginning: str, beginnings: Collection[str], end: int) -> Iterator[Alike]:
    """The text itself, and those that go on as no constant does, by their length."""
    yield (beginning,)
    size = len(beginning)
    following = sorted(
        other[size] for other in beginnings if other[:size] == beginning and len(other) == size + 1
    )
    for low, high in pairwise((None, *following, None)):
        letters = _between(low, high)
        for length in range(size + 1, end + 1):
            if letters:
                yield _texts(beginning, letters, length)


def _texts(beginning: str, letters: str, length: int) -> Alike:
    rest = length - len(beginning) - 1
    found = (f"{beginning}{letter}{filler * rest}" for letter in letters for filler in "ab")
    return tuple(dict.fromkeys(found))


def _between(low: str | None, high: str | None) -> str:
    """Two characters strictly between two others, if there are so many."""
    readable = [each for each in _READABLE if (low is None or each > low) and (high is None or each < high)]
    first = 0 if low is None else ord(low) + 1
    last = ord(_LAST) if high is None else ord(high) - 1
    near = (chr(code) for code in range(first, min(first + 2 + len(_SURROGATES), last + 1)))
    any_ = (letter for letter in near if ord(letter) not in _SURROGATES)
    found = dict.fromkeys((*readable[:2], *(letter for letter, _ in zip(any_, "ab", strict=False))))
    return "".join(found)[:2]
