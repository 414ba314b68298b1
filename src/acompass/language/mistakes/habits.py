"""Habits from SQL, COMPASS and other languages (D7), slips, and mistakes in IN, BETWEEN and LIKE.

The help of each error shows what to write instead. `--paper` reports every form that the paper's language does not have
(X0); `core_random` returns the RANDOM of the paper that is equivalent to a RANDOM … FROM with equal weights (X6)."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise, takewhile
from typing import assert_never

from acompass.errors.diagnostics import (
    Diagnostic,
    Fix,
    Label,
    Span,
    insert,
    missing_help,
    offer,
    option_text,
    replace,
    safe,
)
from acompass.errors.display import quote
from acompass.language.mistakes.syntax_error import Rule, Unexpected, join_tokens, start_of_name
from acompass.language.text import tree, walk
from acompass.language.text.formatter import format_condition
from acompass.language.text.tokens import FOREIGN_COMMENTS, Token, spell_constant, spell_name
from acompass.language.text.tree import place_of

_STATEMENTS = frozenset({"select", "update", "delete", "insert", "create", "drop", "alter", "from"})
_SIGNS = {"==": "=", "=<": "<=", "=>": ">="}
_CONNECTIVES = {"&&": "AND", "||": "OR", "!": "NOT"}


def sign(error: Unexpected) -> Diagnostic | None:
    """`≠`, `==`, `=<`, `=>`, `&&`, `||` and `!`."""
    token = error.token
    name, constant = join_tokens(error.name_before), join_tokens(error.after[:1])
    if token.type != "HABIT":
        return None
    if token.text in _CONNECTIVES:
        word = _CONNECTIVES[token.text]
        fixes = safe(f"write `{word}`", replace(token.span, word)) if word in error.accepted else ()
        return error.diagnose("AC039", f"unknown operator {quote(token.text)}", f"write `{word}`", fixes)
    if token.text in _SIGNS:
        meant = _SIGNS[token.text]
        is_sure = error.wants_operator and error.following.type not in ("OPERATOR", "HABIT")
        code, help_ = "AC031", f"write `{f'{name} {meant} {constant}'.strip()}`"
    elif token.text == "≠":
        code, meant, is_sure, help_ = "AC030", "!=", error.wants_operator, f"write `{name or 'A'} != {constant or '0'}`"
    else:
        return None
    fixes = safe(f"write `{meant}`", replace(token.span, meant)) if is_sure else ()
    return error.diagnose(code, f"unknown comparison operator {quote(token.text)}", help_, fixes)


def is_null(error: Unexpected) -> Diagnostic | None:
    tokens = [*error.name_before, *error.tokens[error.index :]] if error.wants_operator else []
    words = takewhile(lambda token: token.type in ("WORD", "QUOTED"), tokens)
    found = next((word for word in [*words][1:] if word.text.upper() == "IS"), None)
    if found is None:
        return None
    message = "`IS` is not supported in conditions: the columns that a policy names have no missing values"
    return error.diagnose("AC038", message, missing_help(), at=found.span)


def compass_action(error: Unexpected) -> Diagnostic | None:
    """COMPASS's `ZERO A` and `JOIN`."""
    if not error.wants_action:
        return None
    name = join_tokens(token for token in error.after if token.type in ("WORD", "QUOTED")) or "A"
    match error.token.text.lower():
        case "zero":
            message = "`ZERO` is an action of COMPASS, not of A-COMPASS"
            help_ = f"write `REPLACE {name} WITH 0`"
            return error.diagnose("AC035", message, help_, _zero(error, help_))
        case "join":
            help_ = (
                f"write one requirement with `REPLACE {name} WITH …` for each group to join, "
                "and check the joined groups with `EACH PROCESS SUM(Number) AS Size …`"
            )
            return error.diagnose("AC036", "`JOIN` is an action of COMPASS, not of A-COMPASS", help_)
    return None


def _zero(error: Unexpected, title: str) -> tuple[Fix, ...]:
    name = error.after
    if [token.type for token in name] != ["QUOTED"] and {token.type for token in name} != {"WORD"}:
        return ()
    return safe(title, replace(error.token.span, "REPLACE"), insert(name[-1].end, " WITH 0"))


def statement(error: Unexpected) -> Diagnostic | None:
    """An SQL statement where a requirement begins."""
    if "EACH" not in error.accepted or error.token.text.lower() not in _STATEMENTS:
        return None
    message = f"expected {error.expected}, found the SQL statement {quote(error.token.text)}"
    help_ = "a policy consists of requirements, as in `EACH FILTER Age > 80 : Age = 80 : REPLACE Age WITH 80;`"
    return error.diagnose("AC037", message, help_)


