"""Render documents as plain text, with the same layout on a terminal, in a pipe and in a log; and as GitHub-flavored
Markdown, for the summary of a CI job, in which all words are escaped."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import assert_never

from acompass.errors.display import BOLD, GREEN, PLAIN, RED, YELLOW, Style, on_one_line
from acompass.report import document as doc

_TINTS = {"good": GREEN, "bad": RED, "repaired": YELLOW, "none": ""}


def document_text(blocks: Iterable[doc.Block], style: Style = PLAIN) -> str:
    """Separate blocks by blank lines."""
    paragraphs = (list(_block_lines(block, style)) for block in doc.text_blocks(blocks))
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines) + "\n"


def _block_lines(block: doc.Block, style: Style) -> Iterable[str]:
    match block:
        case doc.Heading():
            return () if block.text is None else (block.text,)
        case doc.Paragraph(words):
            return (_words_text(words),)
        case doc.Bullets(items):
            return map(_words_text, items)
        case doc.Table():
            lines = _table_lines(block, style) if block.placeholder is None else [f"({block.placeholder})"]
            return (block.caption, *_indent(lines)) if block.is_titled else lines
        case doc.CodeBlock(text):
            return text.removesuffix("\n").split("\n")
        case doc.Section(title, blocks):
            inner = (line for each in doc.text_blocks(blocks) for line in _block_lines(each, style))
            return (title, *_indent(inner))
        case doc.Either():
            raise AssertionError("text_blocks replaces it")
        case _:
            assert_never(block)


def _indent(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _words_text(words: doc.Words) -> str:
    match words:
        case str():
            return words
        case doc.Verdict():
            return words.words
        case _:
            return "".join(words)


def _table_lines(table: doc.Table, style: Style) -> list[str]:
    rows = [table.header, *table.rows] if table.header else list(table.rows)
    texts = [[_words_text(cell) for cell in row] for row in rows]
    if table.is_cut:
        texts = _cut_last_column(texts, style.width)
    columns = [
        _column(column, cells, side, style)
        for column, cells, side in zip(
            zip(*texts, strict=True), zip(*rows, strict=True), table.align.ljust(len(rows[0]), "l"), strict=True
        )
    ]
    lines = ["  ".join(row).rstrip() for row in zip(*columns, strict=True)] if columns else [""] * len(rows)
    return [style.paint(lines[0], BOLD), *lines[1:]] if table.is_bold else lines


def _column(texts: Sequence[str], cells: Sequence[doc.Words], side: str, style: Style) -> list[str]:
    """Pad the texts to one width. Verdicts are colored, and so is the header above them."""
    width = max(map(len, texts))
    padded = [text.rjust(width) if side == "r" else text.ljust(width) for text in texts]
    if not isinstance(cells[-1], doc.Verdict):
        return padded
    tints = (_TINTS[cell.tone] if isinstance(cell, doc.Verdict) else BOLD for cell in cells)
    return [style.paint(text, tint) for text, tint in zip(padded, tints, strict=True)]


def _cut_last_column(rows: list[list[str]], width: int | None) -> list[list[str]]:
    """Shorten the texts of the last column to the width. A text that would look like the one before, such as a THEN
    step, starts where it differs."""
    if width is None:
        return rows
    others = [max(map(len, column)) + 2 for column in zip(*(row[:-1] for row in rows), strict=True)]
    room = width - sum(others)
    return [[*row[:-1], text] for row, text in zip(rows, _cut_texts([row[-1] for row in rows], room), strict=True)]


def _cut_texts(texts: Sequence[str], room: int) -> Iterator[str]:
    for before, text in pairwise(["", *texts]):
        if len(text) > room and text[: room - 1] == before[: room - 1]:
            yield _cut_at_end("…" + _difference(before, text), room)
        else:
            yield _cut_at_end(text, room)


def _cut_at_end(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(room - 1, 0)] + "…"


def _difference(before: str, text: str) -> str:
    """The text from the last colon before the first difference."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, text, strict=False)))
    return text[max(text.rfind(" : ", 0, same), 0) :]


