"""Habits from SQL, COMPASS and other languages (D7), slips, and mistakes in IN, BETWEEN and LIKE.

The help of each error shows what to write instead."""

from collections.abc import Sequence
from itertools import takewhile

from acompass.errors.diagnostics import Diagnostic, Fix, Label, Span, insert, missing_help, offer, replace, safe
from acompass.errors.display import quote
from acompass.language.mistakes.syntax_error import Rule, Unexpected, join_tokens, start_of_name
from acompass.language.text import tree
from acompass.language.text.tokens import FOREIGN_COMMENTS, Token

_STATEMENTS = frozenset({"select", "update", "delete", "insert", "create", "drop", "alter", "from"})
_SIGNS = {"==": "=", "=<": "<=", "=>": ">="}
_CONNECTIVES = {"&&": "AND", "||": "OR", "!": "NOT"}


def sign(unexpected: Unexpected) -> Diagnostic | None:
    """`≠`, `==`, `=<`, `=>`, `&&`, `||` and `!`."""
    if unexpected.token.type != "HABIT":
        return None
    if unexpected.token.text in _CONNECTIVES:
        return _connective(unexpected)
    if unexpected.token.text in _SIGNS:
        return _misspelled_sign(unexpected)
    return _unequal(unexpected)


def _connective(unexpected: Unexpected) -> Diagnostic:
    token, word = unexpected.token, _CONNECTIVES[unexpected.token.text]
    help_ = f"write `{word}`"
    fixes = safe(help_, replace(token.span, word)) if word in unexpected.accepted else ()
    return unexpected.diagnose("AC039", f"unknown operator {quote(token.text)}", help_, fixes)


def _misspelled_sign(unexpected: Unexpected) -> Diagnostic:
    token, meant = unexpected.token, _SIGNS[unexpected.token.text]
    name, constant = join_tokens(unexpected.name_before), join_tokens(unexpected.after[:1])
    help_ = f"write `{f'{name} {meant} {constant}'.strip()}`"
    is_whole = unexpected.following is not None and unexpected.following.type not in ("OPERATOR", "HABIT")
    is_sure = unexpected.wants_operator and is_whole
    fixes = safe(f"write `{meant}`", replace(token.span, meant)) if is_sure else ()
    return unexpected.diagnose("AC031", f"unknown comparison operator {quote(token.text)}", help_, fixes)


def _unequal(unexpected: Unexpected) -> Diagnostic | None:
    if unexpected.token.text != "≠":
        return None
    name, constant = join_tokens(unexpected.name_before), join_tokens(unexpected.after[:1])
    help_ = f"write `{name or 'A'} != {constant or '0'}`"
    fixes = safe("write `!=`", replace(unexpected.token.span, "!=")) if unexpected.wants_operator else ()
    return unexpected.diagnose("AC030", "unknown comparison operator `≠`", help_, fixes)


def is_null(unexpected: Unexpected) -> Diagnostic | None:
    if not unexpected.wants_operator:
        return None
    tokens = [*unexpected.name_before, *unexpected.tokens[unexpected.index :]]
    words = takewhile(lambda token: token.type in ("WORD", "QUOTED"), tokens)
    found = next((word for word in [*words][1:] if word.text.upper() == "IS"), None)
    if found is None:
        return None
    message = "`IS` is not supported in conditions: the columns that a policy names have no missing values"
    help_ = missing_help()
    return Diagnostic("AC038", message, (Label(found.span),), help_)


def compass_action(unexpected: Unexpected) -> Diagnostic | None:
    """COMPASS's `ZERO A` and `JOIN`."""
    if not unexpected.wants_action:
        return None
    name = join_tokens(token for token in unexpected.after if token.type in ("WORD", "QUOTED")) or "A"
    match unexpected.token.text.lower():
        case "zero":
            message = "`ZERO` is an action of COMPASS, not of A-COMPASS"
            help_ = f"write `REPLACE {name} WITH 0`"
            return unexpected.diagnose("AC035", message, help_, _zero(unexpected, help_))
        case "join":
            message = "`JOIN` is an action of COMPASS, not of A-COMPASS"
            help_ = (
                f"write one requirement with `REPLACE {name} WITH …` for each group to join, "
                "and check the joined groups with `EACH PROCESS SUM(Number) AS Size …`"
            )
            return unexpected.diagnose("AC036", message, help_)
    return None


