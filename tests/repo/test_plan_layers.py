"""The layers of `plan/`: plans do not import SQL, and the lowering to SQL imports neither rewrites nor sessions."""

from pathlib import Path

import pytest

from tests.repo.sources import PACKAGE, imports, relative_name

PLAN = PACKAGE / "plan"
REWRITES = ("acompass.plan.class_rewrites", "acompass.plan.record_rewrites", "acompass.plan.planner")
#: files of a layer, and the modules that they may not import
LAYERS = {
    "the plan": ([*PLAN.glob("*.py")], ("acompass.plan.lowering", "acompass.plan.run", "sqlglot")),
    "lowering": ([*(PLAN / "lowering").rglob("*.py")], ("acompass.plan.run", *REWRITES)),
}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_no_layer_above_it(layer: str) -> None:
    paths, forbidden = LAYERS[layer]
    assert paths, "the layer has no files"
    assert [found for path in paths for found in _forbidden_imports(path, forbidden)] == []


def test_the_modules_exist() -> None:
    modules = {name for _, forbidden in LAYERS.values() for name in forbidden if name != "sqlglot"}
    paths = [PLAN.parent.parent / name.replace(".", "/") for name in modules]
    assert [path for path in paths if not path.is_dir() and not path.with_suffix(".py").is_file()] == []


def _forbidden_imports(path: Path, modules: tuple[str, ...]) -> list[str]:
    return [f"{relative_name(path)} imports {name}" for name in imports(path) if name.startswith(modules)]
