"""Render the page's sections about measures, for one table or for the table before and after.

They show class sizes, risk, sensitive columns, loss and the distribution of each column."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby

from acompass.dataclasses import dataclass
from acompass.measure.answer import (
    SMALLEST,
    Bar,
    ColumnLoss,
    Distribution,
    Loss,
    Measures,
    Persons,
    Sampling,
    Sensitive,
)
from acompass.report.answers.measures import (
    classes_within,
    persons,
    persons_sentences,
    quasi_identifier_figures,
    round_measure,
    size_label,
    size_ranges,
    sizes_caption,
)
from acompass.report.html import Group, Html, about, grouped_bars, join_html, row, section, share_bar, table, tag


@dataclass(frozen=True, slots=True)
class SizeRange:
    """Class sizes from `low` to `high`."""

    low: int
    high: int
    classes: tuple[int, ...]  # in each table
    records: tuple[Persons, ...]  # in each table


def series_key(series: Sequence[str]) -> Html:
    """A legend with the color of each table; a single table needs none."""
    if len(series) == 1:
        return Html()
    square = {name: tag("rect", width="12", height="12", rx="2", class_=name) for name in series}
    items = [tag("li", tag("svg", square[name], viewBox="0 0 12 12", aria_hidden="true"), name) for name in series]
    return tag("ul", *items, class_="key")


def classes_section(measures: Sequence[Measures], series: Sequence[str]) -> Html:
    names = ", ".join(measures[-1].quasi_identifiers)
    ranges = size_ranges_with_classes(measures)
    counted = "" if measures[-1].people is None else " Its size is its number of persons, who may have several records."
    introduction = about(f"Records with equal values in {names} form one equivalence class.{counted}")
    chart, data = sizes_chart(ranges, measures, series), _sizes_table(ranges, series, noun_of(measures))
    return section("Class sizes", "classes", introduction, series_key(series), chart, data)


def size_ranges_with_classes(measures: Sequence[Measures]) -> list[SizeRange]:
    """The size ranges that contain a class of some table."""
    largest = max(each.classes.largest or 0 for each in measures)
    ranges = []
    for low, high in size_ranges(largest):
        classes, records = zip(*(classes_within(each.classes, low, high) for each in measures), strict=True)
        if any(classes):
            ranges.append(SizeRange(low, high, classes, records))
    return ranges


def sizes_chart(ranges: Sequence[SizeRange], measures: Sequence[Measures], series: Sequence[str]) -> Html:
    title = f"{noun_of(measures).capitalize()} by the size of their class"
    words = "; ".join(f"{name}: {_smallest_class(each)}" for name, each in zip(series, measures, strict=True))
    groups = [Group(_short_range(each.low, each.high), each.records) for each in ranges]
    return tag("figure", grouped_bars(title, words, groups, series), tag("figcaption", title))


def noun_of(measures: Sequence[Measures]) -> str:
    """What the sizes of the classes count. A released table often lacks the column that tells persons apart."""
    return " or ".join(dict.fromkeys(each.noun for each in measures))


def _sizes_table(ranges: Sequence[SizeRange], series: Sequence[str], noun: str) -> Html:
    header = ("class size", *(f"{what}, {name}" for what in ("classes", noun) for name in series))
    rows = [row(size_label(each.low, each.high), *map(persons, (*each.classes, *each.records))) for each in ranges]
    return table(sizes_caption(noun), header, rows, class_="sizes")


def _short_range(low: int, high: int) -> str:
    """A label that fits below a bar: 5–9, 2k–5k."""
    if low == high:
        return str(low) if low else "<1"
    return f"{low}–{high}" if low < 1000 else f"{_thousands(low)}–{_thousands(high + 1)}"


def _thousands(number: int) -> str:
    return f"{number // 1_000_000:,}M" if number >= 1_000_000 else f"{number // 1000:,}k"


def _smallest_class(measures: Measures) -> str:
    k = measures.classes.k
    if k is None:
        return "no records"
    return f"the smallest class has {persons(k)} of {persons(measures.persons)} {measures.noun}"


def risk_section(measures: Sequence[Measures], series: Sequence[str], person: str | None = None) -> Html:
    """`person` is the column that told persons apart in the original table, if persons are not counted."""
    people = measures[-1].people
    text = "The probability that someone who knows a person's quasi-identifiers finds the right record."
    if person is not None:
        text += (
            f" Records are counted, not the persons in {person}: a class can have fewer persons than records, and the "
        )
        text += "risk can be higher."
    introduction = about(text)
    if people is not None:
        introduction = about(" ".join(f"{each[0].upper()}{each[1:]}." for each in persons_sentences(people)))
    journalist = () if measures[-1].journalist is None else _JOURNALIST_RISKS
    risks = (*_class_figures(noun_of(measures)), *_RISKS, *journalist)
    rows = [row(label, *map(figure, measures)) for label, figure in risks]
    data = table("Risk and related measures", ("measure", *series), rows)
    return section("Risk", "risk", introduction, data)


#: a label, and a function that returns the figure of a table
_Figure = tuple[str, Callable[[Measures], str]]


def k_label(noun: str, is_counted_otherwise: bool = False) -> str:
    """k-anonymity with what it counts, unless nothing else could be meant."""
    return "k-anonymity" if noun == "records" and not is_counted_otherwise else f"k-anonymity, in {noun}"


def _class_figures(noun: str) -> tuple[_Figure, ...]:
    return (
        (k_label(noun), lambda m: round_measure(m.k)),
        (f"unique {noun}", lambda m: persons(m.classes.uniques)),
        (f"{noun} in classes below 5", lambda m: persons(m.classes.records_below(5))),
    )


_RISKS: tuple[_Figure, ...] = (
    ("highest prosecutor risk", lambda m: percent(m.classes.prosecutor_maximum)),
    ("average prosecutor risk", lambda m: percent(m.classes.prosecutor_average)),
    ("marketer risk", lambda m: percent(m.marketer)),
    ("average class size", lambda m: round_measure(m.classes.average)),
    ("discernibility", lambda m: round_measure(m.classes.discernibility)),
)

#: for a table drawn from a known population
_JOURNALIST_RISKS: tuple[_Figure, ...] = (
    ("highest journalist risk", lambda m: percent(m.journalist.maximum if m.journalist else None)),
    ("average journalist risk", lambda m: percent(m.journalist.average if m.journalist else None)),
)


def percent(value: Fraction | None) -> str:
    """The space does not break, so the sign stays with its number."""
    return "none" if value is None else f"{float(value) * 100:.3g}\N{NO-BREAK SPACE}%"


def sensitive_section(measures: Sequence[Measures], series: Sequence[str]) -> Html:
    names = [each.column for each in measures[-1].sensitive]
    tables = [_sensitive_table(name, measures, series) for name in names]
    return section("Sensitive columns", "sensitive", *tables)


def _sensitive_table(name: str, measures: Sequence[Measures], series: Sequence[str]) -> Html:
    found = [next((s for s in each.sensitive if s.column == name), None) for each in measures]
    rows = [row(label, *("none" if s is None else figure(s) for s in found)) for label, figure in _MODELS]
    return tag("div", tag("h3", name), table(f"Models of {name}", ("model", *series), rows))


_MODELS: tuple[tuple[str, Callable[[Sensitive], str]], ...] = (
    ("distinct values", lambda s: f"{s.values:,}"),
    ("distinct l-diversity", lambda s: f"{s.distinct_l:,}"),
    ("entropy l-diversity", lambda s: f"{s.entropy_l:,}"),
    ("α of (α,k)-anonymity", lambda s: round_measure(s.alpha)),
    ("t-closeness", lambda s: round_measure(s.t)),
    ("basic β-likeness", lambda s: round_measure(s.basic_beta)),
    ("δ-disclosure", lambda s: round_measure(s.delta)),
)


def questions_section(measures: Measures, unique: Mapping[str, Fraction] | None, pseudonyms: Sequence[str]) -> Html:
    """The three questions of the Article 29 Working Party, about the table that the page describes."""
    introduction = about(
        "Opinion 05/2014 of the Article 29 Working Party (WP216) asks three questions of anonymized data. It sets no "
        "threshold: whether these figures are low enough is for the controller to judge."
    )
    columns = ", ".join(measures.quasi_identifiers)
    rows = [
        row(
            "Singling out",
            join_html(_sentences(_singling_out(measures, columns))),
            f"Whoever knows other columns than {columns} may tell the {measures.noun} of a class apart.",
        ),
        row(
            "Linkability",
            join_html(_sentences(_linkability(measures, unique, pseudonyms))),
            "Whether another table with these columns exists, and whether values that are common by themselves are "
            "rare together.",
        ),
        row(
            "Inference",
            join_html(_sentences(_inference(measures))),
            "What other columns, a model of the table or knowledge of the population tell about a person, even one who "
            "is not in the table.",
        ),
    ]
    data = table("The three questions", ("question", "measured", "not answered by these figures"), rows)
    return section("Singling out, linkability, inference", "questions", introduction, data)


def _sentences(sentences: Iterable[str]) -> list[Html]:
    return [tag("div", each) for each in sentences]


def _singling_out(measures: Measures, columns: str) -> Iterator[str]:
    noun, k = measures.noun, measures.classes.k
    assert k is not None
    yield f"The smallest class by {columns} has {persons(k)} {noun if k != 1 else noun.removesuffix('s')}."
    yield f"Alone in their class: {persons(measures.classes.uniques)} of {persons(measures.persons)} {noun}."
    if measures.people is None and measures.weight is None:
        yield "Counted in records, because no column of the table is known to tell persons apart."


def _linkability(measures: Measures, unique: Mapping[str, Fraction] | None, pseudonyms: Sequence[str]) -> Iterator[str]:
    number = measures.classes.number
    yield f"Another table with the same quasi-identifiers can be linked class by class: {_classes(number)}."
    if unique is None:
        yield "Other columns were not read, because the table is in a database."
        return
    found = [name for name, share in unique.items() if share > Fraction(1, 2)]
    listed = ", ".join(found) if found else "none"
    noun = measures.noun
    yield f"Columns in which more than half of the {noun} have a value that no other {noun[:-1]} has: {listed}."
    if pseudonyms:
        yield f"Pseudonyms, which are the same in every table with the same key: {', '.join(pseudonyms)}."


def _classes(number: int) -> str:
    return "1 class" if number == 1 else f"{number:,} classes"


def _inference(measures: Measures) -> Iterator[str]:
    for each in measures.sensitive:
        yield f"{each.column}: the largest share of one value in a class is {percent(each.alpha)}."
        alike = f"{each.single_valued:,} of {_classes(measures.classes.number)}"
        yield f"{each.column}: classes in which everyone shares a value: {alike}."
    if not measures.sensitive:
        yield "Not measured, because no column is known to be sensitive."


def sampling_section(measures: Sequence[Measures], series: Sequence[str]) -> Html:
    """For tables with sampling weights; an empty table before the last one has none."""
    sampled = [each.sampling for each in measures]
    last = measures[-1].sampling
    assert last is not None
    introduction = about(
        f"The table is a sample. The weights in {last.weight} estimate how many persons in the population share the "
        "quasi-identifiers of a record. The individual risk is the probability that the record is linked to the right "
        "person."
    )
    figures = [*_SAMPLING_FIGURES, *(_risk_above(place, each.k) for place, each in enumerate(last.above))]
    rows = [row(label, *("none" if s is None else figure(s) for s in sampled)) for label, figure in figures]
    return section(
        "Risk in the population",
        "sampling",
        introduction,
        table("Risk by sampling weights", ("measure", *series), rows),
    )


#: the same for a sample
_SamplingFigure = tuple[str, Callable[[Sampling], str]]


def _risk_above(place: int, k: int) -> _SamplingFigure:
    """All tables of a report are measured with the same thresholds."""
    return f"records with individual risk above 1/{k:,}", lambda s: f"{s.above[place].individual:,}"


_SAMPLING_FIGURES: tuple[_SamplingFigure, ...] = (
    ("persons in the population", lambda s: persons(s.persons)),
    ("highest individual risk", lambda s: percent(Fraction(s.maximum))),
    ("average individual risk", lambda s: percent(Fraction(s.average))),
    ("expected re-identifications", lambda s: round_measure(s.expected)),
    ("records with a higher risk than the main part", lambda s: f"{s.outstanding:,}"),
    ("classes with less weight than records", lambda s: f"{s.understated:,}"),
)


def quasi_identifiers_section(measures: Sequence[Measures], series: Sequence[str]) -> Html:
    introduction = about(
        "How much each column contributes to the risk: the column alone, and the table without it. The lower the risk "
        "without a column, the more generalizing it helps."
    )
    tables = [_quasi_identifier_table(each, name) for each, name in zip(measures, series, strict=True)]
    return section("Risk by quasi-identifier", "quasi-identifiers", introduction, *tables)


def _quasi_identifier_table(measures: Measures, name: str) -> Html:
    rows = [
        row(*quasi_identifier_figures(each), percent(each.without.prosecutor_average))
        for each in measures.by_quasi_identifier
    ]
    header = (
        "quasi-identifier",
        "values",
        f"{measures.noun} unique by it",
        "k without it",
        f"unique {measures.noun} without it",
        "average prosecutor risk without it",
    )
    return table(f"Risk by quasi-identifier, {name}", header, rows)


def loss_section(loss: Loss, internal: bool) -> Html:
    introduction = about(
        "A label that stands for more values loses more detail: an unchanged column has a loss of 0, a suppressed "
        "column of 1. Rejected records count as suppressed. The loss is defined as in ARX."
    )
    rows = [_loss_row(each, internal) for each in loss.columns]
    data = table("Loss by column", ("column", "loss", "measured by", "share"), rows, class_="bars")
    return section("Loss", "loss", introduction, data)


def _loss_row(column: ColumnLoss, internal: bool) -> Html:
    """Hide proposed levels from recipients, because they depend on the original values."""
    lost = Fraction(column.loss)
    levels = column.levels if internal or not column.proposed else "levels derived from its values"
    return row(column.column, f"{column.loss:.4f}", levels, share_bar(lost, Fraction(1), "after"))


_WITHHELD = "not shown"
_SERIES_ORDER = ("before", "after", "table")
_POOLED_NOTE = (
    f"Values and ranges shared by fewer than {SMALLEST} records are pooled as “other”, together with all "
    "values beyond the most frequent ones. "
)
_BEFORE_NOTE = (
    "So are values that the released table does not contain. For columns that the policy changes, only the released "
    f"values are shown. A count before is hidden if it could reveal a change of fewer than {SMALLEST} records."
)
_INTERNAL_NOTE = "Values beyond the most frequent ones are pooled as “other”. "


def columns_section(columns: Sequence[Distribution], internal: bool) -> Html:
    named = {name for each in columns for name in each.series}
    series = tuple(name for name in _SERIES_ORDER if name in named)
    has_before = "before" in named
    introduction = about(_INTERNAL_NOTE if internal else _POOLED_NOTE + (_BEFORE_NOTE if has_before else ""))
    grid = tag("div", *_column_figures(columns), class_="columns")
    title = "How each column changed" if has_before else "The columns"
    return section(title, "columns", introduction, series_key(series), grid)


def _column_figures(columns: Sequence[Distribution]) -> Iterator[Html]:
    """A heading for each column, with one table for both series or one table for each."""
    for name, found in groupby(columns, key=lambda each: each.column):
        yield tag("div", tag("h3", name), *map(_distribution, found))


def _distribution(distribution: Distribution) -> Html:
    series = distribution.series
    suffix = f", {series[0]}" if series in (("before",), ("after",)) else ""
    if not distribution.bars:
        when = f"{series[0].capitalize()}, no" if suffix else "No"
        return tag("p", f"{when} value is shared by {distribution.smallest} records.", class_="note")
    whole = max(distribution.totals)
    rows = [_bar_row(bar, whole, series) for bar in distribution.bars]
    if any(count != 0 for count in distribution.other):
        rows.append(_bar_row(Bar("other", distribution.other), whole, series))
    caption = f"Values of {distribution.column}{suffix}"
    return table(caption, ("value", *series, "share"), rows, class_="bars" if len(series) > 1 else None)


def _bar_row(bar: Bar, whole: Persons, series: Sequence[str]) -> Html:
    numbers = [_WITHHELD if count is None else persons(count) for count in bar.counts]
    bars = [share_bar(count or 0, whole, name) for count, name in zip(bar.counts, series, strict=True)]
    return row(bar.label, *numbers, join_html(bars))
