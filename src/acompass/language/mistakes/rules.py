"""Explain a syntax error with the first rule that recognizes it.

Rules for missing parts are here: a sign, a condition, an aggregate, an action, or the rest of a requirement.
`requirement_mistake` finds mistakes that the grammar accepts: fractions, patterns, DROP without ALWAYS."""

from collections.abc import Iterable, Iterator
from itertools import takewhile

from acompass.dataclasses import replace as replace_field
from acompass.errors.diagnostics import Diagnostic, Fix, Label, Span, delete, insert, offer, replace, safe
from acompass.errors.display import quote
from acompass.language.mistakes import actions, habits, probabilities, unreadable_text, weighted_values
from acompass.language.mistakes.actions import ALL_ACTIONS, begins_step
from acompass.language.mistakes.syntax_error import Rule, Unexpected, join_tokens
from acompass.language.text import tree, walk
from acompass.language.text.tokens import AGGREGATE_KINDS, Token, spell_name, spell_string, unquote


def empty_requirement(error: Unexpected) -> Diagnostic | None:
    if error.index or not error.at_end:
        return None
    help_ = "remove the `;`, or write `EACH RESULT : Age <= 80;`"
    return error.diagnose("AC028", "no requirement before `;`", help_, safe("remove the `;`", delete(error.token.span)))


def condition_after_result(error: Unexpected) -> Diagnostic | None:
    """`EACH RECORD φ : …`, as in the paper's Theorem 5, is ambiguous."""
    previous, token = error.previous, error.token
    if previous.type != "RESULT" or error.accepted != {"COLON"} or token.type not in ("WORD", "QUOTED", "NOT", "LPAR"):
        return None
    rest = error.tokens[error.index :]
    end = next((i for i, each in enumerate(rest) if each.type in ("COLON", "SEMICOLON")), 0)
    condition, quantifier = join_tokens(rest[:end]), error.tokens[0].text
    required, filtered = f"{quantifier} RESULT : {condition}", f"{quantifier} FILTER {condition} : …"
    fixes = offer(f"write `{required}`", insert(token.start, ": "))
    if rest[end].type == "COLON" and not begins_step(rest[end + 1 :]):
        fixes += offer(f"write `{filtered}`", replace(previous.span, "FILTER"))
    help_ = (
        f"write `{required}` to require it of every record, "
        f"`{filtered}` to require something of the records that satisfy it"
    )
    return error.diagnose("AC026", f"expected `:` after {quote(previous.text)}, found a condition", help_, fixes)


def missing_colon(error: Unexpected) -> Diagnostic | None:
    if "COLON" not in error.accepted or not _begins_action(error):
        return None
    follows_condition = any(each.type in ("COLON", "ALWAYS") for each in error.tokens[: error.index])
    condition = "" if follows_condition else ": Age <= 80 "
    help_ = f"write `{condition}: {join_tokens([error.token, *error.after])}`"
    fixes = safe(help_, insert(error.token.start, ": ")) if follows_condition else ()
    return error.diagnose("AC011", f"missing `:` before {quote(error.token.text)}", help_, fixes)


def _begins_action(error: Unexpected) -> bool:
    """Whether the token is a keyword, not a word of a name, and begins an action."""
    return error.token.type != "WORD" and begins_step([error.token, *error.after])


def missing_colon_after_names(error: Unexpected) -> Diagnostic | None:
    """`GROUP BY Age Size > 3`: the last word before the comparison is probably the name of the aggregate."""
    words, token = error.words_before, error.token
    if token.type != "OPERATOR" or "COLON" not in error.accepted or len(words) < 2:
        return None
    *names, last = words
    text = f"{join_tokens(names)} : {join_tokens([last, token, *error.after[:1]])}"
    message = f"missing `:` before the condition on {quote(last.text)}"
    return error.suggest("AC011", message, text, insert(last.start, ": "), at=last.span, is_safe=False)


