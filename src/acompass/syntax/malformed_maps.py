"""Mistakes in `GENERALIZE … TO …`."""

from acompass.diagnostics import Diagnostic, Fix, Label
from acompass.diagnostics.edits import insert, offer, replace, safe
from acompass.syntax.habits import Rule
from acompass.syntax.spelling import quoted_name, spell_string
from acompass.syntax.tokens import Token
from acompass.syntax.typos import is_one_letter_off, is_swapped
from acompass.syntax.unexpected import Unexpected, quote, text_of

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
    message = f"expected {unexpected.expected}, found {found}"
    return Diagnostic("AC047", message, unexpected.label(), help_, fixes=fixes)


def _missing_name(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`GENERALIZE;`, `GENERALIZE TO YEAR`."""
    if unexpected.index != start + 1 or unexpected.token.type not in ("TO", "SEMICOLON", *_MAPS):
        return None
    following = unexpected.following
    if unexpected.token.type == "TO" and following is not None and following.text.upper() == "TO":
        return _column_called_to(unexpected)
    rest = text_of(unexpected.tokens[unexpected.index : -1]) or "TO YEAR"
    return _wrong(unexpected, f"write `{unexpected.tokens[start].text} Age {rest}`")


def _column_called_to(unexpected: Unexpected) -> Diagnostic | None:
    """`GENERALIZE to TO BANDS OF 5`."""
    name = quoted_name(unexpected.token.text)
    fixes = offer(f"write `{name}`", replace(unexpected.token.span, name))
    return _wrong(unexpected, f"a column called so is quoted here: write `GENERALIZE {name} TO …`", fixes)


def _missing_to(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`GENERALIZE age BANDS OF 5`, `GENERALIZE age INTO BANDS OF 5`, `GENERALIZE age BY 5`."""
    follows_name = unexpected.tokens[unexpected.index - 1].type in ("WORD", "QUOTED")
    if "TO" not in unexpected.accepted or not follows_name:
        return None
    token, words = unexpected.token, unexpected.words_before
    if token.type in _MAPS and len(words) > 1 and words[-1].text.upper() in _INSTEAD_OF_TO:
        help_ = f"write `{text_of(unexpected.tokens[start : unexpected.index - 1])} TO {token.text}`"
        return _wrong(unexpected, help_, offer("write `TO`", replace(words[-1].span, "TO")))
    named = text_of(unexpected.tokens[start : unexpected.index])
    if token.type in _MAPS:
        help_ = f"write `{named} TO {token.text}`"
        return _wrong(unexpected, help_, safe("insert `TO`", insert(token.start, "TO ")))
    following = unexpected.following
    if token.text.upper() in _INSTEAD_OF_TO and following is not None and following.type == "NUMBER":
        help_ = f"write `{named} TO BANDS OF {following.text}`"
        return _wrong(unexpected, help_, offer(help_, replace(token.span, "TO BANDS OF")))
    if token.type == "WITH":
        help_ = f"write `REPLACE {text_of([*unexpected.tokens[start + 1 : unexpected.index + 2]])}`"
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
    name, span = quoted_name(text_of(words)), words[0].span.to(words[-1].span)
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
        help_ = f"write `{text_of(unexpected.tokens[start : unexpected.index])} {meant}`"
        return _wrong(unexpected, help_, safe(f"write `{meant}`", replace(token.span, meant)))
    if token.type == "NUMBER":
        help_ = f"write `BANDS OF {token.text}`"
        return _wrong(unexpected, help_, offer(help_, insert(token.start, "BANDS OF ")))
    if token.type == "STRING":
        return _constant_map(unexpected, start)
    begun = text_of(unexpected.tokens[start : unexpected.index])
    return _wrong(unexpected, f"write `{begun} YEAR`, or another map, as in {_EXAMPLES}")


def _meant(token: Token) -> str | None:
    """A map whose first word differs by one letter."""
    word = token.text.upper()
    close = (each for each in _MAPS if is_one_letter_off(word, each) or is_swapped(word, each))
    return next(close, None) if token.type == "WORD" else None


def _constant_map(unexpected: Unexpected, start: int) -> Diagnostic:
    name = text_of(unexpected.tokens[start + 1 : unexpected.index - 1])
    help_ = f"write `REPLACE {name} WITH {unexpected.token.text}`"
    word, to = unexpected.tokens[start], unexpected.tokens[unexpected.index - 1]
    fixes = offer(help_, replace(word.span, "REPLACE"), replace(to.span, "WITH"))
    return _wrong(unexpected, help_, fixes)


def _missing_of(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`BANDS 5`, `BANDS BY 5`, `BANDS 18, 25`, `PREFIX 3`, `LEVEL 1 'file.csv'`, `LEVEL 1 IN 'file.csv'`."""
    if "OF" not in unexpected.accepted:
        return None
    token = unexpected.token
    begun = text_of(unexpected.tokens[_start_of_map(unexpected) : unexpected.index])
    is_instead = token.text.upper() in _INSTEAD_OF_OF
    rest = unexpected.after if is_instead else [token, *unexpected.after]
    is_list = "AT" in unexpected.accepted and [each.type for each in rest[:2]] == ["NUMBER", "COMMA"]
    word, constants = ("AT", rest) if is_list else ("OF", rest[:1])
    if token.type in ("NUMBER", "STRING"):
        help_ = f"write `{begun} {word} {text_of(constants)}`"
        return _wrong(unexpected, help_, safe(f"insert `{word}`", insert(token.start, f"{word} ")))
    if is_instead:
        is_given = rest[:1] and rest[0].type in ("NUMBER", "STRING")
        help_ = f"write `{begun} {word} {text_of(constants) if is_given else '…'}`"
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
            begun = text_of(unexpected.tokens[_start_of_map(unexpected) : unexpected.index])
            number = text_of(unexpected.after[:1])
            help_ = f"write `{begun} UP TO {number}`"
            return _wrong(unexpected, help_, safe("write `UP TO`", insert(token.start, "UP ")))
        if token.text.upper() in ("UPTO", "UNTIL", "TILL"):
            help_ = f"write `UP TO {text_of(unexpected.after[:1])}`"
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
    cuts = text_of([tokens[2], unexpected.token, *after])
    help_ = f"write `BANDS AT {cuts}`"
    fixes = offer("write `AT`", replace(tokens[1].span, "AT"))
    message = "`BANDS OF` takes one width, found several bounds"
    return Diagnostic("AC047", message, (Label(tokens[1].span),), help_, fixes=fixes)


def _number_of_map(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`BANDS OF w`: the numbers of a map are no parameters; `LEVEL OF 'file.csv'` has no number."""
    if unexpected.accepted != {"NUMBER"}:
        return None
    begun = text_of(unexpected.tokens[_start_of_map(unexpected) : unexpected.index])
    help_ = f"write a number, as in `{begun} {'1' if begun.upper().startswith('LEVEL') else '5'}`"
    return _wrong(unexpected, help_)


def _file_of_level(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`LEVEL 1 OF file.csv`."""
    if unexpected.accepted != {"STRING"} or unexpected.token.type != "WORD":
        return None
    file = spell_string(unexpected.token.text)
    begun = text_of(unexpected.tokens[_start_of_map(unexpected) : unexpected.index])
    help_ = f"write `{begun} {file}`"
    message = f"expected the name of a file in single quotes, found {quote(unexpected.token.text)}"
    fixes = offer(f"write `{file}`", replace(unexpected.token.span, file))
    return Diagnostic("AC047", message, unexpected.label(), help_, fixes=fixes)


def _otherwise(unexpected: Unexpected, start: int) -> Diagnostic | None:
    """`LEVEL 1 OF 'file.csv' OTHERWISE 'x'`."""
    token = unexpected.token
    if "ELSE" not in unexpected.accepted or token.text.upper() not in ("OTHERWISE", "DEFAULT", "OR"):
        return None
    help_ = f"write `ELSE {text_of(unexpected.after[:1])}`"
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
MAPS: tuple[Rule, ...] = (malformed_map,)
