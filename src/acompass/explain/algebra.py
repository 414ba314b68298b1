"""A requirement as equations of relational algebra over bags, with aggregation.

A requirement has an equation for the affected bag V, one for the table R after it and, if it draws, one for the trace
T, a table with a record (i, h) for each ρᵢ = h / 2⁵². `ranked(V, T)` is V with an h for each record, in canonical
order, and `tail(V, T)` is the rest of the trace. A rank is a sum: D counts the m copies of each distinct record, and
`last` counts them together with all records before them, so the copies of a record have the ranks above last − m, up to
last. p(A) is the pseudonym of a value and s(P, n) the number of days of a person, under the key K of a run (X15, X16);
mean(A, n) is the mean that a record of the affected bag gets from its group (X18).
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from itertools import accumulate
from typing import TypeAlias, assert_never

from acompass.dataclasses import dataclass
from acompass.language.program.constants import Parameters
from acompass.language.text import tree
from acompass.language.text.tree import Function, Operator, Quantifier
from acompass.language.text.walk import assertion_of, chance_in, core, drawn_names, plain_of, process_of, step_of

#: the values of a seeded trace are h / 2⁵² (D19)
BITS = 52


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table."""

    name: str  # as the policy spells it


@dataclass(frozen=True, slots=True)
class Symbol:
    """A column that the algebra adds."""

    text: str
    alias: str | None = None  # the side of a join that it comes from


@dataclass(frozen=True, slots=True)
class Every:
    """S: all columns of the table, in their order."""

    alias: str | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """⌈p · 2⁵²⌉: h / 2⁵² is below p if and only if h is below the cut (X6)."""

    probability: Decimal | Fraction


class Sign(StrEnum):
    PLUS = "+"
    MINUS = "−"
    TIMES = "·"


@dataclass(frozen=True, slots=True)
class Arithmetic:
    left: "Scalar"
    sign: Sign
    right: "Scalar"


@dataclass(frozen=True, slots=True)
class Floor:
    """⌊of / 2⁵²⌋."""

    of: "Scalar"


@dataclass(frozen=True, slots=True)
class Label:
    """The label that a map gives the value of a column (X2)."""

    map: tree.Map
    column: Column


@dataclass(frozen=True, slots=True)
class Pseudonym:
    """p(A): the pseudonym of the value of a column (X15)."""

    column: Column


@dataclass(frozen=True, slots=True)
class Days:
    """s(P, n): the number of days, from −n to n, for the value of a column (X16)."""

    person: Column
    within: tree.Constant


@dataclass(frozen=True, slots=True)
class Mean:
    """mean(A, n): the mean of a column in the group of a record (X18)."""

    column: Column
    size: tree.Constant


@dataclass(frozen=True, slots=True)
class Choice:
    """The value of the first condition that holds, or the last value."""

    options: tuple[tuple["Scalar", "Condition"], ...]
    otherwise: "Scalar"


#: shown by its name and its arguments
Named: TypeAlias = Label | Pseudonym | Days | Mean
Scalar: TypeAlias = Column | Symbol | Every | tree.Constant | Cut | Arithmetic | Floor | Named | Choice


@dataclass(frozen=True, slots=True)
class Compare:
    """Records (`Every`) are compared column by column; missing values come first (D18)."""

    left: Scalar
    operator: Operator
    right: Scalar


@dataclass(frozen=True, slots=True)
class Not:
    operand: "Condition"


@dataclass(frozen=True, slots=True)
class All:
    operands: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Any:
    operands: tuple["Condition", ...]


Condition: TypeAlias = Compare | Not | All | Any


@dataclass(frozen=True, slots=True)
class Table:
    """A named table: the input, or the left side of an earlier equation."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A named expression, shown by its name instead of its definition."""

    name: str
    arguments: tuple["Expression", ...]
    definition: "Expression"


@dataclass(frozen=True, slots=True)
class Select:
    """σ."""

    condition: Condition
    of: "Expression"


@dataclass(frozen=True, slots=True)
class Project:
    """π onto some columns, each with its value; a column whose value is the column itself is unchanged."""

    columns: tuple[tuple[Scalar, Column | Symbol | Every], ...]
    of: "Expression"


@dataclass(frozen=True, slots=True)
class Write:
    """π that writes columns of the table, each from the values before, and keeps the others."""

    values: tuple[tuple[Scalar, Column], ...]
    of: "Expression"


