"""Each layer imports only earlier layers (ARCHITECTURE.md), and each library is imported only by its own files."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo.sources import PACKAGE, imports, modules, relative_name

#: each layer imports only layers to its left
LAYERS = [
    *("version", "dataclasses", "errors", "language", "arguments", "option_groups", "options", "policy", "semantics"),
    *("prove", "reason", "tables", "plan"),
    *("engines", "result", "roles", "run", "measure", "explain", "author", "report"),
    *("base_session", "session", "api", "rules", "dbt", "assist", "testing", "cli", "__main__", "__init__"),
]
#: files with functions that import from one later layer: an answer renders itself with `report`, an argument of the
#: API may be a policy, and a policy may come with a table (X14)
UPWARD = {
    "arguments.py": "policy",
    "errors/display.py": "report",
    "language/program/references.py": "tables",
    "options.py": "policy",
}

#: a library, and the files that may import it
HOMES = {
    "IPython": ("assist/notebook.py",),
    "anyio": ("assist/studio/",),
    "click": ("cli/",),
    "duckdb": ("engines/duckdb", "measure/", "tables/references.py"),
    "ibis": ("tables/arrow.py",),
    "lsprotocol": ("assist/lsp/",),
    "narwhals": ("tables/",),
    "numpy": ("author/suggest/",),
    "pandas": ("tables/",),
    "polars": ("tables/",),
    "psycopg": ("engines/postgres",),
    "py4j": ("engines/spark",),
    "pyarrow": ("tables/", "engines/"),
    "pygls": ("assist/lsp/",),
    "pyspark": ("engines/spark",),
    "python_calamine": ("tables/input.py",),
    "rich": ("cli/",),
    "starlette": ("assist/studio/",),
    "tempfile": ("tables/temporary_files.py",),
    "tomlkit": ("assist/studio/",),
    "uvicorn": ("assist/studio/",),
    "yaml": ("author/dbt/",),
    "sqlglot": ("testing/conformance/", "engines/", "measure/", "plan/"),
}

ENGINES = {
    "duckdb",
    "ibis",
    "narwhals",
    "numpy",
    "pandas",
    "polars",
    "psycopg",
    "pyarrow",
    "pyspark",
    "sqlglot",
}


def _later_layers(path: Path) -> set[str]:
    """The later layers that a file imports."""
    own = path.relative_to(PACKAGE)
    imported = {name.split(".")[1] for name in imports(path) if name.startswith("acompass.")}
    return {layer for layer in imported if LAYERS.index(layer) > LAYERS.index(own.with_suffix("").parts[0])}


def test_a_layer_imports_only_earlier_layers() -> None:
    found = {path.relative_to(PACKAGE).as_posix(): _later_layers(path) for path in modules()}
    assert {name: layers for name, layers in found.items() if layers} == {
        name: {layer} for name, layer in UPWARD.items()
    }


def test_semantics_imports_only_the_language() -> None:
    found = {
        name for path in (PACKAGE / "semantics").rglob("*.py") for name in imports(path) if name.startswith("acompass.")
    }
    assert {name.split(".")[1] for name in found} <= {"language", "semantics"}


def test_proofs_do_not_depend_on_refutation() -> None:
    """Only the module that searches for counterexamples imports `prove/refute`."""
    importing = {
        relative_name(path)
        for path in (PACKAGE / "prove").rglob("*.py")
        if (PACKAGE / "prove" / "refute") not in path.parents
        and any(name.startswith("acompass.prove.refute") for name in imports(path))
    }
    assert importing == {"src/acompass/prove/search/verdicts.py"}


def test_renderers_import_answers_only() -> None:
    """Of `prove` and `reason`, except for the pages and the files with them, which compute more than they render."""
    making = set((PACKAGE / "report" / "page").rglob("*.py"))
    renderers = set((PACKAGE / "report").rglob("*.py")) - making
    imported = {name for path in renderers for name in imports(path)}
    asked = {name for name in imported if name.startswith(("acompass.prove", "acompass.reason"))}
    assert asked == {
        "acompass.prove.proof",
        "acompass.reason.compare.answer",
        "acompass.reason.lint",
        "acompass.reason.privacy.answer",
    }


def test_each_library_is_imported_only_in_its_own_files() -> None:
    strays = [
        f"{relative_name(path)} imports {name}"
        for path in modules()
        for name in imports(path)
        if (library := name.split(".")[0]) in HOMES
        and not path.relative_to(PACKAGE).as_posix().startswith(HOMES[library])
    ]
    assert strays == []


def test_every_other_import_is_of_the_standard_library() -> None:
    known = sys.stdlib_module_names | set(HOMES) | {"acompass"}
    found = {name.split(".")[0] for path in modules() for name in imports(path)}
    assert found - known == set()


WITHOUT_TABLE = {
    "import acompass": "import acompass",
    "--version": "import sys; sys.argv = ['acompass', '--version']; from acompass.cli import main; main()",
    "--help": "import sys; sys.argv = ['acompass', '--help']; from acompass.cli import main; main()",
    "fmt": "import sys; sys.argv = ['acompass', 'fmt', '-']; from acompass.cli import main; main()",
    "a policy that does not parse": (
        "import sys; sys.argv = ['acompass', 'check', '-', 'none.csv']; from acompass.cli import main; main()"
    ),
}


@pytest.mark.parametrize("what", sorted(WITHOUT_TABLE))
def test_commands_without_a_table_import_no_engine(what: str) -> None:
    report = "import atexit, sys; atexit.register(lambda: print('MODULES', *sys.modules));"
    policy = "EACH RESULT : Age >= 18;" if what == "fmt" else "EACH;"
    ran = subprocess.run(
        [sys.executable, "-c", report + WITHOUT_TABLE[what]], input=policy, capture_output=True, text=True
    )
    loaded = set(ran.stdout.partition("MODULES")[2].split())
    assert "acompass" in loaded, ran.stderr
    assert loaded & ENGINES == set()


@pytest.mark.slow
def test_a_folder_never_hides_the_function_of_its_name() -> None:
    """Imports the package anew for each name, but its libraries only once."""
    code = """
