"""Places in a text as Python counts them, in characters, and as a page counts them, in UTF-16 code units."""

from bisect import bisect_right

from acompass.diagnostics import Span

_LAST_OF_ONE_UNIT = "\uffff"


class Offsets:
    """Only characters beyond the basic plane take two units, and most texts have none."""

    def __init__(self, text: str):
        self._length = len(text)
        self._wide = [place for place, letter in enumerate(text) if letter > _LAST_OF_ONE_UNIT]
        self._wide_units = [place + before for before, place in enumerate(self._wide)]

    def to_page(self, offset: int) -> int:
        offset = max(0, min(offset, self._length))
        return offset + bisect_right(self._wide, offset - 1)

    def from_page(self, unit: int) -> int:
        """A place in the middle of a character means the place before it."""
        unit = max(0, min(unit, self._length + len(self._wide)))
        return unit - bisect_right(self._wide_units, unit - 1)

    def span(self, span: Span) -> dict[str, int]:
        return {"from": self.to_page(span.start), "to": self.to_page(span.end)}
