"""Explain a syntax error with the first rule that recognizes it.

Rules for missing parts are here: a sign, a condition, an aggregate, an action, or the rest of a requirement.
`requirement_mistake` finds mistakes that the grammar accepts: fractions, patterns, DROP without ALWAYS."""

from collections.abc import Iterator
from dataclasses import replace as replace_field
from itertools import takewhile

from acompass.errors.diagnostics import Diagnostic, Fix, Label, Span, delete, insert, offer, replace, safe
from acompass.errors.display import quote
from acompass.language.mistakes.actions import ACTION_RULES, ALL_ACTIONS, MAP_RULES, begins_step
from acompass.language.mistakes.habits import HABIT_RULES, PREDICATE_RULES, SLIP_RULES, replace_without_with
from acompass.language.mistakes.probabilities import PROBABILITY_RULES, RATIO_RULES, probability_mistakes
from acompass.language.mistakes.syntax_error import Rule, Unexpected, join_tokens
from acompass.language.mistakes.unreadable_text import MISREAD_WORD_RULES, unreadable_token
from acompass.language.mistakes.weighted_values import BRACKET_RULES, DRAW_RULES, SHARE_RULES, WEIGHTED_VALUE_RULES
from acompass.language.text import tree, walk
from acompass.language.text.tokens import AGGREGATE_KINDS, Token, spell_name, spell_string

_COLUMN_FUNCTIONS = ("SUM", "MIN", "MAX", "COUNT DISTINCT")
_AGGREGATE_HELP = "write one of `SUM(A)` `MIN(A)` `MAX(A)` `COUNT(*)` `COUNT DISTINCT(A)`"


def empty_requirement(unexpected: Unexpected) -> Diagnostic | None:
    if unexpected.index or not unexpected.at_end:
        return None
    help_ = "remove the `;`, or write `EACH RESULT : Age <= 80;`"
    fixes = safe("remove the `;`", delete(unexpected.token.span))
    return unexpected.diagnose("AC028", "no requirement before `;`", help_, fixes)


def condition_after_result(unexpected: Unexpected) -> Diagnostic | None:
    """`EACH RECORD φ : …`, as in the paper's Theorem 5, is ambiguous."""
    previous, token = unexpected.previous, unexpected.token
    if previous is None or previous.type != "RESULT" or unexpected.accepted != {"COLON"}:
        return None
    if token.type not in ("WORD", "QUOTED", "NOT", "LPAR"):
        return None
    rest = unexpected.tokens[unexpected.index :]
    end = next((i for i, each in enumerate(rest) if each.type in ("COLON", "SEMICOLON")), 0)
    condition, quantifier = join_tokens(rest[:end]), unexpected.tokens[0].text
    required, filtered = f"{quantifier} RESULT : {condition}", f"{quantifier} FILTER {condition} : …"
    fixes = offer(f"write `{required}`", insert(token.start, ": "))
    if rest[end].type == "COLON" and not begins_step(rest[end + 1 :]):
        fixes += offer(f"write `{filtered}`", replace(previous.span, "FILTER"))
    message = f"expected `:` after {quote(previous.text)}, found a condition"
    help_ = (
        f"write `{required}` to require it of every record, "
        f"`{filtered}` to require something of the records that satisfy it"
    )
    return unexpected.diagnose("AC026", message, help_, fixes)


def missing_colon(unexpected: Unexpected) -> Diagnostic | None:
    token = unexpected.token
    if "COLON" not in unexpected.accepted or not _begins_action(unexpected):
        return None
    before = unexpected.tokens[: unexpected.index]
    follows_condition = any(each.type in ("COLON", "ALWAYS") for each in before)
    condition = "" if follows_condition else ": Age <= 80 "
    help_ = f"write `{condition}: {join_tokens([token, *unexpected.after])}`"
    fixes = safe(help_, insert(token.start, ": ")) if follows_condition else ()
    return unexpected.diagnose("AC011", f"missing `:` before {quote(token.text)}", help_, fixes)


def _begins_action(unexpected: Unexpected) -> bool:
    """Whether the token is a keyword, not a word of a name, and begins an action."""
    return unexpected.token.type != "WORD" and begins_step([unexpected.token, *unexpected.after])


