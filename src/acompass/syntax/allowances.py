"""`-- allow AC506: why` silences a finding for one requirement (X9)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acompass.diagnostics import Diagnostic, Label, Span
from acompass.syntax import tree

_ALLOW = re.compile(
    r"--\s*+allow\s++(?P<codes>AC\d{3}(?:\s*+,\s*+AC\d{3})*+)(?!\w)\s*+(?::\s*+(?P<reason>.*+))?+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Allowance:
    """`at` is the index of the requirement that the comment belongs to, None if there is none below it."""

    code: str
    at: int | None
    span: Span


def allowed(program: tree.Program) -> dict[int, dict[str, Span]]:
    """For the index of a requirement, the codes that it allows, each with the place of the comment."""
    found: dict[int, dict[str, Span]] = {}
    for allowance in allowances(program):
        if allowance.at is not None:
            found.setdefault(allowance.at, {}).setdefault(allowance.code, allowance.span)
    return found


def allowances(program: tree.Program) -> Iterator[Allowance]:
    """Every code that a comment allows, in the order of the text."""
    starts = [requirement.span.start for requirement in program.requirements]
    ends = [_last_part(requirement).span.end for requirement in program.requirements]
    for comment in program.comments:
        match = _ALLOW.match(comment.text)
        if match is not None and match["reason"]:
            at = _requirement_of(comment, starts, ends)
            for code in _codes(match):
                yield Allowance(code, at, comment.span)


def _last_part(requirement: tree.Requirement) -> tree.Action | tree.Assertion:
    return requirement.assertion if requirement.action is None else requirement.action


def _requirement_of(comment: tree.Comment, starts: list[int], ends: list[int]) -> int | None:
    """The requirement on the comment's line or, if the comment is alone on its line, the one below."""
    if comment.follows_code:
        at = bisect_right(starts, comment.span.start) - 1
    else:
        at = bisect_left(ends, comment.span.end)
    return at if 0 <= at < len(starts) else None


def _codes(match: re.Match[str]) -> list[str]:
    return [code.strip().upper() for code in match["codes"].split(",")]


def without_reason(comments: Sequence[tree.Comment]) -> Iterator[Diagnostic]:
    for comment in comments:
        match = _ALLOW.match(comment.text)
        if match is not None and not match["reason"]:
            codes = ", ".join(_codes(match))
            help_ = f"write `-- allow {codes}: the curator decided so on 1 May`, with the actual reason"
            yield Diagnostic("AC008", f"missing reason of `allow {codes}`", (Label(comment.span),), help_)
