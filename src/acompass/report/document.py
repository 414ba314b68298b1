"""The description of a report: blocks of words, which text, Markdown and HTML render.

Markdown and HTML show the same blocks. Text has no headings, and shows an `Either` in its own way."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import MOST_SHOWN
from acompass.errors.display import PLAIN, Style

#: the policy or the table is standard input
STREAM = "-"


@dataclass(frozen=True, slots=True)
class Context:
    """What a report needs to know about the call."""

    file: str | None = None  # the policy or the table that the answer is about; `-` is standard input
    style: Style = PLAIN  # of text
    most: int = MOST_SHOWN  # the number of errors or findings to list
    not_written: str | None = None  # why a run wrote no output
    impact: bool = True  # whether to show the impact of the differences between two policies
    texts: tuple[str, str] = field(default=("", ""), repr=False)  # of the old and the new policy

    @property
    def name(self) -> str | None:
        """The name to show in the heading."""
        return None if self.file == STREAM else self.file


#: how a verdict is marked: with a sign or a color
Tone: TypeAlias = Literal["good", "bad", "repaired", "none"]


class Code(str):
    """A name, a value or a piece of a policy."""

    __slots__ = ()


class Phrase(tuple[str, ...]):
    """The parts of a line, some of which are code."""

    __slots__ = ()


class Lines(tuple[str, ...]):
    """Several lines in one cell of a table."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    words: str
    tone: Tone


#: a plain string is prose, in which Markdown shows parts in backticks as code
Words: TypeAlias = str | Phrase | Lines | Verdict
Row: TypeAlias = Sequence[Words]


@dataclass(frozen=True, slots=True)
class Heading:
    words: Words
    level: int = 3
    tone: Tone = "none"
    text: str | None = None  # a line for text to show in its place


@dataclass(frozen=True, slots=True)
class Paragraph:
    words: Words


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list; in text, a line for each item."""

    items: Sequence[Words]


@dataclass(frozen=True, slots=True)
class Table:
    caption: str  # shown by HTML, and by the others if `is_titled`
    header: Row
    rows: Sequence[Row]
    align: str = ""  # `l` or `r` for each column; missing ones are `l`
    is_titled: bool = False  # text indents the rows below the title
    is_numbered: bool = False  # rows are records, which Markdown and HTML number
    is_bold: bool = False  # text shows the header in bold
    is_cut: bool = False  # text cuts the last column at the width of the terminal
    is_private: bool = False  # has records, which a notebook does not show, because it is saved with what it displays
    empty: str | None = None  # shown in place of a table without rows

    @property
    def placeholder(self) -> str | None:
        return None if self.rows else self.empty

    def numbered(self) -> "Table":
        """The table with a column of record numbers: all other columns may have been dropped."""
        if not self.is_numbered:
            return self
        rows = [(str(place), *row) for place, row in enumerate(self.rows, 1)]
        return replace(self, header=("record", *self.header), rows=rows, align=f"r{self.align}", is_numbered=False)


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Lines of code. HTML hides them below the title, if there is one."""

    text: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks below a title; text indents them without blank lines."""

    title: str
    blocks: Sequence["Block"]


@dataclass(frozen=True, slots=True)
class Either:
    """Blocks that text shows, and blocks that Markdown and HTML show instead."""

    text: Sequence["Block"] = ()
    rich: Sequence["Block"] = ()


RichBlock: TypeAlias = Heading | Paragraph | Bullets | Table | CodeBlock
Block: TypeAlias = RichBlock | Section | Either


def text_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Either):
            yield from text_blocks(block.text)
        else:
            yield block


def rich_blocks(blocks: Iterable[Block]) -> Iterator[RichBlock]:
    """The blocks for Markdown and HTML, with a heading for each section."""
    for block in blocks:
        match block:
            case Either():
                yield from rich_blocks(block.rich)
            case Section(title, inner):
                yield Heading(as_sentence(title))
                yield from rich_blocks(inner)
            case _:
                yield block


def headline(kind: str, context: Context, words: str, is_good: bool | None = None, text: str | None = None) -> Heading:
    """The command, the file and the verdict."""
    of = () if context.name is None else (" of ", Code(context.name))
    tone: Tone = "none" if is_good is None else "good" if is_good else "bad"
    return Heading(Phrase((kind, *of, f": {words}")), 2, tone, text)


def as_sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def code_names(names: Iterable[str]) -> Iterator[str]:
    """The parts of a phrase: the names, with commas between them."""
    for place, name in enumerate(names):
        if place:
            yield ", "
        yield Code(name)
