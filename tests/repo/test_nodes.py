"""No stage silently ignores a node of the language (invariant 8).

Every `match` over nodes, kernels, maps or aggregates ends in `assert_never`, and only the modules listed here test for
one of them in another way. So a new one breaks every stage that does not handle it; `tests.repo.additions` shows which
these are."""

import ast
import copy
import pickle
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, field
from dataclasses import dataclass as std_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, get_args

import pytest

from acompass import dataclasses, parse
from acompass.language.program import program as checked
from acompass.language.program.aggregates import facts_about
from acompass.language.program.kernels import Kernel, Map
from acompass.language.program.types import Kind
from acompass.language.text import tree
from acompass.plan.stages import Stage
from tests.repo import additions
from tests.repo.sources import PACKAGE, module_name, modules, relative_name, syntax

TREE_UNIONS = (tree.Action, tree.Condition, tree.ResultForm)
PROGRAM_UNIONS = (checked.Effect, checked.Condition, checked.ResultForm, Kernel)
NODES: set[Any] = {node for union in (*TREE_UNIONS, *PROGRAM_UNIONS) for node in get_args(union)}
MAPS: set[Any] = {*get_args(tree.Map), *get_args(Map)}
#: a match over these must be exhaustive; a match over Kind may have a default, but must have a last case
CLOSED = NODES | MAPS | set(get_args(Stage)) | {tree.Quantifier, tree.Operator, tree.Function}
NAMES = {each.__name__ for each in (*CLOSED, Kind)}
DEFINING = {each.__module__ for each in (*CLOSED, Kind)}
_PROGRAM = PACKAGE / "language" / "program"
#: the only files that may test for the class of a node, and of a map
TESTING = {_PROGRAM / "effects.py", PACKAGE / "language" / "text" / "walk.py"}
TESTING_MAPS = {_PROGRAM / "label_maps.py", _PROGRAM / "bands.py", PACKAGE / "language" / "text" / "walk.py"}


class Source:
    """A module's syntax tree, and the nodes that its names refer to."""

    def __init__(self, path: Path):
        self.path = path
        self.syntax = syntax(path)
        self._names = dict(self._imported_nodes())
        own = module_name(path)
        if own in DEFINING:
            self._names.update(vars(import_module(own)))

    def _imported_nodes(self) -> Iterator[tuple[str, Any]]:
        for node in ast.walk(self.syntax):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("acompass"):
                for alias in node.names:
                    name = alias.asname or alias.name
                    if f"{node.module}.{alias.name}" in DEFINING:
                        yield name, import_module(f"{node.module}.{alias.name}")
                    elif alias.name in NAMES:
                        yield name, getattr(import_module(str(node.module)), alias.name)

    def meaning(self, expression: ast.expr) -> Any:
        match expression:
            case ast.Name(name):
                return self._names.get(name)
            case ast.Attribute(value, name):
                return getattr(self.meaning(value), name, None)
        return None

    def line(self, node: ast.expr | ast.stmt) -> str:
        return f"{relative_name(self.path)}:{node.lineno}"


@cache
def sources() -> list[Source]:
    return [Source(path) for path in modules()]


@pytest.fixture(scope="module", autouse=True)
def _read_sources() -> None:
    """Parse all modules before the first test, because that takes longer than any test here."""
    sources()


def _heads(source: Source, pattern: ast.pattern | None) -> Iterator[Any]:
    """The classes and enumerations that a pattern tests for."""
    match pattern:
        case ast.MatchClass(cls):
            yield source.meaning(cls)
        case ast.MatchValue(ast.Attribute(value)):
            yield source.meaning(value)
        case ast.MatchOr(patterns) | ast.MatchSequence(patterns):
            for each in patterns:
                yield from _heads(source, each)
        case ast.MatchAs(inner):
            yield from _heads(source, inner)


def _matches_over(nodes: set[Any]) -> Iterator[tuple[str, ast.match_case]]:
    """The line and the last case of every match over any of the nodes."""
    for source in sources():
        for statement in ast.walk(source.syntax):
            if isinstance(statement, ast.Match):
                heads = {head for case in statement.cases for head in _heads(source, case.pattern)}
                if heads & nodes:
                    yield source.line(statement), statement.cases[-1]


