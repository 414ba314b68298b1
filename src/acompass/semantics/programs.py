"""Programs: one requirement after the other (Theorem 2), or every assertion on the table as given (D22)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from acompass.checked.program import Program
from acompass.checked.verdict import Verdict
from acompass.semantics.bags import Bag, Record
from acompass.semantics.requirements import convert_types, judge, perform_requirement
from acompass.semantics.trace import Trace


@dataclass(frozen=True, slots=True)
class Outcome:
    """The table that comes out, in the order it came in, with what each requirement found."""

    records: Bag
    requirements: tuple[Verdict, ...]
    trace_used: int


def run_program(program: Program, records: Iterable[Record], trace: Iterator[Fraction]) -> Outcome:
    """⟦r₁; …; rₙ⟧(R, ρ). Raises TraceExhausted where ρ is too short."""
    bag = list(records)
    rho = Trace(trace)
    verdicts = []
    for requirement in program.requirements:
        bag, verdict = perform_requirement(requirement, bag, rho)
        verdicts.append(verdict)
    return Outcome(bag, tuple(verdicts), rho.used)


def check_program(program: Program, records: Iterable[Record]) -> tuple[Verdict, ...]:
    """No action is performed; a column still changes its type where the program says so (D12)."""
    bag = list(records)
    verdicts = []
    for requirement in program.requirements:
        verdicts.append(judge(bag, requirement.assertion))
        bag = convert_types(bag, requirement.before, requirement.after)
    return tuple(verdicts)
