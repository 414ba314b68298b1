"""From a policy, a table and the choice of a few records to their lives, on one page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acompass.checked.from_syntax import check
from acompass.checked.parameters import ParamValue
from acompass.checked.program import Condition, Program, Random
from acompass.checked.types import Schema
from acompass.checked.uses import ColumnUse, uses
from acompass.diagnostics import CallError, Diagnostic, PolicyError
from acompass.engines.duckdb_followed import FollowedTable, Wanted, open_followed
from acompass.engines.engine import TableRequest
from acompass.explain.follow import Follower
from acompass.explain.life import Explanation, Life
from acompass.pipeline import checked_program, pointing_into, require_order
from acompass.plan.running.trace import TraceExhausted
from acompass.policy import Policy, as_policy
from acompass.randomness import TraceValue, exhausted, trace_source
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
    """What a run does to the table's `record`-th record, or to the first `limit` that satisfy `where`.

    What comes back is personal data.
    """
    if (record is None) == (where is None):
        raise _wrong(
            "AC701", "one of a record and a condition is needed", "`--record 5` or `--where 'Age = 86'`"
        )
    chosen = None if where is None else _Where(where)
    parsed = as_policy(policy)

    def uses_of(names: Sequence[str]) -> dict[int, ColumnUse]:
        return uses(parsed.tree, names, params)

    request = TableRequest(table, uses_of, missing or "error", delimiter)
    with pointing_into(parsed), open_followed(request, memory_limit) as open_table:
        program = checked_program(parsed, open_table.schema, params)
        _require_randomness(program, seed is not None or trace is not None)
        open_table.require_complete()
        keys = _chosen(open_table, record, chosen, limit)
        followed = _follow(open_table, parsed, program, keys, seed, trace)
        places = open_table.places(keys)
        lives = [_life(program, followed, key, places[key]) for key in keys]
    return Explanation(tuple(lives))


def _chosen(table: FollowedTable, record: int | None, where: "_Where | None", limit: int) -> list[int]:
    if where is not None:
        return table.matching(Wanted(where.uses, where.condition), limit)
    assert record is not None
    keys = table.nth(record) if record > 0 else []
    if not keys:
        raise _wrong("AC702", f"the table has no record {record:,}", "records are counted from 1")
    return keys


@dataclass(frozen=True)
class _Followed:
    given: Mapping[int, tuple[Any, ...]]
    follower: Follower


def _follow(
    table: FollowedTable,
    policy: Policy,
    program: Program,
    keys: Sequence[int],
    seed: str | None,
    trace: Iterable[TraceValue] | None,
) -> _Followed:
    given = table.records(keys)
    follower = Follower(policy.tree, program, given)
    try:
        table.follow(program, trace_source(seed, trace), follower)
    except TraceExhausted as error:
        raise exhausted(error.needed, error.given) from None
    return _Followed(given, follower)


def _life(program: Program, followed: _Followed, key: int, place: int) -> Life:
    if key not in followed.given:
        return Life(place, None, (), None)
    left = followed.follower.alive.get(key)
    return Life(
        record=place,
        given=_named(program.schema, followed.given[key]),
        steps=followed.follower.steps(key),
        left=None if left is None else _named(program.final_schema, left),
    )


def _named(schema: Schema, record: tuple[Any, ...]) -> dict[str, Any]:
    return {column.name: value for column, value in zip(schema, record, strict=True)}


def _require_randomness(program: Program, given: bool) -> None:
    drawing = [r for r in program.requirements if isinstance(r.action, Random)]
    if drawing and not given:
        message = f"what RANDOM on line {drawing[0].line} writes is known with the seed or the trace only"
        help_ = "give `--seed` or `--trace` as to `acompass run`"
        raise _wrong("AC703", message, help_)
    if drawing:
        require_order(program.schema)


class _Where:
    """A condition from outside the policy, on the table as given."""

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
    return Diagnostic("AC704", f"`{text}` is not one condition", help="`Age > 80 AND Zip = '21000'`")


def _wrong(code: str, message: str, help_: str) -> CallError:
    return CallError([Diagnostic(code, message, help=help_)])
