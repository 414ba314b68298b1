"""Check a table against a rule, clause by clause.

All clauses are evaluated as one policy, in one pass over the table. If values are not of the kind that a clause
compares, or if missing values are dropped or filled, each requirement is evaluated alone: one that cannot be evaluated
is violated, and an incomplete record is left out only of those about the columns in which it lacks a value."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from acompass.author.answers import ClauseCheck, RuleCheck
from acompass.author.rules.library import Clause, Rule
from acompass.author.rules.matching import Matching
from acompass.author.rules.writing import Params, changed_numbers, clauses_for, note_on_records, policy_with_files
from acompass.dataclasses import dataclass, replace
from acompass.engines.protocol import OpenTable
from acompass.errors.diagnostics import CallError, Diagnostic, PolicyError, TableError, option_text
from acompass.language.program.uses import uses
from acompass.measure.roles import Roles
from acompass.options import ERROR
from acompass.policy import Policy, TableRoles, load
from acompass.result import Note, RequirementOutcome, Result
from acompass.run import Call, check_policy
from acompass.tables.formats import ReadingOptions

#: errors that say that the values of a column are not of the kind that a clause compares, counts or adds up
_OTHER_KINDS = frozenset(
    ("AC110", "AC111", "AC112", "AC113", "AC117", "AC210", "AC211", "AC216", "AC230", "AC231", "AC232")
)

#: makes the call that checks a policy on the table
MakeCall: TypeAlias = Callable[[Policy], Call]


@dataclass(frozen=True, slots=True)
class _Part:
    """A clause with its policy for the table."""

    clause: Clause
    policy: Policy


@dataclass(frozen=True, slots=True)
class _Answer:
    requirements: tuple[RequirementOutcome, ...] = ()
    notes: tuple[Note, ...] = ()
    problem: str | None = None
    records: int | None = None
    dropped: int = 0


def check_rule(table: OpenTable, rule: Rule, matching: Matching, params: Params, make_call: MakeCall) -> RuleCheck:
    """Evaluate every clause whose columns the table has. Raise if it has those of none, because nothing would be
    checked (D40)."""
    clauses = list(clauses_for(rule, matching.columns, params))
    parts = [_Part(clause, policy) for clause, policy in clauses if policy is not None]
    if not parts:
        raise CallError([_nothing_to_check(rule)])
    whole = make_call(policy_with_files(rule, "\n".join(each.policy.text for each in parts), matching.columns))
    answers = list(_check_together(table, whole, parts) or _check_alone(table, whole, make_call, parts))
    known = [answer.records for answer in answers if answer.records is not None]
    found = iter([_clause_check(*each, table.names) for each in zip(parts, answers, strict=True)])
    return RuleCheck(
        rule=rule.name,
        title=rule.title,
        source=rule.source,
        dated=rule.dated,
        records_in=known[0] if known else _count_records(table),
        clauses=tuple(next(found) if policy else ClauseCheck(clause.name, clause.title) for clause, policy in clauses),
        columns=matching.columns,
        others=matching.others,
        leaves_out=rule.leaves_out,
        changed=tuple(changed_numbers(rule, params)),
        notes=tuple(dict.fromkeys(_notes(rule, matching, parts, answers))),
    )


def _notes(rule: Rule, matching: Matching, parts: Sequence[_Part], answers: Sequence[_Answer]) -> Iterator[Note]:
    """A note on a requirement is on its clause: the policy of a clause is not a file, so its lines say nothing."""
    for text in note_on_records(rule, matching.columns, [each.requirement for each in rule.clauses]):
        yield Note(None, text)
    for part, answer in zip(parts, answers, strict=True):
        for note in answer.notes:
            yield note if note.line is None else Note(None, f"clause `{part.clause.name}`: {note.text}")


def _check_together(table: OpenTable, call: Call, parts: Sequence[_Part]) -> list[_Answer]:
    """The answers for all clauses; none if each has to be evaluated alone."""
    result = _check(table, call) if call.missing == ERROR else ""
    if isinstance(result, str):
        return []
    outcomes, answers = iter(result.requirements), list[_Answer]()
    for part in parts:
        own = tuple(next(outcomes) for _ in part.policy.tree.requirements)
        lines = {None, *(each.line for each in own)}
        notes = tuple(note for note in result.notes if note.line in lines)
        answers.append(_Answer(own, notes, None, result.records_in))
    return answers


def _check_alone(table: OpenTable, whole: Call, make_call: MakeCall, parts: Sequence[_Part]) -> Iterator[_Answer]:
    """The answer for each clause. The progress is that of the clauses."""
    progress = whole.execution.progress
    for place, part in enumerate(parts, 1):
        calls = [make_call(policy) for policy in _requirements(part.policy)]
        quiet = [replace(call, execution=replace(call.execution, progress=None)) for call in calls]
        found = [_check(table, call) for call in quiet]
        results = [each for each in found if isinstance(each, Result)]
        problems = dict.fromkeys(each for each in found if isinstance(each, str))
        yield _Answer(
            requirements=tuple(outcome for each in results for outcome in each.requirements),
            notes=tuple(note for each in results for note in each.notes),
            problem="; ".join(problems) or None,
            records=results[0].records_in if results else None,
            dropped=max((each.dropped for each in results), default=0),
        )
        if progress is not None:
            progress(place, len(parts))


def _requirements(policy: Policy) -> list[Policy]:
    """A policy for each requirement."""
    return [
        replace(policy, tree=replace(policy.tree, requirements=(requirement,)))
        for requirement in policy.tree.requirements
    ]


def _check(table: OpenTable, call: Call) -> Result | str:
    """The result, or why the values are not of the kind that the policy needs."""
    try:
        return check_policy(table, call)
    except (PolicyError, TableError) as error:
        if not _OTHER_KINDS.issuperset(each.code for each in error.diagnostics):
            raise
        return "; ".join(each.message for each in error.diagnostics)


def _clause_check(part: _Part, found: _Answer, names: Sequence[str]) -> ClauseCheck:
    columns = tuple(names[position] for position in sorted(uses(part.policy.tree, names)))
    clause = part.clause
    return ClauseCheck(clause.name, clause.title, columns, found.requirements, found.problem, found.dropped)


def _count_records(table: OpenTable) -> int:
    with table.load({}, ReadingOptions()) as loaded:
        return loaded.state.records


def _nothing_to_check(rule: Rule) -> Diagnostic:
    message = (
        f"no clause of `{rule.name}` can be checked: the table has the columns of none, or they were not recognized"
    )
    example = option_text("columns", {rule.columns[0].name: ...})
    names = ", ".join(f"`{each.name}`" for each in rule.columns)
    return Diagnostic(
        "AC652", message, help=f"name columns of the table with `{example}`; columns of the rule: {names}"
    )


def person_of(rule: Rule, matching: Matching, declared: TableRoles) -> str | None:
    """The column that tells persons apart, as matched or declared."""
    matched = matching.columns.get(rule.person or "", ())
    return matched[0] if matched else declared.person


def roles_to_measure(rule: Rule, matching: Matching, declared: TableRoles) -> Roles | None:
    """The columns that a page measures: those of the rule's quasi-identifiers, or else the declared ones."""

    def matched(role: str) -> tuple[str, ...]:
        own = [each.columns for each in matching.matches if each.column.role == role]
        return tuple(dict.fromkeys(name for names in own for name in names))

    person = person_of(rule, matching, declared)
    grouped = [name for name in matched("quasi-identifiers") or declared.quasi_identifiers if name != person]
    sensitive = [name for name in matched("sensitive") or declared.sensitive if name not in (*grouped, person)]
    return Roles(tuple(grouped), tuple(sensitive), person=person) if grouped else None


def clauses_policy(rule: Rule) -> Policy:
    """The clauses as the rule states them, which a page identifies by their hash."""
    return load(rule.folder / "clauses.acp")
