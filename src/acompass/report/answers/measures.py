"""Describe the measures of a table: its classes, risk, sensitive columns, change and loss."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from acompass.errors.display import on_one_line
from acompass.measure.answer import (
    Classes,
    ColumnChange,
    Loss,
    Measures,
    People,
    Persons,
    QuasiIdentifier,
    Sampling,
    Sensitive,
    TableChange,
)
from acompass.report import document as doc
from acompass.report.answers.results import note_text

#: what a curator should know about each quantity, in a sentence: every format, page and panel has these names
WORDS: Mapping[str, str] = {
    "identifier": "A column that tells by itself who a record is about, such as a name or a record's number. A release "
    "drops or pseudonymizes it.",
    "quasi-identifier": "A column that does not identify a person alone, but may do so together with others, because "
    "an attacker may know it: age, place, sex, the day of a visit.",
    "sensitive": "A column whose values must stay confidential, such as a diagnosis.",
    "k": "Every class of the release has at least k records, or persons: each looks like at least k − 1 others.",
    "l": "Every class has at least l different values of each sensitive column, so that knowing someone's class does "
    "not tell the value.",
    "t": "In no class does the distribution of a sensitive column differ from that in the whole table by more than t, "
    "from 0 (equal) to 1.",
    "class": "The records with the same values in all quasi-identifiers: these columns do not tell them apart.",
    "k-anonymity": "The size of the smallest class: the larger k is, the more records look alike to someone who knows "
    "the quasi-identifiers.",
    "unique records": "Records that are alone in their class: whoever knows their quasi-identifiers knows which record "
    "it is.",
    "records in classes below k": "Records that share their quasi-identifiers with fewer than k − 1 others.",
    "average class size": "The number of records divided by the number of classes.",
    "discernibility": "The sum of the squared class sizes: a cost that grows as records are made alike.",
    "prosecutor risk": "The probability of finding the right record for an attacker who knows that the person is in "
    "the table: 1 divided by the size of the class.",
    "journalist risk": "The probability of finding the right person for an attacker who only knows that the person is "
    "in the population: 1 divided by the persons of the population in the class.",
    "marketer risk": "The share of all records that an attacker who tries to identify every one of them is expected to "
    "get right.",
    "individual risk": "The expected value of 1 divided by the persons of the population who share the record's "
    "quasi-identifiers, estimated from sampling weights as in sdcMicro.",
    "expected re-identifications": "The sum of the individual risks: how many records of the sample an attacker is "
    "expected to link to the right person.",
    "distinct l-diversity": "The smallest number of different values of a sensitive column in any class; `*` counts as "
    "a value.",
    "entropy l-diversity": "The largest l such that in every class the values are as uncertain as l equally frequent "
    "ones.",
    "α of (α,k)-anonymity": "The largest share that one value of a sensitive column has in any class.",
    "t-closeness": "The largest distance between the distribution of a sensitive column in a class and in the whole "
    "table, from 0 (equal) to 1.",
    "basic β-likeness": "The largest relative gain in the share of a sensitive value for someone who learns the class.",
    "δ-disclosure": "The largest factor, as a logarithm, between the shares of a sensitive value in a class and in the "
    "table.",
    "loss": "How much detail the labels lose, from 0 (every value as it was) to 1 (everything `*`): the mean share of "
    "the column's values that a label covers, as in ARX.",
    "information lost": "The share of the information about the original values, in bits, that generalized values, "
    "`*` and dropped records no longer have, from 0 % to 100 %.",
    "distance": "How far the distribution of the values moved, from 0 (the same) to 1; a label counts for the values "
    "that it covers, so that detail that is only lost moves nothing.",
    "cascade": "Generalizes only the records of small classes, column by column, until their classes are large enough; "
    "labels of several levels can stand side by side.",
    "uniform": "Uses one level of each column for all records, and drops the records whose class stays too small.",
    "stars": "Uses one level of each column for all records, then writes `*` into some columns of small classes.",
}


def describe_measures(measures: Measures, context: doc.Context) -> Iterator[doc.Block]:
    (_, k), *classes = class_rows = list(_class_rows(measures))
    heading = measures_heading(measures)
    yield doc.headline("Measures", context, k, text=heading)
    yield doc.Either(
        text=[doc.Table("", (), class_rows, "lr")],
        rich=[
            doc.Bullets([heading, *_summary(measures)]),
            _number_table("Key figures", ("measure", "value"), [("k-anonymity", k), *_key_figures(measures)]),
            doc.Heading("Classes"),
            _number_table("Classes", ("measure", "value"), classes),
        ],
    )
    yield _sizes_table(measures)
    yield doc.Heading("Risk")
    yield _risk_table(measures)
    if measures.people is not None:
        yield doc.Bullets(list(persons_sentences(measures.people)))
    if measures.sampling is not None:
        yield from _sampling_blocks(measures.sampling)
    if len(measures.by_quasi_identifier) > 1:
        yield doc.Heading("Risk by quasi-identifier")
        yield _quasi_identifiers_table(measures)
    if measures.sensitive:
        yield doc.Heading("Sensitive columns")
        yield _sensitive_table(measures.sensitive)
    if measures.comparison is not None:
        yield from _change_blocks(measures.comparison)
    if measures.loss is not None:
        yield from _loss_blocks(measures.loss)
    yield doc.Bullets([f"note: {note_text(note)}" for note in measures.notes])


def _number_table(caption: str, header: doc.Row, rows: Sequence[doc.Row]) -> doc.Table:
    """A table with a label first in each row, and numbers after it."""
    return doc.Table(caption, header, rows, "l" + "r" * (len(header) - 1))


def measures_heading(measures: Measures) -> str:
    by = ", ".join(map(on_one_line, measures.quasi_identifiers))
    weighted = "" if measures.weight is None else f", weighted by {on_one_line(measures.weight)}"
    number, people = measures.classes.number, measures.people
    classes = f"{number:,} equivalence class{'' if number == 1 else 'es'}"
    whose = "" if people is None else f" of {_count(people.persons, 'person')} ({on_one_line(people.column)})"
    return f"{_count(measures.records, 'record')}{whose} in {classes} by {by}{weighted}"


def persons_sentences(people: People) -> Iterator[str]:
    """What the figures mean if persons are counted."""
    yield "the risk is that of a person, for an attacker who knows the quasi-identifiers of one of the person's records"
    if people.several:
        several = "1 person has" if people.several == 1 else f"{people.several:,} persons have"
        yield f"{several} records in several classes; figures for persons count the smallest of these classes"
        yield "an attacker who knows several of such a person's records can find the person with a higher probability"


def _summary(measures: Measures) -> Iterator[str]:
    if measures.sampling is not None:
        yield _sampling_heading(measures.sampling)
    if measures.comparison is not None:
        yield _change_heading(measures.comparison)


def _key_figures(measures: Measures) -> Iterator[doc.Row]:
    """The figures to report about a release: diversity, risk and loss."""
    for each in measures.sensitive:
        yield doc.Phrase(("distinct l-diversity of ", doc.Code(each.column))), f"l = {each.distinct_l:,}"
    yield "highest prosecutor risk", round_measure(measures.classes.prosecutor_maximum)
    if measures.journalist is not None:
        yield "highest journalist risk", round_measure(measures.journalist.maximum)
    yield "marketer risk", round_measure(measures.marketer)
    if measures.loss is not None:
        yield "loss", f"{measures.loss.total:.4f}"


def _class_rows(measures: Measures) -> Iterator[tuple[str, str]]:
    classes, unit = measures.classes, "" if measures.people is None else f", in {measures.noun}"
    yield f"k-anonymity{unit}", "every k" if classes.k is None else f"k = {persons(classes.k)}"
    yield f"unique {measures.noun}", persons(classes.uniques)
    for k in classes.thresholds:
        yield f"{measures.noun} in classes below {k:,}", persons(classes.records_below(k))
    yield f"average class size{unit}", round_measure(classes.average)
    yield "average class size over k", round_measure(classes.normalized_average)
    yield f"largest class{unit}", round_measure(classes.largest)
    yield f"discernibility{unit}", round_measure(classes.discernibility)


def _sizes_table(measures: Measures) -> doc.Table:
    classes = measures.classes
    ranges = [(size, *classes_within(classes, *size)) for size in size_ranges(classes.largest or 0)]
    rows = [(size_label(*size), f"{number:,}", persons(records)) for size, number, records in ranges if number]
    return _number_table(sizes_caption(measures.noun), ("class size", "classes", measures.noun), rows)


def _risk_table(measures: Measures) -> doc.Table:
    classes, journalist, sampling = measures.classes, measures.journalist, measures.sampling
    rows = [("prosecutor", round_measure(classes.prosecutor_maximum), round_measure(classes.prosecutor_average))]
    if journalist is not None:
        rows.append(("journalist", round_measure(journalist.maximum), round_measure(journalist.average)))
    if sampling is not None:
        rows.append(("individual", round_measure(sampling.maximum), round_measure(sampling.average)))
    rows.append(("marketer", "", round_measure(measures.marketer)))
    return _number_table("Risk", ("risk", "highest", "average"), rows)


def _sampling_blocks(sampling: Sampling) -> Iterator[doc.Block]:
    rows = [(f"above 1/{each.k:,}", f"{each.journalist:,}", f"{each.individual:,}") for each in sampling.above]
    rows.append(("higher than the main part", "", f"{sampling.outstanding:,}"))
    rows.append(("expected re-identifications", "", round_measure(sampling.expected)))
    heading = _sampling_heading(sampling)
    yield doc.Either(text=[doc.Paragraph(heading)])
    yield _number_table(heading, ("records with risk", "journalist", "individual"), rows)


def _sampling_heading(sampling: Sampling) -> str:
    heading = f"a sample of {persons(sampling.persons)} persons, by {on_one_line(sampling.weight)}"
    if not sampling.understated:
        return heading
    classes = "1 class has" if sampling.understated == 1 else f"{sampling.understated:,} classes have"
    return f"{heading}; {classes} less weight than records"


def _quasi_identifiers_table(measures: Measures) -> doc.Table:
    """The last three figures describe the table without the column. Risk is the average prosecutor risk."""
    columns = measures.by_quasi_identifier
    header = ("quasi-identifier", "values", "unique by it", "k without it", "unique without it", "risk without it")
    rows = [(*quasi_identifier_figures(each), round_measure(each.without.prosecutor_average)) for each in columns]
    return _number_table("Risk by quasi-identifier", header, rows)


def quasi_identifier_figures(each: QuasiIdentifier) -> tuple[str, ...]:
    """The column and its figures without the risk."""
    alone, without = each.alone, each.without
    figures = f"{alone.number:,}", persons(alone.uniques), round_measure(without.k), persons(without.uniques)
    return doc.Code(on_one_line(each.column)), *figures


def _sensitive_table(columns: Sequence[Sensitive]) -> doc.Table:
    header = ("sensitive", *(doc.Code(on_one_line(each.column)) for each in columns))
    return _number_table("Sensitive columns", header, list(_sensitive_rows(columns)))


def _sensitive_rows(columns: Sequence[Sensitive]) -> Iterator[tuple[str, ...]]:
    yield "values", *(f"{each.values:,}" for each in columns)
    yield "α of (α,k)-anonymity", *(round_measure(each.alpha) for each in columns)
    yield "distinct l-diversity", *(f"{each.distinct_l:,}" for each in columns)
    yield "entropy l-diversity", *(f"{each.entropy_l:,}" for each in columns)
    yield "exp of the least entropy", *(round_measure(each.entropy_effective) for each in columns)
    yield "c of (c,l)-diversity, above", *(round_measure(each.recursive_c) for each in columns)
    yield "t-closeness, equal distance", *(round_measure(each.t_equal) for each in columns)
    yield "t-closeness, ordered distance", *(round_measure(each.t_ordered) for each in columns)
    yield "basic β-likeness", *(round_measure(each.basic_beta) for each in columns)
    yield "enhanced β-likeness", *(round_measure(each.enhanced_beta) for each in columns)
    yield "δ-disclosure", *(round_measure(each.delta) for each in columns)
    yield "δ-disclosure, every value", *(round_measure(each.delta_every_value) for each in columns)


def _change_blocks(comparison: TableChange) -> Iterator[doc.Block]:
    heading = _change_heading(comparison)
    yield doc.Heading("Change", text=heading)
    header = ("column", "distance", "values before", "after", "information lost")
    rows = [
        (
            doc.Code(on_one_line(each.column)),
            round_measure(each.distance),
            f"{each.values_before:,}",
            f"{each.values_after:,}",
            _lost_text(each),
        )
        for each in comparison.columns
    ]
    yield _number_table(heading, header, rows)
    unshared = (("columns only before", comparison.only_before), ("columns only after", comparison.only_after))
    yield doc.Bullets([f"{title}: {', '.join(map(on_one_line, names))}" for title, names in unshared if names])


def _change_heading(comparison: TableChange) -> str:
    return (
        f"against {_count(comparison.records_before, 'record')} before: "
        f"information lost {_lost_text(comparison)}, "
        f"discernibility {round_measure(comparison.discernibility)}"
    )


def _loss_blocks(loss: Loss) -> Iterator[doc.Block]:
    title = f"Loss {loss.total:.4f}"
    rows = [
        (
            doc.Code(on_one_line(each.column)),
            f"{each.loss:.4f}",
            on_one_line(each.levels + " (proposed)" * each.proposed),
        )
        for each in loss.columns
    ]
    yield doc.Heading(title, text=title.lower())
    yield doc.Table(title, ("column", "loss", "levels"), rows, "lrl")


def _lost_text(change: ColumnChange | TableChange) -> str:
    if change.information_left is None:
        return "unknown"
    return "nothing to lose" if change.information_lost is None else f"{change.information_lost:.1%}"


def _count(number: Persons, noun: str) -> str:
    return f"{persons(number)} {noun}{'' if number == 1 else 's'}"


def persons(number: Persons) -> str:
    """A number of persons or records; with decimal weights, to two decimals."""
    return f"{int(number):,}" if number == int(number) else f"{float(number):,.2f}"


def round_measure(measure: Fraction | float | None) -> str:
    """A measure to six significant digits; whole numbers in full."""
    if measure is None:
        return "none"
    return f"{int(measure):,}" if measure == int(measure) else f"{float(measure):.6g}"


def sizes_caption(noun: str) -> str:
    return f"Classes and their {noun}, by class size"


def size_ranges(largest: Persons) -> Iterator[tuple[int, int]]:
    """Yield the first and last size of each range. Ranges start at 0, 1, 2, 5, 10, 20, 50, … and cover `largest`.

    Only classes with weights below 1 are in the first range. A range extends to the start of the next one: with
    decimal weights, 4.5 is in the range from 2 to 4.
    """
    yield 0, 0
    low = 1
    while low <= largest:
        end = low * 5 // 2 if str(low).startswith("2") else low * 2
        yield low, end - 1
        low = end


def size_label(low: int, high: int) -> str:
    if high == 0:
        return "below 1"
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def classes_within(classes: Classes, low: int, high: int) -> tuple[int, Persons]:
    """The number of classes with a size in the range, and the number of records in them, or of persons whose smallest
    class is one of them."""
    numbers = (number for size, number in classes.sizes if low <= size < high + 1)
    return sum(numbers), sum(number for size, number in classes.exposed if low <= size < high + 1)
