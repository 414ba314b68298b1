"""Parse text into a tree. A requirement with a syntax error is reported and left out (D8)."""

from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from itertools import takewhile
from typing import Any, cast

from lark import Lark, UnexpectedInput
from lark import Token as LarkToken
from lark.lexer import Lexer
from lark.parsers.lalr_interactive_parser import InteractiveParser

from acompass.diagnostics import Diagnostic, Span
from acompass.diagnostics.diagnostic import MOST_REPORTED
from acompass.diagnostics.fixing import with_sound_fixes
from acompass.syntax import tree
from acompass.syntax.allowances import without_reason
from acompass.syntax.build import TreeBuilder
from acompass.syntax.collection import without_collection
from acompass.syntax.contextual import reclassified
from acompass.syntax.explain import explain, missing_semicolon, too_deep
from acompass.syntax.restrictions import not_a_requirement
from acompass.syntax.slips import foreign_comments
from acompass.syntax.tokens import Token, scan
from acompass.syntax.unexpected import Unexpected

#: nested parentheses and NOTs; every later stage walks conditions recursively
MAXIMUM_DEPTH = 64


@without_collection()
def parse(text: str) -> tuple[tree.Program, tuple[Diagnostic, ...]]:
    """The requirements that parse, and a diagnostic for each of the others, up to MOST_REPORTED."""
    comments: list[tree.Comment] = []
    requirements: list[tree.Requirement] = []
    diagnostics: list[Diagnostic] = []
    for segment in segments(scan(text, comments)):
        requirement, diagnostic = _requirement(segment)
        if requirement is not None:
            requirements.append(requirement)
        if diagnostic is not None:
            diagnostics.append(diagnostic)
        if len(diagnostics) == MOST_REPORTED:
            break
    program = tree.Program(tuple(requirements), tuple(comments), Span(0, len(text)))
    spans = [comment.span for comment in comments]
    sound = [with_sound_fixes(diagnostic, text, spans) for diagnostic in diagnostics]
    return program, _in_order(sound, [*without_reason(comments), *foreign_comments(comments, text)])


