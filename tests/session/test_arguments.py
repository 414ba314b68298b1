"""An argument of the wrong type raises a CallError that names it, before any other code sees it."""

import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy
import pytest

import acompass
from acompass.options import EXPECTED, Opening
from tests.folding import folded

POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
PEOPLE = [{"Age": 54, "Zip": "21201"}, {"Age": None, "Zip": "21401"}]
FUNCTIONS = (
    "check",
    "run",
    "plan",
    "explain",
    "measure",
    "prove",
    "compare",
    "lint",
    "suggest",
    "pram",
    "estimate",
    "dbt",
    "open",
    "load",
    "parse",
)
METHODS = ("check", "run", "plan", "explain", "measure", "suggest", "pram", "estimate", "schema")

#: values that each argument must reject
NOT_TEXT: tuple[Any, ...] = (5, 1.5, True, b"a", ["a"], {"a": 1}, object(), len, date(2020, 1, 1), {"a"})
NOT_A_LIST = (5, 1.5, True, "Age", b"a", {"a": 1}, object(), len)
NOT_WHOLE = (1.5, Decimal(1), True, "5", [5], {"a": 1}, object(), len)
NOT_A_PATH = (5, 1.5, True, b"a", ["a"], {"a": 1}, object(), len, "a\0b.csv", "\ud800.csv", Path("a\0b"))
NOT_A_TABLE = (5, 1.5, True, b"a", ["a"], [1], {"Age": 54}, ({"Age": 54},), len, {"a"}, "\udcff.csv")
NOT_A_DICT = (5, 1.5, True, "k=2", b"a", [("k", 2)], {1: 2}, object(), len)
WRONG: dict[str, tuple[Any, ...]] = {
    "against": NOT_A_TABLE,
    "assume": (*NOT_A_LIST, [5]),
    "below": (*NOT_A_LIST, [1.5], ["5"]),
    "claims": (*NOT_A_LIST, [5]),
    "column": (*NOT_TEXT, None),
    "certificate": NOT_A_PATH,
    "columns": (*NOT_A_LIST, [5], [["Age", 5]]),
    "compare": (0, 1, "no", None, [], object()),
    "dates": (*NOT_A_DICT, {"Age": 5}, (5,)),
    "dbt.released": NOT_TEXT,
    "deadline": (True, b"a", ["a"], {"a": 1}, object(), len, float("nan")),
    "decimal": NOT_TEXT,
    "delimiter": NOT_TEXT,
    "dialect": (*NOT_TEXT, None),
    "dry": (0, 1, "no", None, [], object()),
    "encoding": NOT_TEXT,
    "engine": NOT_TEXT,
    "epsilon": (True, b"a", ["a"], {"a": 1}, object(), len, float("nan")),
    "force": (0, 1, "no", None, [], object()),
    "paper": (0, 1, "no", None, [], object()),
    "hierarchies": (*NOT_A_DICT, {"Age": 5}, {"Age": "a\0b"}, (5,)),
    "k": NOT_WHOLE,
    "keep": (*NOT_A_LIST, [5]),
    "l": NOT_WHOLE,
    "lines": NOT_WHOLE,
    "max_lost": (True, b"a", ["a"], {"a": 1}, object(), len, float("nan")),
    "limit": (*NOT_WHOLE, -1, None),
    "memory_limit": (*NOT_TEXT, "\ud800"),
    "matrix": NOT_A_PATH,
    "missing": (True, b"a", ["a"], {1: "a"}, {"Age": []}, object(), float("nan"), Decimal("Infinity"), 1j),
    "model": (*NOT_TEXT, None),
    "name": (*NOT_TEXT, None),
    "new": (*NOT_TEXT, Path("policy.acp")),
    "old": (*NOT_TEXT, Path("policy.acp")),
    "order": NOT_TEXT,
    "output": (*NOT_A_PATH, "\udcff.csv"),
    "old_params": NOT_A_DICT,
    "params": NOT_A_DICT,
    "partition": (*NOT_A_LIST, [5]),
    "path": (*NOT_A_PATH, None),
    "policy": (*NOT_TEXT, Path("policy.acp")),
    "population": NOT_A_TABLE,
    "pram.keep": (True, b"a", ["a"], {"a": 1}, object(), len, float("nan")),
    "privacy": (0, 1, "no", None, [], object()),
    "progress": (5, "a", [len], True),
    "python_model": (0, 1, "no", None, [], object()),
    "qi": (*NOT_A_LIST, [5], [None]),
    "record": NOT_WHOLE,
    "released": NOT_A_TABLE,
    "report": NOT_A_PATH,
    "report_internal": NOT_A_PATH,
    "round": NOT_WHOLE,
    "sampling_weight": NOT_TEXT,
    "schema": (*NOT_A_DICT, {"Age": 5}, {"Age": None}),
    "seconds": (True, "5", [5], {"a": 1}, object(), len),
    "seed": NOT_TEXT,
    "sensitive": (*NOT_A_LIST, [5]),
    "sheet": NOT_TEXT,
    "show": (*NOT_WHOLE, -1, None),
    "show_records": (0, 1, "no", None, [], object()),
    "source": (0, 1, "no", None, [], object()),
    "stopped": (5, "a", [len], True),
    "style": (*NOT_TEXT, None),
    "t": (True, b"a", ["a"], {"a": 1}, object(), len, float("nan")),
    "table": NOT_A_TABLE,
    "text": (*NOT_TEXT, None),
    "trace": (5, 1.5, True, "0.5", {"a": 1}, object(), len),
    "uniform": (0, 1, "no", None, [], object()),
    "types": (*NOT_A_DICT, {"Age": 5}, {"Age": None}),
    "weight": NOT_TEXT,
    "where": NOT_TEXT,
}


