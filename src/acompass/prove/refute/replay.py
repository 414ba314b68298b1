"""Replay runs through `semantics`, choose the outcomes of coins and draws, and check that `run` would load a table.

`Chances` are the outcomes of a run's coins and draws, as patterns over the affected records in canonical order. They
have no fixed length, so a table from which records are removed still has a run with the same chances.
"""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain, cycle, islice
from typing import TypeAlias

from acompass.dataclasses import dataclass
from acompass.language.program import effects
from acompass.language.program.constants import digits_before_point, is_64_bit
from acompass.language.program.kernels import UnfitValueError, shortest_trace_value
from acompass.language.program.keys import SHORTEST_KEY, Key
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import Action, Assertion, Comparison, Program, Requirement
from acompass.language.program.types import MOST_DIGITS, Kind, Schema, Type, Value, remaining
from acompass.language.text.tree import Operator, Quantifier
from acompass.prove.proof import require_time
from acompass.prove.search.claims import assertion_columns
from acompass.prove.search.origins import Origin
from acompass.semantics import core as semantics
from acompass.semantics.core import Bag
from acompass.semantics.values import compare

Record: TypeAlias = tuple[Value, ...]

#: stands for the secret key: a proof is about every key, so any of them can refute a claim (X15)
EXAMPLE_KEY = Key(b"0" * SHORTEST_KEY)
EXAMPLE_KEY_TEXT = f"{SHORTEST_KEY} zeros"
#: the most cached verdicts about records
MOST_REMEMBERED = 200_000
#: how many weighted values of one draw are tried
MOST_WEIGHTED_VALUES = 12
#: how often the chances of a table are those that its origin needs
AIMED = 0.6
#: extends a trace that is too short
_MIDDLE = Fraction(1, 2)

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Witness:
    """A run of the policy."""

    records: tuple[Record, ...]
    trace: tuple[Fraction, ...]  # only the values that the run consumes
    left: tuple[Record, ...]
    violated: frozenset[int] = frozenset()  # the requirements that were violated

    def released(self, program: Program) -> tuple[Schema, tuple[Record, ...]]:
        """The result without the columns that the program drops."""
        kept = remaining(program.final_schema)
        schema = tuple(program.final_schema[column] for column in kept)
        return schema, tuple(tuple(record[column] for column in kept) for record in self.left)


def replay(program: Program, records: Sequence[Record], trace: Sequence[Fraction]) -> Witness | None:
    """The run on a table and a trace, with the example key; None if a value has no label or cannot be written, so that
    nothing is (X2, X16, X17)."""
    rho = semantics.Trace(lambda i: trace[i - 1] if i <= len(trace) else _MIDDLE)
    try:
        outcome = semantics.run_program(effects.with_key(program, EXAMPLE_KEY), records, rho)
    except (UnlabeledValueError, UnfitValueError):
        return None
    violated = frozenset(at for at, verdict in enumerate(outcome.requirements) if not verdict.holds)
    return Witness(tuple(records), semantics.pref(outcome.trace_used, rho), tuple(outcome.records), violated)


@dataclass(frozen=True, slots=True)
class Stream:
    """An endless sequence of trace values: `first`, then `rest` repeatedly."""

    first: tuple[Fraction, ...]
    rest: tuple[Fraction, ...]

    def take(self, count: int) -> list[Fraction]:
        return list(islice(chain(self.first, cycle(self.rest)), count))


@dataclass(frozen=True, slots=True)
class Chance:
    coins: Stream  # one for each affected record
    draws: Stream  # one for each record that is hit

    def trace(self, action: Action | None, affected: int) -> list[Fraction]:
        """The part of the trace that the requirement consumes."""
        probability = effects.probability_of(action)
        coins = [] if probability is None else self.coins.take(affected)
        hit = affected if probability is None else sum(rho < probability for rho in coins)
        return coins + ([] if effects.drawing_kernel(action) is None else self.draws.take(hit))


#: by step, for the requirements that consume the trace
Chances: TypeAlias = Mapping[int, Chance]


