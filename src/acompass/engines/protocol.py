"""The interface of an engine: open a table, load it for a policy, run the plan, deliver the result.

The caller supplies the source of the random trace (D19, seeds; D20, given traces) and the destination of the result,
which is checked before anything runs.
"""

import os
import secrets
import shlex
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from acompass.arguments import is_file
from acompass.dataclasses import dataclass, replace
from acompass.engines.errors import Cancellation
from acompass.errors.diagnostics import CallError, Diagnostic, Label, Span, option_text
from acompass.errors.display import reason_of
from acompass.language.program.effects import kernel_of
from acompass.language.program.keys import SHORTEST_KEY, Key
from acompass.language.program.program import Program, Verdict
from acompass.language.program.types import Kind, Names, Schema, remaining
from acompass.language.program.uses import ColumnUse
from acompass.plan.lowering.state import State
from acompass.plan.planner import Rewrite
from acompass.plan.run.context import Context, Observer, Progress, Session
from acompass.plan.stages import Sample, Stage
from acompass.tables import format_errors
from acompass.tables.formats import UTF_8, CsvStyle, Options, ReadingOptions
from acompass.tables.output import output_format, require_folder, require_writable
from acompass.tables.source import Source, can_encode

if TYPE_CHECKING:
    from acompass.engines.duckdb.table import DuckDBTable

TraceValue: TypeAlias = str | Fraction | Decimal | float | int

#: a seed of fewer characters can be guessed (D39)
SHORTEST_SEED = 16
_SEED_VARIABLE = "ACOMPASS_SEED"
_LONGEST_SEED = 100_000
_KEY_VARIABLE = "ACOMPASS_KEY"
_LONGEST_KEY = 100_000


@dataclass(frozen=True, repr=False)
class TraceSource:
    """Either a seed or values. The seed is secret, so the class has no repr."""

    seed: str | None
    values: tuple[Fraction, ...] | None
    is_given: bool = True  # whether the caller or the environment gave it

    @property
    def is_guessable(self) -> bool:
        return self.is_given and self.seed is not None and len(self.seed) < SHORTEST_SEED


@dataclass(frozen=True)
class KeySource:
    """The key of PSEUDONYM and SHIFT, whose repr does not show it."""

    key: Key
    readable_file: str | None = None  # the file that it is from, if other users can read it


@dataclass(frozen=True)
class Destination:
    #: None to return the result as the same kind of table as the input
    path: str | None
    canonical: bool
    force: bool  # write a table that violates the policy
    #: replace an existing database table or folder of Parquet files (D34)
    replace: bool = False
    #: columns to partition by; the path is then a folder of Parquet files
    partition: tuple[str, ...] = ()
    #: write `'` before texts of a CSV file that a spreadsheet would run
    escape_formulas: bool = False

    @property
    def is_csv(self) -> bool:
        path = self.path
        return path is not None and not self.partition and is_file(path) and output_format(path) != ".parquet"


@dataclass(frozen=True)
class Execution:
    """How to execute stages."""

    #: None for a check, which performs no action
    trace: TraceSource | None = None
    #: None to use that of the environment, if an action needs a key
    key: KeySource | None = None
    canonical: bool = False
    #: the number of violating classes or records to fetch for each requirement
    show: int = 0
    progress: Progress | None = None
    observe: Observer | None = None
    #: the caller does not read the resulting table
    verdicts_only: bool = False


@dataclass(frozen=True)
class Outcome:
    """The outcome of the stages; `verdicts` and `samples` are keyed by requirement index."""

    verdicts: Mapping[int, Verdict]
    samples: Mapping[int, Sample]
    records_in: int
    trace_used: int
    context: Context
    left: State  # the resulting table
    written: frozenset[int]  # the columns that an action could write

    @property
    def positions(self) -> tuple[int, ...]:
        """The columns of the resulting table, by their positions in its schema."""
        return remaining(self.left.schema)


class LoadedTable(Protocol):
    """A table whose columns have the types that a policy gives them."""

    @property
    def schema(self) -> Schema: ...

    @property
    def session(self) -> Session: ...

    @property
    def reading(self) -> Session:
        """A session that only reads the table, and needs no other permission."""

    @property
    def state(self) -> State:
        """The table before the policy runs on it."""

    @property
    def style(self) -> CsvStyle:
        """How a CSV output is written."""

    @property
    def dropped(self) -> int:
        """The number of records dropped because of missing values (D11)."""

    @property
    def respelled(self) -> Mapping[str, int]:
        """The number of values in each column that are written in another spelling than in the input (D26)."""

    @property
    def rewrites(self) -> Sequence[Rewrite]:
        """The rewrites to apply to plans for this engine."""

    def require_complete(self) -> None:
        """Raise if a column that the policy names has missing values that were neither dropped nor filled (D11)."""

    def check_destination(self, destination: Destination) -> None:
        """Raise, before anything runs, if the result cannot be written."""

    def execute(self, stages: Sequence[Stage], execution: Execution) -> Outcome: ...

    def count_formulas(self, outcome: Outcome) -> int:
        """The number of texts in the result that a spreadsheet would run as formulas."""

    def deliver(self, outcome: Outcome, destination: Destination) -> Any:
        """Write the result, or return it as the same kind of table as the input."""

    @property
    def statements(self) -> list[str]:
        """The SQL statements sent so far."""


