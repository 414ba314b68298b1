"""Parameters that can be set in dbt: a whole number that stands in the SQL of the tests as it is.

Such a parameter is a variable of dbt in the tests and in the model, so that both always have the same value.
Any other one, such as a text or a bound of RANDOM, keeps the value that it had when the files were written.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias, TypeGuard

from acompass.checked.parameters import ParamValue
from acompass.diagnostics import PolicyError
from acompass.plan.running.failing_rows import FailingRows

#: stands for a parameter while the SQL is made; longer than any value that a variable may have
_FIRST_MARK = 7_310_582_946_013_377_911
#: a variable has fewer digits
MOST_DIGITS = 18

#: the SQL of all tests with these parameters
Lowering: TypeAlias = Callable[[Mapping[str, ParamValue]], Sequence[FailingRows]]


@dataclass(frozen=True, slots=True)
class Variable:
    """`name` is the variable of dbt, `parameter` that of the policy, `local` a name in a template."""

    parameter: str
    name: str
    value: int
    local: str
    mark: str

    @property
    def declared(self) -> str:
        """The start of a template that reads the variable, and fails unless it is a whole number."""
        name, bound = self.local, 10**MOST_DIGITS
        wrong = f"acompass: the variable {self.name} is not a whole number of at most {MOST_DIGITS} digits"
        return (
            f"{{% set {name} = var('{self.name}', {self.value}) %}}\n"
            f"{{% if {name} is not integer or {name} >= {bound} or {name} <= -{bound} %}}\n"
            f"  {{{{ exceptions.raise_compiler_error('{wrong}') }}}}\n"
            f"{{% endif %}}\n"
        )


def variables_of(params: Mapping[str, ParamValue], prefix: str, lowering: Lowering) -> tuple[Variable, ...]:
    """The parameters that can be set: with a mark in their place, the SQL differs in nothing but the mark."""
    plain = lowering(params)
    found: list[Variable] = []
    for parameter, value in params.items():
        if not _is_whole(value):
            continue
        at, name = len(found), f"{prefix}_{_word(parameter)}"
        variable = Variable(parameter, name, int(value), f"parameter_{at}", str(_FIRST_MARK + at))
        if name not in (each.name for each in found) and _is_settable(variable, params, plain, lowering):
            found.append(variable)
    return tuple(found)


def _is_whole(value: ParamValue) -> TypeGuard[int | Decimal]:
    if not isinstance(value, int | Decimal) or isinstance(value, bool):
        return False
    return str(value).removeprefix("-").isdecimal() and abs(value) < 10**MOST_DIGITS


def marked(params: Mapping[str, ParamValue], variables: Sequence[Variable]) -> dict[str, ParamValue]:
    return {**params, **{each.parameter: int(each.mark) for each in variables}}


def _is_settable(
    variable: Variable, params: Mapping[str, ParamValue], plain: Sequence[FailingRows], lowering: Lowering
) -> bool:
    try:
        lowered = lowering(marked(params, [variable]))
    except PolicyError:  # the parameter is also one of an action, which does not take every number
        return False
    occurs = any(variable.mark in rows.query for rows in lowered)
    return occurs and [_with_value(variable, rows) for rows in lowered] == list(plain)


def _with_value(variable: Variable, rows: FailingRows) -> FailingRows:
    return FailingRows(rows.reading, rows.query.replace(variable.mark, str(variable.value)))


def _word(parameter: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in parameter)
