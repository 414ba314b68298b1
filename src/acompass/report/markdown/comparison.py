"""A comparison as Markdown: what is lost, then a table on which the policies differ, then the guarantees.

These tables are made up by the comparison and have no value of a record.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from acompass.compare.answer import Comparison, Difference, Impact
from acompass.prove.proof import Claim, ClaimVerdict
from acompass.report.markdown.elements import Markdown, bold, bullets, document, heading, headline, prose
from acompass.report.markdown.proof import (
    claims_table,
    counterexample_blocks,
    records_table,
    trace_line,
    types_table,
)
from acompass.report.rows.comparison import (
    NOTHING_WRITTEN,
    difference_tables,
    guarantee_headings,
    impact_heading,
    impact_lines,
    reasons,
    verdict,
)
from acompass.report.words import counted

_TITLES = {"before": "Before", "old": "The old policy writes", "new": "The new policy writes"}


def comparison_markdown(comparison: Comparison, name: str | None = None, impact: bool = True) -> str:
    """With `impact`, also what is released beyond the old policy, and a table for each lost guarantee."""
    return document(_blocks(comparison, name, impact))


def _blocks(comparison: Comparison, name: str | None, impact: bool) -> Iterator[Markdown]:
    yield headline("Comparison", name, f"{verdict(comparison)}{_consequence(comparison)}", comparison.ok)
    yield bullets(reasons(comparison))
    yield from _claims("No longer guaranteed", comparison.impact.lost)
    yield from _impact(comparison.impact, impact)
    if comparison.difference is not None:
        yield heading(3, "A table on which the policies differ")
        yield from _difference(comparison.difference)
    kept = [claim for claim in comparison.old_by_new if claim.verdict is ClaimVerdict.PROVED]
    yield from _claims("Still guaranteed", kept)
    yield from _claims(guarantee_headings(comparison)[1].capitalize(), comparison.new_by_old)
    yield from types_table(comparison.types, comparison.inferred)


def _consequence(comparison: Comparison) -> str:
    """What a reviewer has to know first."""
    if comparison.equivalent:
        return ""
    lost = Counter(claim.verdict for claim in comparison.impact.lost)
    refuted, undecided = lost[ClaimVerdict.REFUTED], lost[ClaimVerdict.UNDECIDED]
    if refuted:
        return f", {counted(refuted, 'guarantee')} of the old policy lost"
    if undecided:
        return f", {counted(undecided, 'guarantee')} of the old policy not known to be kept"
    return f", no guarantee of the old policy lost; {impact_heading(comparison.impact)}"


def _claims(title: str, claims: Sequence[Claim]) -> Iterator[Markdown]:
    if claims:
        yield heading(3, title)
        yield claims_table(claims)


def _impact(impact: Impact, in_full: bool) -> Iterator[Markdown]:
    if in_full:
        found, title = impact_lines(impact), _sentence(impact_heading(impact))
        yield heading(3, title) if found else prose(title)
        yield bullets(found)
        for claim in impact.lost:
            title = f"Line {claim.line} of the old policy does not hold in the new one for this table"
            yield from counterexample_blocks(claim, title)
    elif impact.released != ():
        yield prose(f"{_sentence(impact_heading(impact))}; `--impact` says what.")


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _difference(difference: Difference) -> Iterator[Markdown]:
    for place, schema, records in difference_tables(difference):
        title = _TITLES[place]
        if schema is None:
            yield Markdown(f"{bold(title)}: {NOTHING_WRITTEN}")
        else:
            yield from records_table(title, schema, records)
        if place == "before":
            yield trace_line(difference.trace)
