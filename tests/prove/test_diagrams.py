"""Decision diagrams compared with sets of tuples, regions of values, and images under actions and maps."""

import datetime
import itertools
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acompass.language.program.checker import check
from acompass.language.program.effects import map_of
from acompass.language.program.kernels import Labels
from acompass.language.program.program import Program
from acompass.language.program.types import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    TEXT,
    TIMESTAMP,
    Column,
    Type,
    Value,
    convert,
    decimal,
    make_schema,
    to_text,
)
from acompass.language.text.parser import parse_text
from acompass.language.text.tree import Function, Operator
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram, DiagramManager, Variable
from acompass.prove.diagrams.images import image, image_of_random
from acompass.prove.diagrams.regions import INFINITE, Mask, Regions, mask_of, regions_in, value_order
from acompass.prove.diagrams.variables import Variables, column_order
from acompass.prove.proof import Budget
from acompass.prove.rules.facts import clauses
from acompass.prove.search.prover import Prover
from acompass.semantics.values import compare
from tests.generators.strategies import parse_and_check
from tests.length import at_length
from tests.programs import quote
from tests.prove.replaying import run_or_none

FULL = [0b1011, 0b111, 0b11]
EVERY = frozenset(product(*(tuple(regions_in(mask)) for mask in FULL)))

Plain = frozenset[tuple[int, ...]]
plain_sets = st.frozensets(st.sampled_from(sorted(EVERY)))


def build_diagram(diagrams: DiagramManager, cells: Plain) -> Diagram:
    def one(cell: tuple[int, ...]) -> Diagram:
        found = ALL
        for variable, region in enumerate(cell):
            found = diagrams.intersection(found, diagrams.literal(variable, 1 << region))
        return found

    return diagrams.union_of(map(one, sorted(cells)))


def plain(diagrams: DiagramManager, diagram: Diagram) -> Plain:
    found: set[tuple[int, ...]] = set()
    for box in boxes(diagram):
        masks = [box.get(variable, diagrams.full[variable]) for variable in range(len(FULL))]
        found.update(product(*(tuple(regions_in(mask)) for mask in masks)))
    return frozenset(found)


def boxes(diagram: Diagram) -> Iterator[dict[Variable, Mask]]:
    """The paths to ALL, each as the masks of the variables that it tests."""
    if diagram is ALL:
        yield {}
    for mask, child in diagram.edges:
        for rest in boxes(child):
            yield {diagram.variable: mask, **rest}


@given(plain_sets, plain_sets)
def test_operations_are_those_of_sets(one: Plain, other: Plain) -> None:
    diagrams = DiagramManager(FULL)
    left, right = build_diagram(diagrams, one), build_diagram(diagrams, other)
    assert plain(diagrams, left) == one
    assert plain(diagrams, diagrams.intersection(left, right)) == one & other
    assert plain(diagrams, diagrams.union(left, right)) == one | other
    assert plain(diagrams, diagrams.difference(left, right)) == one - other
    assert plain(diagrams, diagrams.complement(left)) == EVERY - one


@given(plain_sets, plain_sets)
def test_equal_sets_are_the_same_object(one: Plain, other: Plain) -> None:
    diagrams = DiagramManager(FULL)
    left, right = build_diagram(diagrams, one), build_diagram(diagrams, other)
    again = diagrams.union(diagrams.difference(left, right), diagrams.intersection(left, right))
    assert again is left
    assert (left is right) == (one == other)


@given(plain_sets, st.integers(0, 2), st.integers(1, 7))
def test_a_variable_is_quantified_and_assigned(cells: Plain, variable: int, mask: int) -> None:
    diagrams = DiagramManager(FULL)
    diagram = build_diagram(diagrams, cells)
    quantified = plain(diagrams, diagrams.exists(diagram, frozenset((variable,))))
    without = {cell[:variable] + cell[variable + 1 :] for cell in cells}
    assert quantified == {cell for cell in EVERY if cell[:variable] + cell[variable + 1 :] in without}
    assigned = plain(diagrams, diagrams.assign(diagram, variable, mask))
    assert assigned == {cell for cell in quantified if mask >> cell[variable] & 1}
    expected = {cell[variable] for cell in cells}
    assert set(regions_in(diagrams.mask_of(diagram, variable))) == expected


