"""The statements of plans: their size, their number, and no floats and no seed in draws."""

import re
from decimal import Decimal
from itertools import pairwise

import pytest
from sqlglot import exp, parse_one
from sqlglot.generator import Generator

from acompass.language.program.effects import draws
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import Comparison, Or
from acompass.language.program.types import INTEGER, TEXT, Column
from acompass.language.text.tree import Operator
from acompass.plan.lowering import sql
from acompass.plan.lowering.duckdb import DUCKDB, AcompassDuckDB
from acompass.plan.lowering.postgres import POSTGRES
from acompass.plan.lowering.spark import SPARK
from acompass.plan.lowering.state import State
from acompass.plan.planner import REWRITES, plan
from acompass.plan.run.context import Context, SeededTrace
from acompass.plan.run.execution import LARGEST, execute, final_select
from acompass.plan.run.statements import DIALECTS, dry_run
from acompass.plan.stages import describe
from acompass.testing.conformance.comparison import upload_records
from benchmarks.policies import tangled
from tests.language.cases import all_cases
from tests.plan import fixtures
from tests.plan.core_statements import digest, recorded_digests
from tests.plan.fixtures import DEPENDENT_SCHEMA as SCHEMA
from tests.plan.fixtures import duckdb_session, make_case
from tests.plan.test_rewrites import always_count

#: the nodes of one requirement on plain columns, with some margin
ONE_REQUIREMENT = 250


class MeasuringSession:
    """A session without an engine that measures statements and lists tables. Every EACH affects a record."""

    def __init__(self, dialect):
        self.dialect = dialect
        self.sizes, self.stored, self.kept = [], 0, []

    def fetch(self, query):
        self.sizes.append(expanded_size(query))
        return [tuple(1 for _ in query.expressions)]

    def store(self, query):
        self.sizes.append(expanded_size(query))
        self.stored += 1
        self.kept.append(f"kept{self.stored}")
        return self.kept[-1]

    def drop(self, name):
        self.kept.remove(name)


def expanded_size(query):
    """The number of nodes of the largest expression, with the columns of nested SELECTs expanded."""
    where = query.args.get("where")
    inner = _columns(query.find(exp.Subquery))
    parts = [*query.expressions, *([where.this] if where else [])]
    return max(_size(part, inner) for part in parts)


def _columns(nested):
    """The size of each column of a nested SELECT; a stored table has only plain columns."""
    if nested is None:
        return {}
    select = nested.this
    inner = _columns(select.find(exp.Subquery))
    if select.is_star:
        return inner
    return {part.alias_or_name: _size(part, inner) for part in select.expressions}


def _size(expression, inner):
    nodes = expression.walk(prune=lambda node: isinstance(node, exp.Column))
    return sum(inner.get(node.name, 1) if isinstance(node, exp.Column) else 1 for node in nodes)


def run(count, dialect, rewrites):
    program = make_case(tangled(count), SCHEMA, []).program()
    columns = [sql.column(i) for i in range(len(SCHEMA))]
    state = State(sql.query(columns, sql.table("records")), SCHEMA, has_row_key=False, records=1)
    session = MeasuringSession(dialect)
    execute(Context(session, SeededTrace("")), state, plan(program, rewrites))
    return session


@pytest.mark.parametrize("rewrites", [REWRITES, ()], ids=["rewritten", "naive"])
@pytest.mark.parametrize("dialect", [DUCKDB, POSTGRES, SPARK], ids=lambda dialect: dialect.name)
def test_no_statement_outgrows_the_bound(dialect, rewrites):
    session = run(40, dialect, rewrites)
    assert max(session.sizes) <= LARGEST + ONE_REQUIREMENT


@pytest.mark.slow
def test_statements_grow_linearly():
    counts = [len(run(count, DUCKDB, REWRITES).sizes) for count in (20, 40, 80)]
    assert all(larger <= 2.2 * smaller for smaller, larger in pairwise(counts))
    assert counts[0] <= 2 * 20


def test_only_the_last_stored_state_is_kept():
    session = run(40, DUCKDB, REWRITES)
    assert session.stored > 2
    assert len(session.kept) == 1


#: six records of two classes; no zip is a date
RECORDS = [(30, zip_, 1, "flu") for zip_ in ("1", "1", "1", "2", "2018-05-03", "2018-05-03")]


def run_everyday(policy, records=RECORDS, rewrites=REWRITES):
    """The statements and the rows after the policy."""
    program = make_case(policy, fixtures.SCHEMA, records).program()
    with duckdb_session() as session:
        context = Context(session, SeededTrace(""))
        state = upload_records(session, program.schema, records)
        after = execute(context, state, plan(program, rewrites))
        rows = session.fetch(final_select(context, after, canonical=True, keep_order=False))
        return session.statements, rows


CASCADE = """
EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 9 : GENERALIZE Zip TO YEAR THEN REJECT;
"""


@pytest.mark.parametrize("rewrites", [(), REWRITES, (*REWRITES, always_count)])
@pytest.mark.parametrize("policy", ["ALWAYS : GENERALIZE Zip TO YEAR;", CASCADE])
def test_values_without_a_label_are_counted_by_record(policy, rewrites):
    with pytest.raises(UnlabeledValueError) as raised:
        run_everyday(policy, rewrites=rewrites)
    assert (raised.value.requirement, raised.value.count) == (1, 4)


