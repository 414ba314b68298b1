"""An explanation as text.

Each requirement that affected the record, or grouped it into a class, has a paragraph; the others share one
line.
"""

from collections.abc import Iterator

from acompass.explanation import Explanation, Life, Step
from acompass.report.rows.explanation import end, its_class, outcome, record_words
from acompass.report.words import policy_line


def explanation_text(explanation: Explanation) -> str:
    if not explanation.lives:
        return "no record satisfies the condition\n"
    return "\n".join("".join(f"{line}\n" for line in _life(life)) for life in explanation.lives)


def _life(life: Life) -> Iterator[str]:
    if life.given is None:
        yield f"record {life.record:,} is incomplete and was dropped before the first requirement"
        return
    yield f"record {life.record:,}: {record_words(life.given)}"
    for step in life.steps:
        if step.affected or step.seen is not None:
            yield ""
            yield from _step(step)
    others = [str(step.line) for step in life.steps if not step.affected and step.seen is None]
    yield ""
    if others:
        yield f"not affected by {'line' if len(others) == 1 else 'lines'} {', '.join(others)}"
    yield end(life)


def _step(step: Step) -> Iterator[str]:
    yield f"line {step.line}: {policy_line(step.text)}"
    if step.seen is not None:
        yield f"  {its_class(step.seen)}"
    if not step.affected:
        yield "  not affected"
        return
    yield f"  affected: {outcome(step)}"
    if step.nearest:
        yield f"  not affected with {', or '.join(step.nearest)}"
