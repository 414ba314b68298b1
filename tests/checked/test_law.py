"""The law of the check: whatever passes compares every column with a value of its own type."""

import datetime
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from acompass.checked import program as checked
from acompass.checked.convert import convert
from acompass.checked.from_syntax import check
from acompass.checked.parameters import ParamValue
from acompass.checked.program import seen_schema
from acompass.checked.types import Kind, Schema, Type, Value
from acompass.diagnostics import Span
from acompass.syntax import tree
from tests.checked.policies import TYPED

PLACE = Span(0, 1)

#: a value that a column of each kind may hold
SAMPLES: dict[Kind, Value] = {
    Kind.INTEGER: -3,
    Kind.DECIMAL: Decimal("1.5"),
    Kind.FLOAT: 0.25,
    Kind.TEXT: "a",
    Kind.BOOLEAN: True,
    Kind.DATE: datetime.date(2024, 1, 31),
    Kind.TIMESTAMP: datetime.datetime(2024, 1, 31, 12),
}
CLASSES: dict[Kind, tuple[type, ...]] = {
    Kind.INTEGER: (int, Decimal),
    Kind.DECIMAL: (Decimal,),
    Kind.FLOAT: (float,),
    Kind.TEXT: (str,),
    Kind.BOOLEAN: (bool,),
    Kind.DATE: (datetime.date,),
    Kind.TIMESTAMP: (datetime.datetime,),
}

# Mostly the columns of the table, sometimes a name of another case, of an aggregate, or of nothing.
names = st.sampled_from(
    ["Whole", "Exact", "Real", "Word", "Flag", "Day", "Moment"] * 3 + ["whole", "C", "Blob", "?"]
)
numbers = st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**21), max_value=10**21)
integers = st.integers(-(2**64), 2**64).map(Decimal)
texts = st.sampled_from(["", "a", "5", "true", "false", "2024-02-29", "2024-02-29 10:00", "2023-02-29"])
name_nodes = names.map(lambda text: tree.Name(text, PLACE))
number_nodes = (numbers | integers).map(lambda value: tree.Number(value, PLACE))
parameters = st.sampled_from(["k", "l"]).map(lambda name: tree.Parameter(name, PLACE))
constants = number_nodes | texts.map(lambda text: tree.String(text, PLACE)) | parameters
bounds = st.integers(-9, 9).map(lambda value: tree.Number(Decimal(value), PLACE)) | parameters
comparisons = st.builds(
    tree.Comparison, name_nodes, st.sampled_from(tree.Operator), constants, span=st.just(PLACE)
)
conditions = st.recursive(
    comparisons,
    lambda inner: (
        st.builds(tree.Not, inner, span=st.just(PLACE))
        | st.builds(tree.And, st.tuples(inner, inner), span=st.just(PLACE))
        | st.builds(tree.Or, st.tuples(inner, inner), span=st.just(PLACE))
    ),
    max_leaves=3,
)
aggregates = st.builds(
    tree.Aggregate,
    st.sampled_from([function for function in tree.Function if function is not tree.Function.COUNT]),
    name_nodes,
    span=st.just(PLACE),
) | st.just(tree.Aggregate(tree.Function.COUNT, None, PLACE))
results = (
    st.just(tree.Everything(PLACE))
    | st.builds(tree.Filter, conditions, span=st.just(PLACE))
    | st.builds(
        tree.Process,
        aggregates,
        st.just(tree.Name("C", PLACE)),
        st.none() | conditions,
        st.lists(name_nodes, max_size=2).map(tuple),
        span=st.just(PLACE),
    )
)
assertions = st.builds(
    tree.Assertion, st.sampled_from(tree.Quantifier), results, conditions, span=st.just(PLACE)
)
actions = (
    st.just(tree.Reject(PLACE))
    | st.builds(tree.Replace, name_nodes, constants, span=st.just(PLACE))
    | st.builds(tree.Random, name_nodes, bounds, bounds, span=st.just(PLACE))
)
requirements = st.builds(tree.Requirement, assertions, st.none() | actions, span=st.just(PLACE))
values: st.SearchStrategy[ParamValue] = st.integers(-9, 9) | texts | st.floats() | st.booleans()


def sound_part(
    policy: list[tree.Requirement], params: dict[str, ParamValue]
) -> tuple[tuple[tree.Requirement, ...], checked.Program]:
    """The requirements that check when each follows the sound ones before it: seldom an empty policy."""
    kept: tuple[tree.Requirement, ...] = ()
    program, _ = check(tree.Program((), (), PLACE), "", TYPED)
    assert program is not None
    for requirement in policy:
        extended = tree.Program((*kept, requirement), (), PLACE)
        longer, found = check(extended, "", TYPED, params)
        unused = [finding for finding in found if finding.code == "AC107"]
        if found and len(unused) == len(found):
            used = {name: value for name, value in params.items() if f"`{name}`" not in str(unused)}
            longer, _ = check(extended, "", TYPED, used)
        if longer is not None:
            kept, program = extended.requirements, longer
    return kept, program


def compares_with_its_own(condition: checked.Condition, schema: Schema) -> bool:
    match condition:
        case checked.Comparison(column, _, value):
            kind = schema[column].type.kind
            return type(value) in CLASSES[kind] and (SAMPLES[kind] < value or SAMPLES[kind] >= value)
        case checked.Not(operand):
            return compares_with_its_own(operand, schema)
        case checked.And(operands) | checked.Or(operands):
            return all(compares_with_its_own(operand, schema) for operand in operands)


def conditions_of(requirement: checked.Requirement) -> list[tuple[checked.Condition, Schema]]:
    found = [(requirement.assertion.condition, seen_schema(requirement))]
    match requirement.assertion.result:
        case checked.Filter(condition):
            found.append((condition, requirement.before))
        case checked.Process(where=where) if where is not None:
            found.append((where, requirement.before))
    return found


def stores_its_own(action: checked.Action | None, after: Schema) -> bool:
    if not isinstance(action, checked.Replace):
        return True
    type_: Type = after[action.column].type
    if type_.kind is Kind.DECIMAL:
        return isinstance(action.value, Decimal) and -action.value.as_tuple().exponent == type_.scale
    return type(action.value) is CLASSES[type_.kind][0]


@settings(max_examples=200, deadline=None)
@given(st.lists(requirements, max_size=6), st.dictionaries(st.sampled_from(["k", "l"]), values))
def test_what_checks_compares_and_stores_values_of_the_columns_types(
    policy: list[tree.Requirement], params: dict[str, ParamValue]
) -> None:
    kept, program = sound_part(policy, params)
    before = program.schema
    assert len(program.requirements) == len(kept)
    for requirement in program.requirements:
        assert requirement.before == before
        for condition, schema in conditions_of(requirement):
            assert compares_with_its_own(condition, schema)
        assert stores_its_own(requirement.action, requirement.after)
        for old, new in zip(requirement.before, requirement.after, strict=True):
            if old != new:
                convert(SAMPLES[old.type.kind], old.type, new.type)
        before = requirement.after


@settings(max_examples=200, deadline=None)
@given(st.lists(requirements, max_size=6), st.dictionaries(st.sampled_from(["k", "l"]), values))
def test_a_policy_checks_or_says_why_not(
    policy: list[tree.Requirement], params: dict[str, ParamValue]
) -> None:
    program, found = check(tree.Program(tuple(policy), (), PLACE), "", TYPED, params)
    assert (program is None) == bool(found)
