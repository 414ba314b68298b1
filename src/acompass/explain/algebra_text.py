"""Relational algebra as text.

σ selects, π projects (and keeps the columns … that it does not write), γ groups, ⋈ joins, ⋉ is the semijoin, ▷ the
antijoin, ∪ the union and − the difference of bags.
"""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from acompass.errors.display import on_one_line
from acompass.explain import algebra as a
from acompass.explain.algebra import DEFINITIONS, FromSyntax
from acompass.language.program.constants import Parameters, ParamValue
from acompass.language.text import tree
from acompass.language.text.formatter import format_map
from acompass.language.text.tokens import spell_constant, spell_name, spell_number
from acompass.language.text.tree import Operator
from acompass.language.text.walk import plain_of, step_of, steps

_TRACE = ", T₀ the trace: a record (i, h) for each ρᵢ = h / 2⁵²"
#: what the functions mean that actions write
_MEANINGS: Mapping[type[tree.Plain], str] = {
    tree.Pseudonym: "p(A) is the pseudonym of A under the key of the run",
    tree.Shift: "s(P, n) is a number of days from −n to n, which P and the key of the run determine",
    tree.Microaggregate: "mean(A, n) is the mean of A in the group of a record: the affected records in the order "
    "of A, equal ones in canonical order, n to a group, the last one with n to 2n − 1",
}
_LEGEND = "where S are the columns of the table, records compare column by column, missing values first, and"


def to_algebra(policy: tree.Program, text: str, params: Mapping[str, ParamValue] | None = None) -> str:
    """The equations of a policy. `R₀` is the input table; unbound parameters appear by name."""
    translation = FromSyntax(Parameters(params or {}))
    blocks = [
        _block(f"line {_line(text, requirement)}", map(_equation, translation.equations(index, requirement)))
        for index, requirement in enumerate(steps(policy), start=1)
    ]
    actions = {type(plain_of(step_of(requirement))) for requirement in steps(policy)}
    meanings = [meaning for form, meaning in _MEANINGS.items() if form in actions]
    words = [_block("where", meanings)] if meanings else []
    if translation.has_drawn:
        words.append(_block(_LEGEND, (line for call in DEFINITIONS for line in _definition(call))))
    trace = _TRACE if translation.has_drawn else ""
    return "\n\n".join([f"R₀ is the table{trace}", *blocks, *words]) + "\n"


def _line(text: str, requirement: tree.Requirement) -> int:
    return text.count("\n", 0, requirement.span.start) + 1


def _block(heading: str, lines: Iterable[str]) -> str:
    return "\n".join([heading, *(f"  {line}" for line in lines)])


def _equation(equation: a.Equation) -> str:
    sides = [equation.table, equation.expression, equation.again]
    return " = ".join(expression_text(side) for side in sides if side is not None)


def _definition(call: a.Call) -> Iterator[str]:
    """The definition of a call, then those of the calls without arguments in it."""
    yield f"{expression_text(call)} = {expression_text(call.definition)}"
    for part in _parts(call.definition):
        yield f"  {expression_text(part)} = {expression_text(part.definition)}"


def _parts(expression: a.Expression) -> list[a.Call]:
    """The distinct calls in an expression, the outermost first."""
    match expression:
        case a.Call():
            return list(dict.fromkeys([expression, *_parts(expression.definition)]))
        case a.Table() | a.Single():
            return []
        case a.Join() | a.Semijoin() | a.Antijoin() | a.Union() | a.Difference():
            return list(dict.fromkeys([*_parts(expression.left), *_parts(expression.right)]))
        case a.IfEmpty(table, tested):
            return list(dict.fromkeys([*_parts(table), *_parts(tested)]))
        case a.Select(of=of) | a.Project(of=of) | a.Write(of=of) | a.Without(of=of) | a.Group(of=of) | a.Rename(of=of):
            return _parts(of)
        case _:
            assert_never(expression)


def expression_text(expression: a.Expression) -> str:
    match expression:
        case a.Table(name):
            return name
        case a.Call(name, arguments):
            return f"{name}({', '.join(map(expression_text, arguments))})" if arguments else name
        case a.Single(value, column):
            return f"{{{scalar_text(value)} → {scalar_text(column)}}}"
        case a.Rename(alias, of):
            return f"{expression_text(of)} as {alias}"
        case a.Select() | a.Project() | a.Write() | a.Without() | a.Group():
            return f"{_head(expression)}({expression_text(expression.of)})"
        case a.Join() | a.Semijoin() | a.Antijoin() | a.Union() | a.Difference():
            return f"{_expression_operand(expression.left)} {_sign(expression)} {_expression_operand(expression.right)}"
        case a.IfEmpty(table, tested):
            return f"{expression_text(table)} if {expression_text(tested)} = ∅, else ∅"
        case _:
            assert_never(expression)


