"""Parse the text of a policy into a tree.

A requirement with a syntax error is reported and left out (D8). Comments of the form `-- allow AC506: why` silence a
finding for one requirement (X9). For editors, `find_continuation` says what may follow an unfinished text."""

import gc
import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import MOST_REPORTED, Diagnostic, Label, Span, keep_sound_fixes
from acompass.language.text import tree, walk
from acompass.language.text.grammar import ALL_ACTIONS, FIRST_ACTIONS, Rule, build, reclassify, to_bound
from acompass.language.text.tokens import FOREIGN_COMMENTS, Token, scan


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Disable the garbage collector for work that keeps nearly all objects it creates and creates no cycles.

    Every full collection walks all nodes so far: parsing 10,000 requirements would take 14 times as long as 1,000, not
    10.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


#: the deepest nesting of parentheses and NOT, because every later stage walks conditions recursively
MAXIMUM_DEPTH = 64


class _Automaton(NamedTuple):
    rules: tuple[Rule, ...]
    #: for each state and symbol, the next state, or -1 - i to apply rule i; the state without symbols is the end
    states: tuple[dict[str, int], ...]


@cache
def _automaton() -> _Automaton:
    lines = Path(__file__).with_name("grammar.table").read_text(encoding="utf-8").splitlines()
    rules, states = [], []
    for line in lines[1:]:
        kind, *words = line.split(" ")
        if kind == "rule":
            rules.append(Rule(words[0], int(words[1]), words[2], int(words[3])))
        else:
            states.append(dict(zip(words[::2], map(int, words[1::2]), strict=True)))
    return _Automaton(tuple(rules), tuple(states))


END = "$END"


class Parser:
    """The LALR automaton of the grammar after some terminals of a requirement."""

    def __init__(self, states: tuple[int, ...] = (0,)):
        self._rules, self._table = _automaton()
        self._states = list(states)

    def copy(self) -> "Parser":
        return Parser(tuple(self._states))

    def feed(self, kind: str) -> bool:
        """Whether a terminal may follow; if not, the parser is of no further use."""
        return self._advance(kind, None, None)

    def accepted(self) -> frozenset[str]:
        """The terminals that may follow."""
        row = self._table[self._states[-1]]
        return frozenset(kind for kind in row if kind.isupper() and self.copy().feed(kind))

    def read(self, tokens: list[Token]) -> tree.Requirement | int:
        """The requirement, or the index of the first token that the grammar does not accept."""
        values: list[Any] = []
        for index, token in enumerate(tokens):
            if not self._advance(token.type, token, values):
                return index
        ended = self._advance(END, None, values)
        assert ended, "a requirement ends with its semicolon"
        requirement: tree.Requirement = values[-1]
        return requirement

    def _advance(self, kind: str, token: Token | None, values: list[Any] | None) -> bool:
        """Apply the rules that the terminal completes, then move past it. Nodes are built if there are `values`."""
        states, table = self._states, self._table
        while row := table[states[-1]]:
            step = row.get(kind)
            if step is None:
                return False
            if step >= 0:
                states.append(step)
                if values is not None:
                    values.append(token)
                return True
            rule = self._rules[-1 - step]
            del states[-rule.size :]
            states.append(table[states[-1]][rule.symbol])
            if values is not None and rule.method != "-":
                children = values[-rule.size :]
                values[-rule.size :] = [build(rule, children)]
        return kind == END


@pause_garbage_collection()
def parse_text(text: str) -> tuple[tree.Program, tuple[Diagnostic, ...]]:
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
    sound = [keep_sound_fixes(diagnostic, text, spans) for diagnostic in diagnostics]
    about_comments = [*missing_reasons(comments), *_foreign_comments(comments, text)]
    if about_comments:
        sound = sorted([*sound, *about_comments], key=lambda each: each.labels[0].span.start)[:MOST_REPORTED]
    return program, tuple(sound)


