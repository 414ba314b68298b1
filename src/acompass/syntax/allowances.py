"""`-- allow AC506: why` silences a finding for one requirement (X9)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from acompass.diagnostics import Diagnostic, Label, Span
from acompass.syntax import tree, walk

_ALLOW = re.compile(
    r"--\s*+allow\s++(?P<codes>AC\d{3}(?:\s*+,\s*+AC\d{3})*+)(?!\w)\s*+(?::\s*+(?P<reason>.*+))?+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Allowance:
    """`steps` are the indices in `walk.steps` that the comment belongs to; none if nothing follows it."""

    code: str
    steps: tuple[int, ...]
    span: Span

    @property
    def at(self) -> int | None:
        return self.steps[0] if self.steps else None


def allowed(program: tree.Program) -> dict[int, dict[str, Span]]:
    """For the index of a step, the codes that it allows, each with the place of the comment."""
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
        if match is not None and match["reason"]:
            at = _step_of(comment, starts, ends)
            for code in _codes(match):
                yield Allowance(code, () if at is None else _together(at, steps[at], comment), comment.span)


class _Step(NamedTuple):
    """A step's place. The first one of a requirement: `shared` steps have the assertion before `asserted`."""

    start: int
    end: int
    shared: int
    asserted: int


def _steps(requirement: tree.Requirement) -> Iterator[_Step]:
    steps = list(walk.steps_of(requirement))
    for index, step in enumerate(steps):
        action = walk.step_of(step)
        last = step.assertion if action is None else action
        asserted = step.span.end if action is None else action.span.start
        yield _Step(step.span.start, last.span.end, 1 if index else len(steps), asserted)


def _step_of(comment: tree.Comment, starts: list[int], ends: list[int]) -> int | None:
    """The step on the comment's line or, if the comment is alone on its line, the one below."""
    if comment.follows_code:
        at = bisect_right(starts, comment.span.start) - 1
    else:
        at = bisect_left(ends, comment.span.end)
    return at if 0 <= at < len(starts) else None


def _together(at: int, step: _Step, comment: tree.Comment) -> tuple[int, ...]:
    """Before the first step of a requirement, a comment belongs to all its steps."""
    shared = step.shared if comment.span.start < step.asserted else 1
    return tuple(range(at, at + shared))


def _codes(match: re.Match[str]) -> list[str]:
    return [code.strip().upper() for code in match["codes"].split(",")]


def without_reason(comments: Sequence[tree.Comment]) -> Iterator[Diagnostic]:
    for comment in comments:
        match = _ALLOW.match(comment.text)
        if match is not None and not match["reason"]:
            codes = ", ".join(_codes(match))
            help_ = f"write `-- allow {codes}: the curator decided so on 1 May`, with the actual reason"
            yield Diagnostic("AC008", f"missing reason of `allow {codes}`", (Label(comment.span),), help_)
