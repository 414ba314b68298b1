"""Encodes a checked program, its types, constants and conditions for a certificate.

The program has the syntax of theory/paper/Syntax.v; types are only as exact as the checker supports.
"""

import datetime
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias, assert_never

from acompass.language.program import program as p
from acompass.language.program.effects import is_certain, kernel_of, process_in, type_changes, write_of
from acompass.language.program.kernels import (
    AddRandom,
    Constant,
    Kernel,
    Labels,
    Microaggregate,
    Nearest,
    Pseudonym,
    Shift,
    Uniform,
    Weighted,
)
from acompass.language.program.types import Kind, Type, Value
from acompass.language.text.tree import Function, Quantifier
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram, Variable
from acompass.prove.diagrams.regions import Mask
from acompass.prove.diagrams.variables import Variables
from acompass.prove.search.verdicts import decimal_text

#: a value that `json` can write
Json: TypeAlias = Any

#: the position of the aggregate in a condition on the key and the aggregate of a class
COUNT = "count"
EVERYTHING: Json = ["and"]
NOTHING: Json = ["or"]

#: the most comparisons in one condition: a diagram shares what a condition repeats
LARGEST = 3_000

#: None for functions that the checker does not know
_FUNCTIONS = {
    Function.COUNT: "count",
    Function.SUM: "sum",
    Function.MIN: "min",
    Function.MAX: "max",
    Function.COUNT_DISTINCT: "distinct",
    Function.SHARE_OF_LARGEST: None,
    Function.SHARE_OF_MODE: None,
}
_DIGITS = str.maketrans("", "", "-:.T")
#: what `is_control` of theory/checker/json.ml refuses: an auditor could not see it in what the checker prints
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)

_Positions: TypeAlias = Callable[[Variable], int | str]


class NotCertified(Exception):
    """The checker has no rule for a step of the proof."""


def require_known(program: p.Program, *claims: p.Assertion) -> None:
    """Raise NotCertified if the checker does not know an action or an aggregate."""
    for requirement in program.requirements:
        kernel = kernel_of(requirement.action)
        if kernel is not None and kernel.reads_value and kernel.label_map() is None:
            word = kernel.keyword if kernel.rounding() is None else "NEAREST"
            raise NotCertified(f"the checker does not know {word}")
    assertions = (*(requirement.assertion for requirement in program.requirements), *claims)
    for aggregate in (each for one in map(process_in, assertions) if one is not None for each in one.aggregates):
        if aggregate.reference is not None or _FUNCTIONS[aggregate.function] is None:
            raise NotCertified("the checker knows neither SHARE nor reference tables")


def is_known(program: p.Program) -> bool:
    try:
        require_known(program)
    except NotCertified:
        return False
    return True


def require_visible(content: Json) -> None:
    """Raise NotCertified if a text of the content has a control character."""
    match content:
        case str():
            if _CONTROL.search(content):
                raise NotCertified("a column name or a constant has a control character")
        case dict():
            require_visible(list(content.values()))
        case list():
            for each in content:
                require_visible(each)


def encode_requirement(each: p.Requirement) -> Json:
    return {
        "assertion": encode_assertion(each.assertion),
        "types": [[column, encode_conversion(after)] for column, (_, after) in type_changes(each).items()],
        "action": _encode_action(each.action, each),
    }


def encode_conversion(type_: Type) -> Json:
    """How the fields of a column change when it gets this type (D12, retyping)."""
    match type_.kind:
        case Kind.TEXT | Kind.FLOAT | Kind.DROPPED:
            return str(type_.kind)
        case Kind.DECIMAL:
            return "spelled" if type_.spelled else ["decimal", type_.scale]
        case Kind.INTEGER | Kind.BOOLEAN | Kind.DATE | Kind.TIMESTAMP | Kind.SHARE | Kind.OPAQUE:
            return "unchanged"
        case _:
            assert_never(type_.kind)


def encode_assertion(each: p.Assertion) -> Json:
    quantifier = "each" if each.quantifier is Quantifier.EACH else "some"
    return [quantifier, _encode_result(each.result), encode_condition(each.condition)]


def _encode_result(each: p.ResultForm) -> Json:
    match each:
        case p.Result():
            return "result"
        case p.Filter(phi):
            return ["filter", encode_condition(phi)]
        case p.Process(aggregates, where, group_by):
            psi = None if where is None else encode_condition(where)
            return ["process", [encode_function(one.function, one.column) for one in aggregates], psi, list(group_by)]
        case _:
            assert_never(each)


