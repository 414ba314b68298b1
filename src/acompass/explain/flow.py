"""From a policy, an open table and a choice of records to the lives of these records."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from acompass.checked.effects import draws, is_certain
from acompass.checked.from_syntax import check
from acompass.checked.program import Condition, Program
from acompass.checked.types import Schema, remaining
from acompass.checked.uses import ColumnUse, uses
from acompass.diagnostics import CallError, Diagnostic, PolicyError
from acompass.engines.engine import OpenTable
from acompass.explain.follow import Follower
from acompass.explanation import Explanation, Life
from acompass.options import ReadingOptions
from acompass.pipeline import Call, execute, loaded_for
from acompass.plan.from_checked import plan
from acompass.plan.running.row_lookup import matching_row_keys, nth_row_key, places, records_by_key
from acompass.syntax.parse import parse

#: the row keys of the chosen records
Choice: TypeAlias = Callable[[OpenTable, Call], list[int]]


def explain_records(table: OpenTable, call: Call, choice: Choice, *, knows_trace: bool) -> Explanation:
    """The records have row keys that are the same however the table is loaded."""
    with table.numbered() as numbered, loaded_for(numbered, call) as (loaded, program):
        _require_randomness(program, knows_trace)
        keys = choice(numbered, call)
        given = records_by_key(loaded.session, loaded.state, keys) if keys else {}
        follower = Follower(call.policy.tree, program, given)
        following = replace(call, execution=replace(call.execution, observe=follower))
        execute(loaded, program, plan(program, loaded.rewrites), following)
        numbers = _numbers(numbered, keys)
    return Explanation(tuple(_life(program, given, follower, key, numbers[key]) for key in keys))


def choice_of(record: int | None, where: str | None, limit: int) -> Choice:
    if record is not None and where is None:
        return partial(_nth, record)
    if where is not None and record is None:
        return partial(_matching, _Where(where), limit)
    help_ = "`--record 5` or `--where 'Age = 86'`"
    raise _wrong("AC701", "expected either a record or a condition", help_)


def _nth(record: int, table: OpenTable, _call: Call) -> list[int]:
    keys: list[int] = []
    if record > 0:
        with table.load({}, ReadingOptions()) as whole:
            keys = nth_row_key(whole.session, whole.state, record)
    if not keys:
        raise _wrong("AC702", f"the table has no record {record:,}", "records are numbered from 1")
    return keys


def _matching(where: "_Where", limit: int, table: OpenTable, call: Call) -> list[int]:
    """The table is loaded again, because the condition must not decide the types that the policy sees."""
    reading = ReadingOptions(dates=call.reading(table.names).dates)
    with table.load(where.uses(table.names), reading) as loaded:
        return matching_row_keys(loaded.session, loaded.state, where.condition(loaded.schema), limit)


def _numbers(table: OpenTable, keys: Sequence[int]) -> dict[int, int]:
    """The records' places in the input, from 1."""
    with table.load({}, ReadingOptions()) as whole:
        return places(whole.session, whole.state, keys)


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
    return {schema[position].name: record[position] for position in remaining(schema)}


def _require_randomness(program: Program, given: bool) -> None:
    drawing = [requirement for requirement in program.requirements if draws(requirement.action)]
    if drawing and not given:
        word = "RANDOM" if is_certain(drawing[0].action) else "WITH PROBABILITY"
        line = drawing[0].line
        message = f"{word} on line {line} cannot be explained without the seed or the trace of the run"
        raise _wrong("AC703", message, "add `--seed` or `--trace`, as for `acompass run`")


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
