"""Risk by sampling weights: the table is a sample of a population."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from acompass.measures import Measures, Sampling
from acompass.report.html.elements import Html, about, row, section, table
from acompass.report.html.measures import percent
from acompass.report.words import persons, rounded


def sampling_section(measures: Sequence[Measures], series: Sequence[str]) -> Html:
    """For tables with sampling weights, the last one included; an empty table has none."""
    sampled = [each.sampling for each in measures]
    last = measures[-1].sampling
    assert last is not None
    introduction = about(
        f"The table is a sample. The weights in {last.weight} estimate how many persons of the population "
        "share the quasi-identifiers of a record. The individual risk is the probability that the record is "
        "linked to the right one of them."
    )
    rows = [row(label, *("none" if s is None else of(s) for s in sampled)) for label, of in _figures(last)]
    return section(
        "Risk in the population",
        "sampling",
        introduction,
        table("Risk by sampling weights", ("measure", *series), rows),
    )


#: a label, and the figure of a table
_Figure = tuple[str, Callable[[Sampling], str]]


def _figures(last: Sampling) -> list[_Figure]:
    return [*_FIGURES, *(_above(place, each.k) for place, each in enumerate(last.above))]


def _above(place: int, k: int) -> _Figure:
    """Tables of a report are measured with the same thresholds."""
    return f"records with individual risk above 1/{k:,}", lambda s: f"{s.above[place].individual:,}"


_FIGURES: tuple[_Figure, ...] = (
    ("persons in the population", lambda s: persons(s.persons)),
    ("highest individual risk", lambda s: percent(Fraction(s.maximum))),
    ("average individual risk", lambda s: percent(Fraction(s.average))),
    ("expected re-identifications", lambda s: rounded(s.expected)),
    ("records with a higher risk than the main part", lambda s: f"{s.outstanding:,}"),
    ("classes with less weight than records", lambda s: f"{s.understated:,}"),
)
