"""The law of the check: a checked program compares every column with values of its own type."""

import datetime
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from acompass.errors.diagnostics import Span
from acompass.language.program import program as checked
from acompass.language.program.checker import check
from acompass.language.program.constants import ParamValue
from acompass.language.program.effects import write_of
from acompass.language.program.kernels import Constant
from acompass.language.program.types import Kind, Schema, Value, convert
from acompass.language.text import tree
from acompass.language.text.walk import steps
from tests.length import at_length
from tests.program.policies import TYPED

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

numbers = st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**21), max_value=10**21)
integers = st.integers(-(2**64), 2**64).map(Decimal)
number_nodes = (numbers | integers).map(lambda value: tree.Number(value, PLACE))
parameters = st.sampled_from(["k", "l"]).map(lambda name: tree.Parameter(name, PLACE))


def text_nodes(*texts: str) -> st.SearchStrategy[tree.String]:
    return st.sampled_from(texts).map(lambda text: tree.String(text, PLACE))


#: constants that fit each column; one name is in another case
FITTING: dict[str, st.SearchStrategy[tree.Constant]] = {
    "Whole": number_nodes,
    "WHOLE": number_nodes,
    "Exact": number_nodes,
    "Real": number_nodes,
    "Word": text_nodes("", "a", "5", "\U0001f600"),
    "Flag": text_nodes("true", "false"),
    "Day": text_nodes("2024-02-29", "0001-01-01"),
    "Moment": text_nodes("2024-02-29", "2024-02-29 10:00"),
}
any_constant = st.one_of(*FITTING.values(), parameters, text_nodes("2023-02-29", "True"))
any_name = st.sampled_from([*FITTING, "Blob", "nothing"])
bounds = st.integers(-9, 9).map(lambda value: tree.Number(Decimal(value), PLACE)) | parameters
name_nodes = any_name.map(lambda text: tree.Name(text, PLACE))


@st.composite
def comparisons(draw: st.DrawFn, names: st.SearchStrategy[str]) -> tree.Comparison:
    """Mostly a constant of the column's type in the input table."""
    name = draw(names)
    fits = draw(st.integers(0, 5)) > 0
    constant = draw(FITTING.get(name, number_nodes) if fits else any_constant)
    operator = draw(st.sampled_from(tree.Operator))
    return tree.Comparison(tree.Name(name, PLACE), operator, constant, PLACE)


@st.composite
def lists(draw: st.DrawFn, names: st.SearchStrategy[str]) -> tree.Condition:
    """Conditions beyond the paper, mostly with constants of the column's type."""
    name = draw(names)
    constants = draw(st.lists(FITTING.get(name, any_constant), min_size=2, max_size=2))
    node, negated = tree.Name(name, PLACE), draw(st.booleans())
    return draw(
        st.sampled_from(
            [
                tree.In(node, tuple(constants), negated, PLACE),
                tree.Between(node, constants[0], constants[1], negated, PLACE),
                tree.Unequal(node, tree.Inequality.C, constants[0], PLACE),
                tree.Like(node, tree.String("a%", PLACE), negated, PLACE),
            ]
        )
    )


def conditions(names: st.SearchStrategy[str]) -> st.SearchStrategy[tree.Condition]:
    return st.recursive(
        comparisons(names) | lists(names),
        lambda inner: (
            st.builds(tree.Not, inner, span=st.just(PLACE))
            | st.builds(tree.And, st.tuples(inner, inner), span=st.just(PLACE))
            | st.builds(tree.Or, st.tuples(inner, inner), span=st.just(PLACE))
        ),
        max_leaves=3,
    )


of_table = conditions(st.sampled_from(list(FITTING)) | any_name)
_WITHOUT_NUMBER = sorted(set(tree.Function) - {tree.Function.COUNT, tree.Function.SHARE_OF_LARGEST})
aggregates = (
    st.builds(tree.Aggregate, st.sampled_from(_WITHOUT_NUMBER), name_nodes, span=st.just(PLACE))
    | st.just(tree.Aggregate(tree.Function.COUNT, None, PLACE))
    | st.builds(tree.Aggregate, st.just(tree.Function.SHARE_OF_LARGEST), name_nodes, st.just(PLACE), bounds)
    | st.just(tree.Aggregate(tree.Function.COUNT, None, PLACE, file=tree.String("nowhere.csv", PLACE)))
)


@st.composite
def processes(draw: st.DrawFn) -> tree.Assertion:
    """A condition after PROCESS, mostly over columns that it sees."""
    groups = draw(st.lists(st.sampled_from(list(FITTING)), max_size=2, unique=True))
    alias = tree.Name("C", PLACE)
    where = draw(st.none() | of_table)
    grouped = tuple(tree.Name(group, PLACE) for group in groups)
    others = draw(st.sampled_from([(), (tree.NamedAggregate(draw(aggregates), tree.Name("D", PLACE)),)]))
    process = tree.Process(draw(aggregates), alias, where, grouped, others, PLACE)
    condition = draw(conditions(st.sampled_from(["C", *("D" for _ in others), *groups])))
    return tree.Assertion(draw(st.sampled_from(tree.Quantifier)), process, condition, PLACE)


