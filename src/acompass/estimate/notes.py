"""What a reader of an estimate should know."""

from collections.abc import Iterator
from dataclasses import replace

from acompass.estimate.domain import Transitions
from acompass.estimates import Estimate


def notes_on(estimate: Estimate, found: Transitions) -> Estimate:
    return replace(estimate, notes=tuple(_notes(estimate, found)))


def _notes(estimate: Estimate, found: Transitions) -> Iterator[str]:
    if estimate.line is None:
        yield "no line draws for the column or drops records at random: the released counts are exact"
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