def _zero(unexpected: Unexpected, title: str) -> tuple[Fix, ...]:
    name = unexpected.after
    if [token.type for token in name] != ["QUOTED"] and {token.type for token in name} != {"WORD"}:
        return ()
    return safe(title, replace(unexpected.token.span, "REPLACE"), insert(name[-1].end, " WITH 0"))


def statement(unexpected: Unexpected) -> Diagnostic | None:
    """An SQL statement where a requirement begins."""
    if "EACH" not in unexpected.accepted or unexpected.token.text.lower() not in _STATEMENTS:
        return None
    message = f"expected {unexpected.expected}, found the SQL statement {quote(unexpected.token.text)}"
    help_ = "a policy consists of requirements, as in `EACH FILTER Age > 80 : Age = 80 : REPLACE Age WITH 80;`"
    return unexpected.diagnose("AC037", message, help_)


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


def word_for_record(unexpected: Unexpected) -> Diagnostic | None:
    """`EACH ROW : …`."""
    token, following = unexpected.token, unexpected.following
    if "RESULT" not in unexpected.accepted or token.text.lower() not in _RECORD or following is None:
        return None
    if following.type in ("OPERATOR", "HABIT"):
        return None
    quantifier = unexpected.tokens[unexpected.index - 1].text
    is_followed = following.type == "COLON"
    written = "RESULT" if is_followed else "RESULT :"
    help_ = f"write `{quantifier} {written}`"
    fixes = (safe if is_followed else offer)(help_, replace(token.span, written))
    return unexpected.diagnose("AC040", f"expected `RESULT`, found {unexpected.found}", help_, fixes)


def bounds_of_random(unexpected: Unexpected) -> Diagnostic | None:
    """`RANDOM A BETWEEN 1 AND 5`, `RANDOM A FROM 1 TO 5`, `RANDOM A 1, 5`, `RANDOM A (1, 5)`."""
    start = unexpected.start_of_step("RANDOM")
    if start is None:
        return None
    name, rest = _name_and_bounds(unexpected.tokens[start + 1 : -1])
    bounds = [token for token in rest if token.text.upper() not in _AROUND_BOUNDS]
    if not name or len(bounds) != 2 or len(rest) == 2 or not all(each.type in _BOUNDS for each in bounds):
        return None
    if join_tokens(rest).upper().startswith("FROM ("):
        return None
    written = join_tokens(bounds)
    help_ = f"write `RANDOM {join_tokens(name)} {written}`"
    span = rest[0].span.to(rest[-1].span)
    message = f"expected two bounds after the name, found {quote(join_tokens(rest))}"
    fixes = safe(help_, replace(span, written))
    if not _INTERVAL & {token.text.upper() for token in rest}:
        values = f"FROM ({bounds[0].text}, {bounds[1].text})"
        either = f"write `RANDOM {join_tokens(name)} {values}`"
        fixes = offer(help_, replace(span, written)) + offer(either, replace(span, values))
        help_ = f"{help_} to draw an integer between them, or {either} to draw one of the two"
    return Diagnostic("AC041", message, (Label(span),), help_, fixes=fixes)


