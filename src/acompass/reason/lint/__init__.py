"""Probable mistakes in a policy. Each finding has a code, an error page and advice on how to fix it.

The linter builds on `prove`, so a finding is never a guess: some table, or every table, shows the problem."""

from collections.abc import Iterable
from typing import Any

from acompass.errors.diagnostics import MOST_SHOWN, Diagnostic
from acompass.errors.display import Answer


class Findings(Answer, tuple[Diagnostic, ...]):
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
        return self._render("markdown", file=name, most=most)

    def to_json(self, most: int = MOST_SHOWN) -> dict[str, Any]:
        """The object of `--json`: the first `most` findings."""
        from acompass.errors.rendering import diagnostics_object

        return diagnostics_object(self, self.text, self.name, most)
