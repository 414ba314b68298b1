"""An argument of the wrong type raises a CallError that names it, before any other code sees it."""

import contextlib
import doctest
import inspect
import pydoc
import re
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
from acompass import arguments
from acompass.errors.diagnostics import option_text, spelled_by
from acompass.options import command_line_spelling
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
NOT_A_TABLE = (5, 1.5, True, b"a", ["a"], [1], {"Age": 54}, {"Age": "54"}, ({"Age": 54},), len, {"a"}, "\udcff.csv")
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
    "escape_formulas": (0, "no", None),
    "force": (0, 1, "no", None, [], object()),
    "replace": (0, "no", None),
    "paper": (0, 1, "no", None, [], object()),
    "hierarchies": (*NOT_A_DICT, {"Age": 5}, {"Age": "a\0b"}, (5,)),
    "k": NOT_WHOLE,
    "keep": (True, b"a", ["a"], {"a": 1}, object(), len, float("nan")),
    "change_last": (*NOT_A_LIST, [5]),
    "l": NOT_WHOLE,
    "lines": NOT_WHOLE,
    "max_lost": (True, b"a", ["a"], {"a": 1}, object(), len, float("nan")),
    "limit": (*NOT_WHOLE, -1, None),
    "memory_limit": (*NOT_TEXT, "\ud800"),
    "matrix": NOT_A_PATH,
    "na": (*NOT_A_LIST, [5]),
    "missing": (True, b"a", ["a"], {1: "a"}, {"Age": []}, object(), float("nan"), Decimal("Infinity"), 1j),
    "model": (*NOT_TEXT, None),
    "name": (*NOT_TEXT, None),
    "new": (*NOT_TEXT, Path("a\0b.acp")),
    "old": (*NOT_TEXT, Path("a\0b.acp")),
    "order": NOT_TEXT,
    "output": (*NOT_A_PATH, "\udcff.csv"),
    "old_params": NOT_A_DICT,
    "key": (5, 1.5, True, ["a"], {"a": 1}, object(), len),
    "key_file": NOT_A_PATH,
    "params": NOT_A_DICT,
    "partition": (*NOT_A_LIST, [5]),
    "path": (*NOT_A_PATH, None),
    "policy": (*NOT_TEXT, Path("a\0b.acp")),
    "person": NOT_TEXT,
    "population": NOT_A_TABLE,
    "privacy": (0, 1, "no", None, [], object()),
    "found": (5, "a", [len], True),
    "importance": (True, b"a", ["a"], {1: "a"}, {"Age": []}, object(), float("nan")),
    "progress": (5, "a", [len], True),
    "python_model": (0, 1, "no", None, [], object()),
    "qi": (*NOT_A_LIST, [5], [None]),
    "record": NOT_WHOLE,
    "records": NOT_A_PATH,
    "released": NOT_A_TABLE,
    "report": NOT_A_PATH,
    "report_internal": NOT_A_PATH,
    "roles": (*NOT_A_DICT, {"names": ["Age"]}, {"other": "Age"}, {"other": [5]}),
    "round": NOT_WHOLE,
    "sampling_weight": NOT_TEXT,
    "schema": (*NOT_A_DICT, {"Age": 5}, {"Age": None}),
    "seed": NOT_TEXT,
    "seed_file": NOT_A_PATH,
    "sensitive": (*NOT_A_LIST, [5]),
    "sheet": NOT_TEXT,
    "show": (*NOT_WHOLE, -1, None),
    "show_records": (0, 1, "no", None, [], object()),
    "header": (0, 1, "no", [], object()),
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
    return [name for name in inspect.signature(function).parameters if name != "self"]


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
        (lambda: acompass.check(b"policy.acp", PEOPLE), "for example `policy=acompass.load"),
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


@folded(("is_method", "name"), sorted({case[:2] for case in _cases()}))
def test_the_help_of_a_call_has_every_argument_and_an_example(is_method: bool, name: str) -> None:
    function = getattr(acompass.Session if is_method else acompass, name)
    text = pydoc.render_doc(function, renderer=pydoc.plaintext)
    for argument, parameter in inspect.signature(function).parameters.items():
        default = "required" if parameter.default is parameter.empty else f"default {parameter.default!r}"
        assert argument == "self" or re.search(rf"(?m)^ +{argument}: .*; {re.escape(default)}\n +\S", text), argument
    assert ">>> " in text or name == "schema"


@folded("name", FUNCTIONS)
def test_the_example_of_a_call_runs(name: str, tmp_path: Path) -> None:
    (tmp_path / "policy.acp").write_text(POLICY)
    with contextlib.chdir(tmp_path):
        example = doctest.DocTestParser().get_doctest(
            getattr(acompass, name).__doc__, {"acompass": acompass}, name, None, None
        )
        assert example.examples
        assert doctest.DocTestRunner().run(example).failed == 0


def test_a_session_has_the_arguments_of_the_functions() -> None:
    for name in METHODS[:-1]:
        own = inspect.signature(getattr(acompass.Session, name)).parameters
        others = inspect.signature(getattr(acompass, name)).parameters
        assert {argument: own[argument].default for argument in list(own)[1:]} == {
            argument: others[argument].default for argument in list(own)[1:]
        }


