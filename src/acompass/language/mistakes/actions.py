"""Mistakes around ALWAYS and THEN, actions as in other tools, and mistakes inside the actions beyond the paper."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import dropwhile, takewhile

from acompass.dataclasses import replace as replace_field
from acompass.errors.diagnostics import Diagnostic, Edit, Fix, delete, insert, offer, replace, safe
from acompass.errors.display import quote
from acompass.language.mistakes.syntax_error import (
    Rule,
    Unexpected,
    between_commas,
    is_one_letter_off,
    is_swapped,
    join_tokens,
)
from acompass.language.text.tokens import Token, quoted_name, spell_fraction, spell_string

ACTIONS = ("REJECT", "REPLACE", "RANDOM", "GENERALIZE", "DROP", "PSEUDONYM", "SHIFT", "ADD", "MICROAGGREGATE")
ALL_ACTIONS = "`REJECT` `REPLACE A WITH 0` `RANDOM A 1 9` `GENERALIZE A TO BANDS OF 5` `PSEUDONYM A`"
_REMOVING = frozenset({"DELETE", "REMOVE", "OMIT", "EXCLUDE"})
_HIDING = frozenset({"SUPPRESS", "MASK", "REDACT", "HIDE", "ANONYMIZE", "ANONYMISE"})
_NAMING = frozenset({"PSEUDONYMIZE", "PSEUDONYMISE", "PSEUDONYMS", "TOKENIZE", "TOKENISE"})
_HASHING = frozenset({"HASH", "ENCRYPT"})
_AVERAGING = frozenset({"MICROAGGREGATION", "MDAV", "CLUSTER", "AVERAGE", "AGGREGATE"})
_SHIFTING = frozenset({"DATESHIFT", "MOVE", "OFFSET"})
_NOISE = frozenset({"NOISE", "ADDNOISE", "JITTER"})
_DRAWING = frozenset({"SAMPLE", "DRAW", "CHOOSE", "PICK", "RANDOMIZE", "RANDOMISE", "PERTURB"})
_DATABASE_OBJECTS = frozenset({"TABLE", "VIEW", "DATABASE"})
_COARSENING = frozenset({"BIN", "BUCKET", "RECODE", "COARSEN"})


def is_probability(tokens: Sequence[Token]) -> bool:
    """Whether the first tokens are WITH PROBABILITY (X5)."""
    return [token.text.upper() for token in tokens[:2]] == ["WITH", "PROBABILITY"]


def begins_step(tokens: Sequence[Token]) -> bool:
    """Whether the first tokens begin an action, or a probability before one."""
    return is_probability(tokens) or any(token.text.upper() in ACTIONS for token in tokens[:1])


def _is_always(error: Unexpected) -> bool:
    return error.tokens[0].type == "ALWAYS"


def missing_assertion(error: Unexpected) -> Diagnostic | None:
    """`DROP Name;`, `GENERALIZE age TO YEAR;`, `REPLACE Name WITH '*';`."""
    tokens = [error.token, *error.after]
    if error.index or not _is_without_assertion(tokens):
        return None
    help_ = f"write `ALWAYS : {join_tokens(tokens)};` to change every record"
    found = quote(join_tokens(tokens[: 2 if is_probability(tokens) else 1]))
    fixes = offer("insert `ALWAYS :`", insert(error.token.start, "ALWAYS : "))
    return error.diagnose("AC049", f"expected {error.expected}, found the action {found}", help_, fixes)


def _is_without_assertion(tokens: list[Token]) -> bool:
    """Whether the tokens begin with an action and its column, or with a probability."""
    if len(tokens) < 2 or is_probability(tokens):
        return is_probability(tokens)
    word, following = tokens[:2]
    is_column = following.type in ("WORD", "QUOTED") and following.text.upper() not in _DATABASE_OBJECTS
    return word.text.upper() in ACTIONS[1:] and is_column


def mistake_after_always(error: Unexpected) -> Diagnostic | None:
    """`ALWAYS;`, `ALWAYS : ;`, `ALWAYS : Age >= 3 : REJECT;`, `ALWAYS RESULT : …`."""
    if not _is_always(error) or error.index > 2:
        return None
    if error.at_end:
        help_ = "write `ALWAYS : REPLACE Name WITH '*';` or `ALWAYS : DROP Name;`"
        return error.diagnose("AC015", "missing action after `ALWAYS`", help_)
    rest = error.tokens[error.index : -1]
    if error.token.type in ("RESULT", "FILTER", "PROCESS"):
        return _assertion_after_always(error, "EACH", rest)
    has_condition = error.index == 2 and any(token.type == "COLON" for token in rest)
    return _assertion_after_always(error, "EACH RESULT :", rest) if has_condition else None


def _assertion_after_always(error: Unexpected, quantified: str, rest: list[Token]) -> Diagnostic:
    """An assertion was meant, so another word has to replace ALWAYS."""
    until = error.previous if quantified == "EACH" else error.tokens[0]
    span, written = error.tokens[0].span.to(until.span), quantified.removesuffix(" :")
    help_, fixes = f"write `{quantified} {join_tokens(rest)};`", offer(f"write `{written}`", replace(span, written))
    return error.diagnose("AC049", "`ALWAYS` takes an action, found an assertion", help_, fixes, span)


def misplaced_then(error: Unexpected) -> Diagnostic | None:
    """`: THEN REJECT`, `REJECT THEN;`, `REJECT THEN : REJECT`, `REJECT, REJECT`."""
    token, previous = error.token, error.previous
    if token.type == "THEN" and error.wants_action:
        fixes = safe("remove the `THEN`", delete(token.span))
        return error.diagnose("AC050", "missing action before `THEN`", "`THEN` joins two actions; remove it", fixes)
    if previous.type == "THEN" and token.type == "COLON" and begins_step(error.after):
        help_ = "remove the `:`, since the steps after `THEN` share the assertion"
        return error.diagnose("AC050", "unexpected `:` after `THEN`", help_, safe("remove the `:`", delete(token.span)))
    if previous.type == "THEN" and error.at_end:
        fixes = offer("remove the `THEN`", delete(previous.span))
        help_ = "write another action, as in `THEN REJECT`, or remove the `THEN`"
        return error.diagnose("AC050", "missing action after `THEN`", help_, fixes)
    return _instead_of_then(error) if "THEN" in error.accepted else None


def _instead_of_then(error: Unexpected) -> Diagnostic | None:
    """A comma, a colon, AND or nothing between two actions."""
    token, after = error.token, error.after
    if token.type in ("COMMA", "COLON", "AND") and begins_step(after):
        fixes = offer("write `THEN`", replace(token.span, " THEN"))
    elif begins_step([token, *after]):
        fixes, after = offer("insert `THEN`", insert(token.start, "THEN ")), [token, *after]
    else:
        return None
    help_ = f"write `{join_tokens([error.previous, Token('THEN', 'THEN', 0, 0), *after])}`"
    return error.diagnose("AC050", f"expected `THEN` between two actions, found {error.found}", help_, fixes)


def other_action(error: Unexpected) -> Diagnostic | None:
    """`DELETE Name`, `SUPPRESS Name`, `HASH Name`, `ROUND Age TO 5`, `DROP COLUMN Name`."""
    token = error.token
    if token.type == "COLUMN":
        help_ = f"write `DROP {join_tokens(error.after)}`; a column of this name needs double quotes"
        fixes = safe(f"remove `{token.text}`", delete(token.span))
        return error.diagnose("AC024", "`DROP` takes only column names", help_, fixes)
    help_, fixes = _instead(error) if error.wants_action and token.type == "WORD" else ("", ())
    return error.diagnose("AC024", f"unknown action {quote(token.text)}", help_, fixes) if help_ else None


def _instead(error: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    """The help for an action of another tool; empty if it is unknown."""
    word = error.token.text.upper()
    names = list(takewhile(lambda token: token.type in ("WORD", "QUOTED", "COMMA"), error.after))
    name = join_tokens(names) or "A"
    if word in _REMOVING:
        return _instead_of_removing(error, names)
    if word in _HIDING:
        return _instead_of_hiding(error, names)
    if word in _NAMING:
        return f"write `PSEUDONYM {name}`", offer("write `PSEUDONYM`", replace(error.token.span, "PSEUDONYM"))
    if word in _HASHING:
        instead = f"write `PSEUDONYM {name}`, which needs a secret key, or `REPLACE {name} WITH '*'`"
        fixes = offer("write `PSEUDONYM`", replace(error.token.span, "PSEUDONYM"))
        return f"a hash can be reversed by trying values; {instead}", fixes
    if word in _DRAWING:
        return _instead_of_drawing(error, names) if names else _instead_of_sampling(error)
    if word == "ROUND":
        return _instead_of_rounding(error)
    return _samples(name).get(word, ""), ()


def _samples(name: str) -> dict[str, str]:
    """The help for actions of other tools whose parts differ from ours."""
    return {
        **dict.fromkeys(_COARSENING, f"write `GENERALIZE {name} TO BANDS OF 5`"),
        **dict.fromkeys(_AVERAGING, f"write `MICROAGGREGATE {name} BY 3`"),
        **dict.fromkeys(_NOISE, f"write `ADD RANDOM -5 5 TO {name}`"),
        **dict.fromkeys(_SHIFTING, f"write `SHIFT {name} BY person WITHIN 30 DAYS`, {_PERSON}"),
    }


def _instead_of_rounding(error: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    """`ROUND Age TO 5`, `ROUND Age 5`."""
    tokens = [token for token in _until_then(error.after) if token.text.upper() not in _BEFORE_MULTIPLE]
    names, numbers = tokens[:-1], tokens[-1:]
    if not _is_name(names) or numbers[0].type != "NUMBER":
        name = join_tokens(_first_words(tokens)) or "A"
        return f"write `GENERALIZE {name} TO NEAREST 5`", ()
    text, span = f"GENERALIZE {join_tokens(names)} TO NEAREST {numbers[0].text}", error.token.span.to(numbers[0].span)
    return f"write `{text}`", offer(f"write `{text}`", replace(span, text))


def _instead_of_removing(error: Unexpected, names: list[Token]) -> tuple[str, tuple[Fix, ...]]:
    span, name = error.token.span, join_tokens(names)
    if not names:
        return "write `REJECT`", offer("write `REJECT`", replace(span, "REJECT"))
    if _is_always(error):
        return f"write `DROP {name}`", offer(f"write `DROP {name}`", replace(span, "DROP"))
    return f"write `REPLACE {name} WITH '*'` to hide the value; `REJECT` removes the affected records", ()


def _instead_of_hiding(error: Unexpected, names: list[Token]) -> tuple[str, tuple[Fix, ...]]:
    token = error.token
    if not names:
        return "write `REJECT` to remove the affected records, `REPLACE A WITH '*'` to hide a value", ()
    if any(token.type == "COMMA" for token in names):
        return "write `REPLACE A WITH '*'` for each column", ()
    help_ = f"write `REPLACE {join_tokens(names)} WITH '*'`"
    if error.tokens[error.index + 1 + len(names)].type != "SEMICOLON":
        return help_, ()
    return help_, offer(help_, replace(token.span, "REPLACE"), insert(names[-1].end, " WITH '*'"))


def _instead_of_drawing(error: Unexpected, names: list[Token]) -> tuple[str, tuple[Fix, ...]]:
    name = join_tokens(takewhile(lambda each: each.text.upper() != "FROM", names))
    has_values = any(each.text.upper() == "FROM" for each in names)
    fixes = offer("write `RANDOM`", replace(error.token.span, "RANDOM")) if has_values else ()
    return f"write `RANDOM {name} FROM ('a', 'b')`, with the actual values", fixes


def _instead_of_sampling(error: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    """`SAMPLE 0.25` keeps a record with that probability, so REJECT takes one minus it."""
    kept = error.after[0] if [token.type for token in error.after] == ["NUMBER"] else None
    share = Fraction(1, 4) if kept is None else kept.number
    rest = spell_fraction(1 - share) if 0 < share < 1 else None
    if rest is None:
        return "write `WITH PROBABILITY 0.75 REJECT` to keep about a quarter of the records", ()
    written = f"WITH PROBABILITY {rest} REJECT"
    span = error.token.span.to((kept or error.token).span)
    help_ = f"write `{written}` to keep a record with a probability of {spell_fraction(share)}"
    return help_, offer(f"write `{written}`", replace(span, written))


ACTION_RULES: tuple[Rule, ...] = (missing_assertion, mistake_after_always, misplaced_then, other_action)

_MAPS = ("BANDS", "PREFIX", "LEVEL", "MONTH", "QUARTER", "YEAR", "DECADE", "NEAREST")
_EXAMPLES = "`BANDS OF 5`, `NEAREST 5`, `PREFIX OF 3` or `LEVEL 1 OF 'file.csv'`"
_ROUNDING = frozenset({"ROUND", "ROUNDED", "ROUNDING", "MULTIPLE", "MULTIPLES", "CLOSEST"})
_BEFORE_MULTIPLE = frozenset({"TO", "OF", "BY", "NEAREST", *_ROUNDING})
_AFTER_OF = {"BANDS": "5", "PREFIX": "3", "LEVEL": "'file.csv'"}
_INSTEAD_OF_TO = frozenset({"INTO", "IN", "AS", "BY", "WITH", "FROM", "USING", "ON"})
_INSTEAD_OF_OF = frozenset({"BY", "IN", "FROM", "WITH", "WIDTH", "LENGTH", "SIZE", "AS", "TO", "ON"})


def malformed_map(error: Unexpected) -> Diagnostic | None:
    """The first rule that recognizes the mistake, in a step that generalizes."""
    start = error.start_of_step("GENERALIZE")
    return None if start is None else next(filter(None, (rule(error, start) for rule in _RULES)), None)


def _wrong(error: Unexpected, help_: str, fixes: tuple[Fix, ...] = (), code: str = "AC047") -> Diagnostic:
    found = "the end of the requirement" if error.at_end else error.found
    return error.diagnose(code, f"expected {error.expected}, found {found}", help_, fixes)


def _offer(error: Unexpected, text: str, *edits: Edit) -> Diagnostic:
    return _wrong(error, f"write `{text}`", offer(f"write `{text}`", *edits))


def _missing_name(error: Unexpected, start: int) -> Diagnostic | None:
    """`GENERALIZE;`, `GENERALIZE TO YEAR`, and a column called `to`."""
    token = error.token
    if error.index != start + 1 or token.type not in ("TO", "SEMICOLON", *_MAPS):
        return None
    if token.type == "TO" and error.following.text.upper() == "TO":
        name = quoted_name(token.text)
        fixes = offer(f"write `{name}`", replace(token.span, name))
        return _wrong(error, f"quote a column of this name: write `GENERALIZE {name} TO …`", fixes)
    rest = join_tokens(error.tokens[error.index : -1]) or "TO YEAR"
    return _wrong(error, f"write `{error.tokens[start].text} Age {rest}`")


def _missing_to(error: Unexpected, start: int) -> Diagnostic | None:
    """`GENERALIZE age BANDS OF 5`, `GENERALIZE age INTO BANDS OF 5`, `GENERALIZE age BY 5`."""
    if "TO" not in error.accepted or error.previous.type not in ("WORD", "QUOTED"):
        return None
    token, following, words = error.token, error.following, error.words_before
    named, is_instead = join_tokens(error.tokens[start : error.index]), token.text.upper() in _INSTEAD_OF_TO
    if token.type in _MAPS and len(words) > 1 and words[-1].text.upper() in _INSTEAD_OF_TO:
        help_ = f"write `{join_tokens(error.tokens[start : error.index - 1])} TO {token.text}`"
        return _wrong(error, help_, offer("write `TO`", replace(words[-1].span, "TO")))
    if token.type in _MAPS:
        return _wrong(error, f"write `{named} TO {token.text}`", safe("insert `TO`", insert(token.start, "TO ")))
    if is_instead and following.type == "NUMBER":
        return _offer(error, f"{named} TO BANDS OF {following.text}", replace(token.span, "TO BANDS OF"))
    if token.type == "WITH":
        text = f"REPLACE {join_tokens(error.tokens[start + 1 : error.index + 2])}"
        return _offer(error, text, replace(error.tokens[start].span, "REPLACE"))
    if is_instead and following.text.upper() in _MAPS:
        return _wrong(error, f"write `{named} TO {following.text}`", offer("write `TO`", replace(token.span, "TO")))
    return _wrong(error, f"write `{named} TO YEAR`, or another map, as in {_EXAMPLES}")


def _name_with_to(error: Unexpected, start: int) -> Diagnostic | None:
    """`GENERALIZE time to event TO BANDS OF 5`."""
    if "BANDS" not in error.accepted or error.token.type not in ("WORD", "QUOTED"):
        return None
    rest = error.tokens[error.index :]
    end = next((at for at, token in enumerate(rest) if token.text.upper() == "TO"), None)
    if end is None or any(token.type != "WORD" for token in rest[:end]):
        return None
    return error.quote_name([*error.tokens[start + 1 : error.index], *rest[:end]], "GENERALIZE", "TO")


def _unknown_map(error: Unexpected, start: int) -> Diagnostic | None:
    """`TO BAND OF 5`, `TO MONTHS`, `TO 5`, `TO '*'`."""
    if "BANDS" not in error.accepted:
        return None
    token, begun = error.token, join_tokens(error.tokens[start : error.index])
    word = token.text.upper()
    close = (each for each in _MAPS if is_one_letter_off(word, each) or is_swapped(word, each))
    meant = next(close, None) if token.type == "WORD" else None
    if meant is not None:
        return _wrong(error, f"write `{begun} {meant}`", safe(f"write `{meant}`", replace(token.span, meant)))
    if word in _ROUNDING:
        return _rounding(error, begun)
    if token.type == "NUMBER":
        return _offer(error, f"BANDS OF {token.text}", insert(token.start, "BANDS OF "))
    if token.type == "STRING":
        text = f"REPLACE {join_tokens(error.tokens[start + 1 : error.index - 1])} WITH {token.text}"
        return _offer(error, text, replace(error.tokens[start].span, "REPLACE"), replace(error.previous.span, "WITH"))
    return _wrong(error, f"write `{begun} YEAR`, or another map, as in {_EXAMPLES}")


def _rounding(error: Unexpected, begun: str) -> Diagnostic:
    """`TO ROUND 5`, `TO MULTIPLES OF 5`."""
    rest = [error.token, *_until_then(error.after)]
    words, number = rest[:-1], rest[-1]
    if number.type != "NUMBER" or any(word.text.upper() not in _BEFORE_MULTIPLE for word in words):
        return _wrong(error, f"write `{begun} NEAREST 5`")
    edit = replace(words[0].span.to(words[-1].span), "NEAREST")
    help_ = f"write `{begun} NEAREST {number.text}`"
    return _wrong(error, help_, safe(help_, edit))


def _missing_of(error: Unexpected, start: int) -> Diagnostic | None:
    """`BANDS 5`, `BANDS BY 5`, `BANDS 18, 25`, `PREFIX 3`, `LEVEL 1 'file.csv'`, `LEVEL 1 IN 'file.csv'`."""
    if "OF" not in error.accepted:
        return None
    token, begun = error.token, join_tokens(_begun_map(error))
    is_instead = token.text.upper() in _INSTEAD_OF_OF
    rest = error.after if is_instead else [token, *error.after]
    is_list = "AT" in error.accepted and [each.type for each in rest[:2]] == ["NUMBER", "COMMA"]
    word, constants = ("AT", rest) if is_list else ("OF", rest[:1])
    if token.type in ("NUMBER", "STRING"):
        help_ = f"write `{begun} {word} {join_tokens(constants)}`"
        return _wrong(error, help_, safe(f"insert `{word}`", insert(token.start, f"{word} ")))
    if is_instead:
        is_given = rest[:1] and rest[0].type in ("NUMBER", "STRING")
        help_ = f"write `{begun} {word} {join_tokens(constants) if is_given else '…'}`"
        return _wrong(error, help_, safe(f"write `{word}`", replace(token.span, word)))
    return _wrong(error, f"write `{begun} OF {_AFTER_OF[begun.split()[0].upper()]}`")


def _begun_map(error: Unexpected) -> list[Token]:
    """The tokens of the map before this one."""
    at = error.index - 1
    while error.tokens[at].type not in _MAPS:
        at -= 1
    return error.tokens[at : error.index]


def _bounds_of_bands(error: Unexpected, start: int) -> Diagnostic | None:
    """`BANDS OF 5 TO 90`, `BANDS OF 5 UP 90`, `BANDS OF 5 UPTO 90`, `BANDS OF 18, 25`."""
    token, number = error.token, join_tokens(error.after[:1])
    if "UP" in error.accepted and token.type == "TO":
        help_ = f"write `{join_tokens(_begun_map(error))} UP TO {number}`"
        return _wrong(error, help_, safe("write `UP TO`", insert(token.start, "UP ")))
    if "UP" in error.accepted and token.text.upper() in ("UPTO", "UNTIL", "TILL"):
        return _wrong(error, f"write `UP TO {number}`", safe("write `UP TO`", replace(token.span, "UP TO")))
    if "UP" in error.accepted and token.type == "COMMA":
        return _several_cuts(error)
    if error.accepted == {"TO"} and token.type == "NUMBER":
        return _wrong(error, f"write `UP TO {token.text}`", safe("insert `TO`", insert(token.start, "TO ")))
    return None


def _several_cuts(error: Unexpected) -> Diagnostic | None:
    tokens, after = _begun_map(error), error.after
    if [token.type for token in tokens] != ["BANDS", "OF", "NUMBER"]:
        return None
    if any(token.type != ("COMMA" if at % 2 else "NUMBER") for at, token in enumerate(after)) or not after:
        return None
    help_, span = f"write `BANDS AT {join_tokens([tokens[2], error.token, *after])}`", tokens[1].span
    message = "`BANDS OF` takes one width, found several bounds"
    return error.diagnose("AC047", message, help_, offer("write `AT`", replace(span, "AT")), span)


def _number_of_map(error: Unexpected, start: int) -> Diagnostic | None:
    """`BANDS OF w`: a map takes numbers, not parameters; `LEVEL OF 'file.csv'` lacks its number."""
    if error.accepted != {"NUMBER"}:
        return None
    begun, token = join_tokens(_begun_map(error)), error.token
    if begun.upper() == "NEAREST" and token.text.upper() in _BEFORE_MULTIPLE and error.following.type == "NUMBER":
        fixes = safe(f"remove `{token.text}`", delete(token.span))
        return _wrong(error, f"write `{begun} {error.following.text}`", fixes)
    return _wrong(error, f"write a number, as in `{begun} {'1' if begun.upper().startswith('LEVEL') else '5'}`")


def _file_of_level(error: Unexpected, start: int) -> Diagnostic | None:
    """`LEVEL 1 OF file.csv`."""
    if error.accepted != {"STRING"} or error.token.type != "WORD":
        return None
    file = spell_string(error.token.text)
    message = f"expected the name of a file in single quotes, found {quote(error.token.text)}"
    fixes = offer(f"write `{file}`", replace(error.token.span, file))
    return error.diagnose("AC047", message, f"write `{join_tokens(_begun_map(error))} {file}`", fixes)


def _otherwise(error: Unexpected, start: int) -> Diagnostic | None:
    """`LEVEL 1 OF 'file.csv' OTHERWISE 'x'`."""
    token = error.token
    if "ELSE" not in error.accepted or token.text.upper() not in ("OTHERWISE", "DEFAULT", "OR"):
        return None
    help_ = f"write `ELSE {join_tokens(error.after[:1])}`"
    return _wrong(error, help_, safe("write `ELSE`", replace(token.span, "ELSE")))


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

_PERSON = "with the column that identifies a person"
#: days in each unit of time that a shift may be given in
_UNITS = {"DAY": 1, "DAYS": 1, "WEEK": 7, "WEEKS": 7}
_AROUND_BOUNDS = frozenset({"BETWEEN", "FROM", "AND", "TO", "IN", "(", ")", ","})
_BEFORE_SIZE = frozenset({"BY", "IN", "INTO", "WITH", "OF", "TO", "GROUP", "GROUPS", "CLASSES", "SIZE", "K", "="})


def malformed_action(error: Unexpected) -> Diagnostic | None:
    """A mistake in PSEUDONYM, SHIFT, ADD RANDOM or MICROAGGREGATE, other than a missing THEN after it."""
    if "THEN" in error.accepted and (begins_step([error.token, *error.after]) or begins_step(error.after)):
        return None
    for kind in ("RANDOM", *_ACTIONS_BEYOND):
        start = error.start_of_step(kind)
        step = [] if start is None else _until_then(error.tokens[start:-1])
        words = [token.text.upper() for token in step]
        if words[:2] == ["RANDOM", "ADD"] and len(step) > 4:
            return _malformed_noise(error, [step[1], step[0], *step[2:]])
        if kind in _ACTIONS_BEYOND and step and (error.token in step or "THEN" not in error.accepted):
            return _ACTIONS_BEYOND[kind](error, step)
    return None


def _until_then(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of one step."""
    return list(takewhile(lambda token: token.text.upper() not in ("THEN", ":", ";"), tokens))


