"""The matrix of a column: the values that it may have had, and what is released for each."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from acompass.checked.program import Program
from acompass.checked.types import Value
from acompass.estimate.kernel import Kernel
from acompass.estimate.lines import Lines
from acompass.estimate.possible import named_texts, other_values, values_left
from acompass.pram.codes import value_of


@dataclass(frozen=True, slots=True)
class Transitions:
    """`rows` has, for the text of each value, the probabilities of the texts that are released for it.
    `unnamed` are texts of values that stand for all that neither the policy nor the released table has,
    `absent` those of them of which none can be in the table: a text is missing that only they lead to."""

    values: Mapping[str, Value]
    rows: Mapping[str, Mapping[str, Fraction]]
    unnamed: frozenset[str]
    absent: frozenset[str]

    @property
    def rates(self) -> frozenset[Fraction]:
        """The probabilities of being released at all."""
        return frozenset(sum(row.values(), Fraction(0)) for row in self.rows.values())


def transitions(program: Program, lines: Lines, column: int, seen: Mapping[str, Value]) -> Transitions:
    """Raises Stopped if a check depends on what was drawn."""
    type_ = program.schema[column].type
    texts = {*seen, *named_texts(program.requirements, column)}
    named = [value for text in texts if (value := seen.get(text, value_of(text, type_))) is not None]
    others = other_values(program.requirements, column, type_, named)
    known = values_left(lines.before, column, type_, named)
    further = values_left(lines.before, column, type_, others)
    # a line may turn a value that nobody names into one that the policy does
    unnamed = further.keys() - known.keys() - texts
    middle = lines.drawing[0].before[column].type if lines.drawing else program.final_schema[column].type
    kernel = Kernel(lines.drawing, column)
    values = _in_order({**further, **known}, unnamed)
    rows = {text: kernel.row(value, middle) for text, value in values.items()}
    return Transitions(values, rows, frozenset(unnamed), _absent(rows, unnamed, seen.keys()))


def _in_order(values: Mapping[str, Value], last: Collection[str]) -> dict[str, Value]:
    return dict(sorted(values.items(), key=lambda item: (item[0] in last, item[1], item[0])))


def _absent(
    rows: Mapping[str, Mapping[str, Fraction]], unnamed: Iterable[str], seen: Iterable[str]
) -> frozenset[str]:
    """Their estimated count is 0, which is not worth a line."""
    sources = Counter(text for row in rows.values() for text in row)
    missing = {text for text, number in sources.items() if number == 1} - set(seen)
    return frozenset(text for text in unnamed if missing & rows[text].keys())
