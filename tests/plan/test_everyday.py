"""ALWAYS, GENERALIZE and DROP in a plan."""

import pytest

from acompass.checked.maps.map import Unlabelled
from acompass.conformance.compare import uploaded
from acompass.plan.describe import describe
from acompass.plan.rewrites import REWRITES
from acompass.plan.running.context import Context
from acompass.plan.running.dry_run import dry_run
from acompass.plan.running.execute import execute, final_select
from acompass.plan.running.trace import SeededTrace
from tests.plan import fixtures
from tests.plan.running import case_of, duckdb_session, stages
from tests.plan.test_rewrites import always_count

#: six records of two classes; no zip is a date
RECORDS = [(30, zip_, 1, "flu") for zip_ in ("1", "1", "1", "2", "2018-05-03", "2018-05-03")]


def left(policy, records=RECORDS, rewrites=REWRITES):
    """The statements and the rows after the policy."""
    program = case_of(policy, fixtures.SCHEMA, records).program()
    with duckdb_session() as session:
        context = Context(session, SeededTrace(""))
        state = uploaded(session, program.schema, records)
        after = execute(context, state, stages(program, rewrites))
        rows = session.fetch(final_select(context, after, canonical=True, keep_order=False))
        return session.statements, rows


CASCADE = """
EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 9 : GENERALIZE Zip TO YEAR THEN REJECT;
"""


@pytest.mark.parametrize("rewrites", [(), REWRITES, (*REWRITES, always_count)])
@pytest.mark.parametrize("policy", ["ALWAYS : GENERALIZE Zip TO YEAR;", CASCADE])
def test_values_without_a_label_are_counted_by_record(policy, rewrites):
    with pytest.raises(Unlabelled) as raised:
        left(policy, rewrites=rewrites)
    assert (raised.value.requirement, raised.value.count) == (1, 4)


def test_always_replaces_missing_values():
    _, rows = left("ALWAYS : REPLACE Zip WITH '*';", [(30, None, 1, "flu"), (31, "2", 1, "flu")])
    assert rows == [(30, "*", 1, "flu"), (31, "*", 1, "flu")]


@pytest.mark.parametrize("assertion", ["ALWAYS", "EACH RESULT : Age > 999"])
def test_a_column_of_one_text_is_compared_by_code_point(assertion):
    """Found by a campaign on a server that collates text in dictionary order: '0.10' <= '-1' was true.

    The server derives the collation of a stored column from `CASE WHEN TRUE THEN …` without its other branch.
    """
    policy = f"{assertion} : REPLACE Zip WITH '0.10'; EACH RESULT : Zip <= '-1';"
    written, _ = dry_run(case_of(policy, fixtures.SCHEMA, []).program(), "postgres")
    assert ') COLLATE "C"' in written.statements[-1]


def test_dropped_columns_are_left_out():
    _, rows = left("ALWAYS : DROP Zip, Illness;")
    assert rows == [(30, 1)] * 6


def test_a_map_that_changes_nothing_joins_nothing():
    statements, rows = left("ALWAYS : GENERALIZE Zip TO PREFIX OF 10;")
    assert [row[1] for row in rows] == ["1", "1", "1", "2", "2018-05-03", "2018-05-03"]
    assert not any("JOIN" in statement for statement in statements)


def test_generalizations_of_several_columns_look_at_the_table_before_them():
    policy = "ALWAYS : GENERALIZE Age TO BANDS OF 5; ALWAYS : GENERALIZE Zip TO PREFIX OF 1;"
    statements, rows = left(policy)
    assert rows[0] == ("30-34", "1", 1, "flu")
    values = [statement for statement in statements if "AS value, COUNT" in statement]
    assert len(values) == 2
    assert not any("JOIN" in statement for statement in values)


def test_a_cascade_groups_the_table_once():
    steps = " THEN ".join(f"GENERALIZE Zip TO PREFIX OF {n}" for n in (9, 8, 7, 6, 5, 4, 3, 2, 1))
    policy = f"EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 5 : {steps} THEN REJECT;"
    statements, rows = left(policy, RECORDS * 3)
    assert [row[1] for row in rows] == ["1"] * 9 + ["2018-05-03"] * 6
    assert sum("GROUP BY" in each and "FROM kept0" in each for each in statements) == 1


def test_a_dry_run_says_where_labels_come_from():
    policy = "EACH RESULT : Age > 9 : GENERALIZE Age TO BANDS OF 5;"
    (written,) = dry_run(case_of(policy, fixtures.SCHEMA, []).program(), "postgres")
    assert any("gets the labels of the values above" in each for each in written.statements)
    assert "JOIN" in written.statements[-1]


def test_a_cascade_in_words():
    (cascade,) = stages(case_of(CASCADE, fixtures.SCHEMA, []).program(), REWRITES)
    words = "requirements 1 to 2: one count of the combinations of `Zip`, joined once"
    assert describe(cascade, fixtures.SCHEMA) == words
