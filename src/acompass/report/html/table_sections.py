"""The tables: class sizes, risk, models of sensitive columns, and the distribution of every column."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from acompass.measure.distribution import SMALLEST, Bar, Distribution
from acompass.measure.render import shown
from acompass.measure.result import Measures, Sensitive
from acompass.measure.sizes import classes_within, size_label, size_ranges
from acompass.report.html.charts import Group, grouped_bars, share_bar
from acompass.report.html.elements import Html, joined, row, section, table, tag

_FEW = f"fewer than {SMALLEST}"


def key(series: Sequence[str]) -> Html:
    """Which colour is which table; one table needs none."""
    if len(series) == 1:
        return Html()
    square = {name: tag("rect", width="12", height="12", rx="2", class_=name) for name in series}
    items = [
        tag("li", tag("svg", square[name], viewBox="0 0 12 12", aria_hidden="true"), name) for name in series
    ]
    return tag("ul", *items, class_="key")


def classes_section(measures: Sequence[Measures], series: Sequence[str]) -> Html:
    names = ", ".join(measures[-1].quasi_identifiers)
    largest = max(each.classes.largest or 0 for each in measures)
    found = [
        (*ends, [classes_within(each.classes, *ends) for each in measures]) for ends in size_ranges(largest)
    ]
    filled = [(low, high, counts) for low, high, counts in found if any(number for number, _ in counts)]
    groups = [
        Group(_short(low, high), tuple(records for _, records in counts)) for low, high, counts in filled
    ]
    words = "; ".join(f"{name}: {_smallest(each)}" for name, each in zip(series, measures, strict=True))
    title = "Records by the size of their class"
    chart = tag("figure", grouped_bars(title, words, groups, series), tag("figcaption", title))
    header = ("class size", *(f"{what}, {name}" for what in ("classes", "records") for name in series))
    rows = [
        row(
            size_label(low, high),
            *(f"{number:,}" for number, _ in counts),
            *(f"{records:,}" for _, records in counts),
        )
        for low, high, counts in filled
    ]
    about = tag("p", f"Records that are alike in {names} are one equivalence class.", class_="about")
    data = table("Classes and the records in them, by size", header, rows)
    return section("Class sizes", "classes", about, key(series), chart, data)


def _short(low: int, high: int) -> str:
    """A range of sizes in little room: 5–9, 2k–5k."""
    if low == high:
        return str(low)
    return f"{low}–{high}" if low < 1000 else f"{_thousands(low)}–{_thousands(high + 1)}"


def _thousands(number: int) -> str:
    return f"{number // 1_000_000:,}M" if number >= 1_000_000 else f"{number // 1000:,}k"


def _smallest(measures: Measures) -> str:
    k = measures.classes.k
    return "no records" if k is None else f"the smallest class has {k:,} of {measures.records:,} records"


def risk_section(measures: Sequence[Measures], series: Sequence[str]) -> Html:
    about = tag(
        "p",
        "The chance to tell whose a record is, for someone who knows its quasi-identifiers.",
        class_="about",
    )
    shown_risks = _RISKS if measures[-1].journalist is None else (*_RISKS, *_JOURNALIST_RISKS)
    rows = [row(label, *(of(each) for each in measures)) for label, of in shown_risks]
    data = table("Risk and the measures behind it", ("", *series), rows)
    return section("Risk", "risk", about, data)


_RISKS: tuple[tuple[str, Callable[[Measures], str]], ...] = (
    ("smallest class (k)", lambda m: shown(m.classes.k)),
    ("unique records", lambda m: f"{m.classes.uniques:,}"),
    ("records in classes below 5", lambda m: f"{m.classes.records_below(5):,}"),
    ("highest prosecutor risk", lambda m: percent(m.classes.prosecutor_maximum)),
    ("average prosecutor risk", lambda m: percent(m.classes.prosecutor_average)),
    ("marketer risk", lambda m: percent(m.marketer)),
    ("average class size", lambda m: shown(m.classes.average)),
    ("discernibility", lambda m: shown(m.classes.discernibility)),
)


#: of a table that is part of a known population
_JOURNALIST_RISKS: tuple[tuple[str, Callable[[Measures], str]], ...] = (
    ("highest journalist risk", lambda m: percent(m.journalist.maximum if m.journalist else None)),
    ("average journalist risk", lambda m: percent(m.journalist.average if m.journalist else None)),
)


def percent(value: Fraction | None) -> str:
    """With a space that no line ends at."""
    return "none" if value is None else f"{float(value) * 100:.3g}\N{NO-BREAK SPACE}%"


def sensitive_section(measures: Sequence[Measures], series: Sequence[str]) -> Html:
    names = [each.column for each in measures[-1].sensitive]
    tables = [_sensitive(name, measures, series) for name in names]
    return section("Sensitive columns", "sensitive", *tables)


def _sensitive(name: str, measures: Sequence[Measures], series: Sequence[str]) -> Html:
    found = [next((s for s in each.sensitive if s.column == name), None) for each in measures]
    rows = [row(label, *("none" if s is None else of(s) for s in found)) for label, of in _MODELS]
    return tag("div", tag("h3", name), table(f"Models of {name}", ("", *series), rows))


_MODELS: tuple[tuple[str, Callable[[Sensitive], str]], ...] = (
    ("distinct values", lambda s: f"{s.values:,}"),
    ("distinct l-diversity", lambda s: f"{s.distinct_l:,}"),
    ("entropy l-diversity", lambda s: f"{s.entropy_l:,}"),
    ("α of (α,k)-anonymity", lambda s: shown(s.alpha)),
    ("t-closeness", lambda s: shown(s.t)),
    ("basic β-likeness", lambda s: shown(s.basic_beta)),
    ("δ-disclosure", lambda s: shown(s.delta)),
)


def columns_section(columns: Sequence[Distribution], series: Sequence[str]) -> Html:
    note = (
        f"A value or range that fewer than {SMALLEST} records share is pooled as “other”, and so is "
        "whatever is beyond the most frequent values."
    )
    figures = [tag("div", tag("h3", each.column), _distribution(each, series)) for each in columns]
    grid = tag("div", *figures, class_="columns")
    title = "How each column changed" if len(series) > 1 else "The columns"
    return section(title, "columns", tag("p", note, class_="about"), key(series), grid)


def _distribution(distribution: Distribution, series: Sequence[str]) -> Html:
    if not distribution.bars:
        return tag("p", f"No value is shared by {SMALLEST} records.", class_="note")
    whole = max(distribution.totals)
    rows = [_bar(bar, whole, series) for bar in distribution.bars]
    rows += list(_other(distribution, whole, series))
    return table(f"Values of {distribution.column}", ("value", *series, "share"), rows)


def _bar(bar: Bar, whole: int, series: Sequence[str]) -> Html:
    numbers = [_FEW if count is None else f"{count:,}" for count in bar.counts]
    bars = [share_bar(count or 0, whole, name) for count, name in zip(bar.counts, series, strict=True)]
    return row(bar.label, *numbers, joined(bars))


def _other(distribution: Distribution, whole: int, series: Sequence[str]) -> Iterator[Html]:
    if any(distribution.other):
        counts = tuple(None if 0 < other < SMALLEST else other for other in distribution.other)
        yield _bar(Bar("other", counts), whole, series)
