"""Run one random case on an engine and on `semantics`, and compare bags, verdicts, counts and trace use."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any, TypeAlias

from acompass import semantics
from acompass.checked.effects import needs_order
from acompass.checked.exact import at_scale
from acompass.checked.maps.map import Unlabelled
from acompass.checked.program import Program
from acompass.checked.types import Column, Kind, Schema, remaining
from acompass.conformance.generate import Case
from acompass.plan.from_checked import Rewrite, plan, without_actions
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.rewrites import REWRITES
from acompass.plan.running.context import Context
from acompass.plan.running.execute import execute, final_select
from acompass.plan.running.session import Session
from acompass.plan.running.trace import GivenTrace, SeededTrace, Trace

#: with a colon and characters outside ASCII, because `seed:i` is hashed as UTF-8
SEED = "graine d'été: 1"

#: (holds, affected, records, selects_none) of each requirement
Verdicts: TypeAlias = tuple[tuple[bool, int, int, bool], ...]


@dataclass(frozen=True)
class Ran:
    records: list[tuple[Any, ...]]
    verdicts: Verdicts
    trace_used: int


@dataclass(frozen=True)
class Stopped:
    """The requirement at which a run stops because `count` records have values without a label (X2)."""

    requirement: int
    count: int


@dataclass(frozen=True)
class Observed:
    """The observable outcome of a check, a run with the trace of the case, and a run with a seed (D19) where
    the program draws."""

    checked: Verdicts
    given: Ran | Stopped
    seeded: Ran | Stopped | None


@dataclass(frozen=True)
class Disagreement:
    case: Case
    what: str
    expected: Any
    found: Any


def compare(case: Case, observe: Callable[[Case, Program], Observed]) -> Disagreement | None:
    """The first difference between the engine and `semantics`; None where they agree."""
    plain = without_negative_zeros(case)
    program = plain.program()
    expected, found = _observe_semantics(plain, program), observe(plain, program)
    pairs = [
        ("checked", expected.checked, found.checked),
        *_comparable(expected.given, found.given),
        *(("seeded", e, f) for _, e, f in _comparable(expected.seeded, found.seeded)),
    ]
    return next((Disagreement(case, what, e, f) for what, e, f in pairs if e != f), None)


def _comparable(
    expected: Ran | Stopped | None, found: Ran | Stopped | None
) -> Iterator[tuple[str, Any, Any]]:
    """What to compare: its name, what `semantics` says, what the engine says."""
    if isinstance(expected, Ran) and isinstance(found, Ran):
        yield "verdicts", expected.verdicts, found.verdicts
        yield "trace_used", expected.trace_used, found.trace_used
        yield "records", _bag(expected.records), _bag(found.records)
    else:
        yield "unlabelled", expected, found


def without_negative_zeros(case: Case) -> Case:
    """-0.0 and 0.0 are the same value, and every reader of tables turns it into 0.0."""
    floats = {i for i, column in enumerate(case.schema) if column.type.kind is Kind.FLOAT}
    records = [
        tuple(0.0 if i in floats and value == 0 else value for i, value in enumerate(record))
        for record in case.records
    ]
    return replace(case, records=records)


def with_typed_columns(case: Case) -> Case:
    """The case in a table that has types: no zero is negative, and numbers have no spelling of their own."""
    schema = tuple(replace(c, type=replace(c.type, spelled=False)) for c in case.schema)
    decimals = {i: c.type.scale for i, c in enumerate(schema) if c.type.kind is Kind.DECIMAL}
    records = [
        tuple(
            (at_scale(value, decimals[i]) or Decimal(0).scaleb(-decimals[i]))
            if i in decimals and value is not None
            else value
            for i, value in enumerate(record)
        )
        for record in case.records
    ]
    return without_negative_zeros(replace(case, schema=schema, records=records))


def _observe_semantics(case: Case, program: Program) -> Observed:
    given, seed = semantics.trace_of_values(case.trace), semantics.trace_of_seed(SEED)
    return Observed(
        _comparable_verdicts(semantics.check_program(program, case.records)),
        _meant(case, program, given),
        _meant(case, program, seed) if needs_order(program.requirements) else None,
    )


def _meant(case: Case, program: Program, rho: semantics.Trace) -> Ran | Stopped:
    try:
        outcome = semantics.run_program(program, case.records, rho)
    except Unlabelled as error:
        return Stopped(error.requirement, error.count)
    return Ran(outcome.records, _comparable_verdicts(outcome.requirements), outcome.trace_used)


def _comparable_verdicts(verdicts: Sequence[Any]) -> Verdicts:
    return tuple((each.holds, each.affected, each.records, each.selects_none) for each in verdicts)


def _bag(records: list[tuple[Any, ...]]) -> Counter[tuple[tuple[str, Any], ...]]:
    """The bag with the type of every value: 1, 1.0 and True are equal in Python, but not here."""
    return Counter(tuple((type(value).__name__, _value(value)) for value in record) for record in records)


def _value(value: Any) -> Any:
    """Decimals with their spelling (D26): 2 and 2.0 are equal in Python, but not here."""
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return format(value, "f") if isinstance(value, Decimal) else value


def observe_session(
    session: Session, rewrites: Sequence[Rewrite] = REWRITES
) -> Callable[[Case, Program], Observed]:
    """Observe an engine that runs plans, on uploaded records."""

    def observe(case: Case, program: Program) -> Observed:
        state = uploaded(session, program.schema, case.records, case.digits)
        check_context = Context(session, GivenTrace(()))
        execute(check_context, state, plan(without_actions(program), rewrites))
        return Observed(
            _in_order(check_context, program),
            _run(session, state, program, rewrites, GivenTrace(case.trace)),
            _run(session, state, program, rewrites, SeededTrace(SEED))
            if needs_order(program.requirements)
            else None,
        )

    return observe


def _run(
    session: Session, state: State, program: Program, rewrites: Sequence[Rewrite], trace: Trace
) -> Ran | Stopped:
    context = Context(session, trace)
    try:
        after = execute(context, state, plan(program, rewrites))
    except Unlabelled as error:
        return Stopped(error.requirement, error.count)
    rows = session.fetch(final_select(context, after, canonical=True, keep_order=False))
    records = [_restored(row, after.schema) for row in rows]
    return Ran(records, _in_order(context, program), context.trace_used)


def _in_order(context: Context, program: Program) -> Verdicts:
    return _comparable_verdicts([context.verdicts[requirement.index] for requirement in program.requirements])


def uploaded(
    session: Session,
    schema: Schema,
    records: list[tuple[Any, ...]],
    digits: Mapping[str, int] = MappingProxyType({}),
) -> State:
    """`digits` has the number of digits that a decimal column is stored in, by name."""
    columns = [(sql.name(i), _stored_type(column, digits)) for i, column in enumerate(schema)]
    numbered = [(*_stored(record, schema), place) for place, record in enumerate(records)]
    table = session.upload([*columns, (ROW_KEY, "BIGINT")], numbered)
    select = sql.everything(sql.table(table))
    return State(select, schema, has_row_key=True, records=len(records))


def _stored_type(column: Column, digits: Mapping[str, int]) -> str:
    if column.name in digits and not column.type.spelled:
        return f"DECIMAL({digits[column.name]}, {column.type.scale})"
    return sql.stored_type(column.type)


def _stored(record: tuple[Any, ...], schema: Schema) -> tuple[Any, ...]:
    pairs = zip(record, schema, strict=True)
    return tuple(None if value is None else sql.stored_value(value, column.type) for value, column in pairs)


def _restored(row: tuple[Any, ...], schema: Schema) -> tuple[Any, ...]:
    """Some drivers return a wide integer column as decimals. A dropped column has no value."""
    left = dict(zip(remaining(schema), row, strict=True))
    return tuple(
        int(left[position])
        if column.type.kind is Kind.INTEGER and left[position] is not None
        else sql.fetched(left.get(position), column.type)
        for position, column in enumerate(schema)
    )
