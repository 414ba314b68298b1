"""Law: whatever a policy does, an estimate that is not refused is unbiased, and so is its variance."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from acompass.checked.program import Program
from acompass.checked.types import INTEGER, Column
from acompass.diagnostics import CallError
from acompass.estimate.domain import transitions
from acompass.estimate.kernel import Stopped
from acompass.estimate.lines import Lines, lines_of
from acompass.estimate.solve import solve
from acompass.estimates import Estimate, Quantity
from acompass.plan.running.value_counts import ValueCount
from acompass.pram.read import CountedColumn
from acompass.semantics import holds
from tests.generators.programs import program_of
from tests.laws.pushforward import Law, law

CONDITIONS = ["d < 3", "d != 2", "d IN (1, 2, 3)", "d >= 2", "e > 0", "NOT (d = 2 OR e = 0)"]
ACTIONS = ["REJECT", "REPLACE d WITH 2", "REPLACE e WITH 0", "RANDOM d 1 2", "RANDOM d FROM (1, 2 OF 4)"]
COINS = ["", "WITH PROBABILITY 0.25 ", "WITH PROBABILITY 0.5 "]
VALUES = (0, 1, 2, 3, 4, 7)


@st.composite
def lines(draw: st.DrawFn) -> str:
    condition = draw(st.sampled_from(CONDITIONS))
    action = f"{draw(st.sampled_from(COINS))}{draw(st.sampled_from(ACTIONS))}"
    form = draw(st.sampled_from(["always", "always", "each", "each", "filter", "check", "class"]))
    match form:
        case "always":
            return f"ALWAYS : {action};"
        case "each":
            return f"EACH RESULT : {condition} : {action};"
        case "filter":
            return f"EACH FILTER e >= 0 : {condition} : {action};"
        case "class":
            return f"EACH PROCESS COUNT(*) AS n GROUP BY d : n >= 2 : {action};"
        case _:
            return f"EACH RESULT : {condition};"


def _estimate(program: Program, counts: Counter[int]) -> Estimate | None:
    """None where it is refused."""
    found = lines_of(program, 0)
    if not isinstance(found, Lines):
        return None
    column = CountedColumn("d", INTEGER, {str(v): ValueCount(v, n) for v, n in sorted(counts.items())})
    try:
        return solve(column, transitions(program, found, 0, {str(value): value for value in counts}), None)
    except (CallError, Stopped):
        return None


def _law_before(program: Program, records: list[tuple[int, int]]) -> Law | None:
    """The law of the table before the first draw; None if a check stops the run."""
    found = lines_of(program, 0)
    assert isinstance(found, Lines)
    return _checked_law(Program(program.schema, found.before, program.named), records)


def _checked_law(program: Program, records: list[tuple[int, int]]) -> Law | None:
    """None if a check can stop the run."""
    for at, line in enumerate(program.requirements):
        if line.action is None:
            before = law(Program(program.schema, program.requirements[:at], program.named), records)
            after = Program(program.schema, (line,), program.named)
            if any(_stops(after, list(table)) for table in before):
                return None
    return law(program, records)


def _stops(check: Program, records: list[tuple[int, ...]]) -> bool:
    return not holds(records, check.requirements[0].assertion)


@settings(max_examples=400)
@given(
    st.lists(lines(), min_size=1, max_size=4),
    st.lists(st.tuples(st.sampled_from(VALUES), st.integers(0, 1)), min_size=1, max_size=2),
)
def test_an_estimate_that_is_given_is_unbiased_and_so_is_its_variance(
    policy: list[str], records: list[tuple[int, int]]
) -> None:
    program = program_of("\n".join(policy), (Column("d", INTEGER), Column("e", INTEGER)))
    released = _checked_law(program, records)
    assume(released is not None)
    found: defaultdict[int | None, list[tuple[Fraction, Quantity]]] = defaultdict(list)
    for table, probability in (released or {}).items():
        estimate = _estimate(program, Counter(record[0] for record in table))
        assume(estimate is not None)
        for each in estimate.values if estimate else ():
            assert each.value is None or isinstance(each.value, int)
            found[each.value].append((probability, each.count))
    means = {value: sum(p * count.estimate for p, count in cases) for value, cases in found.items()}
    before = _law_before(program, records) or {}
    truth: Counter[int | None] = Counter()
    for table, probability in before.items():
        truth.update({value: n * probability for value, n in Counter(r[0] for r in table).items()})
    assert {value: mean for value, mean in means.items() if mean} == _together(truth, means)
    if len(before) == 1:  # otherwise, lines above the first draw make the truth vary
        for value, cases in found.items():
            square = sum(p * count.estimate**2 for p, count in cases)
            assert sum(p * (count.variance or 0) for p, count in cases) == square - means[value] ** 2


def _together(truth: Mapping[int | None, Any], means: Mapping[int | None, Any]) -> dict[int | None, Any]:
    """Values that nobody names are counted together."""
    merged: Counter[int | None] = Counter()
    for value, count in truth.items():
        merged[value if value in means or None not in means else None] += count
    return {value: count for value, count in merged.items() if count}
