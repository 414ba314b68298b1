"""Mistakes around ALWAYS and THEN, and actions of other tools."""

from itertools import takewhile

from acompass.diagnostics import Diagnostic, Fix, Label
from acompass.diagnostics.edits import delete, insert, offer, replace, safe
from acompass.syntax.habits import Rule
from acompass.syntax.tokens import Token
from acompass.syntax.unexpected import Unexpected, quote, text_of

ACTIONS = ("REJECT", "REPLACE", "RANDOM", "GENERALIZE", "DROP")
ALL_ACTIONS = "`REJECT` `REPLACE A WITH 0` `RANDOM A 1 9` `GENERALIZE A TO BANDS OF 5`"
_REMOVING = frozenset({"DELETE", "REMOVE", "OMIT", "EXCLUDE"})
_HIDING = frozenset({"SUPPRESS", "MASK", "REDACT", "HIDE", "ANONYMIZE", "ANONYMISE"})
_HASHING = frozenset({"HASH", "ENCRYPT", "PSEUDONYMIZE", "PSEUDONYMISE", "TOKENIZE"})
_COARSENING = frozenset({"ROUND", "BIN", "BUCKET", "RECODE", "AGGREGATE", "COARSEN"})


def _is_always(unexpected: Unexpected) -> bool:
    return unexpected.tokens[0].type == "ALWAYS"


def without_assertion(unexpected: Unexpected) -> Diagnostic | None:
    """`DROP Name;`, `GENERALIZE age TO YEAR;`, `REPLACE Name WITH '*';`."""
    token, following = unexpected.token, unexpected.following
    if unexpected.index or token.text.upper() not in ACTIONS[1:] or following is None:
        return None
    if following.type not in ("WORD", "QUOTED") or following.text.upper() in ("TABLE", "VIEW", "DATABASE"):
        return None
    help_ = f"write `ALWAYS : {text_of([token, *unexpected.after])};` to change every record"
    message = f"expected {unexpected.expected}, found the action {quote(token.text)}"
    fixes = offer("insert `ALWAYS :`", insert(token.start, "ALWAYS : "))
    return Diagnostic("AC049", message, unexpected.label(), help_, fixes=fixes)


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
    if token.type == "THEN" and "REJECT" in unexpected.accepted:
        help_ = "`THEN` stands between two actions; remove it"
        fixes = safe("remove the `THEN`", delete(token.span))
        return Diagnostic("AC050", "missing action before `THEN`", unexpected.label(), help_, fixes=fixes)
    if previous is not None and previous.type == "THEN":
        if token.type == "COLON" and _begins_step(unexpected.following):
            help_ = "remove the `:`, since the steps after `THEN` share the assertion"
            fixes = safe("remove the `:`", delete(token.span))
            message = "unexpected `:` after `THEN`"
            return Diagnostic("AC050", message, unexpected.label(), help_, fixes=fixes)
        if unexpected.at_end:
            fixes = offer("remove the `THEN`", delete(previous.span))
            help_ = "write another action, as in `THEN REJECT`, or remove the `THEN`"
            return Diagnostic("AC050", "missing action after `THEN`", unexpected.label(), help_, fixes=fixes)
    return _instead_of_then(unexpected)


def _begins_step(token: Token | None) -> bool:
    return token is not None and token.text.upper() in ACTIONS


def _instead_of_then(unexpected: Unexpected) -> Diagnostic | None:
    """A comma, a colon, AND or nothing between two actions."""
    token, following = unexpected.token, unexpected.following
    if "THEN" not in unexpected.accepted:
        return None
    before = [unexpected.tokens[unexpected.index - 1], Token("THEN", "THEN", 0, 0)]
    message = f"expected `THEN` between two actions, found {unexpected.found}"
    if token.type in ("COMMA", "COLON", "AND") and _begins_step(following):
        help_ = f"write `{text_of([*before, *unexpected.after])}`"
        fixes = offer("write `THEN`", replace(token.span, " THEN"))
        return Diagnostic("AC050", message, unexpected.label(), help_, fixes=fixes)
    if _begins_step(token):
        help_ = f"write `{text_of([*before, token, *unexpected.after])}`"
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
    if "REJECT" not in unexpected.accepted or token.type != "WORD":
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


def _names(unexpected: Unexpected) -> list[Token]:
    return list(takewhile(lambda token: token.type in ("WORD", "QUOTED", "COMMA"), unexpected.after))


EVERYDAY: tuple[Rule, ...] = (without_assertion, after_always, misplaced_then, other_action)
