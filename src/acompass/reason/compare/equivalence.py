"""Decide whether two checked policies are equivalent.

First, try a proof; then, search for a table on which they differ. The proof is tried again without lines that never
affect anything, and with lines over classes that commute brought into the same order."""

from collections.abc import Iterator, Sequence

from acompass.dataclasses import dataclass, replace
from acompass.language.program.effects import (
    column_written,
    columns_touched,
    draws,
    drops_records,
    process_of,
    type_changes,
)
from acompass.language.program.program import Program, Requirement
from acompass.language.program.types import remaining
from acompass.prove.diagrams.decision_diagram import ALL
from acompass.prove.effort import Exhausted, recursion_limit
from acompass.prove.search.claims import check_steps
from acompass.prove.search.prover import Provers
from acompass.prove.search.verdicts import MOST_CHECKS
from acompass.reason.compare.answer import Difference
from acompass.reason.compare.counterexamples import Examples, Hint, Search
from acompass.reason.compare.lockstep import Lockstep, Mismatch, are_same_classes
from acompass.reason.compare.pairs import Pair
from acompass.reason.compare.symbols import Symbols, is_barrier
from acompass.reason.privacy.influence import is_record_level
from acompass.reason.privacy.mentions import Undecided

SAME_OF_RECORDS = "both policies do the same to every record"
SAME_OF_CLASSES = "both policies make the same demands on the same classes, and do the same to every record"
NOT_FOUND = "no table was found on which they differ"


@dataclass(frozen=True, slots=True)
class Equivalence:
    is_equivalent: bool | None  # None if undecided
    reason: str
    difference: Difference | None = None  # given if the policies are not equivalent


def overall_equivalence(pairs: Sequence[Pair]) -> Equivalence:
    """Policies are equivalent if they are for all column types. The first pair, with the narrowest types, gives the
    most readable difference."""
    undecided: Equivalence | None = None
    for pair in pairs:
        found = equivalence(pair)
        if found.is_equivalent is False:
            return found
        undecided = undecided or (found if found.is_equivalent is None else None)
    return undecided or found


def equivalence(pair: Pair) -> Equivalence:
    try:
        with recursion_limit():
            symbols = Symbols(pair.programs)
            mismatch = _mismatch(pair, symbols)
    except (Undecided, Exhausted) as open_question:
        found = _search_difference(pair, undecided_reason(open_question), ())
        return replace(found, reason="") if found.difference else found
    if mismatch is None:
        is_about_records = all(map(is_record_level, (*pair.old.requirements, *pair.new.requirements)))
        return Equivalence(True, SAME_OF_RECORDS if is_about_records else SAME_OF_CLASSES)
    return _search_difference(pair, mismatch.reason, Examples(symbols, pair).hints(mismatch.records))


def _mismatch(pair: Pair, symbols: Symbols) -> Mismatch | None:
    """The first mismatch; None if some alignment of the policies proves them equivalent."""
    schemas = [_final_columns(program) for program in pair.programs]
    if schemas[0] != schemas[1]:
        return Mismatch(_schema_mismatch(pair), ALL)
    first: Mismatch | None = None
    for lines in _alignments(pair):
        found = Lockstep(symbols, *pair.programs).mismatch(lines)
        if found is None:
            return None
        first = first or found
    return first


def _alignments(pair: Pair) -> Iterator[tuple[list[Requirement], list[Requirement]]]:
    """The requirements unchanged; then, if that may help, without lines that never affect anything, and reordered."""
    old, new = (list(program.requirements) for program in pair.programs)
    yield old, new
    if any(map(is_barrier, (*old, *new))):
        old, new = (effective_lines(program, pair.any_scale) for program in pair.programs)
        yield old, new
        yield old, reorder_lines(old, new)


def _final_columns(program: Program) -> list[tuple[str, str]]:
    final = program.final_schema
    return [(final[column].name, str(final[column].type)) for column in remaining(final)]


def _schema_mismatch(pair: Pair) -> str:
    old, new = (dict(_final_columns(program)) for program in pair.programs)
    for name in (*old, *new):
        if name not in old or name not in new:
            return f"only the {'old' if name in old else 'new'} policy releases column `{name}`"
        if old[name] != new[name]:
            return f"column `{name}` is {old[name]} after the old policy and {new[name]} after the new one"
    raise AssertionError("the schemas differ")


def _search_difference(pair: Pair, reason: str, hints: Sequence[Hint]) -> Equivalence:
    try:
        with recursion_limit():
            found = Search(pair, hints).difference()
    except Exhausted as exhausted:
        return Equivalence(None, str(exhausted))
    if found is None:
        return Equivalence(None, f"{reason}\n{NOT_FOUND}")
    return Equivalence(False, reason, found)


def undecided_reason(question: Undecided | Exhausted) -> str:
    match question:
        case Undecided(line=int() as line):
            return f"line {line}: {question.reason}"
        case _:
            return str(question)


def effective_lines(program: Program, any_scale: frozenset[int]) -> list[Requirement]:
    """The requirements without lines over classes whose assertion is proved at that point: they change nothing.

    The proof may assume the checks before the line: if one fails, nothing is written either way.
    """
    provers: dict[frozenset[int], Provers] = {}

    def is_idle(step: int, requirement: Requirement) -> bool:
        if is_record_level(requirement) or type_changes(requirement):
            return False
        known = frozenset(sorted(at for at in check_steps(program) if at < step)[:MOST_CHECKS])
        if known not in provers:
            provers[known] = Provers(program, (), known, any_scale)
        return provers[known].for_assertion(requirement.assertion).attempt(requirement.assertion, step).is_proof

    lines = enumerate(program.requirements)
    return [requirement for step, requirement in lines if not is_idle(step, requirement)]


def reorder_lines(ours: Sequence[Requirement], theirs: Sequence[Requirement]) -> list[Requirement]:
    """The lines `theirs`, with each barrier moved up to its place in `ours` if it commutes with the lines between."""
    rest, ordered = list(theirs), list[Requirement]()
    for wanted in filter(is_barrier, ours):
        at = next((at for at, line in enumerate(rest) if _is_counterpart(wanted, line)), None)
        if at is None:
            continue
        passed = rest[:at]
        if any(map(is_barrier, passed)) and all(are_commuting(line, rest[at]) for line in passed):
            ordered.append(rest.pop(at))
        else:
            ordered += rest[: at + 1]
            rest = rest[at + 1 :]
    return ordered + rest


def _is_counterpart(one: Requirement, other: Requirement) -> bool:
    ours, theirs = process_of(one), process_of(other)
    if ours is None or theirs is None or column_written(one.action) != column_written(other.action):
        return ours is theirs and one.assertion == other.assertion and one.action == other.action
    return are_same_classes(ours, theirs) and (one.action is None) == (other.action is None)


def are_commuting(one: Requirement, other: Requirement) -> bool:
    """Whether two lines can be exchanged because neither changes what the other reads or writes. Lines that remove
    records change classes, and lines that draw consume the trace in order."""
    if any(draws(each.action) or drops_records(each.action) for each in (one, other)):
        return False
    changed = [{*type_changes(each), column_written(each.action)} for each in (one, other)]
    return not (changed[0] & columns_touched(other) or changed[1] & columns_touched(one))
