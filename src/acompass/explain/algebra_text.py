"""Relational algebra as text.

σ selects, π projects (and keeps the columns … that it does not write), γ groups, ⋈ joins, ⋉ is the semijoin, ▷ the
antijoin, ∪ the union and − the difference of bags.
"""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from acompass.errors.display import on_one_line
from acompass.explain.algebra import (
    DEFINITIONS,
    AggregateColumn,
    All,
    Antijoin,
    Any,
    Arithmetic,
    Binary,
    Call,
    Choice,
    Column,
    Compare,
    Condition,
    Cut,
    Difference,
    Equation,
    Every,
    Expression,
    Floor,
    FromSyntax,
    Group,
    IfEmpty,
    Join,
    Label,
    Not,
    Project,
    Rename,
    Scalar,
    Select,
    Semijoin,
    Single,
    Symbol,
    Table,
    Unary,
    Union,
    Without,
    Write,
)
from acompass.language.program.constants import Parameters, ParamValue
from acompass.language.text import tree
from acompass.language.text.formatter import format_map
from acompass.language.text.tokens import spell_constant, spell_name, spell_number
from acompass.language.text.tree import Operator
from acompass.language.text.walk import steps

_TRACE = ", T₀ the trace: a record (i, h) for each ρᵢ = h / 2⁵²"
_LEGEND = "where S are the columns of the table, records compare column by column, missing values first, and"


def to_algebra(policy: tree.Program, text: str, params: Mapping[str, ParamValue] | None = None) -> str:
    """The equations of a policy. `R₀` is the input table; unbound parameters appear by name."""
    translation = FromSyntax(Parameters(params or {}))
    blocks = [
        _block(f"line {_line(text, requirement)}", map(_equation, translation.equations(index, requirement)))
        for index, requirement in enumerate(steps(policy), start=1)
    ]
    if not translation.has_drawn:
        return "\n\n".join(["R₀ is the table", *blocks]) + "\n"
    legend = _block(_LEGEND, (line for call in DEFINITIONS for line in _definition(call)))
    return "\n\n".join([f"R₀ is the table{_TRACE}", *blocks, legend]) + "\n"


def _line(text: str, requirement: tree.Requirement) -> int:
    return text.count("\n", 0, requirement.span.start) + 1


def _block(heading: str, lines: Iterable[str]) -> str:
    return "\n".join([heading, *(f"  {line}" for line in lines)])


def _equation(equation: Equation) -> str:
    sides = [equation.table, equation.expression, equation.again]
    return " = ".join(expression_text(side) for side in sides if side is not None)


def _definition(call: Call) -> Iterator[str]:
    """The definition of a call, then those of the calls without arguments in it."""
    yield f"{expression_text(call)} = {expression_text(call.definition)}"
    for part in _parts(call.definition):
        yield f"  {expression_text(part)} = {expression_text(part.definition)}"


def _parts(expression: Expression) -> list[Call]:
    """The distinct calls in an expression, the outermost first."""
    match expression:
        case Call():
            return list(dict.fromkeys([expression, *_parts(expression.definition)]))
        case Table() | Single():
            return []
        case Join() | Semijoin() | Antijoin() | Union() | Difference():
            return list(dict.fromkeys([*_parts(expression.left), *_parts(expression.right)]))
        case IfEmpty(table, tested):
            return list(dict.fromkeys([*_parts(table), *_parts(tested)]))
        case Select(of=of) | Project(of=of) | Write(of=of) | Without(of=of) | Group(of=of) | Rename(of=of):
            return _parts(of)
        case _:
            assert_never(expression)


def expression_text(expression: Expression) -> str:
    match expression:
        case Table(name):
            return name
        case Call(name, arguments):
            return f"{name}({', '.join(map(expression_text, arguments))})" if arguments else name
        case Single(value, column):
            return f"{{{scalar_text(value)} → {scalar_text(column)}}}"
        case Rename(alias, of):
            return f"{expression_text(of)} as {alias}"
        case Select() | Project() | Write() | Without() | Group():
            return f"{_head(expression)}({expression_text(expression.of)})"
        case Join() | Semijoin() | Antijoin() | Union() | Difference():
            return f"{_expression_operand(expression.left)} {_sign(expression)} {_expression_operand(expression.right)}"
        case IfEmpty(table, tested):
            return f"{expression_text(table)} if {expression_text(tested)} = ∅, else ∅"
        case _:
            assert_never(expression)


