"""Are two checked policies equivalent? A proof first, then the search for a table on which they differ."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from acompass.checked.program import Program, Requirement
from acompass.checked.types import remaining
from acompass.compare.answer import Difference
from acompass.compare.examples import Examples
from acompass.compare.lines import effective_lines, in_order_of
from acompass.compare.lockstep import Lockstep, Mismatch
from acompass.compare.pairs import Pair
from acompass.compare.search import Hint, Search
from acompass.compare.symbols import Symbols, is_barrier
from acompass.privacy.influence import is_record_level
from acompass.privacy.undecided import Undecided
from acompass.prove.decision_diagram import ALL
from acompass.prove.effort import Exhausted, bounded

#: records that the search begins with
MOST_HINTS = 120

SAME_OF_RECORDS = "both policies do the same to every record"
SAME_OF_CLASSES = "both policies ask the same of the same classes, and do the same to every record"
NOT_FOUND = "no table was found on which they differ"


@dataclass(frozen=True, slots=True)
class Equivalence:
    """`is_equivalent` is None where it is undecided; `difference` is there where it is False."""

    is_equivalent: bool | None
    reason: str
    difference: Difference | None = None


def equivalence(pair: Pair) -> Equivalence:
    try:
        with bounded():
            symbols = Symbols(pair.programs)
            mismatch = _mismatch(pair, symbols)
    except (Undecided, Exhausted) as open_question:
        found = _searched(pair, reason_of(open_question), ())
        return replace(found, reason="") if found.difference else found
    if mismatch is None:
        is_about_records = all(map(is_record_level, (*pair.old.requirements, *pair.new.requirements)))
        return Equivalence(True, SAME_OF_RECORDS if is_about_records else SAME_OF_CLASSES)
    hints = list(islice(Examples(symbols, pair).of(mismatch.records), MOST_HINTS))
    return _searched(pair, mismatch.reason, hints)


def _mismatch(pair: Pair, symbols: Symbols) -> Mismatch | None:
    """The first one, if no way to line the policies up proves them equivalent."""
    schemas = [_written(program) for program in pair.programs]
    if schemas[0] != schemas[1]:
        return Mismatch(_of_schemas(pair), ALL)
    first: Mismatch | None = None
    for lines in _lineups(pair):
        found = Lockstep(symbols, *pair.programs).mismatch(lines)
        if found is None:
            return None
        first = first or found
    return first


def _lineups(pair: Pair) -> Iterator[tuple[list[Requirement], list[Requirement]]]:
    """As they stand; if that may help, without lines that never affect anything, and reordered."""
    old, new = (list(program.requirements) for program in pair.programs)
    yield old, new
    if any(map(is_barrier, (*old, *new))):
        old, new = (effective_lines(program, pair.any_scale) for program in pair.programs)
        yield old, new
        yield old, in_order_of(old, new)


def _written(program: Program) -> list[tuple[str, str]]:
    final = program.final_schema
    return [(final[column].name, str(final[column].type)) for column in remaining(final)]


def _of_schemas(pair: Pair) -> str:
    old, new = (dict(_written(program)) for program in pair.programs)
    for name in (*old, *new):
        if name not in old or name not in new:
            return f"only the {'old' if name in old else 'new'} policy releases column `{name}`"
        if old[name] != new[name]:
            return f"column `{name}` is {old[name]} after the old policy and {new[name]} after the new one"
    raise AssertionError("the schemas differ")


def _searched(pair: Pair, reason: str, hints: list[Hint] | tuple[Hint, ...]) -> Equivalence:
    try:
        with bounded():
            found = Search(pair, hints).difference()
    except Exhausted as exhausted:
        return Equivalence(None, str(exhausted))
    if found is None:
        return Equivalence(None, f"{reason}\n{NOT_FOUND}")
    return Equivalence(False, reason, found)


def reason_of(question: Undecided | Exhausted) -> str:
    """Why a question is open."""
    match question:
        case Undecided(line=int() as line):
            return f"line {line}: {question.reason}"
        case _:
            return str(question)
