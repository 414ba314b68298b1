"""The matrix of a column: the values that it may have had, and what is released for each."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from acompass.checked.program import Program
from acompass.checked.types import Value
from acompass.estimate.kernel import Kernel
from acompass.estimate.lines import Lines
from acompass.estimate.possible import named_values, other_values, values_left


@dataclass(frozen=True, slots=True)
class Transitions:
    """`rows` has, for the text of each value, the probabilities of the texts that are released for it.
    `unnamed` are texts of values that stand for all that neither the policy nor the released table has.
    `rates` are the probabilities of being released at all."""

    values: Mapping[str, Value]
    rows: Mapping[str, Mapping[str, Fraction]]
    unnamed: frozenset[str]
    rates: frozenset[Fraction]


def transitions(program: Program, lines: Lines, column: int, seen: Mapping[str, Value]) -> Transitions:
    """Raises Stopped if a check depends on what was drawn."""
    type_ = program.schema[column].type
    named = [*seen.values(), *named_values(program.requirements, column, type_)]
    others = other_values(program.requirements, column, type_, named)
    middle = lines.drawing[0].before[column].type if lines.drawing else program.final_schema[column].type
    known = values_left(lines.before, column, type_, named)
    further = values_left(lines.before, column, type_, others)
    values = {**_in_order(known), **{text: value for text, value in further.items() if text not in known}}
    kernel = Kernel(lines.drawing, column)
    rows = {text: kernel.row(value, middle) for text, value in values.items()}
    rates = frozenset(sum(row.values(), Fraction(0)) for row in rows.values())
    idle = _idle(rows, values.keys() - known.keys(), seen.keys())
    kept = {text: row for text, row in rows.items() if text not in idle}
    unnamed = frozenset(kept.keys() - known.keys())
    return Transitions({text: values[text] for text in kept}, kept, unnamed, rates)


def _in_order(values: Mapping[str, Value]) -> dict[str, Value]:
    return dict(sorted(values.items(), key=lambda item: (item[1], item[0])))


def _idle(
    rows: Mapping[str, Mapping[str, Fraction]], unnamed: Iterable[str], seen: Iterable[str]
) -> frozenset[str]:
    """Unnamed values of which a text would be released that no other value leads to. There is none in the
    table, so that their estimated count is 0."""
    sources = Counter(text for row in rows.values() for text in row)
    absent = {text for text, number in sources.items() if number == 1} - set(seen)
    return frozenset(text for text in unnamed if absent & rows[text].keys())
