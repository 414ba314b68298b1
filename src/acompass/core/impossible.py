"""Reasons why a requirement cannot be written in the core."""

from acompass.diagnostics import Diagnostic, Label, Span
from acompass.syntax.tree import place_of


def impossible(form: str, span: Span, reason: str, help_: str | None = None) -> Diagnostic:
    place = place_of(span)
    message = f"{form} cannot be written in the core: {reason}"
    return Diagnostic("AC061", message, () if place is None else (Label(place),), help_)
