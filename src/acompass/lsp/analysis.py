"""Everything that is found out about one version of a policy, in the order in which it is shown."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import TypeVar

from acompass.assist.context import Context
from acompass.assist.desk import Desk, Stale
from acompass.assist.diagnose import diagnose
from acompass.assist.document import Document
from acompass.assist.parameters import used_params
from acompass.assist.requirements import ProofState, proofs, verdicts
from acompass.diagnostics import AcompassError, Diagnostic, Severity
from acompass.lsp.tables import OpenTable, Tables
from acompass.project import FILE, PolicySettings, policy_settings
from acompass.session import Session

T = TypeVar("T")


@dataclass(frozen=True)
class Beside:
    """What is known beside the text: the settings and the table. `refused` says why one is missing."""

    settings: PolicySettings
    table: OpenTable | None
    refused: AcompassError | None = None

    @property
    def context(self) -> Context:
        if self.table is None:
            return Context(params=self.settings.params)
        return Context(
            params=self.settings.params,
            columns=self.table.desk.session.columns,
            facts=self.table.facts,
            roles=self.table.roles,
        )


@dataclass(frozen=True)
class Question:
    """One version of a policy. `is_newest` turns False when the text changes again.

    Proofs use no table, so that nothing can cancel one that runs; `proving` lets the newest follow it.
    """

    uri: str
    document: Document
    is_newest: Callable[[], bool]
    proving: Lock

    def require_newest(self) -> None:
        if not self.is_newest():
            raise Stale(self.uri)


def look_beside(document: Document) -> Beside:
    """The settings, before their table is opened."""
    try:
        return Beside(policy_settings(document.path), None)
    except AcompassError as error:
        return Beside(PolicySettings(), None, error)


def with_table(beside: Beside, tables: Tables) -> Beside:
    """Open the table that the settings name. That may take long."""
    if beside.settings.table is None:
        return beside
    try:
        return replace(beside, table=tables.get(beside.settings.table))
    except AcompassError as error:
        return replace(beside, refused=error)


def find_mistakes(question: Question, beside: Beside) -> tuple[Diagnostic, ...]:
    """What is wrong with the policy, and with the settings and the table beside it."""
    question.require_newest()
    document, context = question.document, beside.context
    about = () if beside.refused is None else beside.refused.diagnostics
    if beside.table is None or document.policy is None:
        return (*about, *diagnose(document, context))
    whole = beside.table.desk.whole
    return _asked(question, beside.table.desk, lambda _: diagnose(document, context, whole))


@dataclass(frozen=True)
class Judged:
    """The context with verdicts and proofs, and why there are no verdicts."""

    context: Context
    refused: tuple[Diagnostic, ...] = ()


def judge(question: Question, beside: Beside, mistakes: tuple[Diagnostic, ...]) -> Judged:
    """Ask for verdicts and proofs, unless the policy has mistakes that prevent them."""
    context = beside.context
    if any(mistake.severity is Severity.ERROR for mistake in mistakes) or _is_empty(question.document):
        if beside.table is not None:
            _asked(question, beside.table.desk, lambda _: None)  # ends the work on the text before
        return Judged(context)
    refused: tuple[Diagnostic, ...] = ()
    if beside.table is not None:
        try:
            context = _with_verdicts(question, beside.table.desk, context)
        except AcompassError as error:
            refused = error.diagnostics
    return Judged(replace(context, proofs=_proofs(question, context)), refused)


def _is_empty(document: Document) -> bool:
    return document.policy is None or not document.policy.tree.requirements


def _with_verdicts(question: Question, desk: Desk, context: Context) -> Context:
    document, policy = question.document, question.document.policy
    assert policy is not None, "a policy that does not parse is not judged"
    params = used_params(document, context.params)
    program = _asked(question, desk, lambda _: desk.whole.checked(policy, params=params))
    found = _asked(question, desk, lambda session: verdicts(document, params, session))
    return replace(context, schema=program.schema, verdicts=found)


def _proofs(question: Question, context: Context) -> tuple[ProofState, ...]:
    with question.proving:
        question.require_newest()
        try:
            return proofs(question.document, context.params, context.schema)
        except AcompassError:  # what is wrong is among the mistakes
            return ()


def _asked(question: Question, desk: Desk, ask: Callable[[Session], T]) -> T:
    """All steps for a policy are one topic: the first for a new text ends the work on the text before."""
    question.require_newest()
    return desk.ask(question.uri, ask)


def files_beside(document: Document, settings: PolicySettings) -> set[str]:
    """The files that an answer rests on besides the text: a change of one changes the answer."""
    if document.path is None:
        return set()
    found = {str(Path(document.folder, FILE))}
    if settings.table is not None:
        found.add(settings.table)
    if document.policy is not None:
        found |= {str(path) for path in document.policy.hierarchies}
    return {os.path.realpath(path) for path in found}
