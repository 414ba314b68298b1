"""The distribution of each column, in one table or before and after."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from acompass.measures import SMALLEST, Bar, Distribution, Persons
from acompass.report.html.charts import share_bar
from acompass.report.html.elements import Html, about, joined, row, section, table, tag
from acompass.report.html.measures import key
from acompass.report.words import persons

_WITHHELD = "not shown"
_SERIES = ("before", "after", "table")
_POOLED = (
    f"Values and ranges shared by fewer than {SMALLEST} records are pooled as “other”, together with all "
    "values beyond the most frequent ones. "
)
_BEFORE = (
    "So are values that the released table does not contain. Of a column that the policy writes, only the "
    "released values are shown. A count before is not shown if it would tell of a change of fewer than "
    f"{SMALLEST} records."
)
_INTERNAL = "Values beyond the most frequent ones are pooled as “other”. "


def columns_section(columns: Sequence[Distribution], internal: bool) -> Html:
    named = {name for each in columns for name in each.series}
    series = tuple(name for name in _SERIES if name in named)
    has_before = "before" in named
    introduction = about(_INTERNAL if internal else _POOLED + (_BEFORE if has_before else ""))
    grid = tag("div", *_figures(columns), class_="columns")
    title = "How each column changed" if has_before else "The columns"
    return section(title, "columns", introduction, key(series), grid)


def _figures(columns: Sequence[Distribution]) -> Iterator[Html]:
    """A heading for each column; with a table for both series, or one for each."""
    for name, found in groupby(columns, key=lambda each: each.column):
        yield tag("div", tag("h3", name), *map(_distribution, found))


def _distribution(distribution: Distribution) -> Html:
    series = distribution.series
    of = f", {series[0]}" if series in (("before",), ("after",)) else ""
    if not distribution.bars:
        when = f"{series[0].capitalize()}, no" if of else "No"
        return tag("p", f"{when} value is shared by {distribution.smallest} records.", class_="note")
    whole = max(distribution.totals)
    rows = [_bar(bar, whole, series) for bar in distribution.bars]
    rows += list(_other(distribution, whole))
    caption = f"Values of {distribution.column}{of}"
    return table(caption, ("value", *series, "share"), rows, class_="bars" if len(series) > 1 else None)


def _bar(bar: Bar, whole: Persons, series: Sequence[str]) -> Html:
    numbers = [_WITHHELD if count is None else persons(count) for count in bar.counts]
    bars = [share_bar(count or 0, whole, name) for count, name in zip(bar.counts, series, strict=True)]
    return row(bar.label, *numbers, joined(bars))


def _other(distribution: Distribution, whole: Persons) -> Iterator[Html]:
    if any(count != 0 for count in distribution.other):
        yield _bar(Bar("other", distribution.other), whole, distribution.series)