@dataclass(frozen=True, slots=True)
class Without:
    """π onto all columns except some."""

    columns: tuple[Column, ...]
    of: "Expression"


@dataclass(frozen=True, slots=True)
class AggregateColumn:
    """`argument` is None for COUNT(*). With a `file`, the aggregate is over the records of the file that agree with the
    keys of the group (X14)."""

    function: Function
    argument: Column | Symbol | None
    result: Column | Symbol
    largest: tree.Constant | None = None  # the number of values of SHARE OF LARGEST
    file: tree.String | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """γ. Without keys, the whole bag is the only group; an empty bag has no group (D16)."""

    keys: tuple[Column | Symbol | Every, ...]
    values: tuple[AggregateColumn, ...]
    of: "Expression"


@dataclass(frozen=True, slots=True)
class Rename:
    """ρ: the same records, whose columns have an alias in a join."""

    alias: str
    of: "Expression"


@dataclass(frozen=True, slots=True)
class Join:
    """⋈ on a condition."""

    left: "Expression"
    condition: Condition
    right: "Expression"


@dataclass(frozen=True, slots=True)
class Semijoin:
    """⋉: the records of `left` whose keys equal those of a record of `right`."""

    left: "Expression"
    right: "Expression"
    keys: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Antijoin:
    """▷: the other records of `left`."""

    left: "Expression"
    right: "Expression"
    keys: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """∪ of bags: multiplicities are added."""

    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class Difference:
    """− of bags: multiplicities are subtracted."""

    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class IfEmpty:
    """`table` if `tested` is empty, else the empty bag: table − (table × δ(π[](tested)))."""

    table: "Expression"
    tested: "Expression"


@dataclass(frozen=True, slots=True)
class Single:
    """A bag with one record and one column."""

    value: tree.Number
    column: Symbol


#: shown as a Greek letter and its argument
Unary: TypeAlias = Select | Project | Write | Without | Group
#: shown as a sign between its arguments
Binary: TypeAlias = Join | Semijoin | Antijoin | Union | Difference
Expression: TypeAlias = Table | Call | Single | Rename | IfEmpty | Unary | Binary


@dataclass(frozen=True, slots=True)
class Equation:
    table: Table
    expression: Expression
    again: Expression | None = None  # a second expression for the same table


#: the actions that write columns
_Writing: TypeAlias = (
    tree.Replace
    | tree.Random
    | tree.Draw
    | tree.Generalize
    | tree.Pseudonym
    | tree.Shift
    | tree.AddRandom
    | tree.Microaggregate
)
#: a value and its weight
WeightedValue: TypeAlias = tuple[tree.Constant, int]

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_S = Every()
_I, _H, _M, _LAST = Symbol("i"), Symbol("h"), Symbol("m"), Symbol("last")
_N, _C = Symbol("n"), Symbol("c")
_ZERO, _ONE = tree.Number(Decimal(0)), tree.Number(Decimal(1))


def numbered_table(letter: str, index: int) -> Table:
    return Table(letter + str(index).translate(_SUBSCRIPTS))


def _column(name: tree.Name) -> Column:
    return Column(name.text)


@dataclass(frozen=True, slots=True)
class _State:
    """The arguments of ⟦action⟧(R, ρ, V)."""

    table: Table
    trace: Expression
    affected: Table
    is_all: bool  # V is the whole of R, because of ALWAYS

    @property
    def unaffected(self) -> Difference:
        return Difference(self.table, self.affected)

    def write(self, values: tuple[tuple[Scalar, Column], ...], records: Expression) -> Expression:
        changed = Write(values, records)
        return changed if self.is_all else Union(self.unaffected, changed)


