"""Names to positions (D3): the exact spelling, else the only column equal without regard to case."""

import difflib
from collections.abc import Sequence

#: how many names a message lists before it says how many more there are
LISTED = 12
#: comparisons of spellings that one policy may cost; a wide table and many mistakes stay quick
SPELLING_BUDGET = 200_000


class Names:
    """The names that can be seen somewhere, each found in constant time."""

    __slots__ = ("_budget", "_exact", "_folded", "texts")

    def __init__(self, texts: Sequence[str]):
        self.texts = tuple(texts)
        self._exact = {text: (position,) for position, text in enumerate(self.texts)}
        self._folded: dict[str, tuple[int, ...]] = {}
        self._budget = SPELLING_BUDGET
        for position, text in enumerate(self.texts):
            folded = text.casefold()
            self._folded[folded] = (*self._folded.get(folded, ()), position)

    def find(self, text: str) -> tuple[int, ...]:
        """One position if the name is known, none if it is not, several if it is ambiguous."""
        return self._exact.get(text) or self._folded.get(text.casefold(), ())

    def spelling(self, text: str, position: int | None) -> str:
        """The name as its column spells it, or as it stands where it means none."""
        return text if position is None else self.texts[position]

    def closest(self, text: str) -> str | None:
        """The name that was probably meant."""
        if self._budget < len(self.texts):
            return None
        self._budget -= len(self.texts)
        matches = difflib.get_close_matches(text.casefold(), self._folded, n=1)
        return self.texts[self._folded[matches[0]][0]] if matches else None

    def listing(self) -> str:
        listed = ", ".join(self.texts[:LISTED])
        more = len(self.texts) - LISTED
        return f"{listed} and {more:,} more" if more > 0 else listed
