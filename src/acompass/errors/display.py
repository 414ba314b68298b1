"""Base classes of answers: displayed as HTML in a notebook, as a Markdown report, or in color on a terminal.

Answers of every layer inherit from these classes. They import their renderers on use, because `report` is above
them."""

from dataclasses import dataclass


class DisplayedAnswer:
    """An answer that notebooks display as HTML (`acompass.report.notebook`)."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from acompass.report.notebook import answer_html  # only needed in a notebook

        return answer_html(self)


class ReportedAnswer(DisplayedAnswer):
    """An answer that also has a Markdown report (`acompass.report.markdown_answers`)."""

    __slots__ = ()

    def to_markdown(self, name: str | None = None) -> str:
        """The report of `--format markdown`, for the summary of a CI job.

        `name` is the policy or the table to show in the heading.
        """
        from acompass.report.markdown_answers import answer_markdown  # only needed for a report

        return answer_markdown(self, name)


GREEN, RED, YELLOW, BOLD = "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[1m"
_RESET = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Style:
    color: bool = False
    width: int | None = None  # of the terminal; None to never cut lines

    def paint(self, text: str, tint: str) -> str:
        return f"{tint}{text}{_RESET}" if self.color else text


PLAIN = Style()
