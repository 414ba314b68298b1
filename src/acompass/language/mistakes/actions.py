"""Mistakes around ALWAYS and THEN, actions as in other tools, and mistakes in `GENERALIZE … TO …`."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import takewhile

from acompass.errors.diagnostics import Diagnostic, Fix, Label, delete, insert, offer, replace, safe
from acompass.errors.display import quote
from acompass.language.mistakes.syntax_error import Rule, Unexpected, is_one_letter_off, is_swapped, join_tokens
from acompass.language.text.tokens import Token, quoted_name, spell_fraction, spell_string

ACTIONS = ("REJECT", "REPLACE", "RANDOM", "GENERALIZE", "DROP")
ALL_ACTIONS = "`REJECT` `REPLACE A WITH 0` `RANDOM A 1 9` `GENERALIZE A TO BANDS OF 5`"
_REMOVING = frozenset({"DELETE", "REMOVE", "OMIT", "EXCLUDE"})
_HIDING = frozenset({"SUPPRESS", "MASK", "REDACT", "HIDE", "ANONYMIZE", "ANONYMISE"})
_HASHING = frozenset({"HASH", "ENCRYPT", "PSEUDONYMIZE", "PSEUDONYMISE", "TOKENIZE"})
_DRAWING = frozenset({"SAMPLE", "DRAW", "CHOOSE", "PICK", "RANDOMIZE", "RANDOMISE", "PERTURB"})
_DATABASE_OBJECTS = frozenset({"TABLE", "VIEW", "DATABASE"})
_COARSENING = frozenset({"ROUND", "BIN", "BUCKET", "RECODE", "AGGREGATE", "COARSEN"})


def is_probability(tokens: Sequence[Token]) -> bool:
    """Whether the first tokens are WITH PROBABILITY (X5)."""
    return [token.text.upper() for token in tokens[:2]] == ["WITH", "PROBABILITY"]


def begins_step(tokens: Sequence[Token]) -> bool:
    """Whether the first tokens begin an action, or a probability before one."""
    return is_probability(tokens) or any(token.text.upper() in ACTIONS for token in tokens[:1])


def _is_always(unexpected: Unexpected) -> bool:
    return unexpected.tokens[0].type == "ALWAYS"


def missing_assertion(unexpected: Unexpected) -> Diagnostic | None:
    """`DROP Name;`, `GENERALIZE age TO YEAR;`, `REPLACE Name WITH '*';`."""
    token = unexpected.token
    if unexpected.index or not _is_without_assertion([token, *unexpected.after]):
        return None
    tokens = [token, *unexpected.after]
    help_ = f"write `ALWAYS : {join_tokens(tokens)};` to change every record"
    found = quote(join_tokens(tokens[: 2 if is_probability(tokens) else 1]))
    message = f"expected {unexpected.expected}, found the action {found}"
    fixes = offer("insert `ALWAYS :`", insert(token.start, "ALWAYS : "))
    return unexpected.diagnose("AC049", message, help_, fixes)


def _is_without_assertion(tokens: list[Token]) -> bool:
    """Whether the tokens begin with an action and its column, or with a probability."""
    if len(tokens) < 2 or is_probability(tokens):
        return is_probability(tokens)
    word, following = tokens[:2]
    is_column = following.type in ("WORD", "QUOTED") and following.text.upper() not in _DATABASE_OBJECTS
    return word.text.upper() in ACTIONS[1:] and is_column


def mistake_after_always(unexpected: Unexpected) -> Diagnostic | None:
    """`ALWAYS;`, `ALWAYS : ;`, `ALWAYS : Age >= 3 : REJECT;`, `ALWAYS RESULT : …`."""
    if not _is_always(unexpected) or unexpected.index > 2:
        return None
    if unexpected.at_end:
        help_ = "write `ALWAYS : REPLACE Name WITH '*';` or `ALWAYS : DROP Name;`"
        return unexpected.diagnose("AC015", "missing action after `ALWAYS`", help_)
    rest = unexpected.tokens[unexpected.index : -1]
    if unexpected.token.type in ("RESULT", "FILTER", "PROCESS"):
        return _assertion_after_always(unexpected, "EACH", rest)
    has_condition = unexpected.index == 2 and any(token.type == "COLON" for token in rest)
    return _assertion_after_always(unexpected, "EACH RESULT :", rest) if has_condition else None


def _assertion_after_always(unexpected: Unexpected, quantified: str, rest: list[Token]) -> Diagnostic:
    """An assertion was meant, so another word has to replace ALWAYS."""
    until = unexpected.tokens[unexpected.index - 1] if quantified == "EACH" else unexpected.tokens[0]
    span = unexpected.tokens[0].span.to(until.span)
    written = quantified.removesuffix(" :")
    fixes = offer(f"write `{written}`", replace(span, written))
    message = "`ALWAYS` takes an action, found an assertion"
    help_ = f"write `{quantified} {join_tokens(rest)};`"
    return Diagnostic("AC049", message, (Label(span),), help_, fixes=fixes)


def misplaced_then(unexpected: Unexpected) -> Diagnostic | None:
    """`: THEN REJECT`, `REJECT THEN;`, `REJECT THEN : REJECT`, `REJECT, REJECT`."""
    token, previous = unexpected.token, unexpected.previous
    if token.type == "THEN" and unexpected.wants_action:
        help_ = "`THEN` joins two actions; remove it"
        fixes = safe("remove the `THEN`", delete(token.span))
        return unexpected.diagnose("AC050", "missing action before `THEN`", help_, fixes)
    if previous is not None and previous.type == "THEN":
        if token.type == "COLON" and begins_step(unexpected.after):
            help_ = "remove the `:`, since the steps after `THEN` share the assertion"
            fixes = safe("remove the `:`", delete(token.span))
            return unexpected.diagnose("AC050", "unexpected `:` after `THEN`", help_, fixes)
        if unexpected.at_end:
            fixes = offer("remove the `THEN`", delete(previous.span))
            help_ = "write another action, as in `THEN REJECT`, or remove the `THEN`"
            return unexpected.diagnose("AC050", "missing action after `THEN`", help_, fixes)
    return _instead_of_then(unexpected)


def _instead_of_then(unexpected: Unexpected) -> Diagnostic | None:
    """A comma, a colon, AND or nothing between two actions."""
    token, after = unexpected.token, unexpected.after
    if "THEN" not in unexpected.accepted:
        return None
    before = [unexpected.tokens[unexpected.index - 1], Token("THEN", "THEN", 0, 0)]
    message = f"expected `THEN` between two actions, found {unexpected.found}"
    if token.type in ("COMMA", "COLON", "AND") and begins_step(after):
        help_ = f"write `{join_tokens([*before, *after])}`"
        fixes = offer("write `THEN`", replace(token.span, " THEN"))
        return unexpected.diagnose("AC050", message, help_, fixes)
    if begins_step([token, *after]):
        help_ = f"write `{join_tokens([*before, token, *after])}`"
        fixes = offer("insert `THEN`", insert(token.start, "THEN "))
        return unexpected.diagnose("AC050", message, help_, fixes)
    return None


def other_action(unexpected: Unexpected) -> Diagnostic | None:
    """`DELETE Name`, `SUPPRESS Name`, `HASH Name`, `DROP COLUMN Name`."""
    token = unexpected.token
    if token.type == "COLUMN":
        help_ = f"write `DROP {join_tokens(unexpected.after)}`; a column of this name needs double quotes"
        fixes = safe(f"remove `{token.text}`", delete(token.span))
        return unexpected.diagnose("AC024", "`DROP` takes only column names", help_, fixes)
    if not unexpected.wants_action or token.type != "WORD":
        return None
    help_, fixes = _instead(unexpected)
    if not help_:
        return None
    return unexpected.diagnose("AC024", f"unknown action {quote(token.text)}", help_, fixes)


def _instead(unexpected: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    """The help for an action of another tool; empty if it is unknown."""
    word, names = unexpected.token.text.upper(), _names(unexpected)
    if word in _REMOVING:
        return _instead_of_removing(unexpected, names)
    if word in _HIDING:
        return _instead_of_hiding(unexpected, names)
    name = join_tokens(names) or "A"
    if word in _HASHING:
        instead = f"write `REPLACE {name} WITH '*'`, or `ALWAYS : DROP {name};`"
        return f"a hash can be reversed by trying values; {instead}", ()
    if word in _DRAWING:
        return _instead_of_drawing(unexpected, names)
    if word in _COARSENING:
        return f"write `GENERALIZE {name} TO BANDS OF 5`", ()
    return "", ()


def _instead_of_removing(unexpected: Unexpected, names: list[Token]) -> tuple[str, tuple[Fix, ...]]:
    token = unexpected.token
    if not names:
        return "write `REJECT`", offer("write `REJECT`", replace(token.span, "REJECT"))
    if _is_always(unexpected):
        help_ = f"write `DROP {join_tokens(names)}`"
        return help_, offer(help_, replace(token.span, "DROP"))
    return (
        f"write `REPLACE {join_tokens(names)} WITH '*'` to hide the value; `REJECT` removes the affected records",
        (),
    )


def _instead_of_hiding(unexpected: Unexpected, names: list[Token]) -> tuple[str, tuple[Fix, ...]]:
    token = unexpected.token
    if not names:
        return "write `REJECT` to remove the affected records, `REPLACE A WITH '*'` to hide a value", ()
    if any(token.type == "COMMA" for token in names):
        return "write `REPLACE A WITH '*'` for each column", ()
    help_ = f"write `REPLACE {join_tokens(names)} WITH '*'`"
    if unexpected.tokens[unexpected.index + 1 + len(names)].type != "SEMICOLON":
        return help_, ()
    return help_, offer(help_, replace(token.span, "REPLACE"), insert(names[-1].end, " WITH '*'"))


def _instead_of_drawing(unexpected: Unexpected, names: list[Token]) -> tuple[str, tuple[Fix, ...]]:
    token = unexpected.token
    if not names:
        return _instead_of_sampling(unexpected)
    name = join_tokens(takewhile(lambda each: each.text.upper() != "FROM", names))
    has_values = any(each.text.upper() == "FROM" for each in names)
    fixes = offer("write `RANDOM`", replace(token.span, "RANDOM")) if has_values else ()
    return f"write `RANDOM {name} FROM ('a', 'b')`, with the actual values", fixes


def _instead_of_sampling(unexpected: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    """`SAMPLE 0.25` keeps a record with that probability, so REJECT takes one minus it."""
    kept = unexpected.after[0] if [token.type for token in unexpected.after] == ["NUMBER"] else None
    share = Fraction(1, 4) if kept is None else kept.number
    rest = spell_fraction(1 - share) if 0 < share < 1 else None
    if rest is None:
        return "write `WITH PROBABILITY 0.75 REJECT` to keep about a quarter of the records", ()
    written = f"WITH PROBABILITY {rest} REJECT"
    span = unexpected.token.span.to((kept or unexpected.token).span)
    help_ = f"write `{written}` to keep a record with a probability of {spell_fraction(share)}"
    return help_, offer(f"write `{written}`", replace(span, written))


def _names(unexpected: Unexpected) -> list[Token]:
    return list(takewhile(lambda token: token.type in ("WORD", "QUOTED", "COMMA"), unexpected.after))


ACTION_RULES: tuple[Rule, ...] = (missing_assertion, mistake_after_always, misplaced_then, other_action)

_MAPS = ("BANDS", "PREFIX", "LEVEL", "MONTH", "QUARTER", "YEAR", "DECADE")
_EXAMPLES = "`BANDS OF 5`, `PREFIX OF 3` or `LEVEL 1 OF 'file.csv'`"
_AFTER_OF = {"BANDS": "5", "PREFIX": "3", "LEVEL": "'file.csv'"}
_INSTEAD_OF_TO = frozenset({"INTO", "IN", "AS", "BY", "WITH", "FROM", "USING", "ON"})
_INSTEAD_OF_OF = frozenset({"BY", "IN", "FROM", "WITH", "WIDTH", "LENGTH", "SIZE", "AS", "TO", "ON"})


def malformed_map(unexpected: Unexpected) -> Diagnostic | None:
    """The first rule that recognizes the mistake, in a step that generalizes."""
    start = unexpected.start_of_step("GENERALIZE")
    if start is None:
        return None
    for rule in _RULES:
        found = rule(unexpected, start)
        if found is not None:
            return found
    return None


def _wrong(unexpected: Unexpected, help_: str, fixes: tuple[Fix, ...] = ()) -> Diagnostic:
    found = "the end of the requirement" if unexpected.at_end else unexpected.found
    return unexpected.diagnose("AC047", f"expected {unexpected.expected}, found {found}", help_, fixes)


def _missing_name(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`GENERALIZE;`, `GENERALIZE TO YEAR`."""
    if unexpected.index != start + 1 or unexpected.token.type not in ("TO", "SEMICOLON", *_MAPS):
        return None
    following = unexpected.following
    if unexpected.token.type == "TO" and following is not None and following.text.upper() == "TO":
        return _column_called_to(unexpected)
    rest = join_tokens(unexpected.tokens[unexpected.index : -1]) or "TO YEAR"
    return _wrong(unexpected, f"write `{unexpected.tokens[start].text} Age {rest}`")


