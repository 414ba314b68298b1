"""Inlay hints with each requirement's verdict, affected count and proof, and commands above it.

A command returns a text to show; no command writes a file."""

from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types

from acompass.assist.analysis import (
    SEED,
    STAND_IN_KEY,
    Context,
    ProofState,
    require_policy,
    step_indexes,
    verdict_words,
)
from acompass.assist.document import used_params
from acompass.assist.lsp.open_documents import Inputs, OpenDocument, OpenTable
from acompass.assist.lsp.view import View
from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import CallError, Diagnostic, Span
from acompass.errors.display import count_text
from acompass.explain.algebra_text import to_algebra
from acompass.policy import SETTINGS_FILE
from acompass.prove.proof import ClaimVerdict, Proof
from acompass.report.answers.results import (
    TO_REPAIR,
    UNNAMED,
    VIOLATED,
    no_check_words,
    records_in_and_out,
    remarks,
    requirements_table,
    verdict,
)
from acompass.report.text import document_text
from acompass.result import Result
from acompass.session import Session


def inlay_hints(view: View, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Wait for the verdicts of this version. Each step of a THEN has its own (X10)."""
    context = view.opened.judged.result()
    asked = view.positions.span(params.range)
    return [
        _hint(view, span, words, proof)
        for span, words, proof in _requirement_hints(context)
        if asked.start <= span.end <= asked.end
    ]


def _requirement_hints(context: Context) -> Iterator[tuple[Span, str, ProofState | None]]:
    """The place of each requirement, its hint and its proof."""
    found = {} if context.verdicts is None else context.verdicts.by_index
    proved = {proof.index: proof for proof in context.proofs}
    for index in sorted(found.keys() | proved.keys()):
        parts, proof = [], proved.get(index)
        if context.verdicts is not None and index in found:
            outcome, span = found[index]
            parts.append(verdict_words(outcome, context.verdicts.sample))
        if proof is not None:
            span = proof.span
            parts.append(str(proof.claim.verdict))
        yield span, ", ".join(parts), proof


def _hint(view: View, span: Span, words: str, proof: ProofState | None) -> types.InlayHint:
    return types.InlayHint(
        position=view.positions.position(span.end),
        label=words,
        padding_left=True,
        tooltip=None if proof is None or not proof.claim.reason else f"{proof.claim.verdict}: {proof.claim.reason}",
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
        yield types.Command("run", RUN, arguments=[view.opened.uri])
    yield types.Command("prove", PROVE, arguments=[view.opened.uri, number])
    yield types.Command("explain", EXPLAIN, arguments=[view.opened.uri, number])


RUN, PROVE, EXPLAIN = "acompass.run", "acompass.prove", "acompass.explain"


@dataclass(frozen=True, slots=True)
class Answer:
    title: str  # of `text`
    summary: str  # one line
    text: str


def run_command(opened: OpenDocument, _: int | None = None) -> Answer:
    """Report the verdicts of a run on all records."""
    policy, inputs = require_policy(opened.document), opened.mistakes.result().inputs
    table = _require_table(opened, inputs)
    params = used_params(opened.document, inputs.settings.params)

    def preview(_: Session) -> Result:
        return table.queue.whole.preview(policy, params=params, seed=SEED, key=STAND_IN_KEY)

    result = table.queue.ask(f"run {opened.uri}", preview)
    words = [verdict(outcome, TO_REPAIR) for outcome in result.requirements]
    violated = f", {words.count(VIOLATED)} {VIOLATED}" if VIOLATED in words else ""
    repaired = f"{words.count(TO_REPAIR)} of {count_text(len(words), 'requirement')} {TO_REPAIR}"
    records = records_in_and_out(result) + no_check_words(result)
    summary = remarks(result, UNNAMED, f"{records}; nothing was written")
    text = document_text([*requirements_table(result, TO_REPAIR), summary])
    return Answer(_title(opened, "run"), f"{repaired}{violated}; {records}", text)


def prove_command(opened: OpenDocument, number: int | None = None) -> Answer:
    """Prove the policy's assertions, or those of one requirement."""
    indexes = step_indexes(require_policy(opened.document).tree, number)
    claims = tuple(proof.claim for proof in opened.judged.result().proofs if proof.index in indexes)
    verdicts = [claim.verdict for claim in claims]
    counts = (f"{verdicts.count(verdict)} {verdict}" for verdict in ClaimVerdict if verdict in verdicts)
    summary = ", ".join(counts) or "nothing to prove"
    return Answer(_title(opened, "prove"), summary, f"{Proof(claims, {})}\n" if claims else f"{summary}\n")


def explain_command(opened: OpenDocument, number: int | None = None) -> Answer:
    """Write the policy, or one of its requirements, as relational algebra."""
    policy = require_policy(opened.document)
    tree = policy.tree
    if number is not None:
        tree = replace(tree, requirements=tree.requirements[number - 1 : number])
    params = used_params(opened.document, opened.context.params)
    summary = "relational algebra" if number is None else f"requirement {number} as relational algebra"
    return Answer(_title(opened, "explain"), summary, to_algebra(tree, policy.text, params))


def _title(opened: OpenDocument, command: str) -> str:
    name = "policy" if opened.document.path is None else Path(opened.document.path).name
    return f"{command} {name}"


def _require_table(opened: OpenDocument, inputs: Inputs) -> OpenTable:
    if inputs.error is not None:
        raise inputs.error
    if inputs.table is None:
        name = "policy.acp" if opened.document.path is None else Path(opened.document.path).name
        help_ = f'name the table in `{SETTINGS_FILE}` in the folder:\n[policy."{name}"]\ntable = "people.csv"'
        raise CallError([Diagnostic("AC411", "no table is given", help=help_)])
    return inputs.table
