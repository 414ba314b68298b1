"""The executable definition of the language: one function for each equation of the paper, with its number.

Read it with the paper at hand: `model`, `results`, `assertions`, `requirements`. Docstrings point at items
in docs/paper.md where the paper has a misprint or leaves something open. Only `checked` is imported, so that
a mistake in a plan or an engine cannot reach this definition.
"""

from acompass.checked.verdict import Verdict
from acompass.semantics.assertions import affected_bag, holds, judge
from acompass.semantics.model import (
    Bag,
    Record,
    SubBag,
    Trace,
    TraceExhausted,
    canonical_key,
    canonical_order,
    pref,
    random,
    result_schema,
    tail,
    trace_of_seed,
    trace_of_values,
    update,
)
from acompass.semantics.requirements import (
    Outcome,
    check_program,
    convert_types,
    perform,
    perform_requirement,
    run_program,
)
from acompass.semantics.results import compare, result_of, satisfies, total

__all__ = [
    "Bag",
    "Outcome",
    "Record",
    "SubBag",
    "Trace",
    "TraceExhausted",
    "Verdict",
    "affected_bag",
    "canonical_key",
    "canonical_order",
    "check_program",
    "compare",
    "convert_types",
    "holds",
    "judge",
    "perform",
    "perform_requirement",
    "pref",
    "random",
    "result_of",
    "result_schema",
    "run_program",
    "satisfies",
    "tail",
    "total",
    "trace_of_seed",
    "trace_of_values",
    "update",
]