def _head(expression: Unary) -> str:
    match expression:
        case Select(condition):
            return f"σ[{condition_text(condition)}]"
        case Project(columns):
            written = (_assignment(scalar_text(value), scalar_text(column)) for value, column in columns)
            return f"π[{', '.join(written)}]"
        case Write(value, column):
            return f"π[{scalar_text(value)} → {scalar_text(column)}, …]"
        case Without(columns):
            return f"π[all but {', '.join(map(scalar_text, columns))}]"
        case Group(keys, values):
            named = ", ".join(map(scalar_text, keys))
            return f"γ[{named}{'; ' if named else ''}{', '.join(map(_aggregate_text, values))}]"
        case _:
            assert_never(expression)


def _assignment(value: str, column: str) -> str:
    return value if value == column else f"{value} → {column}"


def _aggregate_text(value: AggregateColumn) -> str:
    of = "*" if value.argument is None else scalar_text(value.argument)
    return f"{value.function}({of}) → {scalar_text(value.result)}"


def _sign(expression: Binary) -> str:
    match expression:
        case Join(condition=condition):
            return f"⋈[{condition_text(condition)}]"
        case Semijoin():
            return "⋉"
        case Antijoin():
            return "▷"
        case Union():
            return "∪"
        case Difference():
            return "−"
        case _:
            assert_never(expression)


def _expression_operand(expression: Expression) -> str:
    text = expression_text(expression)
    match expression:
        case Join() | Semijoin() | Antijoin() | Union() | Difference() | IfEmpty():
            return f"({text})"
        case Table() | Call() | Single() | Rename() | Select() | Project() | Write() | Without() | Group():
            return text
        case _:
            assert_never(expression)


_SIGNS = {Operator.LE: "≤", Operator.GE: "≥"}


def scalar_text(scalar: Scalar) -> str:
    match scalar:
        case Column(name):
            return spell_name(name)
        case Symbol(text, alias):
            return _qualify(text, alias)
        case Every(alias):
            return _qualify("S", alias)
        case tree.Number() | tree.String() | tree.Parameter():
            return on_one_line(spell_constant(scalar))
        case Cut(probability):
            return f"⌈{_probability(probability)} · 2⁵²⌉"
        case Arithmetic(left, sign, right):
            return f"{scalar_text(left)} {sign} {_right_operand(right)}"
        case Floor(of):
            return f"⌊{scalar_text(of)} / 2⁵²⌋"
        case Label(map_, column):
            return f"{on_one_line(format_map(map_))}({scalar_text(column)})"
        case Choice(options, otherwise):
            chosen = (f"{scalar_text(value)} if {condition_text(condition)}" for value, condition in options)
            return f"({', '.join([*chosen, f'else {scalar_text(otherwise)}'])})"
        case _:
            assert_never(scalar)


def _qualify(text: str, alias: str | None) -> str:
    return text if alias is None else f"{alias}.{text}"


def _probability(value: Decimal | Fraction) -> str:
    return spell_number(value) if isinstance(value, Decimal) else str(value)


def _right_operand(scalar: Scalar) -> str:
    text = scalar_text(scalar)
    return f"({text})" if isinstance(scalar, Arithmetic) else text


def condition_text(condition: Condition) -> str:
    match condition:
        case Compare(left, operator, right):
            return f"{scalar_text(left)} {_SIGNS.get(operator, str(operator))} {scalar_text(right)}"
        case Not(operand):
            return f"¬({condition_text(operand)})"
        case All(operands):
            return " ∧ ".join(map(_condition_operand, operands))
        case Any(operands):
            return " ∨ ".join(map(_condition_operand, operands))
        case _:
            assert_never(condition)


def _condition_operand(operand: Condition) -> str:
    text = condition_text(operand)
    match operand:
        case All() | Any():
            return f"({text})"
        case Compare() | Not():
            return text
        case _:
            assert_never(operand)
