"""A requirement as the pieces of its canonical text, each with its place in the original text."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, TypeVar, assert_never

from acompass.diagnostics import Span
from acompass.syntax import tree, walk
from acompass.syntax.spelling import quoted_name, spell_constant, spell_name


@dataclass(frozen=True, slots=True)
class Piece:
    """`at` is the piece's place in the original text; None if the formatter added the piece.

    A `tight` piece has no space before it. A piece with an `indent` begins a line.
    """

    text: str
    at: int | None = None
    tight: bool = False
    indent: int | None = None


#: colons are below the H of EACH, THEN and continuation lines below the text after the colon
COLON = 3
BELOW = 5


#: operands of AND and OR that need no parentheses
_BARE = (tree.Not, tree.Comparison, tree.Unequal, tree.In, tree.Between, tree.Like)


class _Placed(Protocol):
    @property
    def span(self) -> Span: ...


_Node = TypeVar("_Node", bound=_Placed)


class Pieces:
    """`token_starts` are the places of all tokens of the text, in order; empty for a tree without a text."""

    def __init__(self, token_starts: list[int]):
        self._starts = token_starts

    def requirement(self, requirement: tree.Requirement) -> Iterator[Piece]:
        assertion, action = requirement.assertion, requirement.action
        match assertion:
            case tree.Assertion():
                yield from self._assertion(assertion)
                if action is not None:
                    yield Piece(":", self._after(assertion.condition), indent=COLON)
            case tree.Always():
                yield Piece("ALWAYS", assertion.span.start)
                yield Piece(":", self._after(assertion))
            case _:
                assert_never(assertion)
        if action is not None:
            yield from self._action(action, walk.is_core(requirement))
        yield Piece(";", tight=True)

    def _assertion(self, assertion: tree.Assertion) -> Iterator[Piece]:
        yield Piece(assertion.quantifier, assertion.span.start)
        yield from self._result(assertion.result)
        yield Piece(":", self._after(assertion.result), indent=COLON)
        yield from self.condition(assertion.condition)

    def _after(self, node: _Placed) -> int | None:
        """The place of the token that follows a node."""
        index = bisect_left(self._starts, node.span.end)
        return self._starts[index] if index < len(self._starts) else None

    def _result(self, result: tree.ResultForm) -> Iterator[Piece]:
        match result:
            case tree.Result():
                yield Piece("RESULT", result.span.start)
            case tree.Filter():
                yield Piece("FILTER", result.span.start)
                yield from self.condition(result.condition)
            case tree.Process():
                yield Piece("PROCESS", result.span.start)
                yield from self._process(result)
            case _:
                assert_never(result)

    def _process(self, process: tree.Process) -> Iterator[Piece]:
        for index, named in enumerate(process.aggregates):
            if index:
                yield Piece(",", self._after(process.aggregates[index - 1].alias), tight=True)
            yield from self._aggregate(named)
        last: _Placed = process.aggregates[-1].alias
        if process.where is not None:
            yield Piece("WHERE", self._after(last))
            yield from self.condition(process.where)
            last = process.where
        for index, name in enumerate(process.group_by):
            yield Piece(",", self._after(last), tight=True) if index else Piece("GROUP BY", self._after(last))
            yield self._name(name)
            last = name

    def _aggregate(self, named: tree.NamedAggregate) -> Iterator[Piece]:
        aggregate = named.aggregate
        yield Piece(f"{aggregate.function}(", aggregate.span.start)
        yield Piece("*", tight=True) if aggregate.column is None else self._name(aggregate.column, tight=True)
        yield Piece(")", tight=True)
        yield Piece("AS", self._after(aggregate))
        yield self._name(named.alias)

    def _action(self, action: tree.Action, is_core: bool) -> Iterator[Piece]:
        match action:
            case tree.Then(steps):
                yield from self._step(steps[0], is_core)
                for before, step in pairwise(steps):
                    yield Piece("THEN", self._after(before), indent=BELOW)
                    yield from self._step(step, is_core)
            case tree.Reject() | tree.Replace() | tree.Random() | tree.Draw() | tree.Generalize():
                yield from self._step(action, is_core)
            case tree.Drop() | tree.Sometimes():
                yield from self._step(action, is_core)
            case _:
                assert_never(action)

    def _step(self, action: tree.Step, is_core: bool) -> Iterator[Piece]:
        match action:
            case tree.Sometimes(probability, plain):
                yield Piece("WITH PROBABILITY", action.span.start)
                yield self._constant(probability)
                yield from self._plain(plain, is_core)
            case tree.Reject() | tree.Replace() | tree.Random() | tree.Draw() | tree.Generalize():
                yield from self._plain(action, is_core)
            case tree.Drop():
                yield from self._plain(action, is_core)
            case _:
                assert_never(action)

    def _plain(self, action: tree.Plain, is_core: bool) -> Iterator[Piece]:
        start = action.span.start
        match action:
            case tree.Reject():
                yield Piece("REJECT", start)
            case tree.Replace():
                yield Piece("REPLACE", start)
                yield self._name(action.name)
                yield Piece("WITH", self._after(action.name))
                yield self._constant(action.constant)
            case tree.Random():
                yield Piece("RANDOM", start)
                yield self._name(action.name) if is_core else self._name_before_bounds(action)
                yield self._constant(action.lower)
                yield self._constant(action.upper)
            case tree.Draw():
                yield Piece("RANDOM", start)
                yield self._name(action.name, ending="FROM")
                yield Piece("FROM", self._after(action.name))
                yield from self._parenthesized(self._balls(action.balls))
            case tree.Generalize():
                yield Piece("GENERALIZE", start)
                yield self._name(action.name, ending="TO")
                yield Piece("TO", self._after(action.name))
                yield from self.map(action.map)
            case tree.Drop():
                yield Piece("DROP", start)
                yield from self._listed(action.names, lambda name: self._name(name, ending="THEN"))
            case _:
                assert_never(action)

    def _balls(self, balls: tuple[tree.Ball, ...]) -> Iterator[Piece]:
        for index, ball in enumerate(balls):
            if index:
                yield Piece(",", self._after(balls[index - 1]), tight=True)
            if ball.weight is not None:
                yield self._constant(ball.weight)
                yield Piece("OF", self._after(ball.weight))
            yield self._constant(ball.constant)

    def _name_before_bounds(self, action: tree.Random) -> Piece:
        """THEN behind three words could be that of the next step, so that it needs quotes before it."""
        words = [*action.name.text.split(" "), spell_constant(action.lower)]
        if any(word.upper() == "THEN" for word in words):
            return Piece(quoted_name(action.name.text), action.name.span.start)
        return self._name(action.name)

    def map(self, map_: tree.Map) -> Iterator[Piece]:
        start = map_.span.start
        match map_:
            case tree.BandsOf():
                yield Piece("BANDS OF", start)
                yield self._constant(map_.width)
                if map_.start is not None:
                    yield Piece("FROM", self._after(map_.width))
                    yield self._constant(map_.start)
                if map_.end is not None:
                    yield Piece("UP TO", self._after(map_.start or map_.width))
                    yield self._constant(map_.end)
            case tree.BandsAt():
                yield Piece("BANDS AT", start)
                yield from self._listed(map_.cuts, self._constant)
            case tree.PrefixOf():
                yield Piece("PREFIX OF", start)
                yield self._constant(map_.length)
            case tree.DatePart():
                yield Piece(map_.unit, start)
            case tree.LevelOf():
                yield from self._level(map_)
            case _:
                assert_never(map_)

    def _level(self, map_: tree.LevelOf) -> Iterator[Piece]:
        yield Piece("LEVEL", map_.span.start)
        yield self._constant(map_.level)
        yield Piece("OF", self._after(map_.level))
        yield self._constant(map_.file)
        if map_.otherwise is not None:
            yield Piece("ELSE", self._after(map_.file))
            yield self._constant(map_.otherwise)

    def _listed(self, nodes: Sequence[_Node], piece: Callable[[_Node], Piece]) -> Iterator[Piece]:
        """The nodes with a comma between each two."""
        for index, node in enumerate(nodes):
            if index:
                yield Piece(",", self._after(nodes[index - 1]), tight=True)
            yield piece(node)

    def condition(self, condition: tree.Condition) -> Iterator[Piece]:
        match condition:
            case tree.Comparison():
                yield self._name(condition.name)
                yield Piece(condition.operator, self._after(condition.name))
                yield self._constant(condition.constant)
            case tree.Unequal():
                yield self._name(condition.name)
                yield Piece(condition.sign, self._after(condition.name))
                yield self._constant(condition.constant)
            case tree.In():
                yield from self._in(condition)
            case tree.Between():
                yield from self._predicate(condition, "BETWEEN")
                yield self._constant(condition.lower)
                yield Piece("AND", self._after(condition.lower))
                yield self._constant(condition.upper)
            case tree.Like():
                yield from self._predicate(condition, "LIKE")
                yield self._constant(condition.pattern)
            case tree.Not():
                yield Piece("NOT", condition.span.start)
                yield from self._operand(condition.operand, bare=(tree.Not,))
            case tree.And():
                yield from self._joined("AND", condition.operands)
            case tree.Or():
                yield from self._joined("OR", condition.operands)
            case _:
                assert_never(condition)

    def _predicate(self, node: tree.In | tree.Between | tree.Like, word: str) -> Iterator[Piece]:
        yield self._name(node.name)
        yield Piece(f"NOT {word}" if node.negated else word, self._after(node.name))

    def _in(self, node: tree.In) -> Iterator[Piece]:
        yield from self._predicate(node, "IN")
        yield from self._parenthesized(self._listed(node.constants, self._constant))

    def _joined(self, word: str, operands: tuple[tree.Condition, ...]) -> Iterator[Piece]:
        for index, operand in enumerate(operands):
            if index:
                yield Piece(word, self._after(operands[index - 1]))
            yield from self._operand(operand, bare=_BARE)

    def _operand(self, operand: tree.Condition, bare: tuple[type, ...]) -> Iterator[Piece]:
        """In parentheses unless its class is in `bare`: readers need not know the precedence."""
        if isinstance(operand, bare):
            yield from self.condition(operand)
        else:
            yield from self._parenthesized(self.condition(operand))

    def _parenthesized(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        first, *rest = pieces
        yield Piece("(")
        yield Piece(first.text, first.at, tight=True)
        yield from rest
        yield Piece(")", tight=True)

    def _name(self, name: tree.Name, tight: bool = False, ending: str | None = None) -> Piece:
        return Piece(spell_name(name.text, ending), name.span.start, tight)

    def _constant(self, constant: tree.Constant) -> Piece:
        return Piece(spell_constant(constant), constant.span.start)
