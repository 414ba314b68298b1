"""From a URL to an engine: unknown engines and missing libraries are reported before any import."""

import importlib.util
from importlib.machinery import ModuleSpec

import pandas
import pytest

import acompass
from acompass.diagnostics import AcompassError
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
def test_a_library_that_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, url: str, library: str, message: str, help_: str
) -> None:
    find = importlib.util.find_spec

    def found(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == library else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", found)
    with pytest.raises(AcompassError) as raised:
        acompass.check(POLICY, TABLE, engine=url)
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.message, diagnostic.help) == (message, help_)


def test_an_unknown_engine() -> None:
    with pytest.raises(AcompassError, match="sqlite"):
        acompass.check(POLICY, TABLE, engine="sqlite:///people.db")


def test_text_that_postgres_cannot_hold(postgres: Server) -> None:
    table = pandas.DataFrame({"a": ["b\0c"]})
    with pytest.raises(AcompassError, match="NUL character"):
        acompass.check(POLICY, table, engine=postgres.url())
