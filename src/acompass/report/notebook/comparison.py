"""A comparison as tables: the guarantees of both policies, and a table on which they differ.

These tables are made up by the comparison and have no value of a record.
"""

from collections.abc import Iterator

from acompass.compare.answer import Comparison, Difference
from acompass.prove.proof import Claim
from acompass.report.html.elements import Html, tag
from acompass.report.notebook.elements import code, display, lines, paragraphs, table
from acompass.report.notebook.proof import records_table
from acompass.report.rows.comparison import (
    NOTHING_WRITTEN,
    difference_tables,
    guarantee_headings,
    impact_heading,
    impact_lines,
    reasons,
    verdict,
)
from acompass.report.rows.proof import inferred_types


def comparison_html(comparison: Comparison) -> str:
    tables = () if comparison.difference is None else tuple(_difference(comparison.difference))
    impact = comparison.impact
    return display(
        paragraphs([f"{verdict(comparison)}: {'; '.join(reasons(comparison))}"]),
        *tables,
        *_guarantees(comparison),
        paragraphs([impact_heading(impact), *impact_lines(impact), *inferred_types(comparison)]),
    )


def _guarantees(comparison: Comparison) -> Iterator[Html]:
    sides = (comparison.old_by_new, comparison.new_by_old)
    for heading, claims in zip(guarantee_headings(comparison), sides, strict=True):
        yield table(heading, _rows(claims))


def _rows(claims: tuple[Claim, ...]) -> Iterator[tuple[str, ...]]:
    yield "line", "assertion", "verdict", "why"
    for claim in claims:
        yield str(claim.line), code(claim.text), claim.verdict, lines(claim.reason.splitlines())


def _difference(difference: Difference) -> Iterator[Html]:
    for heading, schema, records in difference_tables(difference):
        if schema is None:
            yield tag("p", f"{heading}: {NOTHING_WRITTEN}")
        else:
            yield records_table(heading, schema, records)
    if difference.trace:
        yield tag("p", f"trace {', '.join(difference.trace)}")
