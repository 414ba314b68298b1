"""The distribution of each column, in one table or before and after."""

from collections.abc import Iterator, Sequence

from acompass.measures import SMALLEST, Bar, Distribution, Persons
from acompass.report.html.charts import share_bar
from acompass.report.html.elements import Html, about, joined, row, section, table, tag
from acompass.report.html.measures import key
from acompass.report.words import persons

_WITHHELD = "not shown"


_BEFORE = (
    "So are values that the released table does not contain. A count before is not shown if it would tell of "
    f"a change of fewer than {SMALLEST} records, or how many values were drawn at random."
)


def columns_section(columns: Sequence[Distribution], series: Sequence[str]) -> Html:
    introduction = about(
        f"Values and ranges shared by fewer than {SMALLEST} records are pooled as “other”, together with "
        "all values beyond the most frequent ones. ",
        *([_BEFORE] if len(series) > 1 else []),
    )
    figures = [tag("div", tag("h3", each.column), _distribution(each, series)) for each in columns]
    grid = tag("div", *figures, class_="columns")
    title = "How each column changed" if len(series) > 1 else "The columns"
    return section(title, "columns", introduction, key(series), grid)


def _distribution(distribution: Distribution, series: Sequence[str]) -> Html:
    if not distribution.bars:
        return tag("p", f"No value is shared by {SMALLEST} records.", class_="note")
    whole = max(distribution.totals)
    rows = [_bar(bar, whole, series) for bar in distribution.bars]
    rows += list(_other(distribution, whole, series))
    return table(f"Values of {distribution.column}", ("value", *series, "share"), rows)


def _bar(bar: Bar, whole: Persons, series: Sequence[str]) -> Html:
    numbers = [_WITHHELD if count is None else persons(count) for count in bar.counts]
    bars = [share_bar(count or 0, whole, name) for count, name in zip(bar.counts, series, strict=True)]
    return row(bar.label, *numbers, joined(bars))


def _other(distribution: Distribution, whole: Persons, series: Sequence[str]) -> Iterator[Html]:
    if any(count != 0 for count in distribution.other):
        yield _bar(Bar("other", distribution.other), whole, series)
