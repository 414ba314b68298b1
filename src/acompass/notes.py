"""Notes of a check or a run: what is not an error, but probably not intended, or more than a reader would take from the
answer."""

from collections.abc import Iterator
from functools import partial

from acompass.dataclasses import dataclass
from acompass.engines.protocol import SHORTEST_SEED, Destination, Execution, LoadedTable, Outcome, readable_key_text
from acompass.errors.diagnostics import option_text
from acompass.language.program.effects import (
    aggregates_of,
    columns_overwritten,
    columns_with_pseudonyms,
    needs_key,
    process_of,
    projection_of,
)
from acompass.language.program.program import Program
from acompass.policy import Policy, TableRoles, looks_like_persons
from acompass.result import Note
from acompass.tables.csv import is_formula


@dataclass(frozen=True)
class Performance:
    """A policy that was performed on a table, or checked."""

    policy: Policy
    roles: TableRoles
    execution: Execution
    loaded: LoadedTable
    program: Program
    outcome: Outcome


def check_notes(done: Performance) -> tuple[Note, ...]:
    return (
        *_on_selection(done),
        *_on_labels(done.program),
        *_on_absent_columns(done.program),
        *_on_doubts(done),
        *_on_roles(done),
    )


def run_notes(done: Performance) -> tuple[Note, ...]:
    return (
        *_on_selection(done),
        *_on_empty_table(done),
        *_on_respelling(done),
        *_on_doubts(done),
        *_on_person(done),
        *_on_roles(done),
        *_on_seed(done),
        *_on_key(done),
    )


def formula_notes(loaded: LoadedTable, outcome: Outcome, destination: Destination) -> Iterator[Note]:
    """Note cells of a CSV file that a spreadsheet may run."""
    names = [outcome.left.schema[position].name for position in outcome.positions]
    count = loaded.count_formulas(outcome) + sum(map(is_formula, names))
    if count and destination.escape_formulas:
        cells = (
            "1 cell that begins like a formula has" if count == 1 else f"{count:,} cells that begin like a formula have"
        )
        yield Note(None, f"{cells} `'` in front")
    elif count:
        cells = "1 cell begins" if count == 1 else f"{count:,} cells begin"
        option = option_text("escape_formulas", True)
        yield Note(None, f"{cells} like a formula, which a spreadsheet may run; `{option}` writes `'` in front")


def _on_selection(done: Performance) -> Iterator[Note]:
    for requirement in done.program.requirements:
        if done.outcome.verdicts[requirement.index].selects_none:
            word = "FILTER" if process_of(requirement) is None else "WHERE"
            yield Note(requirement.line, f"{word} selects no record")


def _on_labels(program: Program) -> Iterator[Note]:
    reason = "the column has labels of a later GENERALIZE, and the assertion compares numbers"
    if any(column.type.pseudonyms for column in program.schema):
        reason = "the column has pseudonyms or labels in place of the values that the assertion compares"
    for requirement in program.requirements:
        if not requirement.judged:
            yield Note(requirement.line, f"no verdict: {reason}")


def _on_absent_columns(program: Program) -> Iterator[Note]:
    """Note dropped columns that the table lacks: it may be released already, or DROP may misspell them."""
    for requirement in program.requirements:
        dropped = projection_of(requirement.action)
        absent = [] if dropped is None else [f"`{name}`" for name in dropped.absent]
        if absent:
            columns = "column" if len(absent) == 1 else "columns"
            yield Note(requirement.line, f"nothing to drop: the table has no {columns} {', '.join(absent)}")


def _on_empty_table(done: Performance) -> Iterator[Note]:
    """Note that no record is left, at the line of the last requirement that had records; at none if the first had
    none."""
    if done.outcome.left.records == 0:
        verdicts = done.outcome.verdicts
        lines = [each.line for each in done.program.requirements if verdicts[each.index].records]
        yield Note(lines[-1] if lines else None, "no record is left")