@given(plain_sets, st.integers(0, 2))
def test_the_support_has_the_variables_that_make_a_difference(cells: Plain, variable: int) -> None:
    diagrams = DiagramManager(FULL)
    diagram = build_diagram(diagrams, cells)
    is_free = diagrams.exists(diagram, frozenset((variable,))) is diagram
    assert (variable in diagrams.support(diagram)) == (not is_free)


#: for each region of a variable, a mask of the variable that replaces it
images = st.lists(st.integers(0, 3), min_size=4, max_size=4)


@given(plain_sets, st.integers(0, 1), images)
def test_each_region_is_replaced_by_its_image(cells: Plain, variable: int, image: list[Mask]) -> None:
    """By the last variable. The image of a mask is the union of the images of its regions."""
    diagrams = DiagramManager(FULL)
    kept = diagrams.exists(build_diagram(diagrams, cells), frozenset((2,)))
    before = plain(diagrams, kept)

    def replacement(mask: Mask) -> Diagram:
        return diagrams.union_of(diagrams.literal(2, image[region]) for region in regions_in(mask))

    def is_reached(cell: tuple[int, ...]) -> bool:
        return any(_with(cell, variable, r) in before and image[r] >> cell[2] & 1 for r in _regions_of(variable))

    found = plain(diagrams, diagrams.substitute(kept, variable, replacement))
    assert found == set(filter(is_reached, EVERY))


@given(plain_sets, images)
def test_a_replacement_of_the_last_variable_sees_all_its_regions(cells: Plain, image: list[Mask]) -> None:
    """As for variables of aggregates: a lemma about a set of values need not hold for each value."""
    diagrams = DiagramManager(FULL)
    found = diagrams.substitute(build_diagram(diagrams, cells), 2, lambda mask: diagrams.literal(2, image[mask]))
    masks = {cell: sum(1 << r for r in _regions_of(2) if _with(cell, 2, r) in cells) for cell in EVERY}
    expected = {cell for cell, mask in masks.items() if mask and image[mask] >> cell[2] & 1}
    assert plain(diagrams, found) == expected


def _regions_of(variable: Variable) -> list[int]:
    return list(regions_in(FULL[variable]))


def _with(cell: tuple[int, ...], variable: Variable, region: int) -> tuple[int, ...]:
    return (*cell[:variable], region, *cell[variable + 1 :])


def test_the_variables_of_aggregates_come_last() -> None:
    schema = tuple(Column(name, INTEGER) for name in "ABCDEFGHIJKLMNOPQRST")
    pairs = " OR ".join(f"({one} = 1 AND {other} = 1)" for one, other in zip("ABCDEFGHIJ", "KLMNOPQRST", strict=True))
    text = f"EACH RESULT : {pairs} : REJECT; EACH PROCESS SUM(A) AS s GROUP BY B : s < 9 : REJECT;"
    variables = Variables(parse_and_check(text, schema), [])
    columns = [variables.column(0, column) for column in range(len(schema))]
    assert columns != sorted(columns), "the order of the columns has changed"
    assert max(columns) < variables.aggregated_values(1, 0)
    assert max(columns) < min(variables.aggregate(1, each, 0) for each in Function)


CUTS: list[tuple[Type, list[Value]]] = [
    (INTEGER, [3, 4, 9]),
    (INTEGER, [3, Decimal("3.5"), 5]),
    (decimal(1), [Decimal("0.1"), Decimal("0.2"), Decimal("0.25")]),
    (FLOAT, [0.0, 5e-324, 1.0]),
    (TEXT, ["", "a", "a\0", "b"]),
    (TEXT, ["212**", "21200", "21299"]),
    (BOOLEAN, [False, True]),
    (DATE, [datetime.date(1, 1, 1), datetime.date(2000, 2, 29)]),
]


@pytest.mark.parametrize(("type_", "cuts"), CUTS)
def test_values_of_a_region_are_in_it_and_satisfy_its_comparisons(type_: Type, cuts: list[Value]) -> None:
    regions = Regions(value_order(type_), cuts)
    for region in regions_in(regions.full):
        values = regions.values(region, 3)
        assert values
        assert len(set(values)) == len(values)
        assert {regions.region_of(value) for value in values} == {region}
        for value, cut, operator in itertools.product(values, cuts, Operator):
            assert bool(regions.satisfying(operator, cut) >> region & 1) == compare(value, operator, cut)


