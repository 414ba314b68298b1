"""The words of the language: their spellings and their meanings."""

from collections.abc import Sequence

from acompass.language.text.tokens import Token

#: the spellings of each terminal of the grammar, most likely ones first
SPELLINGS: dict[str, tuple[str, ...]] = {
    "EACH": ("EACH",),
    "ALWAYS": ("ALWAYS",),
    "SOME": ("SOME",),
    "RESULT": ("RESULT",),
    "PROCESS": ("PROCESS",),
    "FILTER": ("FILTER",),
    "COUNT": ("COUNT(*)",),
    "COUNT_DISTINCT": ("COUNT DISTINCT",),
    "DISTINCT": ("DISTINCT",),
    "SUM": ("SUM",),
    "MIN": ("MIN",),
    "MAX": ("MAX",),
    "SHARE": ("SHARE OF",),
    "LARGEST": ("LARGEST",),
    "MODE": ("MODE",),
    "AS": ("AS",),
    "WHERE": ("WHERE",),
    "GROUP_BY": ("GROUP BY",),
    "BY": ("BY",),
    "OPERATOR": ("<=", ">=", "=", "<", ">"),
    "UNEQUAL": ("!=",),
    "IN": ("IN",),
    "BETWEEN": ("BETWEEN",),
    "LIKE": ("LIKE",),
    "NEGATING": ("NOT IN", "NOT BETWEEN", "NOT LIKE"),
    "NOT": ("NOT",),
    "AND": ("AND",),
    "OR": ("OR",),
    "GENERALIZE": ("GENERALIZE",),
    "REPLACE": ("REPLACE",),
    "REJECT": ("REJECT",),
    "DROP": ("DROP",),
    "RANDOM": ("RANDOM",),
    "PSEUDONYM": ("PSEUDONYM",),
    "SHIFT": ("SHIFT",),
    "ADD": ("ADD RANDOM",),
    "MICROAGGREGATE": ("MICROAGGREGATE",),
    "WITHIN": ("WITHIN",),
    "DAYS": ("DAYS",),
    "WITH": ("WITH",),
    "PROBABILITY": ("PROBABILITY",),
    "BANDS": ("BANDS OF", "BANDS AT"),
    "NEAREST": ("NEAREST",),
    "PREFIX": ("PREFIX OF",),
    "LEVEL": ("LEVEL",),
    "MONTH": ("MONTH",),
    "QUARTER": ("QUARTER",),
    "YEAR": ("YEAR",),
    "DECADE": ("DECADE",),
    "FROM": ("FROM",),
    "UP": ("UP TO",),
    "TO": ("TO",),
    "OF": ("OF",),
    "AT": ("AT",),
    "ELSE": ("ELSE",),
    "THEN": ("THEN",),
    "COLON": (":",),
    "SEMICOLON": (";",),
}

