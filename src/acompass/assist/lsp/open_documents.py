"""Analyze the policies that are open in the editor, each in its newest version only.

Results appear as soon as they are known: mistakes first, then verdicts and proofs."""

import os
from collections.abc import Callable, Collection
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Protocol, TypeAlias, TypeVar

from acompass.assist.analysis import Context, ProofState, diagnose, proofs, verdicts
from acompass.assist.document import Document, used_params
from acompass.assist.lsp import threads
from acompass.assist.request_queue import RequestQueue, Stale, table_facts
from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import AcompassError, Diagnostic, Severity
from acompass.measure.answer import ColumnFacts
from acompass.options import Opening, is_file
from acompass.policy import SETTINGS_FILE, PolicySettings, TableRoles, policy_settings, table_roles
from acompass.session import Session
from acompass.tables.source import file_stamp, find_paths

T = TypeVar("T")

#: the files of a table, with stamps that change when a file is written
State: TypeAlias = tuple[tuple[str, tuple[int, int, int]], ...]


@dataclass(frozen=True)
class OpenTable:
    queue: RequestQueue
    state: State
    facts: dict[str, ColumnFacts]
    roles: TableRoles


@dataclass(frozen=True)
class Inputs:
    """The settings and the table that an analysis uses besides the text."""

    settings: PolicySettings
    table: OpenTable | None
    error: AcompassError | None = None  # why one of them is missing

    @property
    def context(self) -> Context:
        if self.table is None:
            return Context(params=self.settings.params)
        return Context(
            params=self.settings.params,
            columns=self.table.queue.session.columns,
            facts=self.table.facts,
            roles=self.table.roles,
        )


@dataclass(frozen=True, slots=True)
class Mistakes:
    found: tuple[Diagnostic, ...]
    inputs: Inputs


@dataclass
class OpenDocument:
    """One version of a policy. Its futures raise Stale once there is a newer version."""

    uri: str
    version: int | None
    document: Document
    context: Context  # what is known so far, at first about the previous version
    settings: PolicySettings
    is_reanalysis: bool = False  # the text is unchanged, but a file that it depends on has changed
    mistakes: "Future[Mistakes]" = field(default_factory=Future)
    judged: "Future[Context]" = field(default_factory=Future)

    def drop(self, why: BaseException | None = None) -> None:
        """Fail the pending futures with a reason."""
        for future in (self.mistakes, self.judged):
            with suppress(InvalidStateError):
                future.set_exception(why or Stale(self.uri))


class Listener(Protocol):
    """Receives results, on the threads that compute them."""

    def show_mistakes(self, opened: OpenDocument, mistakes: Mistakes) -> None: ...

    def show_verdicts(self, opened: OpenDocument) -> None: ...

    def show_failure(self, error: BaseException) -> None: ...


@dataclass(frozen=True)
class Question:
    """The analysis of one version of a policy."""

    uri: str
    document: Document
    is_newest: Callable[[], bool]  # False once the text changes again
    proving: Lock  # a running proof uses no table and cannot be canceled, so the newest one waits for it

    def require_newest(self) -> None:
        if not self.is_newest():
            raise Stale(self.uri)


class Tables:
    def __init__(self, opening: Opening | None = None) -> None:
        self._opening: Opening = opening or {}
        self._slots: dict[str, _Slot] = {}
        self._changing = Lock()

    def get(self, path: str) -> OpenTable:
        """Return the table, opening it if necessary. Raise AcompassError if that fails."""
        with self._changing:
            slot = self._slots.setdefault(path, _Slot())
        with slot.lock:
            state = file_state(path)
            if slot.table is None or slot.table.state != state:
                _close(slot)
                slot.table = self._open(path, state)
            return slot.table

    def has(self, path: str) -> bool:
        """Whether the table is open."""
        slot = self._slots.get(path)
        return slot is not None and slot.table is not None

    def _open(self, path: str, state: State) -> OpenTable:
        queue = RequestQueue.open(path, **self._opening)
        try:
            facts = {fact.name: fact for fact in table_facts(queue.session)}
            return OpenTable(queue, state, facts, table_roles(path))
        except BaseException:
            queue.close()
            raise

    def keep_only(self, paths: Collection[str]) -> None:
        """Close the tables of policies that are no longer open."""
        with self._changing:
            unused = [self._slots.pop(path) for path in list(self._slots) if path not in paths]
        for slot in unused:
            with slot.lock:
                _close(slot)

    def close(self) -> None:
        self.keep_only(())