@pytest.mark.parametrize(
    ("type_", "cuts", "counts"),
    [
        (INTEGER, [3, 4, 9], [INFINITE, 1, 0, 1, 4, 1, INFINITE]),
        (INTEGER, [Decimal("3.5")], [INFINITE, 0, INFINITE]),
        (decimal(1), [0, 1], [INFINITE, 1, 9, 1, INFINITE]),
        (BOOLEAN, [False], [0, 1, 1]),
        (TEXT, [""], [0, 1, INFINITE]),
        (TEXT, ["a", "a\0", "a\0\0\0"], [INFINITE, 1, 0, 1, 1, 1, INFINITE]),
        (FLOAT, [0.0, 5e-324], [2**63 - 2**52, 1, 0, 1, 2**63 - 2**52 - 1]),
    ],
)
def test_a_region_knows_how_many_values_it_has(type_: Type, cuts: list[Value], counts: list[float]) -> None:
    regions = Regions(value_order(type_), cuts)
    assert [regions.cardinality(1 << region) for region in range(len(counts))] == counts
    assert [bool(regions.full >> region & 1) for region in range(len(counts))] == [bool(c) for c in counts]


def test_regions_of_a_mask() -> None:
    for regions in ([], [0], [3], [0, 7, 8, 9, 64, 1_000]):
        assert list(regions_in(mask_of(regions))) == regions
    assert mask_of([9, 2, 2]) == 1 << 9 | 1 << 2


@pytest.mark.parametrize("negated", ["", "NOT "])
def test_constants_of_one_column_cost_one_operation(negated: str) -> None:
    """The diagram of IN is one node, however many constants it has; each operation on their masks is linear."""
    constants = ", ".join(map(str, range(0, 2_000, 2)))
    program = parse_and_check(f"EACH RESULT : Age {negated}IN ({constants}) : REJECT;", make_schema({"Age": INTEGER}))
    variables = Variables(program, (), budget=Budget(3))  # Exhausted is raised by a fourth operation
    found = variables.condition(program.requirements[0].assertion.condition, lambda _: 0)
    ((mask, _),) = found.edges
    assert mask.bit_count() == (1_001 if negated else 1_000)


@pytest.mark.parametrize(
    ("source", "target", "cuts"),
    [
        (INTEGER, TEXT, ["", "-", "-1", "0", "1", "10", "2", "9", "95", "999", "x"]),
        (INTEGER, decimal(2), [Decimal("-1.5"), 0, Decimal("2.25"), 7]),
        (decimal(1), TEXT, ["-0.5", "0", "0.5", "1.", "12", "9.9"]),
        (decimal(1), decimal(2), [Decimal("-0.55"), Decimal("0.1"), Decimal("0.11")]),
        (DATE, TEXT, ["1999-12-31", "2000", "2000-01-02x", "3"]),
    ],
)
def test_the_image_of_a_region_has_the_images_of_its_values(source: Type, target: Type, cuts: list[Value]) -> None:
    """The window of values is wide enough to reach every region that any value reaches."""
    before = Regions(value_order(source), [value_order(source).value(rank) for rank in _window(source, 3)])
    after = Regions(value_order(target), cuts)
    reached = [0] * (len(bin(before.full)) - 2)
    for rank in _window(source, 1200):
        value = value_order(source).value(rank)
        reached[before.region_of(value)] |= 1 << after.region_of(convert(value, source, target))
    for region in regions_in(before.full):
        found = image(region, before, source, after, target)
        assert found & reached[region] == reached[region]
        if _is_inside_the_window(before, region):
            assert found == reached[region]


def _window(type_: Type, size: int) -> range:
    middle = datetime.date(2000, 1, 1).toordinal() if type_ == DATE else 0
    return range(middle - size, middle + size + 1)


def _is_inside_the_window(regions: Regions, region: int) -> bool:
    return regions.cardinality(1 << region) <= 1_000


@pytest.mark.parametrize("bounds", [(0, 0), (-3, 12), (95, 104), (3000, 4000), (998, 1_002)])
@pytest.mark.parametrize(
    ("type_", "cuts"),
    [
        (INTEGER, [0, 5, 3500]),
        (decimal(1), [Decimal("0.5"), 1, Decimal("99.9")]),
        (FLOAT, [0.5, 1.0, 3000.5]),
        (TEXT, ["", "-", "1", "10", "3", "3500", "4000", "9"]),
    ],
)
def test_the_image_of_a_random_has_exactly_the_values_it_can_draw(
    type_: Type, cuts: list[Value], bounds: tuple[int, int]
) -> None:
    regions = Regions(value_order(type_), cuts)
    lower, upper = bounds
    reached = 0
    for value in range(lower, upper + 1):
        reached |= 1 << regions.region_of(convert(value, INTEGER, type_))
    assert image_of_random(lower, upper, regions, type_) == reached