#: the meaning of each terminal, in one sentence
MEANINGS = {
    "EACH": "every record or class must satisfy the condition; those that do not are affected",
    "SOME": "at least one record or class must satisfy the condition; otherwise the whole table is affected",
    "ALWAYS": "every record is affected; nothing is asserted",
    "RESULT": "the condition applies to every record of the table",
    "FILTER": "the condition applies only to the records selected here",
    "PROCESS": "the condition applies to classes: the records with equal values in the columns of GROUP BY",
    "COUNT": "the number of records in a class",
    "COUNT_DISTINCT": "the number of distinct values of a column in a class",
    "DISTINCT": "the number of distinct values of a column in a class",
    "SUM": "the sum of a column over the records of a class",
    "MIN": "the smallest value of a column in a class",
    "MAX": "the largest value of a column in a class",
    "SHARE": "an exact fraction from 0 to 1, to compare with numbers such as `0.67`",
    "LARGEST": "the sum of this many largest absolute values of a column, over the sum of all its absolute values",
    "MODE": "the records with the most frequent value of a column, over all records of the class",
    "AS": "names the aggregate for the condition after the colon",
    "WHERE": "only records that satisfy this condition are grouped into classes",
    "GROUP_BY": "records with equal values in these columns form a class",
    "BY": "records with equal values in these columns form a class",
    "OPERATOR": "compares a column with a constant",
    "UNEQUAL": "the value differs from the constant",
    "IN": "the value is one of the constants in parentheses",
    "BETWEEN": "the value lies between two constants, inclusive",
    "LIKE": "the text begins with the characters before `%`",
    "NEGATING": "negates the next word",
    "NOT": "negates the condition that follows",
    "AND": "both conditions must hold",
    "OR": "at least one of the conditions must hold; AND binds more tightly",
    "REJECT": "drops the affected records",
    "REPLACE": "writes a constant to a column of the affected records",
    "RANDOM": "writes a random integer between two bounds, or a random value from the list after FROM, to a column "
    "of the affected records",
    "PSEUDONYM": "replaces each value with a text that depends on the value and on a secret key; the same value always "
    "gets the same text, so the column still distinguishes people",
    "SHIFT": "moves dates by a number of days that depends on the person and on a secret key",
    "ADD": "adds a random integer between two bounds to a number, separately for each affected record",
    "MICROAGGREGATE": "replaces each number with the mean of a group of records with similar numbers",
    "WITHIN": "the largest shift, in days, to the past or to the future",
    "DAYS": "the unit of a shift",
    "GENERALIZE": "writes a coarser label to a column of the affected records",
    "DROP": "removes columns from the table; only after ALWAYS",
    "WITH": "the constant to write",
    "PROBABILITY": "the action is performed on each affected record with this probability",
    "BANDS": "numbers become intervals such as `30-34`",
    "NEAREST": "numbers are rounded to the nearest multiple, halves away from zero, and stay numbers",
    "PREFIX": "keeps the first characters and replaces the rest with `*`: `212**`",
    "LEVEL": "values become the labels of a level in a hierarchy file",
    "MONTH": "dates become months such as `2018-03`",
    "QUARTER": "dates become quarters such as `2018-Q1`",
    "YEAR": "dates become years such as `2018`",
    "DECADE": "dates become decades such as `2010s`",
    "FROM": "where bands begin; smaller numbers share one open band",
    "UP": "where bands end; larger numbers share one open band",
    "TO": "the map from values to labels",
    "OF": "the width of bands, the length of a prefix, or the file of a hierarchy",
    "AT": "the numbers at which bands begin",
    "ELSE": "the label of values that are not in the hierarchy",
    "THEN": "the next step, for the records that still violate the assertion",
    "COLON": "begins the condition, then the action",
    "SEMICOLON": "ends the requirement",
}

_FILE = {"IN": "the aggregate is over the records of this file that agree with the class in every column of GROUP BY"}
#: meanings of words inside the forms that begin with each word
_MEANINGS_INSIDE = {
    "RANDOM": {
        "FROM": "the values to draw from, in parentheses",
        "OF": "the weight of a value relative to the others: its probability is proportional to it",
    },
    "GENERALIZE": {},
    "SHARE": {"OF": "what the share is of"},
    "COUNT": _FILE,
    "SUM": _FILE,
    "SHIFT": {"BY": "the column that identifies a person: all dates of a person move by the same number of days"},
    "ADD": {"RANDOM": MEANINGS["ADD"], "TO": "the column to which the integer is added"},
    "MICROAGGREGATE": {"BY": "the number of records in a group; the last group has up to twice as many, less one"},
}


def spellings(terminal: str, before: Sequence[Token]) -> tuple[str, ...]:
    """The spellings of a terminal after these tokens."""
    return ("WITH PROBABILITY",) if terminal == "WITH" and _begins_step(before) else SPELLINGS[terminal]


def meaning(terminal: str, before: Sequence[Token]) -> str:
    """The meaning of a terminal after these tokens of its requirement."""
    if terminal == "WITH" and _begins_step(before):
        return MEANINGS["PROBABILITY"]
    return _MEANINGS_INSIDE.get(_form(before), {}).get(terminal, MEANINGS.get(terminal, ""))


def _begins_step(before: Sequence[Token]) -> bool:
    return bool(before) and before[-1].type in ("COLON", "THEN")


def _form(before: Sequence[Token]) -> str:
    """The first word of the form that the tokens end in; empty if it has no meanings of its own."""
    form = ""
    for token in before:
        if token.type in ("COLON", "THEN", "WHERE"):
            form = ""
        elif token.type in _MEANINGS_INSIDE and form != "ADD":
            form = token.type
    return form
