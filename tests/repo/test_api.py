"""Every name of `acompass.__all__` and of the API page exists: classes capitalized, functions not."""

import inspect
import re
import subprocess
import sys

import pytest

import acompass
from tests.repo.sources import PACKAGE

PAGE = (PACKAGE.parents[1] / "docs/how-to/python-api.md").read_text(encoding="utf-8")
#: modules that the page imports from
MODULES = ("diagnostics", "syntax")
#: `acompass.name` anywhere on the page, and `name(…)` in the table of calls
ON_THE_PAGE = sorted(
    {name for name in re.findall(r"\bacompass\.([A-Za-z_]\w*)", PAGE) if name not in MODULES}
    | {name for row in re.findall(r"^\| (`.*?) \|", PAGE, re.M) for name in re.findall(r"`([a-z]\w*)\(", row)}
)


def _is_what_it_says(name: str) -> bool:
    value = getattr(acompass, name)
    if name.startswith("__"):
        return isinstance(value, str)
    return inspect.isclass(value) if name[0].isupper() else inspect.isfunction(value)


@pytest.mark.parametrize("name", acompass.__all__)
def test_a_name_of_the_package_exists(name: str) -> None:
    assert _is_what_it_says(name)
    assert name in dir(acompass)


@pytest.mark.parametrize("name", ON_THE_PAGE)
def test_a_name_of_the_page_exists(name: str) -> None:
    assert name in acompass.__all__
    assert _is_what_it_says(name)


def test_every_function_is_on_the_page() -> None:
    functions = {name for name in acompass.__all__ if inspect.isfunction(getattr(acompass, name))}
    assert functions <= set(ON_THE_PAGE)


def test_no_submodule_hides_the_function_of_its_name() -> None:
    names = [name for name in acompass.__all__ if (PACKAGE / name / "__init__.py").exists()]
    assert "lint" in names
    imports = "; ".join(f"import acompass.{name}" for name in names)
    code = f"{imports}; assert all(callable(getattr(acompass, name)) for name in {names})"
    subprocess.run([sys.executable, "-c", code], check=True)
