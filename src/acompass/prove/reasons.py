"""Why a claim holds, line by line, and which line could break it, in words."""

from typing import assert_never

from acompass.checked.program import Assertion, Process, Quantifier, Random, Reject, Replace, Requirement
from acompass.prove.argument import Argument
from acompass.prove.cells import NONE, Cells
from acompass.prove.prover import Prover
from acompass.prove.regions import Mask

#: requirements that are looked at, from the last, for the one that breaks a claim about classes
LOOKED_AT = 40


class Reasons:
    def __init__(self, prover: Prover):
        self._prover = prover
        self._masks: dict[tuple[int, int], Mask] = {}

    def of_proof(self, assertion: Assertion, argument: Argument) -> str:
        """A line a step."""
        if isinstance(assertion.result, Process):
            return "\n".join(self._passages(argument))
        return self._of_records(assertion)

    def _passages(self, argument: Argument) -> list[str]:
        """What each requirement has to do with the claim, from first to last."""
        settled = max(argument.settled, default=0)
        lines = [self._settled(settled)] if argument.settled else []
        for step, left in sorted(argument.passed.items()):
            if step >= min(argument.settled, default=0):
                lines.append(self._line(step, _passage(self._requirement(step), left)))
        return lines

    def _settled(self, step: int) -> str:
        if step == 0:
            return "no class of any table can violate it"
        return self._line(step - 1, "leaves no class that can violate it")

    def _of_records(self, assertion: Assertion) -> str:
        since = self.unchanged_since(assertion, self._prover.last)
        if since == 0:
            return "no record of any table can violate it"
        lines = [self._line(since - 1, "leaves no record that violates it")]
        later = [r.line for r in self._prover.program.requirements[since:] if r.action is not None]
        if later:
            place = f"line {later[0]}" if len(later) == 1 else f"lines {later[0]} to {later[-1]}"
            lines.append(f"{place}: no value written there violates it")
        return "\n".join(lines)

    def unchanged_since(self, assertion: Assertion, last: int) -> int:
        """The first step from which on a claim about records has been as true as it is at the last one."""
        refused = self._prover.refused(last, assertion)
        diagrams = self._prover.levels.diagrams
        masks = {level: diagrams.mask_of(refused, level) for level in diagrams.support(refused)}
        is_empty = self._is_empty(last, refused, masks)
        step = last
        while step > 0 and self._is_asked_alike(step - 1, last):
            if self._is_empty(step - 1, refused, masks) != is_empty:
                break
            step -= 1
        return step

    def _is_asked_alike(self, step: int, last: int) -> bool:
        schemas = self._prover.levels.schemas
        return schemas[step] is schemas[last] or schemas[step] == schemas[last]

    def _is_empty(self, step: int, refused: Cells, masks: dict[int, Mask]) -> bool:
        """Whether no record of the step is refused; most often one column alone tells."""
        if any(not self._mask(step, level) & mask for level, mask in masks.items()):
            return True
        return self._prover.levels.diagrams.both(self._prover.effects.reach[step], refused) is NONE

    def _mask(self, step: int, level: int) -> Mask:
        key = (step, level)
        if key not in self._masks:
            reach = self._prover.effects.reach[step]
            self._masks[key] = self._prover.levels.diagrams.mask_of(reach, level)
        return self._masks[key]

    def of_doubt(self, assertion: Assertion, argument: Argument) -> str:
        """The line that could break the claim."""
        if assertion.quantifier is Quantifier.SOME:
            return "an empty table has no record that satisfies it"
        breaker = self.breaker(assertion, argument)
        if breaker is None:
            return "no line makes it so"
        why = argument.why if breaker == argument.blocked else _breaking(self._requirement(breaker))
        return self._line(breaker, why)

    def breaker(self, assertion: Assertion, argument: Argument) -> int | None:
        """The last requirement before which the claim could be proved; else the one that blocks the proof."""
        last = self._prover.last
        if not isinstance(assertion.result, Process):
            since = self.unchanged_since(assertion, last)
            return since - 1 if since > 0 else None
        for step in range(last - 1, max(-1, last - 1 - LOOKED_AT), -1):
            if not self._is_asked_alike(step, last):
                break
            if self._prover.argue(assertion, step).is_proof:
                return step
        return argument.blocked

    def _requirement(self, step: int) -> Requirement:
        return self._prover.program.requirements[step]

    def _line(self, step: int, why: str) -> str:
        return f"line {self._requirement(step).line}: {why}"


def _passage(requirement: Requirement, left: int) -> str:
    match requirement.action:
        case Reject():
            return "removes every class that violates it" if left == 0 else "removes whole classes only"
        case Replace(column) | Random(column):
            name = requirement.after[column].name
            return (
                f"what it writes into `{name}` satisfies it"
                if left == 0
                else f"rewrites `{name}` and merges whole classes at the most"
            )
        case None:
            return "only checks"
        case _:
            assert_never(requirement.action)


def _breaking(requirement: Requirement) -> str:
    match requirement.action:
        case Reject():
            return "removes records that the claim counts on"
        case Replace(column):
            return f"writes into `{requirement.after[column].name}`"
        case Random(column):
            return f"draws values for `{requirement.after[column].name}`"
        case None:
            return "only checks"
        case _:
            assert_never(requirement.action)