class OpenDocuments:
    def __init__(self, tables: Tables, listener: Listener):
        self._tables = tables
        self._listener = listener
        self._newest: dict[str, OpenDocument] = {}
        self._proving: dict[str, Lock] = {}

    def get(self, uri: str) -> OpenDocument | None:
        return self._newest.get(uri)

    def only(self) -> OpenDocument | None:
        """The open policy, if there is exactly one."""
        return next(iter(self._newest.values())) if len(self._newest) == 1 else None

    def is_newest(self, opened: OpenDocument) -> bool:
        return self._newest.get(opened.uri) is opened

    def put(self, uri: str, version: int | None, document: Document) -> None:
        """Analyze a new text, and stop analyzing the previous one."""
        before = self._newest.get(uri)
        context = Context() if before is None else replace(before.context, verdicts=None, proofs=())
        settings = PolicySettings() if before is None else before.settings
        is_reanalysis = before is not None and before.document is document
        opened = OpenDocument(uri, version, document, context, settings, is_reanalysis)
        self._newest[uri] = opened
        if before is not None:
            before.drop()
        threads.start(lambda: self._analyze(opened))

    def close(self, uri: str) -> None:
        opened = self._newest.pop(uri, None)
        if opened is not None:
            opened.drop()
        self._proving.pop(uri, None)
        threads.start(self._close_unused_tables)

    def clear(self) -> None:
        """Drop all questions."""
        for uri in list(self._newest):
            self._newest.pop(uri).drop()

    def refresh(self, changed: Collection[str]) -> None:
        """Analyze again the policies whose results depend on one of these files."""
        for opened in list(self._newest.values()):
            if input_files(opened.document, opened.settings) & set(changed):
                self.reanalyze(opened.uri)

    def reanalyze(self, uri: str) -> None:
        """Analyze the same text again, with the current content of the files that it depends on."""
        opened = self._newest.get(uri)
        if opened is not None:
            self.put(uri, opened.version, opened.document)

    def _analyze(self, opened: OpenDocument) -> None:
        try:
            while not self._try_to_answer(opened):
                pass  # the table was reopened for another policy, which dropped the question
        except BaseException as error:
            opened.drop(error)
            if not isinstance(error, Stale):
                self._listener.show_failure(error)

    def _try_to_answer(self, opened: OpenDocument) -> bool:
        proving = self._proving.setdefault(opened.uri, Lock())
        question = Question(opened.uri, opened.document, lambda: self.is_newest(opened), proving)
        try:
            self._answer(opened, question)
        except Stale:
            question.require_newest()
            return False
        return True

    def _answer(self, opened: OpenDocument, question: Question) -> None:
        before = read_settings(opened.document)
        opened.settings = before.settings
        opened.context = replace(opened.context, params=before.settings.params)
        if before.settings.table is not None and not self._tables.has(before.settings.table):
            self._listener.show_mistakes(opened, Mistakes(find_mistakes(question, before), before))
        inputs = open_settings_table(before, self._tables)
        opened.context = inputs.context
        mistakes = Mistakes(find_mistakes(question, inputs), inputs)
        self._listener.show_mistakes(opened, mistakes)
        _set_result(opened.mistakes, mistakes)
        self._judge(opened, question, mistakes)
        self._close_unused_tables()

    def _judge(self, opened: OpenDocument, question: Question, mistakes: Mistakes) -> None:
        judged = judge(question, mistakes.inputs, mistakes.found)
        if judged.errors:
            self._listener.show_mistakes(opened, replace(mistakes, found=(*mistakes.found, *judged.errors)))
        opened.context = judged.context
        _set_result(opened.judged, judged.context)
        self._listener.show_verdicts(opened)

    def _close_unused_tables(self) -> None:
        used = {opened.settings.table for opened in list(self._newest.values())}
        self._tables.keep_only({table for table in used if table is not None})