HABIT_RULES: tuple[Rule, ...] = (sign, is_null, compass_action, statement)

#: words for a record; `RECORDS` and `RESULTS` are misspelled keywords
_RECORD = frozenset({"row", "rows", "tuple", "tuples", "entry", "entries", "line", "lines", "person", "people"})
_CONSTANT_TYPES = ("NUMBER", "STRING", "PARAMETER", "WORD")
_BEFORE_BOUNDS = frozenset({"BETWEEN", "FROM", "IN", "(", ","})
_BETWEEN_BOUNDS = frozenset({"AND", "TO", ","})
#: words that mean every integer between two bounds, not one of the two
_INTERVAL = frozenset({"BETWEEN", "TO", "AND"})
_BOUNDS = ("NUMBER", "PARAMETER", "WORD")
_AROUND_BOUNDS = _BEFORE_BOUNDS | _BETWEEN_BOUNDS | {")"}
_MIRRORED = {"<": ">", "<=": ">=", "≤": ">=", "=": "=", ">": "<", ">=": "<=", "≥": "<="}


def word_for_record(error: Unexpected) -> Diagnostic | None:
    """`EACH ROW : …`."""
    token, following = error.token, error.following.type
    is_record = "RESULT" in error.accepted and token.text.lower() in _RECORD
    if not is_record or following in ("OPERATOR", "HABIT"):
        return None
    is_safe = following == "COLON"
    written = "RESULT" if is_safe else "RESULT :"
    text, edit = f"{error.previous.text} {written}", replace(token.span, written)
    return error.suggest("AC040", f"expected `RESULT`, found {error.found}", text, edit, is_safe=is_safe)


def bounds_of_random(error: Unexpected) -> Diagnostic | None:
    """`RANDOM A BETWEEN 1 AND 5`, `RANDOM A FROM 1 TO 5`, `RANDOM A 1, 5`, `RANDOM A (1, 5)`."""
    start = error.start_of_step("RANDOM")
    if start is None:
        return None
    name, rest = _name_and_bounds(error.tokens[start + 1 : -1])
    bounds = [token for token in rest if token.text.upper() not in _AROUND_BOUNDS]
    if not name or len(bounds) != 2 or len(rest) == 2 or not all(each.type in _BOUNDS for each in bounds):
        return None
    if join_tokens(rest).upper().startswith("FROM ("):
        return None
    written, span = join_tokens(bounds), rest[0].span.to(rest[-1].span)
    help_ = f"write `RANDOM {join_tokens(name)} {written}`"
    fixes = safe(help_, replace(span, written))
    if not _INTERVAL & {token.text.upper() for token in rest}:
        values = f"FROM ({bounds[0].text}, {bounds[1].text})"
        either = f"write `RANDOM {join_tokens(name)} {values}`"
        fixes = offer(help_, replace(span, written)) + offer(either, replace(span, values))
        help_ = f"{help_} to draw an integer between them, or {either} to draw one of the two"
    message = f"expected two bounds after the name, found {quote(join_tokens(rest))}"
    return error.diagnose("AC041", message, help_, fixes, span)


