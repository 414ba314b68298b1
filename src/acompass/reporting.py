"""The report pages of a session's calls: one for whoever receives the table, one for its curator."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from acompass import pipeline
from acompass.engines.engine import About
from acompass.opened import Opened
from acompass.pipeline import Call
from acompass.policy import Policy
from acompass.result import Result

if TYPE_CHECKING:
    from acompass.report.html.content import Command

Path: TypeAlias = str | os.PathLike[str]


class Pages(NamedTuple):
    """Where to write the pages of a call; None for a page that is not asked for."""

    report: Path | None
    internal: Path | None


class Reporting(Opened):
    """A session that writes report pages."""

    def _require_files(
        self, pages: Pages, policy: Policy | None, tables: Sequence[Any], output: Any = None
    ) -> None:
        if pages != (None, None):
            from acompass.pages.write import require_files

            require_files(*pages, tables, output, policy)

    def _report_call(
        self,
        pages: Pages,
        command: Literal["check", "run"],
        call: Call,
        result: Result,
        after: Any = None,
    ) -> None:
        if pages == (None, None):
            return
        schema = pipeline.schema_of(self._source, call)
        self._report(
            pages,
            command,
            self._source.about,
            before=self._table,
            after=after,
            policy=call.policy,
            params=call.params,
            dates=call.dates,
            schema=schema,
            result=result,
        )

    def _report(self, pages: Pages, command: "Command", about: About, **content: Any) -> None:
        if pages == (None, None):
            return
        from acompass.pages.request import ReportRequest
        from acompass.pages.write import write_reports

        content |= {"engine": about.version, "has_tables": about.has_tables, "options": self._options}
        write_reports(*pages, ReportRequest(command, **content))
