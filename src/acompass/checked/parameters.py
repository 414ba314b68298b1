"""Parameters (D5): words in place of constants, whose values come from outside the policy."""

import operator
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TypeAlias

from acompass.checked import findings
from acompass.checked.literals import read_constant
from acompass.diagnostics import CallError, Diagnostic
from acompass.syntax import tree
from acompass.syntax.tokens import is_word

ParamValue: TypeAlias = int | float | Decimal | str | bool

#: a constant of the policy, or the value of a parameter
Bound: TypeAlias = tree.Number | tree.String

#: larger exponents give longer numbers than a policy may contain (constants.LONGEST)
_LARGEST_EXPONENT = 10_000


class Parameters:
    """The values of the parameters, and which of them the policy uses."""

    def __init__(self, values: Mapping[str, ParamValue]):
        self._values = {name: _as_constant(value) for name, value in values.items()}
        self.unbound: set[str] = set()
        self._used: set[str] = set()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._values)

    def bind(self, constant: tree.Constant) -> Bound | None:
        """The constant, or the parameter's value; None for a parameter without a usable value."""
        if not isinstance(constant, tree.Parameter):
            return constant
        self._used.add(constant.name)
        if constant.name not in self._values:
            self.unbound.add(constant.name)
            return None
        match self._values[constant.name]:
            case Decimal() as number:
                return tree.Number(number, constant.span)
            case str() as text:
                return tree.String(text, constant.span)
            case None:
                return None

    def problems(self) -> tuple[Diagnostic, ...]:
        """Errors about the values, once the whole policy has been checked."""
        unusable = [
            findings.unusable_parameter(name) for name, value in self._values.items() if value is None
        ]
        unused = [findings.unused_parameter(name) for name in self._values if name not in self._used]
        return (*unusable, *unused)


def _as_constant(value: object) -> Decimal | str | None:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case Decimal():
            return _plain(value)
        case float():
            return _plain(Decimal(float.__repr__(value)))
        case _:
            return Decimal(operator.index(value)) if hasattr(value, "__index__") else None


def _plain(value: Decimal) -> Decimal | None:
    """The same number without a positive exponent, as in a policy; None for NaN and infinity."""
    if not value.is_finite() or abs(value.adjusted()) > _LARGEST_EXPONENT:
        return None
    return Decimal(f"{value:f}")


def parse_setting(text: str) -> tuple[str, ParamValue]:
    """`k=3` as a name and a value: a number, text in single quotes, or any other text."""
    name, equals, value = text.partition("=")
    name = name.strip()
    if not equals or not is_word(name):
        raise CallError([findings.bad_setting(text)])
    constant = read_constant(value.strip())
    return name, value if constant is None else constant


def parse_settings(texts: Iterable[str]) -> dict[str, ParamValue]:
    """All `--set` options of a call; setting a parameter twice is an error."""
    settings: dict[str, ParamValue] = {}
    for name, value in map(parse_setting, texts):
        if name in settings:
            raise CallError([findings.repeated_setting(name)])
        settings[name] = value
    return settings
