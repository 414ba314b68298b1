"""List the modules that a new action, aggregate or map touches: `python -m tests.repo.additions`.

Each addition is made in a copy of the package, with nothing but the new node. mypy then reports every module that does
not handle it, because each match over nodes ends in `assert_never`."""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.repo.sources import ROOT

_TREE = "language/text/tree.py"
_KERNELS = "language/program/kernels.py"
_MAPS = "language/program/label_maps.py"


def _copy_class(text: str, name: str, new: str) -> str:
    """Define a class `new` before class `name`, with the same body."""
    found = re.search(rf"^@dataclass\([^)]*\)\nclass {name}\b.*?(?=^\S)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, name
    return text.replace(found[0], f"{found[0].replace(f'class {name}', f'class {new}')}{found[0]}")


def _add_to_union(text: str, union: str, new: str) -> str:
    return re.sub(rf"^({union}: TypeAlias = .*)$", rf"\1 | {new}", text, count=1, flags=re.MULTILINE)


def _edit(package: Path, file: str, change: Callable[[str], str]) -> None:
    path = package / file
    before = path.read_text(encoding="utf-8")
    after = change(before)
    assert after != before, f"{file} is as before"
    path.write_text(after, encoding="utf-8")


def add_action(package: Path) -> None:
    """A new node of the tree, and a kernel for it."""
    _edit(package, _TREE, lambda text: _add_to_union(_copy_class(text, "Replace", "Dummy"), "Plain", "Dummy"))
    _edit(package, _KERNELS, lambda text: _add_to_union(_copy_class(text, "Constant", "Dummy"), "Kernel", "Dummy"))


def add_map(package: Path) -> None:
    """A new map of the tree, and one of the program."""
    _edit(package, _TREE, lambda text: _add_to_union(_copy_class(text, "PrefixOf", "Dummy"), "Map", "Dummy"))
    _edit(package, _MAPS, lambda text: _copy_class(text, "Prefix", "Dummy"))
    _edit(
        package,
        _KERNELS,
        lambda text: _add_to_union(text.replace("import Dates,", "import Dates, Dummy,"), "Map", "Dummy"),
    )


def add_aggregate(package: Path) -> None:
    _edit(package, _TREE, lambda text: re.sub(r"^( +)MAX = .*$", r'\g<0>\n\1DUMMY = "DUMMY"', text, flags=re.MULTILINE))


ADDITIONS = {"action": add_action, "aggregate": add_aggregate, "map": add_map}


def touched_modules(add: Callable[[Path], None], root: Path = ROOT) -> list[str]:
    """The modules in which mypy reports an error after the addition."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(root / "src", source, ignore=shutil.ignore_patterns("__pycache__", "static"))
        shutil.copy(root / "pyproject.toml", folder)
        cache = root / ".mypy_cache"
        if cache.exists():
            shutil.copytree(cache, Path(folder) / ".mypy_cache")
        add(source / "acompass")
        command = [sys.executable, "-m", "mypy", "src"]
        checked = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert checked.returncode in (0, 1), checked.stderr
        return sorted(set(re.findall(r"^src/acompass/(\S+?):[0-9]+: error", checked.stdout, re.MULTILINE)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    for name, add in ADDITIONS.items():
        modules = touched_modules(add)
        print(f"{name}: {len(modules)} modules")
        print("".join(f"  {module}\n" for module in modules))


if __name__ == "__main__":
    main()
