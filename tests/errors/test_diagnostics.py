"""Diagnostics are rendered as text and as data, and every exception survives pickle."""

import copy
import inspect
import json
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acompass
from acompass.arguments import _Unfit
from acompass.assist import controls
from acompass.assist.notebook import CellError
from acompass.assist.request_queue import Stale
from acompass.assist.studio.messages import Refused
from acompass.assist.studio.saved_files import Saved, Unseen, UnseenSettings
from acompass.author.answers import Unreachable
from acompass.author.core_labels import _Impossible
from acompass.author.perturb.estimate import Dependent
from acompass.author.perturb.transitions import Stopped, TooMany
from acompass.dbt import NotReleased
from acompass.errors.diagnostics import AcompassError, Diagnostic, Label, Severity, Span
from acompass.errors.display import display_width, printable_text
from acompass.errors.rendering import render_json, render_text
from acompass.language.program import kernels
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.text.parser import parse_text
from acompass.plan.run import context
from acompass.prove.certify.encoding import NotCertified
from acompass.prove.proof import Exhausted
from acompass.prove.rules.write_rules import Blocked
from acompass.reason.privacy.mentions import Undecided
from acompass.semantics import core
from acompass.tables.csv import MalformedCsv, NotUtf8, Problem
from acompass.tables.source import _Undecodable


def test_the_place_of_an_error_is_underlined() -> None:
    source = "EACH RESULT\n : Age == 80;\n"
    assert render_text(parse_text(source)[1], source, "policy.acp") == (
        "error[AC031]: unknown comparison operator `==`\n"
        " --> policy.acp:2:8\n"
        "  |\n"
        "2 |  : Age == 80;\n"
        "  |        ^^\n"
        "  = help: write `Age = 80`\n"
        "  = see: acompass explain AC031"
    )


def test_tabs_and_wide_characters_keep_the_marks_in_place() -> None:
    source = "EACH RESULT\n\t: 東京 == 80;"
    lines = render_text(parse_text(source)[1], source).splitlines()
    assert lines[3] == "2 |     : 東京 == 80;"
    assert lines[4] == "  |           " + " " + "^^"


def test_both_places_are_shown_in_the_order_of_the_text() -> None:
    source = "one\ntwo\nthree\nfour five\n"
    labels = (Label(Span(14, 18), "text here"), Label(Span(0, 3), "a number there"), Label(Span(19, 23)))
    diagnostic = Diagnostic("AC118", "they disagree", labels, "mend\none", Severity.WARNING)
    assert render_text([diagnostic], source, "p.acp") == (
        "warning[AC118]: they disagree\n"
        " --> p.acp:4:1\n"
        "  |\n"
        "1 | one\n"
        "  | --- a number there\n"
        "...\n"
        "4 | four five\n"
        "  | ^^^^ text here\n"
        "  |      ----\n"
        "  = help: mend\n"
        "          one\n"
        "  = see: acompass explain AC118"
    )


def test_a_place_that_spans_lines_says_where_it_ends() -> None:
    assert "  | ^^^^^ … to line 3\n" in render_text(
        [Diagnostic("AC101", "long", (Label(Span(0, 14)),))], "EACH \nRESULT\n : a"
    )


def test_without_a_source_there_is_no_excerpt() -> None:
    diagnostic = Diagnostic("AC201", "no such table `x`", help="look")
    text = "error[AC201]: no such table `x`\n  = help: look\n  = see: acompass explain AC201"
    assert render_text([diagnostic]) == text


def test_a_long_line_is_shown_in_part() -> None:
    source = "x" * 10_000 + "!" + "y" * 10_000
    lines = render_text([Diagnostic("AC001", "m", (Label(Span(10_000, 10_001)),))], source).splitlines()
    assert max(map(len, lines)) < 300
    assert lines[4].index("^") == lines[3].index("!")


def test_colors_add_nothing_but_colors() -> None:
    import re

    source = "EACH RESULT : Age == 1;"
    colored = render_text(parse_text(source)[1], source, "p", color=True)
    assert "\x1b[1;31m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render_text(parse_text(source)[1], source, "p")


def test_lines_and_columns_of_data_count_from_one() -> None:
    source = "EACH RESULT\r\n : Age == 1;"
    (data,) = render_json(parse_text(source)[1], source, "p.acp")
    assert (data["code"], data["severity"], data["file"]) == ("AC031", "error", "p.acp")
    assert data["labels"] == [{"line": 2, "column": 8, "end_line": 2, "end_column": 10, "text": ""}]
    json.dumps(data)


@given(st.text(), st.text(), st.lists(st.tuples(st.integers(-5, 50), st.integers(-5, 50)), max_size=3))
def test_rendered_text_never_moves_the_cursor(source: str, words: str, places: list[tuple[int, int]]) -> None:
    labels = tuple(Label(Span(start, end), words) for start, end in places)
    diagnostic = Diagnostic("AC001", words, labels, words)
    text = render_text([diagnostic], source, words)
    assert all(character == "\n" or printable_text(character) == character for character in text)
    text.encode("utf-8")
    render_json([diagnostic], source, words)


def test_width_is_counted_as_in_a_terminal() -> None:
    assert [display_width(text) for text in ("abc", "東京", "e\u0301", "")] == [3, 4, 1, 0]


POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80; EACH RESULT : Zip = 'a';"
PEOPLE = [{"Age": 54, "Zip": "a"}, {"Age": 82, "Zip": "b"}]
DIAGNOSTICS = (*parse_text("EACH RESULT : Age == 80; EACH : Zip = 'a';")[1], Diagnostic("AC412", "closed", help="open"))


def _requirement() -> Any:
    with acompass.open(PEOPLE) as session:
        return session.checked(POLICY).requirements[1]


#: how each exception is made
MADE: dict[type[BaseException], Callable[[], BaseException]] = {
    **{
        kind: lambda kind=kind: kind(DIAGNOSTICS, "EACH RESULT : Age == 80; EACH : Zip = 'a';", "policy.acp")
        for kind in (
            AcompassError,
            acompass.PolicyError,
            acompass.TableError,
            acompass.CallError,
            acompass.EngineError,
            acompass.Canceled,
            CellError,
            Unreachable,
        )
    },
    Blocked: lambda: Blocked("a reason"),
    Dependent: lambda: Dependent([1, 2]),
    Exhausted: lambda: Exhausted("after 30 seconds"),
    MalformedCsv: lambda: MalformedCsv(Problem.OPEN_QUOTE, 3),
    NotCertified: lambda: NotCertified("a step"),
    NotReleased: lambda: NotReleased("line 1 is violated"),
    NotUtf8: lambda: NotUtf8(3, 17, "cp1252"),
    Refused: lambda: Refused(409, "`a.csv` already exists", exists=["a.csv"]),
    Stale: lambda: Stale("verdicts"),
    Stopped: lambda: Stopped(_requirement()),
    TooMany: lambda: TooMany(5),
    Undecided: lambda: Undecided(3, "too many bands"),
    UnlabeledValueError: lambda: UnlabeledValueError(2, 5),
    Unseen: lambda: Unseen(Saved("EACH RESULT : Age <= 80;", "a hash")),
    UnseenSettings: UnseenSettings,
    controls._Impossible: lambda: controls._Impossible("line 3 reads the column"),
    _Impossible: lambda: _Impossible("the column's values are unknown", "name a table"),
    _Undecodable: lambda: _Undecodable(5, "Zo"),
    _Unfit: lambda: _Unfit("a number"),
    context.TraceExhausted: lambda: context.TraceExhausted(3, 2),
    kernels.ManyValues: kernels.ManyValues,
    kernels.UnfitValueError: lambda: kernels.UnfitValueError(2, 5),
    core.Unwritable: lambda: core.Unwritable(5),
    core.TraceExhausted: lambda: core.TraceExhausted(3),
}
COPIES: tuple[Callable[[Any], Any], ...] = (
    copy.copy,
    copy.deepcopy,
    *(
        lambda given, protocol=protocol: pickle.loads(pickle.dumps(given, protocol))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    ),
)


def _exceptions() -> set[type[BaseException]]:
    """Every exception that a module of the package defines, except for modules whose library is not installed."""
    found: set[type[BaseException]] = set()
    for module in walk_packages(acompass.__path__, "acompass."):
        if module.name == "acompass.__main__":
            continue
        try:
            members = vars(import_module(module.name)).values()
        except ModuleNotFoundError as error:
            if str(error.name).startswith("acompass"):
                raise
            continue
        classes = (each for each in members if inspect.isclass(each) and each.__module__.startswith("acompass"))
        found.update(each for each in classes if issubclass(each, BaseException))
    return found


def test_every_exception_of_the_package_is_pickled_below() -> None:
    assert _exceptions() == set(MADE)


@pytest.mark.parametrize("kind", MADE, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_an_exception_survives_pickle_and_copy(kind: type[BaseException]) -> None:
    error = MADE[kind]()
    error.add_note("in worker 3")
    for make_copy in COPIES:
        again = make_copy(error)
        assert type(again) is kind
        assert (str(again), repr(again), again.args, vars(again)) == (
            str(error),
            repr(error),
            error.args,
            vars(error),
        )


def test_an_error_of_a_call_keeps_what_was_added_to_it() -> None:
    """The text and the name of the policy are attached after the error was raised."""
    with pytest.raises(acompass.PolicyError) as raised:
        acompass.check(acompass.parse("EACH RESULT : Aeg <= 80;", "policy.acp"), PEOPLE)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.diagnostics, again.source, again.name) == (
        raised.value.diagnostics,
        "EACH RESULT : Aeg <= 80;",
        "policy.acp",
    )
    assert "policy.acp:1:15" in str(again)


def test_errors_and_results_come_back_from_a_process_pool() -> None:
    policy = acompass.parse(POLICY, "policy.acp")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        typo = pool.submit(acompass.check, "EACH RESULT : Aeg <= 80;", PEOPLE)
        syntax = pool.submit(acompass.check, "EACH RESULT : Age == 80;", PEOPLE)
        no_table = pool.submit(acompass.check, policy, "no such table.csv")
        result = pool.submit(acompass.run, policy, PEOPLE)
        with pytest.raises(acompass.PolicyError, match="did you mean `Age`"):
            typo.result()
        with pytest.raises(acompass.PolicyError, match="AC031"):
            syntax.result()
        with pytest.raises(acompass.TableError, match=r"no table at `no such table\.csv`"):
            no_table.result()
        assert result.result() == acompass.run(policy, PEOPLE)
        assert result.result().table == [{"Age": 54, "Zip": "a"}, {"Age": 80, "Zip": "b"}]