def encode_function(name: Function, column: int | None) -> Json:
    function = _FUNCTIONS[name]
    assert function is not None, "`require_known` came before"
    return function if column is None else [function, column]


def encode_condition(each: p.Condition) -> Json:
    match each:
        case p.Comparison(column, operator, value):
            return [operator.value, column, encode_constant(value)]
        case p.Not(operand):
            return ["not", encode_condition(operand)]
        case p.And(operands):
            return ["and", *(encode_condition(operand) for operand in operands)]
        case p.Or(operands):
            return ["or", *(encode_condition(operand) for operand in operands)]
        case _:
            assert_never(each)


def _encode_action(each: p.Action | None, of: p.Requirement) -> Json:
    if each is None:
        return None
    encoded = _encode_effect(each.effect, of)
    fraction = [each.probability.numerator, each.probability.denominator]
    return encoded if is_certain(each) else ["probably", fraction, encoded]


def _encode_effect(each: p.Effect, of: p.Requirement) -> Json:
    match each:
        case p.Remove():
            return "reject"
        case p.Write(_, kernel):
            return _encode_write(each.column, kernel, of.after[each.column].type)
        case p.Project(columns):
            return ["drop", list(columns)]
        case _:
            assert_never(each)


def _encode_write(column: int, kernel: Kernel, type_: Type) -> Json:
    match kernel:
        case Constant(value):
            return ["replace", column, encode_constant(value)]
        case Uniform(lower, upper):
            return ["random", column, encode_conversion(type_), lower, upper]
        case Weighted(values):
            return ["from", column, [[each.weight, encode_constant(each.value)] for each in values]]
        case Labels(map_):
            # the checker needs no labels, but must know that BANDS reads every text of a number as that number
            return ["generalize", column, "bands" if map_.of_numbers else "any"]
        case Nearest() | Pseudonym() | Shift() | Microaggregate() | AddRandom():
            raise AssertionError("the checker does not know it")
        case _:
            assert_never(kernel)


