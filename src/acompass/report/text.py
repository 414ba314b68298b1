"""Render documents as plain text, with the same layout on a terminal, in a pipe and in a log."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import assert_never

from acompass.errors.display import BOLD, GREEN, PLAIN, RED, YELLOW, Style
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
