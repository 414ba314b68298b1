"""Probable mistakes in a policy. Each finding has a code, an error page and advice on how to fix it.

The linter builds on `prove`, so a finding is never a guess: some table, or every table, shows the problem."""

from collections.abc import Iterable

from acompass.errors.diagnostics import MOST_SHOWN, Diagnostic


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
        """The report of `--format markdown`, for the summary of a CI job: the first `most` findings, under a
        heading with `name`, which defaults to the policy's name."""
        from acompass.report.markdown import findings_markdown  # only needed for a report

        return findings_markdown(self, self.text, name or self.name, most)