def _set_result(future: "Future[T]", result: T) -> None:
    with suppress(InvalidStateError):  # a newer version has dropped it
        future.set_result(result)


def read_settings(document: Document) -> Inputs:
    """Read the settings without opening their table."""
    try:
        return Inputs(policy_settings(document.path), None)
    except AcompassError as error:
        return Inputs(PolicySettings(), None, error)


def open_settings_table(inputs: Inputs, tables: Tables) -> Inputs:
    """Open the table that the settings name, which may take long."""
    if inputs.settings.table is None:
        return inputs
    try:
        return replace(inputs, table=tables.get(inputs.settings.table))
    except AcompassError as error:
        return replace(inputs, error=error)


def find_mistakes(question: Question, inputs: Inputs) -> tuple[Diagnostic, ...]:
    """Find mistakes in the policy, its settings and its table."""
    question.require_newest()
    document, context = question.document, inputs.context
    about = () if inputs.error is None else inputs.error.diagnostics
    if inputs.table is None or document.policy is None:
        return (*about, *diagnose(document, context))
    whole = inputs.table.queue.whole
    return _ask(question, inputs.table.queue, lambda _: diagnose(document, context, whole))


@dataclass(frozen=True)
class Judgment:
    context: Context  # with verdicts and proofs
    errors: tuple[Diagnostic, ...] = ()  # why verdicts are missing


def judge(question: Question, inputs: Inputs, mistakes: tuple[Diagnostic, ...]) -> Judgment:
    """Find verdicts and proofs, unless the policy has mistakes that prevent them."""
    context = inputs.context
    if any(mistake.severity is Severity.ERROR for mistake in mistakes) or _is_empty(question.document):
        if inputs.table is not None:
            _ask(question, inputs.table.queue, lambda _: None)  # cancels the analysis of the previous text
        return Judgment(context)
    errors: tuple[Diagnostic, ...] = ()
    if inputs.table is not None:
        try:
            context = _with_verdicts(question, inputs.table.queue, context)
        except AcompassError as error:
            errors = error.diagnostics
    return Judgment(replace(context, proofs=_proofs(question, context)), errors)


def _is_empty(document: Document) -> bool:
    return document.policy is None or not document.policy.tree.requirements


def _with_verdicts(question: Question, queue: RequestQueue, context: Context) -> Context:
    document, policy = question.document, question.document.policy
    assert policy is not None, "a policy that does not parse is not judged"
    params = used_params(document, context.params)
    program = _ask(question, queue, lambda _: queue.whole.checked(policy, params=params))
    found = _ask(question, queue, lambda session: verdicts(document, params, session))
    return replace(context, schema=program.schema, verdicts=found)


def _proofs(question: Question, context: Context) -> tuple[ProofState, ...]:
    with question.proving:
        question.require_newest()
        try:
            return proofs(question.document, context.params, context.schema)
        except AcompassError:  # the mistakes include its reason
            return ()


def _ask(question: Question, queue: RequestQueue, ask: Callable[[Session], T]) -> T:
    """Ask a question on the policy's topic, so that the first question on a new text cancels those on the old text."""
    question.require_newest()
    return queue.ask(question.uri, ask)


def input_files(document: Document, settings: PolicySettings) -> set[str]:
    """The files, other than the policy, that the results depend on."""
    if document.path is None:
        return set()
    found = {str(Path(document.folder, SETTINGS_FILE))}
    if settings.table is not None:
        found.add(settings.table)
    if document.policy is not None:
        found |= {str(path) for path in document.policy.hierarchies}
    return {os.path.realpath(path) for path in found}


@dataclass
class _Slot:
    lock: Lock = field(default_factory=Lock)  # held while the table is being opened, which may take long
    table: OpenTable | None = None


def _close(slot: _Slot) -> None:
    if slot.table is not None:
        slot.table.queue.close()
        slot.table = None


def file_state(table: str) -> State:
    """Empty for a table of a database."""
    return tuple((path, file_stamp(path)) for path in find_paths(table)) if is_file(table) else ()