class FromSyntax:
    """Translates requirements one by one. Unbound parameters stay parameters."""

    def __init__(self, parameters: Parameters):
        self._parameters = parameters
        #: the trace that the next requirement begins with
        self.trace = numbered_table("T", 0)

    @property
    def has_drawn(self) -> bool:
        return self.trace != numbered_table("T", 0)

    def equations(self, index: int, requirement: tree.Requirement) -> Iterator[Equation]:
        table, affected = numbered_table("R", index - 1), numbered_table("V", index)
        yield Equation(affected, self._affected_records(requirement, table))
        action, chance = plain_of(step_of(requirement)), chance_in(step_of(requirement))
        if chance is None:
            state = _State(table, self.trace, affected, is_all=assertion_of(requirement) is None)
            kept = self._kept_records(requirement, table)
        else:
            state = _State(table, remaining_trace(affected, self.trace), numbered_table("W", index), is_all=False)
            kept = None
            yield Equation(state.affected, drawn_records(affected, self.trace, chance.probability.value))
        after = self._after(action, state)
        yield Equation(numbered_table("R", index), after, kept if after == state.unaffected else None)
        drawn = bool(drawn_names(action))
        rest = remaining_trace(state.affected, state.trace) if drawn else state.trace
        if rest != self.trace:
            self.trace = numbered_table("T", index)
            yield Equation(self.trace, rest)

    def _after(self, action: tree.Plain | None, state: _State) -> Expression:
        match action:
            case None:
                return state.table
            case tree.Reject():
                return state.unaffected
            case tree.Drop(names):
                return Without(tuple(map(_column, names)), state.table)
            case tree.Replace() | tree.Random() | tree.Draw() | tree.Generalize():
                return self._written(action, state)
            case tree.Pseudonym() | tree.Shift() | tree.AddRandom() | tree.Microaggregate():
                return self._written(action, state)
            case _:
                assert_never(action)

    def _written(self, action: _Writing, state: _State) -> Expression:
        is_drawn = bool(drawn_names(action))
        records = rank_affected(state.affected, state.trace) if is_drawn else state.affected
        return state.write(tuple(self._values(action)), records)

    def _values(self, action: _Writing) -> Iterator[tuple[Scalar, Column]]:
        """What an action writes into each column."""
        match action:
            case tree.Replace(name, constant):
                yield self._bind(constant), _column(name)
            case tree.Random(name, lower, upper):
                yield uniform(self._bind(lower), self._bind(upper)), _column(name)
            case tree.Draw(name, values):
                yield weighted_choice([(self._bind(each.constant), int(each.times)) for each in values]), _column(name)
            case tree.Generalize(name, map_):
                yield Label(map_, _column(name)), _column(name)
            case tree.Pseudonym(name):
                yield Pseudonym(_column(name)), _column(name)
            case tree.Shift(names, person, days):
                shift = Days(_column(person), self._bind(days))
                yield from ((Arithmetic(column, Sign.PLUS, shift), column) for column in map(_column, names))
            case tree.AddRandom(lower, upper, name):
                drawn = uniform(self._bind(lower), self._bind(upper))
                yield Arithmetic(_column(name), Sign.PLUS, drawn), _column(name)
            case tree.Microaggregate(name, size):
                yield Mean(_column(name), self._bind(size)), _column(name)
            case _:
                assert_never(action)

    def _affected_records(self, requirement: tree.Requirement, table: Table) -> Expression:
        assertion, process = assertion_of(requirement), process_of(requirement)
        if assertion is None:
            return table
        if assertion.quantifier is Quantifier.SOME:
            condition = self._condition(assertion.condition)
            return IfEmpty(table, Select(condition, self._result(assertion.result, table)))
        violating = self._violating(assertion, table)
        if process is None:
            return violating
        return Semijoin(self._selected_records(process, table), violating, tuple(map(_column, process.group_by)))

    def _violating(self, assertion: tree.Assertion, table: Table) -> Expression:
        """The records, or the classes, that violate the condition."""
        return Select(Not(self._condition(assertion.condition)), self._result(assertion.result, table))

    def _result(self, result: tree.ResultForm, table: Table) -> Expression:
        match result:
            case tree.Result():
                return table
            case tree.Filter(condition):
                return Select(self._condition(condition), table)
            case tree.Process():
                keys = tuple(map(_column, result.group_by))
                aggregates = tuple(map(self._aggregate_column, result.aggregates))
                return Group(keys, aggregates, self._selected_records(result, table))
            case _:
                assert_never(result)

    def _aggregate_column(self, named: tree.NamedAggregate) -> AggregateColumn:
        aggregate = named.aggregate
        argument = None if aggregate.column is None else _column(aggregate.column)
        largest = None if aggregate.largest is None else self._bind(aggregate.largest)
        return AggregateColumn(aggregate.function, argument, _column(named.alias), largest, aggregate.file)

    def _selected_records(self, process: tree.Process, table: Table) -> Expression:
        return table if process.where is None else Select(self._condition(process.where), table)

    def _kept_records(self, requirement: tree.Requirement, table: Table) -> Expression | None:
        """If whole classes are rejected, the records without a violating class, as a second expression."""
        process, assertion = process_of(requirement), assertion_of(requirement)
        if assertion is None or process is None or process.where is not None:
            return None
        if assertion.quantifier is Quantifier.SOME:
            return None
        return Antijoin(table, self._violating(assertion, table), tuple(map(_column, process.group_by)))

    def _condition(self, condition: tree.Condition) -> Condition:
        written = core(condition)
        match written:
            case tree.Comparison(name, operator, constant):
                return Compare(_column(name), operator, self._bind(constant))
            case tree.Not(operand):
                return Not(self._condition(operand))
            case tree.And(operands):
                return All(tuple(map(self._condition, operands)))
            case tree.Or(operands):
                return Any(tuple(map(self._condition, operands)))
            case _:
                assert_never(written)

    def _bind(self, constant: tree.Constant) -> tree.Constant:
        return self._parameters.bind(constant) or constant


