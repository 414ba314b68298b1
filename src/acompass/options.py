"""Every option of a call, declared once: its name and type in Python, its flag on the command line, and its meaning.

A call has one TypedDict. `arguments.py` checks and documents its keywords, `cli/options.py` makes its flags, and
`policy.py` reads the keys of an acompass.toml, all from these declarations."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict, is_typeddict

from acompass import arguments as kinds
from acompass.arguments import Option, declared_option, declared_options, spell_for_shell
from acompass.option_groups import Deadline, Key, Order, Params, Progress, Random, Reports, Roles, Types

if TYPE_CHECKING:
    from acompass.language.program.constants import ParamValue
    from acompass.language.program.types import Type
    from acompass.language.text.tree import Program
    from acompass.policy import Policy

#: one choice for all columns, a choice by column, or texts such as `drop` and `Zip=?`
MissingArgument: TypeAlias = str | Mapping[str, str] | tuple[str, ...]
#: texts that count as missing values, such as `NA` (D11, missing values)
NaArgument: TypeAlias = Sequence[str]
#: formats of local dates by column (D28, local dates), or texts such as `Admission=%d.%m.%Y`
DatesArgument: TypeAlias = Mapping[str, str] | tuple[str, ...]
#: for each column a hierarchy file, `bands:5,10`, `prefix:4,3` or `dates`; or texts such as `Age=bands:5,10`
HierarchiesArgument: TypeAlias = Mapping[str, str | os.PathLike[str]] | tuple[str, ...]
#: for each column `high`, `low` or a number, or texts such as `Age=high`
ImportanceArgument: TypeAlias = str | Mapping[str, str | float] | tuple[str, ...]

_Path: TypeAlias = str | os.PathLike[str]

#: ways to handle missing values other than replacing them (D11, missing values)
ERROR = "error"
DROP = "drop"

#: default limits of a search: the number of steps, including the final REJECT, and the share of records to drop
LINES = 30
MOST_LOST = "5%"

# Arguments with a position

PolicyArgument: TypeAlias = Annotated["Policy | str | os.PathLike[str]", Option(kinds.POLICY), "The policy."]
PolicyText: TypeAlias = Annotated[str, Option(kinds.TEXT, example='"EACH RESULT : Age <= 80;"'), "The policy's text."]
PolicyName: TypeAlias = Annotated[str, Option(kinds.TEXT, example='"policy.acp"'), "The name in messages."]
PolicyPath: TypeAlias = Annotated[_Path, Option(kinds.PATH, example='"policy.acp"'), "The file, in UTF-8."]
PolicyTree: TypeAlias = Annotated["Program", Option(kinds.TREE), "The tree of the policy."]
PaperOnly: TypeAlias = Annotated[
    bool,
    Option(kinds.BOOLEAN, "--paper", default=False),
    "Reject extensions of the paper's language, such as GENERALIZE.",
]
TableArgument: TypeAlias = Annotated[
    Any,
    Option(kinds.TABLE, key="table"),
    "The table; data frames are from pandas, Polars, PyArrow, DuckDB, Ibis or Spark.",
]
QuasiIdentifiers: TypeAlias = Annotated[
    Sequence[str] | None,
    Option(kinds.NAMES, "--qi A,B", key="quasi-identifiers"),
    "The quasi-identifiers.",
    'Quote a name that contains a comma with "". Defaults to those in the table\'s acompass.toml.',
]
SensitiveColumns: TypeAlias = Annotated[
    Sequence[str] | None,
    Option(kinds.NAMES, "--sensitive S", key="sensitive"),
    "The sensitive columns.",
    "Defaults to those in the table's acompass.toml.",
]
WeightColumn: TypeAlias = Annotated[
    str | None,
    Option(kinds.COLUMN, "--weight NUMBER", example='"Number"'),
    "The column with the number of people that each record stands for; decimals are allowed.",
]
ClassSize: TypeAlias = Annotated[
    int, Option(kinds.WHOLE, "--k K"), "Require at least this many records, or persons with {person}, in every class."
]
ColumnArgument: TypeAlias = Annotated[str, Option(kinds.COLUMN, example='"Disease"'), "The column that is randomized."]
KeepProbability: TypeAlias = Annotated[
    "str | float | None",
    Option(kinds.TEXT_OR_NUMBER, "--keep Q", example="0.8"),
    "The probability that a record keeps its value; optional with {matrix}.",
]
Claims: TypeAlias = Annotated[
    Sequence[str] | None,
    Option(kinds.TEXTS, "--claim CLAIM"),
    "Prove these instead of the policy's own assertions. A claim is an assertion, `idempotent`, `order of 3, 5` for"
    " two lines, or `Age unchanged` for a column.",
]
SchemaArgument: TypeAlias = Annotated[
    "Mapping[str, str | Type] | None", Option(kinds.TYPES), "The names and types of all columns of the table."
]
RuleName: TypeAlias = Annotated[
    _Path, Option(kinds.PATH, example='"cms-cell-size"'), "The name of the rule, or the path of its folder."
]
CheckedRule: TypeAlias = Annotated[
    str | None,
    Option(kinds.TEXT, "--rule NAME"),
    "Check TABLE against a published rule, in place of a policy.",
    "The name of the rule, or the path of its folder; `acompass rules` lists them.",
]
TableOfRule: TypeAlias = Annotated[
    Any, Option(kinds.TABLE), "The table to write the policy for; by default, one with the rule's own columns."
]
ModelName: TypeAlias = Annotated[
    str,
    Option(kinds.TEXT, "--model NAME", example='"people"'),
    "The original table: a model, seed or snapshot, or source:NAME.TABLE.",
]


# More groups of options that several calls have, first those for reading a table


class _Missing(TypedDict, total=False):
    missing: Annotated[
        MissingArgument | None,
        Option(kinds.MISSING, "--missing drop|VALUE|COLUMN=…", key="missing"),
        "`drop` drops records with missing values in columns that the policy names; any other text or number "
        "replaces missing values.",
        "COLUMN=drop and COLUMN=VALUE apply to one column.",
    ]


class _Na(TypedDict, total=False):
    na: Annotated[
        NaArgument | None,
        Option(kinds.WORDS, "--na TEXT", key="na"),
        "Texts that count as missing values in columns of text, in addition to empty fields.",
        "For example NA.",
    ]


class _Dates(TypedDict, total=False):
    dates: Annotated[
        DatesArgument | None,
        Option(kinds.FORMATS, "--dates COLUMN=FORMAT", key="dates"),
        "Parse text columns as dates, by the format of each; they are written in ISO format.",
        "For example Admission=%d.%m.%Y.",
    ]


class _Files(TypedDict, total=False):
    delimiter: Annotated[
        str | None,
        Option(kinds.TEXT, "--delimiter CHARACTER", key="delimiter", example='";"'),
        "Delimiter of CSV files; detected by default.",
    ]
    encoding: Annotated[
        str | None,
        Option(kinds.TEXT, "--encoding NAME", key="encoding", example='"cp1252"'),
        "Encoding of CSV files; UTF-8 unless a byte order mark says otherwise.",
        "For example cp1252.",
    ]
    decimal: Annotated[
        str | None,
        Option(kinds.TEXT, "--decimal MARK", key="decimal", example='","'),
        "Decimal mark in CSV files: `.` (the default) or `,`",
    ]
    sheet: Annotated[
        str | None,
        Option(kinds.TEXT, "--sheet NAME", key="sheet", example='"Sheet1"'),
        "Sheet of an .xlsx workbook; the first one by default.",
    ]
    header: Annotated[
        bool | None,
        Option(kinds.BOOLEAN, "--header", key="header"),
        "Whether the first line of CSV files is known to be a header, even if it looks like a record.",
        "The first line of CSV files is a header, even if it looks like a record.",
    ]
    engine: Annotated[
        Any,
        Option(kinds.ENGINE, "--engine URL", key="engine"),
        "Where to run: duckdb (the default), reference, or a URL.",
    ]
    memory_limit: Annotated[
        str | None,
        Option(kinds.SIZE, "--memory-limit SIZE", key="memory-limit"),
        "Memory to use before spilling to disk.",
        "For example 2GiB.",
    ]


class Reading(_Missing, _Na, _Dates, total=False):
    """How to read a table; a call on a session can differ from the session in these."""


class Opening(Reading, _Files, total=False):
    """How to read a table: the arguments of `acompass.open`, and the reading options of every command."""


class _Paper(TypedDict, total=False):
    paper: PaperOnly


class Hierarchies(TypedDict, total=False):
    hierarchies: Annotated[
        HierarchiesArgument | None,
        Option(kinds.LEVELS, "--hierarchy COLUMN=LEVELS", key="hierarchies"),
        "Levels of columns: a hierarchy file, `bands:5,10,20`, `prefix:4,3,2` or `dates`. Other columns get levels "
        "derived from their values.",
        "Defaults to those in the table's acompass.toml.",
    ]


# The options of each call


class _Show(TypedDict, total=False):
    show: Annotated[
        int,
        Option(kinds.COUNT, "--show N", 0),
        "Also show up to this many violating classes or records for each requirement; they are personal data.",
    ]


class CheckOptions(Params, Roles, Reports, _Paper, Progress, Reading, _Show, total=False):
    """The options of `Session.check`."""


class CheckOnTable(CheckOptions, _Files, total=False):
    """The options of `check`, which opens its table."""


class PlanOptions(Params, Roles, Random, Key, Order, _Paper, Progress, Reading, total=False):
    """The options that do not depend on where a run writes its output."""


class PlanOnTable(PlanOptions, _Files, total=False):
    """The options of `plan`, which opens its table."""


class _Output(TypedDict, total=False):
    output: Annotated[
        _Path | None,
        Option(kinds.UNICODE_PATH, "-o, --output OUT"),
        "File or table to write. It is not written if it would violate the policy, unless {force} is given. The input "
        "is never overwritten.",
        "- for standard output.",
    ]
    partition: Annotated[
        Sequence[str] | None,
        Option(kinds.COLUMNS, "--partition COLUMN"),
        "Write {output} as a folder of Parquet files, with a subfolder for each value of these columns.",
    ]
    force: Annotated[bool, Option(kinds.BOOLEAN, "--force", False), "Write the output even if it violates the policy."]
    replace: Annotated[
        bool,
        Option(kinds.BOOLEAN, "--replace", False),
        "Replace an existing database table or folder of Parquet files. Other files are always replaced.",
    ]
    escape_formulas: Annotated[
        bool,
        Option(kinds.BOOLEAN, "--escape-formulas", False),
        "Write `'` before texts of a CSV file that a spreadsheet would run as a formula, such as =SUM(A1).",
    ]


class RunOptions(_Output, PlanOptions, Reports, total=False):
    """The options of `Session.run`."""


class RunOnTable(RunOptions, _Files, total=False):
    """The options of `run`, which opens its table."""


class ExplainOptions(Params, Random, Key, _Paper, Reading, total=False):
    record: Annotated[
        int | None,
        Option(kinds.Kind("a whole number", "5", kinds.WHOLE.take, "number", 1), "--record N"),
        "Explain the record with this number, counting from 1; in canonical order for PostgreSQL and Spark.",
    ]
    where: Annotated[
        str | None,
        Option(kinds.TEXT, "--where CONDITION", example="\"Age = 86 AND Zip = '21401'\""),
        "Explain the records of the table that satisfy this condition.",
    ]
    limit: Annotated[
        int, Option(kinds.COUNT, "--limit N", 5, example="5"), "With {where}, explain at most this many records."
    ]


class ExplainOnTable(ExplainOptions, _Files, total=False):
    """The options of `explain`, which opens its table."""


class MeasureOptions(Hierarchies, Roles, Reports, _Paper, total=False):
    policy: Annotated[
        "Policy | str | os.PathLike[str] | None",
        Option(kinds.POLICY, "--policy POLICY"),
        "Use the columns that this policy groups by, and those in its COUNT DISTINCT and SHARE OF MODE, where {qi} or "
        "{sensitive} is not given.",
    ]
    against: Annotated[
        Any,
        Option(kinds.TABLE, "--against OTHER"),
        "The original table, to compare columns with and to measure the loss by {hierarchies}. {dates} then apply "
        "to this table.",
    ]
    population: Annotated[
        Any,
        Option(kinds.TABLE, "--population POP", example='"register.csv"'),
        "The table of the population that the records were sampled from, for journalist risk.",
    ]
    sampling_weight: Annotated[
        str | None,
        Option(kinds.COLUMN, "--sampling-weight WEIGHT", example='"Weight"'),
        "The column with the number of people in the population that each record of the sample represents, for "
        "journalist and individual risk; decimals are allowed.",
    ]
    below: Annotated[
        Sequence[int] | None,
        Option(kinds.WHOLES, "--below K"),
        "Count the records in classes smaller than each of these; with {sampling_weight}, also those with a risk "
        "above 1/K.",
    ]
    records: Annotated[
        _Path | None,
        Option(kinds.UNICODE_PATH, "--records FILE", example='"risk.csv"'),
        "Also write the risk of each record to this file (.csv, .csv.gz or .parquet). It is personal data: do not "
        "publish it.",
    ]


class MeasureOnTable(MeasureOptions, _Na, _Dates, _Files, total=False):
    """The options of `measure`, which opens its table. Missing values are values of their own there."""


_IMPORTANCE = '{"Age": "high"}'


class SuggestOptions(Hierarchies, Roles, Reading, total=False):
    sensitive: SensitiveColumns
    l: Annotated[  # noqa: E741
        int | None,
        Option(kinds.WHOLE, "--l L", example="3"),
        "Require at least this many values of each sensitive column in every class.",
    ]
    t: Annotated[
        str | float | None,
        Option(kinds.TEXT_OR_NUMBER, "--t T", example="0.2"),
        "Require t-closeness with this T on this table; it cannot be guaranteed for other tables.",
    ]
    max_lost: Annotated[
        str | float | None,
        Option(kinds.Kind("a share of the records", '"5%"', kinds.TEXT_OR_NUMBER.take), "--max-lost SHARE", MOST_LOST),
        "The share of the records that may be dropped.",
    ]
    lines: Annotated[
        int | None,
        Option(kinds.WHOLE, "--lines N", LINES, example="20"),
        "Use at most this many steps, including the final REJECT.",
    ]
    deadline: Annotated[
        float | str | None,
        Option(kinds.TEXT_OR_NUMBER, "--deadline SECONDS", example="10", earlier="seconds"),
        "End the search after this many seconds, with the best policy found so far.",
    ]
    change_last: Annotated[
        Sequence[str] | None,
        Option(kinds.NAMES, "--change-last A,B", earlier="keep"),
        "Quasi-identifiers to change last, like {importance} `high`.",
    ]
    importance: Annotated[
        ImportanceArgument | None,
        Option(
            kinds.Kind("a dict of columns and `high`, `low` or numbers", _IMPORTANCE, kinds.MISSING.take, "texts"),
            "--importance COLUMN=high|low|N",
        ),
        "How much the search weighs the loss of a quasi-identifier: `high` to change it last, `low` to give it up "
        "first, or a positive number; 1 by default. The reported loss has no weights.",
    ]
    style: Annotated[
        str,
        Option(kinds.TEXT, "--style cascade|uniform|stars|all", "cascade", example='"uniform"'),
        "cascade: generalize small classes step by step; uniform: use one level per column for all records; stars: "
        "use one level, and * in small classes; all: search for each of them, also with fewer dropped records, and "
        "compare the answers.",
    ]
    compare: Annotated[
        bool, Option(kinds.BOOLEAN, "--compare", False), "Also find the lowest loss for each number of lines."
    ]
    output: Annotated[
        _Path | None,
        Option(kinds.UNICODE_PATH, "-o, --output POLICY", example='"release.acp"'),
        "File to write the policy to.",
        "- for standard output.",
    ]
    stopped: Annotated[
        "Callable[[], bool] | None",
        Option(kinds.FUNCTION, example="lambda: False"),
        "Returns True to end the search with the best policy found so far.",
    ]
    progress: Annotated[
        "Callable[[float, float], None] | None",
        Option(kinds.FUNCTION, example="lambda done, loss: None"),
        "Called with the fraction done and the lowest loss.",
    ]
    found: Annotated[
        Callable[[Any], None] | None,
        Option(kinds.FUNCTION, example="lambda alternatives: None"),
        "With {style} `all`, called with the alternatives so far, a tuple, when the search for one begins or ends.",
    ]


class SuggestOnTable(SuggestOptions, _Files, total=False):
    """The options of `suggest`, which opens its table."""


class PramOptions(Reading, total=False):
    matrix: Annotated[
        _Path | None,
        Option(kinds.PATH, "--matrix FILE", example='"matrix.csv"'),
        "A CSV file with the transition matrix: a header of values, then for each value a row of probabilities, "
        "such as 0.8 or 4/5.",
    ]
    uniform: Annotated[bool, Option(kinds.BOOLEAN, "--uniform", False), "Draw every value with the same probability."]
    round: Annotated[
        int | None, Option(kinds.WHOLE, "--round N", example="100"), "Round the policy's counts to multiples of this."
    ]
    output: Annotated[
        _Path | None,
        Option(kinds.UNICODE_PATH, "-o, --output POLICY", example='"pram.acp"'),
        "File to write the policy to.",
        "Standard output by default.",
    ]


class PramOnTable(PramOptions, _Files, total=False):
    """The options of `pram`, which opens its table."""


class EstimateOptions(Params, _Paper, Reading, total=False):
    """The options of `Session.estimate`."""


class EstimateOnTable(EstimateOptions, _Files, total=False):
    """The options of `estimate`, which opens its table."""


class ProveOptions(Types, Params, Deadline, _Paper, Opening, total=False):
    assume: Annotated[
        Sequence[str] | None,
        Option(kinds.TEXTS, "--assume ASSERTION", example='["EACH RESULT : Age <= 120"]'),
        "Assume that the input table satisfies these.",
    ]
    privacy: Annotated[
        bool,
        Option(kinds.BOOLEAN, "--privacy", False),
        "Also prove how much the output can reveal about one record; requires {table}, or {types} for each column.",
    ]
    columns: Annotated[
        Sequence[str | Sequence[str]] | None,
        Option(kinds.NAME_SETS, "--columns A,B"),
        "With {privacy}, analyze a record's values in the columns of each set together, instead of column by column.",
    ]
    epsilon: Annotated[
        str | float,
        Option(kinds.TEXT_OR_NUMBER, "--epsilon NUMBER", "1", example='"1"'),
        "With {privacy}, the ε at which δ is computed for adding or removing one record.",
    ]
    certificate: Annotated[
        _Path | None,
        Option(kinds.PATH, "--certificate JSON", example='"certificate.json"'),
        "Also write a certificate of the proofs, for the verified checker.",
    ]


class CompareOptions(Types, Params, Deadline, _Paper, Opening, total=False):
    old_params: Annotated[
        "Mapping[str, ParamValue] | None",
        Option(kinds.PARAMS, "--set-old NAME=VALUE"),
        "Values of the old policy's parameters that differ from {params}.",
    ]


class LintOptions(Types, Params, Deadline, _Paper, Opening, total=False):
    """The options of `lint`."""


class RuleColumns(TypedDict, total=False):
    columns: Annotated[
        Mapping[str, str | Sequence[str]] | None,
        Option(kinds.RULE_COLUMNS, "--column RULE=COLUMN"),
        "The columns of the table for a column of the rule, if its role, name and values do not show them.",
        "RULE=A,B for several columns, RULE= for none.",
    ]


class RuleCheckOptions(RuleColumns, Params, Roles, Reports, Progress, Opening, _Show, total=False):
    """The options of `rules.check`."""


class RuleOptions(RuleColumns, Params, Opening, total=False):
    output: Annotated[
        _Path | None,
        Option(kinds.UNICODE_PATH, "-o, --output POLICY", example='"release.acp"'),
        "File to write the policy to; the rule's reference tables are written to the same folder.",
        "- for standard output.",
    ]
    ask: Annotated[
        "Callable[[str], str] | None",
        Option(kinds.FUNCTION, example="input"),
        "Called with a question about each column of the rule that is in doubt; returns the answer. By default, a "
        "doubt is an error.",
    ]


class DbtOptions(Types, Params, _Paper, Opening, total=False):
    released: Annotated[
        str | None,
        Option(kinds.TEXT, "--released NAME", example='"people_released"'),
        "The released model; the name of {model} with _released by default.",
    ]
    source: Annotated[
        bool, Option(kinds.BOOLEAN, "--source", False), "Test {model} itself, as `check` does; write no Python model."
    ]
    python_model: Annotated[
        bool,
        Option(kinds.BOOLEAN, "--no-model", True, example="False"),
        "Whether to write a Python model, which another step may create instead.",
        "Write no Python model, because another step creates the released one.",
    ]
    dialect: Annotated[
        str,
        Option(kinds.TEXT, "--dialect NAME", "duckdb", example='"spark"'),
        "SQL dialect: duckdb, postgres or spark.",
    ]
    schema: SchemaArgument
    show_records: Annotated[
        bool,
        Option(kinds.BOOLEAN, "--show-records", False),
        "Let failing tests select the violating classes and records.",
    ]
    output: Annotated[
        _Path | None,
        Option(kinds.UNICODE_PATH, "-o, --output FOLDER", example='"warehouse"'),
        "The folder of the dbt project, which contains dbt_project.yml.",
        "The current folder by default.",
    ]
    force: Annotated[bool, Option(kinds.BOOLEAN, "--force", False), "Also replace files not written by this command."]
    dry: Annotated[bool, Option(kinds.BOOLEAN, default=False), "Write nothing; list the files that would change."]


_SHARED_GROUPS = (Types, Params, Random, Key, Order, Deadline, Reports, _Paper)
#: the options that many calls have, which --help lists after those of the command
SHARED: tuple[str, ...] = tuple(name for group in _SHARED_GROUPS for name in group.__annotations__)


@cache
def flags_by_name() -> dict[str, str]:
    """The long flag of every option, by its name in Python."""
    groups = (group for group in globals().values() if is_typeddict(group))
    found = {name: option.flag for group in groups for name, option in declared_options(group).items()}
    return {**found, "claims": declared_option(Claims).flag}


def command_line_spelling(name: str, *value: Any) -> str:
    """An option as a shell takes it, such as `--missing drop`; see `errors.diagnostics.option_text`."""
    if name == "roles" and value:
        return kinds.spell_roles(*value)
    flag = flags_by_name().get(name) or f"--{name.replace('_', '-')}"
    return flag if not value or isinstance(value[0], bool) else spell_for_shell(flag, value[0])
