"""Ways to write a requirement that are not of this language but can be read in only one way, or nearly so."""

from collections.abc import Sequence

from acompass.diagnostics import Diagnostic, Fix, Label, Span
from acompass.diagnostics.edits import insert, offer, replace, safe
from acompass.syntax import tree
from acompass.syntax.habits import Rule
from acompass.syntax.tokens import FOREIGN_COMMENTS, Token
from acompass.syntax.unexpected import Unexpected, quote, text_of

#: words for a record; `RECORDS` and `RESULTS` are misspelt keywords
_RECORD = frozenset(
    {"row", "rows", "tuple", "tuples", "entry", "entries", "line", "lines", "person", "people"}
)
_CONSTANTS = ("NUMBER", "STRING", "PARAMETER", "WORD")
_BEFORE_BOUNDS = frozenset({"BETWEEN", "FROM", "IN", "(", ","})
_BETWEEN_BOUNDS = frozenset({"AND", "TO", ","})
#: words that say that every integer between two bounds is meant, and not one of both
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
    message = f"expected `RESULT`, found {unexpected.found}"
    return Diagnostic("AC040", message, unexpected.label(), help_, fixes=fixes)


def bounds_of_random(unexpected: Unexpected) -> Diagnostic | None:
    """`RANDOM A BETWEEN 1 AND 5`, `RANDOM A FROM 1 TO 5`, `RANDOM A 1, 5`, `RANDOM A (1, 5)`."""
    start = unexpected.start_of_step("RANDOM")
    if start is None:
        return None
    name, rest = _name_and_bounds(unexpected.tokens[start + 1 : -1])
    bounds = [token for token in rest if token.text.upper() not in _AROUND_BOUNDS]
    if not name or len(bounds) != 2 or len(rest) == 2 or not all(each.type in _BOUNDS for each in bounds):
        return None
    if text_of(rest).upper().startswith("FROM ("):
        return None
    written = text_of(bounds)
    help_ = f"write `RANDOM {text_of(name)} {written}`"
    span = rest[0].span.to(rest[-1].span)
    message = f"expected two bounds after the name, found {quote(text_of(rest))}"
    fixes = safe(help_, replace(span, written))
    if not _INTERVAL & {token.text.upper() for token in rest}:
        urn = f"FROM ({bounds[0].text}, {bounds[1].text})"
        either = f"write `RANDOM {text_of(name)} {urn}`"
        fixes = offer(help_, replace(span, written)) + offer(either, replace(span, urn))
        help_ = f"{help_} to draw an integer between them, or {either} to draw one of the two"
    return Diagnostic("AC041", message, (Label(span),), help_, fixes=fixes)


def _name_and_bounds(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    length = 0
    for token in tokens:
        if token.type not in ("WORD", "QUOTED", "PARAMETER") or token.text.upper() in _AROUND_BOUNDS:
            break
        length += 1
    if length > 1 and length < len(tokens) and tokens[length].text.upper() in _BETWEEN_BOUNDS:
        length -= 1  # the word before TO is the lower bound
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
    if not name or len(constant) != 1 or constant[0].type not in _CONSTANTS:
        return None
    help_ = f"write `REPLACE {text_of(name)} WITH {constant[0].text}`"
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


def comma(unexpected: Unexpected) -> Diagnostic | None:
    """`age < 40,5` has a decimal comma, `age >= 20, age < 30` a comma in place of AND."""
    previous = unexpected.previous
    if unexpected.token.type != "COMMA" or previous is None or previous.type not in (*_CONSTANTS, "RPAR"):
        return None
    after = unexpected.tokens[unexpected.index + 1 :]
    if _is_decimal(previous, unexpected.token, after[0]) and after[1].type != "COMMA":
        return _decimal_comma(previous, after[0], unexpected.tokens[unexpected.index - 2])
    return _joined(unexpected, after) if "AND" in unexpected.accepted else None


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


def _joined(unexpected: Unexpected, after: list[Token]) -> Diagnostic | None:
    kinds = [token.type for token in after]
    if kinds[0] in ("NOT", "LPAR") or "OPERATOR" in kinds[: _words(kinds) + 1]:
        help_ = "write `AND` to require both conditions, or write `OR` to require one of them"
        span = unexpected.token.span
        fixes = offer("write `AND`", replace(span, " AND")) + offer("write `OR`", replace(span, " OR"))
        message = "expected `AND` or `OR` between conditions, found `,`"
        return Diagnostic("AC044", message, unexpected.label(), help_, fixes=fixes)
    is_constant = unexpected.tokens[unexpected.index - 1].type != "RPAR"
    return _listed(unexpected, after) if is_constant else None


def _words(kinds: list[str]) -> int:
    return next((at for at, kind in enumerate(kinds) if kind not in ("WORD", "QUOTED")), len(kinds))


def _listed(unexpected: Unexpected, after: list[Token]) -> Diagnostic | None:
    """`Age = 1, 2` means one of the values."""
    before = unexpected.tokens[: unexpected.index]
    start = _start_of_name(before[:-2])
    name, sign, first = text_of(before[start:-2]), before[-2], before[-1]
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


def _start_of_name(tokens: list[Token]) -> int:
    if tokens and tokens[-1].type == "QUOTED":
        return len(tokens) - 1
    start = len(tokens)
    while start and tokens[start - 1].type == "WORD":
        start -= 1
    return start


def constant_first(unexpected: Unexpected) -> Diagnostic | None:
    """`20 <= age`, `20 <= age < 30`."""
    tokens = unexpected.tokens[unexpected.index :]
    kinds = [token.type for token in tokens]
    if not unexpected.wants_condition or kinds[:2] != ["NUMBER", "OPERATOR"]:
        return None
    if kinds[2] not in ("PARAMETER", "QUOTED"):
        return None
    end = 3 + (0 if kinds[2] == "QUOTED" else _words(kinds[3:]))
    name = text_of(tokens[2:end])
    condition = f"{name} {_MIRRORED[tokens[1].text]} {tokens[0].text}"
    if kinds[end] == "OPERATOR" and kinds[end + 1] in ("NUMBER", "STRING", "PARAMETER"):
        condition = f"({condition} AND {name} {tokens[end].text} {tokens[end + 1].text})"
        end += 2
    span = tokens[0].span.to(tokens[end - 1].span)
    help_ = f"write `{condition}`"
    message = f"expected a name before the comparison sign, found {unexpected.found}"
    return Diagnostic("AC045", message, (Label(span),), help_, fixes=safe(help_, replace(span, condition)))


def foreign_comments(comments: Sequence[tree.Comment], text: str) -> list[Diagnostic]:
    """Comments that begin with `#` or `//`."""
    return [_foreign(comment, text) for comment in comments if comment.text.startswith(FOREIGN_COMMENTS)]


def _foreign(comment: tree.Comment, text: str) -> Diagnostic:
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
    return Diagnostic("AC014", message, unexpected.label(), "write `'*'`", fixes=fixes)


SLIPS: tuple[Rule, ...] = (word_for_record, bounds_of_random, comma, constant_first, bare_star)
