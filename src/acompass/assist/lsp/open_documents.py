"""Analyze the policies that are open in the editor, each in its newest version only.

Results appear as soon as they are known: mistakes first, then verdicts and proofs."""

import asyncio
import os
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import Protocol, TypeAlias, TypeVar

from acompass.arguments import is_file
from acompass.assist.analysis import Context, ProofState, diagnose, proofs, verdicts
from acompass.assist.document import Document, used_params
from acompass.assist.request_queue import RequestQueue, Stale, table_facts
from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import AcompassError, Diagnostic, Severity
from acompass.measure.answer import ColumnFacts
from acompass.options import Opening
from acompass.policy import SETTINGS_FILE, PolicySettings, TableRoles, policy_settings, reading_settings, table_roles
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
    #: a running proof uses no table and cannot be canceled, so that of the newest version waits for it
    proving: Lock = field(default_factory=Lock)
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
        reading: Opening = {**reading_settings(path), **self._opening}
        queue = RequestQueue.open(path, **reading)
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
        proving = Lock() if before is None else before.proving
        opened = OpenDocument(uri, version, document, context, settings, is_reanalysis, proving)
        self._newest[uri] = opened
        if before is not None:
            before.drop()
        start_thread(lambda: self._analyze(opened))

    def close(self, uri: str) -> None:
        opened = self._newest.pop(uri, None)
        if opened is not None:
            opened.drop()
        start_thread(self._close_unused_tables)

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
        try:
            self._answer(opened)
        except Stale:
            self._require_newest(opened)
            return False
        return True

    def _answer(self, opened: OpenDocument) -> None:
        before = read_settings(opened.document)
        opened.settings = before.settings
        opened.context = replace(opened.context, params=before.settings.params)
        if before.settings.table is not None and not self._tables.has(before.settings.table):
            self._listener.show_mistakes(opened, self._find_mistakes(opened, before))
        inputs = open_settings_table(before, self._tables)
        opened.context = inputs.context
        mistakes = self._find_mistakes(opened, inputs)
        self._listener.show_mistakes(opened, mistakes)
        _set_result(opened.mistakes, mistakes)
        self._judge(opened, mistakes)
        self._close_unused_tables()

    def _find_mistakes(self, opened: OpenDocument, inputs: Inputs) -> Mistakes:
        """Find mistakes in the policy, its settings and its table."""
        self._require_newest(opened)
        document, context = opened.document, inputs.context
        if inputs.table is None or document.policy is None:
            about = () if inputs.error is None else inputs.error.diagnostics
            return Mistakes((*about, *diagnose(document, context)), inputs)
        queue = inputs.table.queue
        return Mistakes(self._ask(opened, queue, lambda _: diagnose(document, context, queue.whole)), inputs)

    def _judge(self, opened: OpenDocument, mistakes: Mistakes) -> None:
        """Find verdicts and proofs, unless the policy has mistakes that prevent them."""
        table, context = mistakes.inputs.table, mistakes.inputs.context
        if any(mistake.severity is Severity.ERROR for mistake in mistakes.found) or _is_empty(opened.document):
            if table is not None:
                self._ask(opened, table.queue, lambda _: None)  # cancels the analysis of the previous text
        else:
            errors: tuple[Diagnostic, ...] = ()
            if table is not None:
                try:
                    context = self._with_verdicts(opened, table.queue, context)
                except AcompassError as error:
                    errors = error.diagnostics
            context = replace(context, proofs=self._proofs(opened, context))
            if errors:
                self._listener.show_mistakes(opened, replace(mistakes, found=(*mistakes.found, *errors)))
        opened.context = context
        _set_result(opened.judged, context)
        self._listener.show_verdicts(opened)

    def _with_verdicts(self, opened: OpenDocument, queue: RequestQueue, context: Context) -> Context:
        document, policy = opened.document, opened.document.policy
        assert policy is not None, "a policy that does not parse is not judged"
        params = used_params(document, context.params)
        program = self._ask(opened, queue, lambda _: queue.whole.checked(policy, params=params))
        found = self._ask(opened, queue, lambda session: verdicts(document, params, session))
        return replace(context, schema=program.schema, verdicts=found)

    def _proofs(self, opened: OpenDocument, context: Context) -> tuple[ProofState, ...]:
        with opened.proving:
            self._require_newest(opened)
            try:
                return proofs(opened.document, context.params, context.schema)
            except AcompassError:  # the mistakes include its reason
                return ()

    def _ask(self, opened: OpenDocument, queue: RequestQueue, ask: Callable[[Session], T]) -> T:
        """Ask a question on the policy's topic, so that the first question on a new text cancels those on the old."""
        self._require_newest(opened)
        return queue.ask(opened.uri, ask)

    def _require_newest(self, opened: OpenDocument) -> None:
        if not self.is_newest(opened):
            raise Stale(opened.uri)

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


def _is_empty(document: Document) -> bool:
    return document.policy is None or not document.policy.tree.requirements


def input_files(document: Document, settings: PolicySettings) -> set[str]:
    """The files, other than the policy, that the results depend on."""
    if document.path is None:
        return set()
    found = {str(Path(document.folder, SETTINGS_FILE))}
    if settings.table is not None:
        found.add(settings.table)
    if document.policy is not None:
        found |= {str(path) for path in document.policy.files}
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


_running: set[Thread] = set()


def start_thread(work: Callable[[], T]) -> "Future[T]":
    """Do the work in a new thread. Unlike those of a pool, it does not wait for others or keep the process alive."""
    future: Future[T] = Future()
    thread = Thread(target=_complete, args=(future, work), daemon=True)
    _running.difference_update([each for each in _running if not each.is_alive()])
    thread.start()
    _running.add(thread)
    return future


async def in_thread(work: Callable[[], T]) -> T:
    return await asyncio.wrap_future(start_thread(work))


def wait_for_threads(seconds: float) -> bool:
    """Wait at most `seconds`; return whether all have ended. None may be inside an engine when Python exits."""
    deadline = time.monotonic() + seconds
    for thread in list(_running):
        thread.join(max(0.0, deadline - time.monotonic()))
    return not any(thread.is_alive() for thread in _running)


def _complete(future: "Future[T]", work: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)
