"""What sampling weights say about risk, as rows of words."""

from collections.abc import Iterator
from typing import TypeAlias

from acompass.measures import Sampling
from acompass.report.words import on_one_line, persons, rounded

Row: TypeAlias = tuple[str, ...]


def sampling_heading(sampling: Sampling) -> str:
    stands = f"a sample of {persons(sampling.persons)} persons, by {on_one_line(sampling.weight)}"
    return f"{stands}{understated(sampling)}"


def understated(sampling: Sampling) -> str:
    """Empty unless some weights are too small."""
    if not sampling.understated:
        return ""
    classes = "1 class has" if sampling.understated == 1 else f"{sampling.understated:,} classes have"
    return f"; {classes} less weight than records"


def sampling_rows(sampling: Sampling) -> Iterator[Row]:
    yield "records with risk", "journalist", "individual"
    for each in sampling.above:
        yield f"above 1/{each.k:,}", f"{each.journalist:,}", f"{each.individual:,}"
    yield "higher than the main part", "", f"{sampling.outstanding:,}"
    yield "expected re-identifications", "", rounded(sampling.expected)
