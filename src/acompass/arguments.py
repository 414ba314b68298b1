"""Check the arguments of every public call against the declarations of its options, and document the call from them.

Messages give the kind of a value and never the value itself: it may come from a record."""

import numbers
import operator
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from datetime import date
from decimal import Decimal
from functools import cache, partial, wraps
from typing import Any, Literal, NoReturn, ParamSpec, TypeAlias, TypeVar

from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import CallError, Diagnostic

P = ParamSpec("P")
R = TypeVar("R")

#: how the command line gives a value: one text; a flag; a whole number; texts, names or `NAME=VALUE`, which can be
#: repeated; sets of names, of which each can be repeated; a file of values
Form: TypeAlias = Literal["text", "flag", "number", "numbers", "texts", "names", "pairs", "name sets", "file"]


class _Unfit(Exception):
    """The argument has the wrong type. The message describes what was found."""


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """The values that an argument accepts."""

    words: str
    example: str  # can be pasted
    take: Callable[[Any], Any]  # returns the accepted value, or raises _Unfit
    form: Form = "text"
    least: int | None = None  # of a number on the command line


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """One argument of a call, in Python, on the command line and in an acompass.toml."""

    kind: Kind
    flags: str = ""  # as --help shows them, with the metavariable; empty for arguments that only Python has
    default: Any = None
    key: str = ""  # in the section of a table in an acompass.toml
    example: str = ""  # instead of that of the kind
    earlier: str = ""  # an earlier name, which is still accepted
    #: names other options in braces, as in `{report}`, because interfaces differ; both texts end a declaration
    help: str = ""
    cli_help: str = ""  # what only the command line has

    @property
    def flag(self) -> str:
        """The long form, such as `--output`."""
        return next((word.rstrip(",") for word in self.flags.split() if word.startswith("--")), "")

    @property
    def metavar(self) -> str | None:
        last = self.flags.rpartition(" ")[2]
        return None if last.startswith("-") else last

    @property
    def pasted(self) -> str:
        return self.example or self.kind.example


def declared_option(annotation: Any) -> Option:
    """The option of `Annotated[type, Option(…), "help"]`."""
    option: Option = annotation.__metadata__[0]
    return replace(option, **dict(zip(("help", "cli_help"), annotation.__metadata__[1:], strict=False)))


def declared_options(group: Any) -> dict[str, Option]:
    """The options of a TypedDict, by name."""
    return {name: declared_option(annotation) for name, annotation in group.__annotations__.items()}


def take_value(option: Option, value: Any, fail: Callable[[str], NoReturn]) -> Any:
    """The value that an option accepts. Otherwise, `fail` raises an error, given words for the value."""
    try:
        return option.kind.take(value)
    except _Unfit as found:
        return fail(str(found))


def help_text(option: Option, spell: Callable[[str], str]) -> str:
    """The help, with the options that it names in the spelling of an interface."""
    before, *parts = option.help.split("{")
    return before + "".join(spell(name) + rest for name, _, rest in (part.partition("}") for part in parts))


_PLAIN = re.compile(r"[\w@+=:,./…-]+")


def spell_for_shell(flag: str, value: Any) -> str:
    """A flag with a value that Python would take, such as `--set k=3` for a dict."""
    if isinstance(value, Mapping):
        texts = [f"{name}={_shell_text(each)}" for name, each in value.items()]
    else:  # a tuple has the texts of an option that can be repeated
        texts = [_shell_text(each) for each in (value if isinstance(value, tuple) else (value,))]
    return " ".join(f"{flag} {shell_word(text)}" for text in texts)


def _shell_text(value: Any) -> str:
    if isinstance(value, list | tuple):
        doubled = (name.replace('"', '""') for name in value)
        return ",".join(f'"{each}"' if set(each) & set(',"') else each for each in doubled)
    return "…" if value is ... else str(value)


def shell_word(text: str) -> str:
    """Double quotes, which every shell has, unless the text has a character that they do not protect."""
    if _PLAIN.fullmatch(text):
        return text
    return shlex.quote(text) if set(text) & set('"$`\\!') else f'"{text}"'


