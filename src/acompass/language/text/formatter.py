"""Format a policy: a block for each requirement, with colons aligned and every comment in its place.

A requirement becomes pieces of canonical text, each with its offset in the original text, so that comments can be put
back between them."""

import re
import textwrap
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import Protocol, TypeAlias, TypeVar, assert_never

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import PolicyError, Span
from acompass.language.text import tree, walk
from acompass.language.text.parser import parse_text
from acompass.language.text.tokens import quoted_name, spell_constant, spell_name, tokenize

#: the indents of colons, below the H of EACH, and of THEN and continuation lines, below the text after a colon
COLON, BELOW = 3, 5
#: the width of a line of a policy
WIDTH = 100

_CONTINUATION = "\n" + " " * BELOW
_LINE_END = re.compile(r"\r\n|\r|\n")
#: operands of AND and OR that need no parentheses
_BARE = (tree.Not, tree.Comparison, tree.Unequal, tree.In, tree.Between, tree.Like)


def format_program(text: str, name: str | None = None) -> str:
    """A policy's canonical text. Raises PolicyError if any part of it does not parse."""
    program, diagnostics = parse_text(text)
    if diagnostics:
        raise PolicyError(diagnostics, text, name)
    return _Formatter(text, program, [token.start for token in tokenize(text)[0]]).format()


def format_tree(program: tree.Program) -> str:
    """The canonical text of a tree, without comments."""
    out, above = [], None
    for requirement in program.requirements:
        if above is not None and not _are_lines(above, requirement):
            out.append("\n")
        out.append(f"{format_requirement(requirement)}\n")
        above = requirement
    return "".join(out)


def _are_lines(above: tree.Requirement, below: tree.Requirement) -> bool:
    """Whether each is one line, so that no blank line is needed between them."""
    return walk.is_line(above) and walk.is_line(below)


def format_requirement(requirement: tree.Requirement) -> str:
    """A requirement's canonical text, without comments."""
    return _join_pieces(_Pieces([]).requirement(requirement))


def format_map(map_: tree.Map) -> str:
    return _join_pieces(_Pieces([]).map(map_))


def format_condition(condition: tree.Condition) -> str:
    return _join_pieces(_Pieces([]).condition(condition))


def _join_pieces(pieces: Iterable["_Piece"]) -> str:
    block = _Block()
    for piece in pieces:
        block.add(piece)
    return block.text


def format_aggregate(aggregate: tree.Aggregate) -> str:
    return _join_pieces(_Pieces([]).aggregate(aggregate))


def remark_lines(paragraph: str) -> list[str]:
    """A paragraph as comments of at most WIDTH characters."""
    lines = textwrap.wrap(paragraph, WIDTH - 3, break_long_words=False, break_on_hyphens=False)
    return [f"-- {line}" for line in lines]


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """The published rule that a policy was written from, as its first comment names it."""

    name: str
    dated: date  # of the rule's source
    review: date  # when the source has to be read again

    @property
    def remark(self) -> str:
        return f"-- Rule {self.name}, source of {self.dated}, review by {self.review}"


_RULE = re.compile(r"-- Rule (\S+), source of (\d{4}-\d\d-\d\d), review by (\d{4}-\d\d-\d\d)\s*")


def rule_in_remark(comment: str) -> WrittenRule | None:
    """The inverse of `WrittenRule.remark`; None for any other comment, and for days that do not exist."""
    found = _RULE.fullmatch(comment)
    try:
        return found and WrittenRule(found[1], date.fromisoformat(found[2]), date.fromisoformat(found[3]))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    at: int | None = None  # the offset in the original text; None if the formatter added the piece
    tight: bool = False  # no space before it
    indent: int | None = None  # begins a line with this indent


class _Placed(Protocol):
    @property
    def span(self) -> Span: ...


_Node = TypeVar("_Node", bound=_Placed)
_Part: TypeAlias = tree.Name | tree.Constant


