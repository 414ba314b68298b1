"""Groups of options that several calls have, which `options.py` combines; that file has those for reading a table."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict

from acompass import arguments as kinds
from acompass.arguments import Option

if TYPE_CHECKING:
    from acompass.language.program.constants import ParamValue
    from acompass.language.program.types import Type

_Path: TypeAlias = str | os.PathLike[str]

#: the default deadline of a proof, in seconds
DEADLINE = 30


class Params(TypedDict, total=False):
    params: Annotated[
        "Mapping[str, ParamValue] | None",
        Option(kinds.PARAMS, "--set NAME=VALUE"),
        "Values of the policy's parameters.",
        "Overrides the values in acompass.toml.",
    ]


class Roles(TypedDict, total=False):
    person: Annotated[
        str | None,
        Option(kinds.COLUMN, "--person COLUMN", key="person", example='"Patient"'),
        "The column that tells persons apart, if a person can have several records; classes are then counted in "
        "persons. Defaults to that in the table's acompass.toml.",
    ]
    roles: Annotated[
        Mapping[str, Sequence[str]] | None,
        Option(kinds.ROLES),
        "The columns by role: `identifiers`, `quasi_identifiers`, `sensitive` and `other`. Defaults to those in the "
        "table's acompass.toml.",
    ]


class Random(TypedDict, total=False):
    seed: Annotated[
        str | None,
        Option(kinds.TEXT, "--seed TEXT", example='"a secret"'),
        "Seed for RANDOM, which must stay secret; by default, that of ACOMPASS_SEED in the environment, or a new one. "
        "Use a seed for one release only: two releases with one seed draw the same numbers, and comparing them can "
        "undo the random changes.",
        "Other users can see it in the list of processes, but not that of --seed-file.",
    ]
    seed_file: Annotated[
        _Path | None,
        Option(kinds.PATH, "--seed-file FILE", example='"seed.txt"'),
        "Read the seed from this file; one line end is stripped.",
        "For example the output of `openssl rand -hex 32`.",
    ]
    trace: Annotated[
        Iterable[str | Fraction | Decimal | float] | None,
        Option(kinds.VALUES, "--trace FILE"),
        "Random numbers for RANDOM in [0,1).",
        "The file has one decimal in each line.",
    ]


class Key(TypedDict, total=False):
    key: Annotated[
        bytes | str | None,
        Option(kinds.SECRET),
        "Secret key for PSEUDONYM and SHIFT, at least 32 bytes; by default, that of ACOMPASS_KEY in the environment.",
    ]
    key_file: Annotated[
        _Path | None,
        Option(kinds.PATH, "--key-file FILE", example='"key.txt"'),
        "Read the secret key for PSEUDONYM and SHIFT from this file; one line end is stripped.",
        "By default, the key is that of ACOMPASS_KEY in the environment.",
    ]


class Order(TypedDict, total=False):
    order: Annotated[
        str | None,
        Option(kinds.TEXT, "--order canonical", example='"canonical"'),
        "`canonical` sorts the output, so that the same input always gives the same bytes.",
    ]


class Progress(TypedDict, total=False):
    progress: Annotated[
        Callable[[int, int], None] | None,
        Option(kinds.FUNCTION),
        "Called with the number of requirements that are done, and of all of them.",
    ]


class Reports(TypedDict, total=False):
    report: Annotated[
        _Path | None,
        Option(kinds.PATH, "--report HTML"),
        "Also write a page with charts and a certificate for the recipients of the table; it contains no records, "
        "and only values that are released.",
    ]
    report_internal: Annotated[
        _Path | None,
        Option(kinds.PATH, "--report-internal HTML", example='"internal.html"'),
        "Also write an internal page with the values and counts of the original table; do not publish it.",
    ]


class Types(TypedDict, total=False):
    table: Annotated[
        Any,
        Option(kinds.TABLE, "--table TABLE"),
        "Read the names and types of the columns from this table.",
        "Without --types, defaults to the table in the policy's acompass.toml, if it exists.",
    ]
    types: Annotated[
        "Mapping[str, str | Type] | None",
        Option(kinds.TYPES, "--types COLUMN=TYPE"),
        "Types of columns; inferred from the policy by default, and numbers may have any scale.",
        "For example Age=integer.",
    ]


class Deadline(TypedDict, total=False):
    deadline: Annotated[
        float | str,
        Option(kinds.TEXT_OR_NUMBER, "--deadline SECONDS", DEADLINE, example="60"),
        "Give up after this many seconds and report what is left as undecided.",
    ]
