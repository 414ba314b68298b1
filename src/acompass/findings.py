"""The findings of `lint`."""

from collections.abc import Iterable

from acompass.diagnostics import Diagnostic
from acompass.diagnostics.diagnostic import MOST_SHOWN


class Findings(tuple[Diagnostic, ...]):
    """A tuple of diagnostics, with the text and the name of the policy that they point into."""

    text: str
    name: str

    @classmethod
    def of(cls, found: Iterable[Diagnostic], text: str, name: str) -> "Findings":
        findings = cls(found)
        findings.text, findings.name = text, name
        return findings

    def to_markdown(self, name: str | None = None, most: int = MOST_SHOWN) -> str:
        """The report of `--format markdown`, for the summary of a CI job: the first `most` findings. Its
        heading has the `name`, by default that of the policy."""
        from acompass.report.markdown.diagnostics import findings_markdown  # only needed for a report

        return findings_markdown(self, self.text, name or self.name, most)
