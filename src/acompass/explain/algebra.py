"""A policy as relational algebra over bags.

Each requirement has two equations: one for its affected bag V, one for the table R after it. σ selects, π
projects (and keeps the columns that it does not write), γ groups, ⋉ is the semijoin, ▷ the antijoin, ∪ the
union and − the difference of bags.
"""

from collections.abc import Iterator, Mapping
from typing import assert_never

from acompass.checked.parameters import Parameters, ParamValue
from acompass.report.words import on_one_line
from acompass.syntax import tree
from acompass.syntax.format import format_map
from acompass.syntax.spelling import spell_constant, spell_name
from acompass.syntax.tree import Operator, Quantifier
from acompass.syntax.walk import assertion_of, core, process_of, step_of, steps

_SIGNS = {Operator.LE: "≤", Operator.GE: "≥"}
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def to_algebra(policy: tree.Program, text: str, params: Mapping[str, ParamValue] | None = None) -> str:
    """`R₀` is the input table. Unbound parameters appear by name."""
    writer = _Writer(Parameters(params or {}))
    blocks = [
        "\n".join(writer.requirement(index, requirement, _line(text, requirement)))
        for index, requirement in enumerate(steps(policy), start=1)
    ]
    return "\n\n".join(["R₀ is the table", *blocks]) + "\n"


def _line(text: str, requirement: tree.Requirement) -> int:
    return text.count("\n", 0, requirement.span.start) + 1


def _numbered(letter: str, index: int) -> str:
    return letter + str(index).translate(_SUBSCRIPTS)


def _aggregate(named: tree.NamedAggregate) -> str:
    column = named.aggregate.column
    of = "*" if column is None else spell_name(column.text)
    return f"{named.aggregate.function}({of}) → {spell_name(named.alias.text)}"


def _rest_and(requirement: tree.Requirement, table: str, affected: str, changed: str) -> str:
    """ALWAYS leaves no rest."""
    if assertion_of(requirement) is None:
        return changed
    return f"({table} − {affected}) ∪ {changed}"


class _Writer:
    def __init__(self, parameters: Parameters):
        self._parameters = parameters

    def requirement(self, index: int, requirement: tree.Requirement, line: int) -> Iterator[str]:
        table, affected, after = _numbered("R", index - 1), _numbered("V", index), _numbered("R", index)
        yield f"line {line}"
        yield f"  {affected} = {self._affected(requirement, table)}"
        yield f"  {after} = {self._after(requirement, table, affected)}"

    def _affected(self, requirement: tree.Requirement, table: str) -> str:
        assertion, process = assertion_of(requirement), process_of(requirement)
        if assertion is None:
            return table
        if assertion.quantifier is Quantifier.SOME:
            satisfying = f"σ[{self.condition(assertion.condition)}]({self._result(assertion.result, table)})"
            return f"{table} if {satisfying} = ∅, else ∅"
        violating = self._violating(assertion, table)
        return violating if process is None else f"{self._seen(process, table)} ⋉ {violating}"

    def _violating(self, assertion: tree.Assertion, table: str) -> str:
        """The records, or the classes, that violate the condition."""
        return f"σ[¬({self.condition(assertion.condition)})]({self._result(assertion.result, table)})"

    def _result(self, result: tree.ResultForm, table: str) -> str:
        match result:
            case tree.Result():
                return table
            case tree.Filter():
                return f"σ[{self.condition(result.condition)}]({table})"
            case tree.Process():
                keys = ", ".join(spell_name(name.text) for name in result.group_by)
                values = ", ".join(map(_aggregate, result.aggregates))
                return f"γ[{keys}{'; ' if keys else ''}{values}]({self._seen(result, table)})"
            case _:
                assert_never(result)

    def _seen(self, process: tree.Process, table: str) -> str:
        return table if process.where is None else f"σ[{self.condition(process.where)}]({table})"

    def _after(self, requirement: tree.Requirement, table: str, affected: str) -> str:
        action = step_of(requirement)
        match action:
            case None:
                return table
            case tree.Reject():
                return f"{table} − {affected}{self._antijoin(requirement, table)}"
            case tree.Replace():
                value = f"{self._constant(action.constant)} → {spell_name(action.name.text)}"
                return _rest_and(requirement, table, affected, f"π[{value}, …]({affected})")
            case tree.Random():
                bounds = f"{self._constant(action.lower)}, {self._constant(action.upper)}"
                value = f"random({bounds}, ρᵢ) → {spell_name(action.name.text)}"
                return _rest_and(requirement, table, affected, f"π[{value}, …](order({affected}))")
            case tree.Generalize():
                name = spell_name(action.name.text)
                value = f"{on_one_line(format_map(action.map))}({name}) → {name}"
                return _rest_and(requirement, table, affected, f"π[{value}, …]({affected})")
            case tree.Drop():
                names = ", ".join(spell_name(name.text) for name in action.names)
                return f"π[all but {names}]({table})"
            case _:
                assert_never(action)

    def _antijoin(self, requirement: tree.Requirement, table: str) -> str:
        """If whole classes are rejected, the remaining records are those without a violating class."""
        process, assertion = process_of(requirement), assertion_of(requirement)
        if assertion is None or process is None or process.where is not None:
            return ""
        if assertion.quantifier is Quantifier.SOME:
            return ""
        return f" = {table} ▷ {self._violating(assertion, table)}"

    def condition(self, condition: tree.Condition) -> str:
        written = core(condition)
        match written:
            case tree.Comparison():
                sign = _SIGNS.get(written.operator, str(written.operator))
                return f"{spell_name(written.name.text)} {sign} {self._constant(written.constant)}"
            case tree.Not():
                return f"¬({self.condition(written.operand)})"
            case tree.And():
                return " ∧ ".join(map(self._operand, written.operands))
            case tree.Or():
                return " ∨ ".join(map(self._operand, written.operands))
            case _:
                assert_never(written)

    def _operand(self, operand: tree.Condition) -> str:
        text, written = self.condition(operand), core(operand)
        match written:
            case tree.And() | tree.Or():
                return f"({text})"
            case tree.Comparison() | tree.Not():
                return text
            case _:
                assert_never(written)

    def _constant(self, constant: tree.Constant) -> str:
        return on_one_line(spell_constant(self._parameters.bind(constant) or constant))
