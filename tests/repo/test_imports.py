"""Data flows one way (ARCHITECTURE.md): what each folder may import, and which files may import a library."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo.sources import PACKAGE, imports, modules, shown

#: a folder of the package, and the parts of the package that it may import besides itself
ARROWS = {
    "diagnostics": set(),
    "syntax": {"diagnostics"},
    "hierarchies": {"diagnostics"},
    "checked": {"diagnostics", "hierarchies", "syntax"},
    "semantics": {"checked"},
    "prove": {"checked", "diagnostics", "displayed", "semantics", "syntax"},
    "privacy": {"checked", "diagnostics", "prove", "semantics", "syntax"},
    "lint": {"checked", "diagnostics", "prove", "syntax"},
    "compare": {"checked", "diagnostics", "displayed", "policy", "privacy", "prove", "semantics", "syntax"},
    "certify": {"checked", "diagnostics", "policy", "prove", "syntax", "tables"},
    "plan": {"checked", "result"},
    "tables": {"atomic", "checked", "diagnostics", "leftovers"},
    "engines": {
        "checked",
        "diagnostics",
        "leftovers",
        "options",
        "plan",
        "randomness",
        "result",
        "semantics",
        "syntax",
        "tables",
    },
    "conformance": {"checked", "diagnostics", "engines", "plan", "result", "semantics", "syntax"},
    "measure": {
        "checked",
        "diagnostics",
        "engines",
        "hierarchies",
        "measures",
        "options",
        "plan",
        "propose",
        "syntax",
        "tables",
    },
    "propose": {"checked", "diagnostics", "hierarchies", "options", "syntax", "tables"},
    "suggest": {
        "checked",
        "diagnostics",
        "engines",
        "measure",
        "options",
        "pipeline",
        "plan",
        "policy",
        "propose",
        "suggestion",
        "syntax",
        "tables",
    },
    "pram": {
        "checked",
        "diagnostics",
        "engines",
        "measure",
        "options",
        "perturbation",
        "plan",
        "policy",
        "syntax",
        "tables",
    },
    "estimate": {
        "checked",
        "diagnostics",
        "engines",
        "estimates",
        "options",
        "pipeline",
        "policy",
        "pram",
        "prove",
        "semantics",
    },
    "assist": {
        "arguments",
        "calls",
        "checked",
        "diagnostics",
        "lint",
        "measures",
        "opened",
        "policy",
        "project",
        "prove",
        "result",
        "session",
        "syntax",
    },
    "core": {
        "checked",
        "diagnostics",
        "engines",
        "options",
        "pipeline",
        "plan",
        "policy",
        "prove",
        "syntax",
    },
    "dbt": {
        "checked",
        "dbt_files",
        "diagnostics",
        "pipeline",
        "plan",
        "policy",
        "prove",
        "report",
        "result",
        "session",
        "syntax",
        "tables",
    },
    "explain": {
        "arguments",
        "checked",
        "diagnostics",
        "engines",
        "explanation",
        "options",
        "pipeline",
        "plan",
        "policy",
        "prove",
        "report",
        "result",
        "semantics",
        "session",
        "syntax",
    },
    "report": {
        "checked",
        "compare",
        "diagnostics",
        "displayed",
        "estimates",
        "explanation",
        "health",
        "measures",
        "privacy",
        "prove",
        "result",
        "suggestion",
        "syntax",
        "version",
    },
    "pages": {
        "checked",
        "diagnostics",
        "measure",
        "measures",
        "options",
        "policy",
        "prove",
        "report",
        "result",
        "syntax",
        "tables",
        "version",
    },
    "studio": {
        "assist",
        "atomic",
        "checked",
        "diagnostics",
        "engines",
        "explanation",
        "leftovers",
        "measure",
        "measures",
        "options",
        "pages",
        "policy",
        "project",
        "propose",
        "prove",
        "report",
        "result",
        "session",
        "suggestion",
        "syntax",
        "tables",
        "version",
    },
    "lsp": {
        "arguments",
        "assist",
        "diagnostics",
        "engines",
        "explain",
        "measures",
        "policy",
        "project",
        "prove",
        "report",
        "result",
        "session",
        "syntax",
        "tables",
        "toml_places",
        "version",
    },
    "doctor": {
        "api",
        "checked",
        "conformance",
        "diagnostics",
        "engines",
        "health",
        "leftovers",
        "studio",
        "version",
    },
    "cli": {
        "api",
        "arguments",
        "atomic",
        "checked",
        "compare",
        "conformance",
        "core",
        "dbt_files",
        "diagnostics",
        "doctor",
        "explain",
        "findings",
        "hierarchies",
        "leftovers",
        "lint",
        "lsp",
        "measure",
        "measures",
        "options",
        "pages",
        "perturbation",
        "policy",
        "privacy",
        "project",
        "propose",
        "reasoning",
        "report",
        "result",
        "studio",
        "suggestion",
        "syntax",
        "tables",
        "version",
    },
}

#: a library, and the files that may import it
HOMES = {
    "IPython": ("notebook.py",),
    "anyio": ("studio/",),
    "click": ("cli/",),
    "duckdb": ("engines/duckdb", "measure/"),
    "ibis": ("tables/to_frame.py",),
    "lark": ("syntax/",),
    "lsprotocol": ("lsp/",),
    "narwhals": ("tables/",),
    "numpy": ("suggest/",),
    "pandas": ("tables/",),
    "polars": ("tables/",),
    "psycopg": ("engines/postgres",),
    "py4j": ("engines/spark",),
    "pyarrow": ("tables/", "engines/"),
    "pygls": ("lsp/",),
    "pyspark": ("engines/spark",),
    "python_calamine": ("tables/workbooks.py",),
    "rich": ("cli/",),
    "starlette": ("studio/",),
    "tempfile": ("leftovers.py",),
    "uvicorn": ("studio/",),
    "yaml": ("dbt/",),
    "sqlglot": ("conformance/", "engines/", "measure/", "plan/"),
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


def _parts(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(path) if name.startswith("acompass.")}


@pytest.mark.parametrize("folder", sorted(ARROWS))
def test_a_folder_imports_only_earlier_folders(folder: str) -> None:
    """A subfolder may have its own rule."""
    allowed = ARROWS[folder] | {folder.split("/")[0]}
    own = [PACKAGE / other for other in ARROWS if other.startswith(f"{folder}/")]
    paths = [path for path in (PACKAGE / folder).rglob("*.py") if not set(own) & set(path.parents)]
    found = {shown(path): _parts(path) - allowed for path in paths}
    assert {name: parts for name, parts in found.items() if parts} == {}


def test_renderers_import_data_only() -> None:
    """From `prove` and `privacy`, they import the answers; other folders have modules for their data."""
    imported = {name for path in (PACKAGE / "report").rglob("*.py") for name in imports(path)}
    assert {name for name in imported if name.startswith("acompass.prove")} == {"acompass.prove.proof"}
    assert {name for name in imported if name.startswith("acompass.privacy")} == {
        "acompass.privacy.answer",
        "acompass.privacy.table_answer",
        "acompass.privacy.weights",
    }
    assert {name for name in imported if name.startswith("acompass.compare")} == {"acompass.compare.answer"}


def test_every_folder_has_a_rule() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py") if _holds_code(path.parent)}
    assert folders <= set(ARROWS)


def _holds_code(folder: Path) -> bool:
    return any(path.read_text(encoding="utf-8").strip() for path in folder.rglob("*.py"))


def test_each_library_is_imported_only_in_its_own_files() -> None:
    strays = [
        f"{shown(path)} imports {name}"
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


TOUCHING_NO_TABLE = {
    "import acompass": "import acompass",
    "--version": "import sys; sys.argv = ['acompass', '--version']; from acompass.cli import main; main()",
    "--help": "import sys; sys.argv = ['acompass', '--help']; from acompass.cli import main; main()",
    "fmt": "import sys; sys.argv = ['acompass', 'fmt', '-']; from acompass.cli import main; main()",
    "a policy that does not parse": (
        "import sys; sys.argv = ['acompass', 'check', '-', 'none.csv']; from acompass.cli import main; main()"
    ),
}


@pytest.mark.parametrize("what", sorted(TOUCHING_NO_TABLE))
def test_commands_without_a_table_import_no_engine(what: str) -> None:
    report = "import atexit, sys; atexit.register(lambda: print('MODULES', *sys.modules));"
    policy = "EACH RESULT : Age >= 18;" if what == "fmt" else "EACH;"
    ran = subprocess.run(
        [sys.executable, "-c", report + TOUCHING_NO_TABLE[what]], input=policy, capture_output=True, text=True
    )
    loaded = set(ran.stdout.partition("MODULES")[2].split())
    assert "acompass" in loaded, ran.stderr
    assert loaded & ENGINES == set()


def test_a_folder_never_hides_the_function_of_its_name() -> None:
    code = "import acompass.{0}, acompass; assert callable(acompass.{0}), acompass.{0}"
    for name in ("compare", "dbt", "estimate", "explain", "measure", "plan", "pram", "prove", "suggest"):
        subprocess.run([sys.executable, "-c", code.format(name)], check=True)
