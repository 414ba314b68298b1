"""Mutants of the prover: modules of `acompass.prove` with one condition made constant, or one refusal removed."""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import acompass

FOLDER = Path(acompass.__file__).parent / "prove"

#: the modules with the laws and rules of docs/prove.md, sections 2 to 6
RULES = (
    "rules.laws",
    "rules.facts",
    "rules.backward_rules",
    "rules.write_rules",
    "rules.reachability",
    "search.prover",
)

#: functions of these modules that are not rules and have tests of their own: the clauses of a condition, the facts
#: that hold after a line, and the choice of a prover
HELPERS = frozenset(
    ("condition", "clauses", "_conjunction", "_disjunction", "_facts_left", "is_established", "for_columns")
)


@dataclass(frozen=True)
class Mutant:
    name: str  # the function and the change, without line numbers
    module: str  # within `acompass.prove`
    number: int

    @property
    def source(self) -> str:
        return _apply_change(_text(self.module), self.number)[0]


def module_path(module: str) -> Path:
    return FOLDER.joinpath(*module.split(".")).with_suffix(".py")


def mutants(module: str) -> Iterator[Mutant]:
    seen: Counter[str] = Counter()
    for number, change in enumerate(_apply_change(_text(module), None)[1]):
        if change.partition(":")[0] in HELPERS:
            continue
        name = f"{module.rpartition('.')[2]}.{change}"
        seen[name] += 1
        again = f" ({seen[name]})" if seen[name] > 1 else ""
        yield Mutant(name + again, module, number)


def _text(module: str) -> str:
    return module_path(module).read_text(encoding="utf-8")


def _apply_change(text: str, at: int | None) -> tuple[str, list[str]]:
    """The source with the change numbered `at`, and descriptions of all possible changes."""
    change = _Change(at)
    tree = ast.fix_missing_locations(change.visit(ast.parse(text)))
    return ast.unparse(tree), change.names


class _Change(ast.NodeTransformer):
    """Numbers all possible changes in the functions of a module, and makes one of them."""

    def __init__(self, at: int | None):
        self.names: list[str] = []
        self._at = at
        self._function: ast.FunctionDef | None = None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self._function = self._function, node
        changed = self.generic_visit(node)
        self._function = outer
        return changed

    def visit_If(self, node: ast.If) -> ast.AST:
        node.test = self._force(node.test)
        return self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self._force(node.test)
        return self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        node.values = [value if isinstance(value, ast.Tuple) else self._force(value) for value in node.values]
        return self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is not None and self._is_condition() and not isinstance(node.value, ast.Constant):
            node.value = self._force(node.value)
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """A refusal is a call that returns nothing and may raise Blocked."""
        call = node.value
        if isinstance(call, ast.Call) and _is_refusal(call) and self._is_chosen(f"without `{ast.unparse(call)}`"):
            return ast.Pass()
        return self.generic_visit(node)

    def _is_condition(self) -> bool:
        returned = self._function.returns if self._function is not None else None
        return isinstance(returned, ast.Name) and returned.id == "bool"

    def _force(self, condition: ast.expr) -> ast.expr:
        for constant in (True, False):
            if self._is_chosen(f"`{ast.unparse(condition)}` is {constant}"):
                return ast.Constant(constant)
        return condition

    def _is_chosen(self, change: str) -> bool:
        if self._function is None:
            return False
        self.names.append(f"{self._function.name}: {change}")
        return len(self.names) - 1 == self._at


def _is_refusal(call: ast.Call) -> bool:
    return "refuse" in ast.unparse(call.func)
