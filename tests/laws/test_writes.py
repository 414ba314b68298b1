"""X12 and X15 to X18 on every engine: random tables and policies give the bag, verdicts and counts of `semantics`."""

import datetime
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from acompass.dataclasses import replace
from acompass.engines.registry import open_session
from acompass.language.program.checker import check
from acompass.language.program.effects import with_key
from acompass.language.program.kernels import UnfitValueError
from acompass.language.program.keys import Key, key_text_of
from acompass.language.program.program import Program
from acompass.language.program.types import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    TEXT,
    TIMESTAMP,
    Column,
    Kind,
    Schema,
    Type,
    at_scale,
    decimal,
    to_text,
)
from acompass.language.text.parser import parse_text
from acompass.plan.planner import REWRITES, Rewrite, plan
from acompass.plan.run.context import Context, GivenTrace, SeededTrace, Session, Trace
from acompass.plan.run.execution import execute, final_select
from acompass.semantics import core
from acompass.testing.conformance.comparison import upload_records
from tests.length import at_length

SEED = "graine"


def _values(rng: random.Random, type_: Type, count: int, width: int) -> Iterator[Any]:
    """Some values are at the limits of the type; `width` is the number of digits of the others."""
    for _ in range(count):
        unscaled = rng.choice((rng.randint(-(10**width), 10**width), rng.randint(-3, 3)))
        match type_.kind.value:
            case "integer":
                yield rng.choice((-(2**63), 2**63 - 1)) if width > 18 and rng.random() < 0.3 else unscaled % 2**63
            case "decimal":
                scale = rng.randint(0, type_.scale) if type_.spelled else type_.scale
                yield Decimal(unscaled).scaleb(-scale)
            case "float":
                yield _float(rng, width)
            case "boolean":
                yield rng.random() < 0.5
            case "date":
                yield _date(rng, width)
            case "timestamp":
                time = datetime.time(rng.randrange(24), rng.randrange(60), rng.choice((0, 59)), rng.choice((0, 0, 1)))
                yield datetime.datetime.combine(_date(rng, width), time)


def _float(rng: random.Random, width: int) -> float:
    if width > 18 and rng.random() < 0.3:
        return rng.choice((math.inf, -math.inf, 1.7e308, 5e-324, 1e23, 2.0**53 + 2))
    return rng.choice((rng.uniform(-100, 100), rng.randint(-9, 9) / 4, float(rng.randint(-9, 9)), 1e-7, 1e22)) + 0.0


def _date(rng: random.Random, width: int) -> datetime.date:
    if width > 18 and rng.random() < 0.3:
        return rng.choice((datetime.date.min, datetime.date.max)).replace(day=rng.randint(1, 31), month=1)
    return datetime.date(2024, 2, 28) + datetime.timedelta(rng.randint(-800, 800))


#: dates in ISO form, some with a time, and with a low probability other texts
def _date_text(rng: random.Random, width: int) -> str:
    times = ("", "", "T10:00", " 23:59:59", "T00:00:00.123456Z", "T10:00+02:00")
    if width > 18 and rng.random() < 0.1:
        return rng.choice(("2023-02-29", "1900-02-29", "0000-01-01", "2024-1-1", "2024-01-01x", "", "2024-01-01T24:00"))
    return _date(rng, width).isoformat() + rng.choice(times)


_TEXTS = ("", "a", "A", "é", "e\u0301", "\U0001f600", "ß\n", "'", "\\", "x" * 70, "2.5", " ")


def _table(rng: random.Random) -> tuple[Schema, list[tuple[Any, ...]]]:
    width, records = rng.choice((1, 2, 6, 17, 19)), rng.randint(1, 12)
    scale = rng.choice((0, 1, 2, 2, 19))
    types = {
        "n": INTEGER,
        "d": decimal(scale),
        "s": replace(decimal(rng.choice((1, 2, 3))), spelled=True),
        "f": FLOAT,
        "b": BOOLEAN,
        "day": DATE,
        "time": TIMESTAMP,
    }
    columns = {name: list(_values(rng, type_, records, width)) for name, type_ in types.items()}
    schema = [Column(name, type_) for name, type_ in types.items()]
    schema += [Column("text", TEXT), Column("iso", TEXT)]
    columns["text"] = [rng.choice(_TEXTS) for _ in range(records)]
    columns["iso"] = [_date_text(rng, width) for _ in range(records)]
    order = rng.sample(schema, len(schema))
    rows = list(zip(*(columns[column.name] for column in order), strict=True))
    copies = rng.choices(rows, k=rng.randint(0, 4))
    return tuple(order), rows + copies


