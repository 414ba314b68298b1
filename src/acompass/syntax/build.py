"""Grammar productions to tree nodes: one method for each production of `grammar.lark`."""

from dataclasses import replace
from decimal import Decimal
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


class TreeBuilder:
    """Lark calls the method with the production's name and passes its children, all tokens included."""

    def requirement(self, children: list[Any]) -> tree.Requirement:
        action = children[2] if len(children) == 4 else None
        return tree.Requirement(children[0], action, _across(children))

    def assertion(self, children: list[Any]) -> tree.Assertion:
        quantifier, result, _, condition = children
        return tree.Assertion(tree.Quantifier(quantifier.type), result, condition, _across(children))

    def everything(self, children: list[Any]) -> tree.Result:
        return tree.Result(_across(children))

    def filter(self, children: list[Any]) -> tree.Filter:
        return tree.Filter(children[1], _across(children))

    def process(self, children: list[Any]) -> tree.Process:
        _, aggregate, _, alias, *rest = children
        groups = rest.pop() if rest and isinstance(rest[-1], _Groups) else _Groups()
        where = rest[1] if rest else None
        end = groups.span if groups.names else (where or alias).span
        return tree.Process(aggregate, alias, where, groups.names, children[0].span.to(end))

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

    def reject(self, children: list[Any]) -> tree.Reject:
        return tree.Reject(_across(children))

    def replace(self, children: list[Any]) -> tree.Replace:
        return tree.Replace(children[1], children[3], _across(children))

    def random(self, children: list[Any]) -> tree.Random:
        _, name, lower, upper = children
        return tree.Random(name, lower, upper, _across(children))

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
