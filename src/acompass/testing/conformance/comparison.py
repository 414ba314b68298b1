"""Run one case on an engine and on `semantics`, and compare records, verdicts, counts and the use of the trace.

A disagreement can be written as a literate test: Markdown with the policy, the table, and the outcome that
`semantics` expects."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, TypeAlias

from acompass.dataclasses import dataclass, replace
from acompass.language.program.effects import action_name, is_always, needs_key, needs_order
from acompass.language.program.kernels import UnfitValueError
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import Program, Verdict
from acompass.language.program.types import EXACT, Column, Kind, Schema, Type, remaining, to_text
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.planner import REWRITES, Rewrite, plan, without_actions
from acompass.plan.run.context import Context, GivenTrace, SeededTrace, Session, Trace
from acompass.plan.run.execution import execute, final_select
from acompass.semantics import core
from acompass.semantics.core import Outcome
from acompass.testing.conformance.cases import REFERENCE, Case

#: has a colon and non-ASCII characters, because `seed:i` is hashed as UTF-8
SEED = "graine d'été: 1"

#: (holds, affected, records, selects_none) of each requirement
Verdicts: TypeAlias = tuple[tuple[bool, int, int, bool], ...]


@dataclass(frozen=True)
class RunOutcome:
    records: list[tuple[Any, ...]]
    verdicts: Verdicts
    trace_used: int


@dataclass(frozen=True)
class StopOutcome:
    """A run that stops because a map has no label for a value (X2, labels), or because a value cannot be written."""

    error: type[UnlabeledValueError | UnfitValueError]
    requirement: int
    count: int  # the number of records with such a value


@dataclass(frozen=True)
class Observation:
    checked: Verdicts  # of a check
    given: RunOutcome | StopOutcome  # of a run with the case's trace
    seeded: RunOutcome | StopOutcome | None  # of a run with a seed (D19, seeds); None if the program draws nothing


@dataclass(frozen=True)
class Disagreement:
    case: Case
    what: str  # a key of `_TITLES`
    expected: Any
    found: Any


def compare(case: Case, observe: Callable[[Case, Program], Observation]) -> Disagreement | None:
    """The first difference between the engine and `semantics`; None if they agree."""
    plain = without_negative_zeros(case)
    program = plain.program()
    expected, found = _observe_semantics(plain, program), observe(plain, program)
    pairs = [
        ("checked", expected.checked, found.checked),
        *_comparable_pairs(expected.given, found.given),
        *(("seeded", e, f) for _, e, f in _comparable_pairs(expected.seeded, found.seeded)),
    ]
    return next((Disagreement(case, what, e, f) for what, e, f in pairs if e != f), None)


def _comparable_pairs(
    expected: RunOutcome | StopOutcome | None, found: RunOutcome | StopOutcome | None
) -> Iterator[tuple[str, Any, Any]]:
    """What to compare: its name, the value that `semantics` gives, and the engine's value."""
    if isinstance(expected, RunOutcome) and isinstance(found, RunOutcome):
        yield "verdicts", expected.verdicts, found.verdicts
        yield "trace_used", expected.trace_used, found.trace_used
        yield "records", _bag(expected.records), _bag(found.records)
    else:
        yield "stopped", expected, found


def without_negative_zeros(case: Case) -> Case:
    """-0.0 equals 0.0, and every table reader turns it into 0.0."""
    floats = {i for i, column in enumerate(case.schema) if column.type.kind is Kind.FLOAT}
    records = [
        tuple(0.0 if i in floats and value == 0 else value for i, value in enumerate(record)) for record in case.records
    ]
    return replace(case, records=records)


def _observe_semantics(case: Case, program: Program) -> Observation:
    given, seed = core.trace_of_values(case.trace), core.trace_of_seed(SEED)
    return Observation(
        _comparable_verdicts(core.check_program(program, case.records)),
        _run_semantics(case, program, given),
        _run_semantics(case, program, seed) if needs_order(program.requirements) else None,
    )


