"""Validate the arguments of every public call: the values that each accepts, and the error for any other value.

Messages give the kind of a value and never the value itself: it may come from a record."""

import difflib
import inspect
import numbers
import operator
import os
from collections.abc import Callable, Iterable, Mapping, Set
from datetime import date
from decimal import Decimal
from functools import wraps
from typing import Any, ParamSpec, TypeAlias, TypedDict, TypeVar

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic

P = ParamSpec("P")
R = TypeVar("R")

#: one choice for all columns, a choice by column, or texts such as `drop` and `Zip=?`
MissingArgument: TypeAlias = str | Mapping[str, str] | tuple[str, ...]

#: formats of local dates by column (D28, local dates), or texts such as `Admission=%d.%m.%Y`
DatesArgument: TypeAlias = Mapping[str, str] | tuple[str, ...]

#: for each column a hierarchy file, `bands:5,10`, `prefix:4,3` or `dates`; or texts such as `Age=bands:5,10`
HierarchiesArgument: TypeAlias = Mapping[str, str | os.PathLike[str]] | tuple[str, ...]

#: ways to handle missing values other than replacing them (D11, missing values)
ERROR = "error"
DROP = "drop"

#: default limits of a search: the number of steps, including the final REJECT, and the share of records to drop
LINES = 30
MOST_LOST = "5%"

STANDARD_INPUT = "-"

PARQUET_SUFFIXES = (".parquet", ".pq")
CSV_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt")
WORKBOOK_SUFFIXES = (".xlsx", ".xlsm")
_TABLE_SUFFIXES = (*CSV_SUFFIXES, *PARQUET_SUFFIXES, *WORKBOOK_SUFFIXES)


class Opening(TypedDict, total=False):
    """The arguments of `acompass.open`."""

    engine: Any
    missing: MissingArgument | None
    dates: DatesArgument | None
    delimiter: str | None
    memory_limit: str | None
    encoding: str | None
    decimal: str | None
    sheet: str | None


class _Unfit(Exception):
    """The argument has the wrong type. The message describes what was found."""


@dataclass(frozen=True)
class _Expected:
    words: str
    example: str  # can be pasted
    take: Callable[[Any], Any]  # returns the accepted value, or raises _Unfit


