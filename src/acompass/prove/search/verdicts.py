"""Verdicts on a policy's claims: attempt a proof first, then search for a counterexample.

Claims that use the same checks share a prover. `Reasons` are in words: the lines that establish a claim, or the line
that could break it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import assert_never

from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import PolicyError
from acompass.language.program.checker import check
from acompass.language.program.constants import ParamValue
from acompass.language.program.effects import (
    changes,
    effect_of,
    is_certain,
    map_of,
    needs_key,
    process_in,
    type_changes,
)
from acompass.language.program.kernels import Map, Microaggregate
from acompass.language.program.program import Assertion, Program, Project, Remove, Requirement, Write
from acompass.language.program.types import Kind, Schema, Type
from acompass.language.text import tree
from acompass.language.text.tree import Quantifier
from acompass.language.text.walk import parameter_names
from acompass.prove.diagrams.decision_diagram import EMPTY, Diagram, Variable
from acompass.prove.diagrams.regions import Mask
from acompass.prove.proof import (
    DEADLINE,
    Claim,
    ClaimVerdict,
    Counterexample,
    Exhausted,
    Proof,
    recursion_limit,
    time_limit,
)
from acompass.prove.refute.candidate_tables import MOST_RECORDS
from acompass.prove.refute.refutation import Refuter
from acompass.prove.refute.replay import EXAMPLE_KEY_TEXT, Witness
from acompass.prove.search.claims import (
    CheckedClaim,
    ParsedClaim,
    add_assumptions,
    assertion_columns,
    check_claims,
    is_assumed,
    own_claims,
    parse_assumptions,
    parse_claims,
)
from acompass.prove.search.column_types import ColumnTypes, column_types, finer_scale, other_types
from acompass.prove.search.prover import ProofAttempt, Prover, Provers

#: the most checks that the proof of another check may use, which bounds the number of provers
MOST_CHECKS = 16
#: how many of the last requirements are searched for the one that breaks a claim about classes
MAX_SEARCHED = 40

_CHECKED = "nothing is written unless it holds there"


@dataclass(frozen=True, slots=True)
class ProvedClaim:
    """A proved claim, with the checked policy that it is about."""

    claim: Claim
    assertion: Assertion
    program: Program
    known: frozenset[int]  # the steps of the checks that hold
    any_scale: frozenset[int]  # the columns whose numbers may have any scale


def prove_policy(
    policy: tree.Program,
    source: str,
    claims: Sequence[str] | None = None,
    schema: Mapping[str, str | Type] | None = None,
    params: Mapping[str, ParamValue] | None = None,
    types: Mapping[str, str | Type] | None = None,
    others: Sequence[tree.Program] = (),
    assume: Sequence[str] = (),
    deadline: float | None = DEADLINE,
    on_proof: Callable[[ProvedClaim], None] | None = None,
    claimed_by: tree.Program | None = None,
) -> Proof:
    """A verdict on each claim, for every table and every trace. `on_proof` is called with each proved claim.

    By default, the claims are the policy's own assertions. Without a schema, the columns are those that the policy and
    the claims name; `types` sets the types of some of them. The policies `others` read the same table, so their uses of
    columns count as well. The assertions `assume` are known to hold for the input table. Claims without a verdict after
    `deadline` seconds are undecided. Reference tables of claims are those of the policy `claimed_by`, by default this
    one.
    """
    assumed = parse_assumptions(assume, policy)
    parsed = None if claims is None else parse_claims(claims, policy if claimed_by is None else claimed_by)
    settings = dict(params or {})
    everything = _combine_programs(policy, parsed or (), (*(each.program() for each in assumed), *others))
    columns = column_types(everything, settings, schema, types)

    def check_with(schema: Schema, any_scale: frozenset[int] = frozenset()) -> TypedPolicy:
        program = check_policy(policy, source, schema, settings, everything)
        checked = (
            own_claims(policy, source, program, settings) if parsed is None else check_claims(parsed, program, settings)
        )
        return TypedPolicy(*add_assumptions(assumed, program, checked, settings), any_scale)

    def check_wide_and_narrow(columns: ColumnTypes) -> tuple[ColumnTypes, TypedPolicy, TypedPolicy]:
        """The policy with numbers of any scale, and with the narrowest types."""
        narrow = check_with(columns.schema)
        if not columns.any_scale:
            return columns, narrow, narrow
        try:
            wide = check_with(columns.widen(finer_scale(everything, settings)), columns.any_scale)
        except PolicyError:
            # a constant of the policy has too many digits for a finer scale, so the policy rejects such tables
            columns = columns.with_spellings()
            wide = narrow = check_with(columns.schema)
        return columns, wide, narrow

    columns, wide, narrow = check_wide_and_narrow(columns)
    inferred = tuple(columns.schema[at].name for at in sorted(columns.inferred))
    with time_limit(deadline):
        verdicts = _verdicts(wide, narrow)
        for what, other in other_types(everything, settings, types) if schema is None else ():
            with suppress(PolicyError):  # the policy cannot be run on such a table
                verdicts = _confirm_verdicts(verdicts, what, *check_wide_and_narrow(other)[1:])
        if on_proof is not None:
            for proved in _proved_claims(wide, verdicts):
                on_proof(proved)
        return Proof(verdicts, columns.names(), inferred)


@dataclass(frozen=True, slots=True)
class TypedPolicy:
    """A policy and its claims, checked against one schema."""

    program: Program
    claims: list[CheckedClaim]
    any_scale: frozenset[int]

    @property
    def maps(self) -> list[Map]:
        maps = (map_of(requirement.action) for requirement in self.program.requirements)
        return [map_ for map_ in maps if map_ is not None]

    def assertions(self, claims: Iterable[int]) -> dict[int, Assertion]:
        found = ((at, self.claims[at].assertion) for at in claims)
        return {at: assertion for at, assertion in found if assertion is not None}

    def provers(self, claims: Iterable[int], known: frozenset[int]) -> Provers:
        return Provers(self.program, list(self.assertions(claims).values()), known, self.any_scale)


def _proved_claims(typed: TypedPolicy, verdicts: Sequence[Claim]) -> Iterator[ProvedClaim]:
    for claim, verdict in zip(typed.claims, verdicts, strict=True):
        if verdict.verdict is ClaimVerdict.PROVED and claim.assertion is not None:
            yield ProvedClaim(verdict, claim.assertion, typed.program, _usable_checks(claim), typed.any_scale)


def _confirm_verdicts(
    verdicts: Sequence[Claim], what: str, wide: TypedPolicy, narrow: TypedPolicy
) -> tuple[Claim, ...]:
    """Replace the verdict of each proved claim that fits the other tables but is not proved for them."""
    proved = (at for at, claim in enumerate(verdicts) if claim.verdict is ClaimVerdict.PROVED)
    asked = [at for at in proved if wide.claims[at].assertion is not None]
    found = list(verdicts)
    for at, claim in _verdicts_on(wide, narrow, asked).items():
        if claim.verdict is not ClaimVerdict.PROVED:
            found[at] = replace(claim, reason=f"{claim.reason}\n{what}")
    return tuple(found)


def _combine_programs(
    policy: tree.Program, claims: Iterable[ParsedClaim], others: Iterable[tree.Program]
) -> tree.Program:
    """The first use of a column decides its type, so claims about the final table come last."""
    programs = (policy, *others, *(claim.program() for claim in claims))
    requirements = tuple(requirement for program in programs for requirement in program.requirements)
    return replace(policy, requirements=requirements, comments=())


def check_policy(
    policy: tree.Program,
    source: str,
    schema: Schema,
    params: Mapping[str, ParamValue],
    everything: tree.Program | None = None,
) -> Program:
    """The checked policy; `everything` is the policy with its claims, which may have parameters of their own."""
    used_by_claims_only = parameter_names(everything or policy) - parameter_names(policy)
    own = {name: value for name, value in params.items() if name not in used_by_claims_only}
    program, problems = check(policy, source, schema, own)
    if program is None:
        raise PolicyError(problems, source)
    return program


def _verdicts(wide: TypedPolicy, narrow: TypedPolicy) -> tuple[Claim, ...]:
    found = _verdicts_on(wide, narrow, range(len(wide.claims)))
    return tuple(found[at] for at in range(len(wide.claims)))


def _verdicts_on(wide: TypedPolicy, narrow: TypedPolicy, claims: Iterable[int]) -> dict[int, Claim]:
    groups: dict[frozenset[int], list[int]] = defaultdict(list)
    for at in claims:
        groups[_usable_checks(wide.claims[at])].append(at)
    return {at: verdict for known, group in groups.items() for at, verdict in _judge(wide, narrow, group, known)}


def _usable_checks(claim: CheckedClaim) -> frozenset[int]:
    """The known checks that a proof may use: for the claim of a check, at most the first MOST_CHECKS."""
    return frozenset(sorted(claim.known)[:MOST_CHECKS]) if claim.is_of_check else claim.known


def _judge(
    wide: TypedPolicy, narrow: TypedPolicy, group: Sequence[int], known: frozenset[int]
) -> Iterator[tuple[int, Claim]]:
    asked = [at for at in group if wide.claims[at].assertion is not None]
    yield from ((at, _unfit_claim(wide.claims[at], wide.program)) for at in group if at not in asked)
    for at, judgment in Judge(wide, narrow, asked, known).judgments():
        yield at, _claim_verdict(wide.claims[at], judgment)


@dataclass(frozen=True, slots=True)
class Judgment:
    is_proved: bool
    reason: str
    refuted: tuple[Program, Witness] | None = None  # a program, and its run on which the claim fails


def _claim_verdict(claim: CheckedClaim, judgment: Judgment) -> Claim:
    if judgment.refuted is None:
        verdict = ClaimVerdict.PROVED if judgment.is_proved else ClaimVerdict.UNDECIDED
        return Claim(claim.text, claim.line, verdict, judgment.reason)
    counterexample = _counterexample(*judgment.refuted)
    size = len(counterexample.records)
    found = f"fails on a table of {size} {'record' if size == 1 else 'records'}"
    if needs_key(judgment.refuted[0].requirements):
        found = f"{found}, with {EXAMPLE_KEY_TEXT} as the key"
    return Claim(claim.text, claim.line, ClaimVerdict.REFUTED, f"{found}\n{judgment.reason}", counterexample)


def _unfit_claim(claim: CheckedClaim, program: Program) -> Claim:
    """The verdict on an assertion of the policy that does not fit the final table."""
    assert claim.step is not None
    read = assertion_columns(program.requirements[claim.step].assertion)
    changes = [change for each in program.requirements[claim.step :] for change in _type_change_texts(each, read)]
    reason = "\n".join(changes) + ", so the claim does not fit the final table"
    return Claim(claim.text, claim.line, ClaimVerdict.UNDECIDED, reason)


def _type_change_texts(requirement: Requirement, columns: frozenset[int]) -> Iterator[str]:
    for column, (_, after) in type_changes(requirement).items():
        if column in columns:
            what = "is dropped" if after.kind is Kind.DROPPED else f"becomes {after.kind}"
            yield f"line {requirement.line}: column `{requirement.before[column].name}` {what}"


def _counterexample(program: Program, witness: Witness) -> Counterexample:
    trace = tuple(decimal_text(rho) for rho in witness.trace)
    return Counterexample(program.schema, witness.records, trace, *witness.released(program))


def decimal_text(rho: Fraction) -> str:
    """A nonnegative fraction with a finite decimal expansion, written as a decimal."""
    digits = 0
    while (rho * 10**digits).denominator != 1:
        digits += 1
    whole = str((rho * 10**digits).numerator).zfill(digits + 1)
    return f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole


@dataclass(frozen=True, slots=True)
class _ClaimAttempt:
    attempt: ProofAttempt
    prover: Prover | None = None  # None if the attempt was cut short, for the reason `attempt.why`


def _attempt_claim(provers: Provers, assertion: Assertion) -> _ClaimAttempt:
    return _attempt_within_limits(lambda: _attempt_with(provers.for_assertion(assertion), assertion))


def _attempt_with(prover: Prover, assertion: Assertion) -> _ClaimAttempt:
    return _ClaimAttempt(prover.attempt(assertion, prover.last), prover)


def _attempt_within_limits(attempt: Callable[[], _ClaimAttempt]) -> _ClaimAttempt:
    try:
        with recursion_limit():
            return attempt()
    except Exhausted as exhausted:
        return _ClaimAttempt(ProofAttempt(False, why=str(exhausted)))


class Judge:
    """Judges claims that use the same checks: proves them for numbers of any scale (`wide`), and searches for
    counterexamples with the narrowest types (`narrow`) first, which are easier to read."""

    def __init__(self, wide: TypedPolicy, narrow: TypedPolicy, claims: Sequence[int], known: frozenset[int]):
        self._wide = wide
        self._narrow = narrow
        self._known = known
        self._asked = wide.assertions(claims)
        self._provers = wide.provers(claims, known)
        self._attempts: dict[int, _ClaimAttempt] = {}
        self._refuted: dict[int, tuple[Program, Witness]] = {}
        self._too_large: set[int] = set()
        self._exhausted: dict[int, str] = {}
        self._reasons: dict[Prover, Reasons] = {}

    def judgments(self) -> Iterator[tuple[int, Judgment]]:
        self._attempt()
        self._refute()
        self._attempt_again()
        for at in self._asked:
            yield at, self._judgment(at)

    def _attempt(self) -> None:
        """Bands of integers and of decimals have different labels, so both need a proof."""
        self._attempts = {at: _attempt_claim(self._provers, claim) for at, claim in self._asked.items()}
        if self._wide.maps == self._narrow.maps:
            return
        provers = self._narrow.provers(self._asked, self._known)
        for at in [at for at in self._asked if self._is_proved(at)]:
            claim = self._narrow.claims[at].assertion
            if claim is None:
                self._attempts[at] = replace(self._attempts[at], attempt=ProofAttempt(False))
            elif not (other := _attempt_claim(provers, claim)).attempt.is_proof:
                self._attempts[at] = other

    def _is_proved(self, at: int) -> bool:
        return self._attempts[at].attempt.is_proof

    def _open_claims(self) -> list[int]:
        return [at for at in self._asked if not self._is_proved(at) and at not in self._refuted]

    def _refute(self) -> None:
        if self._wide is not self._narrow:
            self._search(self._narrow, self._narrow.provers(self._open_claims(), self._known))
        self._search(self._wide, self._provers)

    def _search(self, typed: TypedPolicy, provers: Provers) -> None:
        """Search for counterexamples to the claims that the provers cannot prove."""
        asked = typed.assertions(self._open_claims())
        attempts = {at: _attempt_claim(provers, claim) for at, claim in asked.items()}
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

    def _attempt_again(self) -> None:
        """Where the reachable records were over-approximated, try more exact and more expensive proofs."""
        if self._wide.maps == self._narrow.maps:
            for at in self._open_claims():
                prover = self._attempts[at].prover
                if prover is not None and prover.is_focused:
                    self._attempts[at] = self._attempt_exactly(at, prover)

    def _attempt_exactly(self, at: int, prover: Prover) -> _ClaimAttempt:
        claim = self._asked[at]
        traced = _attempt_within_limits(lambda: _ClaimAttempt(prover.trace_back(claim), prover))
        if traced.attempt.is_proof:
            return traced
        exact = _attempt_within_limits(lambda: _attempt_with(self._provers.exact or prover, claim))
        return exact if exact.attempt.is_proof else self._attempts[at]

    def _judgment(self, at: int) -> Judgment:
        is_open = at in self._open_claims()
        if is_open and at in self._exhausted:
            return Judgment(False, self._exhausted[at])
        reason = self._why(self._asked[at], self._attempts[at])
        caveats = self._caveats(at) if is_open else ()
        return Judgment(self._is_proved(at), "\n".join((reason, *caveats)), self._refuted.get(at))

    def _caveats(self, at: int) -> Iterator[str]:
        """Why an undecided claim could still be false, or true."""
        if at in self._too_large:
            yield f"it may fail on a table of more than {MOST_RECORDS:,} records, the largest size tried"
        prover = self._attempts[at].prover
        if prover is not None and prover.is_focused:
            yield "the lines connect too many columns to compute all possible records"

    def _why(self, claim: Assertion, attempted: _ClaimAttempt) -> str:
        attempt, prover = attempted.attempt, attempted.prover
        if prover is None:
            return f"which line breaks it was {attempt.why}"
        reasons = self._reasons.setdefault(prover, Reasons(prover))
        explain = reasons.why_proved if attempt.is_proof else reasons.why_unproved
        try:
            with recursion_limit():
                return explain(claim, attempt)
        except Exhausted as exhausted:
            return f"which line {'establishes' if attempt.is_proof else 'breaks'} it was {exhausted}"


class Reasons:
    def __init__(self, prover: Prover):
        self._prover = prover
        self._masks: dict[tuple[int, int, Variable], Mask] = {}

    def why_proved(self, assertion: Assertion, attempt: ProofAttempt) -> str:
        if attempt.why:
            return attempt.why
        if process_in(assertion) is not None or assertion.quantifier is Quantifier.SOME:
            return "\n".join(self._passages(assertion, attempt))
        return self._why_records_satisfy(assertion)

    def _passages(self, assertion: Assertion, attempt: ProofAttempt) -> list[str]:
        """What each requirement contributes to the proof, from first to last."""
        settled = max(attempt.settled, default=0)
        lines = [self._settled_line(assertion, settled)] if attempt.settled else []
        for step, left in sorted(attempt.passed.items()):
            is_idle = left > 0 and self._requirement(step).action is None
            if step >= min(attempt.settled, default=0) and not is_idle:
                lines.append(self._line(step, _passage_text(self._requirement(step), left)))
        return lines

    def _settled_line(self, assertion: Assertion, step: int) -> str:
        columns = assertion_columns(assertion)
        while step > 0:  # back to the last line that changes what the claim reads
            if changes(self._requirement(step - 1).action, columns):
                break
            step -= 1
        if step == 0:
            return "no class of any table can violate it"
        return self._line(step - 1, "leaves no class that can violate it")

    def _why_records_satisfy(self, assertion: Assertion) -> str:
        since = self.unchanged_since(assertion, self._prover.last)
        if since == 0:
            return self._why_any_table_satisfies(assertion)
        is_check = self._requirement(since - 1).action is None
        lines = [self._line(since - 1, _CHECKED if is_check else "leaves no record that violates it")]
        later = [r.line for r in self._prover.program.requirements[since:] if r.action is not None]
        if later:
            place = f"line {later[0]}" if len(later) == 1 else f"lines {later[0]} to {later[-1]}"
            lines.append(f"{place}: no value written there violates it")
        return "\n".join(lines)

    def _why_any_table_satisfies(self, assertion: Assertion) -> str:
        prover = self._prover
        if self._reach(prover.last, prover.forbidden_records(prover.last, assertion)) is prover.reach:
            return "no record of any table can violate it"
        return self._line(max(prover.known), _CHECKED)

    def unchanged_since(self, assertion: Assertion, last: int) -> int:
        """The earliest step from which a claim about records stays as provable, or unprovable, as at `last`."""
        refused = self._prover.forbidden_records(last, assertion)
        diagrams = self._prover.diagrams
        masks = {variable: diagrams.mask_of(refused, variable) for variable in diagrams.support(refused)}
        reach = self._reach(last, refused)
        is_empty = self._is_empty(reach, last, refused, masks)
        step = last
        first = self._prover.fits_since(assertion, last)
        while step > first:
            if self._is_empty(reach, step - 1, refused, masks) != is_empty:
                break
            step -= 1
        return step

    def _reach(self, last: int, refused: Diagram) -> list[Diagram]:
        """The records that can reach each step, without those that later checks exclude if that makes a difference."""
        plain, checked = self._prover.reach, self._prover.reachability.reach
        intersection = self._prover.diagrams.intersection
        is_decisive = intersection(plain[last], refused) is not intersection(checked[last], refused)
        return checked if is_decisive else plain

    def _is_empty(self, reach: list[Diagram], step: int, refused: Diagram, masks: dict[Variable, Mask]) -> bool:
        """Whether no forbidden record can reach the step. Usually a single column decides."""
        if any(not self._mask(reach, step, variable) & mask for variable, mask in masks.items()):
            return True
        return self._prover.diagrams.intersection(reach[step], refused) is EMPTY

    def _mask(self, reach: list[Diagram], step: int, variable: Variable) -> Mask:
        key = (id(reach), step, variable)
        if key not in self._masks:
            self._masks[key] = self._prover.diagrams.mask_of(reach[step], variable)
        return self._masks[key]

    def why_unproved(self, assertion: Assertion, attempt: ProofAttempt) -> str:
        """The line that could break the claim."""
        if assertion.quantifier is Quantifier.SOME:
            return self._why_some_is_unproved()
        breaker = self.breaker(assertion, attempt)
        if breaker is None:
            return "no line establishes it"
        why = attempt.why if breaker == attempt.blocked else _break_text(self._requirement(breaker))
        return self._line(breaker, why)

    def _why_some_is_unproved(self) -> str:
        known = (self._requirement(step).assertion for step in self._prover.known)
        if any(assertion.quantifier is Quantifier.SOME for assertion in known):
            return "no line establishes it"
        return "an empty table has no record that satisfies it"

    def breaker(self, assertion: Assertion, attempt: ProofAttempt) -> int | None:
        """The last requirement before which the claim can be proved, or else the one that blocks the proof."""
        last = self._prover.last
        if process_in(assertion) is None:
            since = self.unchanged_since(assertion, last)
            return since - 1 if since > 0 else None
        first = self._prover.fits_since(assertion, last)
        for step in range(last - 1, max(first - 1, last - 1 - MAX_SEARCHED), -1):
            if self._prover.attempt(assertion, step).is_proof:
                return step
        return attempt.blocked

    def _requirement(self, step: int) -> Requirement:
        return self._prover.program.requirements[step]

    def _line(self, step: int, why: str) -> str:
        requirement = self._requirement(step)
        return requirement.text if is_assumed(requirement) else f"line {requirement.line}: {why}"


def _passage_text(requirement: Requirement, left: int) -> str:
    if not is_certain(requirement.action):
        return "leaves no class that violates it, whichever records it hits"
    effect = effect_of(requirement.action)
    match effect:
        case Remove():
            return "removes every class that violates it" if left == 0 else "removes whole classes only"
        case Write(columns, Microaggregate(size)) if left > 0:
            names = _column_names(requirement, columns)
            return f"each mean in {names} is that of at least {size} records, or of all that it averages"
        case Write(columns, kernel):
            names = _column_names(requirement, columns)
            return (
                f"every {kernel.noun} it writes into {names} satisfies it"
                if left == 0
                else f"{kernel.change} {names}, which at most merges whole classes"
            )
        case None:
            return _CHECKED
        case Project():
            return "drops columns that the claim does not read"
        case _:
            assert_never(effect)


def _column_names(requirement: Requirement, columns: Iterable[int]) -> str:
    return " and ".join(f"`{requirement.after[column].name}`" for column in columns)


def _break_text(requirement: Requirement) -> str:
    effect = effect_of(requirement.action)
    match effect:
        case Remove() if not is_certain(requirement.action):
            return "may remove any of the records that the claim relies on"
        case Remove():
            return "removes records that the claim relies on"
        case Write(columns, kernel):
            return f"{kernel.deed} {_column_names(requirement, columns)}"
        case Project():
            return "drops columns"
        case None:
            return "only checks"
        case _:
            assert_never(effect)