#: characters that start emphasis, code, links, HTML, entities, headings and formulas, and the escape character
_SPECIAL = re.compile(r"[\\`*_~\[\]<>&#$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
#: characters that start a list or a rule, or underline a heading, at the start of a line
_LEADING = re.compile(r"^([0-9]{0,9})([-+](?=[-\s]|$)|=|[.)](?=\s|$))")
#: GitHub links `name@host` and `@name` after it resolves escapes; this invisible character prevents it
_WORD_JOINER = "\u2060"
_BACKTICKS = re.compile("`+")
_SIGNS = {"good": "✅ ", "bad": "❌ ", "repaired": "", "none": ""}


def document_markdown(blocks: Iterable[doc.Block]) -> str:
    parts = (part for block in doc.rich_blocks(blocks) for part in _block_parts(block))
    return "\n\n".join(filter(None, parts)) + "\n"


def _block_parts(block: doc.RichBlock) -> Iterator[str]:
    match block:
        case doc.Heading(words, level, tone):
            yield f"{'#' * level} {_SIGNS[tone]}{words_markdown(words)}"
        case doc.Paragraph(words):
            yield words_markdown(words)
        case doc.Bullets(items):
            yield "\n".join(f"- {words_markdown(item)}" for item in items)
        case doc.Table():
            yield from _table_parts(block.numbered())
        case doc.CodeBlock(text, title):
            yield "" if title is None else f"### {words_markdown(title)}"
            fence = _fence(text, 3)
            yield f"{fence}\n{text.rstrip()}\n{fence}"
        case _:
            assert_never(block)


def _table_parts(table: doc.Table) -> Iterator[str]:
    if table.placeholder is not None:
        yield f"{_bold(table.caption)}: {table.placeholder}"
        return
    if table.is_titled:
        yield _bold(table.caption)
    rule = ["---:" if side == "r" else "---" for side in table.align.ljust(len(table.header), "l")]
    yield "\n".join(f"| {' | '.join(row)} |" for row in (_cells(table.header), rule, *map(_cells, table.rows)))


def _bold(caption: str) -> str:
    return f"**{words_markdown(doc.as_sentence(caption))}**"


def _cells(row: Sequence[doc.Words]) -> list[str]:
    """Escape pipes, which would end the cell even inside code."""
    return [words_markdown(cell).replace("|", r"\|") for cell in row]


def words_markdown(words: doc.Words) -> str:
    match words:
        case doc.Code():
            return _code(words)
        case str():
            return _prose(words)
        case doc.Verdict():
            return _SIGNS[words.tone] + _prose(words.words)
        case doc.Lines():
            return "<br>".join(map(words_markdown, words))
        case doc.Phrase():
            return "".join(map(_phrase_part, words)).strip()
        case _:
            assert_never(words)


def _phrase_part(part: str) -> str:
    """Keep a space before and after prose."""
    if isinstance(part, doc.Code):
        return _code(part)
    before, after = (" " if edge.isspace() else "" for edge in (part[:1], part[-1:]))
    return f"{before}{_prose(part)}{after}"


def _prose(text: str) -> str:
    """Text on one line. Parts in backticks become code, as in messages of diagnostics."""
    parts = on_one_line(text).split("`")
    if len(parts) % 2 == 0:  # the last backtick has no partner
        parts[-2:] = [f"{parts[-2]}`{parts[-1]}"]
    spans = "".join((_code(part) or r"\`\`") if at % 2 else _escape(part) for at, part in enumerate(parts))
    return _LEADING.sub(r"\1\\\2", spans)


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text).replace("@", f"@{_WORD_JOINER}")


def _code(text: str) -> str:
    """Code on one line. Nothing in it can be escaped, so its fence is longer than any run of backticks in it."""
    inside = on_one_line(text)
    if not inside:
        return ""
    fence = _fence(inside, 1)
    space = " " if "`" in (inside[0], inside[-1]) else ""
    return f"{fence}{space}{inside}{space}{fence}"


def _fence(text: str, least: int) -> str:
    return "`" * max(least, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
