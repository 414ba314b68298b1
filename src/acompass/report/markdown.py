"""Render results and diagnostics as GitHub-flavored Markdown, for the summary of a CI job.

The verdict comes first, then tables. All text is escaped unless it is already Markdown."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from acompass.errors.catalog import page_command
from acompass.errors.diagnostics import AcompassError, Diagnostic, Source
from acompass.errors.display import count_text, on_one_line
from acompass.language.text.tokens import policy_line
from acompass.report.words import (
    RELEASED,
    REPAIRED,
    UNNAMED,
    VIOLATED,
    action_taken,
    affected_count,
    dropped_count,
    note_text,
    records_in_and_out,
    value_text,
    verdict,
    verdict_on_all,
)
from acompass.result import RequirementOutcome, Result

_REQUIREMENT_HEADER = ("line", "verdict", "affected", "action", "requirement")
#: characters that start emphasis, code, links, HTML, entities, headings and formulas, and the escape character
_SPECIAL = re.compile(r"[\\`*_~\[\]<>&#$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
#: characters that start a list or a rule, or underline a heading, at the start of a line
_LEADING = re.compile(r"^([0-9]{0,9})([-+](?=[-\s]|$)|=|[.)](?=\s|$))")
#: GitHub links `name@host` and `@name` after it resolves escapes; this invisible character prevents it
_WORD_JOINER = "\u2060"
_BACKTICKS = re.compile("`+")


class Markdown(str):
    """Text that is already Markdown."""

    __slots__ = ()


def result_markdown(result: Result, name: str | None = None, not_written: str | None = None) -> str:
    return run_markdown(result, name, not_written) if result.performed else check_markdown(result, name)


def check_markdown(result: Result, name: str | None = None) -> str:
    top = headline("Check", name, verdict_on_all(result), result.ok)
    records = count_text(result.records_in, "record") + dropped_count(result)
    return document([top, prose(records), *_result_details(result, UNNAMED, is_run=False)])


def run_markdown(result: Result, name: str | None = None, not_written: str | None = None) -> str:
    """`not_written` says why the run wrote no output."""
    failed = sum(outcome.is_violated and outcome.action is None for outcome in result.requirements)
    records = records_in_and_out(result)
    verdicts = f"{count_text(failed, 'requirement')} without an action violated" if failed else records
    remarks = [records] if failed else []
    remarks += [] if not_written is None else [not_written]
    top = headline("Run", name, verdicts, result.ok)
    return document([top, *map(prose, remarks), *_result_details(result, RELEASED, is_run=True)])


def _result_details(result: Result, unnamed: str, is_run: bool) -> Iterator[Markdown]:
    if result.requirements:
        yield table(
            [_REQUIREMENT_HEADER, *(_requirement_row(each, is_run) for each in result.requirements)], numbers=(0, 2)
        )
    yield bullets(_remarks(result, unnamed))
    for outcome in result.requirements:
        yield from _sample(outcome)


def _requirement_row(outcome: RequirementOutcome, is_run: bool) -> tuple[str, ...]:
    verdict_ = mark_verdict(_is_good(outcome, is_run), verdict(outcome, REPAIRED if is_run else VIOLATED))
    action = action_taken(outcome) if is_run else outcome.action or ""
    return str(outcome.line), verdict_, affected_count(outcome), action, code(policy_line(outcome.text))


def _is_good(outcome: RequirementOutcome, is_run: bool) -> bool | None:
    """None for a violated requirement that a run repaired."""
    return None if is_run and outcome.is_violated and outcome.action is not None else outcome.holds


def _remarks(result: Result, unnamed: str) -> Iterator[str]:
    if result.trace_used:
        yield f"{count_text(result.trace_used, 'value')} of the trace used"
    yield from (f"note: {note_text(note)}" for note in result.notes)
    if result.unnamed:
        yield Markdown(f"{unnamed}: {code_list(result.unnamed)}")


def _sample(outcome: RequirementOutcome) -> Iterator[Markdown]:
    """The violating classes or records, if the call requested them."""
    if outcome.sample is not None:
        rows = [[code(value_text(value)) for value in row] for row in outcome.sample.rows]
        header = [code(name) for name in outcome.sample.columns]
        yield from caption_table(f"Line {outcome.line} is violated by", [header, *rows])


def findings_markdown(diagnostics: Sequence[Diagnostic], source: str, name: str, most: int) -> str:
    found = count_text(len(diagnostics), "finding") if diagnostics else "nothing found"
    top = headline("Lint", name, found, not diagnostics)
    return document([top, *_diagnostic_details(diagnostics, source, most)])


def error_markdown(error: AcompassError, most: int) -> str:
    place = "" if error.name is None else f" in {code(error.name)}"
    words = Markdown(f"{count_text(len(error.diagnostics), 'error')}{place}")
    return document(
        [heading(2, mark_verdict(False, words)), *_diagnostic_details(error.diagnostics, error.source, most)]
    )


def _diagnostic_details(diagnostics: Sequence[Diagnostic], source: str | None, most: int) -> Iterator[Markdown]:
    if not diagnostics:
        return
    text = None if source is None else Source(source)
    header = ("line", "code", "finding", "help")
    yield table([header, *(_diagnostic_row(each, text) for each in diagnostics[:most])], numbers=(0,))
    if len(diagnostics) > most:
        yield prose(f"and {len(diagnostics) - most:,} more")
    example = page_command(diagnostics[0].code)
    yield prose(f"`{example}` prints a page about a code, with an example and its fix.")


def _diagnostic_row(diagnostic: Diagnostic, source: Source | None) -> tuple[str, ...]:
    labels = () if source is None else diagnostic.labels
    places = [source.position(label.span.start)[0] for label in labels] if source is not None else []
    notes = [f"line {line}: {label.text}" for line, label in zip(places, labels, strict=True) if label.text]
    line = str(places[0]) if places else ""
    help_ = () if diagnostic.help is None else diagnostic.help.splitlines()
    return line, diagnostic.code, lines((diagnostic.message, *notes)), lines(help_)


def document(blocks: Iterable[str]) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"


def headline(kind: str, name: str | None, words: str, is_good: bool | None = None) -> Markdown:
    """A heading with the command, the file and the verdict."""
    of = "" if name is None else f" of {code(name)}"
    return heading(2, mark_verdict(is_good, Markdown(f"{prose(kind)}{of}: {prose(words)}")))


def heading(level: int, words: str) -> Markdown:
    return Markdown(f"{'#' * level} {prose(words)}")


def mark_verdict(is_good: bool | None, words: str) -> Markdown:
    """Put a check mark or a cross before a verdict."""
    signs = {True: "✅ ", False: "❌ ", None: ""}
    return Markdown(f"{signs[is_good]}{prose(words)}")


def bold(words: str) -> Markdown:
    return Markdown(f"**{prose(words)}**")


def prose(text: str) -> Markdown:
    """Text on one line. Parts in backticks become code, as in messages of diagnostics."""
    if isinstance(text, Markdown):
        return text
    parts = on_one_line(text).split("`")
    if len(parts) % 2 == 0:  # the last backtick has no partner
        parts[-2:] = [f"{parts[-2]}`{parts[-1]}"]
    spans = "".join((code(part) or r"\`\`") if at % 2 else _escape(part) for at, part in enumerate(parts))
    return Markdown(_LEADING.sub(r"\1\\\2", spans))


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text).replace("@", f"@{_WORD_JOINER}")


def code(text: str) -> Markdown:
    """Code on one line. Nothing in it can be escaped, so its fence is longer than any run of backticks in it."""
    inside = on_one_line(text)
    if not inside:
        return Markdown("")
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(inside)), default=0))
    space = " " if "`" in (inside[0], inside[-1]) else ""
    return Markdown(f"{fence}{space}{inside}{space}{fence}")


def code_list(names: Iterable[str]) -> Markdown:
    return Markdown(", ".join(code(name) for name in names))


def lines(texts: Iterable[str]) -> Markdown:
    """Several lines in one cell of a table."""
    return Markdown("<br>".join(prose(text) for text in texts))


def bullets(texts: Iterable[str]) -> Markdown:
    return Markdown("\n".join(f"- {prose(text)}" for text in texts))


def table(rows: Iterable[Sequence[str]], numbers: Collection[int] = ()) -> Markdown:
    """The first row is the header. The columns at `numbers` are aligned to the right."""
    header, *body = rows
    rule = ("---:" if at in numbers else "---" for at in range(len(header)))
    cells: list[Iterable[str]] = [map(_cell, header), rule, *(map(_cell, row) for row in body)]
    return Markdown("\n".join(f"| {' | '.join(row)} |" for row in cells))


def _cell(text: str) -> str:
    """Escape pipes, which would end the cell even inside code."""
    return prose(text).replace("|", r"\|")


def caption_table(caption: str, rows: Iterable[Sequence[str]], numbers: Collection[int] = ()) -> Iterator[Markdown]:
    yield bold(caption)
    yield table(rows, numbers)