def _is_wildcard(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None


def _is_refusal(case: ast.match_case) -> bool:
    match case.body:
        case [ast.Expr(ast.Call(ast.Name("assert_never")))]:
            return _is_wildcard(case)
    return False


def test_every_match_over_nodes_ends_in_assert_never() -> None:
    places = dict(_matches_over(CLOSED))
    assert len(places) > 50, "the matches were not found"
    assert [place for place, last in places.items() if not _is_refusal(last)] == []


#: the number of modules with a match over these, which may only shrink: a new one has to be handled in all of them.
#: The three effects are closed: a new action is a new kernel
MODULES_WITH_MATCHES = {
    "actions": ({*get_args(tree.Action), *get_args(Kernel)}, 12),
    "effects": (set(get_args(checked.Effect)), 10),
    "aggregates": ({tree.Function}, 5),
    "maps": (MAPS, 8),
}


@pytest.mark.slow
@pytest.mark.parametrize(("addition", "kind"), [("action", "actions"), ("aggregate", "aggregates"), ("map", "maps")])
def test_mypy_reports_the_modules_that_a_new_one_touches(addition: str, kind: str) -> None:
    """All of them match over nodes, apart from the module with the questions that a kernel must answer."""
    touched = additions.touched_modules(additions.ADDITIONS[addition])
    matching = {place.partition(":")[0] for place, _ in _matches_over(MODULES_WITH_MATCHES[kind][0])}
    assert len(touched) >= 5, "mypy found too few"
    assert {f"src/acompass/{each}" for each in touched} - matching <= {"src/acompass/language/program/kernels.py"}


@pytest.mark.parametrize("what", MODULES_WITH_MATCHES)
def test_no_more_modules_match_over(what: str) -> None:
    nodes, most = MODULES_WITH_MATCHES[what]
    assert len({place.partition(":")[0] for place, _ in _matches_over(nodes)}) <= most


def test_every_match_over_kinds_has_a_last_case() -> None:
    places = dict(_matches_over({Kind}))
    assert places, "the matches were not found"
    assert [place for place, last in places.items() if not _is_wildcard(last)] == []


def _classes(expression: ast.expr) -> Iterator[ast.expr]:
    match expression:
        case ast.BinOp(left, ast.BitOr(), right):
            yield from _classes(left)
            yield from _classes(right)
        case ast.Tuple(elements):
            for each in elements:
                yield from _classes(each)
        case _:
            yield expression


def _tests_for(source: Source, node: ast.AST, nodes: set[Any]) -> bool:
    match node:
        case ast.Call(ast.Name("isinstance"), [_, classes]):
            return any(source.meaning(each) in nodes for each in _classes(classes))
        case ast.Compare(ast.Call(ast.Name("type")), comparators=compared):
            return any(source.meaning(each) in nodes for each in compared)
    return False


@pytest.mark.parametrize(("nodes", "allowed"), [(NODES, TESTING), (MAPS, TESTING_MAPS)], ids=["nodes", "maps"])
def test_only_a_few_files_test_for_the_class_of(nodes: set[Any], allowed: set[Path]) -> None:
    found = [
        source.line(node)
        for source in sources()
        if source.path not in allowed
        for node in ast.walk(source.syntax)
        if isinstance(node, ast.expr) and _tests_for(source, node, nodes)
    ]
    assert found == []


def _is_partial(source: Source, node: ast.AST) -> bool:
    """Whether an expression compares with an aggregate function, or lists some functions but not all."""
    match node:
        case ast.Compare(left, comparators=compared):
            return any(isinstance(source.meaning(each), tree.Function) for each in (left, *compared))
        case ast.Tuple(listed) | ast.List(listed) | ast.Set(listed):
            elements: list[ast.expr | None] = [*listed]
        case ast.Dict(keys):
            elements = keys
        case _:
            return False
    named = {source.meaning(each) for each in elements if each is not None} & set(tree.Function)
    return named not in (set(), set(tree.Function))


def test_no_module_tests_for_an_aggregate_function() -> None:
    """A stage asks `facts_about` the function or matches over all of them."""
    found = [
        source.line(node)
        for source in sources()
        if source.path != PACKAGE / "language" / "text" / "tree.py"
        for node in ast.walk(source.syntax)
        if isinstance(node, ast.expr) and _is_partial(source, node)
    ]
    assert found == []


def test_every_aggregate_function_has_facts() -> None:
    for function in tree.Function:
        facts_about(function)


class Color(Enum):
    RED = 1


def _define(decorator: Any) -> Any:
    @decorator(frozen=True, slots=True)
    class Node:
        name: str
        size: int = 3
        parts: list[int] = field(default_factory=list, compare=False)
        hidden: Color = field(default=Color.RED, repr=False)

        def __post_init__(self) -> None:
            if self.size < 0:
                raise ValueError("negative")

        @property
        def double(self) -> int:
            return 2 * self.size

    return Node


def test_a_dataclass_is_that_of_the_standard_library() -> None:
    """Ours compiles a method when it is first called, and behaves the same."""
    own, standard = (_define(each) for each in (dataclasses.dataclass, std_dataclass))
    for made in (own, standard):
        node = made("a", parts=[1])
        assert (node, hash(node)) == (made("a"), hash(made("a")))
        assert node not in (made("b"), own("a") if made is standard else standard("a"))
        assert (copy.deepcopy(node).parts, copy.copy(node), dataclasses.replace(node, size=4).double) == ([1], node, 8)
        assert made("a").parts is not made("a").parts
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'size'"):
            node.size = 5
        with pytest.raises(FrozenInstanceError, match="cannot delete field 'size'"):
            del node.size
        with pytest.raises(ValueError, match="negative"):
            made("a", -1)
        with pytest.raises(TypeError):
            made()
    same = [(repr(each("a")), str(signature(each)), each.__match_args__, each.__slots__) for each in (own, standard)]
    assert same[0] == same[1]


def test_every_node_can_be_pickled() -> None:
    policy = parse("EACH FILTER A IN (1, 2) : B = 'x' : REPLACE B WITH 'x';")
    assert pickle.loads(pickle.dumps(policy.tree)) == policy.tree


def test_the_package_has_one_dataclass() -> None:
    """Except in `semantics`, which shares nothing with the code that it judges."""
    files = [path for path in modules() if "semantics" not in path.parts and path.name != "dataclasses.py"]
    text = {relative_name(path): path.read_text(encoding="utf-8") for path in files}
    pattern = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)
    assert [name for name, source in text.items() if pattern.search(source)] == []