def _action(rng: random.Random) -> str:
    number = rng.choice("ndsf")
    match rng.randrange(5):
        case 0:
            steps = ("1", "5", "7", "0.5", "0.25", "10", "1000000000000000000", "3.0")
            return f"GENERALIZE {number} TO NEAREST {rng.choice(steps)}"
        case 1:
            return f"PSEUDONYM {rng.choice(('n', 'd', 's', 'f', 'b', 'day', 'time', 'text', 'iso'))}"
        case 2:
            dates = ", ".join(rng.sample(("day", "time", "iso"), rng.randint(1, 3)))
            person = rng.choice(("n", "d", "s", "f", "b", "day", "time", "text", "iso"))
            return f"SHIFT {dates} BY {person} WITHIN {rng.choice((1, 30, 3650))} DAYS"
        case 3:
            bounds = rng.choice(("-3 3", "0 0", "-9223372036854775808 9223372036854775807", "1000000 1000001"))
            return f"ADD RANDOM {bounds} TO {number}"
        case _:
            return f"MICROAGGREGATE {number} BY {rng.choice((2, 3, 5, 100))}"


def _requirement(rng: random.Random) -> str:
    assertion = rng.choice(
        (
            "ALWAYS",
            "ALWAYS",
            "EACH RESULT : b = 'true'",
            "EACH RESULT : n > 2",
            "EACH PROCESS COUNT(*) AS k GROUP BY n : k >= 2",
            "EACH PROCESS COUNT(*) AS k GROUP BY d, text : k >= 2",
            "EACH PROCESS COUNT(*) AS k GROUP BY b : k >= 200",
            "SOME RESULT : s > 1000",
        )
    )
    steps = [_action(rng) for _ in range(rng.choice((1, 1, 2)))] if assertion != "ALWAYS" else [_action(rng)]
    chance = [f"WITH PROBABILITY 0.5 {step}" if rng.random() < 0.2 else step for step in steps]
    return f"{assertion} : {' THEN '.join(chance)};"


def _program(rng: random.Random, schema: Schema) -> tuple[str, Program]:
    """A policy that the checker accepts."""
    while True:
        text = "\n".join(_requirement(rng) for _ in range(rng.choice((1, 1, 2, 3))))
        tree, findings = parse_text(text)
        assert not findings, (text, findings)
        program, _ = check(tree, text, schema, {})
        if program is not None:
            return text, with_key(program, Key(rng.randbytes(rng.choice((32, 64, 65, 100)))))


def _comparable(records: Sequence[tuple[Any, ...]]) -> Counter[str]:
    """Spellings count (D26), and so do types: 1 and 1.0 are equal in Python."""
    return Counter(repr(record) for record in records)


Found = tuple[Any, ...]


def _expected(program: Program, records: list[tuple[Any, ...]], rho: core.Trace) -> Found:
    try:
        outcome = core.run_program(program, records, rho)
    except UnfitValueError as error:
        return error.requirement, error.count
    verdicts = [(each.holds, each.affected, each.records) for each in outcome.requirements]
    return _comparable(outcome.records), verdicts, outcome.trace_used


def _found(session: Session, program: Program, records: list[tuple[Any, ...]], trace: Trace, rewrites: Any) -> Found:
    state = upload_records(session, program.schema, records, _digits(program.schema, records))
    context = Context(session, trace)
    try:
        after = execute(context, state, plan(program, rewrites))
    except UnfitValueError as error:
        return error.requirement, error.count
    rows = session.fetch(final_select(context, after, canonical=True, keep_order=False))
    left = [tuple(map(_restored, after.record(row), (column.type for column in after.schema))) for row in rows]
    verdicts = [context.verdicts[each.index] for each in program.requirements]
    return _comparable(left), [(each.holds, each.affected, each.records) for each in verdicts], context.trace_used


def _digits(schema: Schema, records: list[tuple[Any, ...]]) -> dict[str, int]:
    """The fewest digits that a decimal column can be stored with, by its name."""
    return {
        column.name: max(max(record[place].adjusted() + 1, 1) for record in records) + column.type.scale
        for place, column in enumerate(schema)
        if column.type.kind is Kind.DECIMAL
    }