def test_an_earlier_name_is_accepted() -> None:
    with pytest.raises(acompass.CallError, match="`change_last` names `Zip`"):
        acompass.suggest(PEOPLE, ["Age"], 2, keep=["Zip"])
    with pytest.raises(acompass.CallError, match="two values for argument `deadline`"):
        acompass.suggest(PEOPLE, ["Age"], 2, seconds=0, deadline=0)


def test_arguments_are_validated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    take_value = arguments.take_value
    monkeypatch.setattr(arguments, "take_value", lambda *given: taken.append(given[0]) or take_value(*given))
    acompass.check(POLICY, PEOPLE, missing="drop", params={})
    assert len(taken) == 4


@pytest.mark.parametrize(
    ("option", "python", "shell"),
    [
        (("na", ("NA", "n/a")), 'na=["NA", "n/a"]', "--na NA --na n/a"),
        (("missing", "drop"), 'missing="drop"', "--missing drop"),
        (("missing", {"Zip": "?"}), 'missing={"Zip": "?"}', '--missing "Zip=?"'),
        (("dates", {"Day": "%d.%m.%Y"}), 'dates={"Day": "%d.%m.%Y"}', '--dates "Day=%d.%m.%Y"'),
        (("dates", {"A$": "%d"}), 'dates={"A$": "%d"}', "--dates 'A$=%d'"),
        (("params", {"k": 3}), 'params={"k": 3}', "--set k=3"),
        (("params", {"k": ...}), 'params={"k": …}', "--set k=…"),
        (("qi", ["Age", "Zip"]), 'qi=["Age", "Zip"]', "--qi Age,Zip"),
        (("hierarchies",), "hierarchies", "--hierarchy"),
        (("python_model", False), "python_model=False", "--no-model"),
        (("report_internal", 'a"b.html'), "report_internal='a\"b.html'", "--report-internal 'a\"b.html'"),
        (("force", True), "force=True", "--force"),
    ],
)
def test_a_message_spells_an_option_as_the_caller_does(option: tuple[Any, ...], python: str, shell: str) -> None:
    assert option_text(*option) == python
    with spelled_by(command_line_spelling):
        assert option_text(*option) == shell
    assert option_text(*option) == python


def test_errors_in_python_speak_python() -> None:
    with pytest.raises(acompass.TableError, match='drop incomplete records with `missing="drop"`'):
        acompass.check(POLICY, PEOPLE)


def test_validation_imports_no_engine() -> None:
    code = "import sys, acompass.options; assert not {'duckdb', 'sqlglot'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def _policy_calls(policy: Any, table: Any) -> Iterator[object]:
    yield acompass.check(policy, table)
    yield acompass.run(policy, table)
    yield acompass.plan(policy, table).result
    yield acompass.explain(policy, table, record=1)
    yield acompass.measure(table, policy=policy, qi=["Zip"])
    yield acompass.estimate(table, policy, "Age")
    yield acompass.prove(policy, table=table)
    yield acompass.lint(policy, table=table)
    yield acompass.compare(policy, policy, table=table)
    yield acompass.dbt(policy, "people", table=table).tests
    with acompass.open(table) as session:
        for name in ("check", "run", "preview", "schema", "checked"):
            yield getattr(session, name)(policy)
        yield session.plan(policy).result
        yield session.explain(policy, record=1)
        yield session.measure(["Zip"], policy=policy, against=table, population=table)
        yield session.estimate(policy, "Age")


def test_a_policy_and_a_table_can_be_a_path(tmp_path: Path) -> None:
    """A path means the file, as for `acompass.load`: the name is in messages, and hierarchies are in its folder."""
    policy, table = tmp_path / "policy.acp", tmp_path / "people.csv"
    (tmp_path / "areas.csv").write_text("Zip;Area\n21201;Baltimore\n21410;Annapolis\n", encoding="utf-8")
    policy.write_text(f"{POLICY} ALWAYS : GENERALIZE Zip TO LEVEL 1 OF 'areas.csv';", encoding="utf-8")
    table.write_text("Age,Zip\n54,21201\n79,21410\n", encoding="utf-8")
    expected = list(_policy_calls(acompass.load(policy), str(table)))
    assert list(_policy_calls(policy, table)) == expected
    policy.write_text("EACH RESULT : Aeg <= 80;", encoding="utf-8")
    with pytest.raises(acompass.PolicyError) as raised:
        acompass.check(policy, table)
    assert f"{policy}:1:15" in str(raised.value)
    with pytest.raises(acompass.CallError, match="AC402"):
        acompass.check(tmp_path / "no.acp", table)


def test_the_text_of_a_path_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.txt").write_text(POLICY, encoding="utf-8")
    for call in (lambda text: acompass.check(text, PEOPLE), acompass.parse):
        for text in ("policy.acp", "folder/policy.acp", "./policy.acp ", "rules.txt"):
            with pytest.raises(acompass.PolicyError) as raised:
                call(text)
            (found,) = raised.value.diagnostics
            assert f'`acompass.load("{text.strip()}")` or `Path("{text.strip()}")`' in str(found.help)
    for text in ("other.txt", "policy.acp;", "policy.acp\nEACH RESULT", "a" * 5000, "", "\0.acp"):
        with pytest.raises(acompass.PolicyError) as raised:
            acompass.check(text, PEOPLE)
        assert "acompass.load" not in str(raised.value)