def validate_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Raise CallError, before anything runs, if an argument is unknown, missing or of the wrong type.

    An argument whose default is None can be None.
    """
    call = _Signature(function)

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        call.require_known(args, kwargs)
        given = {name: call.take(name, value) for name, value in kwargs.items()}
        placed = [call.take(name, value) for name, value in zip(call.positional, args, strict=False)]
        return function(*placed, **given)

    return checked


class _Signature:
    def __init__(self, function: Callable[..., Any]):
        parameters = inspect.signature(function).parameters.values()
        self.name = function.__name__
        self.positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        named = [p for p in parameters if p.kind is not p.VAR_KEYWORD]
        opening = Opening.__annotations__ if len(named) < len(parameters) else ()
        self._needed = [p.name for p in named if p.default is p.empty]
        self._optional = {*(p.name for p in named if p.default is None), *opening}
        self._expected = {
            name: EXPECTED.get(f"{self.name}.{name}") or EXPECTED[name]
            for name in (*(p.name for p in named), *opening)
            if name not in _OWN
        }

    def require_known(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        for name in kwargs:
            if name not in self._expected:
                raise self._error(f"has no argument `{name}`", self._list_arguments(name))
        if len(args) > len(self.positional):
            raise self._error("has too many arguments", f"name the others, for example `{self._keyword_example()}`")
        placed = self.positional[: len(args)]
        for name in placed:
            if name in kwargs:
                raise self._error(f"has two values for argument `{name}`", "omit one of them")
        for name in self._needed:
            if name not in placed and name not in kwargs:
                raise self._error(f"needs the argument `{name}`", _help(name, self._expected[name]))

    def take(self, name: str, value: Any) -> Any:
        if name in _OWN or (value is None and name in self._optional):
            return value
        expected = self._expected[name]
        try:
            return expected.take(value)
        except _Unfit as found:
            message = f"argument `{name}` is {found}, expected {expected.words}"
            raise CallError([Diagnostic("AC407", message, help=_help(name, expected))]) from None

    def _error(self, problem: str, help_: str) -> CallError:
        return CallError([Diagnostic("AC407", f"`{self.name}` {problem}", help=help_)])

    def _list_arguments(self, unknown: str) -> str:
        close = difflib.get_close_matches(unknown, self._expected, n=1)
        suggestion = f"; did you mean `{close[0]}`?" if close else ""
        return f"arguments: {', '.join(f'`{name}`' for name in self._expected)}{suggestion}"

    def _keyword_example(self) -> str:
        name = next((name for name in self._expected if name not in self.positional), self.positional[-1])
        return f"{name}={self._expected[name].example}"


def _help(name: str, expected: _Expected) -> str:
    return f"for example `{name}={expected.example}`"


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Unfit(kind_in_words(value))
    return value


def _text_or_number(value: Any) -> str:
    """Accept a number as its text: 0 as "0"."""
    match value:
        case str():
            return value
        case Decimal():
            return _plain(value)
        case numbers.Real() if not hasattr(value, "__index__"):
            return _plain(Decimal(float.__repr__(float(value))))
        case _:
            return str(_whole(value))


def _missing(value: Any) -> MissingArgument:
    """Accept one text for all columns, a dict by column or, from the command line, a tuple of texts."""
    match value:
        case Mapping():
            return {_text(name): _text_or_number(fill) for name, fill in value.items()}
        case tuple():
            return tuple(_text(each) for each in value)
        case _:
            return _text_or_number(value)


def _column_sets(value: Any) -> tuple[str | tuple[str, ...], ...]:
    """Accept column names, or collections of them."""

    def one_set(each: Any) -> str | tuple[str, ...]:
        return each if isinstance(each, str) else _each(_text)(each)

    return tuple(_inside(value, one_set, each) for each in _values(value))


def _by_column(take: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Accept a setting for each column: a dict or, from the command line, a tuple of texts."""

    def take_settings(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(_text(each) for each in value)
        return {name: _inside(value, take, setting) for name, setting in _settings(value).items()}

    return take_settings


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise _Unfit(kind_in_words(value))
    return float(value)


def _plain(number: Decimal) -> str:
    if not number.is_finite():
        raise _Unfit("not a finite number")
    return f"{number:f}"


def _path(value: Any) -> Any:
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise _Unfit(kind_in_words(value))
    try:
        encoded = os.fsencode(value)
    except UnicodeEncodeError:
        raise _Unfit("text that is not valid Unicode") from None
    if b"\0" in encoded:
        raise _Unfit("text with a NUL character")
    return value


def _unicode_path(value: Any) -> Any:
    """Reject paths that are not valid Unicode, which DuckDB cannot open."""
    if any("\ud800" <= letter <= "\udfff" for letter in os.fspath(_path(value))):
        raise _Unfit("text that is not valid Unicode")
    return value


def _size(value: Any) -> str:
    """Reject invalid Unicode, on which DuckDB fails without a message."""
    if not _text(value).isascii():
        raise _Unfit("text that is not a size")
    return str(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise _Unfit(kind_in_words(value))
    return operator.index(value)


def _count(value: Any) -> int:
    number = _whole(value)
    if number < 0:
        raise _Unfit(kind_in_words(value))
    return number


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Unfit(kind_in_words(value))
    return value


def _function(value: Any) -> Any:
    if not callable(value):
        raise _Unfit(kind_in_words(value))
    return value


def _each(take: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Accept a collection of such values, but not a single text, which is a collection of letters."""

    def take_each(value: Any) -> tuple[Any, ...]:
        return tuple(_inside(value, take, each) for each in _values(value))

    return take_each


def _values(value: Any) -> Iterable[Any]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise _Unfit(kind_in_words(value))
    return value


def _inside(whole: Any, take: Callable[[Any], Any], part: Any) -> Any:
    try:
        return take(part)
    except _Unfit as found:
        raise _Unfit(f"{kind_in_words(whole)} that contains {found}") from None


def _settings(value: Any) -> Any:
    if not isinstance(value, Mapping):
        raise _Unfit(kind_in_words(value))
    for name in value:
        if not isinstance(name, str):
            raise _Unfit(f"a dict with {kind_in_words(name)} as a name")
    return value


def _schema(value: Any) -> Any:
    from acompass.language.program.types import Type

    for type_ in _settings(value).values():
        if not isinstance(type_, Type):
            _inside(value, _text, type_)
    return value


def _policy(value: Any) -> Any:
    from acompass.policy import Policy

    return value if isinstance(value, Policy) else _text(value)


def _tree(value: Any) -> Any:
    from acompass.language.text.tree import Program

    if not isinstance(value, Program):
        raise _Unfit(kind_in_words(value))
    return value


def _engine(value: Any) -> Any:
    return value if type(value).__module__.startswith("pyspark.") else _text(value)


#: built-in types that are never a table; the engine decides about any other object
_NO_TABLES = (type(None), numbers.Number, Decimal, bytes, bytearray, Mapping, Set, tuple, date)


def _table(value: Any) -> Any:
    if isinstance(value, _NO_TABLES) or inspect.isroutine(value):
        raise _Unfit(kind_in_words(value))
    if isinstance(value, list):
        for record in value:
            if not isinstance(record, dict):
                raise _Unfit(f"a list that contains {kind_in_words(record)}")
    return _unicode_path(value) if isinstance(value, str | os.PathLike) else value


_TABLE = _Expected("a path, a data frame or a list of dicts", '"people.csv"', _table)
_POLICY = _Expected("a policy or its text", 'acompass.load("policy.acp")', _policy)

#: the words for a value of each type, the most specific type first
_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (type(None), "None"),
    (bool, "a boolean"),
    (str, "text"),
    ((bytes, bytearray), "bytes"),
    (os.PathLike, "a path"),
    (Mapping, "a dict"),
    (list, "a list"),
    (tuple, "a tuple"),
    (Set, "a set"),
    (date, "a date"),
)
_TABLE_LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb", "ibis", "pyspark")


def kind_in_words(value: Any) -> str:
    """Describe the kind of a value, never the value itself: it may come from a record."""
    for types, words in _KINDS:
        if isinstance(value, types):
            return words
    if isinstance(value, numbers.Number):
        return _number_in_words(value)
    if callable(value):
        return "a function"
    if type(value).__module__.split(".")[0] in _TABLE_LIBRARIES:
        return "an object of a table library"
    return "a policy" if type(value).__name__ == "Policy" else "an object of another kind"


def _number_in_words(value: Any) -> str:
    if not hasattr(value, "__index__"):
        return "a decimal number"
    return "a negative number" if value < 0 else "a number"


_NAMES = _Expected("a list of column names", '["Age", "Zip"]', _each(_text))
_OUTPUT = _Expected("a path", '"released.csv"', _unicode_path)

#: every argument of the public API; an argument means the same in every function, except for those that are
#: prefixed with the name of a function
EXPECTED = {
    "against": _TABLE,
    "assume": _Expected("a list of assertions", '["EACH RESULT : Age <= 120"]', _each(_text)),
    "below": _Expected("a list of whole numbers", "[2, 5]", _each(_whole)),
    "certificate": _Expected("a path", '"certificate.json"', _path),
    "claims": _Expected("a list of assertions", '["EACH RESULT : Age <= 80"]', _each(_text)),
    "column": _Expected("the name of a column", '"Education"', _text),
    "columns": _Expected("a list of column names, or of lists of them", '["Age", ["Zip", "Sex"]]', _column_sets),
    "dates": _Expected("a dict of column names and formats", '{"Admission": "%d.%m.%Y"}', _by_column(_text)),
    "dbt.released": _Expected("the name of a model", '"people_released"', _text),
    "deadline": _Expected("a number of seconds", "60", _text_or_number),
    "decimal": _Expected("text", '","', _text),
    "delimiter": _Expected("text", '";"', _text),
    "encoding": _Expected("text", '"cp1252"', _text),
    "engine": _Expected("the URL of an engine or a Spark session", '"duckdb"', _engine),
    "compare": _Expected("True or False", "True", _boolean),
    "epsilon": _Expected("a number", '"1"', _text_or_number),
    "force": _Expected("True or False", "True", _boolean),
    "k": _Expected("a whole number", "5", _whole),
    "keep": _NAMES,
    "l": _Expected("a whole number", "3", _whole),
    "lines": _Expected("a whole number", "20", _whole),
    "max_lost": _Expected("a share of the records", '"5%"', _text_or_number),
    "paper": _Expected("True or False", "True", _boolean),
    "hierarchies": _Expected("a dict of column names and levels", '{"Age": "bands:5,10"}', _by_column(_path)),
    "dialect": _Expected("text", '"duckdb"', _text),
    "dry": _Expected("True or False", "True", _boolean),
    "limit": _Expected("a whole number, at least 0", "5", _count),
    "matrix": _Expected("a path", '"matrix.csv"', _path),
    "memory_limit": _Expected("a size", '"2GiB"', _size),
    "missing": _Expected("text, a number, or a dict of columns and these", '"drop"', _missing),
    "model": _Expected("the name of a model", '"people"', _text),
    "new": _POLICY,
    "name": _Expected("text", '"policy.acp"', _text),
    "order": _Expected("text", '"canonical"', _text),
    "old": _POLICY,
    "old_params": _Expected("a dict of names and values", '{"k": 2}', _settings),
    "output": _OUTPUT,
    "params": _Expected("a dict of names and values", '{"k": 2}', _settings),
    "partition": _NAMES,
    "path": _Expected("a path", '"policy.acp"', _path),
    "policy": _POLICY,
    "population": _TABLE,
    "pram.keep": _Expected("a probability", "0.8", _text_or_number),
    "privacy": _Expected("True or False", "True", _boolean),
    "program": _Expected("a tree", 'acompass.load("policy.acp").tree', _tree),
    "progress": _Expected("a function", "lambda done, total: None", _function),
    "python_model": _Expected("True or False", "False", _boolean),
    "qi": _NAMES,
    "record": _Expected("a whole number", "1", _whole),
    "released": _TABLE,
    "report": _Expected("a path", '"report.html"', _path),
    "report_internal": _Expected("a path", '"internal.html"', _path),
    "round": _Expected("a whole number", "100", _whole),
    "sampling_weight": _Expected("text", '"Weight"', _text),
    "schema": _Expected("a dict of column names and types", '{"Age": "integer"}', _schema),
    "seconds": _Expected("a number", "10", _number),
    "seed": _Expected("text", '"a secret"', _text),
    "sensitive": _NAMES,
    "sheet": _Expected("text", '"Sheet1"', _text),
    "show": _Expected("a whole number, at least 0", "3", _count),
    "show_records": _Expected("True or False", "True", _boolean),
    "source": _Expected("True or False", "True", _boolean),
    "stopped": _Expected("a function", "lambda: False", _function),
    "style": _Expected("text", '"uniform"', _text),
    "t": _Expected("a number", "0.2", _text_or_number),
    "table": _TABLE,
    "text": _Expected("text", '"EACH RESULT : Age <= 80;"', _text),
    "trace": _Expected("a list of numbers", '["0.5", "0.25"]', _values),
    "types": _Expected("a dict of column names and types", '{"Age": "integer"}', _schema),
    "uniform": _Expected("True or False", "True", _boolean),
    "weight": _Expected("text", '"Weight"', _text),
    "where": _Expected("text", "\"Age = 86 AND Zip = '21401'\"", _text),
}
#: arguments that Python passes to methods
_OWN = ("self", "cls")


def is_file(table: Any) -> bool:
    """Whether a string or path names files, judging by its suffix or folder, rather than a database table."""
    if not isinstance(table, str | os.PathLike):
        return False
    text = os.fspath(table)
    has_folder = "/" in text and not text.startswith('"')
    return text == STANDARD_INPUT or text.lower().endswith(_TABLE_SUFFIXES) or has_folder
