"""Generate the text of the files: singular tests, which are SQL templates, and the Python model with its properties.

A parameter whose value is a whole number and appears unchanged in the SQL of the tests becomes a dbt variable, in the
tests and in the model, so that both always have the same value. Any other parameter, such as a text or a bound of
RANDOM, keeps the value it had when the files were written."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic, PolicyError, option_text
from acompass.language.program.constants import ParamValue
from acompass.language.text.tokens import policy_line
from acompass.plan.run.statements import TABLE, AssertedRequirement, FailingRows
from acompass.policy import Policy

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
    def _arguments(self) -> str:
        return ", ".join(f"'{part}'" for part in self.parts)

    @property
    def jinja(self) -> str:
        return f"{{{{ {self.call}({self._arguments}) }}}}"

    @property
    def python(self) -> str:
        return f"dbt.{self.call}({self._arguments})"

    @property
    def name(self) -> str:
        """The name as an identifier."""
        return re.sub("[^A-Za-z0-9_]", "_", "_".join(self.parts))


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
        raise _invalid(
            f"the released model cannot be `{name}` itself", f"`{option_text('released', f'{name}_released')}`"
        )
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
        at, name = len(found), f"{prefix}_{re.sub('[^A-Za-z0-9]', '_', parameter)}"
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
    again = [FailingRows(rows.reading, rows.query.replace(variable.mark, str(variable.value))) for rows in lowered]
    return occurs and again == list(plain)


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


_ABOUT = "edit the policy, not this file, and generate it again"
_PRIVATE = "a row has the number of failing records, and no record value"
_SHOWN = "--show-records: the rows are personal data, and so is the table of `dbt test --store-failures`"


@dataclass(frozen=True, slots=True)
class CommonParts:
    """The parts that all tests of a call share."""

    policy: str  # its text
    mark: Mark
    relation: Relation
    variables: Sequence[Variable]
    shows_records: bool


def assertion_text(common: CommonParts, asserted: AssertedRequirement, rows: FailingRows) -> str:
    requirement = asserted.requirement
    place = requirement.assertion.span
    text = requirement.text if place is None else common.policy[place.start : place.end]
    return _text(common, f"line {requirement.line}: {policy_line(text)}", rows)


def columns_text(common: CommonParts, rows: FailingRows) -> str:
    return _text(common, "the policy's columns have no missing values, and values of these types", rows)


def names_by_line(prefix: str, tests: Sequence[AssertedRequirement]) -> Iterator[str]:
    """Name tests by their lines; from the second test of a line on, add a number."""
    seen: dict[int, int] = {}
    for asserted in tests:
        line = asserted.requirement.line
        seen[line] = seen.get(line, 0) + 1
        yield f"{prefix}_line_{line}" + (f"_{seen[line]}" if seen[line] > 1 else "")


def _text(common: CommonParts, about: str, rows: FailingRows) -> str:
    used = [each for each in common.variables if each.mark in rows.query]
    query = escape_jinja(rows.query)
    for variable in used:
        query = query.replace(variable.mark, f"{{{{ {variable.local} }}}}")
    lines = (about, _SHOWN if common.shows_records else _PRIVATE)
    return (
        common.mark.line("--")
        + f"-- {_ABOUT}\n"
        + "".join(f"-- {escape_jinja(line)}\n" for line in lines)
        + "".join(each.declaration for each in used)
        + f"WITH {TABLE} AS (\n{escape_jinja(rows.reading)}\nFROM {common.relation.jinja}\n)\n"
        + f"{query}\n"
    )


_OPENING = re.compile(r"\{(?=[{%#])")


def escape_jinja(text: str) -> str:
    """Escape each brace that could open an expression, a statement or a comment, by an expression that renders it."""
    return _OPENING.sub("{{ '{' }}", text)


#: the key of the variables' values in the model's properties
META = "acompass"

_MODEL = """\
# Edit the policy, not this file, and generate it again. The policy's text and hierarchies are embedded, so that this
# model and the tests have the same version. RANDOM's secret seed is in the environment variable ACOMPASS_SEED, the
# secret key of PSEUDONYM and SHIFT in ACOMPASS_KEY.
from decimal import Decimal  # noqa: F401

from acompass.dbt import release

NAME = {name}
POLICY = {policy}
HIERARCHIES = {hierarchies}
PARAMS = {params}
READING = {reading}


def model(dbt, session):
    dbt.config(materialized="table")
    params = {set_params}
    return release({model}, POLICY, NAME, HIERARCHIES, params, READING)
"""


def model_text(
    mark: Mark,
    model: Relation,
    variables: Sequence[Variable],
    policy: Policy,
    hierarchies: Mapping[str, str],
    params: Mapping[str, ParamValue],
    reading: Mapping[str, Any],
) -> str:
    """`hierarchies` are texts by file name, `reading` the arguments of `acompass.run`."""
    lines = "".join(f"    {_literal(line)}\n" for line in policy.text.splitlines(keepends=True))
    return mark.line("#") + _MODEL.format(
        name=_literal(Path(policy.name).name),
        policy=f"(\n{lines})",
        hierarchies=_literal(dict(hierarchies)),
        params=_literal(dict(params)),
        reading=_literal(dict(reading)),
        set_params=f'PARAMS | dbt.config.get("meta")["{META}"]' if variables else "PARAMS",
        model=model.python,
    )


def properties_text(mark: Mark, released: str, variables: Sequence[Variable]) -> str:
    """All names are identifiers or words of a policy, without special characters of Jinja."""
    description = f'"The table that the policy {mark.policy} releases."'
    lines = ["version: 2", "models:", f"  - name: {released}", f"    description: {description}"]
    if variables:
        lines += ["    config:", "      meta:", f"        {META}:"]
        lines += [
            f"          {json.dumps(each.parameter)}: \"{{{{ var('{each.name}', {each.value}) }}}}\""
            for each in variables
        ]
    return mark.line("#") + "\n".join(lines) + "\n"


def _literal(value: Any) -> str:
    """Write a value as Python source. Strings have no braces: dbt renders Python models as templates, and rejects Jinja
    in them."""
    if isinstance(value, str):
        return ascii(value).replace("{", r"\x7b")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "(" + "".join(f"{_literal(each)}, " for each in value) + ")"
    return repr(value)
