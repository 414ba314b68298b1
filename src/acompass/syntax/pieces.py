"""A requirement as the pieces of its canonical text, each with its place in the original text."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, assert_never

from acompass.diagnostics import Span
from acompass.syntax import tree
from acompass.syntax.spelling import spell_name, spell_number, spell_string


@dataclass(frozen=True, slots=True)
class Piece:
    """`at` is the piece's place in the original text; None if the formatter added the piece.

    A `tight` piece has no space before it. A piece that `opens` begins a line.
    """

    text: str
    at: int | None = None
    tight: bool = False
    opens: bool = False


class _Placed(Protocol):
    @property
    def span(self) -> Span: ...


class Pieces:
    """`token_starts` are the places of all tokens of the text, in order; empty for a tree without a text."""

    def __init__(self, token_starts: list[int]):
        self._starts = token_starts

    def requirement(self, requirement: tree.Requirement) -> Iterator[Piece]:
        assertion, action = requirement.assertion, requirement.action
        yield Piece(assertion.quantifier, assertion.span.start)
        yield from self._result(assertion.result)
        yield Piece(":", self._after(assertion.result), opens=True)
        yield from self.condition(assertion.condition)
        if action is not None:
            yield Piece(":", self._after(assertion.condition), opens=True)
            yield from self._action(action)
        yield Piece(";", tight=True)

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
        aggregate = process.aggregate
        yield Piece(f"{aggregate.function}(", aggregate.span.start)
        yield Piece("*", tight=True) if aggregate.column is None else self._name(aggregate.column, tight=True)
        yield Piece(")", tight=True)
        yield Piece("AS", self._after(aggregate))
        yield self._name(process.alias)
        last: _Placed = process.alias
        if process.where is not None:
            yield Piece("WHERE", self._after(last))
            yield from self.condition(process.where)
            last = process.where
        for index, name in enumerate(process.group_by):
            yield Piece(",", self._after(last), tight=True) if index else Piece("GROUP BY", self._after(last))
            yield self._name(name)
            last = name

    def _action(self, action: tree.Action) -> Iterator[Piece]:
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
                yield self._name(action.name)
                yield self._constant(action.lower)
                yield self._constant(action.upper)
            case _:
                assert_never(action)

    def condition(self, condition: tree.Condition) -> Iterator[Piece]:
        match condition:
            case tree.Comparison():
                yield self._name(condition.name)
                yield Piece(condition.operator, self._after(condition.name))
                yield self._constant(condition.constant)
            case tree.Not():
                yield Piece("NOT", condition.span.start)
                yield from self._operand(condition.operand, bare=(tree.Not,))
            case tree.And():
                yield from self._joined("AND", condition.operands)
            case tree.Or():
                yield from self._joined("OR", condition.operands)
            case _:
                assert_never(condition)

    def _joined(self, word: str, operands: tuple[tree.Condition, ...]) -> Iterator[Piece]:
        for index, operand in enumerate(operands):
            if index:
                yield Piece(word, self._after(operands[index - 1]))
            yield from self._operand(operand, bare=(tree.Not, tree.Comparison))

    def _operand(self, operand: tree.Condition, bare: tuple[type, ...]) -> Iterator[Piece]:
        """In parentheses unless its class is in `bare`: readers need not know the precedence."""
        if isinstance(operand, bare):
            yield from self.condition(operand)
            return
        yield Piece("(")
        first, *rest = self.condition(operand)
        yield Piece(first.text, first.at, tight=True)
        yield from rest
        yield Piece(")", tight=True)

    def _name(self, name: tree.Name, tight: bool = False) -> Piece:
        return Piece(spell_name(name.text), name.span.start, tight)

    def _constant(self, constant: tree.Constant) -> Piece:
        match constant:
            case tree.Number():
                text = spell_number(constant.value)
            case tree.String():
                text = spell_string(constant.value)
            case tree.Parameter():
                text = constant.name
            case _:
                assert_never(constant)
        return Piece(text, constant.span.start)
