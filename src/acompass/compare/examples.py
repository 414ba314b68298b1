"""Records of a set, with what chance has to show for them."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from typing import Any, assert_never

from acompass.checked.effects import draws, random_of
from acompass.checked.program import Draw, Random, Requirement
from acompass.compare.pairs import Pair
from acompass.compare.symbols import Symbols
from acompass.privacy.base_record import base_record
from acompass.privacy.domain import Domain
from acompass.prove.chances import Chance, Chances, Stream, rho_for, rho_of_miss
from acompass.prove.decision_diagram import ALL, Diagram, Variable
from acompass.prove.regions import regions_in
from acompass.prove.witness import Record

#: sets of cells of one diagram, and records of one such set, that are tried
MOST_PATHS = 60
MOST_RECORDS = 16


class Examples:
    def __init__(self, symbols: Symbols, pair: Pair):
        self._symbols = symbols
        self._pair = pair
        lines = [*pair.old.requirements, *pair.new.requirements]
        self._base = base_record(pair.schema, Domain(pair.schema, lines))

    def of(self, diagram: Diagram) -> Iterator[tuple[Record, Chances]]:
        """Records with chances of a run of the old policy on such a record alone."""
        for path in islice(_paths(diagram), MOST_PATHS):
            chances = self._chances(path)
            for record in islice(self._records(path), MOST_RECORDS):
                yield record, chances

    def _records(self, path: Mapping[Variable, int]) -> Iterator[Record]:
        columns = [
            self._symbols.kinds[column][path[column]] if column in path else (value,)
            for column, value in enumerate(self._base)
        ]
        yield from product(*columns)

    def _chances(self, path: Mapping[Variable, int]) -> Chances:
        lines = enumerate(self._pair.old.requirements)
        return {step: self._chance(line, path) for step, line in lines if draws(line.action)}

    def _chance(self, requirement: Requirement, path: Mapping[Variable, int]) -> Chance:
        outcome = self._symbols.outcome(requirement)
        hits = path.get(outcome.coin, 1)
        coin = Fraction(0) if hits else rho_of_miss(requirement.action)
        return Chance(Stream((), (coin,)), Stream((), (self._rho(requirement, path.get(outcome.drawn, 0)),)))

    def _rho(self, requirement: Requirement, kind: int) -> Fraction:
        drawn: Any = self._symbols.kinds[self._symbols.outcome(requirement).drawn][kind][0]
        action = random_of(requirement.action)
        match action:
            case Draw():
                return rho_for(action, drawn)
            case Random():
                return rho_for(action, int(drawn))
            case None:
                return Fraction(0)
            case _:
                assert_never(action)


def _paths(diagram: Diagram, path: Sequence[tuple[Variable, int]] = ()) -> Iterator[dict[Variable, int]]:
    """A region for each variable that is tested; for the others, any will do."""
    if diagram is ALL:
        yield dict(path)
    for mask, child in diagram.edges:
        for region in regions_in(mask):
            yield from _paths(child, (*path, (diagram.variable, region)))