def _name_and_bounds(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    length = 0
    for token in tokens:
        if token.type not in ("WORD", "QUOTED", "PARAMETER") or token.text.upper() in _AROUND_BOUNDS:
            break
        length += 1
    if length > 1 and length < len(tokens) and tokens[length].text.upper() in _BETWEEN_BOUNDS:
        length -= 1  # the word before AND or TO is the lower bound
    return tokens[:length], tokens[length:]


def replace_without_with(unexpected: Unexpected) -> Diagnostic | None:
    """`REPLACE A BY 40`, `REPLACE A = 40`, `REPLACE A TO 40`, `REPLACE A 40`."""
    start = unexpected.start_of_step("REPLACE")
    if start is None or "WITH" not in unexpected.accepted:
        return None
    wrong = _instead_of_with(unexpected)
    at = unexpected.index if wrong is None else unexpected.tokens.index(wrong)
    name = unexpected.tokens[start + 1 : at]
    constant = unexpected.tokens[at if wrong is None else at + 1 : -1]
    if not name or len(constant) != 1 or constant[0].type not in _CONSTANT_TYPES:
        return None
    help_ = f"write `REPLACE {join_tokens(name)} WITH {constant[0].text}`"
    edit = insert(constant[0].start, "WITH ") if wrong is None else replace(wrong.span, "WITH")
    is_word = wrong is not None and wrong.type == "WORD"  # it may belong to the name
    fixes = (offer if is_word else safe)(help_, edit)
    found = wrong or unexpected.token
    message = f"expected `WITH`, found {quote(found.text)}"
    return Diagnostic("AC042", message, (Label(found.span),), help_, fixes=fixes)


def _instead_of_with(unexpected: Unexpected) -> Token | None:
    """The word or sign in the place of WITH; None if there is none."""
    token, words = unexpected.token, unexpected.words_before
    if token.type in ("BY", "AS", "COMMA") or token.text in ("=", "==", "=>"):
        return token
    if len(words) > 1 and words[-1].text.upper() in ("TO", "INTO"):
        return words[-1]
    return None


def misplaced_comma(unexpected: Unexpected) -> Diagnostic | None:
    """`age < 40,5` has a decimal comma, `age >= 20, age < 30` a comma in place of AND."""
    previous = unexpected.previous
    if unexpected.token.type != "COMMA" or previous is None or previous.type not in (*_CONSTANT_TYPES, "RPAR"):
        return None
    after = unexpected.tokens[unexpected.index + 1 :]
    if _is_decimal(previous, unexpected.token, after[0]) and after[1].type != "COMMA":
        return _decimal_comma(previous, after[0], unexpected.tokens[unexpected.index - 2])
    return _comma_for_and(unexpected, after) if "AND" in unexpected.accepted else None


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


def _comma_for_and(unexpected: Unexpected, after: list[Token]) -> Diagnostic | None:
    kinds = [token.type for token in after]
    if kinds[0] in ("NOT", "LPAR") or "OPERATOR" in kinds[: _words(kinds) + 1]:
        help_ = "write `AND` to require both conditions, or write `OR` to require one of them"
        span = unexpected.token.span
        fixes = offer("write `AND`", replace(span, " AND")) + offer("write `OR`", replace(span, " OR"))
        message = "expected `AND` or `OR` between conditions, found `,`"
        return unexpected.diagnose("AC044", message, help_, fixes)
    is_constant = unexpected.tokens[unexpected.index - 1].type != "RPAR"
    return _comma_list(unexpected, after) if is_constant else None


def _words(kinds: list[str]) -> int:
    return next((at for at, kind in enumerate(kinds) if kind not in ("WORD", "QUOTED")), len(kinds))


def _comma_list(unexpected: Unexpected, after: list[Token]) -> Diagnostic | None:
    """`Age = 1, 2` means one of the values."""
    before = unexpected.tokens[: unexpected.index]
    start = start_of_name(before, len(before) - 2)
    name, sign, first = join_tokens(before[start:-2]), before[-2], before[-1]
    values = [first.text]
    for at in range(0, len(after) - 1, 2):
        if after[at].type not in ("NUMBER", "STRING"):
            return None
        values.append(after[at].text)
        if after[at + 1].type != "COMMA":
            break
    if sign.text != "=" or len(values) < 2 or not name:
        return None
    condition = f"{name} IN ({', '.join(values)})"
    span = Span(before[start].start, after[2 * len(values) - 4].end)
    help_ = f"write `{condition}`"
    message = "expected one constant, found several"
    return Diagnostic("AC044", message, (Label(span),), help_, fixes=offer(help_, replace(span, condition)))


def constant_first(unexpected: Unexpected) -> Diagnostic | None:
    """`20 <= age`, `20 <= age < 30`."""
    tokens = unexpected.tokens[unexpected.index :]
    kinds = [token.type for token in tokens]
    if not unexpected.wants_condition or kinds[:2] != ["NUMBER", "OPERATOR"]:
        return None
    if kinds[2] not in ("PARAMETER", "QUOTED"):
        return None
    end = 3 + (0 if kinds[2] == "QUOTED" else _words(kinds[3:]))
    name = join_tokens(tokens[2:end])
    condition = f"{name} {_MIRRORED[tokens[1].text]} {tokens[0].text}"
    if kinds[end] == "OPERATOR" and kinds[end + 1] in ("NUMBER", "STRING", "PARAMETER"):
        condition = f"({condition} AND {name} {tokens[end].text} {tokens[end + 1].text})"
        end += 2
    span = tokens[0].span.to(tokens[end - 1].span)
    help_ = f"write `{condition}`"
    message = f"expected a name before the comparison operator, found {unexpected.found}"
    return Diagnostic("AC045", message, (Label(span),), help_, fixes=safe(help_, replace(span, condition)))


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
    help_ = f"write `--{words.rstrip()}`"
    return Diagnostic("AC046", message, (Label(comment.span),), help_, fixes=fixes)


def bare_star(unexpected: Unexpected) -> Diagnostic | None:
    """`REPLACE name WITH *`."""
    token = unexpected.token
    if token.text != "*" or not {"STRING", "PARAMETER"} <= unexpected.accepted:
        return None
    message = f"expected a constant, found {unexpected.found}"
    fixes = safe("put it in quotes", replace(token.span, "'*'"))
    return unexpected.diagnose("AC014", message, "write `'*'`", fixes)


SLIP_RULES: tuple[Rule, ...] = (word_for_record, bounds_of_random, misplaced_comma, constant_first, bare_star)

#: tokens that do not occur within IN, BETWEEN or LIKE
_ENDS_OF_PREDICATE = ("COLON", "OR", "FILTER", "WHERE")


def list_of_in(unexpected: Unexpected) -> Diagnostic | None:
    """`A IN 1, 2`, `A IN ()`, `A IN (1, 2,)`."""
    at = unexpected.last("IN", _ENDS_OF_PREDICATE)
    if at is None or any(token.type == "RPAR" for token in unexpected.tokens[at : unexpected.index]):
        return None
    name = _name_and_word(unexpected.tokens[: at + 1])
    if unexpected.previous is unexpected.tokens[at]:
        return _missing_parentheses(unexpected, name)
    if unexpected.token.type != "RPAR":
        return None
    previous = unexpected.tokens[unexpected.index - 1]
    help_ = f"list one value or more, as in `{name} ('a', 'b')`"
    fixes = safe("remove the `,`", replace(previous.span, "")) if previous.type == "COMMA" else ()
    return unexpected.diagnose("AC032", "missing value in the list of `IN`", help_, fixes)


def _missing_parentheses(unexpected: Unexpected, name: str) -> Diagnostic:
    listed = list(
        takewhile(lambda token: token.type in (*_CONSTANT_TYPES, "COMMA"), unexpected.tokens[unexpected.index :])
    )
    message = f"expected `(` after `IN`, found {unexpected.found}"
    if not _is_list(listed):
        help_ = f"list the values in parentheses, as in `{name} ('a', 'b')`"
        return unexpected.diagnose("AC032", message, help_)
    help_ = f"write `{name} ({join_tokens(listed)})`"
    fixes = safe(help_, insert(listed[0].start, "("), insert(listed[-1].end, ")"))
    return unexpected.diagnose("AC032", message, help_, fixes)


def _is_list(tokens: list[Token]) -> bool:
    """Whether the tokens are constants with commas between them."""
    constants, commas = tokens[::2], tokens[1::2]
    return (
        len(constants) == len(commas) + 1
        and all(token.type in _CONSTANT_TYPES for token in constants)
        and all(token.type == "COMMA" for token in commas)
    )


def ends_of_between(unexpected: Unexpected) -> Diagnostic | None:
    """`A BETWEEN 1, 5`, `A BETWEEN 1 TO 5`, `A BETWEEN (1, 5)`."""
    at = unexpected.last("BETWEEN", _ENDS_OF_PREDICATE)
    if at is None or unexpected.accepted not in ({"AND"}, {"NUMBER", "STRING", "PARAMETER"}):
        return None
    if unexpected.index > at + 4:
        return None
    name = _name_and_word(unexpected.tokens[: at + 1])
    operands = list(takewhile(_is_operand, unexpected.tokens[at + 1 :]))
    ends = [token for token in operands if token.type in _CONSTANT_TYPES and token.text.upper() != "TO"]
    message = f"expected {unexpected.expected} in `BETWEEN`, found {unexpected.found}"
    if len(ends) != 2 or operands[-1].type not in (*_CONSTANT_TYPES, "RPAR"):
        help_ = f"write both ends, as in `{name} 18 AND 65`"
        return unexpected.diagnose("AC033", message, help_)
    condition = f"{ends[0].text} AND {ends[1].text}"
    edit = replace(operands[0].span.to(operands[-1].span), condition)
    help_ = f"write `{name} {condition}`"
    return unexpected.diagnose("AC033", message, help_, safe(help_, edit))


def _is_operand(token: Token) -> bool:
    return token.type in (*_CONSTANT_TYPES, "COMMA", "LPAR", "RPAR", "AND")


def pattern_of_like(unexpected: Unexpected) -> Diagnostic | None:
    """`A LIKE 214`, `A LIKE k`."""
    at = unexpected.last("LIKE", _ENDS_OF_PREDICATE)
    if at is None or unexpected.index != at + 1 or unexpected.token.type not in ("WORD", "NUMBER"):
        return None
    message = f"expected text after `LIKE`, found {unexpected.found}"
    help_ = f"write `{_name_and_word(unexpected.tokens[: at + 1])} '{unexpected.token.text}%'`"
    edit = replace(unexpected.token.span, f"'{unexpected.token.text}%'")
    return unexpected.diagnose("AC034", message, help_, offer(help_, edit))


def ilike(unexpected: Unexpected) -> Diagnostic | None:
    """`A ILIKE 'bob%'`: conditions are case-sensitive."""
    tokens = [*unexpected.name_before, *unexpected.tokens[unexpected.index :]]
    if not unexpected.wants_operator:
        return None
    words = list(takewhile(lambda token: token.type in ("WORD", "QUOTED", "NOT"), tokens))
    if len(words) < 2 or words[-1].text.upper() != "ILIKE":
        return None
    help_ = "`LIKE` distinguishes capital letters; write one condition for each spelling, joined by `OR`"
    message = f"{quote(words[-1].text)} is not supported in conditions"
    return Diagnostic("AC034", message, (Label(words[-1].span),), help_)


def negated_sign(unexpected: Unexpected) -> Diagnostic | None:
    """`A NOT = 3`."""
    token, following = unexpected.token, unexpected.following
    if not unexpected.wants_operator or token.type != "NOT" or following is None or following.text != "=":
        return None
    span = token.span.to(following.span)
    help_ = f"write `{join_tokens(unexpected.name_before)} != {join_tokens(unexpected.after[1:2])}`"
    message = f"unknown comparison operator {quote(f'{token.text} =')}"
    return Diagnostic("AC031", message, (Label(span),), help_, fixes=offer("write `!=`", replace(span, "!=")))


def _name_and_word(tokens: list[Token]) -> str:
    """The name before IN, BETWEEN or LIKE, and the word itself."""
    word = len(tokens) - 1
    return join_tokens(tokens[start_of_name(tokens, word - (tokens[word - 1].type == "NEGATING")) :])


PREDICATE_RULES: tuple[Rule, ...] = (list_of_in, ends_of_between, pattern_of_like, ilike, negated_sign)
