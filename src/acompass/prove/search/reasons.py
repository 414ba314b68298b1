"""The reasons for a verdict in words: the lines that establish a claim, or the line that could break it."""

from typing import assert_never

from acompass.language.program.effects import effect_of, is_certain, process_in
from acompass.language.program.program import Assertion, Project, Remove, Requirement, Write
from acompass.language.text.tree import Quantifier
from acompass.prove.diagrams.decision_diagram import EMPTY, Diagram, Variable
from acompass.prove.diagrams.regions import Mask
from acompass.prove.search.claims import is_assumed
from acompass.prove.search.proof_search import ProofAttempt
from acompass.prove.search.prover import Prover

#: how many of the last requirements are searched for the one that breaks a claim about classes
MAX_SEARCHED = 40

_CHECKED = "nothing is written unless it holds there"


class Reasons:
    def __init__(self, prover: Prover):
        self._prover = prover
        self._masks: dict[tuple[int, int, Variable], Mask] = {}

    def why_proved(self, assertion: Assertion, attempt: ProofAttempt) -> str:
        if attempt.why:
            return attempt.why
        if process_in(assertion) is not None or assertion.quantifier is Quantifier.SOME:
            return "\n".join(self._passages(attempt))
        return self._why_records_satisfy(assertion)

    def _passages(self, attempt: ProofAttempt) -> list[str]:
        """What each requirement contributes to the proof, from first to last."""
        settled = max(attempt.settled, default=0)
        lines = [self._settled_line(settled)] if attempt.settled else []
        for step, left in sorted(attempt.passed.items()):
            is_idle = left > 0 and self._requirement(step).action is None
            if step >= min(attempt.settled, default=0) and not is_idle:
                lines.append(self._line(step, _passage_text(self._requirement(step), left)))
        return lines

    def _settled_line(self, step: int) -> str:
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
        """The earliest step from which a claim about records stays as provable, or as unprovable, as at the step
        `last`."""
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
        case Write(column, kernel):
            name = requirement.after[column].name
            return (
                f"every {kernel.noun} it writes into `{name}` satisfies it"
                if left == 0
                else f"{kernel.change} `{name}`, which at most merges whole classes"
            )
        case None:
            return _CHECKED
        case Project():
            return "drops columns that the claim does not read"
        case _:
            assert_never(effect)


def _break_text(requirement: Requirement) -> str:
    effect = effect_of(requirement.action)
    match effect:
        case Remove() if not is_certain(requirement.action):
            return "may remove any of the records that the claim relies on"
        case Remove():
            return "removes records that the claim relies on"
        case Write(column, kernel):
            return f"{kernel.deed} `{requirement.after[column].name}`"
        case Project():
            return "drops columns"
        case None:
            return "only checks"
        case _:
            assert_never(effect)
