"""D24 and D28: a comparison with text is refused exactly where the column's values make it misleading."""

from itertools import product

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acompass
from acompass.checked.types import TEXT, Column
from acompass.conformance.generate import Case
from acompass.diagnostics import TableError
from tests.laws.reading import is_refused, refusals

VALUES = (
    *("5", "9", "80", "100", "-3", "-20", "02139", "+7", "0.5", "8.25", "*"),
    *("a", "", "2018-03-31", "2018-03-31 12:00", "31.03.2018"),
)
CONSTANTS = ("80", "9", "-3", "02139", "8.50", "a", "", "2018-03-31")
FORMS = (
    "EACH RESULT : x {} {};",
    "SOME FILTER NOT x {} {} : x = 'a' : REJECT;",
    "EACH PROCESS COUNT(*) AS n WHERE x {} {} : n >= 2;",
    "EACH PROCESS COUNT(*) AS n GROUP BY x : n >= 2 OR x {} {};",
    "EACH PROCESS MIN(x) AS least : least {} {};",
)


def _case(form: str, operator: str, constant: str, values: list[str]) -> Case:
    return Case(form.format(operator, f"'{constant}'"), (Column("x", TEXT),), [(v,) for v in values], [], {})


def _values() -> st.SearchStrategy[list[str]]:
    """Often numbers and stars alone, because one other value lets every comparison with a number pass."""
    return st.one_of(
        *(st.lists(st.sampled_from(some), max_size=4) for some in (VALUES[:11], VALUES[11:], VALUES))
    )


@given(
    st.builds(
        _case,
        st.sampled_from(FORMS),
        st.sampled_from(("<", "<=", ">", ">=", "=")),
        st.sampled_from(CONSTANTS),
        _values(),
    )
)
def test_what_is_refused(case: Case) -> None:
    table = pyarrow.table({"x": pyarrow.array([value for (value,) in case.records], pyarrow.string())})
    if refused := refusals(case):
        with pytest.raises(TableError) as raised:
            acompass.check(case.policy_text, table)
        assert is_refused(raised, refused)
    else:
        acompass.check(case.policy_text, table)


def test_both_outcomes_occur() -> None:
    cases = (_case(FORMS[0], o, c, [v]) for o, c, v in product(("<", "="), CONSTANTS, VALUES))
    outcomes = [frozenset(code for code, _ in refusals(case)) for case in cases]
    assert {frozenset(), frozenset({"AC231"}), frozenset({"AC232"})} == set(outcomes)