class _Pieces:
    """Turns nodes into pieces."""

    def __init__(self, token_starts: list[int]):
        self._starts = token_starts  # the offsets of all tokens, in order; empty for a tree built in code

    def requirement(self, requirement: tree.Requirement) -> Iterator[_Piece]:
        assertion, action = requirement.assertion, requirement.action
        match assertion:
            case tree.Assertion():
                yield from self._assertion(assertion)
                if action is not None:
                    yield _Piece(":", self._after(assertion.condition), indent=COLON)
            case tree.Always():
                yield _Piece("ALWAYS", assertion.span.start)
                yield _Piece(":", self._after(assertion))
            case _:
                assert_never(assertion)
        if action is not None:
            yield from self._action(action, walk.is_core(requirement))
        yield _Piece(";", tight=True)

    def _assertion(self, assertion: tree.Assertion) -> Iterator[_Piece]:
        yield _Piece(assertion.quantifier, assertion.span.start)
        yield from self._result(assertion.result)
        yield _Piece(":", self._after(assertion.result), indent=COLON)
        yield from self.condition(assertion.condition)

    def _after(self, node: _Placed) -> int | None:
        """The offset of the token that follows a node."""
        index = bisect_left(self._starts, node.span.end)
        return self._starts[index] if index < len(self._starts) else None

    def _before(self, node: _Placed) -> int | None:
        """The offset of the token before a node."""
        index = bisect_left(self._starts, node.span.start)
        return self._starts[index - 1] if 0 < index < len(self._starts) else None

    def _result(self, result: tree.ResultForm) -> Iterator[_Piece]:
        match result:
            case tree.Result():
                yield _Piece("RESULT", result.span.start)
            case tree.Filter():
                yield _Piece("FILTER", result.span.start)
                yield from self.condition(result.condition)
            case tree.Process():
                yield _Piece("PROCESS", result.span.start)
                yield from self._process(result)
            case _:
                assert_never(result)

    def _process(self, process: tree.Process) -> Iterator[_Piece]:
        for index, named in enumerate(process.aggregates):
            if index:
                yield _Piece(",", self._after(process.aggregates[index - 1].alias), tight=True)
            yield from self.aggregate(named.aggregate)
            yield _Piece("AS", self._after(named.aggregate))
            yield self._name(named.alias)
        last: _Placed = process.aggregates[-1].alias
        if process.where is not None:
            yield _Piece("WHERE", self._after(last))
            yield from self.condition(process.where)
            last = process.where
        for index, name in enumerate(process.group_by):
            yield _Piece(",", self._after(last), tight=True) if index else _Piece("GROUP BY", self._after(last))
            yield self._name(name)
            last = name

    def aggregate(self, aggregate: tree.Aggregate) -> Iterator[_Piece]:
        yield _Piece(aggregate.function, aggregate.span.start)
        if aggregate.largest is not None:
            yield self._constant(aggregate.largest)
        yield _Piece("(", tight=not aggregate.is_share)
        yield _Piece("*", tight=True) if aggregate.column is None else self._name(aggregate.column, tight=True)
        yield _Piece(")", tight=True)
        if aggregate.file is not None:
            yield _Piece("IN", self._before(aggregate.file))
            yield self._constant(aggregate.file)

    def _action(self, action: tree.Action, is_core: bool) -> Iterator[_Piece]:
        steps = walk.steps_in(action)
        for index, step in enumerate(steps):
            if index:
                yield _Piece("THEN", self._after(steps[index - 1]), indent=BELOW)
            yield from self._step(step, is_core, steps[index + 1 : index + 2])

    def _step(self, step: tree.Step, is_core: bool, following: tuple[tree.Step, ...] = ()) -> Iterator[_Piece]:
        start = step.span.start
        match step:
            case tree.Sometimes(probability, plain):
                yield from self._phrase(start, "WITH PROBABILITY", probability)
                yield from self._step(plain, is_core, following)
            case tree.Reject():
                yield _Piece("REJECT", start)
            case tree.Replace(name, constant):
                yield from self._phrase(start, "REPLACE", name, "WITH", constant)
            case tree.Random(_, lower, upper):
                yield _Piece("RANDOM", start)
                yield self._name(step.name) if is_core else self._name_before_bounds(step, following)
                yield self._constant(lower)
                yield self._constant(upper)
            case tree.Draw() | tree.Generalize() | tree.Drop():
                yield from self._beyond_step(step)
            case tree.Pseudonym() | tree.Shift() | tree.AddRandom() | tree.Microaggregate():
                yield from self._beyond_step(step)
            case _:
                assert_never(step)

    def _beyond_step(self, step: walk.BeyondPlain) -> Iterator[_Piece]:
        start = step.span.start
        match step:
            case tree.Draw(name, values):
                yield from self._phrase(start, "RANDOM", name, "FROM")
                yield from self._parenthesize(self._weighted_values(values))
            case tree.Generalize(name, map_):
                yield from self._phrase(start, "GENERALIZE", name, "TO")
                yield from self.map(map_)
            case tree.Drop(names):
                yield from self._phrase(start, "DROP", names)
            case tree.Pseudonym(name):
                yield from self._phrase(start, "PSEUDONYM", name)
            case tree.Shift(names, person, days):
                yield from self._phrase(start, "SHIFT", names, "BY", person, "WITHIN", days, "DAYS")
            case tree.AddRandom(lower, upper, name):
                yield from self._phrase(start, "ADD RANDOM", lower, upper, "TO", name)
            case tree.Microaggregate(name, size):
                yield from self._phrase(start, "MICROAGGREGATE", name, "BY", size)
            case _:
                assert_never(step)

    def _phrase(self, start: int, *parts: str | _Part | tuple[_Part, ...]) -> Iterator[_Piece]:
        """Words, and between them names, constants and lists of these. A bare name cannot contain the word after it."""
        at: int | None = start
        for index, part in enumerate(parts):
            if isinstance(part, str):
                yield _Piece(part, at)
                continue
            nodes = part if isinstance(part, tuple) else (part,)
            following = parts[index + 1] if index + 1 < len(parts) else "THEN"
            ending = following if isinstance(following, str) else None
            yield from self._list(nodes, lambda node, ending=ending: self._part(node, ending))  # type: ignore[misc]
            at = self._after(nodes[-1])

    def _part(self, node: _Part, ending: str | None) -> _Piece:
        return self._name(node, ending=ending) if isinstance(node, tree.Name) else self._constant(node)

    def _weighted_values(self, values: tuple[tree.WeightedValue, ...]) -> Iterator[_Piece]:
        for index, each in enumerate(values):
            if index:
                yield _Piece(",", self._after(values[index - 1]), tight=True)
            if each.weight is not None:
                yield self._constant(each.weight)
                yield _Piece("OF", self._after(each.weight))
            yield self._constant(each.constant)

    def _name_before_bounds(self, action: tree.Random, following: tuple[tree.Step, ...]) -> _Piece:
        """After three words, THEN could begin the next step, so a name that contains it is quoted. So is a name before
        two parameters and THEN PSEUDONYM, which without quotes would be part of the name and the bounds (X0)."""
        words = [*action.name.text.split(" "), spell_constant(action.lower)]
        has_parameters = isinstance(action.lower, tree.Parameter) and isinstance(action.upper, tree.Parameter)
        is_ambiguous = has_parameters and any(map(walk.is_pseudonym, following))
        if is_ambiguous or any(word.upper() == "THEN" for word in words):
            return _Piece(quoted_name(action.name.text), action.name.span.start)
        return self._name(action.name)

    def map(self, map_: tree.Map) -> Iterator[_Piece]:
        start = map_.span.start
        match map_:
            case tree.BandsOf(width, first, end):
                lower = () if first is None else ("FROM", first)
                upper = () if end is None else ("UP TO", end)
                yield from self._phrase(start, "BANDS OF", width, *lower, *upper)
            case tree.BandsAt(cuts):
                yield from self._phrase(start, "BANDS AT", cuts)
            case tree.PrefixOf(length):
                yield from self._phrase(start, "PREFIX OF", length)
            case tree.DatePart(unit):
                yield _Piece(unit, start)
            case tree.LevelOf(level, file, otherwise):
                rest = () if otherwise is None else ("ELSE", otherwise)
                yield from self._phrase(start, "LEVEL", level, "OF", file, *rest)
            case tree.Nearest(number):
                yield from self._phrase(start, "NEAREST", number)
            case _:
                assert_never(map_)

    def _list(self, nodes: Sequence[_Node], piece: Callable[[_Node], _Piece]) -> Iterator[_Piece]:
        """The nodes with commas between them."""
        for index, node in enumerate(nodes):
            if index:
                yield _Piece(",", self._after(nodes[index - 1]), tight=True)
            yield piece(node)

    def condition(self, condition: tree.Condition) -> Iterator[_Piece]:
        match condition:
            case tree.Comparison():
                yield self._name(condition.name)
                yield _Piece(condition.operator, self._after(condition.name))
                yield self._constant(condition.constant)
            case tree.Unequal():
                yield self._name(condition.name)
                yield _Piece(condition.sign, self._after(condition.name))
                yield self._constant(condition.constant)
            case tree.In():
                yield from self._predicate(condition, "IN")
                yield from self._parenthesize(self._list(condition.constants, self._constant))
            case tree.Between():
                yield from self._predicate(condition, "BETWEEN")
                yield self._constant(condition.lower)
                yield _Piece("AND", self._after(condition.lower))
                yield self._constant(condition.upper)
            case tree.Like():
                yield from self._predicate(condition, "LIKE")
                yield self._constant(condition.pattern)
            case tree.Not():
                yield _Piece("NOT", condition.span.start)
                yield from self._operand(condition.operand, bare=(tree.Not,))
            case tree.And():
                yield from self._join("AND", condition.operands)
            case tree.Or():
                yield from self._join("OR", condition.operands)
            case _:
                assert_never(condition)

    def _predicate(self, node: tree.In | tree.Between | tree.Like, word: str) -> Iterator[_Piece]:
        yield self._name(node.name)
        yield _Piece(f"NOT {word}" if node.negated else word, self._after(node.name))

    def _join(self, word: str, operands: tuple[tree.Condition, ...]) -> Iterator[_Piece]:
        for index, operand in enumerate(operands):
            if index:
                yield _Piece(word, self._after(operands[index - 1]))
            yield from self._operand(operand, bare=_BARE)

    def _operand(self, operand: tree.Condition, bare: tuple[type, ...]) -> Iterator[_Piece]:
        """In parentheses unless its class is in `bare`, so that readers need not know the precedence."""
        if isinstance(operand, bare):
            yield from self.condition(operand)
        else:
            yield from self._parenthesize(self.condition(operand))

    def _parenthesize(self, pieces: Iterator[_Piece]) -> Iterator[_Piece]:
        first, *rest = pieces
        yield _Piece("(")
        yield _Piece(first.text, first.at, tight=True)
        yield from rest
        yield _Piece(")", tight=True)

    def _name(self, name: tree.Name, tight: bool = False, ending: str | None = None) -> _Piece:
        return _Piece(spell_name(name.text, ending), name.span.start, tight)

    def _constant(self, constant: tree.Constant) -> _Piece:
        return _Piece(spell_constant(constant), constant.span.start)


