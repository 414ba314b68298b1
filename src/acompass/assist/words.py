"""The words of the language: how they are written, and what they mean."""

from collections.abc import Sequence

from acompass.syntax.tokens import Token

#: how a terminal of the grammar is written, most likely ones first
SPELLED: dict[str, tuple[str, ...]] = {
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
    "WITH": ("WITH",),
    "PROBABILITY": ("PROBABILITY",),
    "BANDS": ("BANDS OF", "BANDS AT"),
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

#: what each of them means, in a sentence
MEANINGS = {
    "EACH": "every record or class of the result must satisfy the condition; those that do not are affected",
    "SOME": "at least one record or class must satisfy the condition; otherwise the whole table is affected",
    "ALWAYS": "every record is affected; nothing is asserted",
    "RESULT": "the condition is asked of every record of the table",
    "FILTER": "the condition is asked only of the records that are selected here",
    "PROCESS": "the condition is asked of classes: the records with equal values in the columns of GROUP BY",
    "COUNT": "the number of records in a class",
    "COUNT_DISTINCT": "the number of different values of a column in a class",
    "DISTINCT": "the number of different values of a column in a class",
    "SUM": "the sum of a column over the records of a class",
    "MIN": "the least value of a column in a class",
    "MAX": "the greatest value of a column in a class",
    "AS": "names the value of the aggregate, for the condition after the colon",
    "WHERE": "only the records that satisfy this condition are put into classes",
    "GROUP_BY": "records with equal values in these columns form a class",
    "BY": "records with equal values in these columns form a class",
    "OPERATOR": "compares a column with a constant",
    "UNEQUAL": "the value differs from the constant",
    "IN": "the value is one of the constants in parentheses",
    "BETWEEN": "the value lies between two constants, or is one of them",
    "LIKE": "the text begins with the characters before `%`",
    "NEGATING": "the opposite of the next word",
    "NOT": "the opposite of what follows",
    "AND": "both conditions must be satisfied",
    "OR": "one of the conditions must be satisfied; AND binds closer",
    "REJECT": "drops the affected records",
    "REPLACE": "writes a constant into a column of the affected records",
    "RANDOM": "writes an integer between two bounds, or one of the values after FROM, into a column of the "
    "affected records, at random",
    "GENERALIZE": "writes a coarser label into a column of the affected records",
    "DROP": "removes columns from the table; only after ALWAYS",
    "WITH": "the constant to write",
    "PROBABILITY": "the action is performed on each affected record with this probability, by chance",
    "BANDS": "numbers become intervals such as `30-34`",
    "PREFIX": "the first characters stay, a `*` stands for each other one: `212**`",
    "LEVEL": "values become the labels of a level in a hierarchy file",
    "MONTH": "dates become months such as `2018-03`",
    "QUARTER": "dates become quarters such as `2018-Q1`",
    "YEAR": "dates become years such as `2018`",
    "DECADE": "dates become decades such as `2010s`",
    "FROM": "where bands begin; smaller numbers are in one open band",
    "UP": "where bands end; larger numbers are in one open band",
    "TO": "the map that gives the labels",
    "OF": "the width of bands, the length of a prefix, or the file of a hierarchy",
    "AT": "the numbers at which bands begin",
    "ELSE": "the label of values that are not in the hierarchy",
    "THEN": "the next step, for the records that still violate the assertion",
    "COLON": "begins the condition, then the action",
    "SEMICOLON": "ends the requirement",
}

#: what words mean in a RANDOM
_OF_RANDOM = {
    "FROM": "the values to draw from, in parentheses",
    "OF": "the weight of a value: it is drawn that often, in proportion to the others",
}


def spelled(terminal: str, before: Sequence[Token]) -> tuple[str, ...]:
    """How a terminal is written after these tokens."""
    return ("WITH PROBABILITY",) if terminal == "WITH" and _begins_step(before) else SPELLED[terminal]


def meaning(terminal: str, before: Sequence[Token]) -> str:
    """What a terminal means after these tokens of its requirement."""
    if terminal == "WITH" and _begins_step(before):
        return MEANINGS["PROBABILITY"]
    if terminal in _OF_RANDOM and _is_random(before):
        return _OF_RANDOM[terminal]
    return MEANINGS.get(terminal, "")


def _begins_step(before: Sequence[Token]) -> bool:
    return bool(before) and before[-1].type in ("COLON", "THEN")


def _is_random(before: Sequence[Token]) -> bool:
    """Whether the last action is a RANDOM."""
    actions = [token.type for token in before if token.type in ("RANDOM", "GENERALIZE")]
    return actions[-1:] == ["RANDOM"]
