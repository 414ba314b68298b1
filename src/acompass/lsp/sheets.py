"""The policies that are open in the editor. Of each, only the newest text is worked on."""

from collections.abc import Collection
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Protocol

from acompass.assist.context import Context
from acompass.assist.desk import Stale
from acompass.assist.document import Document
from acompass.diagnostics import Diagnostic
from acompass.lsp import threads
from acompass.lsp.analysis import Beside, Question, files_beside, find_mistakes, judge, look_beside
from acompass.lsp.tables import Tables
from acompass.project import PolicySettings


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
        threads.start(lambda: self._analyze(sheet))

    def close(self, uri: str) -> None:
        self._newest.pop(uri, None)
        self._proving.pop(uri, None)
        threads.start(self._close_unused_tables)

    def clear(self) -> None:
        """Drop all questions."""
        self._newest.clear()

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
                """A table that was opened again for another policy has dropped the question."""
        except BaseException as error:
            for future in (sheet.mistakes, sheet.judged):
                _fail(future, error)
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
        beside = look_beside(sheet.document, self._tables)
        sheet.settings, sheet.context = beside.settings, beside.context
        mistakes = Mistakes(find_mistakes(question, beside), beside)
        self._listener.found(sheet, mistakes)
        _set(sheet.mistakes, mistakes)
        judged = judge(question, beside, mistakes.found)
        if judged.refused:
            self._listener.found(sheet, replace(mistakes, found=(*mistakes.found, *judged.refused)))
        sheet.context = judged.context
        _set(sheet.judged, judged.context)
        self._listener.judged(sheet)
        self._close_unused_tables()

    def _close_unused_tables(self) -> None:
        used = {sheet.settings.table for sheet in list(self._newest.values())}
        self._tables.keep_only({table for table in used if table is not None})


def _set(future: "Future[Any]", result: Any) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: "Future[Any]", error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
