"""Risk by quasi-identifier: which column makes records stand out."""

from collections.abc import Sequence

from acompass.measures import Measures, QuasiIdentifier
from acompass.report.html.elements import Html, about, row, section, table
from acompass.report.html.measures import percent
from acompass.report.words import persons, rounded

_HEADER = (
    "quasi-identifier",
    "values",
    "records unique by it alone",
    "smallest class without it",
    "unique records without it",
    "average risk without it",
)


def quasi_identifiers_section(measures: Sequence[Measures], series: Sequence[str]) -> Html:
    """One table per measured table, such as before and after."""
    introduction = about(
        "How much each column contributes to the risk: the column alone, and the table without it. The lower "
        "the risk without a column, the more there is to gain by generalizing it."
    )
    tables = [_table(each, name) for each, name in zip(measures, series, strict=True)]
    return section("Risk by quasi-identifier", "quasi-identifiers", introduction, *tables)


def _table(measures: Measures, name: str) -> Html:
    rows = [row(each.column, *_figures(each)) for each in measures.by_quasi_identifier]
    return table(f"Risk by quasi-identifier, {name}", _HEADER, rows)


def _figures(each: QuasiIdentifier) -> tuple[str, ...]:
    alone, without = each.alone, each.without
    return (
        f"{alone.number:,}",
        persons(alone.uniques),
        rounded(without.k),
        persons(without.uniques),
        percent(without.prosecutor_average),
    )