def _foreign_comments(comments: list[tree.Comment], text: str) -> list[Diagnostic]:
    if not any(comment.text.startswith(FOREIGN_COMMENTS) for comment in comments):
        return []
    from acompass.language.mistakes.habits import foreign_comments  # only a policy with a mistake needs these modules

    return foreign_comments(comments, text)


def segments(tokens: Iterator[Token]) -> Iterator[list[Token]]:
    """The tokens of each requirement, up to and including its semicolon.

    A requirement without a semicolon ends where the next one clearly begins; it gets a semicolon with an empty text.
    """
    segment: list[Token] = []
    for token in tokens:
        if len(segment) > 1 and _begins_requirement(segment, token):
            yield _close_segment(segment[:-1])
            segment = segment[-1:]
        segment.append(token)
        if token.type == "SEMICOLON":
            yield segment
            segment = []
    if segment:
        yield _close_segment(segment)


_QUANTIFIERS = frozenset({"EACH", "SOME"})
_RESULTS = frozenset({"RESULT", "FILTER", "PROCESS"})
#: tokens that can end a condition or an action, and that no name of the core follows
_ENDS = frozenset({"NUMBER", "STRING", "PARAMETER", "RPAR", "REJECT"})


def _begins_requirement(segment: list[Token], token: Token) -> bool:
    """Whether a requirement begins with the last token of a segment and this one: `EACH RESULT`, `ALWAYS :`."""
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


def _close_segment(segment: list[Token]) -> list[Token]:
    end = segment[-1].end
    return [*segment, Token("SEMICOLON", "", end, end)]


def _requirement(segment: list[Token]) -> tuple[tree.Requirement | None, Diagnostic | None]:
    deep = _beyond_depth(segment)
    tokens, found = (segment, 0) if deep is not None else _parse_requirement(segment)
    if isinstance(found, tree.Requirement) and segment[-1].text and _is_plainly_correct(found, segment):
        return found, None
    from acompass.language.mistakes import rules, syntax_error  # only here: most requirements are correct

    if deep is not None:
        return None, rules.too_deep(deep, MAXIMUM_DEPTH)
    if isinstance(found, int):
        accepted = _accepted_terminals(tuple(before.type for before in tokens[:found]))
        return None, rules.explain(syntax_error.Unexpected(tokens, found, accepted))
    mistake = rules.requirement_mistake(found)
    if mistake is not None:
        return None, mistake
    return found, None if segment[-1].text else rules.missing_semicolon(segment)


def _is_plainly_correct(requirement: tree.Requirement, segment: list[Token]) -> bool:
    """Of the paper's forms, the grammar accepts mistakes only in the last two numbers, the bounds of RANDOM."""
    return walk.is_core(requirement) and "." not in segment[-3].text + segment[-2].text


def _parse_requirement(segment: list[Token]) -> tuple[list[Token], tree.Requirement | int]:
    """Parse the tokens as a requirement of the paper; if that fails, with the actions of X2 and X3; then with all (X0).

    Returns the tokens as they were read, and the requirement or the index of the first unexpected token.
    """
    tokens = mark_bounds(segment)
    found = Parser().read(tokens)
    for actions in (FIRST_ACTIONS, ALL_ACTIONS):
        if isinstance(found, int):
            beyond = reclassify(segment, actions)
            if beyond != segment:
                tokens, found = beyond, Parser().read(beyond)
    return tokens, found


def classify_tokens(segment: list[Token]) -> list[Token]:
    """The tokens of a requirement with the types that the parser gives them, whether it parses or not."""
    return _parse_requirement(segment)[0]


def _beyond_depth(segment: list[Token]) -> Token | None:
    """The first token that is nested too deeply."""
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


def mark_bounds(segment: list[Token]) -> list[Token]:
    """Make the bounds of a RANDOM, its last two tokens, parameters if they are words, not parts of the name."""
    action = takewhile(lambda token: token.type != "COLON", reversed(segment[:-4]))
    if not any(token.type == "RANDOM" for token in action):
        return segment
    return [*segment[:-3], *map(to_bound, segment[-3:-1]), segment[-1]]


