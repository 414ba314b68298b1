"""Missing parts: a sign, a condition, an aggregate, an action, or the rest of a requirement."""

from itertools import takewhile

from acompass.diagnostics import Diagnostic, Edit, Fix, Label, Span
from acompass.diagnostics.edits import delete, insert, offer, replace, safe
from acompass.syntax.habits import Rule
from acompass.syntax.malformed_actions import ALL_ACTIONS, begins_step
from acompass.syntax.tokens import AGGREGATE_KINDS, Token
from acompass.syntax.unexpected import Unexpected, quote, text_of

_OF_A_COLUMN = ("SUM", "MIN", "MAX", "COUNT DISTINCT")
_AGGREGATE_HELP = "write one of `SUM(A)` `MIN(A)` `MAX(A)` `COUNT(*)` `COUNT DISTINCT(A)`"


def empty_requirement(unexpected: Unexpected) -> Diagnostic | None:
    if unexpected.index or not unexpected.at_end:
        return None
    help_ = "remove the `;`, or write `EACH RESULT : Age <= 80;`"
    fixes = safe("remove the `;`", delete(unexpected.token.span))
    return Diagnostic("AC028", "no requirement before `;`", unexpected.label(), help_, fixes=fixes)


def condition_after_result(unexpected: Unexpected) -> Diagnostic | None:
    """`EACH RECORD φ : …`, as in the paper's Theorem 5, is ambiguous."""
    previous, token = unexpected.previous, unexpected.token
    if previous is None or previous.type != "RESULT" or unexpected.accepted != {"COLON"}:
        return None
    if token.type not in ("WORD", "QUOTED", "NOT", "LPAR"):
        return None
    rest = unexpected.tokens[unexpected.index :]
    end = next((i for i, each in enumerate(rest) if each.type in ("COLON", "SEMICOLON")), 0)
    condition, quantifier = text_of(rest[:end]), unexpected.tokens[0].text
    required, filtered = f"{quantifier} RESULT : {condition}", f"{quantifier} FILTER {condition} : …"
    fixes = offer(f"write `{required}`", insert(token.start, ": "))
    if rest[end].type == "COLON" and not begins_step(rest[end + 1 :]):
        fixes += offer(f"write `{filtered}`", replace(previous.span, "FILTER"))
    return Diagnostic(
        "AC026",
        f"expected `:` after {quote(previous.text)}, found a condition",
        unexpected.label(),
        f"write `{required}` to require it of every record, "
        f"`{filtered}` to require something of the records that satisfy it",
        fixes=fixes,
    )


def missing_colon(unexpected: Unexpected) -> Diagnostic | None:
    token = unexpected.token
    if "COLON" not in unexpected.accepted or not _begins_action(unexpected):
        return None
    before = unexpected.tokens[: unexpected.index]
    follows_condition = any(each.type in ("COLON", "ALWAYS") for each in before)
    condition = "" if follows_condition else ": Age <= 80 "
    help_ = f"write `{condition}: {text_of([token, *unexpected.after])}`"
    fixes = safe(help_, insert(token.start, ": ")) if follows_condition else ()
    message = f"missing `:` before {quote(token.text)}"
    return Diagnostic("AC011", message, unexpected.label(), help_, fixes=fixes)


def _begins_action(unexpected: Unexpected) -> bool:
    """Whether the token is a keyword, not a word of a name, and begins an action."""
    return unexpected.token.type != "WORD" and begins_step([unexpected.token, *unexpected.after])


def missing_colon_after_names(unexpected: Unexpected) -> Diagnostic | None:
    """`GROUP BY Age Size > 3`: the last word before the comparison is probably the name of the aggregate."""
    words, token = unexpected.words_before, unexpected.token
    if token.type != "OPERATOR" or "COLON" not in unexpected.accepted or len(words) < 2:
        return None
    *names, last = words
    help_ = f"write `{text_of(names)} : {text_of([last, token, *unexpected.after[:1]])}`"
    message = f"missing `:` before the condition on {quote(last.text)}"
    fixes = offer(help_, insert(last.start, ": "))
    return Diagnostic("AC011", message, (Label(last.span),), help_, fixes=fixes)


def missing_condition(unexpected: Unexpected) -> Diagnostic | None:
    token, previous = unexpected.token, unexpected.previous
    if previous is None or not unexpected.wants_condition:
        return None
    if token.type not in ("COLON", "SEMICOLON", "RPAR", "AND", "OR") and not _begins_action(unexpected):
        return None
    message = f"missing condition after {quote(previous.text)}"
    return Diagnostic("AC012", message, unexpected.label(), f"write `{_with_condition(unexpected)}`")


