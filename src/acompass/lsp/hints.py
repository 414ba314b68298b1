"""Beside each requirement its verdict, affected count and proof; above it, commands."""

from collections.abc import Iterator

from lsprotocol import types

from acompass.assist.context import Context
from acompass.assist.requirements import ProofState, RequirementState
from acompass.assist.verdict_words import verdict_words
from acompass.diagnostics import Span
from acompass.lsp.commands import EXPLAIN, PROVE, RUN
from acompass.lsp.view import View


def inlay_hints(view: View, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Waits for the verdicts of this version. Each step of a THEN has its own (X10)."""
    context = view.sheet.judged.result()
    asked = view.positions.span(params.range)
    return [
        _hint(view, span, words, proof)
        for span, words, proof in _said(context)
        if asked.start <= span.end <= asked.end
    ]


def _said(context: Context) -> Iterator[tuple[Span, str, ProofState | None]]:
    """The place of each requirement, what is said there, and its proof."""
    states = (
        {} if context.verdicts is None else {state.index: state for state in context.verdicts.requirements}
    )
    proved = {proof.index: proof for proof in context.proofs}
    for index in sorted(states.keys() | proved.keys()):
        state, proof = states.get(index), proved.get(index)
        parts = [*_verdict(state, context), *([] if proof is None else [str(proof.verdict)])]
        place = proof if state is None else state
        assert place is not None, "the index is that of a verdict or of a proof"
        yield place.span, ", ".join(parts), proof


def _verdict(state: RequirementState | None, context: Context) -> Iterator[str]:
    if state is not None and context.verdicts is not None:
        yield verdict_words(state, context.verdicts.sample)


def _hint(view: View, span: Span, words: str, proof: ProofState | None) -> types.InlayHint:
    return types.InlayHint(
        position=view.positions.position(span.end),
        label=words,
        padding_left=True,
        tooltip=None if proof is None or not proof.reason else f"{proof.verdict}: {proof.reason}",
    )


def code_lenses(view: View, _: types.CodeLensParams) -> list[types.CodeLens]:
    """*run* for the policy above its first requirement, *prove* and *explain* above each."""
    return [
        types.CodeLens(view.positions.range(Span(requirement.span.start, requirement.span.start)), command)
        for number, requirement in enumerate(view.document.program.requirements, start=1)
        for command in _commands(view, number)
    ]


def _commands(view: View, number: int) -> Iterator[types.Command]:
    if number == 1:
        yield types.Command("run", RUN, arguments=[view.sheet.uri])
    yield types.Command("prove", PROVE, arguments=[view.sheet.uri, number])
    yield types.Command("explain", EXPLAIN, arguments=[view.sheet.uri, number])
