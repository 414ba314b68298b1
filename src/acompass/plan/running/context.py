"""What one execution of a plan carries along."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from acompass.checked.verdict import Verdict
from acompass.plan.lowering.state import State
from acompass.plan.running.session import Session
from acompass.plan.running.trace import Trace
from acompass.plan.stages import Stage
from acompass.result import Sample

#: of how many requirements how many are done
Progress: TypeAlias = Callable[[int, int], None]
#: told of a stage once it has run, with the states before and after it
Observer: TypeAlias = Callable[["Context", Stage, State, State], None]


@dataclass
class Context:
    """`integers` are the positions of text columns that canonical order reads as integers (D10: the policy
    never names them). `show` is how many violating classes or records to fetch a requirement."""

    session: Session
    trace: Trace
    integers: frozenset[int] = frozenset()
    show: int = 0
    trace_used: int = 0
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    samples: dict[int, Sample] = field(default_factory=dict)
    observe: Observer | None = None
