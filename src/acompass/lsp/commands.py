"""The commands of the code lenses. Each answers with a text to show; none writes anything."""

from dataclasses import dataclass, replace
from pathlib import Path

from acompass.assist.parameters import used_params
from acompass.assist.requirements import SEED, ProofState, required_policy
from acompass.diagnostics import CallError, Diagnostic
from acompass.explain.algebra import to_algebra
from acompass.lsp.analysis import Beside
from acompass.lsp.sheets import Sheet
from acompass.lsp.tables import OpenTable
from acompass.policy import Policy
from acompass.project import FILE
from acompass.prove import Claim, ClaimVerdict, Proof
from acompass.report.text.proof import proof_text
from acompass.report.text.result import intended_text, remarks
from acompass.report.text.style import PLAIN
from acompass.report.words import TO_REPAIR, UNNAMED, VIOLATED, counted, records_in_and_out, verdict
from acompass.result import Result
from acompass.session import Session
from acompass.syntax.walk import steps_of

RUN, PROVE, EXPLAIN = "acompass.run", "acompass.prove", "acompass.explain"


@dataclass(frozen=True, slots=True)
class Answer:
    """`summary` fits in a line, `title` is a name for `text`."""

    title: str
    summary: str
    text: str


def run(sheet: Sheet, _: int | None = None) -> Answer:
    """The verdicts of a run on all records."""
    policy, beside = required_policy(sheet.document), sheet.mistakes.result().beside
    table = _required_table(sheet, beside)
    params = used_params(sheet.document, beside.settings.params)

    def previewed(_: Session) -> Result:
        return table.desk.whole.preview(policy, params=params, seed=SEED)

    result = table.desk.ask(f"run {sheet.uri}", previewed)
    words = [verdict(outcome, TO_REPAIR) for outcome in result.requirements]
    violated = f", {words.count(VIOLATED)} {VIOLATED}" if VIOLATED in words else ""
    repaired = f"{words.count(TO_REPAIR)} of {counted(len(words), 'requirement')} {TO_REPAIR}"
    records = records_in_and_out(result)
    lines = [*remarks(result, UNNAMED), f"{records}; nothing was written"]
    text = intended_text(result.requirements, lines, PLAIN, TO_REPAIR)
    return Answer(_title(sheet, "run"), f"{repaired}{violated}; {records}", text)


def prove(sheet: Sheet, number: int | None = None) -> Answer:
    """The proofs of the policy's assertions, or of those of one requirement."""
    policy = required_policy(sheet.document)
    indexes = _indexes(policy, number)
    found = [proof for proof in sheet.judged.result().proofs if proof.index in indexes]
    verdicts = [proof.verdict for proof in found]
    counts = (f"{verdicts.count(verdict)} {verdict}" for verdict in ClaimVerdict if verdict in verdicts)
    summary = ", ".join(counts) or "nothing to prove"
    claims = tuple(_claim(proof) for proof in found)
    return Answer(_title(sheet, "prove"), summary, f"{proof_text(Proof(claims, {})) or summary}\n")


def explain(sheet: Sheet, number: int | None = None) -> Answer:
    """The policy, or one of its requirements, as relational algebra."""
    policy = required_policy(sheet.document)
    tree = policy.tree
    if number is not None:
        tree = replace(tree, requirements=tree.requirements[number - 1 : number])
    params = used_params(sheet.document, sheet.context.params)
    summary = "relational algebra" if number is None else f"requirement {number} as relational algebra"
    return Answer(_title(sheet, "explain"), summary, to_algebra(tree, policy.text, params))


def _title(sheet: Sheet, command: str) -> str:
    name = "policy" if sheet.document.path is None else Path(sheet.document.path).name
    return f"{command} {name}"


def _required_table(sheet: Sheet, beside: Beside) -> OpenTable:
    if beside.refused is not None:
        raise beside.refused
    if beside.table is None:
        name = "policy.acp" if sheet.document.path is None else Path(sheet.document.path).name
        help_ = f'name the table in an `{FILE}` beside the policy:\n[policy."{name}"]\ntable = "people.csv"'
        raise CallError([Diagnostic("AC411", "no table is given", help=help_)])
    return beside.table


def _indexes(policy: Policy, number: int | None) -> range:
    """The indexes of the steps of one requirement, or of all."""
    lengths = [len(tuple(steps_of(requirement))) for requirement in policy.tree.requirements]
    if number is None:
        return range(1, sum(lengths) + 1)
    first = 1 + sum(lengths[: number - 1])
    return range(first, first + lengths[number - 1])


def _claim(proof: ProofState) -> Claim:
    return Claim(proof.claim, proof.line, proof.verdict, proof.reason, proof.counterexample)
