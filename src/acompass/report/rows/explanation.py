"""What happened to a record, in words."""

from typing import Any

from acompass.explanation import ClassSeen, Life, Step
from acompass.report.words import counted, on_one_line, shown


def end(life: Life) -> str:
    dropped_by = life.dropped_by
    if dropped_by is not None:
        return f"dropped by line {dropped_by.line}"
    assert life.left is not None
    return "left as it was" if life.left == life.given else f"left as: {record_words(life.left)}"


def its_class(seen: ClassSeen) -> str:
    of = f"its class ({record_words(seen.key)})" if seen.key else "the table"
    values = ", ".join(f"{name} is {shown(value)}" for name, value in seen.values.items())
    return f"{of} has {counted(seen.records, 'record')}, {values}"


def outcome(step: Step) -> str:
    if step.drawn is False:
        return "not drawn, so left as it was"
    if step.dropped:
        return "dropped"
    if step.action == "DROP":
        return "columns dropped"
    if step.change is None:
        return "only checked, so left as it was"
    change = step.change
    return f"{change.column} was {shown(change.before)} and became {shown(change.after)}"


def record_words(record: dict[str, Any]) -> str:
    return ", ".join(f"{on_one_line(name)} {shown(value)}" for name, value in record.items())
