"""A comparison as text: the verdict with a table on which the policies differ, then their guarantees."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from acompass.compare.answer import Comparison, Difference
from acompass.prove.proof import Claim
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
from acompass.report.text.proof import claim_text, table_text


def comparison_text(comparison: Comparison, impact: bool = False) -> str:
    """With `impact`, also what is lost and what is released beyond the old policy."""
    found = _impact(comparison) if impact else _hint(comparison)
    paragraphs = [_verdict(comparison), *_guarantees(comparison), *found, *inferred_types(comparison)]
    return "\n\n".join(paragraphs)


def _verdict(comparison: Comparison) -> str:
    tables = () if comparison.difference is None else _difference(comparison.difference)
    return "\n".join([verdict(comparison), *_indented((*reasons(comparison), *tables))])


def _difference(difference: Difference) -> Iterator[str]:
    for heading, schema, records in difference_tables(difference):
        yield heading
        yield from _indented([NOTHING_WRITTEN] if schema is None else table_text(schema, records))
        if heading == "before" and difference.trace:
            yield f"trace {', '.join(difference.trace)}"


def _guarantees(comparison: Comparison) -> Iterator[str]:
    sides = (comparison.old_by_new, comparison.new_by_old)
    for heading, claims in zip(guarantee_headings(comparison), sides, strict=True):
        yield "\n".join([heading, *_indented(line for claim in claims for line in _without_table(claim))])


def _without_table(claim: Claim) -> list[str]:
    return claim_text(replace(claim, counterexample=None)).splitlines()


def _hint(comparison: Comparison) -> Iterator[str]:
    if comparison.impact.released != ():
        yield f"{impact_heading(comparison.impact)}; --impact says what"


def _impact(comparison: Comparison) -> Iterator[str]:
    impact = comparison.impact
    yield "\n".join([impact_heading(impact), *_indented(impact_lines(impact))])
    for claim in impact.lost:
        yield "\n".join(["no longer guaranteed", *_indented(claim_text(claim).splitlines())])


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)
