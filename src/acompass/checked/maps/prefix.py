"""PREFIX: the first characters of a text (X2)."""

from dataclasses import dataclass

from acompass.checked.maps.map import SUPPRESSED, Map


@dataclass(frozen=True, slots=True)
class Prefix:
    """`length` counts code points. A `*` stands for each further one: `21201` becomes `212**`."""

    length: int

    @property
    def help(self) -> str:
        return "every text has a prefix"

    def label(self, text: str) -> str:
        return text[: self.length] + SUPPRESSED * (len(text) - self.length)

    def follows(self, earlier: Map) -> bool:
        return isinstance(earlier, Prefix) and earlier.length >= self.length

    def labels(self) -> None:
        """Infinitely many."""


def problem(length: int) -> str | None:
    """What is wrong with the length; None if nothing is."""
    return f"a prefix has at least 1 character, and {length} is less" if length < 1 else None