def _with_condition(unexpected: Unexpected) -> str:
    """The sample, with the action behind it if there is one."""
    if not _begins_action(unexpected):
        return unexpected.sample
    action = text_of([unexpected.token, *unexpected.after])
    return f"{unexpected.sample} : {action}"


def missing_as(unexpected: Unexpected) -> Diagnostic | None:
    if "AS" not in unexpected.accepted:
        return None
    aggregate = text_of(_begun_aggregate(unexpected))
    token = unexpected.token
    message = f"missing `AS` and a name after {quote(aggregate)}"
    has_name = token.type == "QUOTED" or len(unexpected.words_from_here) == 1
    fixes = safe(f"write `AS {token.text}`", insert(token.start, "AS ")) if has_name else ()
    return Diagnostic("AC013", message, unexpected.label(), f"write `{aggregate} AS Size`", fixes=fixes)


def _begun_aggregate(unexpected: Unexpected) -> list[Token]:
    """The tokens from PROCESS or the last comma on."""
    start = unexpected.index
    while (
        start and unexpected.tokens[start].type != "PROCESS" and unexpected.tokens[start - 1].type != "COMMA"
    ):
        start -= 1
    return unexpected.tokens[start : unexpected.index]


def aggregate(unexpected: Unexpected) -> Diagnostic | None:
    """Any mistake between PROCESS and the end of its aggregate."""
    before = _begun_aggregate(unexpected)
    functions = [token for token in before if token.type in AGGREGATE_KINDS]
    if "SUM" in unexpected.accepted:
        return _unknown_aggregate(unexpected)
    if not functions or not unexpected.accepted & {"LPAR", "RPAR", "STAR"} or unexpected.wants_condition:
        return None
    if unexpected.wants_operator or any(token.type == "AS" for token in before):
        return None
    words = [token.text for token in unexpected.words_from_here or unexpected.words_before]
    message = f"expected {unexpected.expected}, found {unexpected.found}"
    help_ = _instead(functions[0].type, words)
    fixes = _aggregate_fixes(unexpected, functions[0], help_)
    return Diagnostic("AC023", message, unexpected.label(), help_, fixes=fixes)


def _unknown_aggregate(unexpected: Unexpected) -> Diagnostic:
    """`AVG(Age)`: the functions that can take its column are offered."""
    message = f"expected an aggregate, found {unexpected.found}"
    following = unexpected.following
    if unexpected.words_from_here and _begun_aggregate(unexpected) == [] and not _has_as(unexpected):
        help_ = f"write `COUNT DISTINCT({text_of(unexpected.words_from_here)}) AS Size`"
        return Diagnostic("AC023", message, unexpected.label(), help_)
    if unexpected.token.type != "WORD" or following is None or following.type != "LPAR":
        return Diagnostic("AC023", message, unexpected.label(), _AGGREGATE_HELP)
    column = text_of(takewhile(lambda token: token.type in ("WORD", "QUOTED"), unexpected.after[1:]))
    if not column:
        return Diagnostic("AC023", message, unexpected.label(), _AGGREGATE_HELP)
    help_ = "write one of " + " ".join(f"`{function}({column})`" for function in _OF_A_COLUMN)
    return Diagnostic("AC023", message, unexpected.label(), help_)


def _has_as(unexpected: Unexpected) -> bool:
    ends = ("COMMA", "WHERE", "GROUP_BY", "COLON")
    rest = takewhile(lambda token: token.type not in ends, unexpected.after)
    return any(token.type == "AS" for token in rest)


def _instead(function: str, words: list[str]) -> str:
    distinct = words[:1] and words[0].upper() == "DISTINCT"
    name = " ".join(words[1:] if distinct else words) or "A"
    match function:
        case "COUNT" if distinct:
            return f"write `COUNT DISTINCT({name})`"
        case "COUNT":
            return f"write `COUNT(*)` for the records, `COUNT DISTINCT({name})` for the values"
        case "COUNT_DISTINCT":
            return f"write `COUNT DISTINCT({name})`"
        case _:
            return f"write `{function}({name})`"