def _on_respelling(done: Performance) -> Iterator[Note]:
    """Note numbers in another spelling (D26), except in columns of which no number is released."""
    schema, requirements = done.loaded.schema, done.program.requirements
    hidden = frozenset[int]().union(*map(columns_overwritten, requirements))
    types = {column.name: column.type for position, column in enumerate(schema) if position not in hidden}
    for name, count in done.loaded.respelled.items():
        if name not in types:
            continue
        numbers, these = ("1 number is", "it") if count == 1 else (f"{count:,} numbers are", "them")
        form, reason = "in the shortest form", f"the table or the policy spells {these} in two ways"
        if not types[name].spelled:
            form, reason = "with all digits after the point", "the policy computes numbers in this column"
        yield Note(None, f"column `{name}`: {numbers} written {form}, because {reason}")


def _on_doubts(done: Performance) -> Iterator[Note]:
    """What the table says against the answer, about persons and spellings (D35, D38). Where the policy dropped a column
    of the question, or only verdicts were computed, the table as read answers it."""
    program, roles = done.program, done.roles
    facts = [each.facts for requirement in program.requirements for each in aggregates_of(requirement)]
    asks_persons = any(each.weighs_records for each in facts) and any(
        looks_like_persons(column.name) for column in program.schema
    )
    if roles == TableRoles() and not asks_persons and not any(each.tells_values_apart for each in facts):
        return
    from acompass.plan.run.doubts import find_doubts

    lines = {each.index: each.line for each in program.requirements}
    before, outcome = done.loaded.state, done.outcome
    after = before if done.execution.verdicts_only else outcome.left
    for doubt in find_doubts(outcome.context.session, before, after, program, roles):
        yield Note(None if doubt.requirement is None else lines[doubt.requirement], str(doubt))


def _on_person(done: Performance) -> Iterator[Note]:
    """Note that the column that tells persons apart is released as it was read, or with a pseudonym for each value."""
    if done.roles.person is not None:
        from acompass.plan.run.doubts import person_position

        schema, outcome = done.program.schema, done.outcome
        place = person_position(done.roles, [column.name for column in schema])
        assert place is not None
        is_pseudonymous = place in columns_with_pseudonyms(done.program.requirements)
        if (place not in outcome.written or is_pseudonymous) and place in outcome.left.kept_columns:
            how = "with pseudonyms" if is_pseudonymous else "unchanged"
            text = f"column `{schema[place].name}` is released {how}: with it, anyone can tell which records are of one"
            yield Note(None, f"{text} person")


def _on_roles(done: Performance) -> Iterator[Note]:
    """Note columns without a role, and quasi-identifiers that the policy does not group by, with the smallest class of
    the table by them (D36, roles act)."""
    if not done.roles.are_given or done.execution.verdicts_only:
        return
    from acompass.roles import grouping_note, locate_roles, size_text, undecided_note

    outcome, policy = done.outcome, done.policy.tree
    roles = locate_roles(done.roles, [column.name for column in outcome.left.schema], policy)
    columns = [place for place in roles.columns("quasi_identifiers") if place in outcome.left.kept_columns]
    notes = undecided_note(roles), grouping_note(roles, columns, policy, partial(size_text, outcome, roles, columns))
    yield from (Note(None, text) for text in notes if text is not None)


def _on_seed(done: Performance) -> Iterator[Note]:
    """Note that values were drawn from a seed that can be guessed (D39). A preview has a fixed seed."""
    trace = done.execution.trace
    if trace is not None and trace.is_guessable and done.outcome.trace_used and not done.execution.verdicts_only:
        problem = f"the seed has fewer than {SHORTEST_SEED} characters"
        yield Note(None, f"{problem}: someone who guesses it can tell which values were drawn")


def _on_key(done: Performance) -> Iterator[Note]:
    """Note that other users can read the file with the key (X15)."""
    key = done.execution.key
    if key is not None and key.readable_file is not None and needs_key(done.program.requirements):
        yield Note(None, readable_key_text(key.readable_file))