def missing_colon_after_names(unexpected: Unexpected) -> Diagnostic | None:
    """`GROUP BY Age Size > 3`: the last word before the comparison is probably the name of the aggregate."""
    words, token = unexpected.words_before, unexpected.token
    if token.type != "OPERATOR" or "COLON" not in unexpected.accepted or len(words) < 2:
        return None
    *names, last = words
    help_ = f"write `{join_tokens(names)} : {join_tokens([last, token, *unexpected.after[:1]])}`"
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
    return unexpected.diagnose("AC012", message, f"write `{_sample_with_condition(unexpected)}`")


def _sample_with_condition(unexpected: Unexpected) -> str:
    """The sample, followed by the action if there is one."""
    if not _begins_action(unexpected):
        return unexpected.sample
    action = join_tokens([unexpected.token, *unexpected.after])
    return f"{unexpected.sample} : {action}"


def missing_as(unexpected: Unexpected) -> Diagnostic | None:
    if "AS" not in unexpected.accepted:
        return None
    aggregate = join_tokens(_begun_aggregate(unexpected))
    token = unexpected.token
    message = f"missing `AS` and a name after {quote(aggregate)}"
    has_name = token.type == "QUOTED" or len(unexpected.words_from_here) == 1
    fixes = safe(f"write `AS {token.text}`", insert(token.start, "AS ")) if has_name else ()
    return unexpected.diagnose("AC013", message, f"write `{aggregate} AS Size`", fixes)


def _begun_aggregate(unexpected: Unexpected) -> list[Token]:
    """The tokens after PROCESS or after the last comma."""
    start = unexpected.index
    while start and unexpected.tokens[start].type != "PROCESS" and unexpected.tokens[start - 1].type != "COMMA":
        start -= 1
    return unexpected.tokens[start : unexpected.index]


def malformed_aggregate(unexpected: Unexpected) -> Diagnostic | None:
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
    return unexpected.diagnose("AC023", message, help_, fixes)


def _unknown_aggregate(unexpected: Unexpected) -> Diagnostic:
    """`AVG(Age)`: the help lists the functions that accept the column."""
    message = f"expected an aggregate, found {unexpected.found}"
    following = unexpected.following
    if unexpected.words_from_here and _begun_aggregate(unexpected) == [] and not _has_as(unexpected):
        help_ = f"write `COUNT DISTINCT({join_tokens(unexpected.words_from_here)}) AS Size`"
        return unexpected.diagnose("AC023", message, help_)
    if unexpected.token.type != "WORD" or following is None or following.type != "LPAR":
        return unexpected.diagnose("AC023", message, _AGGREGATE_HELP)
    column = join_tokens(takewhile(lambda token: token.type in ("WORD", "QUOTED"), unexpected.after[1:]))
    if not column:
        return unexpected.diagnose("AC023", message, _AGGREGATE_HELP)
    help_ = "write one of " + " ".join(f"`{function}({column})`" for function in _COLUMN_FUNCTIONS)
    return unexpected.diagnose("AC023", message, help_)


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
    if previous is function and after[0].type == "AS" and (token.type == "STAR") == (function.type == "COUNT"):
        return safe(help_, insert(token.start, "("), insert(operand[-1].end, ")"))
    if function.type == "COUNT" and previous.type == "LPAR":
        return _count_fixes(function, previous, operand, after, help_)
    return ()