def _first_words(tokens: Sequence[Token]) -> list[Token]:
    return list(takewhile(lambda token: token.type in ("WORD", "QUOTED"), tokens))


def _is_name(tokens: Sequence[Token]) -> bool:
    kinds = [token.type for token in tokens]
    return kinds == ["QUOTED"] or (bool(kinds) and set(kinds) <= {"WORD", "PARAMETER"})


def _split_names(tokens: Sequence[Token]) -> list[str] | None:
    """The names in a list with commas; None if the tokens are not such a list."""
    names = between_commas(tokens)
    return [join_tokens(name) for name in names] if all(map(_is_name, names)) else None


def _malformed(error: Unexpected, help_: str, fixes: tuple[Fix, ...] = ()) -> Diagnostic:
    return _wrong(error, help_, fixes, "AC056")


def _rewrite(error: Unexpected, step: list[Token], text: str, is_safe: bool = True) -> Diagnostic:
    """A diagnostic whose fix writes the whole step anew."""
    span = min(step, key=lambda token: token.start).span.to(step[-1].span)
    fix = safe if is_safe else offer
    return _malformed(error, f"write `{text}`", fix(f"write `{text}`", replace(span, text)))


def _malformed_pseudonym(error: Unexpected, step: list[Token]) -> Diagnostic:
    """`PSEUDONYM a, b`, `PSEUDONYM a WITH KEY 'secret'`."""
    listed = list(takewhile(lambda token: token.type in ("WORD", "QUOTED", "COMMA"), step[1:]))
    names, rest = _split_names(listed), step[1 + len(listed) :]
    if names is None:
        return _malformed(error, "write `PSEUDONYM A`, with the name of a column")
    text = " THEN ".join(f"PSEUDONYM {name}" for name in names)
    if not rest:
        return _rewrite(error, step, text, is_safe=False)
    help_ = f"write `{text}`; the secret key is passed to `run` and is not part of the policy"
    return _malformed(error, help_, offer(f"write `{text}`", delete(rest[0].span.to(rest[-1].span))))