def _name_and_bounds(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    length = 0
    for token in tokens:
        if token.type not in ("WORD", "QUOTED", "PARAMETER") or token.text.upper() in _AROUND_BOUNDS:
            break
        length += 1
    if length > 1 and length < len(tokens) and tokens[length].text.upper() in _BETWEEN_BOUNDS:
        length -= 1  # the word before AND or TO is the lower bound
    return tokens[:length], tokens[length:]


def replace_without_with(error: Unexpected) -> Diagnostic | None:
    """`REPLACE A BY 40`, `REPLACE A = 40`, `REPLACE A TO 40`, `REPLACE A 40`."""
    start = error.start_of_step("REPLACE")
    if start is None or "WITH" not in error.accepted:
        return None
    wrong = _instead_of_with(error)
    at = error.index if wrong is None else error.tokens.index(wrong)
    name, constant = error.tokens[start + 1 : at], error.tokens[at if wrong is None else at + 1 : -1]
    if not name or len(constant) != 1 or constant[0].type not in _CONSTANT_TYPES:
        return None
    text = f"REPLACE {join_tokens(name)} WITH {constant[0].text}"
    edit = insert(constant[0].start, "WITH ") if wrong is None else replace(wrong.span, "WITH")
    found, is_word = wrong or error.token, wrong is not None and wrong.type == "WORD"  # it may belong to the name
    message = f"expected `WITH`, found {quote(found.text)}"
    return error.suggest("AC042", message, text, edit, at=found.span, is_safe=not is_word)


def _instead_of_with(error: Unexpected) -> Token | None:
    """The word or sign in the place of WITH; None if there is none."""
    token, words = error.token, error.words_before
    if token.type in ("BY", "AS", "COMMA") or token.text in ("=", "==", "=>"):
        return token
    if len(words) > 1 and words[-1].text.upper() in ("TO", "INTO"):
        return words[-1]
    return None


def misplaced_comma(error: Unexpected) -> Diagnostic | None:
    """`age < 40,5` has a decimal comma, `age >= 20, age < 30` a comma in place of AND."""
    previous = error.previous
    if error.token.type != "COMMA" or previous.type not in (*_CONSTANT_TYPES, "RPAR"):
        return None
    after = error.tokens[error.index + 1 :]
    if _is_decimal(previous, error.token, after[0]) and after[1].type != "COMMA":
        return _decimal_comma(previous, after[0], error.tokens[error.index - 2])
    return _comma_for_and(error, after) if "AND" in error.accepted else None


def _is_decimal(whole: Token, sign: Token, fraction: Token) -> bool:
    return (
        whole.type == fraction.type == "NUMBER"
        and "." not in whole.text
        and fraction.text.isdigit()
        and whole.end == sign.start
        and sign.end == fraction.start
    )


def _decimal_comma(whole: Token, fraction: Token, before: Token) -> Diagnostic:
    """`1,000` may also be a thousand, and `= 1,5` a list of values."""
    span = whole.span.to(fraction.span)
    readings = [f"{whole.text}.{fraction.text}"]
    if len(fraction.text) == 3:
        readings.append(f"{whole.text}{fraction.text}")
    help_ = "write " + " or ".join(f"`{reading}`" for reading in readings)
    fix = safe if len(readings) == 1 and before.text != "=" else offer
    fixes = tuple(each for text in readings for each in fix(f"write `{text}`", replace(span, text)))
    message = f"number with a comma {quote(f'{whole.text},{fraction.text}')}"
    return Diagnostic("AC043", message, (Label(span),), help_, fixes=fixes)


def _comma_for_and(error: Unexpected, after: list[Token]) -> Diagnostic | None:
    kinds, span = [token.type for token in after], error.token.span
    if kinds[0] in ("NOT", "LPAR") or "OPERATOR" in kinds[: _words(kinds) + 1]:
        help_ = "write `AND` to require both conditions, or write `OR` to require one of them"
        fixes = offer("write `AND`", replace(span, " AND")) + offer("write `OR`", replace(span, " OR"))
        return error.diagnose("AC044", "expected `AND` or `OR` between conditions, found `,`", help_, fixes)
    return _comma_list(error, after) if error.previous.type != "RPAR" else None


def _words(kinds: list[str]) -> int:
    return next((at for at, kind in enumerate(kinds) if kind not in ("WORD", "QUOTED")), len(kinds))


def _comma_list(error: Unexpected, after: list[Token]) -> Diagnostic | None:
    """`Age = 1, 2` means one of the values."""
    before = error.tokens[: error.index]
    start = start_of_name(before, len(before) - 2)
    name, sign, values = join_tokens(before[start:-2]), before[-2], [before[-1].text]
    for at in range(0, len(after) - 1, 2):
        if after[at].type not in ("NUMBER", "STRING"):
            return None
        values.append(after[at].text)
        if after[at + 1].type != "COMMA":
            break
    if sign.text != "=" or len(values) < 2 or not name:
        return None
    condition, span = f"{name} IN ({', '.join(values)})", Span(before[start].start, after[2 * len(values) - 4].end)
    message = "expected one constant, found several"
    return error.suggest("AC044", message, condition, replace(span, condition), at=span, is_safe=False)


def constant_first(error: Unexpected) -> Diagnostic | None:
    """`20 <= age`, `20 <= age < 30`."""
    tokens = error.tokens[error.index :]
    kinds = [token.type for token in tokens]
    if not error.wants_condition or kinds[:2] != ["NUMBER", "OPERATOR"] or kinds[2] not in ("PARAMETER", "QUOTED"):
        return None
    end = 3 + (0 if kinds[2] == "QUOTED" else _words(kinds[3:]))
    name = join_tokens(tokens[2:end])
    condition = f"{name} {_MIRRORED[tokens[1].text]} {tokens[0].text}"
    if kinds[end] == "OPERATOR" and kinds[end + 1] in ("NUMBER", "STRING", "PARAMETER"):
        condition = f"({condition} AND {name} {tokens[end].text} {tokens[end + 1].text})"
        end += 2
    span = tokens[0].span.to(tokens[end - 1].span)
    message = f"expected a name before the comparison operator, found {error.found}"
    return error.suggest("AC045", message, condition, replace(span, condition), at=span)


def foreign_comments(comments: Sequence[tree.Comment], text: str) -> list[Diagnostic]:
    """Comments that begin with `#` or `//`."""
    return [_foreign_comment(comment, text) for comment in comments if comment.text.startswith(FOREIGN_COMMENTS)]


def _foreign_comment(comment: tree.Comment, text: str) -> Diagnostic:
    mark = next(mark for mark in FOREIGN_COMMENTS if comment.text.startswith(mark))
    start = comment.span.start
    words = comment.text.removeprefix(mark)
    is_between = not comment.follows_code or text[start - 9 : start].rstrip().endswith(";")
    edit = replace(Span(start, start + len(mark)), "--")
    fixes: tuple[Fix, ...] = (safe if is_between else offer)("write `--`", edit)
    message = f"a comment begins with `--`, not with `{mark}`"
    return Diagnostic("AC046", message, (Label(comment.span),), f"write `--{words.rstrip()}`", fixes=fixes)


def bare_star(error: Unexpected) -> Diagnostic | None:
    """`REPLACE name WITH *`."""
    token = error.token
    if token.text != "*" or not {"STRING", "PARAMETER"} <= error.accepted:
        return None
    fixes = safe("put it in quotes", replace(token.span, "'*'"))
    return error.diagnose("AC014", f"expected a constant, found {error.found}", "write `'*'`", fixes)


SLIP_RULES: tuple[Rule, ...] = (word_for_record, bounds_of_random, misplaced_comma, constant_first, bare_star)

#: tokens that do not occur within IN, BETWEEN or LIKE
_ENDS_OF_PREDICATE = ("COLON", "OR", "FILTER", "WHERE")


def list_of_in(error: Unexpected) -> Diagnostic | None:
    """`A IN 1, 2`, `A IN ()`, `A IN (1, 2,)`."""
    at = error.last("IN", _ENDS_OF_PREDICATE)
    if at is None or any(token.type == "RPAR" for token in error.tokens[at - 1 : error.index]):
        return None  # the list has ended, or IN follows an aggregate (X14)
    name, previous = _name_and_word(error.tokens[: at + 1]), error.previous
    if previous is error.tokens[at]:
        return _missing_parentheses(error, name)
    if error.token.type != "RPAR":
        return None
    help_ = f"list one value or more, as in `{name} ('a', 'b')`"
    fixes = safe("remove the `,`", replace(previous.span, "")) if previous.type == "COMMA" else ()
    return error.diagnose("AC032", "missing value in the list of `IN`", help_, fixes)


def _missing_parentheses(error: Unexpected, name: str) -> Diagnostic:
    types = (*_CONSTANT_TYPES, "COMMA")
    listed = list(takewhile(lambda token: token.type in types, error.tokens[error.index :]))
    message = f"expected `(` after `IN`, found {error.found}"
    if not _is_list(listed):
        return error.diagnose("AC032", message, f"list the values in parentheses, as in `{name} ('a', 'b')`")
    edits = insert(listed[0].start, "("), insert(listed[-1].end, ")")
    return error.suggest("AC032", message, f"{name} ({join_tokens(listed)})", *edits)


def _is_list(tokens: list[Token]) -> bool:
    """Whether the tokens are constants with commas between them."""
    constants, commas = tokens[::2], tokens[1::2]
    return (
        len(constants) == len(commas) + 1
        and all(token.type in _CONSTANT_TYPES for token in constants)
        and all(token.type == "COMMA" for token in commas)
    )


def ends_of_between(error: Unexpected) -> Diagnostic | None:
    """`A BETWEEN 1, 5`, `A BETWEEN 1 TO 5`, `A BETWEEN (1, 5)`."""
    at = error.last("BETWEEN", _ENDS_OF_PREDICATE)
    if at is None or error.accepted not in ({"AND"}, {"NUMBER", "STRING", "PARAMETER"}) or error.index > at + 4:
        return None
    name = _name_and_word(error.tokens[: at + 1])
    around = ("COMMA", "LPAR", "RPAR", "AND")
    operands = list(takewhile(lambda token: token.type in (*_CONSTANT_TYPES, *around), error.tokens[at + 1 :]))
    ends = [token for token in operands if token.type in _CONSTANT_TYPES and token.text.upper() != "TO"]
    message = f"expected {error.expected} in `BETWEEN`, found {error.found}"
    if len(ends) != 2 or operands[-1].type not in (*_CONSTANT_TYPES, "RPAR"):
        return error.diagnose("AC033", message, f"write both ends, as in `{name} 18 AND 65`")
    condition = f"{ends[0].text} AND {ends[1].text}"
    edit = replace(operands[0].span.to(operands[-1].span), condition)
    return error.suggest("AC033", message, f"{name} {condition}", edit)


def pattern_of_like(error: Unexpected) -> Diagnostic | None:
    """`A LIKE 214`, `A LIKE k`."""
    at, token = error.last("LIKE", _ENDS_OF_PREDICATE), error.token
    if at is None or error.index != at + 1 or token.type not in ("WORD", "NUMBER"):
        return None
    text, edit = f"{_name_and_word(error.tokens[: at + 1])} '{token.text}%'", replace(token.span, f"'{token.text}%'")
    return error.suggest("AC034", f"expected text after `LIKE`, found {error.found}", text, edit, is_safe=False)


def ilike(error: Unexpected) -> Diagnostic | None:
    """`A ILIKE 'bob%'`: conditions are case-sensitive."""
    tokens = [*error.name_before, *error.tokens[error.index :]] if error.wants_operator else []
    words = list(takewhile(lambda token: token.type in ("WORD", "QUOTED", "NOT"), tokens))
    if len(words) < 2 or words[-1].text.upper() != "ILIKE":
        return None
    help_ = "`LIKE` distinguishes capital letters; write one condition for each spelling, joined by `OR`"
    return error.diagnose("AC034", f"{quote(words[-1].text)} is not supported in conditions", help_, at=words[-1].span)


def negated_sign(error: Unexpected) -> Diagnostic | None:
    """`A NOT = 3`."""
    token, following = error.token, error.following
    if not error.wants_operator or token.type != "NOT" or following.text != "=":
        return None
    span = token.span.to(following.span)
    help_ = f"write `{join_tokens(error.name_before)} != {join_tokens(error.after[1:2])}`"
    message, fixes = f"unknown comparison operator {quote(f'{token.text} =')}", offer("write `!=`", replace(span, "!="))
    return error.diagnose("AC031", message, help_, fixes, span)


def _name_and_word(tokens: list[Token]) -> str:
    """The name before IN, BETWEEN or LIKE, and the word itself."""
    word = len(tokens) - 1
    return join_tokens(tokens[start_of_name(tokens, word - (tokens[word - 1].type == "NEGATING")) :])


PREDICATE_RULES: tuple[Rule, ...] = (list_of_in, ends_of_between, pattern_of_like, ilike, negated_sign)


_LONGEST_HELP = 120


def beyond_paper(program: tree.Program) -> tuple[Diagnostic, ...]:
    """A diagnostic for each form beyond the paper, in the order of the text."""
    return tuple(_report_form(form) for requirement in program.requirements for form in walk.beyond(requirement))


def _report_form(form: walk.Beyond) -> Diagnostic:
    word, span, help_ = _describe_form(form)
    message = f"{word} is not in the paper's language, which `{option_text('paper', True)}` requires"
    place = place_of(span)
    return Diagnostic("AC060", message, () if place is None else (Label(place),), help_)


def _describe_form(form: walk.Beyond) -> tuple[str, Span, str]:
    """The form in words, its place, and help with the paper's form."""
    match form:
        case tree.Always():
            return "`ALWAYS`", form.span, "write `EACH PROCESS COUNT(*) AS Records : Records < 1`"
        case tree.Unequal():
            return f"`{form.sign}`", form.span, _instead(form)
        case tree.In():
            return "`IN`", form.span, _instead(form)
        case tree.Between():
            return "`BETWEEN`", form.span, _instead(form)
        case tree.Like():
            return "`LIKE`", form.span, _instead(form)
        case tree.NamedAggregate(aggregate):
            return "a second aggregate", aggregate.span, "write one requirement for each aggregate"
        case tree.Aggregate(function, file=file):
            share = f"`{function}`", form.span, "compare `SUM`, `MIN`, `MAX` or a count, the paper's only aggregates"
            over_file = "an aggregate over a file", form.span, "add the numbers of the file to the table as a column"
            return share if file is None else over_file
        case tree.Draw() | tree.Generalize() | tree.Drop() | tree.Sometimes() | tree.Then():
            return _describe_action(form)
        case tree.Pseudonym() | tree.Shift() | tree.AddRandom() | tree.Microaggregate():
            return _describe_action(form)
        case _:
            assert_never(form)


def _describe_action(form: walk.BeyondAction) -> tuple[str, Span, str]:
    match form:
        case tree.Draw():
            return "`RANDOM … FROM`", form.span, _bounds_help(form)
        case tree.Generalize():
            return "`GENERALIZE`", form.span, "write one requirement with `REPLACE` for each label"
        case tree.Drop(names):
            return "`DROP`", form.span, _removal_help(names)
        case tree.Sometimes(probability):
            place = Span(form.span.start, probability.span.end)
            return "`WITH PROBABILITY`", place, "write the action alone, for all affected records"
        case tree.Then(steps):
            return "`THEN`", steps[1].span, "write one requirement for each action"
        case tree.Pseudonym(name):
            return "`PSEUDONYM`", form.span, f"write `REPLACE {spell_name(name.text)} WITH '*'`"
        case tree.Shift():
            return "`SHIFT`", form.span, "shift the dates before the policy runs, or replace them"
        case tree.AddRandom(lower, upper, name):
            bounds = f"{spell_constant(lower)} {spell_constant(upper)}"
            help_ = f"write `RANDOM {spell_name(name.text)} {bounds}`, which replaces the value instead"
            return "`ADD RANDOM`", form.span, help_
        case tree.Microaggregate(name):
            return "`MICROAGGREGATE`", form.span, "write one requirement with `REPLACE` for each group"
        case _:
            assert_never(form)


def unknown_function(action: tree.Plain | None) -> tuple[str, str] | None:
    """The action in words, and why no action of the paper writes the same; None if one does."""
    match action:
        case tree.Pseudonym():
            return "PSEUDONYM", "no action of the paper has a key"
        case tree.Shift():
            return "SHIFT", "no action of the paper has a key"
        case tree.AddRandom():
            return "ADD RANDOM", "what the paper draws does not depend on the value before"
        case tree.Microaggregate():
            return "MICROAGGREGATE", "what an action of the paper writes does not depend on other records"
        case None | tree.Reject() | tree.Replace() | tree.Random() | tree.Draw() | tree.Generalize() | tree.Drop():
            return None
        case _:
            assert_never(action)


def _instead(condition: tree.Condition) -> str:
    words = format_condition(walk.core(condition))
    if len(words) > _LONGEST_HELP:
        return "write one comparison for each value, joined by `OR`"
    is_bare = words.startswith("NOT ")
    return f"write `{words}`" if is_bare else f"write `({words})`"


def _bounds_help(draw: tree.Draw) -> str:
    random = core_random(draw)
    if random is None:
        return "write two bounds, as in `RANDOM Age 18 90`, between which all integers are equally probable"
    lower, upper = spell_constant(random.lower), spell_constant(random.upper)
    return f"write `RANDOM {spell_name(random.name.text)} {lower} {upper}`"


def _removal_help(names: tuple[tree.Name, ...]) -> str:
    columns = "the column" if len(names) == 1 else "the columns"
    return f"leave {columns} out of the table, or replace the values"


#: the bounds of RANDOM are 64-bit integers (D14)
_LOWEST, _HIGHEST = Decimal(-(2**63)), Decimal(2**63 - 1)


def core_random(draw: tree.Draw) -> tree.Random | None:
    """The action that draws the same values from the same trace; None unless the values are consecutive integers in
    ascending order with equal weights."""
    numbers = [each.constant for each in draw.values if isinstance(each.constant, tree.Number)]
    integers = [number.value for number in numbers if number.value.as_tuple().exponent == 0]
    is_without_gap = all(above - below == 1 for below, above in pairwise(integers))
    if len(integers) < len(draw.values) or not is_without_gap or len({each.times for each in draw.values}) > 1:
        return None
    if integers[0] < _LOWEST or integers[-1] > _HIGHEST:
        return None
    return tree.Random(draw.name, numbers[0], numbers[-1], draw.span)
