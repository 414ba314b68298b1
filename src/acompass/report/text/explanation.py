"""An explanation as text.

Each requirement that affected the record, or grouped it into a class, has a paragraph; the others share one
line.
"""

from collections.abc import Iterator
from typing import Any

from acompass.explanation import ClassSeen, Explanation, Life, Step
from acompass.report.words import counted, on_one_line, policy_line, shown


def explanation_text(explanation: Explanation) -> str:
    if not explanation.lives:
        return "no record satisfies the condition\n"
    return "\n".join("".join(f"{line}\n" for line in _life(life)) for life in explanation.lives)


def _life(life: Life) -> Iterator[str]:
    if life.given is None:
        yield f"record {life.record:,} is incomplete and was dropped before the first requirement"
        return
    yield f"record {life.record:,}: {_record(life.given)}"
    for step in life.steps:
        if step.affected or step.seen is not None:
            yield ""
            yield from _step(step)
    others = [str(step.line) for step in life.steps if not step.affected and step.seen is None]
    yield ""
    if others:
        yield f"not affected by {'line' if len(others) == 1 else 'lines'} {', '.join(others)}"
    yield _end(life)


def _end(life: Life) -> str:
    dropped_by = life.dropped_by
    if dropped_by is not None:
        return f"dropped by line {dropped_by.line}"
    assert life.left is not None
    return "left as it was" if life.left == life.given else f"left as: {_record(life.left)}"


def _step(step: Step) -> Iterator[str]:
    yield f"line {step.line}: {policy_line(step.text)}"
    if step.seen is not None:
        yield f"  {_class(step.seen)}"
    if not step.affected:
        yield "  not affected"
        return
    yield f"  affected: {_outcome(step)}"
    if step.nearest:
        yield f"  not affected with {', or '.join(step.nearest)}"


def _class(seen: ClassSeen) -> str:
    of = f"its class ({_record(seen.key)})" if seen.key else "the table"
    values = ", ".join(f"{name} is {shown(value)}" for name, value in seen.values.items())
    return f"{of} has {counted(seen.records, 'record')}, {values}"


def _outcome(step: Step) -> str:
    if step.dropped:
        return "dropped"
    if step.action == "DROP":
        return "columns dropped"
    if step.change is None:
        return "only checked, so left as it was"
    change = step.change
    return f"{change.column} was {shown(change.before)} and became {shown(change.after)}"


def _record(record: dict[str, Any]) -> str:
    return ", ".join(f"{on_one_line(name)} {shown(value)}" for name, value in record.items())
