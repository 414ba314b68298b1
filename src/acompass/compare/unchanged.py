"""`Age unchanged`: no run changes a value of the column. Records may leave."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import assert_never

from acompass.checked.names import Names
from acompass.checked.types import Schema, Value
from acompass.compare.asking import Asking, proved, refuted, undecided
from acompass.compare.equivalence import MOST_HINTS, reason_of
from acompass.compare.examples import Examples
from acompass.compare.expressions import Constant, Derived, Expression, Labelling, shown
from acompass.compare.pairs import Pair
from acompass.compare.results import Trace, run_of
from acompass.compare.search import Hint, Search
from acompass.compare.symbolic import Symbolic
from acompass.compare.symbols import Symbols
from acompass.diagnostics import CallError, Diagnostic
from acompass.privacy.undecided import Undecided
from acompass.prove.claims import check_steps
from acompass.prove.decision_diagram import ALL, EMPTY, Diagram
from acompass.prove.effort import Exhausted, bounded
from acompass.prove.policy import decimal_text
from acompass.prove.proof import Claim, ClaimVerdict, Counterexample
from acompass.prove.witness import Record, Witness, replay

#: what is said if neither a proof nor a table was found
NOT_CHANGED = "no table was found on which it does"


def unchanged(asking: Asking, name: str) -> Claim:
    pairs = [asking.after_assumptions(pair) for pair in asking.pairs(asking.source)]
    claims = [_Question(pair, _position(pair.schema, name)).answer() for pair in pairs]
    for wanted in (ClaimVerdict.REFUTED, ClaimVerdict.UNDECIDED):
        for claim in claims:
            if claim.verdict is wanted:
                return claim
    return claims[0]


def _position(schema: Schema, name: str) -> int:
    names = Names([column.name for column in schema])
    match names.find(name):
        case (position,):
            return position
        case _:
            help_ = f"columns: {names.listing()}"
            raise CallError([Diagnostic("AC562", f"a claim names the unknown column `{name}`", help=help_)])


class _Question:
    """Both policies of the pair are the same."""

    def __init__(self, pair: Pair, column: int):
        self._pair = pair
        self._column = column
        self._program = pair.old

    def answer(self) -> Claim:
        try:
            with bounded():
                symbols = Symbols(self._pair.programs)
                changed = self._changed(symbols)
        except (Undecided, Exhausted) as open_question:
            return self._searched((), reason_of(open_question))
        if changed is EMPTY:
            return proved("no line changes a value of the column")
        hints = list(islice(Examples(symbols, self._pair).of(changed), MOST_HINTS))
        return self._searched(hints, "a line over classes may change it")

    def _changed(self, symbols: Symbols) -> Diagram:
        """The records whose value can be another one in the end."""
        symbolic, diagrams = Symbolic(symbols), symbols.diagrams
        state = symbolic.end(self._program)
        live = symbolic.live(state)
        return diagrams.union_of(
            diagrams.intersection(live, diagrams.intersection(records, self._differing(symbols, expression)))
            for expression, records in state.columns[self._column].items()
        )

    def _differing(self, symbols: Symbols, expression: Expression) -> Diagram:
        """The records for which the expression may be written otherwise than the value itself."""
        match expression:
            case Derived(variable, steps) if variable == self._column:
                if not any(isinstance(step, Labelling) for step in steps):
                    return EMPTY
                return self._where(symbols, lambda kind: symbols.samples(expression, kind))
            case Derived():
                return ALL
            case Constant(value):
                return self._where(symbols, lambda _: (value,))
            case _:
                assert_never(expression)

    def _where(self, symbols: Symbols, becomes: Callable[[int], Sequence[Value | None]]) -> Diagram:
        """The kinds that have several values, or one that becomes another."""
        mask = 0
        for kind, alike in enumerate(symbols.kinds[self._column]):
            is_same = len(alike) == 1 and self._written(becomes(kind)) == self._read(alike)
            mask |= (not is_same) << kind
        return symbols.diagrams.literal(self._column, mask)

    def _read(self, values: Iterable[Value | None]) -> list[object]:
        return [shown(value, self._program.schema[self._column].type) for value in values]

    def _written(self, values: Iterable[Value | None]) -> list[object]:
        return [shown(value, self._program.final_schema[self._column].type) for value in values]

    def _searched(self, hints: Sequence[Hint], reason: str) -> Claim:
        try:
            with bounded():
                found = Search(self._pair, hints).find(self._changing_trace)
        except Exhausted as exhausted:
            return undecided(str(exhausted))
        if found is None:
            return undecided(f"{reason}\n{NOT_CHANGED}")
        run = run_of(self._program, found.records, found.trace).written
        assert run is not None, "only what is written can be changed"
        trace = tuple(decimal_text(rho) for rho in found.trace)
        example = Counterexample(self._program.schema, found.records, trace, run.schema, run.records)
        return refuted(f"line {self._line(found)} changes it", example)

    def _changing_trace(self, _: Pair, records: Sequence[Record], trace: Sequence[Fraction]) -> Trace | None:
        """What the run consumes of the trace if it leaves a value that the column did not have so often."""
        witness = replay(self._program, records, trace)
        if witness is None or witness.violated & check_steps(self._program):
            return None
        before = Counter(self._read(record[self._column] for record in records))
        after = Counter(self._written(record[self._column] for record in witness.left))
        return witness.trace if after - before else None

    def _line(self, found: Witness) -> int:
        """The first line after which a value is changed."""
        lines = self._program.requirements
        for count, requirement in enumerate(lines, start=1):
            part = replace(self._program, requirements=lines[:count])
            question = _Question(replace(self._pair, old=part), self._column)
            if question._changing_trace(self._pair, found.records, found.trace) is not None:
                return requirement.line
        raise AssertionError("the last line is among them")