def _aggregate_fixes(unexpected: Unexpected, function: Token, help_: str) -> tuple[Fix, ...]:
    """For `SUM A`, `SUM(A`, `COUNT *`, `COUNT(DISTINCT A)` and `COUNT(A)`."""
    token, previous = unexpected.token, unexpected.previous
    if token.type == "AS" and "RPAR" in unexpected.accepted and previous is not None:
        return safe(help_, insert(previous.end, ")"))
    operand = [token] if token.type in ("QUOTED", "STAR") else unexpected.words_from_here
    after = unexpected.tokens[unexpected.index + len(operand) :]
    if not operand or previous is None:
        return ()
    if (
        previous is function
        and after[0].type == "AS"
        and (token.type == "STAR") == (function.type == "COUNT")
    ):
        return safe(help_, insert(token.start, "("), insert(operand[-1].end, ")"))
    if function.type == "COUNT" and previous.type == "LPAR":
        return _counted(function, previous, operand, after, help_)
    return ()


def _counted(
    function: Token, opening: Token, operand: list[Token], after: list[Token], help_: str
) -> tuple[Fix, ...]:
    """SQL's `COUNT(DISTINCT A)` has only one reading here, `COUNT(A)` has two."""
    if operand[0].text.upper() == "DISTINCT":
        column, *_ = [*operand[1:], *after]
        if column.type not in ("WORD", "QUOTED"):
            return ()
        moved = delete(Span(operand[0].start, column.start))
        return safe(help_, insert(function.end, " DISTINCT"), moved)
    if after[0].type != "RPAR":
        return ()
    name = Span(opening.end, after[0].start)
    values = insert(function.end, " DISTINCT")
    return offer("count the records", replace(name, "*")) + offer("count the distinct values", values)


def unknown_action(unexpected: Unexpected) -> Diagnostic | None:
    previous = unexpected.previous
    if not unexpected.wants_action or previous is None:
        return None
    if unexpected.at_end:
        help_ = "write `: REJECT`, or leave out the `:` if the requirement only checks"
        fixes = offer("write `: REJECT`", insert(previous.end, " REJECT"))
        fixes += offer("leave out the `:`", delete(previous.span))
        return Diagnostic("AC015", "missing action after `:`", unexpected.label(), help_, fixes=fixes)
    if _assigned(unexpected) is not None:
        return _assigned(unexpected)
    message = f"expected {unexpected.expected}, found {unexpected.found}"
    help_ = f"write one of {ALL_ACTIONS}"
    return Diagnostic("AC024", message, unexpected.label(), help_)


def _assigned(unexpected: Unexpected) -> Diagnostic | None:
    """`… : Age = 80` in the place of an action."""
    name = unexpected.words_from_here or [unexpected.token]
    rest = unexpected.tokens[unexpected.index + len(name) : -1]
    if name[0].type not in ("WORD", "QUOTED") or len(rest) != 2 or rest[0].text != "=":
        return None
    help_ = f"write `REPLACE {text_of(name)} WITH {rest[1].text}`"
    fixes = offer(help_, insert(name[0].start, "REPLACE "), replace(rest[0].span, "WITH"))
    message = "expected an action, found a condition"
    span = name[0].span.to(rest[1].span)
    return Diagnostic("AC024", message, (Label(span),), help_, fixes=fixes)


def missing_comparison(unexpected: Unexpected) -> Diagnostic | None:
    """`Active AND …`, `Age 80`."""
    previous, token = unexpected.previous, unexpected.token
    if previous is None or not unexpected.wants_operator:
        return None
    name = text_of(unexpected.words_before or [previous])
    is_constant = token.type in ("NUMBER", "STRING")
    constant = token.text if is_constant else "'true'"
    message = f"{quote(name)} is not compared with a constant: expected {unexpected.expected}"
    help_ = f"write `{name} = {constant}`"
    edit: Edit = insert(token.start, "= ") if is_constant else insert(previous.end, " = 'true'")
    return Diagnostic(
        "AC025", f"{message}, found {unexpected.found}", unexpected.label(), help_, fixes=offer(help_, edit)
    )


def early_end(unexpected: Unexpected) -> Diagnostic | None:
    if not unexpected.at_end:
        return None
    message = f"expected {unexpected.expected}, found the end of the requirement"
    return Diagnostic("AC015", message, unexpected.label(), f"write `{unexpected.sample}`")


MISSING: tuple[Rule, ...] = (
    empty_requirement,
    condition_after_result,
    missing_colon,
    missing_colon_after_names,
    missing_condition,
    aggregate,
    missing_as,
    unknown_action,
    missing_comparison,
    early_end,
)