def validate_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Raise CallError, before anything runs, if an argument is unknown, missing or of the wrong type.

    An argument whose default is None can be None. The function receives every option of its TypedDict.
    """

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        call = _declared_call(function)
        placed, given = call.take_all(args, kwargs)
        return function(*placed, **given)

    vars(checked)[_MARK] = True
    return checked


#: an attribute of the functions whose arguments are validated
_MARK = "has_declared_arguments"


def unchecked(function: Callable[P, R]) -> Callable[P, R]:
    """The function for arguments that were checked before."""
    inner: Callable[P, R] = function.__wrapped__  # type: ignore[attr-defined]
    return inner


@cache
def _declared_call(function: Callable[..., Any]) -> "_Call":
    return _Call(function)


class _Call:
    """The declared arguments of a function, found when it is first called or documented."""

    def __init__(self, function: Callable[..., Any]):
        code, annotations = function.__code__, function.__annotations__
        placed = code.co_varnames[: code.co_argcount]
        named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        self.name = function.__name__
        self.has_self = placed[:1] in (("self",), ("cls",))
        self.positional = placed[1:] if self.has_self else placed
        own_defaults = function.__defaults__ or ()
        self.defaults: dict[str, Any] = dict(zip(placed[len(placed) - len(own_defaults) :], own_defaults, strict=True))
        self.defaults |= function.__kwdefaults__ or {}
        self.options = {name: declared_option(annotations[name]) for name in (*self.positional, *named)}
        self._filled: dict[str, Any] = {}
        if "options" in annotations:  # Unpack of a TypedDict
            group = declared_options(annotations["options"].__args__[0])
            self.options |= group
            self._filled = {name: option.default for name, option in group.items()}
            self.defaults |= self._filled
        self._earlier = {option.earlier: name for name, option in self.options.items() if option.earlier}

    def take_all(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        own, values = (list(args[:1]), args[1:]) if self.has_self else ([], args)
        given = dict(self._known(values, kwargs))
        placed = [self._take(name, value) for name, value in zip(self.positional, values, strict=False)]
        return own + placed, {**self._filled, **{name: self._take(name, value) for name, value in given.items()}}

    def _known(self, values: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        if len(values) > len(self.positional):
            raise self._error("has too many arguments", f"name the others, for example `{self._keyword_example()}`")
        seen = set(self.positional[: len(values)])
        for written, value in kwargs.items():
            name = self._earlier.get(written, written)
            if name not in self.options:
                raise self._error(f"has no argument `{written}`", self._list_arguments(written))
            if name in seen:
                raise self._error(f"has two values for argument `{name}`", "omit one of them")
            seen.add(name)
            yield name, value
        for name in self.positional:
            if name not in seen and name not in self.defaults:
                raise self._error(f"needs the argument `{name}`", self._help(name))

    def _take(self, name: str, value: Any) -> Any:
        if value is None and self.defaults.get(name, ...) is None:
            return None
        return take_value(self.options[name], value, partial(self._fail, name))

    def _fail(self, name: str, found: str) -> NoReturn:
        message = f"argument `{name}` is {found}, expected {self.options[name].kind.words}"
        raise CallError([Diagnostic("AC407", message, help=self._help(name))]) from None

    def _error(self, problem: str, help_: str) -> CallError:
        return CallError([Diagnostic("AC407", f"`{self.name}` {problem}", help=help_)])

    def _help(self, name: str) -> str:
        return f"for example `{self._example(name)}`"

    def _example(self, name: str) -> str:
        return f"{name}={self.options[name].pasted}"

    def _list_arguments(self, unknown: str) -> str:
        import difflib

        close = difflib.get_close_matches(unknown, self.options, n=1)
        suggestion = f"; did you mean `{close[0]}`?" if close else ""
        return f"arguments: {', '.join(f'`{name}`' for name in self.options)}{suggestion}"

    def _keyword_example(self) -> str:
        return self._example(next((name for name in self.options if name not in self.positional), self.positional[-1]))


def document(value: Any, namesakes: Any = None) -> None:
    """Complete the signature and the docstring of a public function, or of the methods of a class.

    A method without a docstring has that of its namesake. This takes longer than most imports, so it is done only for
    someone who asks the package for the name.
    """
    if isinstance(value, type):
        for name, method in vars(value).items():
            document(getattr(method, "__func__", method), vars(namesakes).get(name) if namesakes else None)
    elif hasattr(value, _MARK) and not hasattr(value, "__signature__"):
        from inspect import cleandoc

        call = _declared_call(value.__wrapped__)
        text = cleandoc(value.__wrapped__.__doc__ or namesakes.__wrapped__.__doc__)
        prose, _, example = text.partition("\n\n>>> ")
        named = (_paragraph(name, each, call.defaults.get(name, ...)) for name, each in call.options.items())
        parts = [prose, "\n".join(["Arguments:", *named])]
        if example:
            parts.append("\n    ".join(["Example:", *f">>> {example}".split("\n")]))
        value.__signature__, value.__doc__ = _signature(value.__wrapped__, call), "\n\n".join(parts)


def _signature(function: Callable[..., Any], call: _Call) -> Any:
    from inspect import Parameter, Signature

    empty = Parameter.empty
    own = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)] if call.has_self else []
    named = [
        Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD if name in call.positional else Parameter.KEYWORD_ONLY,
            default=call.defaults.get(name, empty),
        )
        for name in call.options
    ]
    return Signature([*own, *named], return_annotation=function.__annotations__.get("return", empty))


@cache
def _paragraph(name: str, option: Option, default: Any) -> str:
    from textwrap import fill

    example = "" if option.kind is BOOLEAN else f", such as `{option.pasted}`"
    head = f"{name}: {option.kind.words}{example}; {'required' if default is ... else f'default {default!r}'}"
    indent = " " * 8
    words = fill(help_text(option, lambda other: f"`{other}`"), 100, initial_indent=indent, subsequent_indent=indent)
    return f"{indent[4:]}{head}\n{words}"


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Unfit(kind_in_words(value))
    return value


def _secret(value: Any) -> bytes | str:
    if not isinstance(value, bytes | bytearray | str):
        raise _Unfit(kind_in_words(value))
    return bytes(value) if isinstance(value, bytearray) else value


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


def _missing(value: Any) -> Any:
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


def _rule_columns(value: Any) -> dict[str, tuple[str, ...]]:
    """Accept one column or several for each column of a rule."""
    lists = {name: [each] if isinstance(each, str) else each for name, each in _settings(value).items()}
    return {name: _inside(value, _each(_text), each) for name, each in lists.items()}


def _schema(value: Any) -> Any:
    from acompass.language.program.types import Type

    for type_ in _settings(value).values():
        if not isinstance(type_, Type):
            _inside(value, _text, type_)
    return value


def _policy(value: Any) -> Any:
    from acompass.policy import Policy

    if isinstance(value, os.PathLike):
        return _path(value)
    return value if isinstance(value, Policy) else _text(value)


def _tree(value: Any) -> Any:
    from acompass.language.text.tree import Program

    if not isinstance(value, Program):
        raise _Unfit(kind_in_words(value))
    return value


#: the keys of `roles=`, which are those of an acompass.toml with `_` for `-`
ROLE_NAMES = ("quasi_identifiers", "sensitive", "identifiers", "other")


def _roles(value: Any) -> dict[str, tuple[str, ...]]:
    for name in _settings(value):
        if name not in ROLE_NAMES:
            raise _Unfit(f"a dict with the unknown role `{name}`")
    return {name: _inside(value, _each(_text), names) for name, names in value.items()}


def spell_roles(roles: Mapping[str, Sequence[str]], changed: Sequence[str]) -> str:
    """Some of the roles as lines of an acompass.toml, because they have no flag."""
    import json

    lines = (f"{role.replace('_', '-')} = {json.dumps(list(roles[role]), ensure_ascii=False)}" for role in changed)
    return "` and `".join(lines)


def _engine(value: Any) -> Any:
    return value if type(value).__module__.startswith("pyspark.") else _text(value)


def _is_routine(value: Any) -> bool:
    import inspect

    return inspect.isroutine(value)


STANDARD_INPUT = "-"

PARQUET_SUFFIXES = (".parquet", ".pq")
CSV_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
WORKBOOK_SUFFIXES = (".xlsx", ".xlsm")
TABLE_SUFFIXES = (*CSV_SUFFIXES, *PARQUET_SUFFIXES, *WORKBOOK_SUFFIXES)


def is_file(table: Any) -> bool:
    """Whether a string or path names files, judging by its suffix or folder, rather than a database table."""
    if not isinstance(table, str | os.PathLike):
        return False
    text = os.fspath(table)
    has_folder = "/" in text and not text.startswith('"')
    return text == STANDARD_INPUT or text.lower().endswith(TABLE_SUFFIXES) or has_folder


#: built-in types that are never a table; the engine decides about any other object
_NO_TABLES = (type(None), numbers.Number, Decimal, bytes, bytearray, Set, tuple, date)


@dataclass
class OneShotTable:
    """An iterator of dicts, or a PyArrow record batch reader. The first engine to open it reads it, and stores the
    content for later ones, such as that of a report."""

    given: Iterator[Any]
    content: Any = field(default=None, repr=False)  # None until it is read


def _table(value: Any) -> Any:
    if isinstance(value, _NO_TABLES) or _is_routine(value):
        raise _Unfit(kind_in_words(value))
    match value:
        case list():
            _require_all(dict, value, value)
        case Mapping():
            _require_all((list, tuple), value, value.values())
        case str() | os.PathLike():
            return _unicode_path(value)
        case Iterator():
            return OneShotTable(value)
    return value


def _require_all(kinds: type | tuple[type, ...], whole: Any, parts: Iterable[Any]) -> None:
    for part in parts:
        if not isinstance(part, kinds):
            raise _Unfit(f"{kind_in_words(whole)} that contains {kind_in_words(part)}")


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


TEXT = Kind("text", '"text"', _text)
SECRET = Kind("bytes or text", 'open("key.txt", "rb").read()', _secret)
TEXT_OR_NUMBER = Kind("a number", "1", _text_or_number)
WHOLE = Kind("a whole number", "5", _whole, "number")
COUNT = Kind("a whole number, at least 0", "3", _count, "number", 0)
BOOLEAN = Kind("True or False", "True", _boolean, "flag")
FUNCTION = Kind("a function", "lambda done, total: None", _function)
PATH = Kind("a path", '"report.html"', _path)
UNICODE_PATH = Kind("a path", '"released.csv"', _unicode_path)
COLUMN = Kind("the name of a column", '"Age"', _text)
NAMES = Kind("a list of column names", '["Age", "Zip"]', _each(_text), "names")
ROLES = Kind(f"a dict of lists of column names by role ({', '.join(ROLE_NAMES)})", '{"identifiers": ["Name"]}', _roles)
COLUMNS = Kind(NAMES.words, NAMES.example, NAMES.take, "texts")
NAME_SETS = Kind("a list of column names, or of lists of them", '["Age", ["Zip", "Sex"]]', _column_sets, "name sets")
WORDS = Kind("a list of texts", '["NA"]', _each(_text), "texts")
TEXTS = Kind("a list of assertions", '["EACH RESULT : Age <= 80"]', _each(_text), "texts")
WHOLES = Kind("a list of whole numbers", "[2, 5]", _each(_whole), "numbers", 1)
VALUES = Kind("a list of numbers", '["0.5", "0.25"]', _values, "file")
PARAMS = Kind("a dict of names and values", '{"k": 2}', _settings, "pairs")
TYPES = Kind("a dict of column names and types", '{"Age": "integer"}', _schema, "pairs")
RULE_COLUMNS = Kind("a dict of columns of the rule and of the table", '{"zip": "Zip"}', _rule_columns, "pairs")
MISSING = Kind("text, a number, or a dict of columns and these", '"drop"', _missing, "texts")
FORMATS = Kind("a dict of column names and formats", '{"Admission": "%d.%m.%Y"}', _by_column(_text), "texts")
LEVELS = Kind("a dict of column names and levels", '{"Age": "bands:5,10"}', _by_column(_path), "texts")
SIZE = Kind("a size", '"2GiB"', _size)
ENGINE = Kind("the URL of an engine or a Spark session", '"duckdb"', _engine)
TABLE = Kind("a path, a data frame, a list or iterator of dicts, or a dict of lists", '"people.csv"', _table)
POLICY = Kind("a policy, its text, or the Path of its file", 'acompass.load("policy.acp")', _policy)
TREE = Kind("a tree", 'acompass.load("policy.acp").tree', _tree)