def rank_affected(affected: Expression, trace: Expression) -> Call:
    """The affected records, each with the h at its rank in canonical order."""
    counted = Call("D", (), Group((_S,), (AggregateColumn(Function.COUNT, None, _M),), affected))
    not_after = Compare(Every("x"), Operator.LE, Every("y"))
    pairs = Join(Rename("x", counted), not_after, Rename("y", counted))
    last = AggregateColumn(Function.SUM, Symbol("m", "x"), _LAST)
    placed = Call("L", (), Group((Every("y"), Symbol("m", "y")), (last,), pairs))
    own = All((Compare(Arithmetic(_LAST, Sign.MINUS, _M), Operator.LT, _I), Compare(_I, Operator.LE, _LAST)))
    return Call("ranked", (affected, trace), Project(((_S, _S), (_H, _H)), Join(placed, own, trace)))


def remaining_trace(affected: Expression, trace: Expression) -> Call:
    """The trace without one value for each affected record, numbered from 1 again."""
    ones = Union(Project(((_ONE, _C),), affected), Single(_ZERO, _C))
    size = Call("N", (), Group((), (AggregateColumn(Function.SUM, _C, _N),), ones))
    rest = Join(trace, Compare(_I, Operator.GT, _N), size)
    moved = (Arithmetic(_I, Sign.MINUS, _N), _I)
    return Call("tail", (affected, trace), Project((moved, (_H, _H)), rest))


#: the definitions in the legend, with the letters of the paper
DEFINITIONS = (rank_affected(Table("V"), Table("T")), remaining_trace(Table("V"), Table("T")))


def drawn_records(affected: Expression, trace: Expression, probability: Decimal) -> Expression:
    """The affected records whose value of the trace is below the probability (X5)."""
    below = Compare(_H, Operator.LT, Cut(probability))
    return Project(((_S, _S),), Select(below, rank_affected(affected, trace)))


def uniform(lower: tree.Constant, upper: tree.Constant) -> Scalar:
    """random(l, u, ρ) = l + ⌊ρ · (u − l + 1)⌋, where ρ = h / 2⁵² (D19)."""
    return Arithmetic(lower, Sign.PLUS, Floor(Arithmetic(_H, Sign.TIMES, _width(lower, upper))))


def _width(lower: tree.Constant, upper: tree.Constant) -> Scalar:
    if isinstance(lower, tree.Number) and isinstance(upper, tree.Number):
        return tree.Number(upper.value - lower.value + 1)
    return Arithmetic(Arithmetic(upper, Sign.MINUS, lower), Sign.PLUS, _ONE)


def weighted_choice(values: Sequence[WeightedValue]) -> Scalar:
    """The first vⱼ with ρ < (w₁ + … + wⱼ) / Σw (X6). The last of these bounds is 1, which is above every ρ."""
    sums = list(accumulate(weight for _, weight in values))
    options = [
        (value, Compare(_H, Operator.LT, Cut(Fraction(below, sums[-1]))))
        for (value, _), below in zip(values[:-1], sums, strict=False)
    ]
    return Choice(tuple(options), values[-1][0])
