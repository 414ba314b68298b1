"""The verdict and the proof of a requirement in words."""

from collections.abc import Iterator

from acompass.assist.context import Context
from acompass.assist.document import Document
from acompass.assist.requirements import ProofState, RequirementState
from acompass.opened import SampleInfo
from acompass.syntax.spelling import spell_probability
from acompass.syntax.walk import steps_of


def verdict_lines(document: Document, offset: int, context: Context) -> Iterator[str]:
    """For each step of the requirement at an offset what a run finds, then whether it is proved."""
    indexes = _indexes(document, offset)
    if context.verdicts is not None:
        states = [state for state in context.verdicts.requirements if state.index in indexes]
        yield from (verdict_words(state, context.verdicts.sample) for state in states)
    yield from (proof_words(proof) for proof in context.proofs if proof.index in indexes)


def _indexes(document: Document, offset: int) -> range:
    """The indexes of the steps of the requirement at an offset."""
    first = 1
    for requirement in document.program.requirements:
        number = len(tuple(steps_of(requirement)))
        if requirement.span.start <= offset < requirement.span.end:
            return range(first, first + number)
        first += number
    return range(0)


def verdict_words(state: RequirementState, sample: SampleInfo | None = None) -> str:
    """Such as `repaired: 12 of 500 records affected, REJECT`; a check without an action is violated."""
    of = f"{state.affected:,} of {state.records:,} records"
    match state.holds:
        case True:
            said = f"holds for {state.records:,} records"
        case False:
            said = f"{'violated' if state.action is None else 'repaired'}: {of} affected"
        case None:
            said = f"no verdict: {of} affected"
    chance = "" if state.probability is None else f" with probability {spell_probability(state.probability)}"
    action = "" if state.action is None or not state.affected else f", {state.action}{chance}"
    return f"{said}{action}{'' if sample is None else f' (in a sample of {sample.records:,})'}"


def proof_words(proof: ProofState) -> str:
    first = proof.reason.splitlines()[0] if proof.reason else ""
    return f"{proof.verdict} for every table{f': {first}' if first else ''}"
