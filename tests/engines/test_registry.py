"""A third party adds an engine by an entry point; `--engine` then finds it by the scheme of its URLs."""

from importlib import metadata
from typing import Any

import pytest

import acompass
from acompass.diagnostics import AcompassError
from acompass.engines import connect as registry
from acompass.engines.duckdb.connect import DuckDBEngine

POLICY = "EACH RESULT : a > 1;"


def make(url: str) -> DuckDBEngine:
    assert url == "mine://host/database"
    return DuckDBEngine()


def entry_points(*, group: str, name: str) -> list[Any]:
    if (group, name) != ("acompass.engines", "mine"):
        return []
    return [metadata.EntryPoint("mine", f"{__name__}:make", group)]


def test_an_engine_of_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", entry_points)
    assert acompass.check(POLICY, [{"a": 2}], engine="mine://host/database").ok


def test_no_such_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", entry_points)
    with pytest.raises(AcompassError, match="AC303"):
        acompass.check(POLICY, [{"a": 2}], engine="yours://host/database")
