"""Render documents as GitHub-flavored Markdown, for the summary of a CI job. All words are escaped."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from acompass.errors.display import on_one_line
from acompass.report import document as doc

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
