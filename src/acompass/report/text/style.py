"""What a terminal adds to plain text: colours, and a width at which long lines are cut."""

from dataclasses import dataclass

GREEN, RED, YELLOW, BOLD = "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[1m"
_RESET = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Style:
    """`width` is the terminal's width; None means that lines are never cut."""

    color: bool = False
    width: int | None = None

    def tinted(self, text: str, tint: str) -> str:
        return f"{tint}{text}{_RESET}" if self.color else text


PLAIN = Style()