def test_the_image_of_all_64_bit_integers_is_found_without_enumeration() -> None:
    regions = Regions(value_order(TEXT), ["-", "5", "x"])
    assert image_of_random(-(2**63), 2**63 - 1, regions, TEXT) == 0b10101 & ~1 | 0b1000


def integer_program(text: str, columns: list[str]) -> Program:
    return parse_and_check(text, make_schema(dict.fromkeys(columns, INTEGER)))


def pairs(count: int) -> tuple[str, list[str]]:
    either = " OR ".join(f"(A{at} = 1 AND B{at} = 1)" for at in range(count))
    return f"EACH RESULT : {either} : REJECT;", [f"{letter}{at}" for letter in "AB" for at in range(count)]


def test_the_columns_of_a_pair_become_neighbors() -> None:
    text, columns = pairs(20)
    order = [columns[at] for at in column_order(integer_program(text, columns), ())]
    assert all(abs(order.index(f"A{at}") - order.index(f"B{at}")) == 1 for at in range(20))


def test_twenty_pairs_cost_little() -> None:
    """In the table's own order, the diagram of the condition has more than a million nodes."""
    text, columns = pairs(20)
    checked = integer_program(text, columns)
    Prover(checked, (), variables=Variables(checked, (), budget=Budget(20_000)))


def test_the_filter_and_the_condition_belong_together() -> None:
    columns = [f"{letter}{at}" for letter in "AB" for at in range(12)]
    lines = (f"EACH FILTER A{at} = 1 : B{at} = 2 : REPLACE B{at} WITH 2;" for at in range(12))
    order = [columns[at] for at in column_order(integer_program("\n".join(lines), columns), ())]
    assert all(abs(order.index(f"A{at}") - order.index(f"B{at}")) == 1 for at in range(12))


def test_the_keys_of_classes_belong_together() -> None:
    columns = [f"{letter}{at}" for letter in "AB" for at in range(12)]
    lines = (
        f"EACH PROCESS COUNT(*) AS n GROUP BY A{at}, B{at} : n >= 2 OR A{at} = 1 AND B{at} = 1 : REJECT;"
        for at in range(12)
    )
    order = [columns[at] for at in column_order(integer_program("\n".join(lines), columns), ())]
    assert all(abs(order.index(f"A{at}") - order.index(f"B{at}")) == 1 for at in range(12))


def test_few_conditions_leave_the_order_of_the_table() -> None:
    text, columns = pairs(7)
    assert column_order(integer_program(text, columns), ()) == list(range(14))


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4), min_size=1, max_size=30))
def test_every_column_has_one_place(conditions: list[list[int]]) -> None:
    columns = [f"C{at}" for at in range(10)]
    lines = (f"EACH RESULT : {' AND '.join(f'C{at} = 1' for at in each)} : REJECT;" for each in conditions)
    checked = integer_program("\n".join(lines), columns)
    assert sorted(column_order(checked, ())) == list(range(10))


JOBS = Path(__file__).with_name("jobs.csv")
BANDS = (
    *("BANDS OF 5", "BANDS OF 5 UP TO 90", "BANDS OF 10 FROM 0 UP TO 40", "BANDS AT 18, 65", "BANDS OF 1"),
    *("BANDS OF 7 FROM -14", "BANDS AT 0"),
)
FRACTIONS = ("BANDS OF 0.5", "BANDS AT 0.1, 1, 2.50", "BANDS OF 0.25 FROM -1 UP TO 2.5")
DATES = ("MONTH", "QUARTER", "YEAR", "DECADE")
PREFIXES = ("PREFIX OF 1", "PREFIX OF 2", "PREFIX OF 3")
LEVELS = (
    f"LEVEL 1 OF {quote(JOBS)}",
    f"LEVEL 1 OF {quote(JOBS)} ELSE 'other'",
    f"LEVEL 2 OF {quote(JOBS)}",
)