class Conditions:
    """Encodes diagrams as conditions."""

    def __init__(self, variables: Variables):
        self._variables = variables

    def of_records(self, diagram: Diagram) -> Json:
        return self._encode(diagram, self._variables.column_of)

    def of_classes(self, diagram: Diagram, aggregate: Variable) -> Json:

        def position(variable: Variable) -> int | str:
            return COUNT if variable == aggregate else self._variables.column_of(variable)

        return self._encode(diagram, position)

    def _encode(self, diagram: Diagram, position: _Positions) -> Json:
        if _comparison_count(diagram, {}) > LARGEST:
            raise NotCertified("a condition of the proof is too large")
        return self._encode_diagram(diagram, position)

    def _encode_diagram(self, diagram: Diagram, position: _Positions) -> Json:
        if diagram is ALL:
            return EVERYTHING
        if diagram is EMPTY:
            return NOTHING
        return _disjunction(self._encode_edge(diagram.variable, mask, child, position) for mask, child in diagram.edges)

    def _encode_edge(self, variable: Variable, mask: Mask, child: Diagram, position: _Positions) -> Json:
        literal = self.encode_literal(variable, mask, position(variable))
        if child is ALL:
            return literal
        below = self._encode_diagram(child, position)
        return below if literal == EVERYTHING else ["and", literal, below]

    def encode_literal(self, variable: Variable, mask: Mask, position: int | str) -> Json:
        """The condition that the variable's value is in a region of the mask."""
        return _disjunction(
            self._encode_between(variable, first, last, position) for first, last in self._runs(variable, mask)
        )

    def _runs(self, variable: Variable, mask: Mask) -> Iterator[tuple[int, int]]:
        """The regions of the mask as runs of adjacent regions. Regions without values do not separate runs."""
        full = self._variables.regions(variable).full
        run: list[int] = []
        for region in range(full.bit_length()):
            if mask >> region & 1:
                run.append(region)
            elif full >> region & 1 and run:
                yield run[0], run[-1]
                run = []
        if run:
            yield run[0], run[-1]

    def _encode_between(self, variable: Variable, first: int, last: int, position: int | str) -> Json:
        full = self._variables.regions(variable).full
        if first == last and first % 2:
            return ["=", position, self._encode_cut(variable, first // 2)]
        bounds = []
        if full & ((1 << first) - 1):
            low = first // 2 if first % 2 else first // 2 - 1
            bounds.append([">=" if first % 2 else ">", position, self._encode_cut(variable, low)])
        if full >> (last + 1):
            bounds.append(["<=" if last % 2 else "<", position, self._encode_cut(variable, last // 2)])
        return bounds[0] if len(bounds) == 1 else ["and", *bounds]

    def _encode_cut(self, variable: Variable, at: int) -> Json:
        regions, type_ = self._variables.regions(variable), self._variables.type(variable)
        if type_.kind in (Kind.INTEGER, Kind.DECIMAL):
            # a constant of the policy may lie between two values of the type
            return encode_number(Fraction(regions.cuts[at]) / 10**type_.scale)
        return encode_constant(regions.constant(2 * at + 1))


def _disjunction(conditions: Iterator[Json]) -> Json:
    found = list(conditions)
    return found[0] if len(found) == 1 else ["or", *found]


def _comparison_count(diagram: Diagram, memo: dict[Diagram, int]) -> int:
    """The number of edges of the diagram, counted without sharing."""
    if diagram not in memo:
        memo[diagram] = sum(1 + _comparison_count(child, memo) for _, child in diagram.edges)
    return memo[diagram]


def step_types(program: p.Program, any_scale: frozenset[int]) -> list[list[Json]]:
    steps = [[_encode_type(column.type, at in any_scale) for at, column in enumerate(program.schema)]]
    for requirement in program.requirements:
        steps.append(_types_after(requirement, steps[-1]))
    return steps


def _encode_type(type_: Type, has_any_scale: bool) -> Json:
    match type_.kind:
        case Kind.DECIMAL if has_any_scale:
            return "number"
        case Kind.DECIMAL:
            return ["spelled" if type_.spelled else "decimal", type_.scale]
        case Kind.SHARE | Kind.OPAQUE | Kind.DROPPED:
            return None
        case _:
            return str(type_.kind)


def has_one_text(type_: Json) -> bool:
    """Whether equal values of the type have the same text."""
    return type_[0] == "decimal" if isinstance(type_, list) else type_ not in (None, "number", "float")


def _types_after(requirement: p.Requirement, before: Sequence[Json]) -> list[Json]:
    types = list(before)
    for column, (_, after) in type_changes(requirement).items():
        types[column] = _convert_type(before[column], after)
    write = write_of(requirement.action)
    if write is not None:
        types[write.column] = _type_with_written(types[write.column], write.kernel)
    return types


def _type_with_written(type_: Json, kernel: Kernel) -> Json:
    match kernel:
        case Uniform():
            return _with_integers(type_)
        case Constant() | Weighted():
            return _with_values(type_, kernel.listed_values())
        case Labels():
            return type_
        case Nearest() | Pseudonym() | Shift() | Microaggregate() | AddRandom():
            raise AssertionError("the checker does not know it")
        case _:
            assert_never(kernel)


def _convert_type(before: Json, after: Type) -> Json:
    match after.kind:
        case Kind.TEXT:
            return None if before is None else "text"
        case Kind.DECIMAL:
            return "number"
        case _:
            return None


def _with_integers(type_: Json) -> Json:
    return "number" if isinstance(type_, list) else None if type_ == "float" else type_


def _with_values(type_: Json, values: Sequence[Value]) -> Json:
    """The type after writing the values: a value of another scale makes it a number of any scale."""
    if not isinstance(type_, list) or all(_is_of_scale(value, type_[1]) for value in values):
        return type_
    return "number"


def _is_of_scale(value: Value, scale: int) -> bool:
    """Whether the value belongs to the decimal type of this scale, which has no negative zero."""
    text = f"{value:f}"
    return len(text.partition(".")[2]) == scale and not (value == 0 and text.startswith("-"))


def encode_constant(value: Any) -> Json:
    match value:
        case bool():
            return {"boolean": value}
        case int():
            return {"integer": str(value)}
        case Decimal():
            return {"decimal": f"{value:f}"}
        case float():
            (bits,) = struct.unpack(">Q", struct.pack(">d", value))
            return {"float": ["-" if bits >> 63 else "+", str(bits & (2**63 - 1))]}
        case str():
            return {"text": value}
        case datetime.datetime():
            return {"timestamp": value.isoformat(timespec="microseconds").translate(_DIGITS)}
        case datetime.date():
            return {"date": value.isoformat().translate(_DIGITS)}
        case _:
            raise AssertionError(f"not a constant: {type(value)}")


def encode_number(number: Fraction) -> Json:
    """A number with a finite decimal expansion."""
    if number.denominator == 1:
        return {"integer": str(number.numerator)}
    return {"decimal": f"{'-' if number < 0 else ''}{decimal_text(abs(number))}"}
