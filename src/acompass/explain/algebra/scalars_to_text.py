"""The values and conditions of algebra as text."""

from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from acompass.explain.algebra.expressions import (
    All,
    Any,
    Arithmetic,
    Choice,
    Column,
    Compare,
    Condition,
    Cut,
    Every,
    Floor,
    Label,
    Not,
    Scalar,
    Symbol,
)
from acompass.report.words import on_one_line
from acompass.syntax import tree
from acompass.syntax.format import format_map
from acompass.syntax.spelling import spell_constant, spell_name, spell_number
from acompass.syntax.tree import Operator

_SIGNS = {Operator.LE: "≤", Operator.GE: "≥"}


def scalar_text(scalar: Scalar) -> str:
    match scalar:
        case Column(name):
            return spell_name(name)
        case Symbol(text, alias):
            return _qualified(text, alias)
        case Every(alias):
            return _qualified("S", alias)
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


def _qualified(text: str, alias: str | None) -> str:
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
            return " ∧ ".join(map(_operand, operands))
        case Any(operands):
            return " ∨ ".join(map(_operand, operands))
        case _:
            assert_never(condition)


def _operand(operand: Condition) -> str:
    text = condition_text(operand)
    match operand:
        case All() | Any():
            return f"({text})"
        case Compare() | Not():
            return text
        case _:
            assert_never(operand)