def missing_condition(error: Unexpected) -> Diagnostic | None:
    if not error.wants_condition:
        return None
    if error.token.type not in ("COLON", "SEMICOLON", "RPAR", "AND", "OR") and not _begins_action(error):
        return None
    action = f" : {join_tokens([error.token, *error.after])}" if _begins_action(error) else ""
    message = f"missing condition after {quote(error.previous.text)}"
    return error.diagnose("AC012", message, f"write `{error.sample}{action}`")


def missing_as(error: Unexpected) -> Diagnostic | None:
    if "AS" not in error.accepted:
        return None
    aggregate, token = join_tokens(_begun_aggregate(error)), error.token
    has_name = token.type == "QUOTED" or len(error.words_from_here) == 1
    fixes = safe(f"write `AS {token.text}`", insert(token.start, "AS ")) if has_name else ()
    message = f"missing `AS` and a name after {quote(aggregate)}"
    return error.diagnose("AC013", message, f"write `{aggregate} AS Size`", fixes)


def _begun_aggregate(error: Unexpected) -> list[Token]:
    """The tokens after PROCESS or after the last comma."""
    start = error.index
    while start and error.tokens[start].type != "PROCESS" and error.tokens[start - 1].type != "COMMA":
        start -= 1
    return error.tokens[start : error.index]


def malformed_aggregate(error: Unexpected) -> Diagnostic | None:
    """Any mistake between PROCESS and the end of its aggregate."""
    before = _begun_aggregate(error)
    functions = [token for token in before if token.type in AGGREGATE_KINDS]
    if "SUM" in error.accepted:
        return error.diagnose("AC023", f"expected an aggregate, found {error.found}", _unknown_aggregate(error))
    if not functions or not error.accepted & {"LPAR", "RPAR", "STAR"} or error.wants_condition:
        return None
    if error.wants_operator or any(token.type == "AS" for token in before):
        return None
    words = [token.text for token in error.words_from_here or error.words_before]
    help_ = _instead(functions[0].type, words)
    return error.diagnose("AC023", error.mismatch, help_, _aggregate_fixes(error, functions[0], help_))


def _unknown_aggregate(error: Unexpected) -> str:
    """Help for `AVG(Age)`: the functions that accept the column."""
    if error.words_from_here and not _begun_aggregate(error) and not _has_as(error):
        return f"write `COUNT DISTINCT({join_tokens(error.words_from_here)}) AS Size`"
    is_call = error.token.type == "WORD" and error.following.type == "LPAR"
    operand = takewhile(lambda token: token.type in ("WORD", "QUOTED"), error.after[1:] if is_call else ())
    column = join_tokens(operand)
    if not column:
        return "write one of `SUM(A)` `MIN(A)` `MAX(A)` `COUNT(*)` `COUNT DISTINCT(A)`"
    return "write one of " + " ".join(f"`{each}({column})`" for each in ("SUM", "MIN", "MAX", "COUNT DISTINCT"))


def _has_as(error: Unexpected) -> bool:
    ends = ("COMMA", "WHERE", "GROUP_BY", "COLON")
    rest = takewhile(lambda token: token.type not in ends, error.after)
    return any(token.type == "AS" for token in rest)


def _instead(function: str, words: list[str]) -> str:
    distinct = words[:1] and words[0].upper() == "DISTINCT"
    name = " ".join(words[1:] if distinct else words) or "A"
    if function == "COUNT" and not distinct:
        return f"write `COUNT(*)` for the records, `COUNT DISTINCT({name})` for the values"
    return f"write `{'COUNT DISTINCT' if function.startswith('COUNT') else function}({name})`"


