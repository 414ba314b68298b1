"""What the new policy can release that the old one could not: records, and values of columns."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeAlias, assert_never

from acompass.checked.effects import draws
from acompass.checked.types import TEXT, remaining
from acompass.compare.answer import Impact, Released
from acompass.compare.equivalence import reason_of
from acompass.compare.expressions import Constant, Derived, Expression, Labelling, normal
from acompass.compare.pairs import Pair
from acompass.compare.symbolic import State, Symbolic
from acompass.compare.symbols import Symbols
from acompass.compare.words import Words
from acompass.privacy.influence import is_record_level
from acompass.privacy.undecided import Undecided
from acompass.prove.decision_diagram import EMPTY, Diagram
from acompass.prove.effort import Exhausted, bounded
from acompass.prove.proof import Claim, ClaimVerdict
from acompass.prove.regions import Mask, regions_in

#: for each expression, the kinds of a column's own values for which it is released
_Held: TypeAlias = dict[Expression, Mask]
#: sets of records that are described
MOST_SETS = 8


def impact(pairs: Sequence[Pair], guarantees: Sequence[Claim], is_equivalent: bool) -> Impact:
    """`guarantees` are those of the old policy, with verdicts about the new one."""
    lost = tuple(claim for claim in guarantees if claim.verdict is not ClaimVerdict.PROVED)
    try:
        with bounded():
            found = [released(pair) for pair in pairs]
    except (Undecided, Exhausted) as open_question:
        return Impact(lost, None, reason_of(open_question))
    more = next((each for each in found if each), ())
    doubt = None if more or is_equivalent else _doubt(pairs[0], guarantees)
    exact = is_equivalent or all(map(is_record_level, pairs[0].old.requirements + pairs[0].new.requirements))
    return Impact(lost, more, exact=exact) if doubt is None else Impact(lost, None, doubt)


def _doubt(pair: Pair, guarantees: Sequence[Claim]) -> str | None:
    """Why more may be released although nothing was found: how often is not looked at, nor what other
    records decide, unless it is a guarantee."""
    lines = {claim.line for claim in guarantees}
    known = [each.assertion for each in pair.old.requirements if each.line in lines]
    for requirement in pair.old.requirements:
        if not is_record_level(requirement) and requirement.assertion not in known:
            return f"line {requirement.line} of the old policy is about classes and not a guarantee"
    for requirement in (*pair.old.requirements, *pair.new.requirements):
        if draws(requirement.action):
            return f"line {requirement.line}: chance decides how often a value is released"
    return None


def released(pair: Pair) -> tuple[Released, ...]:
    """Empty if every record and value that the new policy can release could be released before. Where other
    records or chance decide, every decision is taken to be possible."""
    releases = _Releases(pair)
    found = tuple(releases.found())
    if not found:
        releases.require_known()
    return found


class _Releases:
    def __init__(self, pair: Pair):
        self._symbols = Symbols(pair.programs)
        self._symbolic = Symbolic(self._symbols)
        self._schema = pair.schema
        self._final = pair.new.final_schema
        self._old, self._new = (self._symbolic.end(program) for program in pair.programs)
        self._words = Words(self._symbols, pair.schema)
        self._is_certain = all(map(is_record_level, pair.new.requirements))

    def require_known(self) -> None:
        """Raise Undecided if a comparison is not understood: then other records may be meant."""
        for undecided in self._symbols.unknown.values():
            raise undecided

    def found(self) -> Iterator[Released]:
        for words in islice(self._words.records(self._more_records()), MOST_SETS):
            yield Released(None, words, self._is_certain)
        for column in remaining(self._final):
            yield from self._of_column(column)

    def _more_records(self) -> Diagram:
        ours, theirs = (self._of_record(self._symbolic.live(state)) for state in (self._old, self._new))
        return self._symbols.diagrams.difference(theirs, ours)

    def _of_record(self, diagram: Diagram) -> Diagram:
        """Whatever other records and chance decide."""
        return self._symbols.diagrams.project(diagram, range(len(self._schema)))

    def _of_column(self, column: int) -> Iterator[Released]:
        old, new = (self._held(state, column) for state in (self._old, self._new))
        for expression, mask in new.items():
            told = [kind for kind in regions_in(mask) if self._tells_more(column, kind, expression, old, new)]
            if told:
                words = self._form(column, expression, sum(1 << kind for kind in told))
                yield Released(self._schema[column].name, words, self._is_certain)

    def _held(self, state: State, column: int) -> _Held:
        diagrams, live = self._symbols.diagrams, self._symbolic.live(state)
        return {
            expression: diagrams.mask_of(both, column)
            for expression, records in state.columns[column].items()
            if (both := diagrams.intersection(records, live)) is not EMPTY
        }

    def _tells_more(self, column: int, kind: int, expression: Expression, old: _Held, new: _Held) -> bool:
        """Whether what is released of a kind tells more than anything that was released of it before."""
        before = [known for known, mask in old.items() if mask >> kind & 1]
        match expression:
            case Derived(variable) if variable == column:
                return not any(self._says_as_much(known, expression, kind) for known in before)
            case Derived():
                return False  # a value that is drawn tells nothing of the record's own
            case Constant():
                return not any(
                    known == expression or self._is_coarser(kind, new[expression], known, old)
                    for known in before
                ) and bool(before)
            case _:
                assert_never(expression)

    def _says_as_much(self, known: Expression, expression: Derived, kind: int) -> bool:
        """Whether the old value is the raw one, the same, or one that the last map makes the new one of."""
        if _is_raw(known) or not self._is_different(known, expression, kind):
            return True
        last = expression.steps[-1] if expression.steps else None
        return (
            isinstance(known, Derived)
            and isinstance(last, Labelling)
            and normal(Derived(known.variable, (*known.steps, last))) == normal(expression)
        )

    def _is_different(self, known: Expression, expression: Derived, kind: int) -> bool:
        within = self._symbols.diagrams.literal(expression.variable, 1 << kind)
        return self._symbols.differing(known, expression, TEXT, within) is not EMPTY

    def _is_coarser(self, kind: int, mask: Mask, known: Expression, old: _Held) -> bool:
        """Whether one value is now written for all kinds that the old value could stand for."""
        if _is_raw(known):
            return True
        values = self._values(known, kind)
        return all(
            mask >> other & 1
            for held, kinds in old.items()
            for other in regions_in(kinds)
            if values & self._values(held, other)
        )

    def _values(self, expression: Expression, kind: int) -> frozenset[object]:
        match expression:
            case Constant(value):
                return frozenset((value,))
            case Derived():
                return frozenset(self._symbols.samples(expression, kind))
            case _:
                assert_never(expression)

    def _form(self, column: int, expression: Expression, mask: Mask) -> str:
        values = self._words.values(column, mask)
        match expression:
            case Constant(value):
                replaced = f"values {values}" if values else "every value"
                return f"{value} in place of {replaced}"
            case Derived() if _is_raw(expression):
                return f"{values} unchanged" if values else "unchanged"
            case Derived():
                label = self._symbols.samples(expression, next(iter(regions_in(mask))))[0]
                labels = f"as labels such as {label}"
                return f"{values} {labels}" if values else labels
            case _:
                assert_never(expression)


def _is_raw(expression: Expression) -> bool:
    """Whether it is a value as it was read or drawn, in whatever type."""
    match expression:
        case Constant():
            return False
        case Derived(_, steps):
            return not any(isinstance(step, Labelling) for step in steps)
        case _:
            assert_never(expression)
