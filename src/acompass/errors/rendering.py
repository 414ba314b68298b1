"""Render diagnostics as text for a terminal or as JSON, and the page of an error code as text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from acompass.errors.catalog import page_command
from acompass.errors.diagnostics import MOST_REPORTED, MOST_SHOWN, Diagnostic, Edit, Fix, Label, Severity, Source
from acompass.errors.display import display_width, printable_text

#: longer lines are cut to this many characters
_WIDEST = 200
_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_BLUE = "\x1b[1;34m"
_CYAN = "\x1b[1;36m"
_SEVERITY_COLORS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m"}


def render_text(
    diagnostics: Sequence[Diagnostic],
    source: str | None = None,
    name: str | None = None,
    color: bool = False,
    most: int = MOST_SHOWN,
) -> str:
    """Each diagnostic with its help and the lines of the policy that it points at, underlined.

    Only the first `most` are shown; the last line says how many more there are.
    """
    text = None if source is None else Source(source)
    paint = _Paint(color)
    blocks = ["\n".join(_block(diagnostic, text, name, paint)) for diagnostic in diagnostics[:most]]
    if len(diagnostics) > most:
        at_least = "at least " if len(diagnostics) >= MOST_REPORTED else ""
        blocks.append(f"and {at_least}{len(diagnostics) - most} more")
    return "\n\n".join(blocks)


def render_json(
    diagnostics: Iterable[Diagnostic], source: str | None = None, name: str | None = None
) -> list[dict[str, Any]]:
    """Each diagnostic as an object. Lines and columns count from 1; an end is the position after the last character."""
    text = None if source is None else Source(source)
    return [
        {
            "code": diagnostic.code,
            "severity": str(diagnostic.severity),
            "message": diagnostic.message,
            "help": diagnostic.help,
            "see": page_command(diagnostic.code),
            "file": name,
            "labels": [] if text is None else [_place_json(label, text) for label in diagnostic.labels],
            "fixes": [] if text is None else [_fix_json(fix, text) for fix in diagnostic.fixes],
        }
        for diagnostic in diagnostics
    ]


def diagnostics_object(
    diagnostics: Sequence[Diagnostic], source: str | None, name: str | None, most: int
) -> dict[str, Any]:
    """The first `most` diagnostics; `more` is the number of others, if there are any."""
    shown = {"diagnostics": render_json(diagnostics[:most], source, name)}
    more = len(diagnostics) - most
    return {**shown, "more": more} if more > 0 else shown


def _fix_json(fix: Fix, source: Source) -> dict[str, Any]:
    return {"title": fix.title, "safe": fix.is_safe, "edits": [_place_json(edit, source) for edit in fix.edits]}


def _place_json(node: Label | Edit, source: Source) -> dict[str, Any]:
    span = source.clamp(node.span)
    line, column = source.position(span.start)
    end_line, end_column = source.position(span.end)
    return {"line": line, "column": column, "end_line": end_line, "end_column": end_column, "text": node.text}


_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def render_page(markdown: str) -> str:
    """The Markdown page of an error code as plain text: code blocks are indented, links become their text."""
    return "".join(f"{printable_text(line)}\n" for line in _page_lines(markdown))


def _page_lines(markdown: str) -> Iterator[str]:
    in_block = False
    for line in markdown.splitlines():
        if line.startswith("```"):
            in_block = not in_block
        elif in_block:
            yield f"    {line}".rstrip()
        else:
            yield _LINK.sub(r"\1", line.lstrip("#").lstrip() if line.startswith("#") else line)


class _Paint:
    def __init__(self, color: bool):
        self._color = color

    def __call__(self, text: str, style: str) -> str:
        return f"{style}{text}{_RESET}" if self._color and text else text


def _block(diagnostic: Diagnostic, source: Source | None, name: str | None, paint: _Paint) -> list[str]:
    style = _SEVERITY_COLORS[diagnostic.severity]
    title = paint(f"{diagnostic.severity}[{diagnostic.code}]", style)
    lines = [title + paint(f": {printable_text(diagnostic.message)}", _BOLD)]
    gutter = " "
    if source is not None and diagnostic.labels:
        excerpt = _Excerpt(diagnostic, source, paint)
        gutter = excerpt.gutter
        lines += excerpt.lines(name or "policy")
    for word, text in (("help", diagnostic.help), ("see", page_command(diagnostic.code))):
        if text is not None:
            first, *rest = text.split("\n")
            lines.append(f"{gutter} {paint('=', _BLUE)} {paint(word, _CYAN)}: {printable_text(first)}")
            lines += [f"{gutter}   {' ' * len(word)}  {printable_text(line)}" for line in rest]
    return lines


class _Excerpt:
    """The lines of a policy that a diagnostic points at, in order, with each label underlined."""

    def __init__(self, diagnostic: Diagnostic, source: Source, paint: _Paint):
        primary, *others = (Label(source.clamp(label.span), label.text) for label in diagnostic.labels)
        self._primary = primary
        style = _SEVERITY_COLORS[diagnostic.severity]
        marked = [(primary, "^", style), *((label, "-", _BLUE) for label in others)]
        self._marked = sorted(marked, key=lambda entry: entry[0].span.start)
        self._source = source
        self._paint = paint
        self._bar = paint("|", _BLUE)
        self.gutter = " " * max(len(str(self._line(label))) for label in (primary, *others))

    def lines(self, name: str) -> list[str]:
        line, column = self._source.position(self._primary.span.start)
        out = [
            f"{self.gutter}{self._paint('-->', _BLUE)} {printable_text(name)}:{line}:{column}",
            f"{self.gutter} {self._bar}",
        ]
        last, last_window = 0, 0
        for label, mark, style in self._marked:
            number, window = self._line(label), self._window(label)
            if 0 < last < number - 1:
                out.append(self._paint("...", _BLUE))
            if (number, window) != (last, last_window):
                out.append(self._source_line(number, window))
            out.append(self._underline(label, mark, style))
            last, last_window = number, window
        return out

    def _line(self, label: Label) -> int:
        return self._source.position(label.span.start)[0]

    def _window(self, label: Label) -> int:
        """The first character shown of a line: if the line is too long, one shortly before the label."""
        number, column = self._source.position(label.span.start)
        return 0 if len(self._source.line(number)) <= _WIDEST else max(0, column - 1 - _WIDEST // 4)

    def _source_line(self, number: int, start: int) -> str:
        line = self._source.line(number)[start : start + _WIDEST]
        label = self._paint(str(number).rjust(len(self.gutter)), _BLUE)
        return f"{label} {self._bar} {printable_text(line)}".rstrip()

    def _underline(self, label: Label, mark: str, style: str) -> str:
        """The marks below a label. If it spans several lines, its first line is marked to the end."""
        number, column = self._source.position(label.span.start)
        end_number, end_column = self._source.position(label.span.end)
        line, start = self._source.line(number), self._window(label)
        end = min(end_column - 1 if end_number == number else len(line), start + _WIDEST)
        before, inside = printable_text(line[start : column - 1]), printable_text(line[column - 1 : end])
        marks = mark * max(display_width(inside), 1)
        onward = "" if end_number == number else f" … to line {end_number}"
        text = f" {printable_text(label.text)}" if label.text else ""
        return f"{self.gutter} {self._bar} {' ' * display_width(before)}{self._paint(marks + onward + text, style)}"
