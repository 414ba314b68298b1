"""The core's conditions that IN, BETWEEN, LIKE and the signs for "unequal" stand for (X4)."""

from typing import TypeAlias

from acompass.syntax import tree
from acompass.syntax.tree import Operator

Beyond: TypeAlias = tree.Unequal | tree.In | tree.Between | tree.Like

_LAST = chr(0x10FFFF)
#: the code points that no text contains
_SURROGATES = range(0xD800, 0xE000)


def unequal(node: tree.Unequal) -> tree.Not:
    return tree.Not(_compare(node, Operator.EQ, node.constant), node.span)


def is_in(node: tree.In) -> tree.Condition:
    equal = tuple(_compare(node, Operator.EQ, constant) for constant in node.constants)
    return _maybe_not(node, equal[0] if len(equal) == 1 else tree.Or(equal, node.span))


def between(node: tree.Between) -> tree.Condition:
    ends = (_compare(node, Operator.GE, node.lower), _compare(node, Operator.LE, node.upper))
    return _maybe_not(node, tree.And(ends, node.span))


def like(node: tree.Like) -> tree.Condition:
    """Texts are ordered by code point (D9), so the texts with a prefix follow it without a gap."""
    first = node.pattern.value.removesuffix("%")
    beginning = _compare(node, Operator.GE, tree.String(first, node.pattern.span))
    end = _after(first)
    if end is None:
        return _maybe_not(node, beginning)
    before = _compare(node, Operator.LT, tree.String(end, node.pattern.span))
    return _maybe_not(node, tree.And((beginning, before), node.span))


def _after(prefix: str) -> str | None:
    """The least text above every text with the prefix; None if there is none."""
    kept = prefix.rstrip(_LAST)
    if not kept:
        return None
    following = ord(kept[-1]) + 1
    return kept[:-1] + chr(_SURROGATES.stop if following in _SURROGATES else following)


def _compare(node: Beyond, operator: Operator, constant: tree.Constant) -> tree.Comparison:
    return tree.Comparison(node.name, operator, constant, node.span)


def _maybe_not(node: tree.In | tree.Between | tree.Like, condition: tree.Condition) -> tree.Condition:
    return tree.Not(condition, node.span) if node.negated else condition