#: texts that occur in columns and after maps
WORDS = (
    *("nurse", "doctor", "health", "school", "other", "*", "", "a", "ab", "abc", "21201", "212**", "21", "2"),
    *("2018", "2018-03", "2018-Q1", "2010s", "2018-03-05", "2018-03-05T10:00", "2018-13-05", "2019-01-31"),
    *("30-34", "-5 to -1", "<0", "90+", "[0.5,1.0)", "0", "7", "34", "-3", "2.5", "0000s", "9999-12-31"),
)
TEXTS = st.sampled_from(WORDS) | st.text("ab*+-Q0129s[,)<", max_size=5)
DAYS = st.dates() | st.dates(datetime.date(2017, 1, 1), datetime.date(2020, 1, 1))
COLUMNS: list[tuple[Type, st.SearchStrategy[Value], tuple[str, ...]]] = [
    (INTEGER, st.integers(-30, 100) | st.integers(), (*BANDS, *PREFIXES, *LEVELS)),
    (decimal(2), st.decimals(-30, 100, places=2), (*BANDS, *FRACTIONS, *PREFIXES)),
    (FLOAT, st.floats(-30, 100) | st.floats(allow_nan=False), (*BANDS, *FRACTIONS)),
    (TEXT, TEXTS, (*DATES, *PREFIXES, *LEVELS)),
    (DATE, DAYS, (*DATES, *PREFIXES)),
    (
        TIMESTAMP,
        st.datetimes() | DAYS.map(lambda day: datetime.datetime(day.year, day.month, day.day)),
        DATES,
    ),
]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Type, str, list[str], list[Value]]:
    """A type, a map, texts that the column is compared with after the map, and values of the column."""
    type_, values, maps = draw(st.sampled_from(COLUMNS))
    texts = draw(st.lists(TEXTS, max_size=6))
    return type_, draw(st.sampled_from(maps)), texts, draw(st.lists(values, min_size=1, max_size=8))


@settings(max_examples=at_length(40))
@given(cases())
def test_every_label_is_in_the_image(case: tuple[Type, str, list[str], list[Value]]) -> None:
    type_, written, texts, values = case
    program = parse_and_check(f"ALWAYS : GENERALIZE A TO {written};", (Column("A", type_),))
    map_ = map_of(program.requirements[0].action)
    assert map_ is not None
    listed = ", ".join("'" + text.replace("'", "''") + "'" for text in ("*", *texts))
    claim = parse_and_check(f"EACH RESULT : A IN ({listed});", program.final_schema).requirements[0].assertion
    variables = Variables(program, [claim])
    before, after = variables.column(0, 0), variables.column(1, 0)
    for value in values:
        label = map_.label(to_text(value, type_))
        if label is not None:
            image = variables.written(Labels(map_), variables.regions(before).region_of(value), before, after)
            assert image >> variables.regions(after).region_of(label) & 1, (value, label)


@settings(max_examples=at_length(40))
@given(
    st.lists(st.sampled_from(BANDS), min_size=2, max_size=3),
    st.lists(TEXTS, max_size=6),
    st.lists(st.integers(-30, 100), min_size=1, max_size=8),
)
def test_every_label_of_a_cascade_is_in_the_image(maps: list[str], texts: list[str], values: list[int]) -> None:
    """With numbers that became text, because earlier lines recoded only some records."""
    lines = (f"EACH PROCESS COUNT(*) AS n : n > 1 : GENERALIZE A TO {map_};" for map_ in maps)
    policy = "\n".join(lines)
    program, _ = check(parse_text(policy)[0], policy, (Column("A", INTEGER),))
    if program is None:  # the maps cannot follow each other
        return
    listed = ", ".join("'" + text + "'" for text in ("*", *texts))
    claim = parse_and_check(f"EACH RESULT : A IN ({listed});", program.final_schema).requirements[0].assertion
    variables = Variables(program, [claim])
    last = len(maps) - 1
    variable = variables.column(last, 0)
    *earlier, map_ = filter(None, (map_of(requirement.action) for requirement in program.requirements))
    for value in values:
        found = [str(value), *(each.label(str(value)) for each in earlier)]
        for text in (each for each in found if each is not None):
            label = map_.label(text)
            assert label is not None
            image = variables.written(Labels(map_), variables.regions(variable).region_of(text), variable, variable)
            assert image >> variables.regions(variable).region_of(label) & 1, (text, label)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a = '*' OR (n >= 5 AND d >= 2)", 2),
        ("n >= 5 AND d >= 2", 2),
        ("NOT (n < 5 OR d < 2)", 2),
        ("n >= 5 OR d >= 2", 1),
        ("(n >= 5 AND d >= 2) OR (n >= 9 AND d >= 1)", 4),
    ],
)
def test_a_condition_is_a_conjunction_of_clauses(condition: str, expected: int) -> None:
    text = f"EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(b) AS d GROUP BY a : {condition};"
    program = parse_and_check(text, (Column("a", TEXT), Column("b", TEXT)))
    found = clauses(program.requirements[0].assertion.condition)
    assert found is not None
    assert len(found) == expected


