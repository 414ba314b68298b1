"""Follow the influence of one record's values in some columns, and slice the policy to the lines that matter.

docs/privacy.md, section "Proofs", has the definitions."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from acompass.dataclasses import dataclass, replace
from acompass.language.program import effects
from acompass.language.program.program import NEVER, And, Assertion, Condition, Program, Requirement, Result
from acompass.language.program.types import Kind, remaining
from acompass.language.text.tree import Quantifier


@dataclass(frozen=True, slots=True)
class Influence:
    stop: int  # the first line over classes that reads tainted columns, or that writes what is not followed
    tainted: tuple[frozenset[int], ...]  # for each step, the columns of the record that may depend on the raw value
    live: frozenset[int]  # the columns that matter from `stop` on


def is_record_level(requirement: Requirement) -> bool:
    """Whether the record alone decides what happens to it."""
    return effects.process_of(requirement) is None and requirement.assertion.quantifier is Quantifier.EACH


def column_influence(program: Program, columns: frozenset[int]) -> Influence:
    tainted = [columns]
    is_presence_tainted = False
    for requirement in program.requirements:
        is_read = bool(effects.columns_read(requirement) & tainted[-1])
        if not is_record_level(requirement) and (is_read or is_presence_tainted):
            break
        if not _is_followed(requirement, tainted[-1], is_read=is_read):
            break
        is_presence_tainted |= is_read and effects.removes_records(requirement.action)
        own = effects.written_by(requirement.action) if is_read else frozenset()
        tainted.append((tainted[-1] | own) - columns_cleared(requirement))
    stop = len(tainted) - 1
    return Influence(stop, tuple(tainted), live_columns(program)[stop])


def _is_followed(requirement: Requirement, tainted: frozenset[int], *, is_read: bool) -> bool:
    """Whether the laws of a record go beyond the line. They do not if the written values depend on other records, or on
    tainted columns in another way than by a map: from there on, everything is post-processing."""
    kernel = effects.kernel_of(requirement.action)
    if kernel is None or not kernel.reads_value or kernel.label_map() is not None:
        return True
    touched = effects.written_by(requirement.action) | effects.read_by(requirement.action)
    return not (kernel.reads_others or is_read or touched & tainted)


def columns_cleared(requirement: Requirement) -> frozenset[int]:
    """The columns that lose every earlier value: they are overwritten in every record, or dropped."""
    dropped = (c for c, (_, after) in effects.type_changes(requirement).items() if after.kind is Kind.DROPPED)
    write = effects.write_of(requirement.action)
    is_about_all = effects.is_always(requirement) and effects.is_certain(requirement.action)
    if write is None or write.kernel.reads_value or not is_about_all:
        return frozenset(dropped)
    return frozenset((*write.columns, *dropped))


def live_columns(program: Program) -> list[frozenset[int]]:
    """For each step, the columns that a later line reads, or that are released. GENERALIZE reads its column: without a
    label, nothing is written."""
    live = frozenset(remaining(program.final_schema))
    steps = [live]
    for requirement in reversed(program.requirements):
        own = effects.read_by(requirement.action)
        live = (live - columns_cleared(requirement)) | effects.columns_read(requirement) | own
        steps.append(live)
    return steps[::-1]


def columns_involved(
    requirements: Iterable[Requirement], influence: Influence, *, with_rejects: bool
) -> frozenset[int]:
    """The tainted columns and those that influence them; `with_rejects` adds those that decide whether the record is
    kept."""
    lines = [
        (requirement, tainted)
        for requirement, tainted in zip(requirements, influence.tainted, strict=False)
        if is_record_level(requirement)
    ]
    involved = frozenset().union(*influence.tainted)
    while True:
        more = involved.union(
            *(
                effects.columns_read(requirement)
                for requirement, tainted in lines
                if matters(requirement, involved, tainted, with_rejects=with_rejects)
            )
        )
        if more == involved:
            return involved
        involved = more


def matters(requirement: Requirement, involved: frozenset[int], tainted: frozenset[int], *, with_rejects: bool) -> bool:
    """Whether a record-level line changes the columns, or rejects the record or fails because of them."""
    if (effects.type_changes(requirement).keys() | effects.written_by(requirement.action)) & involved:
        return True
    return is_about_presence(requirement) and (with_rejects or bool(effects.columns_read(requirement) & tainted))


def is_about_presence(requirement: Requirement) -> bool:
    """Whether the line can drop the record, or keep any table from being written."""
    return requirement.action is None or effects.removes_records(requirement.action)


@dataclass(frozen=True, slots=True)
class Marker:
    """A line that may drop or change the record, and reads nothing of it that depends on the raw value."""

    columns: tuple[int, ...]  # the columns that it may read


#: the line itself; for a line over classes, two variants: other records decide whether the record is affected
Line: TypeAlias = tuple[Marker | Requirement, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    lines: tuple[Line, ...]
    columns: frozenset[int]  # the columns that matter for the raw value
    kept: tuple[int, ...]  # those that are visible at the end


def policy_slice(program: Program, influence: Influence, *, with_rejects: bool) -> Slice:
    requirements = program.requirements[: influence.stop]
    columns = columns_involved(requirements, influence, with_rejects=with_rejects)
    lines = [
        line
        for requirement, tainted in zip(requirements, influence.tainted, strict=False)
        for line in _lines(requirement, columns, tainted, with_rejects)
    ]
    return Slice(tuple(lines), columns, tuple(sorted(columns & influence.live)))


def _lines(
    requirement: Requirement, columns: frozenset[int], tainted: frozenset[int], with_rejects: bool
) -> Iterator[Line]:
    seen = (Marker(tuple(sorted(columns - tainted))),)
    if is_record_level(requirement):
        if matters(requirement, columns, tainted, with_rejects=with_rejects):
            yield (requirement,)
        elif is_about_presence(requirement):
            yield seen
        return
    yield seen
    if not effects.written_by(requirement.action).isdisjoint(columns):
        # an And without operands is true: no record violates it
        yield (_replace_condition(requirement, And(())), _replace_condition(requirement, NEVER))


def _replace_condition(requirement: Requirement, condition: Condition) -> Requirement:
    assertion = Assertion(Quantifier.EACH, Result(), condition, requirement.before)
    return replace(requirement, assertion=assertion)
