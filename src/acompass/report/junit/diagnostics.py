"""Diagnostics as JUnit: errors in place of a result, or the findings of `lint`."""

from collections.abc import Sequence

from acompass.diagnostics import Diagnostic
from acompass.diagnostics.render import render_text
from acompass.diagnostics.source import Source
from acompass.report.junit.document import Case, junit


def errors_to_junit(diagnostics: Sequence[Diagnostic], policy: str) -> str:
    """A command that could not be performed: one case with an error per diagnostic."""
    return junit(policy, [_error(each) for each in diagnostics])


def findings_to_junit(diagnostics: Sequence[Diagnostic], source: str, policy: str) -> str:
    """One case with a failure per finding, or a case that passes if there are none."""
    return junit(policy, [_finding(each, source, policy) for each in diagnostics] or [Case("lint")])


def _error(diagnostic: Diagnostic) -> Case:
    return Case(diagnostic.code, "error", diagnostic.code, diagnostic.message)


def _finding(diagnostic: Diagnostic, source: str, policy: str) -> Case:
    places = [Source(source).position(label.span.start) for label in diagnostic.labels]
    name = f"line {places[0][0]}: {diagnostic.code}" if places else diagnostic.code
    text = render_text([diagnostic], source, policy)
    return Case(name, "failure", diagnostic.code, diagnostic.message, text)
