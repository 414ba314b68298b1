"""The policies that are open in the editor. Of each, only the newest text is worked on."""

from collections.abc import Collection
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Protocol, TypeVar

from acompass.assist.context import Context
from acompass.assist.desk import Stale
from acompass.assist.document import Document
from acompass.diagnostics import Diagnostic
from acompass.lsp import threads
from acompass.lsp.analysis import (
    Beside,
    Question,
    files_beside,
    find_mistakes,
    judge,
    look_beside,
    with_table,
)
from acompass.lsp.tables import Tables
from acompass.project import PolicySettings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Mistakes:
    """`beside` has the settings and the table on which they rest."""

    found: tuple[Diagnostic, ...]
    beside: Beside


@dataclass
class Sheet:
    """One version of a policy. Answers about it arrive later; they raise Stale once there is a newer one.

    `context` is what is known so far: first about the version before, then about this one. `is_again` if the
    text is the same as before, and a file beside it has changed.
    """

    uri: str
    version: int | None
    document: Document
    context: Context
    settings: PolicySettings
    is_again: bool = False
    mistakes: "Future[Mistakes]" = field(default_factory=Future)
    judged: "Future[Context]" = field(default_factory=Future)

    def drop(self, why: BaseException | None = None) -> None:
        """Answer what is still asked with the reason why there is no answer."""
        for future in (self.mistakes, self.judged):
            with suppress(InvalidStateError):
                future.set_exception(why or Stale(self.uri))


class Listener(Protocol):
    """What is told about sheets, from threads of their own."""

    def found(self, sheet: Sheet, mistakes: Mistakes) -> None: ...

    def judged(self, sheet: Sheet) -> None: ...

    def failed(self, error: BaseException) -> None: ...


class Sheets:
    def __init__(self, tables: Tables, listener: Listener):
        self._tables = tables
        self._listener = listener
        self._newest: dict[str, Sheet] = {}
        self._proving: dict[str, Lock] = {}

    def get(self, uri: str) -> Sheet | None:
        return self._newest.get(uri)

    def only(self) -> Sheet | None:
        """The policy that is open, if there is one and no other."""
        return next(iter(self._newest.values())) if len(self._newest) == 1 else None

    def is_newest(self, sheet: Sheet) -> bool:
        return self._newest.get(sheet.uri) is sheet

    def put(self, uri: str, version: int | None, document: Document) -> None:
        """Work on a new text; the work on the text before ends."""
        before = self._newest.get(uri)
        context = Context() if before is None else replace(before.context, verdicts=None, proofs=())
        settings = PolicySettings() if before is None else before.settings
        is_again = before is not None and before.document is document
        sheet = Sheet(uri, version, document, context, settings, is_again)
        self._newest[uri] = sheet
        if before is not None:
            before.drop()
        threads.start(lambda: self._analyze(sheet))

    def close(self, uri: str) -> None:
        sheet = self._newest.pop(uri, None)
        if sheet is not None:
            sheet.drop()
        self._proving.pop(uri, None)
        threads.start(self._close_unused_tables)

    def clear(self) -> None:
        """Drop all questions."""
        for uri in list(self._newest):
            self._newest.pop(uri).drop()

    def refresh(self, changed: Collection[str]) -> None:
        """Work again on the policies whose answers rest on one of the files."""
        for sheet in list(self._newest.values()):
            if files_beside(sheet.document, sheet.settings) & set(changed):
                self.again(sheet.uri)

    def again(self, uri: str) -> None:
        """Work again on the same text, with the files beside it as they are now."""
        sheet = self._newest.get(uri)
        if sheet is not None:
            self.put(uri, sheet.version, sheet.document)

    def _analyze(self, sheet: Sheet) -> None:
        try:
            while not self._is_answered(sheet):
                pass  # a table that was opened again for another policy has dropped the question
        except BaseException as error:
            sheet.drop(error)
            if not isinstance(error, Stale):
                self._listener.failed(error)

    def _is_answered(self, sheet: Sheet) -> bool:
        proving = self._proving.setdefault(sheet.uri, Lock())
        question = Question(sheet.uri, sheet.document, lambda: self.is_newest(sheet), proving)
        try:
            self._answer(sheet, question)
        except Stale:
            question.require_newest()
            return False
        return True

    def _answer(self, sheet: Sheet, question: Question) -> None:
        before = look_beside(sheet.document)
        sheet.settings = before.settings
        sheet.context = replace(sheet.context, params=before.settings.params)
        if before.settings.table is not None and not self._tables.has(before.settings.table):
            self._listener.found(sheet, Mistakes(find_mistakes(question, before), before))
        beside = with_table(before, self._tables)
        sheet.context = beside.context
        mistakes = Mistakes(find_mistakes(question, beside), beside)
        self._listener.found(sheet, mistakes)
        _set(sheet.mistakes, mistakes)
        self._judge(sheet, question, mistakes)
        self._close_unused_tables()

    def _judge(self, sheet: Sheet, question: Question, mistakes: Mistakes) -> None:
        judged = judge(question, mistakes.beside, mistakes.found)
        if judged.refused:
            self._listener.found(sheet, replace(mistakes, found=(*mistakes.found, *judged.refused)))
        sheet.context = judged.context
        _set(sheet.judged, judged.context)
        self._listener.judged(sheet)

    def _close_unused_tables(self) -> None:
        used = {sheet.settings.table for sheet in list(self._newest.values())}
        self._tables.keep_only({table for table in used if table is not None})


def _set(future: "Future[T]", result: T) -> None:
    with suppress(InvalidStateError):  # a newer version has dropped it
        future.set_result(result)
