"""Grammar productions to tree nodes: one method for each production of `grammar.lark`."""

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from sys import intern
from typing import Any

from acompass.diagnostics import Span
from acompass.syntax import tree
from acompass.syntax.spelling import unquote
from acompass.syntax.tokens import Token

_OPERATORS = {"≤": tree.Operator.LE, "≥": tree.Operator.GE, **{str(o): o for o in tree.Operator}}
_FUNCTIONS = {
    "SUM": tree.Function.SUM,
    "MIN": tree.Function.MIN,
    "MAX": tree.Function.MAX,
    "COUNT": tree.Function.COUNT,
    "COUNT_DISTINCT": tree.Function.COUNT_DISTINCT,
}


def _across(children: list[Any]) -> Span:
    first, last = children[0], children[-1]
    start = first.start if type(first) is Token else first.span.start
    return Span(start, last.end if type(last) is Token else last.span.end)


def _is_negated(children: list[Any]) -> bool:
    """Whether NOT follows the name of a predicate."""
    return type(children[1]) is Token and children[1].type == "NEGATING"


def _number_after(kind: str, children: list[Any]) -> tree.Number | None:
    """The number after a keyword of that kind."""
    for word, number in pairwise(children):
        if type(word) is Token and word.type == kind:
            found: tree.Number = number
            return found
    return None


class TreeBuilder:
    """Lark calls the method with the production's name and passes its children, all tokens included."""

    def requirement(self, children: list[Any]) -> tree.Requirement:
        action = children[2] if len(children) == 4 else None
        return tree.Requirement(children[0], action, _across(children))

    def assertion(self, children: list[Any]) -> tree.Assertion:
        quantifier, result, _, condition = children
        return tree.Assertion(tree.Quantifier(quantifier.type), result, condition, _across(children))

    def always(self, children: list[Any]) -> tree.Always:
        return tree.Always(_across(children))

    def everything(self, children: list[Any]) -> tree.Result:
        return tree.Result(_across(children))

    def filter(self, children: list[Any]) -> tree.Filter:
        return tree.Filter(children[1], _across(children))

    def process(self, children: list[Any]) -> tree.Process:
        first, *others = [child for child in children if isinstance(child, tree.NamedAggregate)]
        rest = children[2 + 2 * len(others) :]
        groups = rest.pop() if rest and isinstance(rest[-1], _Groups) else _Groups()
        where = rest[1] if rest else None
        last = [first, *others][-1]
        end = groups.span if groups.names else (where or last.alias).span
        span = children[0].span.to(end)
        return tree.Process(first.aggregate, first.alias, where, groups.names, tuple(others), span)

    def named(self, children: list[Any]) -> tree.NamedAggregate:
        aggregate, _, alias = children
        return tree.NamedAggregate(aggregate, alias)

    def group_by(self, children: list[Any]) -> "_Groups":
        return _Groups(tuple(children[1::2]))

    def aggregate(self, children: list[Any]) -> tree.Aggregate:
        column = next((child for child in children if isinstance(child, tree.Name)), None)
        return tree.Aggregate(_FUNCTIONS[children[0].type], column, _across(children))

    def condition(self, children: list[Any]) -> tree.Or:
        return tree.Or(tuple(children[::2]), _across(children))

    def product(self, children: list[Any]) -> tree.And:
        return tree.And(tuple(children[::2]), _across(children))

    def negation(self, children: list[Any]) -> tree.Not:
        return tree.Not(children[1], _across(children))

    def parenthesized(self, children: list[Any]) -> Any:
        return replace(children[1], span=_across(children))

    def comparison(self, children: list[Any]) -> tree.Comparison:
        name, operator, constant = children
        return tree.Comparison(name, _OPERATORS[operator.text], constant, _across(children))

    def unequal(self, children: list[Any]) -> tree.Unequal:
        name, sign, constant = children
        return tree.Unequal(name, tree.Inequality(sign.text), constant, _across(children))

    def is_in(self, children: list[Any]) -> tree.In:
        negated = _is_negated(children)
        return tree.In(children[0], tuple(children[3 + negated : -1 : 2]), negated, _across(children))

    def between(self, children: list[Any]) -> tree.Between:
        *_, lower, _, upper = children
        return tree.Between(children[0], lower, upper, _is_negated(children), _across(children))

    def like(self, children: list[Any]) -> tree.Like:
        return tree.Like(children[0], children[-1], _is_negated(children), _across(children))

    def then(self, children: list[Any]) -> tree.Then:
        return tree.Then(tuple(children[::2]), _across(children))

    def reject(self, children: list[Any]) -> tree.Reject:
        return tree.Reject(_across(children))

    def replace(self, children: list[Any]) -> tree.Replace:
        return tree.Replace(children[1], children[3], _across(children))

    def random(self, children: list[Any]) -> tree.Random:
        _, name, lower, upper = children
        return tree.Random(name, lower, upper, _across(children))

    def draw(self, children: list[Any]) -> tree.Draw:
        return tree.Draw(children[1], tuple(children[4:-1:2]), _across(children))

    def ball(self, children: list[Any]) -> tree.Ball:
        weight = children[0] if len(children) > 1 else None
        return tree.Ball(children[-1], weight, _across(children))

    def sometimes(self, children: list[Any]) -> tree.Sometimes:
        return tree.Sometimes(children[2], children[3], _across(children))

    def generalize(self, children: list[Any]) -> tree.Generalize:
        return tree.Generalize(children[1], children[3], _across(children))

    def drop(self, children: list[Any]) -> tree.Drop:
        return tree.Drop(tuple(children[1::2]), _across(children))

    def bands_of(self, children: list[Any]) -> tree.BandsOf:
        start, end = _number_after("FROM", children), _number_after("TO", children)
        return tree.BandsOf(children[2], start, end, _across(children))

    def bands_at(self, children: list[Any]) -> tree.BandsAt:
        return tree.BandsAt(tuple(children[2::2]), _across(children))

    def prefix_of(self, children: list[Any]) -> tree.PrefixOf:
        return tree.PrefixOf(children[2], _across(children))

    def date_part(self, children: list[Any]) -> tree.DatePart:
        return tree.DatePart(tree.DateUnit(children[0].type), _across(children))

    def level_of(self, children: list[Any]) -> tree.LevelOf:
        _, level, _, file, *otherwise = children
        return tree.LevelOf(level, file, otherwise[1] if otherwise else None, _across(children))

    def name(self, children: list[Any]) -> tree.Name:
        first = children[0]
        if first.type == "QUOTED":
            return tree.Name(unquote(first.text), first.span)
        text = first.text if len(children) == 1 else " ".join([word.text for word in children])
        return tree.Name(intern(text), _across(children))

    def number(self, children: list[Token]) -> tree.Number:
        return tree.Number(Decimal(children[0].text), children[0].span)

    def string(self, children: list[Token]) -> tree.String:
        return tree.String(unquote(children[0].text), children[0].span)

    def parameter(self, children: list[Token]) -> tree.Parameter:
        return tree.Parameter(children[0].text, children[0].span)


class _Groups:
    def __init__(self, names: tuple[tree.Name, ...] = ()):
        self.names = names

    @property
    def span(self) -> Span:
        return _across(list(self.names))
