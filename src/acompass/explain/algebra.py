"""A policy as relational algebra over bags: one equation for the affected bag and one for the table after it.

σ selects, π projects (the columns it does not write stay), γ groups, ⋉ keeps the records that have a partner,
▷ those that have none, ∪ is the union of bags and − their difference.
"""

from collections.abc import Iterator, Mapping
from typing import assert_never

from acompass.checked.parameters import Parameters, ParamValue
from acompass.report.words import on_one_line
from acompass.syntax import tree
from acompass.syntax.spelling import spell_name, spell_number, spell_string
from acompass.syntax.tree import Operator, Quantifier

_SIGNS = {Operator.LE: "≤", Operator.GE: "≥"}
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def to_algebra(policy: tree.Program, text: str, params: Mapping[str, ParamValue] | None = None) -> str:
    """`R₀` is the table; a parameter that is not bound stands under its name."""
    writer = _Writer(Parameters(params or {}))
    blocks = [
        "\n".join(writer.requirement(index, requirement, _line(text, requirement)))
        for index, requirement in enumerate(policy.requirements, start=1)
    ]
    return "\n\n".join(["R₀ is the table", *blocks]) + "\n"


def _line(text: str, requirement: tree.Requirement) -> int:
    return text.count("\n", 0, requirement.span.start) + 1


def _numbered(letter: str, index: int) -> str:
    return letter + str(index).translate(_SUBSCRIPTS)


class _Writer:
    def __init__(self, parameters: Parameters):
        self._parameters = parameters

    def requirement(self, index: int, requirement: tree.Requirement, line: int) -> Iterator[str]:
        table, affected, after = _numbered("R", index - 1), _numbered("V", index), _numbered("R", index)
        yield f"line {line}"
        yield f"  {affected} = {self._affected(requirement.assertion, table)}"
        yield f"  {after} = {self._after(requirement, table, affected)}"

    def _affected(self, assertion: tree.Assertion, table: str) -> str:
        condition = self.condition(assertion.condition)
        if assertion.quantifier is Quantifier.SOME:
            return f"{table} if σ[{condition}]({self._result(assertion.result, table)}) = ∅, else ∅"
        match assertion.result:
            case tree.Process() as process:
                return f"{self._seen(process, table)} ⋉ {self._violating(process, condition, table)}"
            case result:
                return f"σ[¬({condition})]({self._result(result, table)})"

    def _violating(self, process: tree.Process, condition: str, table: str) -> str:
        return f"σ[¬({condition})]({self._result(process, table)})"

    def _result(self, result: tree.ResultForm, table: str) -> str:
        match result:
            case tree.Result():
                return table
            case tree.Filter():
                return f"σ[{self.condition(result.condition)}]({table})"
            case tree.Process():
                keys = ", ".join(spell_name(name.text) for name in result.group_by)
                column = result.aggregate.column
                of = "*" if column is None else spell_name(column.text)
                value = f"{result.aggregate.function}({of}) → {spell_name(result.alias.text)}"
                return f"γ[{keys}{'; ' if keys else ''}{value}]({self._seen(result, table)})"
            case _:
                assert_never(result)

    def _seen(self, process: tree.Process, table: str) -> str:
        return table if process.where is None else f"σ[{self.condition(process.where)}]({table})"

    def _after(self, requirement: tree.Requirement, table: str, affected: str) -> str:
        action, assertion = requirement.action, requirement.assertion
        match action:
            case None:
                return table
            case tree.Reject():
                return f"{table} − {affected}{self._antijoin(assertion, table)}"
            case tree.Replace():
                value = f"{self._constant(action.constant)} → {spell_name(action.name.text)}"
                return f"({table} − {affected}) ∪ π[{value}, …]({affected})"
            case tree.Random():
                bounds = f"{self._constant(action.lower)}, {self._constant(action.upper)}"
                value = f"random({bounds}, ρᵢ) → {spell_name(action.name.text)}"
                return f"({table} − {affected}) ∪ π[{value}, …](order({affected}))"
            case _:
                assert_never(action)

    def _antijoin(self, assertion: tree.Assertion, table: str) -> str:
        """Where whole classes go, what is left are the records without a violating class."""
        process = assertion.result
        if assertion.quantifier is Quantifier.SOME or not isinstance(process, tree.Process):
            return ""
        if process.where is not None:
            return ""
        return f" = {table} ▷ {self._violating(process, self.condition(assertion.condition), table)}"

    def condition(self, condition: tree.Condition) -> str:
        match condition:
            case tree.Comparison():
                sign = _SIGNS.get(condition.operator, str(condition.operator))
                return f"{spell_name(condition.name.text)} {sign} {self._constant(condition.constant)}"
            case tree.Not():
                return f"¬({self.condition(condition.operand)})"
            case tree.And():
                return " ∧ ".join(map(self._operand, condition.operands))
            case tree.Or():
                return " ∨ ".join(map(self._operand, condition.operands))
            case _:
                assert_never(condition)

    def _operand(self, operand: tree.Condition) -> str:
        text = self.condition(operand)
        return f"({text})" if isinstance(operand, tree.And | tree.Or) else text

    def _constant(self, constant: tree.Constant) -> str:
        match self._parameters.bind(constant):
            case tree.Number(value):
                return spell_number(value)
            case tree.String(value):
                return on_one_line(spell_string(value))
            case _:
                assert isinstance(constant, tree.Parameter)
                return constant.name
