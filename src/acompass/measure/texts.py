"""The texts of a column's values, as GENERALIZE reads them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from acompass.checked.convert import to_text
from acompass.measure.records import Records
from acompass.plan.running.column_texts import text_key


@dataclass(frozen=True, slots=True)
class Texts:
    """Numbers of persons in units: those with each text, and those without a value."""

    counts: Mapping[str, int]
    missing: int


def texts_of(records: Records, position: int) -> Texts:
    """The distinct values of a column come out of the engine, with their numbers of persons."""
    type_ = records.schema[position].type
    value, key = text_key(records.session.dialect, records.value(position), type_)
    counts: Counter[str | None] = Counter()
    for found, count in records.session.fetch(records.grouped([value])):
        counts[None if found is None else to_text(found, key)] += int(count)
    missing = counts.pop(None, 0)
    return Texts({text: count for text, count in counts.items() if text is not None}, missing)