def _in_order(diagnostics: list[Diagnostic], about_comments: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """All diagnostics in the order of the text."""
    if not about_comments:
        return tuple(diagnostics)
    return tuple(sorted([*diagnostics, *about_comments], key=_place)[:MOST_REPORTED])


def _place(diagnostic: Diagnostic) -> int:
    return diagnostic.labels[0].span.start


def segments(tokens: Iterator[Token]) -> Iterator[list[Token]]:
    """The tokens of each requirement, ending with a semicolon, whose text is empty if the policy lacks it.

    A requirement without a semicolon ends where the next one clearly begins.
    """
    segment: list[Token] = []
    for token in tokens:
        if len(segment) > 1 and _begins_requirement(segment, token):
            yield _closed(segment[:-1])
            segment = segment[-1:]
        segment.append(token)
        if token.type == "SEMICOLON":
            yield segment
            segment = []
    if segment:
        yield _closed(segment)


_QUANTIFIERS = frozenset({"EACH", "SOME"})
_RESULTS = frozenset({"RESULT", "FILTER", "PROCESS"})
#: tokens that end a condition or an action, and that no name of the core follows
_ENDS = frozenset({"NUMBER", "STRING", "PARAMETER", "RPAR", "REJECT"})


def _begins_requirement(segment: list[Token], token: Token) -> bool:
    """Whether the last token of a segment and the next one are `EACH RESULT`, `ALWAYS :` and the like."""
    last = segment[-1]
    if token.type in _RESULTS:
        return last.type in _QUANTIFIERS
    if token.type != "COLON" or last.type != "WORD" or not _is_always(last):
        return False
    colons = sum(each.type == "COLON" for each in segment)
    in_action = colons >= (1 if _is_always(segment[0]) else 2)
    return in_action or (colons > 0 and segment[-2].type in _ENDS)


def _is_always(token: Token) -> bool:
    return token.type == "WORD" and token.text.upper() == "ALWAYS"


def _closed(segment: list[Token]) -> list[Token]:
    end = segment[-1].end
    return [*segment, Token("SEMICOLON", "", end, end)]


def _requirement(segment: list[Token]) -> tuple[tree.Requirement | None, Diagnostic | None]:
    deep = _beyond_depth(segment)
    if deep is not None:
        return None, too_deep(deep, MAXIMUM_DEPTH)
    requirement = _parsed(segment)
    if isinstance(requirement, Unexpected):
        return None, explain(requirement)
    mistake = not_a_requirement(requirement)
    if mistake is not None:
        return None, mistake
    return requirement, None if segment[-1].text else missing_semicolon(segment)


def _parsed(segment: list[Token]) -> tree.Requirement | Unexpected:
    """A requirement of the paper if the tokens are one, otherwise one with forms beyond the paper (X0)."""
    tokens = with_bounds(segment)
    found = _fed(tokens)
    if isinstance(found, int):
        beyond = reclassified(segment)
        if beyond != segment:
            tokens, found = beyond, _fed(beyond)
    if isinstance(found, int):
        return Unexpected(tokens, found, _accepted(tuple(before.type for before in tokens[:found])))
    return found


def as_read(segment: list[Token]) -> list[Token]:
    """The tokens of a requirement with the terminals as which they are read, whether it parses or not."""
    tokens = with_bounds(segment)
    return reclassified(segment) if isinstance(_fed(tokens), int) else tokens


def _fed(segment: list[Token]) -> tree.Requirement | int:
    """The requirement, or the index of the token at which the tokens are not one."""
    parser = _interactive()
    for index, token in enumerate(segment):
        try:
            parser.feed_token(cast(LarkToken, token))
        except UnexpectedInput:
            return index
    requirement: tree.Requirement = parser.feed_eof()  # type: ignore[no-untyped-call]
    return requirement


def _beyond_depth(segment: list[Token]) -> Token | None:
    """The token at which a condition is nested too deeply."""
    if len(segment) <= MAXIMUM_DEPTH:
        return None
    open_at: list[int] = []
    depth = 0
    for token in segment:
        match token.type:
            case "NOT":
                depth += 1
            case "LPAR":
                open_at.append(depth)
                depth += 1
            case "RPAR":
                depth = open_at.pop() if open_at else 0
            case "AND" | "OR" | "COLON":
                depth = open_at[-1] + 1 if open_at else 0
        if depth > MAXIMUM_DEPTH:
            return token
    return None


def with_bounds(segment: list[Token]) -> list[Token]:
    """The last two tokens of a RANDOM are its bounds: a word there is a parameter, not part of the name."""
    action = takewhile(lambda token: token.type != "COLON", reversed(segment[:-4]))
    if not any(token.type == "RANDOM" for token in action):
        return segment
    lower, upper = (
        token._replace(type="PARAMETER") if token.type == "WORD" else token for token in segment[-3:-1]
    )
    return [*segment[:-3], lower, upper, segment[-1]]


@lru_cache(maxsize=4096)
def _accepted(before: tuple[str, ...]) -> frozenset[str]:
    """The terminals that may follow the given ones."""
    parser = _grammar(None).parse_interactive()
    for kind in before:
        parser.feed_token(LarkToken(kind, ""))
    return frozenset(parser.accepts())  # type: ignore[no-untyped-call]


#: terminals that say where in a requirement they stand, and what someone may have left out before one
_LANDMARKS = frozenset({"AND", "OR", "COLON", "COMMA", "WHERE", "GROUP_BY", "AS", "WITH", "TO", "THEN"})
_LEFT_OUT = (
    *(("NUMBER",), ("WORD",), ("RPAR",), ("OPERATOR", "NUMBER"), ("WORD", "OPERATOR", "NUMBER")),
    *(("LPAR", "STAR", "RPAR"), ("AS", "WORD"), ("RESULT",)),
)


def fitting(tokens: list[Token]) -> tuple[list[Token], frozenset[str]]:
    """The tokens that fit where they stand, and the terminals that may follow.

    Before a landmark, something may have been left out or be wrong; other tokens that do not fit are skipped.
    """
    parser = _grammar(None).parse_interactive()
    kept = []
    for token in tokens:
        found = parser if _feeds(parser, token.type) else _after_landmark(parser, token.type)
        if found is not None:
            parser = found
            kept.append(token)
    return kept, frozenset(parser.accepts())  # type: ignore[no-untyped-call]


def _feeds(parser: InteractiveParser, *kinds: str) -> bool:
    """Whether the terminals fit. The parser has read those that do."""
    try:
        for kind in kinds:
            parser.feed_token(LarkToken(kind, ""))
    except UnexpectedInput:
        return False
    return True


def _after_landmark(parser: InteractiveParser, kind: str) -> InteractiveParser | None:
    for left_out in _LEFT_OUT if kind in _LANDMARKS else ():
        following: InteractiveParser = parser.copy()  # type: ignore[no-untyped-call]
        if _feeds(following, *left_out, kind):
            return following
    return None


def _interactive() -> InteractiveParser:
    return _grammar(_BUILDER).parse_interactive()


_BUILDER = TreeBuilder()


class _NoLexer(Lexer):
    """The tokens are fed one by one, so there is nothing to lex."""

    def __init__(self, _: Any):
        pass

    def lex(self, *_: Any) -> Iterator[LarkToken]:
        return iter(())


@cache
def _grammar(builder: TreeBuilder | None) -> Lark:
    return Lark(
        files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8"),
        start="requirement",
        parser="lalr",
        lexer=_NoLexer,
        transformer=builder,
        keep_all_tokens=True,
        maybe_placeholders=False,
    )