@lru_cache(maxsize=4096)
def _accepted_terminals(before: tuple[str, ...]) -> frozenset[str]:
    parser = Parser()
    fits = _feeds(parser, *before)
    assert fits, "the grammar accepted these terminals"
    return parser.accepted()


#: terminals that show which part of a requirement they belong to
_LANDMARKS = frozenset({"AND", "OR", "COLON", "COMMA", "WHERE", "GROUP_BY", "AS", "WITH", "TO", "THEN"})
#: parts that may be missing before a landmark
_LEFT_OUT = (
    *(("NUMBER",), ("WORD",), ("RPAR",), ("OPERATOR", "NUMBER"), ("WORD", "OPERATOR", "NUMBER")),
    *(("LPAR", "STAR", "RPAR"), ("AS", "WORD"), ("RESULT",)),
)


def fitting_tokens(tokens: list[Token]) -> tuple[list[Token], frozenset[str]]:
    """The tokens that the grammar accepts, and the terminals that may follow them.

    Before a landmark, a missing part is assumed where that helps; other tokens that do not fit are skipped.
    """
    parser = Parser()
    kept = []
    for token in tokens:
        found = _parser_after(parser, token.type) or _after_landmark(parser, token.type)
        if found is not None:
            parser = found
            kept.append(token)
    return kept, parser.accepted()


def _parser_after(parser: Parser, *kinds: str) -> Parser | None:
    following = parser.copy()
    return following if _feeds(following, *kinds) else None


def _feeds(parser: Parser, *kinds: str) -> bool:
    """Feed the terminals to the parser up to the first that does not fit; return whether all do."""
    return all(parser.feed(kind) for kind in kinds)


def _after_landmark(parser: Parser, kind: str) -> Parser | None:
    parts = _LEFT_OUT if kind in _LANDMARKS else ()
    return next((found for part in parts if (found := _parser_after(parser, *part, kind))), None)


