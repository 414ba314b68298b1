"""Mistakes around ALWAYS and THEN, and actions of other tools."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import takewhile

from acompass.diagnostics import Diagnostic, Fix, Label
from acompass.diagnostics.edits import delete, insert, offer, replace, safe
from acompass.syntax.habits import Rule
from acompass.syntax.spelling import spell_fraction
from acompass.syntax.tokens import Token
from acompass.syntax.unexpected import Unexpected, quote, text_of

ACTIONS = ("REJECT", "REPLACE", "RANDOM", "GENERALIZE", "DROP")
ALL_ACTIONS = "`REJECT` `REPLACE A WITH 0` `RANDOM A 1 9` `GENERALIZE A TO BANDS OF 5`"
_REMOVING = frozenset({"DELETE", "REMOVE", "OMIT", "EXCLUDE"})
_HIDING = frozenset({"SUPPRESS", "MASK", "REDACT", "HIDE", "ANONYMIZE", "ANONYMISE"})
_HASHING = frozenset({"HASH", "ENCRYPT", "PSEUDONYMIZE", "PSEUDONYMISE", "TOKENIZE"})
_DRAWING = frozenset({"SAMPLE", "DRAW", "CHOOSE", "PICK", "RANDOMIZE", "RANDOMISE", "PERTURB"})
_OF_DATABASES = frozenset({"TABLE", "VIEW", "DATABASE"})
_COARSENING = frozenset({"ROUND", "BIN", "BUCKET", "RECODE", "AGGREGATE", "COARSEN"})


def is_chance(tokens: Sequence[Token]) -> bool:
    """Whether the first tokens are WITH PROBABILITY (X5)."""
    return [token.text.upper() for token in tokens[:2]] == ["WITH", "PROBABILITY"]


def begins_step(tokens: Sequence[Token]) -> bool:
    """Whether the first tokens begin an action, or a probability before one."""
    return is_chance(tokens) or any(token.text.upper() in ACTIONS for token in tokens[:1])


def _is_always(unexpected: Unexpected) -> bool:
    return unexpected.tokens[0].type == "ALWAYS"


def without_assertion(unexpected: Unexpected) -> Diagnostic | None:
    """`DROP Name;`, `GENERALIZE age TO YEAR;`, `REPLACE Name WITH '*';`."""
    token = unexpected.token
    if unexpected.index or not _is_without_assertion([token, *unexpected.after]):
        return None
    tokens = [token, *unexpected.after]
    help_ = f"write `ALWAYS : {text_of(tokens)};` to change every record"
    found = quote(text_of(tokens[: 2 if is_chance(tokens) else 1]))
    message = f"expected {unexpected.expected}, found the action {found}"
    fixes = offer("insert `ALWAYS :`", insert(token.start, "ALWAYS : "))
    return Diagnostic("AC049", message, unexpected.label(), help_, fixes=fixes)


def _is_without_assertion(tokens: list[Token]) -> bool:
    """Whether the tokens begin with an action and its column, or with a probability."""
    if len(tokens) < 2 or is_chance(tokens):
        return is_chance(tokens)
    word, following = tokens[:2]
    is_column = following.type in ("WORD", "QUOTED") and following.text.upper() not in _OF_DATABASES
    return word.text.upper() in ACTIONS[1:] and is_column


def after_always(unexpected: Unexpected) -> Diagnostic | None:
    """`ALWAYS;`, `ALWAYS : ;`, `ALWAYS : Age >= 3 : REJECT;`, `ALWAYS RESULT : …`."""
    if not _is_always(unexpected) or unexpected.index > 2:
        return None
    if unexpected.at_end:
        help_ = "write `ALWAYS : REPLACE Name WITH '*';` or `ALWAYS : DROP Name;`"
        return Diagnostic("AC015", "missing action after `ALWAYS`", unexpected.label(), help_)
    rest = unexpected.tokens[unexpected.index : -1]
    if unexpected.token.type in ("RESULT", "FILTER", "PROCESS"):
        return _asserted(unexpected, "EACH", rest)
    has_condition = unexpected.index == 2 and any(token.type == "COLON" for token in rest)
    return _asserted(unexpected, "EACH RESULT :", rest) if has_condition else None


def _asserted(unexpected: Unexpected, quantified: str, rest: list[Token]) -> Diagnostic:
    """An assertion was meant, so ALWAYS is not the word for it."""
    until = unexpected.tokens[unexpected.index - 1] if quantified == "EACH" else unexpected.tokens[0]
    span = unexpected.tokens[0].span.to(until.span)
    written = quantified.removesuffix(" :")
    fixes = offer(f"write `{written}`", replace(span, written))
    message = "`ALWAYS` takes an action, found an assertion"
    help_ = f"write `{quantified} {text_of(rest)};`"
    return Diagnostic("AC049", message, (Label(span),), help_, fixes=fixes)


def misplaced_then(unexpected: Unexpected) -> Diagnostic | None:
    """`: THEN REJECT`, `REJECT THEN;`, `REJECT THEN : REJECT`, `REJECT, REJECT`."""
    token, previous = unexpected.token, unexpected.previous
    if token.type == "THEN" and unexpected.wants_action:
        help_ = "`THEN` stands between two actions; remove it"
        fixes = safe("remove the `THEN`", delete(token.span))
        return Diagnostic("AC050", "missing action before `THEN`", unexpected.label(), help_, fixes=fixes)
    if previous is not None and previous.type == "THEN":
        if token.type == "COLON" and begins_step(unexpected.after):
            help_ = "remove the `:`, since the steps after `THEN` share the assertion"
            fixes = safe("remove the `:`", delete(token.span))
            message = "unexpected `:` after `THEN`"
            return Diagnostic("AC050", message, unexpected.label(), help_, fixes=fixes)
        if unexpected.at_end:
            fixes = offer("remove the `THEN`", delete(previous.span))
            help_ = "write another action, as in `THEN REJECT`, or remove the `THEN`"
            return Diagnostic("AC050", "missing action after `THEN`", unexpected.label(), help_, fixes=fixes)
    return _instead_of_then(unexpected)


def _instead_of_then(unexpected: Unexpected) -> Diagnostic | None:
    """A comma, a colon, AND or nothing between two actions."""
    token, after = unexpected.token, unexpected.after
    if "THEN" not in unexpected.accepted:
        return None
    before = [unexpected.tokens[unexpected.index - 1], Token("THEN", "THEN", 0, 0)]
    message = f"expected `THEN` between two actions, found {unexpected.found}"
    if token.type in ("COMMA", "COLON", "AND") and begins_step(after):
        help_ = f"write `{text_of([*before, *after])}`"
        fixes = offer("write `THEN`", replace(token.span, " THEN"))
        return Diagnostic("AC050", message, unexpected.label(), help_, fixes=fixes)
    if begins_step([token, *after]):
        help_ = f"write `{text_of([*before, token, *after])}`"
        fixes = offer("insert `THEN`", insert(token.start, "THEN "))
        return Diagnostic("AC050", message, unexpected.label(), help_, fixes=fixes)
    return None


def other_action(unexpected: Unexpected) -> Diagnostic | None:
    """`DELETE Name`, `SUPPRESS Name`, `HASH Name`, `DROP COLUMN Name`."""
    token = unexpected.token
    if token.type == "COLUMN":
        help_ = f"write `DROP {text_of(unexpected.after)}`; a column that is called so needs double quotes"
        fixes = safe(f"remove `{token.text}`", delete(token.span))
        return Diagnostic("AC024", "`DROP` takes names alone", unexpected.label(), help_, fixes=fixes)
    if not unexpected.wants_action or token.type != "WORD":
        return None
    help_, fixes = _instead(unexpected)
    if not help_:
        return None
    message = f"unknown action {quote(token.text)}"
    return Diagnostic("AC024", message, unexpected.label(), help_, fixes=fixes)


def _instead(unexpected: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    """The help for an action of another tool, empty if it is not known."""
    word, names = unexpected.token.text.upper(), _names(unexpected)
    if word in _REMOVING:
        return _instead_of_removing(unexpected, names)
    if word in _HIDING:
        return _instead_of_hiding(unexpected, names)
    name = text_of(names) or "A"
    if word in _HASHING:
        return (
            f"a hash can be found by trial; write `REPLACE {name} WITH '*'`, or `ALWAYS : DROP {name};`",
            (),
        )
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
        help_ = f"write `DROP {text_of(names)}`"
        return help_, offer(help_, replace(token.span, "DROP"))
    return (
        f"write `REPLACE {text_of(names)} WITH '*'` to hide the value; `REJECT` removes the affected records",
        (),
    )


def _instead_of_hiding(unexpected: Unexpected, names: list[Token]) -> tuple[str, tuple[Fix, ...]]:
    token = unexpected.token
    if not names:
        return "write `REJECT` to remove the affected records, `REPLACE A WITH '*'` to hide a value", ()
    if any(token.type == "COMMA" for token in names):
        return "write `REPLACE A WITH '*'` for each column", ()
    help_ = f"write `REPLACE {text_of(names)} WITH '*'`"
    if unexpected.tokens[unexpected.index + 1 + len(names)].type != "SEMICOLON":
        return help_, ()
    return help_, offer(help_, replace(token.span, "REPLACE"), insert(names[-1].end, " WITH '*'"))


def _instead_of_drawing(unexpected: Unexpected, names: list[Token]) -> tuple[str, tuple[Fix, ...]]:
    token = unexpected.token
    if not names:
        return _instead_of_sampling(unexpected)
    name = text_of(takewhile(lambda each: each.text.upper() != "FROM", names))
    has_values = any(each.text.upper() == "FROM" for each in names)
    fixes = offer("write `RANDOM`", replace(token.span, "RANDOM")) if has_values else ()
    return f"write `RANDOM {name} FROM ('a', 'b')`, with the actual values", fixes


def _instead_of_sampling(unexpected: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    """`SAMPLE 0.25` keeps a record with that probability, so REJECT drops it with the rest."""
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


EVERYDAY: tuple[Rule, ...] = (without_assertion, after_always, misplaced_then, other_action)