class Replayer:
    """Runs one policy on many small tables. The search for counterexamples spends its time here, so verdicts about
    records are cached. Counterexamples are run again by `replay` before they are shown."""

    def __init__(self, program: Program):
        self.program = effects.with_key(program, EXAMPLE_KEY)
        self._read = [_record_columns(requirement.assertion) for requirement in program.requirements]
        self._violating: dict[tuple[Value, ...], bool] = {}

    def play(self, records: Sequence[Record], chances: Chances) -> Witness | None:
        """The run with these outcomes of coins and draws; None as in `replay`."""
        require_time()
        bag, trace, violated = list(records), list[Fraction](), list[int]()
        distinct = list(dict.fromkeys(bag))
        for step, requirement in enumerate(self.program.requirements):
            if not self._holds(step, bag, distinct):
                violated.append(step)
                try:
                    bag, own = _perform(requirement, bag, chances.get(step))
                except semantics.Unwritable:
                    return None
                trace += own
            elif requirement.before == requirement.after:
                continue
            else:
                bag = semantics.convert_types(bag, requirement.before, requirement.after)
            distinct = list(dict.fromkeys(bag))
        return Witness(tuple(records), tuple(trace), tuple(bag), frozenset(violated))

    def _holds(self, step: int, bag: Bag, distinct: Bag) -> bool:
        read = self._read[step]
        if read is None:
            return semantics.holds(bag, self.program.requirements[step].assertion)
        return not any(self._violates(step, record, read) for record in distinct)

    def _violates(self, step: int, record: Record, read: Sequence[int]) -> bool:
        key = (step, *[record[column] for column in read])
        found = self._violating.get(key)
        if found is None:
            if len(self._violating) >= MOST_REMEMBERED:
                self._violating.clear()
            found = self._violating[key] = not semantics.holds([record], self.program.requirements[step].assertion)
        return found


def _record_columns(assertion: Assertion) -> Sequence[int] | None:
    """The columns of an assertion that judges each record separately; None for other assertions."""
    is_about_records = assertion.quantifier is Quantifier.EACH and effects.process_in(assertion) is None
    return sorted(assertion_columns(assertion)) if is_about_records else None


def _perform(requirement: Requirement, bag: Bag, chance: Chance | None) -> tuple[Bag, list[Fraction]]:
    """Perform a violated requirement (Figure 11); also return the part of the trace that it consumes."""
    converted = semantics.convert_types(bag, requirement.before, requirement.after)
    if requirement.action is None:
        return converted, []
    affected = semantics.affected_bag(bag, requirement.assertion)
    own = [] if chance is None else chance.trace(requirement.action, len(affected))
    left, _ = semantics.act(requirement.action, requirement.after, converted, semantics.trace_of_values(own), affected)
    return left, own


class RandomChances:
    def __init__(self, program: Program, rng: random.Random):
        self._rng = rng
        actions = enumerate(requirement.action for requirement in program.requirements)
        self._actions = {step: action for step, action in actions if effects.draws(action)}
        self._rhos = _useful_rhos(self._actions.values())

    def toward(self, origin: Origin, aimed: float = AIMED) -> Chances:
        """Chances with which a record that starts at the origin may reach the target. A fraction `aimed` of them are
        those that the origin needs; the others are random."""
        return {
            step: Chance(self._coins(step, origin, aimed), self._draws(step, origin, aimed)) for step in self._actions
        }

    def _coins(self, step: int, origin: Origin, aimed: float) -> Stream:
        hit, miss = Fraction(0), rho_for_miss(self._actions[step])
        if step in origin.hits and self._rng.random() < aimed:
            return Stream((), (hit if origin.hits[step] else miss,))
        mixed = tuple(self._rng.choices((hit, miss), k=7))
        streams = (((), (hit,)), ((), (miss,)), ((hit,), (miss,)), ((miss,), (hit,)), ((), mixed))
        return Stream(*self._rng.choice(streams))

    def _draws(self, step: int, origin: Origin, aimed: float) -> Stream:
        kernel = effects.drawing_kernel(self._actions[step])
        if kernel is not None and step in origin.draws and self._rng.random() < aimed:
            return Stream((), (kernel.trace_value(origin.draws[step]),))
        return Stream((), tuple(self._rng.choices(self._rhos, k=self._rng.choice((1, 2, 5, 12)))))


def rho_for_miss(action: Action | None) -> Fraction:
    """A short decimal ρ that makes a coin miss; 0 if no coin is tossed."""
    probability = effects.probability_of(action)
    return Fraction(0) if probability is None else shortest_trace_value(probability, Fraction(1))


def _useful_rhos(actions: Iterable[Action | None]) -> Sequence[Fraction]:
    """Values of ρ that make every RANDOM draw its bounds, their neighbors and its middle, or its first values."""
    rhos = {Fraction(0), Fraction(1, 2), Fraction(999, 1000)}
    for kernel in filter(None, map(effects.drawing_kernel, actions)):
        rhos.update(kernel.typical_trace_values(MOST_WEIGHTED_VALUES))
    return sorted(rhos)