def _head(expression: a.Unary) -> str:
    match expression:
        case a.Select(condition):
            return f"σ[{condition_text(condition)}]"
        case a.Project(columns):
            written = (_assignment(scalar_text(value), scalar_text(column)) for value, column in columns)
            return f"π[{', '.join(written)}]"
        case a.Write(values):
            assigned = (f"{scalar_text(value)} → {scalar_text(column)}" for value, column in values)
            return f"π[{', '.join(assigned)}, …]"
        case a.Without(columns):
            return f"π[all but {', '.join(map(scalar_text, columns))}]"
        case a.Group(keys, values):
            named = ", ".join(map(scalar_text, keys))
            return f"γ[{named}{'; ' if named else ''}{', '.join(map(_aggregate_text, values))}]"
        case _:
            assert_never(expression)


def _assignment(value: str, column: str) -> str:
    return value if value == column else f"{value} → {column}"


def _aggregate_text(value: a.AggregateColumn) -> str:
    of = "*" if value.argument is None else scalar_text(value.argument)
    largest = "" if value.largest is None else f" {scalar_text(value.largest)} "
    file = "" if value.file is None else f" IN {scalar_text(value.file)}"
    return f"{value.function}{largest}({of}){file} → {scalar_text(value.result)}"


def _sign(expression: a.Binary) -> str:
    match expression:
        case a.Join(condition=condition):
            return f"⋈[{condition_text(condition)}]"
        case a.Semijoin():
            return "⋉"
        case a.Antijoin():
            return "▷"
        case a.Union():
            return "∪"
        case a.Difference():
            return "−"
        case _:
            assert_never(expression)


def _expression_operand(expression: a.Expression) -> str:
    text = expression_text(expression)
    match expression:
        case a.Join() | a.Semijoin() | a.Antijoin() | a.Union() | a.Difference() | a.IfEmpty():
            return f"({text})"
        case (
            a.Table()
            | a.Call()
            | a.Single()
            | a.Rename()
            | a.Select()
            | a.Project()
            | a.Write()
            | a.Without()
            | a.Group()
        ):
            return text
        case _:
            assert_never(expression)


_SIGNS = {Operator.LE: "≤", Operator.GE: "≥"}


def scalar_text(scalar: a.Scalar) -> str:
    match scalar:
        case a.Column(name):
            return spell_name(name)
        case a.Symbol(text, alias):
            return _qualify(text, alias)
        case a.Every(alias):
            return _qualify("S", alias)
        case tree.Number() | tree.String() | tree.Parameter():
            return on_one_line(spell_constant(scalar))
        case a.Cut(probability):
            return f"⌈{_probability(probability)} · 2⁵²⌉"
        case a.Arithmetic(left, sign, right):
            return f"{scalar_text(left)} {sign} {_right_operand(right)}"
        case a.Floor(of):
            return f"⌊{scalar_text(of)} / 2⁵²⌋"
        case a.Label() | a.Pseudonym() | a.Days() | a.Mean():
            return _named_text(scalar)
        case a.Choice(options, otherwise):
            chosen = (f"{scalar_text(value)} if {condition_text(condition)}" for value, condition in options)
            return f"({', '.join([*chosen, f'else {scalar_text(otherwise)}'])})"
        case _:
            assert_never(scalar)


def _named_text(scalar: a.Named) -> str:
    match scalar:
        case a.Label(map_, column):
            return f"{on_one_line(format_map(map_))}({scalar_text(column)})"
        case a.Pseudonym(column):
            return f"p({scalar_text(column)})"
        case a.Days(person, within):
            return f"s({scalar_text(person)}, {scalar_text(within)})"
        case a.Mean(column, size):
            return f"mean({scalar_text(column)}, {scalar_text(size)})"
        case _:
            assert_never(scalar)


def _qualify(text: str, alias: str | None) -> str:
    return text if alias is None else f"{alias}.{text}"


def _probability(value: Decimal | Fraction) -> str:
    return spell_number(value) if isinstance(value, Decimal) else str(value)


def _right_operand(scalar: a.Scalar) -> str:
    text = scalar_text(scalar)
    return f"({text})" if isinstance(scalar, a.Arithmetic) else text


def condition_text(condition: a.Condition) -> str:
    match condition:
        case a.Compare(left, operator, right):
            return f"{scalar_text(left)} {_SIGNS.get(operator, str(operator))} {scalar_text(right)}"
        case a.Not(operand):
            return f"¬({condition_text(operand)})"
        case a.All(operands):
            return " ∧ ".join(map(_condition_operand, operands))
        case a.Any(operands):
            return " ∨ ".join(map(_condition_operand, operands))
        case _:
            assert_never(condition)


def _condition_operand(operand: a.Condition) -> str:
    text = condition_text(operand)
    match operand:
        case a.All() | a.Any():
            return f"({text})"
        case a.Compare() | a.Not():
            return text
        case _:
            assert_never(operand)
