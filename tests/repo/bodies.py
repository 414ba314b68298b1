"""Compare the code of two revisions, whichever modules it is in: `python -m tests.repo.bodies BEFORE AFTER [MOVES]`.

Compares every top-level function and class as a syntax tree in which each name of the package is replaced by its
definition; ignores imports. Then compares the shapes of those that differ, without names and text. After a merge that
only moved code, all are the same. MOVES is a CSV file with the changed names: `module,name,new_name`."""

import argparse
import ast
import csv
import io
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tests.repo.sources import ROOT, module_name

MOVES = ROOT / "docs" / "decisions" / "moves.csv"
#: the module and the name of a definition before the merge, and the name after it
Renames: TypeAlias = Mapping[tuple[str, str], str]


@dataclass
class Scope:
    """Names bound in a module, class or function. `imports` are those of our package: module and name."""

    is_function: bool
    parent: "Scope | None" = None
    bound: set[str] = field(default_factory=set)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)

    def binding(self, name: str) -> "Scope | None":
        """The scope that binds the name. Functions in a class do not see the names of the class."""
        scope: Scope | None = self
        while scope is not None:
            if (name in scope.bound or name in scope.imports) and (
                scope is self or scope.is_function or not scope.parent
            ):
                return scope
            scope = scope.parent
        return None


class Tree:
    """The modules of a revision, by name."""

    def __init__(self, revision: str):
        archive = subprocess.run(["git", "archive", revision, "src/acompass"], capture_output=True, check=True)
        self.modules: dict[str, ast.Module] = {}
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            for member in files:
                if member.name.endswith(".py"):
                    name = module_name(Path(member.name), Path("src"))
                    content = files.extractfile(member)
                    assert content is not None
                    self.modules[name] = ast.parse(content.read())
        self.scopes = {name: _bind_names(tree.body, Scope(is_function=False)) for name, tree in self.modules.items()}

    def definition(self, module: str, name: str) -> tuple[str, str] | None:
        """The module and name that an import resolves to, through re-exports; None for a module."""
        if f"{module}.{name}" in self.modules and name not in self.scopes[module].imports:
            return None
        scope = self.scopes.get(module)
        if scope is not None and name in scope.imports and name not in scope.bound:
            return self.definition(*scope.imports[name])
        return module, name


def _bind_names(body: list[ast.stmt], scope: Scope) -> Scope:
    """Add the names that the statements bind, except for those inside nested functions and classes."""
    for node in _own_nodes(body):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.partition(".")[0] == "acompass":
                scope.imports.update({each.asname or each.name: (module, each.name) for each in names})
            case ast.Import(names) | ast.ImportFrom(names=names):
                scope.bound.update((each.asname or each.name).partition(".")[0] for each in names)
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                scope.bound.add(name)
            case ast.Name(name, ast.Store() | ast.Del()):
                scope.bound.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(str(name)) | ast.ExceptHandler(name=str(name)):
                scope.bound.add(name)
            case ast.MatchMapping(rest=str(name)):
                scope.bound.add(name)
    return scope