class _Block:
    """The text of a requirement, built piece by piece."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._broken = False

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def add(self, piece: _Piece) -> None:
        if piece.indent is not None:
            self._parts.append(f"\n{' ' * piece.indent}")
        elif self._broken:
            self._parts.append(_CONTINUATION)
        elif self._parts and not piece.tight:
            self._parts.append(" ")
        self._parts.append(piece.text)
        self._broken = False

    def add_comment(self, comment: tree.Comment, own_line: bool) -> None:
        """Add a comment. It ends the line if it is on a line of its own or begins with `--`."""
        self._parts.append(_CONTINUATION if own_line or self._broken else " ")
        self._parts.append(comment.text)
        self._broken = own_line or self._broken or comment.text.startswith("--")


class _Formatter:
    def __init__(self, text: str, program: tree.Program, token_starts: list[int]):
        self._text = text
        self._requirements = program.requirements
        self._comments = list(reversed(program.comments))
        self._pieces = _Pieces(token_starts)
        self._out: list[str] = []

    def format(self) -> str:
        above = None
        for requirement in self._requirements:
            start = requirement.span.start
            is_apart = above is None or not _are_lines(above, requirement)
            self._between(self._comments_before(start), start, above, is_apart)
            self._out.append(self._block(requirement))
            above = requirement
        end = len(self._text)
        self._between(self._comments_before(end), end, above)
        return "".join(self._out) + ("\n" if self._out else "")

    def _comments_before(self, place: int) -> list[tree.Comment]:
        found = []
        while self._comments and self._comments[-1].span.start < place:
            found.append(self._comments.pop())
        return found

    def _block(self, requirement: tree.Requirement) -> str:
        """The requirement with the comments inside it.

        A comment before the semicolon moves after it, unless that would push another comment to the next line.
        """
        block = _Block()
        *pieces, semicolon = self._pieces.requirement(requirement)
        for piece in pieces:
            if piece.at is not None:
                self._add_comments(block, piece.at)
            block.add(piece)
        if self._both_end_the_line(requirement.span.end):
            self._add_comments(block, requirement.span.end)
        block.add(semicolon)
        return block.text

    def _add_comments(self, block: _Block, before: int) -> None:
        for comment in self._comments_before(before):
            block.add_comment(comment, self._begins_line(comment.span.start))

    def _both_end_the_line(self, end: int) -> bool:
        """Whether a comment before the semicolon ends the line, and another one follows the semicolon."""
        ends_line = False
        for comment in reversed(self._comments):
            start = comment.span.start
            if start >= end:
                between = self._text[end:start]
                return ends_line and not between.strip() and _LINE_END.search(between) is None
            ends_line |= comment.text.startswith("--") or self._begins_line(start)
        return False

    def _between(
        self, comments: list[tree.Comment], start: int, above: tree.Requirement | None, is_apart: bool = True
    ) -> None:
        """Write the comments between a block and the next one, which begins at `start`."""
        after_block = bool(self._out) and is_apart
        last_end, line_ended = 0 if above is None else above.span.end, False
        for comment in comments:
            if line_ended or self._begins_line(comment.span.start):
                self._end_line(after_block or self._has_blank_line(last_end, comment.span.start))
                after_block = False
            elif self._out:
                self._out.append(" ")
            self._out.append(comment.text)
            last_end, line_ended = comment.span.end, comment.text.startswith("--")
        if start < len(self._text):
            self._end_line(after_block or self._has_blank_line(last_end, start))

    def _end_line(self, blank: bool) -> None:
        if self._out:
            self._out.append("\n\n" if blank else "\n")

    def _has_blank_line(self, start: int, end: int) -> bool:
        return len(_LINE_END.findall(self._text, start, end)) > 1

    def _begins_line(self, place: int) -> bool:
        """Whether only whitespace precedes a place on its line."""
        while place and self._text[place - 1] not in "\r\n":
            if not self._text[place - 1].isspace():
                return False
            place -= 1
        return True
