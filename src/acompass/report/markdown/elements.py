"""Markdown elements. All text is escaped unless it is already Markdown."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from acompass.report.words import on_one_line

#: these begin emphasis, code, links, HTML, entities, headings and formulas; `\` itself would escape
_SPECIAL = re.compile(r"[\\`*_~\[\]<>&#$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
#: these begin a list or a rule, or underline a heading, at the start of a line
_LEADING = re.compile(r"^([0-9]{0,9})([-+](?=[-\s]|$)|=|[.)](?=\s|$))")
#: GitHub links `name@host` and `@name` after it has read escapes; this invisible character prevents it
_WORD_JOINER = "\u2060"
_BACKTICKS = re.compile("`+")


class Markdown(str):
    """Text that is already Markdown."""

    __slots__ = ()


def document(blocks: Iterable[str]) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"


def headline(kind: str, name: str | None, words: str, is_good: bool | None = None) -> Markdown:
    """What was done to which file, and the verdict."""
    of = "" if name is None else f" of {code(name)}"
    return heading(2, marked(is_good, Markdown(f"{prose(kind)}{of}: {prose(words)}")))


def heading(level: int, words: str) -> Markdown:
    return Markdown(f"{'#' * level} {prose(words)}")


def marked(is_good: bool | None, words: str) -> Markdown:
    """A verdict: the sign is only added to the words."""
    signs = {True: "✅ ", False: "❌ ", None: ""}
    return Markdown(f"{signs[is_good]}{prose(words)}")


def bold(words: str) -> Markdown:
    return Markdown(f"**{prose(words)}**")


def prose(text: str) -> Markdown:
    """Text on one line. What it has in backticks becomes code, as in the messages of diagnostics."""
    if isinstance(text, Markdown):
        return text
    parts = on_one_line(text).split("`")
    if len(parts) % 2 == 0:  # the last backtick has no partner
        parts[-2:] = [f"{parts[-2]}`{parts[-1]}"]
    spans = "".join(_quoted(part) if at % 2 else _escaped(part) for at, part in enumerate(parts))
    return Markdown(_LEADING.sub(r"\1\\\2", spans))


def _quoted(part: str) -> str:
    return code(part) or r"\`\`"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text).replace("@", f"@{_WORD_JOINER}")


def code(text: str) -> Markdown:
    """Code on one line. Nothing is escaped in it, so its marks have more backticks than any run inside."""
    inside = on_one_line(text)
    if not inside:
        return Markdown("")
    mark = "`" * (1 + max(map(len, _BACKTICKS.findall(inside)), default=0))
    space = " " if "`" in (inside[0], inside[-1]) else ""
    return Markdown(f"{mark}{space}{inside}{space}{mark}")


def listed(names: Iterable[str]) -> Markdown:
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
    return Markdown(
        "\n".join([_row(map(_cell, header)), _row(rule), *(_row(map(_cell, row)) for row in body)])
    )


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """A pipe ends a cell even inside code, unless a backslash precedes it; the backslash is not shown."""
    return prose(text).replace("|", r"\|")


def captioned(
    caption: str, rows: Iterable[Sequence[str]], numbers: Collection[int] = ()
) -> Iterator[Markdown]:
    yield bold(caption)
    yield table(rows, numbers)