def _restored(value: Any, type_: Type) -> Any:
    """Some drivers return integers as decimals, or decimals with more zeros than they are stored with."""
    if type_ == INTEGER:
        return int(value)
    return at_scale(value, type_.scale) if isinstance(value, Decimal) and not type_.spelled else value


def compare(session: Session, name: str, cases: int, rewrites: Sequence[Rewrite] = REWRITES) -> None:
    for case in range(cases):
        rng = random.Random(f"{name} {case}")
        schema, records = _table(rng)
        text, program = _program(rng, schema)
        values = [Fraction(rng.randrange(1000), 1000) for _ in range(8 * len(records) * len(program.requirements))]
        pairs = [(core.trace_of_values(values), GivenTrace(values)), (core.trace_of_seed(SEED), SeededTrace(SEED))]
        for rho, trace in pairs:
            expected = _expected(program, records, rho)
            found = _found(session, program, records, trace, rewrites)
            assert found == expected, (name, case, text)
        session.clear()


@pytest.mark.campaign
@pytest.mark.slow
@pytest.mark.parametrize("rewrites", [REWRITES, ()], ids=["rewritten", "plain"])
def test_duckdb_agrees_with_semantics(rewrites: Sequence[Rewrite]) -> None:
    with open_session("duckdb") as session:
        compare(session, f"duckdb {len(rewrites)}", at_length(40), rewrites)


@pytest.mark.campaign
def test_postgres_agrees_with_semantics(postgres: Any) -> None:
    with open_session(postgres.url("english")) as session:
        compare(session, "postgres", at_length(40))


@pytest.mark.campaign
def test_spark_agrees_with_semantics(spark: Any) -> None:
    from acompass.engines.spark.session import PlanSession, own_session
    from acompass.plan.lowering.spark import SPARK

    compare(PlanSession(own_session(spark)), "spark", at_length(4))
    few = replace(SPARK, most_rank_groups=3)  # as if there were more records than one worker can sort
    compare(PlanSession(own_session(spark), few), "spark with few groups", at_length(2))


def _unicode(rng: random.Random) -> str:
    ranges = ((0, 0x7F), (0x80, 0x2FF), (0x300, 0x36F), (0x4E00, 0x4FFF), (0x1F600, 0x1F64F), (0x10FF00, 0x10FFFF))
    return "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(rng.randint(0, 80)))


def pseudonyms_agree(session: Session, name: str, cases: int, *, nul: bool = True) -> None:
    """One key gives a value one pseudonym, whatever the engine: random texts, numbers, dates and keys."""
    policy = "ALWAYS : PSEUDONYM v;"
    for case in range(cases):
        rng = random.Random(f"{name} {case}")
        type_ = rng.choice((TEXT, TEXT, INTEGER, decimal(2), replace(decimal(3), spelled=True), FLOAT, DATE, TIMESTAMP))
        values = [_unicode(rng) for _ in range(20)] if type_ == TEXT else list(_values(rng, type_, 20, 19))
        values = [value if nul or type_ != TEXT else value.replace("\0", "") for value in values]
        key = Key(rng.randbytes(rng.choice((32, 63, 64, 65, 200))))
        program, _ = check(parse_text(policy)[0], policy, (Column("v", type_),), {})
        assert program is not None
        state = upload_records(session, program.schema, [(value,) for value in values])
        context = Context(session, GivenTrace(()))
        after = execute(context, state, plan(with_key(program, key)))
        found = {
            pseudonym for (pseudonym,) in session.fetch(final_select(context, after, canonical=True, keep_order=True))
        }
        assert found == {key.pseudonym(key_text_of(to_text(value, type_), type_)) for value in values}, (name, case)
        session.clear()


@pytest.mark.campaign
def test_pseudonyms_on_duckdb_are_those_of_the_key() -> None:
    with open_session("duckdb") as session:
        pseudonyms_agree(session, "duckdb", at_length(20))


@pytest.mark.campaign
def test_pseudonyms_on_postgres_are_those_of_the_key(postgres: Any) -> None:
    with open_session(postgres.url("german")) as session:
        pseudonyms_agree(session, "postgres", at_length(20), nul=False)


@pytest.mark.campaign
def test_pseudonyms_on_spark_are_those_of_the_key(spark: Any) -> None:
    with open_session("local[2]") as session:
        pseudonyms_agree(session, "spark", at_length(4))