def _aggregate_fixes(error: Unexpected, function: Token, help_: str) -> tuple[Fix, ...]:
    """For `SUM A`, `SUM(A`, `COUNT *`, `COUNT(DISTINCT A)` and `COUNT(A)`."""
    token, previous = error.token, error.previous
    if token.type == "AS" and "RPAR" in error.accepted:
        return safe(help_, insert(previous.end, ")"))
    operand = [token] if token.type in ("QUOTED", "STAR") else error.words_from_here
    after = error.tokens[error.index + len(operand) :]
    if not operand:
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


_LARGEST = frozenset({"TOP", "BIGGEST", "HIGHEST", "GREATEST", "MAX", "MAXIMUM"})
_INSTEAD_OF_IN = frozenset({"FROM", "OF", "OVER", "WITHIN", "USING", "JOIN", "ON"})


def malformed_share(error: Unexpected) -> Diagnostic | None:
    """`SHARE(a)`, `SHARE LARGEST 2 (a)`, `SHARE OF TOP 2 (a)`, `SHARE OF LARGEST (a)`, `SHARE OF MODE a`."""
    kinds = {token.type for token in _begun_aggregate(error)}
    if "SHARE" not in kinds or "AS" in kinds | error.accepted:
        return None
    help_, fixes = _share_help(error)
    return error.diagnose("AC057", error.mismatch, help_, fixes)