def _own_nodes(nodes: list[ast.stmt] | list[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield from _own_nodes(list(ast.iter_child_nodes(node)))


class _Unquoted(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return ast.parse(node.value, mode="eval").body if isinstance(node.value, str) else node


class _Normalized(ast.NodeTransformer):
    """Replaces each name of the package by the name of its definition."""

    def __init__(self, tree: Tree, module: str, renames: Renames):
        self._tree, self._module, self._renames = tree, module, renames
        self._scope = tree.scopes[module]

    def _final(self, module: str, name: str) -> str:
        found = self._tree.definition(module, name)
        return name if found is None else self._renames.get(found, found[1])

    def visit_Name(self, node: ast.Name) -> ast.expr:
        scope = self._scope.binding(node.id)
        if scope is not None and node.id in scope.imports and node.id not in scope.bound:
            return ast.Name(self._final(*scope.imports[node.id]), node.ctx)
        if scope is self._tree.scopes[self._module]:
            return ast.Name(self._final(self._module, node.id), node.ctx)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name):
            scope = self._scope.binding(node.value.id)
            if scope is not None and node.value.id in scope.imports:
                module, name = scope.imports[node.value.id]
                if self._tree.definition(module, name) is None:
                    return ast.Name(self._final(f"{module}.{name}", node.attr), node.ctx)
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | None:
        return None if str(node.module).partition(".")[0] == "acompass" else node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = self._annotation(node.annotation)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        annotation = self._annotation(node.annotation)
        assert annotation is not None
        node.annotation = annotation
        return self.generic_visit(node)

    def _annotation(self, node: ast.expr | None) -> ast.expr | None:
        """An annotation that is quoted, even in part, is compared as the type that it names."""
        return None if node is None else self.visit(_Unquoted().visit(node))

    def _inside(self, node: ast.AST, scope: Scope) -> ast.AST:
        outer, self._scope = self._scope, scope
        result = self.generic_visit(node)
        self._scope = outer
        return result

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        scope = _bind_names(node.body, Scope(is_function=True, parent=self._scope))
        scope.bound |= {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
        if self._scope is self._tree.scopes[self._module]:
            node.name = self._renames.get((self._module, node.name), node.name)
        node.returns = self._annotation(node.returns)
        return self._inside(node, scope)

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment] # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        scope = _bind_names(node.body, Scope(is_function=False, parent=self._scope))
        if self._scope is self._tree.scopes[self._module]:
            node.name = self._renames.get((self._module, node.name), node.name)
        return self._inside(node, scope)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        scope = Scope(is_function=True, parent=self._scope)
        scope.bound |= {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
        return self._inside(node, scope)


class _Shape(ast.NodeTransformer):
    """Removes names, docstrings and other text, so that only the structure of the code is left."""

    def visit(self, node: ast.AST) -> ast.AST:
        node = self.generic_visit(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            return ast.Constant("")
        if isinstance(node, ast.MatchClass):
            node.kwd_attrs = [""] * len(node.kwd_attrs)
        for field_name in ("id", "name", "arg", "attr"):
            if isinstance(getattr(node, field_name, None), str):
                setattr(node, field_name, "")
        return node


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


class Definition(NamedTuple):
    name: str
    body: str
    shape: str


def definitions(tree: Tree, renames: Renames) -> Iterator[Definition]:
    """The top-level functions and classes of all modules, with their dumped syntax trees."""
    for name, module in tree.modules.items():
        normalized = _Normalized(tree, name, renames)
        for node in module.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                called = f"{name}.{node.name}"
                body = ast.dump(normalized.visit(node))
                yield Definition(called, body, ast.dump(_Shape().visit(node)))


def _remove_common(
    before: list[Definition], after: list[Definition], key: Callable[[Definition], str]
) -> tuple[list[Definition], list[Definition]]:
    """Both lists without the definitions that have the same key in the other one, equally often."""
    common = Counter(map(key, before)) & Counter(map(key, after))
    return _without(before, common, key), _without(after, common, key)


def _without(definitions: list[Definition], common: Counter[str], key: Callable[[Definition], str]) -> list[Definition]:
    left = Counter(common)
    found = []
    for each in definitions:
        if left[key(each)]:
            left[key(each)] -= 1
        else:
            found.append(each)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("moves", nargs="?", type=Path, default=MOVES)
    parser.add_argument("--list", action="store_true", help="also list the definitions that have no counterpart")
    options = parser.parse_args()
    with options.moves.open(encoding="utf-8", newline="") as file:
        renames = {(row["module"], row["name"]): row["new_name"] for row in csv.DictReader(file) if row["new_name"]}
    before, after = list(definitions(Tree(options.before), renames)), list(definitions(Tree(options.after), {}))
    total = len(before)
    before, after = _remove_common(before, after, lambda each: each.body)
    same, reworded = total - len(before), len(before)
    before, after = _remove_common(before, after, lambda each: each.shape)
    print(f"{total:,} functions and classes in {options.before}")
    print(f"{same:,} are the same in {options.after}, {reworded - len(before):,} except for names and text")
    print(f"{len(before):,} have no counterpart in {options.after}, where {len(after):,} are new")
    if options.list:
        print("\n".join(sorted([*(f"- {each.name}" for each in before), *(f"+ {each.name}" for each in after)])))
    return 1 if before or after else 0


if __name__ == "__main__":
    sys.exit(main())
