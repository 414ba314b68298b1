"""The layers of `plan/`: a plan knows nothing about SQL, and the lowering to SQL nothing about sessions."""

from pathlib import Path

import pytest

from tests.repo.sources import PACKAGE, imports, shown

PLAN = PACKAGE / "plan"
#: files of a layer, and the modules that they may not import
LAYERS = {
    "the plan": (
        [*PLAN.glob("*.py"), *(PLAN / "rewrites").glob("*.py")],
        ("acompass.plan.lowering", "acompass.plan.running", "sqlglot"),
    ),
    "lowering": ([*(PLAN / "lowering").rglob("*.py")], ("acompass.plan.running", "acompass.plan.rewrites")),
}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_no_layer_above_it(layer: str) -> None:
    paths, forbidden = LAYERS[layer]
    assert paths, "the layer has no files"
    assert [found for path in paths for found in _forbidden(path, forbidden)] == []


def _forbidden(path: Path, modules: tuple[str, ...]) -> list[str]:
    return [f"{shown(path)} imports {name}" for name in imports(path) if name.startswith(modules)]