def _malformed_shift(error: Unexpected, step: list[Token]) -> Diagnostic:
    """`SHIFT a BY 30 DAYS`, `SHIFT a WITHIN 30 DAYS BY p`, `SHIFT a BY p WITHIN 30`, `WITHIN 2 WEEKS`."""
    parts: dict[str, list[Token]] = {"SHIFT": [], "BY": [], "WITHIN": [], "DAYS": []}
    part = "SHIFT"
    for token in step[1:]:
        word = token.text.upper()
        if word in ("BY", "WITHIN") and parts[part] and not parts[word]:
            part = word
        elif word in _UNITS and parts["WITHIN"]:
            part = "DAYS"
            parts[part].append(token)
        else:
            part = "WITHIN" if token.type == "NUMBER" else part
            parts[part].append(token)
    names, person, days = parts["SHIFT"], parts["BY"], parts["WITHIN"]
    is_complete = len(days) == 1 and days[0].text.upper() not in _UNITS and len(parts["DAYS"]) < 2
    factor = _UNITS[parts["DAYS"][0].text.upper()] if parts["DAYS"] else 1
    bound = days[0].text if is_complete and factor == 1 else "30"
    if is_complete and days[0].type == "NUMBER":
        bound = spell_fraction(abs(days[0].number) * factor) or bound
    listed = _split_names(names)
    begun = f"SHIFT {', '.join(listed or ['A'])} BY"
    if listed is None or not _is_name(person):
        return _malformed(error, f"write `{begun} person WITHIN {bound} DAYS`, {_PERSON}")
    text = f"{begun} {join_tokens(person)} WITHIN {bound} DAYS"
    if not is_complete or (factor > 1 and days[0].type != "NUMBER"):
        return _malformed(error, f"give the largest shift in days, as in `{text}`")
    return _rewrite(error, step, text, is_safe=factor == 1)