def is_loadable(value: Value, type_: Type) -> bool:
    """Whether a table can contain the value: a number has at most 38 digits, an integer 64 bits (D9, types)."""
    match value:
        case bool():
            return True
        case int():
            return is_64_bit(value)
        case Decimal():
            return abs(value) < 1 or digits_before_point(value) + type_.scale <= MOST_DIGITS
        case _:
            return True


class LoadableTables:
    """The tables that `run` loads: a text column that is compared with dates contains a date (D28, local dates), and
    one that is ordered relative to a number sorts like its numbers (D24, numbers as text)."""

    def __init__(self, program: Program):
        found = list(_text_comparisons(program))
        self._program = program
        self._written = effects.columns_written(program.requirements)
        #: the text columns that the policy compares with dates
        self.dated = frozenset(each.column for each in found if _DATE.fullmatch(str(each.value)))
        self._ordered = [each for each in found if _is_ordered_number(each)]

    def refutes(self, witness: Witness, claim: Assertion, known: frozenset[int]) -> bool:
        """Whether the claim fails on the run's output, which exists if no known check is violated (D31, `prove`)."""
        is_written = not witness.violated & known
        is_false = is_written and not semantics.holds(list(witness.left), claim)
        return is_false and self.loads(witness.records) and self._can_be_asked(claim, witness.left)

    def _can_be_asked(self, claim: Assertion, left: Sequence[Record]) -> bool:
        """Whether `check` with the claim would read the output: what holds for the policy's comparisons with text also
        holds for those of the claim, in columns that keep their values."""
        for comparison in _asked_comparisons(claim):
            column, value = comparison.column, comparison.value
            if not isinstance(value, str) or column in self._written or self._type(column).kind is not Kind.TEXT:
                continue
            lacks_date = _DATE.fullmatch(value) is not None and not _has_date(left, column)
            if lacks_date or (_is_ordered_number(comparison) and not _is_in_order(left, comparison)):
                return False
        return True

    def _type(self, column: int) -> Type:
        return self._program.schema[column].type

    @property
    def are_all(self) -> bool:
        """Whether every table of loadable values loads."""
        return not self.dated and not self._ordered

    def loads(self, records: Sequence[Record]) -> bool:
        return all(_has_date(records, column) for column in self.dated) and all(
            _is_in_order(records, comparison) for comparison in self._ordered
        )


def _is_ordered_number(comparison: Comparison) -> bool:
    return comparison.operator is not Operator.EQ and _NUMBER.fullmatch(str(comparison.value)) is not None


def _has_date(records: Sequence[Record], column: int) -> bool:
    return not records or any(_DATE.match(str(record[column])) for record in records)


def _is_in_order(records: Sequence[Record], comparison: Comparison) -> bool:
    texts = {str(record[comparison.column]) for record in records} - {"*"}
    if not all(_NUMBER.fullmatch(text) for text in texts):
        return True
    sign, value = comparison.operator, comparison.value
    return all(compare(text, sign, value) == compare(Decimal(text), sign, Decimal(str(value))) for text in texts)


def _text_comparisons(program: Program) -> Iterator[Comparison]:
    """The comparisons with text of columns that are text in the table and have no labels or pseudonyms yet."""
    labelled: set[int] = set()
    for requirement in program.requirements:
        for comparison in _asked_comparisons(requirement.assertion):
            is_text = program.schema[comparison.column].type.kind is Kind.TEXT
            if is_text and comparison.column not in labelled and isinstance(comparison.value, str):
                yield comparison
        kernel = effects.kernel_of(requirement.action)
        if kernel is not None and (kernel.label_map() is not None or kernel.is_injective):
            labelled.update(effects.written_by(requirement.action))


def _asked_comparisons(assertion: Assertion) -> Iterator[Comparison]:
    """Comparisons of columns, keys and aggregates of a column, each with its column."""
    selected, process = effects.filter_in(assertion), effects.process_in(assertion)
    yield from () if selected is None else effects.comparisons(selected)
    if process is None:
        yield from effects.comparisons(assertion.condition)
        return
    columns = [*process.group_by, *(aggregate.column for aggregate in process.aggregates)]
    for comparison in effects.comparisons(assertion.condition):
        column = columns[comparison.column]
        if column is not None:
            yield Comparison(column, comparison.operator, comparison.value)
