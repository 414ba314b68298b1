"""What a reader of an estimate should know."""

from collections.abc import Iterator
from dataclasses import replace

from acompass.estimate.domain import Transitions
from acompass.estimate.lines import Lines, decides
from acompass.estimates import Estimate


def notes_on(estimate: Estimate, lines: Lines, found: Transitions, column: int) -> Estimate:
    return replace(estimate, notes=tuple(_notes(estimate, lines, found, column)))


def _notes(estimate: Estimate, lines: Lines, found: Transitions, column: int) -> Iterator[str]:
    if estimate.line is None:
        yield "no line draws for the column or drops records at random: the released counts are exact"
    changed = [line.line for line in lines.before if decides(line, column)]
    if changed:
        listed = ", ".join(map(str, changed))
        yield f"the estimate is of the column after line {listed}, which draws nothing for it"
    negative = sum(each.count.estimate < 0 for each in estimate.values)
    if negative:
        yield (
            f"{negative} of the estimates {'is' if negative == 1 else 'are'} below 0: these values are rare, "
            "and the noise is larger; to cut them off at 0 would bias the others"
        )
    if len(found.rates) > 1:
        yield "the policy drops some values more often than others: shares have no unbiased estimate"
    if any(each.count.standard_error is None for each in estimate.values):
        yield "where no standard error is given, the estimated variance is below 0 by chance"