def _malformed_noise(error: Unexpected, step: list[Token]) -> Diagnostic:
    """`ADD RANDOM 1 2 a`, `ADD NOISE 1 2 TO a`, `RANDOM ADD 1 2 TO a`, `ADD RANDOM BETWEEN 1 AND 2 TO a`."""
    is_named = len(step) > 1 and (step[1].type == "RANDOM" or step[1].text.upper() in _NOISE)
    rest = step[2:] if is_named else step[1:]
    numbers = [token for token in rest if token.type == "NUMBER"]
    bounds = numbers or [each for each in rest if each.type == "PARAMETER" and each.text.upper() not in _AROUND_BOUNDS]
    end = 1 + max((rest.index(bound) for bound in bounds), default=-1)
    after = list(dropwhile(lambda token: token.text.upper() in _AROUND_BOUNDS, rest[end:]))
    others = [each for each in rest[:end] if each not in bounds]
    names = _split_names(after)
    if names is None or len(bounds) not in (1, 2) or any(each.text.upper() not in _AROUND_BOUNDS for each in others):
        written = join_tokens(bounds) if len(bounds) == 2 else "-5 5"
        return _malformed(error, f"write `ADD RANDOM {written} TO {'A' if names is None else names[0]}`")
    lower = bounds[0].text if len(bounds) == 2 else f"-{bounds[0].text.lstrip('+-')}"
    upper = bounds[-1].text.lstrip("+-") if len(bounds) == 1 else bounds[1].text
    text = " THEN ".join(f"ADD RANDOM {lower} {upper} TO {name}" for name in names)
    is_written = len(bounds) == 2 or numbers != []  # a minus sign cannot precede a parameter
    if not is_written:
        return _malformed(error, f"write `ADD RANDOM 0 {upper} TO {names[0]}`")
    return _rewrite(error, step, text, is_safe=len(bounds) == 2 and len(names) == 1)