@dataclass(frozen=True)
class About:
    """A description of the engine, for reports."""

    version: str  # its name and version
    has_tables: bool  # whether a bare name such as `people` means a table of the engine rather than a file


class Opener(Protocol):
    """Opens another table in the same engine."""

    def __call__(self, table: Any, options: Options) -> "AbstractContextManager[OpenTable]": ...


class OpenTable(Protocol):
    """A table that stays open for many calls. Until it is loaded, only its column names are known."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def about(self) -> About: ...

    @property
    def cancellation(self) -> Cancellation: ...

    @property
    def duckdb_table(self) -> "DuckDBTable | None":
        """The same table opened in DuckDB; None if only another engine can read it."""

    def load(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> AbstractContextManager[LoadedTable]: ...

    def open_other(self, table: Any, options: Options) -> "AbstractContextManager[OpenTable]":
        """Open another table that one statement can read together with this one."""

    def with_row_keys(self) -> "AbstractContextManager[OpenTable]":
        """The same table with row keys that do not depend on how it is loaded: the positions of its records in the
        input or, if the engine does not keep that order, in canonical order."""

    def cancel(self) -> None:
        """Stop the statement that another thread is waiting for."""


class Engine(Protocol):
    def open(self, table: Any, options: Options) -> AbstractContextManager[OpenTable]: ...

    def session(self) -> AbstractContextManager[Session]:
        """A session without a table, for `conform`."""


def trace_source(
    seed: str | None, trace: Iterable[TraceValue] | None, seed_file: str | os.PathLike[str] | None = None
) -> TraceSource:
    """The source that a call gives, or else the environment; by default, a new seed."""
    if seed is not None and seed_file is not None:
        raise _trace_problem("both a seed and a file with a seed are given", "give only one of them")
    if trace is not None:
        if seed is not None or seed_file is not None:
            raise _trace_problem("both a seed and a trace are given", "give only one of them")
        return TraceSource(None, tuple(_trace_number(value, i) for i, value in enumerate(trace, start=1)))
    if seed is not None:
        return _seeded(seed, "the seed")
    if seed_file is not None:
        return _seeded(_read_seed(seed_file), f"the seed in `{os.fspath(seed_file)}`")
    if (found := os.environ.get(_SEED_VARIABLE)) is not None:
        return _seeded(found, f"the seed in `{_SEED_VARIABLE}`")
    return TraceSource(secrets.token_hex(32), None, is_given=False)


def _seeded(seed: str, what: str) -> TraceSource:
    if not can_encode(seed, UTF_8):
        raise _trace_problem(f"{what} is not valid Unicode", "use letters and digits")
    if not seed:
        raise _trace_problem(f"{what} is empty", "write a secret that cannot be guessed, or give no seed for a new one")
    return TraceSource(seed, None)


def _read_seed(path: str | os.PathLike[str]) -> str:
    """The text of the file without one line end. It may be a pipe, as in `--seed-file <(pass show seed)`."""
    try:
        with open(path, encoding=UTF_8, newline="") as file:
            text = file.read(_LONGEST_SEED + 1)
    except OSError as error:
        reason = reason_of(error)
    except UnicodeDecodeError:
        reason = "not UTF-8 text"
    else:
        if len(text) <= _LONGEST_SEED:
            return text.removesuffix("\r\n") if text.endswith("\r\n") else text.removesuffix("\n")
        reason = f"it has more than {_LONGEST_SEED:,} characters"
    help_ = "write a secret into the file, such as the output of `openssl rand -hex 32`"
    raise _trace_problem(f"cannot read the seed in `{os.fspath(path)}`: {reason}", help_)


def _trace_number(value: TraceValue, place: int) -> Fraction:
    try:
        number = Fraction(Decimal(value.strip())) if isinstance(value, str) else Fraction(value)
    except (ValueError, InvalidOperation, OverflowError, TypeError):
        raise _bad_value(place, "is not a number") from None
    if not 0 <= number < 1:
        raise _bad_value(place, "is not in [0,1)")
    return number


def _bad_value(place: int, problem: str) -> CallError:
    help_ = "a trace contains decimals such as `0.25`, one per line"
    return _trace_problem(f"value {place} of the trace {problem}", help_)


def _trace_problem(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC404", message, help=help_)])


def trace_too_short(needed: int, given: int) -> CallError:
    message = f"the trace has too few values: expected at least {needed:,}, found {given:,}"
    return CallError([Diagnostic("AC405", message, help="give a longer trace, or a seed")])


def key_source(key: bytes | str | None, key_file: str | os.PathLike[str] | None) -> KeySource | None:
    """The key that a call gives (X15)."""
    if key is not None and key_file is not None:
        raise _key_problem("both a key and a file with a key are given", "give only one of them")
    if key is not None:
        return KeySource(_usable_key(key, "the key"))
    return None if key_file is None else _key_of_file(os.fspath(key_file))


def key_of_environment() -> KeySource | None:
    found = os.environ.get(_KEY_VARIABLE)
    return None if found is None else KeySource(_usable_key(os.fsencode(found), f"the key in `{_KEY_VARIABLE}`"))


def _key_of_file(path: str) -> KeySource:
    """It may be a pipe, as in `--key-file <(pass show key)`."""
    try:
        with open(path, "rb") as file:
            secret, mode = file.read(_LONGEST_KEY + 1), os.fstat(file.fileno()).st_mode
    except OSError as error:
        raise _key_problem(f"cannot read the key in `{path}`: {reason_of(error)}", _MAKE_KEY) from None
    is_readable = os.name == "posix" and stat.S_ISREG(mode) and mode & (stat.S_IRGRP | stat.S_IROTH)
    return KeySource(_usable_key(secret, f"the key in `{path}`"), path if is_readable else None)


def _usable_key(secret: bytes | str, what: str) -> Key:
    if isinstance(secret, str):
        if not can_encode(secret, UTF_8):
            raise _key_problem(f"{what} is not valid Unicode", "give it as bytes")
        secret = secret.encode()
    secret = secret.removesuffix(b"\r\n") if secret.endswith(b"\r\n") else secret.removesuffix(b"\n")
    if len(secret) < SHORTEST_KEY:
        raise _key_problem(f"{what} has fewer than {SHORTEST_KEY} bytes, so it could be guessed", _MAKE_KEY)
    if len(secret) > _LONGEST_KEY:
        raise _key_problem(f"{what} has more than {_LONGEST_KEY:,} bytes", _MAKE_KEY)
    return Key(secret)


def readable_key_text(file: str) -> str:
    """The warning AC417."""
    problem = "other users of this computer can read the key, from which every pseudonym and shift can be computed"
    return f"{problem}; run `chmod 600 {shlex.quote(file)}` (AC417)"


_MAKE_KEY = "make a key with `(umask 077; openssl rand -hex 32 > key.txt)`"


def _key_problem(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC416", message, help=help_)])


def key_missing(action: str, span: Span | None) -> CallError:
    given = f"`{option_text('key_file', 'key.txt')}` or in the environment variable `{_KEY_VARIABLE}`"
    help_ = f"{_MAKE_KEY}, keep it, and give it with {given}"
    labels = () if span is None else (Label(span),)
    return CallError([Diagnostic("AC415", f"{action} needs a key", labels, help_)])


def resolve_destination(program: Program, encoding: str, destination: Destination) -> Destination:
    """Replace the partition's column names by the spelling of the released table. `encoding` is that of CSV output."""
    if destination.partition and destination.path is None:
        raise format_errors.partition_without_folder()
    if destination.partition:
        schema = program.requirements[-1].after if program.requirements else program.schema
        return replace(destination, partition=tuple(_partition_columns(schema, destination)))
    if encoding != UTF_8 and destination.is_csv:
        _require_encodable(program, encoding)
    return destination


