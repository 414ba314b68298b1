"""The stable codes of diagnostics, with their titles and Markdown pages, and the page about attacks.

The pages are in docs; the wheel contains a copy."""

import re
from pathlib import Path

CODES: dict[str, str] = {
    # AC0xx: the text of a policy
    "AC001": "unexpected character",
    "AC002": "missing closing single quote",
    "AC003": "missing closing double quote",
    "AC004": "missing end of a comment",
    "AC005": "malformed number",
    "AC006": "empty name",
    "AC007": "curly quotes",
    "AC008": "`allow` without a reason",
    "AC010": "missing semicolon",
    "AC011": "missing colon",
    "AC012": "missing condition",
    "AC013": "missing AS",
    "AC014": "unexpected word or sign",
    "AC015": "incomplete requirement",
    "AC016": "reserved word used as a name",
    "AC017": "constant in double quotes",
    "AC018": "name in single quotes",
    "AC019": "misspelled keyword",
    "AC020": "condition nested too deeply",
    "AC021": "number that is not an integer",
    "AC022": "constant of several words",
    "AC023": "malformed aggregate",
    "AC024": "unknown action",
    "AC025": "condition without a comparison",
    "AC026": "condition right after RESULT or RECORD",
    "AC027": "partly quoted name",
    "AC028": "empty requirement",
    "AC030": "`≠`",
    "AC031": "unknown comparison operator",
    "AC032": "malformed `IN` list",
    "AC033": "malformed `BETWEEN`",
    "AC034": "unsupported `LIKE` pattern",
    "AC035": "COMPASS's `ZERO`",
    "AC036": "COMPASS's `JOIN`",
    "AC037": "an SQL statement",
    "AC038": "`IS NULL`",
    "AC039": "`&&`, `||` and `!`",
    "AC040": "another word for RESULT",
    "AC041": "words between the bounds of RANDOM",
    "AC042": "REPLACE without WITH",
    "AC043": "number with a comma",
    "AC044": "comma in a condition",
    "AC045": "constant before the comparison operator",
    "AC046": "comments with `#` or `//`",
    "AC047": "malformed `GENERALIZE`",
    "AC048": "DROP without ALWAYS",
    "AC049": "ALWAYS with an assertion, or an action without either",
    "AC050": "misplaced THEN",
    "AC051": "invalid probability",
    "AC052": "invalid weight",
    "AC053": "misplaced or incomplete WITH PROBABILITY",
    "AC054": "outcome that is too rare",
    "AC055": "malformed `RANDOM … FROM`",
    "AC060": "a form beyond the paper",
    "AC061": "a requirement that the core cannot express",
    # AC1xx: the policy and the table's columns
    "AC101": "unknown column",
    "AC102": "ambiguous column name",
    "AC103": "name not visible after PROCESS",
    "AC104": "aggregate name already in use",
    "AC105": "duplicate column in GROUP BY",
    "AC106": "unbound parameter",
    "AC107": "unused parameter",
    "AC108": "column in place of a constant",
    "AC109": "invalid setting",
    "AC110": "constant and column of different types",
    "AC111": "invalid constant for its column",
    "AC112": "aggregate of an unsuitable column",
    "AC113": "number in a boolean, date or timestamp column",
    "AC114": "RANDOM on a boolean, date or timestamp column",
    "AC115": "invalid bounds of RANDOM",
    "AC116": "number too long or too large",
    "AC117": "column of an unsupported type",
    "AC118": "number expected after a column became text",
    "AC119": "map that cannot follow an earlier line",
    "AC120": "invalid constants in a map",
    "AC121": "map applied to an unsuitable column",
    "AC122": "unusable hierarchy",
    "AC123": "dropped column",
    "AC124": "misplaced DROP",
    "AC125": "numbers and text in one `RANDOM … FROM`",
    "AC126": "duplicate value in `RANDOM … FROM`",
    # AC2xx: tables
    "AC201": "table not found",
    "AC202": "folder instead of a table",
    "AC203": "unreadable table",
    "AC204": "table without column names",
    "AC205": "text in another encoding",
    "AC206": "too many or too few fields in a record",
    "AC207": "unclosed quote in a CSV file",
    "AC208": "duplicate column name",
    "AC209": "files that do not form one table",
    "AC210": "column with values that are not numbers",
    "AC211": "numbers with more than 38 digits",
    "AC212": "missing values",
    "AC213": "missing values filled with another type",
    "AC214": "incomplete file",
    "AC215": "values without an exact representation",
    "AC216": "column of mixed types",
    "AC217": "unsupported kind of table",
    "AC218": "missing library",
    "AC219": "column name that is not text",
    "AC220": "output is the input",
    "AC221": "output folder does not exist",
    "AC222": "output cannot be written",
    "AC223": "disk full",
    "AC224": "unknown output format",
    "AC225": "unknown delimiter",
    "AC226": "column without an order",
    "AC230": "number with leading zeros",
    "AC231": "numbers ordered as text",
    "AC232": "text compared with a date",
    "AC233": "invalid choice for missing values",
    "AC234": "values that are not dates in the given format",
    "AC235": "invalid date format",
    "AC236": "invalid column for dates",
    "AC237": "values without a label",
    "AC240": "data frame library failure",
    "AC241": "unknown encoding",
    "AC242": "unusable decimal mark",
    "AC243": "character not in the output encoding",
    "AC244": "workbook that cannot be opened",
    "AC245": "unknown sheet",
    "AC246": "cells without a value",
    "AC247": "unusable partition",
    "AC248": "folder that is not empty",
    "AC249": "columns of different lengths",
    "AC250": "table that was already read",
    # AC3xx: engines
    "AC301": "engine failure",
    "AC302": "engine out of memory",
    "AC303": "unknown engine",
    "AC304": "column that the engine cannot store",
    "AC305": "PostgreSQL server cannot be reached",
    "AC306": "lost connection",
    "AC307": "missing permission in PostgreSQL",
    "AC308": "unknown name in the database",
    "AC309": "output table already exists",
    "AC310": "output cannot be replaced",
    "AC311": "NUL character",
    "AC312": "PostgreSQL without psycopg",
    "AC313": "statement canceled by PostgreSQL",
    "AC314": "sum too large for the engine",
    "AC315": "name that PostgreSQL cannot store",
    "AC316": "reference compared with itself",
    "AC320": "Spark without pyspark",
    "AC321": "Spark cannot be started",
    "AC322": "another Spark application in the same process",
    "AC323": "table that Spark cannot read",
    "AC324": "files that the workers cannot reach",
    "AC325": "CSV record that spans several lines",
    "AC326": "memory limit for Spark",
    "AC327": "canceled call",
    "AC328": "table in another engine",
    # AC4xx: arguments and files of a call
    "AC401": "invalid memory size",
    "AC402": "unreadable policy",
    "AC403": "policy not in UTF-8",
    "AC404": "invalid seed or trace",
    "AC405": "trace too short",
    "AC406": "unknown order",
    "AC407": "invalid argument",
    "AC408": "a table in place of the policy",
    "AC409": "policy too large",
    "AC410": "policy without requirements",
    "AC411": "no table",
    "AC412": "closed session",
    "AC491": "policy cannot be written",
    "AC492": "unreadable trace",
    # AC5xx: lint and prove
    "AC501": "a requirement that nothing can violate",
    "AC502": "a requirement that earlier lines make redundant",
    "AC503": "an action that does not make its assertion true",
    "AC504": "a requirement that a later line undoes",
    "AC505": "a check that a later line invalidates",
    "AC506": "generalization rules that overlap",
    "AC507": "gaps between generalization rules",
    "AC508": "a generalization rule that rewrites the result of another",
    "AC509": "a RANDOM that can draw the value it replaces",
    "AC510": "a REJECT that can empty the table",
    "AC511": "an `allow` that silences nothing",
    "AC512": "a map that changes nothing",
    "AC513": "a hierarchy whose values do not occur",
    "AC514": "labels compared with a value as text",
    "AC515": "a draw that a later line makes pointless",
    "AC516": "a policy that was not fully linted",
    "AC550": "a claim that is not a single assertion",
    "AC551": "an unknown type in a schema",
    "AC552": "a type for an unknown column",
    "AC553": "privacy without the columns of the table",
    "AC554": "privacy of an unknown column",
    "AC555": "an invalid ε",
    "AC556": "an invalid deadline",
    "AC560": "an assumption that is not a single assertion",
    "AC561": "a claim about a line without a requirement",
    "AC562": "a claim about an unknown column",
    # AC6xx: measuring, and hierarchies from values
    "AC601": "no quasi-identifiers",
    "AC602": "unknown column to measure",
    "AC603": "ambiguous column to measure",
    "AC604": "column with two roles",
    "AC605": "weights that are not positive numbers",
    "AC606": "total weight too large",
    "AC607": "population does not contain the table",
    "AC608": "column that cannot be measured",
    "AC609": "sampling weight combined with another way to count",
    "AC610": "invalid hierarchy levels",
    "AC611": "values that do not fit the levels of a hierarchy",
    "AC612": "column without values",
    "AC613": "unreadable hierarchy",
    "AC614": "invalid hierarchy",
    "AC615": "labels missing from a hierarchy",
    "AC616": "hierarchies that cannot be used",
    # AC62x: searching for a policy
    "AC620": "`suggest` without numpy",
    "AC621": "invalid goal or limit for a search",
    "AC622": "l or t without a sensitive column",
    "AC623": "column to keep that is not a quasi-identifier",
    "AC624": "no policy that drops few enough records",
    "AC625": "unusable acompass.toml",
    # AC63x: randomizing a column, and estimating its original distribution
    "AC630": "invalid PRAM options",
    "AC631": "column that PRAM cannot randomize",
    "AC632": "unusable matrix",
    "AC633": "value too rare for `RANDOM … FROM`",
    "AC634": "matrix that does not fit the column",
    "AC635": "line that values cannot be traced through",
    "AC636": "values that the release makes indistinguishable",
    "AC637": "values that the policy cannot produce",
    # AC64x: dbt
    "AC640": "`dbt` without PyYAML",
    "AC641": "not a dbt project",
    "AC642": "invalid dbt model name",
    "AC643": "file that `acompass dbt` did not write",
    "AC644": "contradictory `dbt` options",
    # AC7xx: explaining and reports
    "AC701": "no record to explain",
    "AC702": "no such record",
    "AC703": "RANDOM explained without its seed or trace",
    "AC704": "invalid condition after --where",
    "AC705": "unknown SQL dialect",
    "AC706": "report on a table that is not a file",
    "AC707": "file that is not a report",
    "AC708": "report would replace a table or the policy",
    "AC709": "unknown code",
    # AC80x: the studio
    "AC801": "`studio` without its libraries",
    "AC802": "port that cannot be used",
    "AC803": "no policy to open in the studio",
    # AC81x: the language server
    "AC811": "`lsp` without pygls",
    # AC9xx: internal errors
    "AC901": "internal error",
}

