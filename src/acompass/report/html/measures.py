"""Measures of one table, or of the table before and after: class sizes, risk and sensitive columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from acompass.measures import Measures, Persons, Sensitive
from acompass.report.html.charts import Group, grouped_bars
from acompass.report.html.elements import Html, about, row, section, table, tag
from acompass.report.sizes import classes_within, size_label, size_ranges
from acompass.report.words import persons, rounded


def key(series: Sequence[str]) -> Html:
    """The colour of each table; a single table needs no key."""
    if len(series) == 1:
        return Html()
    square = {name: tag("rect", width="12", height="12", rx="2", class_=name) for name in series}
    items = [
        tag("li", tag("svg", square[name], viewBox="0 0 12 12", aria_hidden="true"), name) for name in series
    ]
    return tag("ul", *items, class_="key")


@dataclass(frozen=True, slots=True)
class SizeRange:
    """Class sizes from `low` to `high`, with the number of classes and of records in each table."""

    low: int
    high: int
    classes: tuple[int, ...]
    records: tuple[Persons, ...]


def classes_section(measures: Sequence[Measures], series: Sequence[str]) -> Html:
    names = ", ".join(measures[-1].quasi_identifiers)
    ranges = ranges_of(measures)
    introduction = about(f"Records with equal values in {names} form one equivalence class.")
    chart, data = sizes_chart(ranges, measures, series), _sizes_table(ranges, series)
    return section("Class sizes", "classes", introduction, key(series), chart, data)


def ranges_of(measures: Sequence[Measures]) -> list[SizeRange]:
    """The ranges of size that contain a class of some table."""
    largest = max(each.classes.largest or 0 for each in measures)
    ranges = []
    for low, high in size_ranges(largest):
        classes, records = zip(*(classes_within(each.classes, low, high) for each in measures), strict=True)
        if any(classes):
            ranges.append(SizeRange(low, high, classes, records))
    return ranges


def sizes_chart(ranges: Sequence[SizeRange], measures: Sequence[Measures], series: Sequence[str]) -> Html:
    title = "Records by the size of their class"
    words = "; ".join(f"{name}: {_smallest(each)}" for name, each in zip(series, measures, strict=True))
    groups = [Group(_short(each.low, each.high), each.records) for each in ranges]
    return tag("figure", grouped_bars(title, words, groups, series), tag("figcaption", title))


def _sizes_table(ranges: Sequence[SizeRange], series: Sequence[str]) -> Html:
    header = ("class size", *(f"{what}, {name}" for what in ("classes", "records") for name in series))
    rows = [
        row(size_label(each.low, each.high), *map(persons, (*each.classes, *each.records))) for each in ranges
    ]
    return table("Classes and their records, by class size", header, rows, class_="sizes")


def _short(low: int, high: int) -> str:
    """A range of sizes that fits below a bar: 5–9, 2k–5k."""
    if low == high:
        return str(low) if low else "<1"
    return f"{low}–{high}" if low < 1000 else f"{_thousands(low)}–{_thousands(high + 1)}"


def _thousands(number: int) -> str:
    return f"{number // 1_000_000:,}M" if number >= 1_000_000 else f"{number // 1000:,}k"


def _smallest(measures: Measures) -> str:
    k = measures.classes.k
    return (
        "no records"
        if k is None
        else f"the smallest class has {persons(k)} of {persons(measures.records)} records"
    )


def risk_section(measures: Sequence[Measures], series: Sequence[str]) -> Html:
    introduction = about(
        "The probability that someone who knows a person's quasi-identifiers finds the right record."
    )
    risks = _RISKS if measures[-1].journalist is None else (*_RISKS, *_JOURNALIST_RISKS)
    rows = [row(label, *(of(each) for each in measures)) for label, of in risks]
    data = table("Risk and related measures", ("measure", *series), rows)
    return section("Risk", "risk", introduction, data)


_RISKS: tuple[tuple[str, Callable[[Measures], str]], ...] = (
    ("smallest class (k)", lambda m: rounded(m.classes.k)),
    ("unique records", lambda m: persons(m.classes.uniques)),
    ("records in classes below 5", lambda m: persons(m.classes.records_below(5))),
    ("highest prosecutor risk", lambda m: percent(m.classes.prosecutor_maximum)),
    ("average prosecutor risk", lambda m: percent(m.classes.prosecutor_average)),
    ("marketer risk", lambda m: percent(m.marketer)),
    ("average class size", lambda m: rounded(m.classes.average)),
    ("discernibility", lambda m: rounded(m.classes.discernibility)),
)

#: for a table drawn from a known population
_JOURNALIST_RISKS: tuple[tuple[str, Callable[[Measures], str]], ...] = (
    ("highest journalist risk", lambda m: percent(m.journalist.maximum if m.journalist else None)),
    ("average journalist risk", lambda m: percent(m.journalist.average if m.journalist else None)),
)


def percent(value: Fraction | None) -> str:
    """The space does not break, so the sign stays with its number."""
    return "none" if value is None else f"{float(value) * 100:.3g}\N{NO-BREAK SPACE}%"


def sensitive_section(measures: Sequence[Measures], series: Sequence[str]) -> Html:
    names = [each.column for each in measures[-1].sensitive]
    tables = [_sensitive(name, measures, series) for name in names]
    return section("Sensitive columns", "sensitive", *tables)


def _sensitive(name: str, measures: Sequence[Measures], series: Sequence[str]) -> Html:
    found = [next((s for s in each.sensitive if s.column == name), None) for each in measures]
    rows = [row(label, *("none" if s is None else of(s) for s in found)) for label, of in _MODELS]
    return tag("div", tag("h3", name), table(f"Models of {name}", ("model", *series), rows))


_MODELS: tuple[tuple[str, Callable[[Sensitive], str]], ...] = (
    ("distinct values", lambda s: f"{s.values:,}"),
    ("distinct l-diversity", lambda s: f"{s.distinct_l:,}"),
    ("entropy l-diversity", lambda s: f"{s.entropy_l:,}"),
    ("α of (α,k)-anonymity", lambda s: rounded(s.alpha)),
    ("t-closeness", lambda s: rounded(s.t)),
    ("basic β-likeness", lambda s: rounded(s.basic_beta)),
    ("δ-disclosure", lambda s: rounded(s.delta)),
)
