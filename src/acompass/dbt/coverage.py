"""The assertions of a policy that can be tested on a relation, and why the others cannot.

The source is tested as `check` does: every assertion on the table as it came in (D22). The released model is
the table after the policy, whose types are known before it runs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from acompass.checked.effects import columns_aggregated, columns_read, comparisons, is_always, process_of
from acompass.checked.effects import record_comparisons as compared_in_records
from acompass.checked.program import Aggregate, Assertion, Function, Process, Program, Requirement
from acompass.checked.types import Column, Kind, Schema, Type, decimal
from acompass.plan.running.failing_rows import Asserted
from acompass.result import Note

_LABELS = "no test: the column has labels of a later GENERALIZE, and the line compares numbers"
#: digits after the point of a number whose scale nobody has said
_SCALE = 9
_EXACT = (Kind.INTEGER, Kind.DECIMAL)


@dataclass(frozen=True, slots=True)
class Coverage:
    """`columns` are the positions of the columns that have to be complete, with their types in `schema`."""

    tests: tuple[Asserted, ...]
    schema: Schema
    columns: tuple[int, ...]
    notes: tuple[Note, ...]


def in_source(program: Program, any_scale: frozenset[int], overwritten: frozenset[int]) -> Coverage:
    """`any_scale` are numbers of no known scale, `overwritten` columns that need not be complete (D27)."""
    tests, notes = [], []
    for requirement in _asserting(program):
        if not requirement.judged:
            notes.append(Note(requirement.line, _LABELS))
            continue
        seen = _with_room(requirement.before, any_scale)
        stored = _stored(program.schema, seen, any_scale)
        earlier = program.requirements[: requirement.index - 1]
        tests.append(Asserted(_on(requirement, seen), stored, earlier))
    columns = tuple(sorted(program.named - overwritten))
    return Coverage(tuple(tests), _with_room(program.schema, any_scale), columns, tuple(notes))


def _stored(schema: Schema, seen: Schema, any_scale: frozenset[int]) -> Schema:
    """A number of any scale that has become text has the text that is stored."""
    return tuple(seen[i] if i in any_scale else column for i, column in enumerate(schema))


def in_released(program: Program, any_scale: frozenset[int]) -> Coverage:
    """A line that compares a column by its values has no test if the column has none of them any more."""
    final = _with_room(program.final_schema, any_scale)
    tests, notes = [], []
    for requirement in _asserting(program):
        changed = _changed(requirement, final)
        if changed:
            names = ", ".join(f"`{final[i].name}`" for i in changed)
            notes.append(Note(requirement.line, f"no test: later lines drop {names} or turn it into text"))
            continue
        tests.append(Asserted(_on(requirement, final), final))
    columns = tuple(i for i in sorted(program.named) if final[i].type.kind is not Kind.DROPPED)
    return Coverage(tuple(tests), final, columns, tuple(notes))


def _with_room(schema: Schema, any_scale: frozenset[int]) -> Schema:
    """The policy is checked with the narrowest types, in which its labels and constants make sense. Tables
    may have more digits than that after the point."""
    return tuple(
        replace(column, type=decimal(max(_SCALE, column.type.scale)))
        if i in any_scale and column.type.kind in _EXACT
        else column
        for i, column in enumerate(schema)
    )


def _asserting(program: Program) -> Iterator[Requirement]:
    """The requirements that assert something, and the assertion of a THEN only once (X10)."""
    seen: set[tuple[object, ...]] = set()
    for requirement in program.requirements:
        assertion = requirement.assertion
        key = (assertion, assertion.span)
        if (requirement.judged and is_always(requirement)) or key in seen:
            continue
        seen.add(key)
        yield requirement


def _changed(requirement: Requirement, final: Schema) -> list[int]:
    """The columns that the requirement needs and that the released table has not, or not as values of a
    comparable type. Classes and distinct values are of any type."""
    needed = _valued(requirement)
    return [
        i
        for i in sorted(columns_read(requirement))
        if final[i].type.kind is Kind.DROPPED
        or (i in needed and not _alike(requirement.before[i].type, final[i].type))
    ]


def _valued(requirement: Requirement) -> set[int]:
    """The columns whose values are compared or added."""
    columns = {comparison.column for comparison in compared_in_records(requirement)}
    process = process_of(requirement)
    if process is not None:
        compared = {comparison.column for comparison in comparisons(requirement.assertion.condition)}
        columns |= {group for at, group in enumerate(process.group_by) if at in compared}
        columns |= columns_aggregated(replace(process, aggregates=_of_values(process)))
    return columns


def _of_values(process: Process) -> tuple[Aggregate, ...]:
    return tuple(each for each in process.aggregates if each.function is not Function.COUNT_DISTINCT)


def _alike(before: Type, after: Type) -> bool:
    return before.kind is after.kind or (before.kind in _EXACT and after.kind in _EXACT)


def _on(requirement: Requirement, final: Schema) -> Requirement:
    """The requirement over other types of the same columns."""
    assertion, process = requirement.assertion, process_of(requirement)
    typed = replace(assertion, schema=final) if process is None else _typed(assertion, process, final)
    return replace(requirement, assertion=typed, before=final, after=final)


def _typed(assertion: Assertion, process: Process, final: Schema) -> Assertion:
    aggregates = tuple(_aggregate(each, final) for each in process.aggregates)
    groups = tuple(final[group] for group in process.group_by)
    schema = (*groups, *(Column(each.name, each.type) for each in aggregates))
    return replace(assertion, result=replace(process, aggregates=aggregates), schema=schema)


def _aggregate(aggregate: Aggregate, final: Schema) -> Aggregate:
    if aggregate.column is None or aggregate.function is Function.COUNT_DISTINCT:
        return aggregate
    return replace(aggregate, type=final[aggregate.column].type)
