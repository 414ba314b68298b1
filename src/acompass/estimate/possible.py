"""The values that a column may have before the first line that draws for it."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise

from acompass.checked.convert import convert, to_text
from acompass.checked.effects import column_written, generalize_of, plain_of, record_comparisons
from acompass.checked.program import Operator, Requirement
from acompass.checked.types import Type, Value, decimal
from acompass.estimate.kernel import is_affected, outcomes
from acompass.estimate.lines import decides, matters, reads_only
from acompass.prove.value_order import order_of


def named_texts(lines: Sequence[Requirement], column: int) -> Iterator[str]:
    """The texts of the constants that lines compare the column with or write into it."""
    for line in lines:
        before, after = line.before[column].type, line.after[column].type
        compared = (each.value for each in record_comparisons(line) if each.column == column)
        yield from (to_text(constant, before) for constant in compared)
        yield from (to_text(constant, after) for constant in _written(line, column))


def _written(line: Requirement, column: int) -> Iterator[Value]:
    """The constants that a line writes: labels of GENERALIZE are none."""
    plain = plain_of(line.action)
    if plain is not None and column_written(plain) == column and generalize_of(plain) is None:
        yield from (value for value, _ in outcomes(plain, "", line.after[column].type))


def other_values(
    lines: Sequence[Requirement], column: int, type_: Type, named: Iterable[Value]
) -> list[Value]:
    """Values that are not named: one from each range between them, or one where no line orders values."""
    order = order_of(decimal(type_.scale + 1) if type_.is_spelled_decimal else type_)
    cuts = sorted({order.rank(value) for value in named})
    found = (value for gap in pairwise([None, *cuts, None]) for value in order.examples(*gap, 1))
    comparisons = (each for line in lines for each in record_comparisons(line) if each.column == column)
    orders = any(each.operator is not Operator.EQ for each in comparisons)
    return list(found if orders else islice(found, 1))


def values_left(
    lines: Sequence[Requirement], column: int, type_: Type, values: Iterable[Value]
) -> dict[str, Value]:
    """What lines that draw nothing for the column may leave of its values, by their texts. A line may affect
    a record or not where other columns or records decide that."""
    reached = {to_text(value, type_): value for value in values}
    for line in lines:
        after = line.after[column].type
        left = [new for value in reached.values() for new in _left(line, column, value)]
        reached = {to_text(value, after): value for value in left}
    return reached


def _left(line: Requirement, column: int, value: Value) -> Iterator[Value]:
    before, after = line.before[column].type, line.after[column].type
    converted = convert(value, before, after)
    is_known = reads_only(line, column)
    is_hit = is_known and is_affected(line, column, value)
    if not (is_hit and matters(line, column)):
        yield converted
    if line.action is not None and decides(line, column) and (is_hit or not is_known):
        yield from (new for new, _ in outcomes(line.action, converted, after))
