"""An estimate as text, in aligned columns."""

from acompass.estimates import Estimate
from acompass.report.rows import estimate as rows
from acompass.report.text.columns import numbers_aligned


def estimate_text(estimate: Estimate) -> str:
    lines = [rows.heading(estimate), "", *numbers_aligned(list(rows.value_rows(estimate)))]
    notes = [f"note: {note}" for note in estimate.notes]
    return "\n".join([*lines, *([""] if notes else []), *notes])