def require_destination(destination: Destination, source: Source) -> None:
    """Raise if the result cannot be written to this file or folder."""
    if destination.path is None:
        return
    if destination.partition:
        require_folder(destination.path, source, destination.replace)
    else:
        require_writable(destination.path, source)


def _partition_columns(schema: Schema, destination: Destination) -> Iterator[str]:
    released = [schema[position] for position in remaining(schema)]
    names, seen = Names([column.name for column in released]), set[int]()
    for name in destination.partition:
        found = names.find(name)
        if len(found) != 1:
            raise format_errors.unknown_partition(name, names.listing())
        position = found[0]
        if position in seen:
            raise format_errors.partition_twice(name)
        if released[position].type.kind is Kind.OPAQUE:
            raise format_errors.partition_of_nested_values(name)
        seen.add(position)
        yield released[position].name


def _require_encodable(program: Program, encoding: str) -> None:
    """Raise if an action writes text that the encoding lacks. Text of the table was decoded, so it can be encoded."""
    actions = [requirement.action for requirement in program.requirements if requirement.action is not None]
    kernels = [(action.span, kernel) for action in actions if (kernel := kernel_of(action)) is not None]
    unfit = [span for span, kernel in kernels if not all(can_encode(text, encoding) for text in kernel.known_texts())]
    if unfit:
        raise format_errors.not_encodable(encoding, unfit)