_ALLOW = re.compile(
    r"--\s*+allow\s++(?P<codes>AC\d{3}(?:\s*+,\s*+AC\d{3})*+)(?!\w)\s*+(?::\s*+(?P<reason>.*+))?+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Allowance:
    """A code that a comment allows."""

    code: str
    steps: tuple[int, ...]  # indices in `walk.steps`; empty if no requirement follows the comment
    span: Span

    @property
    def at(self) -> int | None:
        return self.steps[0] if self.steps else None


def allowed_codes(program: tree.Program) -> dict[int, dict[str, Span]]:
    """For each step, by index, the codes that it allows, with the span of the comment."""
    found: dict[int, dict[str, Span]] = {}
    for allowance in allowances(program):
        for step in allowance.steps:
            found.setdefault(step, {}).setdefault(allowance.code, allowance.span)
    return found


def allowances(program: tree.Program) -> Iterator[Allowance]:
    """Every code that a comment allows, in the order of the text."""
    steps = [step for requirement in program.requirements for step in _steps(requirement)]
    starts, ends = [step.start for step in steps], [step.end for step in steps]
    for comment in program.comments:
        match = _ALLOW.match(comment.text)
        if match is None or not match["reason"]:
            continue
        at, own = _find_step(comment, starts, ends), range(0)
        if at is not None:
            own = range(at, at + (steps[at].shared if comment.span.start < steps[at].asserted else 1))
        for code in _codes(match):
            yield Allowance(code, tuple(own), comment.span)


class _Step(NamedTuple):
    start: int
    end: int
    #: a comment before `asserted`, where the assertion ends, belongs to this many steps: for the first step, to all
    #: steps of the requirement, for any other step, to that step only
    shared: int
    asserted: int


def _steps(requirement: tree.Requirement) -> Iterator[_Step]:
    steps = list(walk.steps_of(requirement))
    for index, step in enumerate(steps):
        action = walk.step_of(step)
        last = step.assertion if action is None else action
        asserted = step.span.end if action is None else action.span.start
        yield _Step(step.span.start, last.span.end, 1 if index else len(steps), asserted)


def _find_step(comment: tree.Comment, starts: list[int], ends: list[int]) -> int | None:
    """The step on the comment's line or, if the comment is alone on its line, the one below."""
    at = bisect_right(starts, comment.span.start) - 1 if comment.follows_code else bisect_left(ends, comment.span.end)
    return at if 0 <= at < len(starts) else None


def _codes(match: re.Match[str]) -> list[str]:
    return [code.strip().upper() for code in match["codes"].split(",")]


def missing_reasons(comments: Sequence[tree.Comment]) -> Iterator[Diagnostic]:
    for comment in comments:
        match = _ALLOW.match(comment.text)
        if match is not None and not match["reason"]:
            codes = ", ".join(_codes(match))
            help_ = f"write `-- allow {codes}: the curator decided so on 1 May`, with the actual reason"
            yield Diagnostic("AC008", f"missing reason for `allow {codes}`", (Label(comment.span),), help_)


#: for each first word of a two-word terminal: the terminal, and the second words
_HALVES = {"GROUP": ("GROUP_BY", frozenset({"BY"})), "NOT": ("NEGATING", frozenset({"IN", "BETWEEN", "LIKE"}))}


@dataclass(frozen=True, slots=True)
class Continuation:
    """What may follow an unfinished requirement."""

    tokens: tuple[Token, ...]  # of the requirement so far, as the grammar reads them
    accepted: frozenset[str]  # terminals, one of which may follow

    @property
    def words_before(self) -> tuple[Token, ...]:
        """The words of a name that may continue."""
        if "WORD" not in self.accepted:
            return ()
        return tuple(takewhile(lambda token: token.type == "WORD", reversed(self.tokens)))[::-1]


def find_continuation(text: str) -> Continuation:
    """What may follow a text that does not end in the middle of a word.

    Tokens that do not fit are skipped, so that completion works after an earlier mistake in the requirement.
    """
    tokens = _unfinished_requirement(text)
    found = _best_reading(tokens)
    half = _HALVES.get(tokens[-1].type) if tokens else None
    if half is None or tokens[-1].start in {token.start for token in found.tokens}:
        return found
    whole, rest = half
    return Continuation((*found.tokens, tokens[-1]), rest if whole in found.accepted else frozenset())


def _best_reading(tokens: list[Token]) -> Continuation:
    """The readings that accept the most tokens, combined into one."""
    readings = list(_readings(tokens))
    most = max(len(reading.tokens) for reading in readings)
    best = [reading for reading in readings if len(reading.tokens) == most]
    follow = frozenset[str]().union(*(reading.accepted for reading in best))
    is_count = any(token.type == "COUNT" for reading in best for token in reading.tokens[-1:])
    return Continuation(best[-1].tokens, follow | (frozenset({"DISTINCT"}) if is_count else frozenset()))


def _unfinished_requirement(text: str) -> list[Token]:
    """The tokens of the last requirement; none if it ends with a semicolon."""
    segment = deque(segments(scan(text, [])), maxlen=1)
    last = segment[0] if segment else []
    return [] if not last or last[-1].text else last[:-1]


def _readings(tokens: list[Token]) -> Iterator[Continuation]:
    """The tokens as a requirement of the paper, and as one with forms beyond it."""
    end = tokens[-1].end if tokens else 0
    closed = [*tokens, Token("SEMICOLON", "", end, end)]
    for reading in (tokens, mark_bounds(closed)[:-1], reclassify(closed)[:-1]):
        kept, follow = fitting_tokens(reading)
        yield Continuation(tuple(kept), follow - _excluded_terminals(kept, follow))


def _excluded_terminals(kept: list[Token], follow: frozenset[str]) -> frozenset[str]:
    """DROP is accepted after an assertion or a probability only so that the error can say what is wrong."""
    may_drop = bool(kept) and kept[0].type == "ALWAYS" and "WITH" in follow
    return frozenset({END} if may_drop else {END, "DROP"})