def _count_fixes(
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
        return unexpected.diagnose("AC015", "missing action after `:`", help_, fixes)
    message = f"expected {unexpected.expected}, found {unexpected.found}"
    return _assignment(unexpected) or unexpected.diagnose("AC024", message, f"write one of {ALL_ACTIONS}")


def _assignment(unexpected: Unexpected) -> Diagnostic | None:
    """`… : Age = 80` in place of an action."""
    name = unexpected.words_from_here or [unexpected.token]
    rest = unexpected.tokens[unexpected.index + len(name) : -1]
    if name[0].type not in ("WORD", "QUOTED") or len(rest) != 2 or rest[0].text != "=":
        return None
    help_ = f"write `REPLACE {join_tokens(name)} WITH {rest[1].text}`"
    fixes = offer(help_, insert(name[0].start, "REPLACE "), replace(rest[0].span, "WITH"))
    message = "expected an action, found a condition"
    span = name[0].span.to(rest[1].span)
    return Diagnostic("AC024", message, (Label(span),), help_, fixes=fixes)


def missing_comparison(unexpected: Unexpected) -> Diagnostic | None:
    """`Active AND …`, `Age 80`."""
    previous, token = unexpected.previous, unexpected.token
    if previous is None or not unexpected.wants_operator:
        return None
    name = join_tokens(unexpected.words_before or [previous])
    is_constant = token.type in ("NUMBER", "STRING")
    constant = token.text if is_constant else "'true'"
    expected = f"expected {unexpected.expected}, found {unexpected.found}"
    message = f"{quote(name)} is not compared with a constant: {expected}"
    help_ = f"write `{name} = {constant}`"
    edit = insert(token.start, "= ") if is_constant else insert(previous.end, " = 'true'")
    return unexpected.diagnose("AC025", message, help_, offer(help_, edit))


def early_end(unexpected: Unexpected) -> Diagnostic | None:
    if not unexpected.at_end:
        return None
    message = f"expected {unexpected.expected}, found the end of the requirement"
    return unexpected.diagnose("AC015", message, f"write `{unexpected.sample}`")


MISSING_PART_RULES: tuple[Rule, ...] = (
    empty_requirement,
    condition_after_result,
    missing_colon,
    missing_colon_after_names,
    missing_condition,
    malformed_aggregate,
    missing_as,
    unknown_action,
    missing_comparison,
    early_end,
)

_LONGEST_HELP = 250
#: in the order in which they are tried: signs that belong to one form, tokens that are wrong anywhere, forms beyond the
#: paper, slips and habits, misread words, missing parts
RULES: tuple[Rule, ...] = (
    *(*RATIO_RULES, *SHARE_RULES, *BRACKET_RULES),
    unreadable_token,
    *PREDICATE_RULES,
    *PROBABILITY_RULES,
    *DRAW_RULES,
    *WEIGHTED_VALUE_RULES,
    *MAP_RULES,
    *ACTION_RULES,
    *SLIP_RULES,
    *HABIT_RULES,
    *MISREAD_WORD_RULES,
    replace_without_with,
    *MISSING_PART_RULES,
)


def explain(unexpected: Unexpected) -> Diagnostic:
    """The diagnostic of the first rule that recognizes the mistake."""
    for rule in RULES:
        diagnostic = rule(unexpected)
        if diagnostic is not None:
            return _shorten_help(diagnostic)
    message = f"expected {unexpected.expected}, found {unexpected.found}"
    help_ = _help(unexpected)
    diagnostic = unexpected.diagnose("AC014", message, help_, _offers(unexpected))
    return _shorten_help(diagnostic)


def _help(unexpected: Unexpected) -> str:
    token = unexpected.token
    if token.type == "RPAR":
        return "remove the `)`"
    if token.type in ("OPERATOR", "UNEQUAL", "HABIT") and unexpected.wants_name:
        comparison = join_tokens([token, *unexpected.after[:1]])
        return f"name a column before {quote(token.text)}, as in `Age {comparison}`"
    if "SEMICOLON" in unexpected.accepted and unexpected.missing_text is None:
        return f"end the requirement with `;` before {quote(token.text)}, or remove the rest"
    return f"write `{unexpected.sample}`"


def _shorten_help(diagnostic: Diagnostic) -> Diagnostic:
    """Shorten help that repeats much of the policy to one line."""
    line = " ".join((diagnostic.help or "").split("\n"))
    if line == diagnostic.help and len(line) <= _LONGEST_HELP:
        return diagnostic
    return replace_field(diagnostic, help=f"{line[: _LONGEST_HELP - 1]}…")


def _offers(unexpected: Unexpected) -> tuple[Fix, ...]:
    token, previous = unexpected.token, unexpected.previous
    if unexpected.missing_text is not None:
        return offer(f"insert `{unexpected.missing_text}`", insert(token.start, f"{unexpected.missing_text} "))
    if token.type == "RPAR":
        return offer("remove the `)`", delete(token.span))
    if token.type in ("COLON", "SEMICOLON") and "RPAR" in unexpected.accepted and previous is not None:
        return offer("insert `)`", insert(previous.end, ")"))
    return ()


def missing_semicolon(segment: list[Token]) -> Diagnostic:
    last = segment[-2]
    return Diagnostic(
        "AC010",
        "missing `;` at the end of the requirement",
        (Label(Span(last.end - 1, last.end), "expected `;` after this"),),
        help=f"write `{join_tokens(segment[-4:-1])};`",
        fixes=safe("insert `;`", insert(last.end, ";")),
    )


def too_deep(token: Token, maximum: int) -> Diagnostic:
    return Diagnostic(
        "AC020",
        f"more than {maximum} nested parentheses and `NOT`s",
        (Label(token.span),),
        help="split the condition into several requirements, or remove redundant parentheses",
    )


#: special characters of patterns in SQL
_WILDCARDS = frozenset("%_")


def requirement_mistake(requirement: tree.Requirement) -> Diagnostic | None:
    """The first mistake that the grammar accepts."""
    return next(_mistakes(requirement), None)


def _mistakes(requirement: tree.Requirement) -> Iterator[Diagnostic]:
    for condition in walk.all_conditions(requirement):
        for leaf in walk.leaves(condition):
            if walk.is_like(leaf) and not _is_prefix(leaf.pattern.value):
                yield _not_a_prefix(leaf)
    for step in walk.steps_of(requirement):
        action = walk.step_of(step)
        for what, number in walk.parts_of(action).integers:
            if isinstance(number, tree.Number) and number.value.as_tuple().exponent != 0:
                yield _not_an_integer(what, number)
        yield from _drop_mistakes(step)
        yield from probability_mistakes(action)


def _is_prefix(pattern: str) -> bool:
    prefix = pattern.removesuffix("%")
    return len(prefix) == len(pattern) - 1 and prefix != "" and not _WILDCARDS & set(prefix)


def _not_a_prefix(like: tree.Like) -> Diagnostic:
    pattern = like.pattern.value
    message = f"unsupported pattern {quote(spell_string(pattern))} after `LIKE`"
    label = (Label(like.pattern.span),)
    if not pattern or _WILDCARDS & set(pattern):
        help_ = "a pattern is a prefix followed by `%`, as in `'abc%'`; list other values with `IN ('a', 'b')`"
        return Diagnostic("AC034", message, label, help_)
    name = spell_name(like.name.text)
    equal = f"{name} {'!=' if like.negated else '='} {spell_string(pattern)}"
    beginning = spell_string(f"{pattern}%")
    help_ = f"write `{equal}` for the text itself, `LIKE {beginning}` for all text that begins with it"
    fixes = safe(f"write `{equal}`", replace(like.span, equal))
    return Diagnostic("AC034", message, label, help_, fixes=fixes)


def _not_an_integer(what: str, number: tree.Number) -> Diagnostic:
    found = f"{number.value:f}"
    whole = found.partition(".")[0]
    fix = safe if number.value == int(number.value) else offer
    return Diagnostic(
        "AC021",
        f"expected an integer {what}, found {quote(found)}",
        (Label(number.span),),
        help=f"write {quote(whole)}",
        fixes=fix(f"write {quote(whole)}", replace(number.span, whole)),
    )


def _drop_mistakes(requirement: tree.Requirement) -> Iterator[Diagnostic]:
    """DROP changes the schema, so it can depend neither on chance nor on an assertion."""
    action = walk.step_of(requirement)
    names, drop = walk.names_dropped(action), walk.plain_of(action)
    if action is None or drop is None or not names:
        return
    if drop is not action:
        help_ = "remove `WITH PROBABILITY`, or hide values at random, as in `WITH PROBABILITY 0.5 REPLACE …`"
        fixes = offer("remove the probability", delete(Span(action.span.start, drop.span.start)))
        message = "`DROP` removes a whole column and takes no probability"
        yield Diagnostic("AC053", message, (Label(action.span),), help_, fixes=fixes)
    if walk.assertion_of(requirement) is not None:
        listed = ", ".join(spell_name(name.text) for name in names)
        help_ = f"`ALWAYS : DROP {listed};` removes the column, `REJECT` the affected records"
        yield Diagnostic("AC048", "`DROP` needs `ALWAYS`", (Label(drop.span),), help_)
