"""The text of a policy in the core, with the comments of the original."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from acompass.core.conditions import orders_digits
from acompass.syntax import tree, walk
from acompass.syntax.allowances import allowances
from acompass.syntax.format import format_requirement

#: D24, which does not speak of LIKE
_ORDERED_AS_TEXT = "AC231"


def core_text(program: tree.Program, steps: Sequence[list[tree.Requirement]]) -> str:
    """Each step's requirements. An `allow` is repeated before every requirement of its steps."""
    comments, allowed = _comments(program), _allowed(program)
    blocks, above = [], []
    for at, (step, requirements) in enumerate(zip(walk.steps(program), steps, strict=True)):
        above += comments.get(at, [])
        for requirement in requirements:
            lines = [*above, *allowed.get(at, []), *_allowed_like(step), format_requirement(requirement)]
            blocks.append("\n".join(lines))
            above = []
    above += comments.get(len(steps), [])
    return "\n\n".join([*blocks, *(["\n".join(above)] if above else [])]) + "\n"


def _allowed_like(step: tree.Requirement) -> Iterator[str]:
    if orders_digits(step):
        yield f"-- allow {_ORDERED_AS_TEXT}: written for LIKE"


def _comments(program: tree.Program) -> dict[int, list[str]]:
    """The comments by the index of the step they stand before or behind, those that allow something aside."""
    steps = walk.steps(program)
    starts, ends = [step.span.start for step in steps], [step.span.end for step in steps]
    allowing = {each.span for each in allowances(program)}
    found: dict[int, list[str]] = {}
    for comment in program.comments:
        if comment.span in allowing:
            continue
        behind = bisect_right(starts, comment.span.start) - 1
        at = behind if comment.follows_code and behind >= 0 else bisect_right(ends, comment.span.start)
        found.setdefault(at, []).append(comment.text)
    return found


def _allowed(program: tree.Program) -> dict[int, list[str]]:
    """The comments that allow something, by the index of each step that they belong to."""
    texts = {comment.span: comment.text for comment in program.comments}
    found: dict[int, dict[str, None]] = {}
    for each in allowances(program):
        for step in each.steps:
            found.setdefault(step, {})[texts[each.span]] = None
    return {step: list(lines) for step, lines in found.items()}
