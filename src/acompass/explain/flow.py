"""From a policy, a table and a choice of records to the lives of these records."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from acompass.checked.effects import draws
from acompass.checked.from_syntax import check
from acompass.checked.parameters import ParamValue
from acompass.checked.program import Condition, Program
from acompass.checked.types import Schema
from acompass.checked.uses import ColumnUse, uses
from acompass.diagnostics import CallError, Diagnostic, PolicyError
from acompass.engines.duckdb_followed import FollowedTable, Wanted, open_followed
from acompass.engines.engine import TableRequest
from acompass.explain.follow import Follower
from acompass.explanation import Explanation, Life
from acompass.pipeline import checked_program, pointing_into, require_order
from acompass.plan.running.trace import TraceExhausted
from acompass.policy import Policy, as_policy
from acompass.randomness import TraceSource, TraceValue, exhausted, trace_source
from acompass.syntax.parse import parse

FEW = 5


def explain(
    policy: Policy | str,
    table: Any,
    *,
    record: int | None = None,
    where: str | None = None,
    limit: int = FEW,
    params: Mapping[str, ParamValue] | None = None,
    seed: str | None = None,
    trace: Iterable[TraceValue] | None = None,
    missing: str | None = None,
    delimiter: str | None = None,
    memory_limit: str | None = None,
) -> Explanation:
    """Explain what a run does to the `record`-th record, or to the first `limit` that satisfy `where`.

    The explanation contains personal data.
    """
    choice = _choice(record, where, limit)
    parsed = as_policy(policy)

    def uses_of(names: Sequence[str]) -> dict[int, ColumnUse]:
        return uses(parsed.tree, names, params)

    request = TableRequest(table, uses_of, missing or "error", delimiter)
    with pointing_into(parsed), open_followed(request, memory_limit) as open_table:
        program = checked_program(parsed, open_table.schema, params)
        _require_randomness(program, seed is not None or trace is not None)
        open_table.require_complete()
        return _explanation(open_table, parsed, program, choice(open_table), trace_source(seed, trace))


#: the row keys of the chosen records
Choice: TypeAlias = Callable[[FollowedTable], list[int]]


def _choice(record: int | None, where: str | None, limit: int) -> Choice:
    if record is not None and where is None:
        return partial(_nth, record)
    if where is not None and record is None:
        return partial(_matching, _Where(where), limit)
    help_ = "`--record 5` or `--where 'Age = 86'`"
    raise _wrong("AC701", "expected either a record or a condition", help_)


def _matching(where: "_Where", limit: int, table: FollowedTable) -> list[int]:
    return table.matching(Wanted(where.uses, where.condition), limit)


def _nth(record: int, table: FollowedTable) -> list[int]:
    keys = table.nth(record) if record > 0 else []
    if not keys:
        raise _wrong("AC702", f"the table has no record {record:,}", "records are numbered from 1")
    return keys


def _explanation(
    table: FollowedTable, policy: Policy, program: Program, keys: Sequence[int], trace: TraceSource
) -> Explanation:
    given = table.records(keys)
    follower = Follower(policy.tree, program, given)
    try:
        table.follow(program, trace, follower)
    except TraceExhausted as error:
        raise exhausted(error.needed, error.given) from None
    places = table.places(keys)
    return Explanation(tuple(_life(program, given, follower, key, places[key]) for key in keys))


def _life(
    program: Program, given: Mapping[int, tuple[Any, ...]], follower: Follower, key: int, place: int
) -> Life:
    """A record that is not in `given` was dropped as incomplete."""
    if key not in given:
        return Life(place, None, (), None)
    left = follower.alive.get(key)
    return Life(
        record=place,
        given=_named(program.schema, given[key]),
        steps=follower.steps(key),
        left=None if left is None else _named(program.final_schema, left),
    )


def _named(schema: Schema, record: tuple[Any, ...]) -> dict[str, Any]:
    return {column.name: value for column, value in zip(schema, record, strict=True)}


def _require_randomness(program: Program, given: bool) -> None:
    drawing = [requirement for requirement in program.requirements if draws(requirement.action)]
    if drawing and not given:
        message = (
            f"RANDOM on line {drawing[0].line} cannot be explained without the seed or the trace of the run"
        )
        raise _wrong("AC703", message, "add `--seed` or `--trace`, as for `acompass run`")
    if drawing:
        require_order(program.schema)


class _Where:
    """A condition on the input table, given outside the policy."""

    def __init__(self, text: str):
        self._source = f"EACH RESULT : {text};"
        program, problems = parse(self._source)
        if problems or len(program.requirements) != 1 or program.requirements[0].action is not None:
            raise PolicyError(problems or [_not_a_condition(text)], self._source, "condition")
        self._program = program

    def uses(self, names: Sequence[str]) -> dict[int, ColumnUse]:
        return uses(self._program, names)

    def condition(self, schema: Schema) -> Condition:
        program, problems = check(self._program, self._source, schema)
        if program is None:
            raise PolicyError(problems, self._source, "condition")
        return program.requirements[0].assertion.condition


def _not_a_condition(text: str) -> Diagnostic:
    return Diagnostic("AC704", f"`{text}` is not a single condition", help="`Age > 80 AND Zip = '21000'`")


def _wrong(code: str, message: str, help_: str) -> CallError:
    return CallError([Diagnostic(code, message, help=help_)])