def _malformed_microaggregation(error: Unexpected, step: list[Token]) -> Diagnostic:
    """`MICROAGGREGATE a 3`, `MICROAGGREGATE a IN GROUPS OF 3`, `MICROAGGREGATE a, b BY 3`."""
    is_sized = step[-1].type in ("NUMBER", "PARAMETER")
    rest = step[1:-1] if is_sized else step[1:]
    at = next((at for at, each in enumerate(rest) if at and each.text.upper() in _BEFORE_SIZE), len(rest))
    names, fillers = _split_names(rest[:at]), rest[at:]
    size = step[-1].text if is_sized else "3"
    if names is None:
        return _malformed(error, f"write `MICROAGGREGATE A BY {size}`, with the name of a column")
    text = " THEN ".join(f"MICROAGGREGATE {name} BY {size}" for name in names)
    if not is_sized or any(each.text.upper() not in _BEFORE_SIZE for each in fillers):
        return _malformed(error, f"write `{text}`")
    diagnostic = _rewrite(error, step, text, is_safe=not fillers and len(names) == 1)
    apart = "; each column is ordered and cut into groups on its own" if len(names) > 1 else ""
    return replace_field(diagnostic, help=f"{diagnostic.help}{apart}")


_ACTIONS_BEYOND: dict[str, Callable[[Unexpected, list[Token]], Diagnostic]] = {
    "PSEUDONYM": _malformed_pseudonym,
    "SHIFT": _malformed_shift,
    "ADD": _malformed_noise,
    "MICROAGGREGATE": _malformed_microaggregation,
}
