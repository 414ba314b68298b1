"""Diagnostics, edits and samples as JSON, with places as the page counts them."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from acompass.diagnostics import AcompassError, Diagnostic, Edit, Fix, Label
from acompass.diagnostics.codes import CODES
from acompass.studio.body import Body
from acompass.studio.offsets import Offsets


def error_json(error: AcompassError, body: Body) -> list[dict[str, Any]]:
    """The labels of an error in another text, such as a claim, are places that the editor does not have."""
    text = body.text("text") if body.has("text") else None
    offsets = Offsets(text) if text is not None and error.source in (None, text) else None
    return diagnostics_json(error.diagnostics, offsets)


def diagnostics_json(found: Iterable[Diagnostic], offsets: Offsets | None) -> list[dict[str, Any]]:
    return [_diagnostic(each, offsets) for each in found]


def _diagnostic(found: Diagnostic, offsets: Offsets | None) -> dict[str, Any]:
    places = [] if offsets is None else [_label(label, offsets) for label in found.labels]
    first = places[0] if places else {"from": None, "to": None}
    return {
        "code": found.code,
        "message": found.message,
        "help": found.help,
        "severity": str(found.severity),
        "from": first["from"],
        "to": first["to"],
        "page": CODES[found.code],
        "related": places[1:],
        "fixes": [] if offsets is None else [_fix(fix, offsets) for fix in found.fixes],
    }


def _label(label: Label, offsets: Offsets) -> dict[str, Any]:
    return {**offsets.span(label.span), "text": label.text}


def _fix(fix: Fix, offsets: Offsets) -> dict[str, Any]:
    return {"title": fix.title, "safe": fix.is_safe, "edits": edits_json(fix.edits, offsets)}


def edits_json(edits: Sequence[Edit], offsets: Offsets) -> list[dict[str, Any]]:
    return [{**offsets.span(edit.span), "insert": edit.text} for edit in edits]


def number(value: Fraction | float | None) -> float | int | None:
    """Exact fractions are rounded only here."""
    return value if value is None or isinstance(value, int | float) else float(value)
