"""Words that differ from another by a slip of the fingers."""

from itertools import takewhile

#: a shorter word is too close to others: `XOR`, `NOR` and `FOR` are not typos of `OR`
_SHORTEST = 4


def is_swapped(word: str, meant: str) -> bool:
    """Whether two neighbouring letters changed places: `REPALCE`."""
    at = _shared(word, meant)
    pair = meant[at : at + 2]
    return len(pair) == 2 and word == f"{meant[:at]}{pair[::-1]}{meant[at + 2 :]}"


def is_one_letter_off(word: str, meant: str) -> bool:
    """Whether a longer word has one letter missing, added or changed: `RESLT`."""
    at = _shared(word, meant)
    missing = word[at:] == meant[at + 1 :]
    added = word[at + 1 :] == meant[at:]
    changed = word[at + 1 :] == meant[at + 1 :]
    return len(meant) >= _SHORTEST and word != meant and (missing or added or changed)


def _shared(word: str, meant: str) -> int:
    """How many letters two words begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, meant, strict=False)))