def _run_semantics(case: Case, program: Program, rho: core.Trace) -> RunOutcome | StopOutcome:
    try:
        outcome = core.run_program(program, case.records, rho)
    except (UnlabeledValueError, UnfitValueError) as error:
        return StopOutcome(type(error), error.requirement, error.count)
    return RunOutcome(outcome.records, _comparable_verdicts(outcome.requirements), outcome.trace_used)


def _comparable_verdicts(verdicts: Sequence[Any]) -> Verdicts:
    return tuple((each.holds, each.affected, each.records, each.selects_none) for each in verdicts)


def _bag(records: list[tuple[Any, ...]]) -> Counter[tuple[tuple[str, Any], ...]]:
    """The bag of records with the type of every value: 1, 1.0 and True are equal in Python, but not here."""
    return Counter(tuple((type(value).__name__, _comparable_value(value)) for value in record) for record in records)


def _comparable_value(value: Any) -> Any:
    """Decimals with their spelling (D26, spellings): 2 and 2.0 are equal in Python, but not here."""
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return format(value, "f") if isinstance(value, Decimal) else value


def observe_session(session: Session, rewrites: Sequence[Rewrite] = REWRITES) -> Callable[[Case, Program], Observation]:
    """Observe an engine that runs plans, on uploaded records."""

    def observe(case: Case, program: Program) -> Observation:
        state = upload_records(session, program.schema, case.records, case.digits)
        check_context = Context(session, GivenTrace(()))
        execute(check_context, state, plan(without_actions(program), rewrites))
        return Observation(
            _ordered_verdicts(check_context, program),
            _run_session(session, state, program, rewrites, GivenTrace(case.trace)),
            _run_session(session, state, program, rewrites, SeededTrace(SEED))
            if needs_order(program.requirements)
            else None,
        )

    return observe


def _run_session(
    session: Session, state: State, program: Program, rewrites: Sequence[Rewrite], trace: Trace
) -> RunOutcome | StopOutcome:
    context = Context(session, trace)
    try:
        after = execute(context, state, plan(program, rewrites))
    except (UnlabeledValueError, UnfitValueError) as error:
        return StopOutcome(type(error), error.requirement, error.count)
    rows = session.fetch(final_select(context, after, canonical=True, keep_order=False))
    records = [_restored_record(row, after.schema) for row in rows]
    return RunOutcome(records, _ordered_verdicts(context, program), context.trace_used)


def _ordered_verdicts(context: Context, program: Program) -> Verdicts:
    return _comparable_verdicts([context.verdicts[requirement.index] for requirement in program.requirements])


def upload_records(
    session: Session, schema: Schema, records: list[tuple[Any, ...]], digits: Mapping[str, int] = MappingProxyType({})
) -> State:
    """`digits` is the precision that a decimal column is stored with, by the column's name."""
    columns = [(sql.name(i), _stored_type(column, digits)) for i, column in enumerate(schema)]
    numbered = [(*_stored_record(record, schema), place) for place, record in enumerate(records)]
    table = session.upload([*columns, (ROW_KEY, "BIGINT")], numbered)
    select = sql.select_all(sql.table(table))
    return State(select, schema, has_row_key=True, records=len(records))


def _stored_type(column: Column, digits: Mapping[str, int]) -> str:
    if column.name in digits and not column.type.spelled:
        return f"DECIMAL({digits[column.name]}, {column.type.scale})"
    return sql.stored_type(column.type)


def _stored_record(record: tuple[Any, ...], schema: Schema) -> tuple[Any, ...]:
    pairs = zip(record, schema, strict=True)
    return tuple(None if value is None else sql.stored_value(value, column.type) for value, column in pairs)


def _restored_record(row: tuple[Any, ...], schema: Schema) -> tuple[Any, ...]:
    """A fetched row as a record of `schema`. Some drivers return a wide integer column as decimals; a dropped column
    has no value."""
    left = dict(zip(remaining(schema), row, strict=True))
    return tuple(
        int(left[position])
        if column.type.kind is Kind.INTEGER and left[position] is not None
        else sql.fetched_value(left.get(position), column.type)
        for position, column in enumerate(schema)
    )