whole_records = st.just(tree.Result(PLACE)) | st.builds(tree.Filter, of_table, span=st.just(PLACE))
assertions = processes() | st.builds(
    tree.Assertion, st.sampled_from(tree.Quantifier), whole_records, of_table, span=st.just(PLACE)
)
maps = st.sampled_from(
    [
        tree.BandsOf(tree.Number(Decimal(5), PLACE), None, tree.Number(Decimal(90), PLACE), PLACE),
        tree.BandsOf(tree.Number(Decimal(10), PLACE), span=PLACE),
        tree.BandsOf(tree.Number(Decimal("0.5"), PLACE), span=PLACE),
        tree.BandsAt((tree.Number(Decimal(3), PLACE), tree.Number(Decimal(2), PLACE)), PLACE),
        tree.PrefixOf(tree.Number(Decimal(2), PLACE), PLACE),
        tree.PrefixOf(tree.Number(Decimal(0), PLACE), PLACE),
        *(tree.DatePart(unit, PLACE) for unit in tree.DateUnit),
        tree.LevelOf(tree.Number(Decimal(1), PLACE), tree.String("nowhere.csv", PLACE), None, PLACE),
        *(tree.Nearest(tree.Number(Decimal(number), PLACE), PLACE) for number in ("5", "15", "0.5", "0")),
    ]
)
actions = (
    st.just(tree.Reject(PLACE))
    | st.builds(tree.Replace, name_nodes, any_constant, span=st.just(PLACE))
    | st.builds(tree.Random, name_nodes, bounds, bounds, span=st.just(PLACE))
    | st.builds(tree.Generalize, name_nodes, maps, span=st.just(PLACE))
    | st.builds(tree.Pseudonym, name_nodes, st.just(PLACE))
    | st.builds(tree.Shift, st.lists(name_nodes, min_size=1, max_size=2).map(tuple), name_nodes, bounds, st.just(PLACE))
    | st.builds(tree.AddRandom, bounds, bounds, name_nodes, st.just(PLACE))
    | st.builds(tree.Microaggregate, name_nodes, bounds, st.just(PLACE))
)
drops = st.builds(tree.Drop, st.lists(name_nodes, min_size=1, max_size=2).map(tuple), span=st.just(PLACE))
cascades = st.builds(tree.Then, st.tuples(actions, actions | drops), span=st.just(PLACE))
requirements = st.builds(tree.Requirement, assertions, st.none() | actions | cascades, span=st.just(PLACE)) | st.builds(
    tree.Requirement, st.just(tree.Always(PLACE)), actions | drops | cascades, span=st.just(PLACE)
)
values: st.SearchStrategy[ParamValue] = st.integers(-9, 9) | st.text(max_size=3) | st.floats() | st.booleans()


def sound_part(
    policy: list[tree.Requirement], params: dict[str, ParamValue]
) -> tuple[tuple[tree.Requirement, ...], checked.Program]:
    """Keep each requirement that checks after the ones already kept, so that few policies are empty."""
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


def typed_conditions(requirement: checked.Requirement) -> list[tuple[checked.Condition, Schema]]:
    found = [(requirement.assertion.condition, requirement.assertion.schema)]
    match requirement.assertion.result:
        case checked.Filter(condition):
            found.append((condition, requirement.before))
        case checked.Process(where=where) if where is not None:
            found.append((where, requirement.before))
    return found


def stores_its_own(action: checked.Action | None, after: Schema) -> bool:
    write = write_of(action)
    if write is None or not isinstance(write.kernel, Constant):
        return True
    value, type_ = write.kernel.value, after[write.column].type
    if type_.kind is Kind.DECIMAL:
        return isinstance(value, Decimal) and -value.as_tuple().exponent == type_.scale
    return type(value) is CLASSES[type_.kind][0]


@settings(max_examples=at_length(30))
@given(st.lists(requirements, max_size=4), st.dictionaries(st.sampled_from(["k", "l"]), values))
def test_a_checked_program_compares_and_stores_values_of_the_columns_types(
    policy: list[tree.Requirement], params: dict[str, ParamValue]
) -> None:
    kept, program = sound_part(policy, params)
    before = program.schema
    assert len(program.requirements) == len(steps(tree.Program(kept)))
    for requirement in program.requirements:
        assert requirement.before == before
        for condition, schema in typed_conditions(requirement):
            assert compares_with_its_own(condition, schema)
        assert stores_its_own(requirement.action, requirement.after)
        for old, new in zip(requirement.before, requirement.after, strict=True):
            if old != new and new.type.kind is not Kind.DROPPED:
                convert(SAMPLES[old.type.kind], old.type, new.type)
        before = requirement.after


@settings(max_examples=at_length(30))
@given(st.lists(requirements, max_size=4), st.dictionaries(st.sampled_from(["k", "l"]), values))
def test_a_policy_checks_or_says_why_not(policy: list[tree.Requirement], params: dict[str, ParamValue]) -> None:
    program, found = check(tree.Program(tuple(policy), (), PLACE), "", TYPED, params)
    assert (program is None) == bool(found)