#: actions of X12, X16, X17 and X18, the types they fit, with constants near which values become others
WRITES = {
    "GENERALIZE A TO NEAREST {n}": (INTEGER, decimal(1), FLOAT),
    "ADD RANDOM {low} {high} TO A": (INTEGER, decimal(1), FLOAT),
    "MICROAGGREGATE A BY 2": (INTEGER, decimal(1), FLOAT),
    "SHIFT A BY A WITHIN 3 DAYS": (DATE, TIMESTAMP, TEXT),
}
_DAY = st.dates(datetime.date(2019, 12, 20), datetime.date(2020, 1, 10))
_VALUES: dict[Type, st.SearchStrategy[Value]] = {
    INTEGER: st.integers(-30, 30),
    decimal(1): st.integers(-300, 300).map(lambda number: Decimal(number).scaleb(-1)),
    FLOAT: st.floats(-30, 30) | st.integers(-60, 60).map(lambda number: number / 2),
    DATE: _DAY,
    TIMESTAMP: st.datetimes(datetime.datetime(2019, 12, 20), datetime.datetime(2020, 1, 10)),
    TEXT: _DAY.map(str) | _DAY.map(lambda day: f"{day}T12:30") | st.sampled_from(("", "2020", "x")),
}


def _constant(value: Value) -> str:
    return f"'{value}'" if isinstance(value, str | datetime.date) else f"{value:f}"


@st.composite
def writes(draw: st.DrawFn) -> tuple[str, Type, list[Value], list[Value]]:
    action = draw(st.sampled_from(sorted(WRITES)))
    type_ = draw(st.sampled_from(WRITES[action]))
    low, high = sorted(draw(st.tuples(st.integers(-9, 9), st.integers(-9, 9))))
    number = draw(st.sampled_from(("1", "2", "5", "0.5", "0.3", "10")))
    values = _VALUES[type_]
    return (
        action.format(n=number, low=low, high=high),
        type_,
        draw(st.lists(values, min_size=1, max_size=4)),
        draw(st.lists(values.filter(bool), max_size=4)),
    )


@settings(max_examples=at_length(150))
@given(writes(), st.lists(st.fractions(0, Fraction(99, 100)), min_size=4, max_size=4))
def test_every_written_value_is_in_the_image(
    case: tuple[str, Type, list[Value], list[Value]], rhos: list[Fraction]
) -> None:
    """What `semantics` writes is in the regions that the prover expects, and comes from those it looks back to."""
    action, type_, values, constants = case
    program = parse_and_check(f"ALWAYS : {action};", (Column("A", type_),))
    listed = " AND ".join(f"A <> {_constant(each)}" for each in constants) or f"A <> {_constant(values[0])}"
    claim = parse_and_check(f"EACH RESULT : {listed};", program.final_schema).requirements[0].assertion
    prover = Prover(program, [claim])
    (transition,) = prover.reachability.transitions
    outcome = run_or_none(program, [(value,) for value in values], rhos)
    before, after = (prover.variables.column(step, 0) for step in (0, 1))
    for value, (written,) in zip(values, () if outcome is None else outcome.records, strict=outcome is not None):
        old = prover.diagrams.literal(before, 1 << prover.variables.regions(before).region_of(value))
        new = prover.diagrams.literal(after, 1 << prover.variables.regions(after).region_of(written))
        image = prover.reachability.rewrite(transition, old)
        assert prover.diagrams.difference(new, image) is EMPTY, (value, written)
        preimage = prover.reachability.before_rewriting(transition, new)
        assert prover.diagrams.difference(old, preimage) is EMPTY, (value, written)
