"""Run the example of a page and return its diagnostics."""

from contextlib import chdir
from pathlib import Path
from typing import Any

from acompass import api
from acompass.checked.from_syntax import check
from acompass.checked.parameters import parse_settings
from acompass.checked.types import Kind, Schema, Type, schema_of
from acompass.diagnostics import AcompassError, Diagnostic
from acompass.syntax.parse import parse

#: the paper's Table 1
ELECTRICITY = Path(__file__).parents[2] / "examples" / "electricity" / "table.csv"


def codes_of(blocks: dict[str, str], folder: Path) -> set[str]:
    return {diagnostic.code for diagnostic in diagnostics_of(blocks, folder)}


def diagnostics_of(blocks: dict[str, str], folder: Path) -> tuple[Diagnostic, ...]:
    """The policy's syntax errors or, without any, its errors for the table or the schema."""
    policy = blocks["acompass"]
    program, diagnostics = parse(policy)
    if diagnostics:
        return diagnostics
    try:
        options = _options(blocks.get("options", ""))
        if "schema" in blocks:
            _, diagnostics = check(program, policy, _schema(blocks["schema"]), options.get("params"))
            return diagnostics
        table = folder / "table.csv"
        table.write_text(blocks["csv"] if "csv" in blocks else ELECTRICITY.read_text(), encoding="utf-8")
        (folder / "hierarchy.csv").write_text(blocks.get("hierarchy", ""), encoding="utf-8")
        perform = api.run if options.pop("run", False) else api.check
        with chdir(folder):
            perform(policy, str(table), **options)
    except AcompassError as error:
        return error.diagnostics
    return ()


def _schema(text: str) -> Schema:
    """Lines `column: kind`."""
    pairs = (line.split(": ") for line in text.splitlines())
    return schema_of({name: Type(Kind(kind)) for name, kind in pairs})


def _options(text: str) -> dict[str, Any]:
    """Lines `set: k=3`, `trace: 0.5 0.25`, `run`, and `name: value` for every other keyword."""
    options: dict[str, Any] = {}
    settings: list[str] = []
    reading: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        key, _, value = (part.strip() for part in line.partition(":"))
        match key:
            case "run":
                options["run"] = True
            case "set":
                settings.append(value)
            case "trace":
                options["trace"] = value.split()
            case "missing" | "dates" | "partition":
                reading[key] = (*reading.get(key, ()), value)
            case _:
                options[key] = value
    return options | reading | {"params": parse_settings(settings)}
