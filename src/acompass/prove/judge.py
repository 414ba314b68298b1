"""Judge claims that rest on the same checks: attempt a proof first, then search for a counterexample."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from acompass.checked.effects import generalize_of
from acompass.checked.maps.map import Map
from acompass.checked.program import Assertion, Program
from acompass.prove.candidate_tables import MOST_RECORDS
from acompass.prove.claims import CheckedClaim
from acompass.prove.effort import Exhausted, bounded
from acompass.prove.proof_search import ProofAttempt
from acompass.prove.prover import Prover
from acompass.prove.provers import Provers
from acompass.prove.reasons import Reasons
from acompass.prove.refute import Refuter
from acompass.prove.witness import Witness


@dataclass(frozen=True, slots=True)
class TypedPolicy:
    """A policy and its claims, checked with one set of types."""

    program: Program
    claims: list[CheckedClaim]
    any_scale: frozenset[int]

    @property
    def maps(self) -> list[Map]:
        actions = (generalize_of(requirement.action) for requirement in self.program.requirements)
        return [action.map for action in actions if action is not None]

    def asked(self, claims: Iterable[int]) -> dict[int, Assertion]:
        found = ((at, self.claims[at].assertion) for at in claims)
        return {at: assertion for at, assertion in found if assertion is not None}

    def provers(self, claims: Iterable[int], known: frozenset[int]) -> Provers:
        return Provers(self.program, list(self.asked(claims).values()), known, self.any_scale)


@dataclass(frozen=True, slots=True)
class Judgement:
    """`refuted` is a run on which the claim fails, with the program that was run."""

    is_proved: bool
    reason: str
    refuted: tuple[Program, Witness] | None = None


@dataclass(frozen=True, slots=True)
class _Attempted:
    """An attempt to prove a claim, by a prover; None if it was ended early, for the reason `attempt.why`."""

    attempt: ProofAttempt
    prover: Prover | None = None


def _attempted(provers: Provers, assertion: Assertion) -> _Attempted:
    try:
        with bounded():
            prover = provers.of(assertion)
            return _Attempted(prover.attempt(assertion, prover.last), prover)
    except Exhausted as exhausted:
        return _Attempted(ProofAttempt(False, why=str(exhausted)))


class Judge:
    """A proof is about numbers of any scale. A counterexample with the narrowest types is easier to read."""

    def __init__(self, wide: TypedPolicy, narrow: TypedPolicy, claims: Sequence[int], known: frozenset[int]):
        self._wide = wide
        self._narrow = narrow
        self._known = known
        self._asked = wide.asked(claims)
        self._provers = wide.provers(claims, known)
        self._attempts: dict[int, _Attempted] = {}
        self._refuted: dict[int, tuple[Program, Witness]] = {}
        self._too_large: set[int] = set()
        self._exhausted: dict[int, str] = {}
        self._reasons: dict[Prover, Reasons] = {}

    def judgements(self) -> Iterator[tuple[int, Judgement]]:
        self._attempt()
        self._refute()
        self._trace_back()
        for at in self._asked:
            yield at, self._judgement(at)

    def _attempt(self) -> None:
        """Bands of integers have other labels than those of decimals, so that both need a proof."""
        self._attempts = {at: _attempted(self._provers, claim) for at, claim in self._asked.items()}
        if self._wide.maps == self._narrow.maps:
            return
        provers = self._narrow.provers(self._asked, self._known)
        for at in [at for at in self._asked if self._is_proved(at)]:
            claim = self._narrow.claims[at].assertion
            if claim is None:
                self._attempts[at] = replace(self._attempts[at], attempt=ProofAttempt(False))
            elif not (other := _attempted(provers, claim)).attempt.is_proof:
                self._attempts[at] = other

    def _is_proved(self, at: int) -> bool:
        return self._attempts[at].attempt.is_proof

    def _open(self) -> list[int]:
        return [at for at in self._asked if not self._is_proved(at) and at not in self._refuted]

    def _refute(self) -> None:
        if self._wide is not self._narrow:
            self._search(self._narrow, self._narrow.provers(self._open(), self._known))
        self._search(self._wide, self._provers)

    def _search(self, typed: TypedPolicy, provers: Provers) -> None:
        """Search for counterexamples to the claims that the provers cannot prove."""
        asked = typed.asked(self._open())
        attempts = {at: _attempted(provers, claim) for at, claim in asked.items()}
        self._exhausted |= {at: each.attempt.why for at, each in attempts.items() if each.prover is None}
        unproved = [at for at, each in attempts.items() if each.prover and not each.attempt.is_proof]
        for prover, claims in provers.by_prover({at: asked[at] for at in unproved}).items():
            self._search_with(prover, typed, claims)

    def _search_with(self, prover: Prover, typed: TypedPolicy, claims: Mapping[int, Assertion]) -> None:
        refuter = Refuter(prover)
        witnesses = refuter.refute(list(claims.values()), [typed.claims[at].known for at in claims])
        for number, (at, witness) in enumerate(zip(claims, witnesses, strict=True)):
            if witness is not None:
                self._refuted[at] = typed.program, witness
            elif number in refuter.too_large:
                self._too_large.add(at)
            elif refuter.exhausted:
                self._exhausted[at] = refuter.exhausted

    def _trace_back(self) -> None:
        """Where the possible records are not known exactly, a claim may be true though nothing proved it."""
        if self._wide.maps == self._narrow.maps:
            for at in self._open():
                prover = self._attempts[at].prover
                if prover is not None:
                    self._attempts[at] = _traced_back(self._asked[at], self._attempts[at], prover)

    def _judgement(self, at: int) -> Judgement:
        if not self._is_proved(at) and at not in self._refuted and at in self._exhausted:
            return Judgement(False, self._exhausted[at])
        reason = self._why(self._asked[at], self._attempts[at])
        if at in self._too_large:
            reason += (
                f"\nit may fail on a table of more than {MOST_RECORDS:,} records, the most that are tried"
            )
        return Judgement(self._is_proved(at), reason, self._refuted.get(at))

    def _why(self, claim: Assertion, attempted: _Attempted) -> str:
        attempt, prover = attempted.attempt, attempted.prover
        if prover is None:
            return f"which line breaks it was {attempt.why}"
        reasons = self._reasons.setdefault(prover, Reasons(prover))
        explain = reasons.why_proved if attempt.is_proof else reasons.why_unproved
        try:
            with bounded():
                return explain(claim, attempt)
        except Exhausted as exhausted:
            return f"which line {'establishes' if attempt.is_proof else 'breaks'} it was {exhausted}"


def _traced_back(claim: Assertion, attempted: _Attempted, prover: Prover) -> _Attempted:
    try:
        with bounded():
            attempt = prover.trace_back(claim)
    except Exhausted:
        return attempted
    return _Attempted(attempt, prover) if attempt.is_proof else attempted