def _arguments(function: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    opening = Opening.__annotations__ if any(p.kind is p.VAR_KEYWORD for p in parameters) else ()
    return [*(p.name for p in parameters if p.kind is not p.VAR_KEYWORD and p.name != "self"), *opening]


def _cases() -> Iterator[tuple[bool, str, str]]:
    for name in FUNCTIONS:
        yield from ((False, name, argument) for argument in _arguments(getattr(acompass, name)))
    for name in METHODS:
        yield from ((True, name, argument) for argument in _arguments(getattr(acompass.Session, name)))


def _valid(function: Callable[..., Any], tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "policy.acp").write_text(POLICY)
    values = {
        "policy": POLICY,
        "old": POLICY,
        "new": POLICY,
        "table": PEOPLE,
        "released": PEOPLE,
        "column": "Age",
        "path": tmp_path / "policy.acp",
        "text": POLICY,
        "model": "people",
    }
    values |= {"qi": ["Age"], "k": 2} if function.__name__ == "suggest" else {}
    values |= {"released": "safe"} if function.__name__ == "dbt" else {}
    return {name: value for name, value in values.items() if name in _arguments(function)}


@pytest.fixture(scope="module")
def session() -> Iterator[acompass.Session]:
    with acompass.open(PEOPLE) as session:
        yield session


@folded(("is_method", "name", "argument"), _cases())
def test_a_wrong_type_names_the_argument(
    is_method: bool, name: str, argument: str, session: acompass.Session, tmp_path: Path
) -> None:
    function = getattr(session if is_method else acompass, name)
    valid = _valid(function, tmp_path)
    for value in WRONG.get(f"{name}.{argument}") or WRONG[argument]:
        with pytest.raises(acompass.CallError) as raised:
            function(**valid | {argument: value})
        (found,) = raised.value.diagnostics
        assert found.code == "AC407"
        assert found.message.startswith(f"argument `{argument}` is ")
        assert ", expected " in found.message


@folded(("is_method", "name"), sorted({case[:2] for case in _cases()}))
def test_an_unknown_argument_is_an_error(is_method: bool, name: str, session: acompass.Session, tmp_path: Path) -> None:
    function = getattr(session if is_method else acompass, name)
    with pytest.raises(acompass.CallError, match=f"`{name}` has no argument `quasi`"):
        function(**_valid(function, tmp_path), quasi=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: acompass.check(POLICY), "`check` needs the argument `table`"),
        (lambda: acompass.check(POLICY, PEOPLE, {"k": 2}), "`check` has too many arguments"),
        (
            lambda: acompass.check(POLICY, PEOPLE, policy=POLICY),
            "two values for argument `policy`",
        ),
        (lambda: acompass.run(POLICY, PEOPLE, sed="a"), "did you mean `seed`?"),
        (lambda: acompass.check(POLICY, PEOPLE, show=-1), "`show` is a negative number, expected a whole"),
        (lambda: acompass.check(Path("policy.acp"), PEOPLE), "for example `policy=acompass.load"),
        (lambda: acompass.measure(PEOPLE, qi=["Age", 5]), "`qi` is a list that contains a number"),
        (lambda: acompass.check(POLICY, PEOPLE, params={1: 2}), "`params` is a dict with a number as a name"),
        (lambda: acompass.Policy.from_tree(POLICY), "`program` is text, expected a tree"),
    ],
)
def test_messages_say_what_is_expected(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(acompass.CallError) as raised:
        call()
    assert message in str(raised.value)
    assert raised.value.diagnostics[0].code == "AC407"


def test_a_message_shows_no_value() -> None:
    with pytest.raises(acompass.CallError) as raised:
        acompass.check(POLICY, [{"Age": 54}, "Ada Lovelace"])
    assert "Lovelace" not in str(raised.value)


@pytest.mark.parametrize(
    ("missing", "filled"),
    [(0, 0), (1, 1), (-2, -2), (Decimal(3), 3), (numpy.int8(4), 4), ("5", 5)],
)
def test_a_number_fills_missing_values(missing: Any, filled: int) -> None:
    assert acompass.run(POLICY, PEOPLE, missing=missing).table[1]["Age"] == filled
    with acompass.open(PEOPLE, missing=missing) as session:
        assert session.run(POLICY).table[1]["Age"] == filled
    with acompass.open(PEOPLE) as session:
        assert session.run(POLICY, missing=missing).table[1]["Age"] == filled


@pytest.mark.parametrize(
    ("missing", "text"),
    [(0.5, "0.5"), (1e20, "100000000000000000000"), (numpy.float64(0.25), "0.25"), (Fraction(1, 2), "0.5")],
)
def test_a_number_fills_a_text_column_as_plain_text(missing: Any, text: str) -> None:
    table = [{"Zip": None}, {"Zip": "a"}]
    policy = "EACH RESULT : Zip <= 'z' : REPLACE Zip WITH 'z';"
    assert acompass.run(policy, table, missing=missing).table[0]["Zip"] == text


def test_other_kinds_of_collections_are_accepted() -> None:
    names = numpy.array(["Age"])
    assert acompass.measure(PEOPLE[:1], qi=names, below=(n for n in (2,))).k == 1
    assert acompass.check(POLICY, PEOPLE, missing="drop", show=numpy.int64(1)).records_in == 2


def test_every_expectation_belongs_to_an_argument() -> None:
    elsewhere = {"name", "dbt.released", "pram.keep", "program"}
    assert set(EXPECTED) == {argument for _, _, argument in _cases()} | elsewhere


def test_validation_keeps_the_signature() -> None:
    assert list(inspect.signature(acompass.check).parameters)[:3] == ["policy", "table", "params"]
    assert acompass.check.__doc__


def test_validation_imports_no_engine() -> None:
    code = "import sys, acompass.options; assert not {'duckdb', 'sqlglot'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