import sys
for name in sys.argv[1:]:
    for module in [module for module in sys.modules if module.partition(".")[0] == "acompass"]:
        del sys.modules[module]
    __import__(f"acompass.{name}")
    assert callable(getattr(sys.modules["acompass"], name)), name
"""
    names = ("explain", "measure", "plan", "prove", "run")
    subprocess.run([sys.executable, "-c", code, *names], check=True)


PLAN = PACKAGE / "plan"
REWRITES = ("acompass.plan.planner",)
#: files of a layer of `plan/`, and the modules that they may not import: plans do not import SQL, and the lowering to
#: SQL imports neither rewrites nor sessions
PLAN_LAYERS = {
    "the plan": ([*PLAN.glob("*.py")], ("acompass.plan.lowering", "acompass.plan.run", "sqlglot")),
    "lowering": ([*(PLAN / "lowering").rglob("*.py")], ("acompass.plan.run", *REWRITES)),
}


@pytest.mark.parametrize("layer", PLAN_LAYERS)
def test_a_layer_of_the_plan_imports_no_layer_above_it(layer: str) -> None:
    paths, forbidden = PLAN_LAYERS[layer]
    assert paths, "the layer has no files"
    found = [f"{relative_name(path)} imports {name}" for path in paths for name in imports(path)]
    assert [each for each in found if each.partition(" imports ")[2].startswith(forbidden)] == []


def test_the_modules_of_the_plan_exist() -> None:
    modules = {name for _, forbidden in PLAN_LAYERS.values() for name in forbidden if name != "sqlglot"}
    paths = [PLAN.parent.parent / name.replace(".", "/") for name in modules]
    assert [path for path in paths if not path.is_dir() and not path.with_suffix(".py").is_file()] == []