def test_always_replaces_missing_values():
    _, rows = run_everyday("ALWAYS : REPLACE Zip WITH '*';", [(30, None, 1, "flu"), (31, "2", 1, "flu")])
    assert rows == [(30, "*", 1, "flu"), (31, "*", 1, "flu")]


@pytest.mark.parametrize("assertion", ["ALWAYS", "EACH RESULT : Age > 999"])
def test_a_column_of_one_text_is_compared_by_code_point(assertion):
    """Found by a campaign on a server with dictionary collation: '0.10' <= '-1' was true.

    The server derives the collation of a stored column from `CASE WHEN TRUE THEN …` without its other branch.
    """
    policy = f"{assertion} : REPLACE Zip WITH '0.10'; EACH RESULT : Zip <= '-1';"
    written, _ = dry_run(make_case(policy, fixtures.SCHEMA, []).program(), "postgres")
    assert ') COLLATE "C"' in written.statements[-1]


def test_dropped_columns_are_left_out():
    _, rows = run_everyday("ALWAYS : DROP Zip, Illness;")
    assert rows == [(30, 1)] * 6


def test_a_map_that_changes_nothing_joins_nothing():
    statements, rows = run_everyday("ALWAYS : GENERALIZE Zip TO PREFIX OF 10;")
    assert [row[1] for row in rows] == ["1", "1", "1", "2", "2018-05-03", "2018-05-03"]
    assert not any("JOIN" in statement for statement in statements)


def test_generalizations_of_several_columns_look_at_the_table_before_them():
    policy = "ALWAYS : GENERALIZE Age TO BANDS OF 5; ALWAYS : GENERALIZE Zip TO PREFIX OF 1;"
    statements, rows = run_everyday(policy)
    assert rows[0] == ("30-34", "1", 1, "flu")
    values = [statement for statement in statements if "AS value, COUNT" in statement]
    assert len(values) == 2
    assert not any("JOIN" in statement for statement in values)


def test_a_cascade_groups_the_table_once():
    steps = " THEN ".join(f"GENERALIZE Zip TO PREFIX OF {n}" for n in (9, 8, 7, 6, 5, 4, 3, 2, 1))
    policy = f"EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 5 : {steps} THEN REJECT;"
    statements, rows = run_everyday(policy, RECORDS * 3)
    assert [row[1] for row in rows] == ["1"] * 9 + ["2018-05-03"] * 6
    assert sum("GROUP BY" in each and "FROM kept0" in each for each in statements) == 1


def test_a_dry_run_says_where_labels_come_from():
    policy = "EACH RESULT : Age > 9 : GENERALIZE Age TO BANDS OF 5;"
    (written,) = dry_run(make_case(policy, fixtures.SCHEMA, []).program(), "postgres")
    assert any("gets the labels of the values above" in each for each in written.statements)
    assert "JOIN" in written.statements[-1]


def test_a_cascade_is_described_in_words():
    (cascade,) = plan(make_case(CASCADE, fixtures.SCHEMA, []).program(), REWRITES)
    words = "requirements 1 to 2: one count of the combinations of `Zip`, joined once"
    assert describe(cascade, fixtures.SCHEMA, 9) == words


URN = "RANDOM Illness FROM (3 OF 'flu', 2 OF 'cold', 6 OF 'none')"
#: each draws once, and writes text
FORMS = {
    "sampling": "ALWAYS : WITH PROBABILITY 0.3 REJECT;",
    "urn": f"ALWAYS : {URN};",
    "some records": f"EACH RESULT : Age > 20 : {URN};",
    "some classes": f"EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 9 : {URN};",
    "probability of a constant": "EACH RESULT : Age > 20 : WITH PROBABILITY 0.3 REPLACE Zip WITH '*';",
    "new type": "EACH RESULT : Age > 20 : WITH PROBABILITY 0.3 REPLACE Age WITH '*';",
}
TWICE = f"ALWAYS : WITH PROBABILITY 0.3 {URN};"


def make_program(policy):
    return make_case(policy, fixtures.SCHEMA, fixtures.RECORDS).program()


def dry_run_statements(policy, dialect):
    (requirement,) = dry_run(make_program(policy), dialect)
    return requirement.statements


def run_random(policy):
    """The statements, and the context after the run."""
    program = make_program(policy)
    with duckdb_session() as session:
        context = Context(session, SeededTrace("a seed"))
        after = execute(context, upload_records(session, program.schema, fixtures.RECORDS), plan(program, REWRITES))
        rows = session.fetch(final_select(context, after, canonical=True, keep_order=False))
        assert len(rows) == after.records
        return session.statements, context