def _column_called_to(unexpected: Unexpected) -> Diagnostic | None:
    """`GENERALIZE to TO BANDS OF 5`."""
    name = quoted_name(unexpected.token.text)
    fixes = offer(f"write `{name}`", replace(unexpected.token.span, name))
    return _wrong(unexpected, f"quote a column of this name: write `GENERALIZE {name} TO …`", fixes)


def _missing_to(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`GENERALIZE age BANDS OF 5`, `GENERALIZE age INTO BANDS OF 5`, `GENERALIZE age BY 5`."""
    follows_name = unexpected.tokens[unexpected.index - 1].type in ("WORD", "QUOTED")
    if "TO" not in unexpected.accepted or not follows_name:
        return None
    token, words = unexpected.token, unexpected.words_before
    if token.type in _MAPS and len(words) > 1 and words[-1].text.upper() in _INSTEAD_OF_TO:
        help_ = f"write `{join_tokens(unexpected.tokens[start : unexpected.index - 1])} TO {token.text}`"
        return _wrong(unexpected, help_, offer("write `TO`", replace(words[-1].span, "TO")))
    named = join_tokens(unexpected.tokens[start : unexpected.index])
    if token.type in _MAPS:
        help_ = f"write `{named} TO {token.text}`"
        return _wrong(unexpected, help_, safe("insert `TO`", insert(token.start, "TO ")))
    following = unexpected.following
    if token.text.upper() in _INSTEAD_OF_TO and following is not None and following.type == "NUMBER":
        help_ = f"write `{named} TO BANDS OF {following.text}`"
        return _wrong(unexpected, help_, offer(help_, replace(token.span, "TO BANDS OF")))
    if token.type == "WITH":
        help_ = f"write `REPLACE {join_tokens([*unexpected.tokens[start + 1 : unexpected.index + 2]])}`"
        return _wrong(unexpected, help_, offer(help_, replace(unexpected.tokens[start].span, "REPLACE")))
    if token.text.upper() in _INSTEAD_OF_TO and following is not None and following.text.upper() in _MAPS:
        help_ = f"write `{named} TO {following.text}`"
        return _wrong(unexpected, help_, offer("write `TO`", replace(token.span, "TO")))
    return _wrong(unexpected, f"write `{named} TO YEAR`, or another map, as in {_EXAMPLES}")


def _name_with_to(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`GENERALIZE time to event TO BANDS OF 5`."""
    if "BANDS" not in unexpected.accepted or unexpected.token.type not in ("WORD", "QUOTED"):
        return None
    rest = unexpected.tokens[unexpected.index :]
    end = next((at for at, token in enumerate(rest) if token.text.upper() == "TO"), None)
    if end is None or any(token.type != "WORD" for token in rest[:end]):
        return None
    words = [*unexpected.tokens[start + 1 : unexpected.index], *rest[:end]]
    name, span = quoted_name(join_tokens(words)), words[0].span.to(words[-1].span)
    help_ = f"write `GENERALIZE {name} TO …`"
    fixes = offer(f"write `{name}`", replace(span, name))
    message = "`TO` ends the name of the column, and a name that contains it needs double quotes"
    return Diagnostic("AC016", message, (Label(span),), help_, fixes=fixes)


def _unknown_map(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`TO BAND OF 5`, `TO MONTHS`, `TO 5`, `TO '*'`."""
    if "BANDS" not in unexpected.accepted:
        return None
    token = unexpected.token
    meant = _meant(token)
    if meant is not None:
        help_ = f"write `{join_tokens(unexpected.tokens[start : unexpected.index])} {meant}`"
        return _wrong(unexpected, help_, safe(f"write `{meant}`", replace(token.span, meant)))
    if token.type == "NUMBER":
        help_ = f"write `BANDS OF {token.text}`"
        return _wrong(unexpected, help_, offer(help_, insert(token.start, "BANDS OF ")))
    if token.type == "STRING":
        return _constant_map(unexpected, start)
    begun = join_tokens(unexpected.tokens[start : unexpected.index])
    return _wrong(unexpected, f"write `{begun} YEAR`, or another map, as in {_EXAMPLES}")


def _meant(token: Token) -> str | None:
    """A map whose first word differs by one letter."""
    word = token.text.upper()
    close = (each for each in _MAPS if is_one_letter_off(word, each) or is_swapped(word, each))
    return next(close, None) if token.type == "WORD" else None


def _constant_map(unexpected: Unexpected, start: int) -> Diagnostic:
    name = join_tokens(unexpected.tokens[start + 1 : unexpected.index - 1])
    help_ = f"write `REPLACE {name} WITH {unexpected.token.text}`"
    word, to = unexpected.tokens[start], unexpected.tokens[unexpected.index - 1]
    fixes = offer(help_, replace(word.span, "REPLACE"), replace(to.span, "WITH"))
    return _wrong(unexpected, help_, fixes)


def _missing_of(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`BANDS 5`, `BANDS BY 5`, `BANDS 18, 25`, `PREFIX 3`, `LEVEL 1 'file.csv'`, `LEVEL 1 IN 'file.csv'`."""
    if "OF" not in unexpected.accepted:
        return None
    token = unexpected.token
    begun = join_tokens(unexpected.tokens[_start_of_map(unexpected) : unexpected.index])
    is_instead = token.text.upper() in _INSTEAD_OF_OF
    rest = unexpected.after if is_instead else [token, *unexpected.after]
    is_list = "AT" in unexpected.accepted and [each.type for each in rest[:2]] == ["NUMBER", "COMMA"]
    word, constants = ("AT", rest) if is_list else ("OF", rest[:1])
    if token.type in ("NUMBER", "STRING"):
        help_ = f"write `{begun} {word} {join_tokens(constants)}`"
        return _wrong(unexpected, help_, safe(f"insert `{word}`", insert(token.start, f"{word} ")))
    if is_instead:
        is_given = rest[:1] and rest[0].type in ("NUMBER", "STRING")
        help_ = f"write `{begun} {word} {join_tokens(constants) if is_given else '…'}`"
        return _wrong(unexpected, help_, safe(f"write `{word}`", replace(token.span, word)))
    return _wrong(unexpected, f"write `{begun} OF {_AFTER_OF[begun.split()[0].upper()]}`")


def _start_of_map(unexpected: Unexpected) -> int:
    at = unexpected.index - 1
    while unexpected.tokens[at].type not in _MAPS:
        at -= 1
    return at


def _bounds_of_bands(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`BANDS OF 5 TO 90`, `BANDS OF 5 UP 90`, `BANDS OF 5 UPTO 90`, `BANDS OF 18, 25`."""
    token, previous = unexpected.token, unexpected.previous
    if "UP" in unexpected.accepted:
        if token.type == "TO":
            begun = join_tokens(unexpected.tokens[_start_of_map(unexpected) : unexpected.index])
            number = join_tokens(unexpected.after[:1])
            help_ = f"write `{begun} UP TO {number}`"
            return _wrong(unexpected, help_, safe("write `UP TO`", insert(token.start, "UP ")))
        if token.text.upper() in ("UPTO", "UNTIL", "TILL"):
            help_ = f"write `UP TO {join_tokens(unexpected.after[:1])}`"
            return _wrong(unexpected, help_, safe("write `UP TO`", replace(token.span, "UP TO")))
        if token.type == "COMMA":
            return _several_cuts(unexpected)
    if unexpected.accepted == {"TO"} and previous is not None and token.type == "NUMBER":
        help_ = f"write `UP TO {token.text}`"
        return _wrong(unexpected, help_, safe("insert `TO`", insert(token.start, "TO ")))
    return None


def _several_cuts(unexpected: Unexpected) -> Diagnostic | None:
    start = _start_of_map(unexpected)
    tokens = unexpected.tokens[start : unexpected.index]
    if [token.type for token in tokens] != ["BANDS", "OF", "NUMBER"]:
        return None
    after = unexpected.after
    if any(token.type != ("COMMA" if at % 2 else "NUMBER") for at, token in enumerate(after)) or not after:
        return None
    cuts = join_tokens([tokens[2], unexpected.token, *after])
    help_ = f"write `BANDS AT {cuts}`"
    fixes = offer("write `AT`", replace(tokens[1].span, "AT"))
    message = "`BANDS OF` takes one width, found several bounds"
    return Diagnostic("AC047", message, (Label(tokens[1].span),), help_, fixes=fixes)


def _number_of_map(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`BANDS OF w`: a map takes numbers, not parameters; `LEVEL OF 'file.csv'` lacks its number."""
    if unexpected.accepted != {"NUMBER"}:
        return None
    begun = join_tokens(unexpected.tokens[_start_of_map(unexpected) : unexpected.index])
    help_ = f"write a number, as in `{begun} {'1' if begun.upper().startswith('LEVEL') else '5'}`"
    return _wrong(unexpected, help_)


def _file_of_level(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`LEVEL 1 OF file.csv`."""
    if unexpected.accepted != {"STRING"} or unexpected.token.type != "WORD":
        return None
    file = spell_string(unexpected.token.text)
    begun = join_tokens(unexpected.tokens[_start_of_map(unexpected) : unexpected.index])
    help_ = f"write `{begun} {file}`"
    message = f"expected the name of a file in single quotes, found {quote(unexpected.token.text)}"
    fixes = offer(f"write `{file}`", replace(unexpected.token.span, file))
    return unexpected.diagnose("AC047", message, help_, fixes)


def _otherwise(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`LEVEL 1 OF 'file.csv' OTHERWISE 'x'`."""
    token = unexpected.token
    if "ELSE" not in unexpected.accepted or token.text.upper() not in ("OTHERWISE", "DEFAULT", "OR"):
        return None
    help_ = f"write `ELSE {join_tokens(unexpected.after[:1])}`"
    return _wrong(unexpected, help_, safe("write `ELSE`", replace(token.span, "ELSE")))


_RULES = (
    _missing_name,
    _missing_to,
    _name_with_to,
    _unknown_map,
    _missing_of,
    _bounds_of_bands,
    _number_of_map,
    _file_of_level,
    _otherwise,
)
MAP_RULES: tuple[Rule, ...] = (malformed_map,)