def _share_help(error: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    token, word, following = error.token, error.token.text.upper(), error.following
    rest = takewhile(lambda each: each.type in ("WORD", "QUOTED", "LPAR"), error.tokens[error.index :])
    name = join_tokens(each for each in rest if each.type != "LPAR") or "A"
    largest, mode = f"SHARE OF LARGEST 1 ({name})", f"SHARE OF MODE ({name})"
    if "OF" in error.accepted and token.type in ("LARGEST", "MODE"):
        return f"write `SHARE OF {word}`", safe("insert `OF`", insert(token.start, "OF "))
    if "OF" in error.accepted and token.type == "LPAR":
        fixes = offer(f"write `{largest}`", insert(token.start, " OF LARGEST 1 "))
        fixes += offer(f"write `{mode}`", insert(token.start, " OF MODE "))
        return f"write `{largest}` for the largest values, `{mode}` for the most frequent one", fixes
    if "LARGEST" in error.accepted and word in _LARGEST:
        return "write `SHARE OF LARGEST`", safe("write `LARGEST`", replace(token.span, "LARGEST"))
    if "LARGEST" in error.accepted and token.type == "NUMBER" and following.text.upper() == "LARGEST":
        text = f"LARGEST {token.text}"
        return f"write `SHARE OF {text}`", safe(f"write `{text}`", replace(token.span.to(following.span), text))
    if error.accepted == {"NUMBER", "PARAMETER"} and token.type == "LPAR":
        return f"write `{largest}`", offer("insert `1`", insert(token.start, "1 "))
    if error.accepted == {"LPAR"} and error.words_from_here:
        return _share_without_parentheses(error)
    return "name a number and a column, as in `SHARE OF LARGEST 2 (A)`, or a column, as in `SHARE OF MODE (A)`", ()


def _share_without_parentheses(error: Unexpected) -> tuple[str, tuple[Fix, ...]]:
    words = error.words_from_here
    named = words[1:] if words[0].text.upper() == "OF" and len(words) > 1 else words
    text, before = f"({join_tokens(named)})", _begun_aggregate(error)
    share = before[[each.type for each in before].index("SHARE") :]
    help_ = f"write `{join_tokens(share)} {text}`"
    fix = safe if error.tokens[error.index + len(words)].type == "AS" else offer
    return help_, fix(help_, replace(words[0].span.to(words[-1].span), text))


def malformed_reference(error: Unexpected) -> Diagnostic | None:
    """`COUNT(*) IN file.csv`, `SUM(a) FROM 'file'`, `MAX(a) IN 'file'`, `SUM(a IN 'file')`, `AS n JOIN 'file'`."""
    before, token = _begun_aggregate(error), error.token
    if not {each.type for each in before} & {*AGGREGATE_KINDS, "SHARE"} or error.wants_condition:
        return None
    if error.accepted == {"STRING"}:
        return _file_without_quotes(error)
    if token.type == "IN":
        message = "only `COUNT(*)` and `SUM` are computed over another table"
        return error.diagnose("AC057", message, f"forms with a file: `COUNT(*) IN {_FILE}` and `SUM(A) IN {_FILE}`")
    if "IN" in error.accepted and token.text.upper() in _INSTEAD_OF_IN and error.following.type == "STRING":
        fixes = safe("write `IN`", replace(token.span, "IN"))
        return error.diagnose("AC057", error.mismatch, f"write `IN {error.following.text}`", fixes)
    return _misplaced_file(error, before) if token.type == "STRING" else None


def _file_without_quotes(error: Unexpected) -> Diagnostic:
    token = error.token
    is_file = token.type in ("WORD", "QUOTED")
    file = spell_string(unquote(token.text) if token.type == "QUOTED" else token.text) if is_file else _FILE
    fixes = safe(f"write `{file}`", replace(token.span, file)) if is_file else ()
    message = f"expected the name of a file in single quotes, found {error.found}"
    return error.diagnose("AC057", message, f"write `IN {file}`", fixes)


def _misplaced_file(error: Unexpected, before: list[Token]) -> Diagnostic | None:
    """`SUM(a IN 'file')`, `COUNT(*) AS n IN 'file'`."""
    words, token, name = error.words_before, error.token, next((each for each in before if each.type == "AS"), None)
    if len(words) < 2 or words[-1].text.upper() not in (*_INSTEAD_OF_IN, "IN"):
        return None
    message, removed = f"unexpected file {quote(token.text)}", delete(Span(words[-2].end, token.end))
    if name is not None:
        fixes = offer("move the file", insert(name.start, f"IN {token.text} "), removed)
    elif error.following.type == "RPAR":
        fixes = safe("move the file", removed, insert(error.following.end, f" IN {token.text}"))
    else:
        return None
    help_ = f"move the file between the `)` and the `AS`, as in `COUNT(*) IN {token.text} AS n`"
    return error.diagnose("AC057", message, help_, fixes)


_FILE = "'file.csv'"


def unknown_action(error: Unexpected) -> Diagnostic | None:
    if not error.wants_action:
        return None
    if error.at_end:
        help_ = "write `: REJECT`, or leave out the `:` if the requirement only checks"
        fixes = offer("write `: REJECT`", insert(error.previous.end, " REJECT"))
        fixes += offer("leave out the `:`", delete(error.previous.span))
        return error.diagnose("AC015", "missing action after `:`", help_, fixes)
    return _assignment(error) or error.diagnose("AC024", error.mismatch, f"write one of {ALL_ACTIONS}")


def _assignment(error: Unexpected) -> Diagnostic | None:
    """`… : Age = 80` in place of an action."""
    name = error.words_from_here or [error.token]
    rest = error.tokens[error.index + len(name) : -1]
    if name[0].type not in ("WORD", "QUOTED") or len(rest) != 2 or rest[0].text != "=":
        return None
    text, span = f"REPLACE {join_tokens(name)} WITH {rest[1].text}", name[0].span.to(rest[1].span)
    edits = insert(name[0].start, "REPLACE "), replace(rest[0].span, "WITH")
    return error.suggest("AC024", "expected an action, found a condition", text, *edits, at=span, is_safe=False)


def missing_comparison(error: Unexpected) -> Diagnostic | None:
    """`Active AND …`, `Age 80`."""
    previous, token = error.previous, error.token
    if not error.wants_operator:
        return None
    name, is_constant = join_tokens(error.words_before or [previous]), token.type in ("NUMBER", "STRING")
    constant = token.text if is_constant else "'true'"
    edit = insert(token.start, "= ") if is_constant else insert(previous.end, " = 'true'")
    message = f"{quote(name)} is not compared with a constant: {error.mismatch}"
    return error.suggest("AC025", message, f"{name} = {constant}", edit, is_safe=False)


def early_end(error: Unexpected) -> Diagnostic | None:
    if not error.at_end:
        return None
    message = f"expected {error.expected}, found the end of the requirement"
    return error.diagnose("AC015", message, f"write `{error.sample}`")


#: in the order in which they are tried: signs that belong to one form, tokens that are wrong anywhere, forms beyond the
#: paper, slips and habits, misread words, missing parts
RULES: tuple[Rule, ...] = (
    probabilities.percent_or_ratio,
    *(weighted_values.misplaced_weight, weighted_values.brackets),
    unreadable_text.unreadable_token,
    *habits.PREDICATE_RULES,
    *probabilities.PROBABILITY_RULES,
    *weighted_values.DRAW_RULES,
    *weighted_values.VALUE_RULES,
    *(actions.malformed_map, actions.malformed_action, malformed_share, malformed_reference),
    *actions.ACTION_RULES,
    *habits.SLIP_RULES,
    *habits.HABIT_RULES,
    *unreadable_text.MISREAD_WORD_RULES,
    habits.replace_without_with,
    *(empty_requirement, condition_after_result, missing_colon, missing_colon_after_names, missing_condition),
    *(malformed_aggregate, missing_as, unknown_action, missing_comparison, early_end),
)
_LONGEST_HELP = 250


def explain(error: Unexpected) -> Diagnostic:
    """The diagnostic of the first rule that recognizes the mistake."""
    found = next(filter(None, (rule(error) for rule in RULES)), None)
    return _shorten_help(found or error.diagnose("AC014", error.mismatch, _help(error), _offers(error)))


def _help(error: Unexpected) -> str:
    token = error.token
    if token.type == "RPAR":
        return "remove the `)`"
    if token.type in ("OPERATOR", "UNEQUAL", "HABIT") and error.wants_name:
        comparison = join_tokens([token, *error.after[:1]])
        return f"name a column before {quote(token.text)}, as in `Age {comparison}`"
    if "SEMICOLON" in error.accepted and error.missing_text is None:
        return f"end the requirement with `;` before {quote(token.text)}, or remove the rest"
    return f"write `{error.sample}`"


def _shorten_help(diagnostic: Diagnostic) -> Diagnostic:
    """Shorten help that repeats much of the policy to one line."""
    line = " ".join((diagnostic.help or "").split("\n"))
    if line == diagnostic.help and len(line) <= _LONGEST_HELP:
        return diagnostic
    return replace_field(diagnostic, help=f"{line[: _LONGEST_HELP - 1]}…")


def _offers(error: Unexpected) -> tuple[Fix, ...]:
    token, previous = error.token, error.previous
    if error.missing_text is not None:
        return offer(f"insert `{error.missing_text}`", insert(token.start, f"{error.missing_text} "))
    if token.type == "RPAR":
        return offer("remove the `)`", delete(token.span))
    if token.type in ("COLON", "SEMICOLON") and "RPAR" in error.accepted:
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
    process = walk.process_of(requirement)
    shares = () if process is None else [each.aggregate.largest for each in process.aggregates]
    yield from _fractions(("after `LARGEST`", number) for number in shares)
    for step in walk.steps_of(requirement):
        action = walk.step_of(step)
        yield from _fractions(walk.parts_of(action).integers)
        yield from _drop_mistakes(step)
        yield from probabilities.probability_mistakes(action)


def _fractions(constants: Iterable[tuple[str, tree.Constant | None]]) -> Iterator[Diagnostic]:
    for what, number in constants:
        if isinstance(number, tree.Number) and number.value.as_tuple().exponent != 0:
            yield _not_an_integer(what, number)


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
    return Diagnostic("AC034", message, label, help_, fixes=safe(f"write `{equal}`", replace(like.span, equal)))


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
