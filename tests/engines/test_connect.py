"""A URL selects an engine; unknown engines and missing libraries are reported before any import."""

import importlib.util
from importlib import metadata
from importlib.machinery import ModuleSpec
from typing import Any

import pandas
import pytest

import acompass
from acompass.engines import registry
from acompass.engines.duckdb.table import DuckDBEngine
from acompass.errors.diagnostics import AcompassError
from tests.engines.postgres_server import Server

POLICY = "EACH RESULT : a > 'a';"
TABLE = pandas.DataFrame({"a": ["b"]})


@pytest.mark.parametrize(
    ("url", "library", "message", "help_"),
    [
        (
            "postgres://localhost/db",
            "psycopg",
            "`postgres://` needs psycopg",
            "pip install 'acompass[postgres]'",
        ),
        ("local[1]", "pyspark", "Spark needs pyspark", "pip install 'acompass[spark]'"),
        ("local[1]", "pyarrow", "Spark needs pyspark", "pip install 'acompass[spark]'"),
    ],
)
def test_a_missing_library_is_an_error(
    monkeypatch: pytest.MonkeyPatch, url: str, library: str, message: str, help_: str
) -> None:
    find = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == library else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    with pytest.raises(AcompassError) as raised:
        acompass.check(POLICY, TABLE, engine=url)
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.message, diagnostic.help) == (message, help_)


def test_an_unknown_engine_is_an_error() -> None:
    with pytest.raises(AcompassError, match="sqlite"):
        acompass.check(POLICY, TABLE, engine="sqlite:///people.db")


def test_text_that_postgres_cannot_hold_is_an_error(postgres: Server) -> None:
    table = pandas.DataFrame({"a": ["b\0c"]})
    with pytest.raises(AcompassError, match="NUL character"):
        acompass.check(POLICY, table, engine=postgres.url())


REGISTRY_POLICY = "EACH RESULT : a > 1;"


def make(url: str) -> DuckDBEngine:
    assert url == "mine://host/database"
    return DuckDBEngine()


def entry_points(*, group: str, name: str) -> list[Any]:
    if (group, name) != ("acompass.engines", "mine"):
        return []
    return [metadata.EntryPoint("mine", f"{__name__}:make", group)]


def test_an_entry_point_adds_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", entry_points)
    assert acompass.check(REGISTRY_POLICY, [{"a": 2}], engine="mine://host/database").ok


def test_a_scheme_without_an_entry_point_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", entry_points)
    with pytest.raises(AcompassError, match="AC303"):
        acompass.check(REGISTRY_POLICY, [{"a": 2}], engine="yours://host/database")