_TITLES = {
    "answer": "The engine reports an error",
    "stopped": "The runs do not stop at the same values",
    "checked": "The verdicts of a check differ",
    "records": "The records differ",
    "seeded": "The records differ, given a seed",
    "trace_used": "The use of the trace differs",
    "verdicts": "The verdicts differ",
}
#: the kinds that CSV columns get without declared types (D10, reading types)
_UNTYPED = frozenset({Kind.INTEGER, Kind.TEXT})


def write_literate_test(disagreement: Disagreement) -> str:
    case = without_negative_zeros(disagreement.case)
    outcome = _expected_outcome(disagreement, case)
    drawn_from = _random_option(disagreement, len(case.trace) if outcome is None else outcome.trace_used)
    blocks = [
        ("acompass", f"{case.policy_text}\n"),
        ("options", "".join(f"{line}\n" for line in _options(case, drawn_from))),
        ("csv", _csv(case.schema, case.records)),
        *([("reference", case.reference)] if REFERENCE in case.policy_text else []),
        *([] if outcome is None else _expected_blocks(case.program(), outcome)),
    ]
    fenced = (f"```{word}\n{text}```\n" for word, text in blocks)
    return "\n".join([f"## {_TITLES[disagreement.what]}\n", *fenced])


def _expected_outcome(disagreement: Disagreement, case: Case) -> Outcome | None:
    """The outcome by `semantics`; None if it stops at a value."""
    rho = core.trace_of_seed(SEED) if disagreement.what == "seeded" else core.trace_of_values(case.trace)
    try:
        return core.run_program(case.program(), case.records, rho)
    except (UnlabeledValueError, UnfitValueError):
        return None


def _expected_blocks(program: Program, outcome: Outcome) -> list[tuple[str, str]]:
    after = core.canonical_order(program.final_schema, outcome.records)
    return [("after", _csv(program.final_schema, after)), ("verdicts", _verdict_lines(program, outcome.requirements))]


def _random_option(disagreement: Disagreement, used: int) -> str | None:
    """The option with the random numbers; None if the run draws none."""
    if disagreement.what == "seeded":
        return f"seed: {SEED}"
    drawn = disagreement.case.trace[:used]
    return "trace: " + " ".join(_decimal(rho) for rho in drawn) if drawn else None


def _options(case: Case, random_option: str | None) -> Iterable[str]:
    yield from (f"set: {name}={value}" for name, value in case.params.items())
    if any(column.type.kind not in _UNTYPED for column in case.schema):
        yield "types: " + " ".join(_type_option(case, column) for column in case.schema)
    if random_option is not None:
        yield random_option
    if needs_key(case.program().requirements):
        yield f"key: {case.key}"
    yield "order: canonical"
    yield "force: yes"


def _type_option(case: Case, column: Column) -> str:
    if column.type.spelled:
        return "text"
    digits = case.digits.get(column.name)
    return str(column.type) if digits is None else f"decimal({digits},{column.type.scale})"


def _decimal(rho: Fraction) -> str:
    return format(EXACT.divide(Decimal(rho.numerator), Decimal(rho.denominator)), "f")


def _csv(schema: Schema, records: Iterable[tuple[Any, ...]]) -> str:
    kept = remaining(schema)
    lines = [[_quote_field(schema[position].name) for position in kept]]
    lines += [[_field(record[position], schema[position].type) for position in kept] for record in records]
    return "".join(",".join(line) + "\n" for line in lines)


def _field(value: Any, type_: Type) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return _quote_field(to_text(value, type_))


def _quote_field(text: str) -> str:
    plain = text and text == text.strip() and not any(mark in text for mark in ',;\t|"\r\n#')
    doubled = text.replace('"', '""')
    return text if plain else f'"{doubled}"'


def _verdict_lines(program: Program, verdicts: Sequence[Verdict]) -> str:
    actions = [action_name(requirement.action) or "-" for requirement in program.requirements]
    words = [
        "-" if is_always(requirement) else "holds" if verdict.holds else "violated"
        for requirement, verdict in zip(program.requirements, verdicts, strict=True)
    ]
    return "".join(
        f"{i} {word} {verdict.affected} {action}\n"
        for i, (verdict, word, action) in enumerate(zip(verdicts, words, actions, strict=True), start=1)
    )
