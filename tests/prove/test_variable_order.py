"""The order of variables: columns that a condition compares together stand together."""

from hypothesis import given
from hypothesis import strategies as st

from acompass.checked.from_syntax import check
from acompass.checked.program import Program
from acompass.checked.types import INTEGER, schema_of
from acompass.prove.effort import Budget
from acompass.prove.prover import Prover
from acompass.prove.variable_order import column_order
from acompass.prove.variables import Variables
from acompass.syntax.parse import parse


def program(text: str, columns: list[str]) -> Program:
    tree, problems = parse(text)
    assert not problems
    checked, problems = check(tree, text, schema_of(dict.fromkeys(columns, INTEGER)), {})
    assert checked is not None, problems
    return checked


def pairs(count: int) -> tuple[str, list[str]]:
    either = " OR ".join(f"(A{at} = 1 AND B{at} = 1)" for at in range(count))
    return f"EACH RESULT : {either} : REJECT;", [f"{letter}{at}" for letter in "AB" for at in range(count)]


def test_the_columns_of_a_pair_become_neighbours() -> None:
    text, columns = pairs(20)
    order = [columns[at] for at in column_order(program(text, columns), ())]
    assert all(abs(order.index(f"A{at}") - order.index(f"B{at}")) == 1 for at in range(20))


def test_twenty_pairs_cost_little() -> None:
    """In the table's own order, the diagram of the condition has more than a million nodes."""
    text, columns = pairs(20)
    checked = program(text, columns)
    Prover(checked, (), variables=Variables(checked, (), budget=Budget(20_000)))


def test_the_filter_and_the_condition_belong_together() -> None:
    columns = [f"{letter}{at}" for letter in "AB" for at in range(12)]
    lines = (f"EACH FILTER A{at} = 1 : B{at} = 2 : REPLACE B{at} WITH 2;" for at in range(12))
    order = [columns[at] for at in column_order(program("\n".join(lines), columns), ())]
    assert all(abs(order.index(f"A{at}") - order.index(f"B{at}")) == 1 for at in range(12))


def test_the_keys_of_classes_belong_together() -> None:
    columns = [f"{letter}{at}" for letter in "AB" for at in range(12)]
    lines = (
        f"EACH PROCESS COUNT(*) AS n GROUP BY A{at}, B{at} : n >= 2 OR A{at} = 1 AND B{at} = 1 : REJECT;"
        for at in range(12)
    )
    order = [columns[at] for at in column_order(program("\n".join(lines), columns), ())]
    assert all(abs(order.index(f"A{at}") - order.index(f"B{at}")) == 1 for at in range(12))


def test_few_conditions_leave_the_order_of_the_table() -> None:
    text, columns = pairs(7)
    assert column_order(program(text, columns), ()) == list(range(14))


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4), min_size=1, max_size=30))
def test_every_column_has_one_place(conditions: list[list[int]]) -> None:
    columns = [f"C{at}" for at in range(10)]
    lines = (f"EACH RESULT : {' AND '.join(f'C{at} = 1' for at in each)} : REJECT;" for each in conditions)
    checked = program("\n".join(lines), columns)
    assert sorted(column_order(checked, ())) == list(range(10))
