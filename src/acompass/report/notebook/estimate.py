"""An estimate as a table."""

from acompass.estimates import Estimate
from acompass.report.notebook.elements import display, paragraphs, table
from acompass.report.rows import estimate as rows


def estimate_html(estimate: Estimate) -> str:
    notes = (f"Note: {note}" for note in estimate.notes)
    return display(table(rows.heading(estimate), rows.value_rows(estimate)), paragraphs(notes))
