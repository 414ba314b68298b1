"""An explanation as tables: the record before and after, and what each requirement did to it.

It contains personal data, of the records that were asked for.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from acompass.explanation import Explanation, Life, Step
from acompass.report.html.elements import Html, tag
from acompass.report.notebook.elements import code, display, lines, table
from acompass.report.rows.explanation import end, its_class, outcome
from acompass.report.words import on_one_line, shown


def explanation_html(explanation: Explanation) -> str:
    if not explanation.lives:
        return display(tag("p", "no record satisfies the condition"))
    return display(*(part for life in explanation.lives for part in _life(life)))


def _life(life: Life) -> Iterator[Html]:
    record = f"Record {life.record:,}"
    if life.given is None:
        yield tag("p", f"{record} is incomplete and was dropped before the first requirement")
        return
    yield table(f"{record}: {_end(life)}", _values(life.given, life.left))
    yield table(f"What happened to record {life.record:,}", _steps(life))


def _end(life: Life) -> str:
    return "changed" if life.left is not None and life.left != life.given else end(life)


def _values(given: Mapping[str, Any], left: Mapping[str, Any] | None) -> Iterator[tuple[str, ...]]:
    yield "column", "before", "after"
    for name, value in given.items():
        after = shown(left[name]) if left is not None and name in left else "dropped"
        yield on_one_line(name), shown(value), after


def _steps(life: Life) -> Iterator[tuple[str, ...]]:
    yield "line", "requirement", "effect"
    for step in life.steps:
        yield str(step.line), code(step.text), lines(_effect(step))


def _effect(step: Step) -> Iterator[str]:
    if step.seen is not None:
        yield its_class(step.seen)
    yield f"affected: {outcome(step)}" if step.affected else "not affected"
    if step.nearest:
        yield f"not affected with {', or '.join(step.nearest)}"
