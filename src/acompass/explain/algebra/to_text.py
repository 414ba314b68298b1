"""Algebra as text. σ selects, π projects (and keeps the columns … that it does not write), γ groups, ⋈ joins,
⋉ is the semijoin, ▷ the antijoin, ∪ the union and − the difference of bags."""

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from acompass.checked.parameters import Parameters, ParamValue
from acompass.explain.algebra.draws import DEFINITIONS
from acompass.explain.algebra.expressions import (
    Aggregated,
    Antijoin,
    Call,
    Difference,
    Equation,
    Expression,
    Group,
    IfEmpty,
    Join,
    Project,
    Rename,
    Select,
    Semijoin,
    Single,
    Table,
    Union,
    Without,
    Write,
)
from acompass.explain.algebra.from_syntax import FromSyntax
from acompass.explain.algebra.scalars_to_text import condition_text, scalar_text
from acompass.syntax import tree
from acompass.syntax.walk import steps

_TRACE = ", T₀ the trace: a record (i, h) for each ρᵢ = h / 2⁵²"
_LEGEND = "where S are the columns of the table, records compare column by column, missing values first, and"


def to_algebra(policy: tree.Program, text: str, params: Mapping[str, ParamValue] | None = None) -> str:
    """`R₀` is the input table. Unbound parameters appear by name."""
    arrow = FromSyntax(Parameters(params or {}))
    blocks = [
        _block(f"line {_line(text, requirement)}", map(_equation, arrow.equations(index, requirement)))
        for index, requirement in enumerate(steps(policy), start=1)
    ]
    if not arrow.has_drawn:
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
    """The call, and below it the calls without arguments that its definition is made of."""
    yield f"{expression_text(call)} = {expression_text(call.definition)}"
    for part in _parts(call.definition):
        yield f"  {expression_text(part)} = {expression_text(part.definition)}"


def _parts(expression: Expression) -> list[Call]:
    """Each call in the expression once, the outermost first."""
    match expression:
        case Call():
            return list(dict.fromkeys([expression, *_parts(expression.definition)]))
        case Table() | Single():
            return []
        case Join(left, _, right) | Union(left, right) | Difference(left, right):
            return list(dict.fromkeys([*_parts(left), *_parts(right)]))
        case Semijoin(left, right) | Antijoin(left, right) | IfEmpty(left, right):
            return list(dict.fromkeys([*_parts(left), *_parts(right)]))
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
            return f"{_operand(expression.left)} {_sign(expression)} {_operand(expression.right)}"
        case IfEmpty(table, tested):
            return f"{expression_text(table)} if {expression_text(tested)} = ∅, else ∅"
        case _:
            assert_never(expression)


def _head(expression: Select | Project | Write | Without | Group) -> str:
    match expression:
        case Select(condition):
            return f"σ[{condition_text(condition)}]"
        case Project(columns):
            written = (_written(scalar_text(value), scalar_text(column)) for value, column in columns)
            return f"π[{', '.join(written)}]"
        case Write(value, column):
            return f"π[{scalar_text(value)} → {scalar_text(column)}, …]"
        case Without(columns):
            return f"π[all but {', '.join(map(scalar_text, columns))}]"
        case Group(keys, values):
            named = ", ".join(map(scalar_text, keys))
            return f"γ[{named}{'; ' if named else ''}{', '.join(map(_aggregated, values))}]"
        case _:
            assert_never(expression)


def _written(value: str, column: str) -> str:
    return value if value == column else f"{value} → {column}"


def _aggregated(value: Aggregated) -> str:
    of = "*" if value.argument is None else scalar_text(value.argument)
    return f"{value.function}({of}) → {scalar_text(value.result)}"


def _sign(expression: Join | Semijoin | Antijoin | Union | Difference) -> str:
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


def _operand(expression: Expression) -> str:
    text = expression_text(expression)
    match expression:
        case Join() | Semijoin() | Antijoin() | Union() | Difference() | IfEmpty():
            return f"({text})"
        case Table() | Call() | Single() | Rename():
            return text
        case Select() | Project() | Write() | Without() | Group():
            return text
        case _:
            assert_never(expression)
