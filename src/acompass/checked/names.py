"""Names to positions (D3): the exact spelling, or else the only case-insensitive match."""

import difflib
from collections.abc import Sequence

#: names that a message lists before it counts the rest
LISTED = 12
#: comparisons of spellings for one policy, so that many mistakes in a wide table stay cheap
SPELLING_BUDGET = 200_000


class Names:
    """The names of a view, with constant-time lookup."""

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
        """The positions of the columns that the name matches: one, none, or several if it is ambiguous."""
        return self._exact.get(text) or self._folded.get(text.casefold(), ())

    def before_equals(self, text: str) -> tuple[str, str] | None:
        """The name before `=` and what follows it; None without `=`. A column's name may contain `=`."""
        places = [place for place, character in enumerate(text) if character == "="]
        if not places:
            return None
        place = next((place for place in places if self.find(text[:place])), places[0])
        return text[:place], text[place + 1 :]

    def spelling(self, text: str, position: int | None) -> str:
        """The spelling of the column at the position, or the text itself without a position."""
        return text if position is None else self.texts[position]

    def closest(self, text: str) -> str | None:
        """The most similar name, if any is similar and the budget allows the search."""
        if self._budget < len(self.texts):
            return None
        self._budget -= len(self.texts)
        matches = difflib.get_close_matches(text.casefold(), self._folded, n=1)
        return self.texts[self._folded[matches[0]][0]] if matches else None

    def listing(self) -> str:
        listed = ", ".join(self.texts[:LISTED])
        more = len(self.texts) - LISTED
        return f"{listed} and {more:,} more" if more > 0 else listed