@pytest.mark.parametrize("rewrites", [REWRITES[:n] for n in range(len(REWRITES) + 1)], ids=len)
def test_no_rewrite_moves_requirements_across_a_draw(rewrites):
    program = make_program(fixtures.SAMPLED)
    planned = plan(program, rewrites)
    drawing = {each.index for each in program.requirements if draws(each.action)}
    alone = [stage for stage in planned if drawing & {each.index for each in stage.requirements}]
    assert [[each.index for each in stage.requirements] for stage in alone] == [[i] for i in sorted(drawing)]
    for index in drawing:
        sides = [{(each.index > index) for each in stage.requirements} for stage in planned]
        assert all(len(side) == 1 for side in sides)
        assert sides == sorted(sides, key=max)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("policy", [*FORMS.values(), TWICE], ids=[*FORMS, "twice"])
def test_no_draw_has_a_float(policy, dialect):
    """Every cut is an integer, and so is the number that it is compared with."""
    statements = dry_run_statements(policy, dialect)
    for statement in statements:
        tree = parse_one(statement, dialect=dialect)
        numbers = [each.this for each in tree.find_all(exp.Literal) if each.is_number]
        assert all(number.isdigit() for number in numbers), statement
        floats = {exp.DType.DOUBLE, exp.DType.FLOAT}
        assert not [each for each in tree.find_all(exp.DataType) if each.this in floats], statement
    assert f"< {-(-3 * 2**52 // (10 if 'PROBABILITY' in policy else 11))}" in "".join(statements)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("form", FORMS)
def test_a_hash_is_computed_once(form, dialect):
    hashed = [each for each in dry_run_statements(FORMS[form], dialect) if re.search("sha", each, re.IGNORECASE)]
    assert len(hashed) == 1
    assert hashed[0].startswith("CREATE TEMPORARY TABLE")
    assert len(re.findall("sha", hashed[0], re.IGNORECASE)) == 1


@pytest.mark.parametrize("form", ["some records", "some classes", "probability of a constant", "new type"])
def test_a_dry_run_keeps_the_records_that_are_not_affected(form):
    *_, last = dry_run_statements(FORMS[form], "duckdb")
    assert "NOT" in last.partition("UNION ALL")[0]
    assert "FROM records" in last


@pytest.mark.parametrize("form", ["sampling", "urn"])
def test_no_record_is_read_twice_where_all_are_affected(form):
    *_, last = dry_run_statements(FORMS[form], "duckdb")
    assert "records AS" not in last
    assert "FROM records" not in last


def test_a_policy_ranks_once_for_each_draw():
    statements, context = run_random(TWICE)
    assert sum("ROW_NUMBER" in each for each in statements) == 2
    drawn = len(fixtures.RECORDS) - context.missed[1].records
    assert 0 < drawn < len(fixtures.RECORDS)
    assert context.trace_used == len(fixtures.RECORDS) + drawn


def test_the_seed_is_in_no_statement():
    statements, _ = run_random(TWICE)
    assert not any("a seed" in each for each in statements)


RECORDED = recorded_digests()
#: cases with cascades, which now group the table only once
CASCADES: set[str] = set()
#: the number of tests that share the programs
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.slow
def test_a_core_program_plans_as_before(part):
    cases = [case for case in all_cases() if case.id in RECORDED][part::PARTS]
    assert len(cases) > 10
    same = {case.id for case in cases if digest(case) == RECORDED[case.id]}
    assert same == {case.id for case in cases} - CASCADES


@pytest.mark.slow
def test_executed_sql_is_that_of_sqlglots_own_dialect(monkeypatch):
    """`AcompassDuckDB` leaves out the parts of the dialect that no plan uses."""
    compared = []

    def generate(self, expression, copy=True):
        expected = expression.sql("duckdb", pretty=self.pretty)
        text = Generator.generate(self, expression, copy)
        compared.append(text)
        assert text == expected
        return text

    monkeypatch.setattr(AcompassDuckDB.Generator, "generate", generate, raising=False)
    for case in all_cases()[::3]:
        digest(case)
    assert len(compared) > 400


IN = "EACH FILTER {column} {word} ({constants}) : Pay > 0 : REPLACE Pay WITH 0;"


@pytest.mark.parametrize("word", ["IN", "NOT IN"])
@pytest.mark.parametrize(("column", "constants"), [("Age", range(9)), ("Zip", [f"'{each}'" for each in range(9)])])
def test_constants_of_one_column_are_one_in(column, constants, word):
    policy = IN.format(column=column, word=word, constants=", ".join(map(str, constants)))
    statements, _ = run_everyday(policy, [(3, "4", 1, "flu"), (10, "11", 1, "flu")], ())
    asked = [statement for statement in statements if " IN (" in statement]
    assert asked
    assert all(" OR " not in statement for statement in asked)


def test_constants_that_no_value_equals_are_left_out():
    schema = (Column("a", INTEGER), Column("b", TEXT))
    parts = [Comparison(0, Operator.EQ, value) for value in (1, Decimal("1.5"), 2, 10**40)]
    columns = (sql.column(0), sql.column(1))
    parts += [Comparison(1, Operator.LT, "x"), Comparison(1, Operator.EQ, "y")]
    text = sql.condition(Or(tuple(parts)), schema, columns)
    assert text.sql("duckdb") == "(c1 < 'x' OR c0 IN (1, 2) OR c1 = 'y')"
