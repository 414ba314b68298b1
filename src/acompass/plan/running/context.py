"""The state of one execution of a plan."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from acompass.checked.verdict import Verdict
from acompass.plan.lowering.state import State
from acompass.plan.running.session import Session
from acompass.plan.running.trace import Trace
from acompass.plan.stages import Stage
from acompass.result import Sample

#: called with the number of requirements done and their total
Progress: TypeAlias = Callable[[int, int], None]
#: called after each stage, with the states before and after it
Observer: TypeAlias = Callable[["Context", Stage, State, State], None]


@dataclass
class Context:
    """`integers` are the text columns that canonical order compares as integers: columns of integers that
    the policy never names (D10). `show` is the number of violating classes or records to fetch for each
    requirement. `missed` has the affected records that WITH PROBABILITY did not draw, by requirement. With
    `verdicts_only`, nobody reads the table that is left, only its number of records."""

    session: Session
    trace: Trace
    integers: frozenset[int] = frozenset()
    show: int = 0
    trace_used: int = 0
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    samples: dict[int, Sample] = field(default_factory=dict)
    missed: dict[int, State] = field(default_factory=dict)
    observe: Observer | None = None
    verdicts_only: bool = False
