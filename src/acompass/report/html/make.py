"""Everything that a page says, gathered and written."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from acompass.checked.parameters import ParamValue
from acompass.checked.types import Schema
from acompass.diagnostics import CallError, Diagnostic
from acompass.measure.columns import Request, request
from acompass.measure.overview import Overview, overview
from acompass.measure.result import Journalist
from acompass.policy import Policy
from acompass.prove import Proof, prove_policy
from acompass.report.html.certificate import certify
from acompass.report.html.content import Command, Content
from acompass.report.html.document import to_page
from acompass.result import Result
from acompass.syntax.tree import Process
from acompass.tables.faults import no_folder
from acompass.tables.replacing import replacing

#: a policy of more requirements is not proved on the way: that could take longer than the run itself
MOST_PROVED = 60

_STREAM = "-"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a report is about. `after` is None where no table came out; `asked` where the policy says;
    `journalist` is the risk of the last of the tables against a population."""

    command: Command
    before: Any
    after: Any = None
    policy: Policy | None = None
    params: Mapping[str, ParamValue] | None = None
    schema: Schema | None = None
    result: Result | None = None
    asked: Request | None = None
    journalist: Journalist | None = None
    engine: str | None = None
    delimiter: str | None = None
    memory_limit: str | None = None


def require_files(path: str | os.PathLike[str], tables: Sequence[Any], output: Any = None) -> None:
    """Raises where a report could not be made, or would take the place of a table, before anything runs."""
    if _STREAM in [table for table in tables if isinstance(table, str)]:
        raise _needs_files("standard input")
    if isinstance(output, str) and output == _STREAM:
        raise _needs_files("standard output")
    place = os.path.realpath(path)
    if not os.path.isdir(os.path.dirname(place)):
        raise no_folder(str(Path(path).parent))
    for table in (*tables, output):
        if isinstance(table, str | os.PathLike) and os.path.realpath(table) == place:
            raise _takes_its_place(os.fspath(path))


def _needs_files(found: str) -> CallError:
    help_ = "name a file, or leave the report out"
    return CallError([Diagnostic("AC706", f"a report needs files, found {found}", help=help_)])


def _takes_its_place(path: str) -> CallError:
    help_ = "write the report elsewhere: `--report report.html`"
    return CallError([Diagnostic("AC708", f"the report would take the place of `{path}`", help=help_)])


def write_report(path: str | os.PathLike[str], subject: Subject) -> None:
    page = to_page(_content(subject))
    with replacing(os.fspath(path)) as part:
        Path(part).write_text(page, encoding="utf-8")


def _content(subject: Subject) -> Content:
    tables = list(_tables(subject))
    files = tuple(table if _is_readable(table) else None for table in (subject.before, subject.after))
    params = subject.params or {}
    certificate = certify(
        subject.command, subject.policy, params, subject.engine, (files[0], files[1]), subject.result
    )
    shown = _overview(subject, tables)
    series = ("before", "after") if len(tables) == 2 else ("table",)
    return Content(
        subject.command, subject.policy, subject.result, _proof(subject), shown, series, certificate
    )


def _tables(subject: Subject) -> Iterator[Any]:
    """What is to be looked at; of a data frame without records not even the columns may be known."""
    yield subject.before
    is_empty = subject.result is not None and subject.result.records_out == 0
    if subject.after is not None and (isinstance(subject.after, str) or not is_empty):
        yield subject.after


def _overview(subject: Subject, tables: list[Any]) -> Overview | None:
    """A table that lives in another engine is not read here."""
    if not all(map(_is_readable, tables)):
        return None
    asked = subject.asked or _asked(subject.policy)
    found = overview(tables, asked, subject.delimiter, subject.memory_limit)
    if subject.journalist is None:
        return found
    *before, last = found.measures
    return replace(found, measures=(*before, replace(last, journalist=subject.journalist)))


def _is_readable(table: Any) -> bool:
    if not isinstance(table, str | os.PathLike):
        return True
    return os.path.exists(table) or any(letter in os.fspath(table) for letter in "*?[")


def _asked(policy: Policy | None) -> Request | None:
    """What the policy says of columns; None where it groups by nothing."""
    if policy is None or not _groups(policy):
        return None
    asked = request(policy.tree, None, None, None)
    grouped = {name.casefold() for name in asked.quasi_identifiers}
    return replace(asked, sensitive=tuple(name for name in asked.sensitive if name.casefold() not in grouped))


def _groups(policy: Policy) -> bool:
    return any(
        isinstance(requirement.assertion.result, Process) and requirement.assertion.result.group_by
        for requirement in policy.tree.requirements
    )


def _proof(subject: Subject) -> Proof | None:
    policy = subject.policy
    if subject.command != "run" or policy is None or subject.schema is None:
        return None
    if len(policy.tree.requirements) > MOST_PROVED:
        return None
    schema = {column.name: column.type for column in subject.schema}
    return prove_policy(policy.tree, policy.text, None, schema, subject.params)