_PACKAGE = Path(__file__).parents[1]
#: the pages in an installed package, where pyproject.toml copies docs/errors to error_pages, and in a source tree
_FOLDERS = (_PACKAGE / "error_pages", _PACKAGE.parents[1] / "docs" / "errors")
_CODE = re.compile(r"AC[0-9]{3}", re.IGNORECASE)


def is_code(text: str) -> bool:
    """Whether the text has the form of a code, known or not."""
    return _CODE.fullmatch(text) is not None


def read_page(code: str) -> str:
    return page_path(code).read_text(encoding="utf-8")


def page_path(code: str) -> Path:
    """The path of a code's page, which may not exist."""
    folder = next((folder for folder in _FOLDERS if folder.is_dir()), _FOLDERS[0])
    return folder / f"{code}.md"


def page_command(code: str) -> str:
    """The command that prints the page about a code, or LIMITS."""
    return f"acompass explain {code}"


#: the word that names the page in `acompass explain`, its title, and its places, as for codes
LIMITS, LIMITS_TITLE = "limits", "What anonymity does not cover"
_LIMITS_NAME = "what-anonymity-does-not-cover.md"
_LIMITS_PLACES = (_PACKAGE / _LIMITS_NAME, _PACKAGE.parents[1] / "docs" / _LIMITS_NAME)


def read_limits() -> str:
    """The page about attacks that no requirement covers."""
    place = next((place for place in _LIMITS_PLACES if place.is_file()), _LIMITS_PLACES[0])
    return place.read_text(encoding="utf-8")
