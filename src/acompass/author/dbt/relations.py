"""Relations and variables of a dbt project, and the first line that marks a generated file.

A parameter whose value is a whole number and appears unchanged in the SQL of the tests becomes a dbt variable, in the
tests and in the model, so that both always have the same value. Any other parameter, such as a text or a bound of
RANDOM, keeps the value it had when the files were written."""

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias, TypeGuard

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic, PolicyError
from acompass.language.program.constants import ParamValue
from acompass.plan.run.statements import FailingRows

_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_SOURCE = "source:"

#: replaces a parameter while the SQL is generated; longer than any value of a variable
_FIRST_MARK = 7_310_582_946_013_377_911
#: the maximum number of digits of a variable
MOST_DIGITS = 18

#: generates the SQL of all tests with these parameters
Lowering: TypeAlias = Callable[[Mapping[str, ParamValue]], Sequence[FailingRows]]


@dataclass(frozen=True, slots=True)
class Relation:
    call: str  # dbt's function: `ref` or `source`
    parts: tuple[str, ...]  # without special characters of Jinja, Python or SQL

    @property
    def jinja(self) -> str:
        return f"{{{{ {self._call_text(self.call)} }}}}"

    @property
    def python(self) -> str:
        return self._call_text(f"dbt.{self.call}")

    @property
    def name(self) -> str:
        """The name as an identifier."""
        return re.sub("[^A-Za-z0-9_]", "_", "_".join(self.parts))

    def _call_text(self, function: str) -> str:
        parts = ", ".join(f"'{part}'" for part in self.parts)
        return f"{function}({parts})"


def parse_relation(text: str) -> Relation:
    """Parse `people`, `package.people` or `source:raw.people`."""
    is_source = text.startswith(_SOURCE)
    parts = tuple(text.removeprefix(_SOURCE).split("."))
    if not all(map(_WORD.fullmatch, parts)) or len(parts) not in ((2,) if is_source else (1, 2)):
        help_ = "use `people` or `package.people` for a model, seed or snapshot, `source:raw.people` for a source"
        raise _invalid(f"`{text}` is not the name of a dbt model or source", help_)
    return Relation("source" if is_source else "ref", parts)


def released_relation(given: str | None, model: Relation, *, is_written: bool) -> Relation:
    """The relation of the released table. If a model is written for it, its name is also a file name."""
    name = f"{model.name}_released" if given is None else given
    if is_written and _IDENTIFIER.fullmatch(name) is None:
        help_ = "use letters, digits and `_`, such as `people_released`"
        raise _invalid(f"`{name}` is not a valid name for the released model", help_)
    released = parse_relation(name)
    if released.parts[-1] == model.parts[-1] and released.call == model.call:
        raise _invalid(f"the released model cannot be `{name}` itself", f"`--released {name}_released`")
    return released


def policy_name(path: str) -> str:
    """The policy's file name as an identifier, for names of tests and variables."""
    words = re.sub("[^A-Za-z0-9]+", "_", Path(path).stem).strip("_").lower()
    return words if words and not words[0].isdigit() else f"policy_{words}".rstrip("_")


def _invalid(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC642", message, help=help_)])


@dataclass(frozen=True, slots=True)
class Variable:
    parameter: str  # of the policy
    name: str  # of the dbt variable
    value: int
    local: str  # name in a template
    mark: str  # replaces the parameter while the SQL is generated

    @property
    def declaration(self) -> str:
        """The beginning of a template that reads the variable and fails unless it is a whole number."""
        name, bound = self.local, 10**MOST_DIGITS
        wrong = f"acompass: the variable {self.name} is not a whole number of at most {MOST_DIGITS} digits"
        return (
            f"{{% set {name} = var('{self.name}', {self.value}) %}}\n"
            f"{{% if {name} is not integer or {name} >= {bound} or {name} <= -{bound} %}}\n"
            f"  {{{{ exceptions.raise_compiler_error('{wrong}') }}}}\n"
            f"{{% endif %}}\n"
        )


def settable_variables(params: Mapping[str, ParamValue], prefix: str, lowering: Lowering) -> tuple[Variable, ...]:
    """Find the parameters that can be variables: with a mark in its place, the rest of the SQL stays the same."""
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


def mark_variables(params: Mapping[str, ParamValue], variables: Sequence[Variable]) -> dict[str, ParamValue]:
    return {**params, **{each.parameter: int(each.mark) for each in variables}}


def _is_settable(
    variable: Variable, params: Mapping[str, ParamValue], plain: Sequence[FailingRows], lowering: Lowering
) -> bool:
    try:
        lowered = lowering(mark_variables(params, [variable]))
    except PolicyError:  # an action that does not accept every number uses the parameter too
        return False
    occurs = any(variable.mark in rows.query for rows in lowered)
    return occurs and [_with_value(variable, rows) for rows in lowered] == list(plain)


def _with_value(variable: Variable, rows: FailingRows) -> FailingRows:
    return FailingRows(rows.reading, rows.query.replace(variable.mark, str(variable.value)))


def _word(parameter: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in parameter)


_MARK = re.compile(r"(?:--|#) written by `acompass dbt`: policy (\w+), model (\w+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Mark:
    """The policy and the model that a generated file belongs to, as identifiers."""

    policy: str
    tested: str

    def line(self, comment: str) -> str:
        return f"{comment} written by `acompass dbt`: policy {self.policy}, model {self.tested}\n"


def parse_mark(text: str) -> Mark | None:
    """The mark of a file; None if `acompass dbt` did not write it."""
    found = _MARK.match(text)
    return None if found is None else Mark(*found.groups())
