"""RANDOM soundness (Theorem 6), and the laws of draws: probabilities, cuts and seeds (X5 to X7)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise, product
from math import ceil, prod

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acompass
from acompass.engines.duckdb.session import DuckDBSession
from acompass.language.program.kernels import Uniform, Weighted, WeightedValue
from acompass.language.program.program import Action, Program, Write
from acompass.language.program.types import INTEGER, TEXT, Column, Kind
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import State
from acompass.plan.run.context import SeededTrace
from acompass.plan.run.ranks import DecidedOutcomes
from acompass.semantics.core import (
    Record,
    TraceExhausted,
    perform,
    pick,
    pref,
    random,
    run_program,
    tail,
    trace_of_seed,
    trace_of_values,
)
from tests.generators.strategies import SmallCase, Violation, parse_and_check, small_cases, violations, with_action
from tests.laws.cases import LAW, LEVEL, p_value_bound
from tests.laws.pushforward import Law, as_table, cells, law

INTEGERS = st.one_of(st.integers(-3, 12), st.integers(-(2**63), 2**63 - 1))
RHO = st.one_of(st.fractions(0, Fraction(2**60 - 1, 2**60)), st.sampled_from((Fraction(0), Fraction(2**52 - 1, 2**52))))


@LAW
@given(INTEGERS, INTEGERS, RHO)
def test_random_stays_between_its_bounds(one: int, other: int, rho: Fraction) -> None:
    lower, upper = sorted((one, other))
    assert lower <= random(lower, upper, rho) <= upper


@LAW
@given(violations(kinds=(Kind.INTEGER,)), INTEGERS, INTEGERS, st.data())
@pytest.mark.slow
def test_an_outlier_never_keeps_its_value(violation: Violation, one: int, other: int, data: st.DataObject) -> None:
    """Theorem 6, RANDOM soundness: a value outside [l, u] never stays."""
    lower, upper = sorted((one, other))
    named = violation.requirement.before
    column = data.draw(st.sampled_from([c for c in range(len(named)) if violation.bag[0][c] is not None]))
    rhos = data.draw(st.lists(RHO, min_size=len(violation.affected), max_size=len(violation.affected)))
    requirement = with_action(violation.requirement, Action(Write((column,), Uniform(lower, upper))))
    after, rest = perform(requirement, violation.bag, trace_of_values(rhos))
    assert rest.used == len(violation.affected)
    drawn = sorted(random(lower, upper, rho) for rho in rhos)
    assert sorted(after[position][column] for position in violation.affected) == drawn
    for position, (old, new) in enumerate(zip(violation.bag, after, strict=True)):
        if position not in violation.affected:
            assert new is old
        elif old[column] is None or not lower <= old[column] <= upper:
            assert new[column] != old[column]


SCHEMA = (Column("A", INTEGER),)


@pytest.mark.parametrize(
    ("seed", "digits"),
    [
        # printf %s 'SEED:I' | sha256sum | head -c 13
        ("", ["882e0dabc11b4", "5212c5c4e126c"]),
        ("naïve 🔑", ["c93fb8690e647", "1bdab23eb8ccf"]),
    ],
)
def test_a_seed_gives_a_trace(seed: str, digits: list[str]) -> None:
    expected = [Fraction(int(text, 16), 2**52) for text in digits]
    assert list(pref(len(digits), trace_of_seed(seed))) == expected
    assert all(0 <= rho < 1 for rho in pref(100, trace_of_seed(seed)))


def test_a_trace_is_its_prefix_and_its_tail() -> None:
    rho = trace_of_seed("a secret")
    assert pref(5, rho) == pref(2, rho) + pref(3, tail(2, rho))
    assert (rho.used, tail(2, rho).used, tail(3, tail(2, rho))) == (0, 2, tail(5, rho))


def test_a_trace_does_not_show_its_seed() -> None:
    assert "a secret" not in repr(trace_of_seed("a secret"))


@pytest.mark.parametrize(
    ("lower", "upper", "rho", "drawn"),
    [
        (3000, 4000, Fraction(1, 2), 3500),
        (3000, 4000, Fraction(0), 3000),
        (3000, 4000, 1 - Fraction(1, 2**80), 4000),
        (-3, -1, Fraction(1, 2), -2),
        (-(2**63), 2**63 - 1, 1 - Fraction(1, 2**64), 2**63 - 1),
        (-(2**63), 2**63 - 1, Fraction(1, 2) - Fraction(1, 2**64), -1),
        # in binary floating point, 0.57 * 100 is below 57
        (0, 99, Fraction(57, 100), 57),
    ],
)
def test_random_is_exact(lower: int, upper: int, rho: Fraction, drawn: int) -> None:
    assert random(lower, upper, rho) == drawn


def test_a_random_continues_where_the_last_one_stopped() -> None:
    policy = "EACH RESULT : A > 1 : RANDOM A 10 19; SOME RESULT : A > 99 : RANDOM A 20 29;"
    trace = [Fraction(n, 10) for n in range(1, 10)]
    outcome = run_program(parse_and_check(policy, SCHEMA), [(5,), (1,), (0,)], trace_of_values(trace))
    # order(V) is 0, 1 and then 0→11, 1→12, 5
    assert outcome.records == [(23,), (25,), (24,)]
    assert outcome.trace_used == 5


def test_the_error_for_a_short_trace_has_the_length_needed() -> None:
    policy = "EACH RESULT : A > 1 : RANDOM A 10 19; SOME RESULT : A > 99 : RANDOM A 20 29;"
    rho = trace_of_values([Fraction(1, 2)] * 4)
    with pytest.raises(TraceExhausted) as raised:
        run_program(parse_and_check(policy, SCHEMA), [(5,), (1,), (0,)], rho)
    assert raised.value.needed == 5


STEP = Fraction(1, 2**52)
#: the lowest probability of an outcome of X5 or X6 (X7)
RAREST = Fraction(1, 2**32)
#: with 52 bits, its probability changes by at most this fraction
SHARE = STEP / RAREST


def _distance(one: dict[object, Fraction], other: dict[object, Fraction]) -> Fraction:
    """The total variation distance."""
    return sum((abs(one.get(x, 0) - other.get(x, 0)) for x in {*one, *other}), start=Fraction(0)) / 2


def _outcomes(weights: list[int], bits: int | None) -> dict[object, Fraction]:
    """The probability of each weighted value."""
    total = sum(weights)
    cuts = [Fraction(below, total) for below in accumulate(weights)]
    return dict(enumerate(cell.probability for cell in cells(cuts, bits)))


@LAW
@given(st.lists(st.integers(1, 2**20), min_size=2, max_size=8))
def test_a_seed_barely_changes_the_law_of_a_draw(weights: list[int]) -> None:
    """With n outcomes, each probability differs by less than 2⁻⁵², so the distance is below n/2 · 2⁻⁵²."""
    ideal, seeded = _outcomes(weights, None), _outcomes(weights, 52)
    assert all(abs(seeded[outcome] - p) < STEP for outcome, p in ideal.items())
    assert _distance(ideal, seeded) < Fraction(len(weights), 2) * STEP
    assert all(abs(seeded[outcome] - p) <= SHARE * p for outcome, p in ideal.items() if p >= RAREST)


@LAW
@given(st.integers(0, 10), st.data())
def test_halves_and_quarters_are_exact(exponent: int, data: st.DataObject) -> None:
    cut = Fraction(data.draw(st.integers(1, 2**exponent)), 2**exponent)
    assert cells((cut, Fraction(1)), 52) == cells((cut, Fraction(1)))


#: the generator's draws have at most three outcomes
_PER_VALUE = Fraction(3, 2) * STEP


def _most_values(program: Program, case: SmallCase) -> int:
    """A coin and a draw for each record and requirement."""
    return 2 * len(case.records) * len(program.requirements)


@LAW
@given(small_cases(most_records=3))
def test_a_seed_barely_changes_the_law_of_a_program(case: SmallCase) -> None:
    """Distances add up over the values consumed, and relative errors multiply."""
    program = case.program()
    ideal, seeded = law(program, case.records), law(program, case.records, bits=52)
    values = _most_values(program, case)
    assert _distance(ideal, seeded) <= values * _PER_VALUE
    assert ideal.keys() == seeded.keys()
    for table, probability in ideal.items():
        assert (1 - SHARE) ** values <= seeded[table] / probability <= (1 + SHARE) ** values


def test_a_seed_can_change_the_law() -> None:
    """A third is not a multiple of 2⁻⁵²: a seed draws the first of three integers too often, by 2/3 · 2⁻⁵²."""
    program = SmallCase("ALWAYS : RANDOM a 0 2;", []).program()
    record = (0, "y", 0)
    ideal: Law = law(program, [record])
    assert _distance(ideal, law(program, [record], bits=52)) == Fraction(2, 3) * STEP


ONE = 2**52


@LAW
@given(st.fractions(0, 1), st.data())
def test_a_cut_is_an_integer(cut: Fraction, data: st.DataObject) -> None:
    """h / 2⁵² < c if and only if h < ⌈2⁵² c⌉."""
    integer = ceil(ONE * cut)
    near = [h for h in range(integer - 2, integer + 2) if 0 <= h < ONE]
    h = data.draw(st.one_of(st.integers(0, ONE - 1), st.sampled_from(near)))
    assert (Fraction(h, ONE) < cut) == (h < integer)


@LAW
@given(st.integers(-5, 5), st.integers(1, 12), st.integers(1, 40))
def test_random_inverts_the_distribution_function(lower: int, many: int, parts: int) -> None:
    """random(l, u, ρ) is the first v with ρ < F(v), where F(v) = (v − l + 1) / (u − l + 1)."""
    upper = lower + many - 1
    for part in range(parts):
        rho = Fraction(part, parts)
        first = next(v for v in range(lower, upper + 1) if rho < Fraction(v - lower + 1, many))
        assert random(lower, upper, rho) == first


@LAW
@given(st.integers(-5, 5), st.integers(1, 12), st.integers(0, ONE - 1))
def test_random_equals_a_draw_with_equal_weights(lower: int, many: int, h: int) -> None:
    values = tuple(WeightedValue(lower + j, 1) for j in range(many))
    assert pick(values, Fraction(h, ONE)) == random(lower, lower + many - 1, Fraction(h, ONE))


def _law_of_all_traces(program: Program, records: list[Record], bits: int) -> Law:
    """Run every trace of b-bit values, without using cuts."""
    values = [Fraction(h, 2**bits) for h in range(2**bits)]
    total: Counter[object] = Counter()
    pending: list[tuple[Fraction, ...]] = [()]
    while pending:
        prefix = pending.pop()
        try:
            outcome = run_program(program, records, trace_of_values(prefix))
        except TraceExhausted as short:
            pending += [(*prefix, *more) for more in product(values, repeat=short.needed - len(prefix))]
        else:
            left = as_table(program.final_schema, outcome.records)
            total[left] += Fraction(1, 2 ** (bits * len(prefix)))
    return dict(total)


@LAW
@given(small_cases(most=1), st.sampled_from((1, 2, 3)))
def test_the_law_by_cells_is_the_law_of_all_traces(case: SmallCase, bits: int) -> None:
    """The law by cells, with rounded cuts, is the law of h / 2ᵇ with uniform h."""
    program = case.program()
    assert law(program, case.records, bits) == _law_of_all_traces(program, case.records, bits)


@LAW
@given(small_cases(most=3, most_records=1))
def test_the_law_by_cells_composes_over_several_requirements(case: SmallCase) -> None:
    program = case.program()
    assert law(program, case.records, bits=2) == _law_of_all_traces(program, case.records, bits=2)


# X5 and X6: outcomes have exactly the probabilities that a policy states.
#
# With ρ uniform on the multiples of 2⁻ᵇ, the j-th outcome has probability (⌈2ᵇcⱼ⌉ - ⌈2ᵇcⱼ₋₁⌉) / 2ᵇ, where c
# are the cuts: the intended probability if its denominator divides 2ᵇ, and otherwise less than 2⁻ᵇ away.
# For a seed, b = 52.


SAMPLER_SCHEMA = (Column("Id", INTEGER), Column("d", TEXT))
SEEDS = ("0", "a secret", "graine d'été: 1")
DRAWS = 120_000


def traces(bits: int, length: int) -> Iterator[tuple[Fraction, ...]]:
    """All traces of this length, which are equally likely."""
    return product([Fraction(h, 2**bits) for h in range(2**bits)], repeat=length)


def weighted_values(weights: Sequence[int]) -> Weighted:
    return Weighted(tuple(WeightedValue(j, weight) for j, weight in enumerate(weights)))


def law_of_bits(kernel: Weighted, bits: int) -> dict[object, Fraction]:
    ends = [0, *(ceil(2**bits * cut) for cut in kernel.trace_cuts())]
    widths = (Fraction(end - start, 2**bits) for start, end in pairwise(ends))
    return {each.value: width for each, width in zip(kernel.values, widths, strict=True)}


WEIGHTS = st.lists(st.integers(1, 60), min_size=1, max_size=7)


@LAW
@given(WEIGHTS, st.integers(1, 9))
def test_all_values_of_a_small_trace_have_the_stated_law(weights: list[int], bits: int) -> None:
    kernel = weighted_values(weights)
    drawn = Counter(pick(kernel.values, rho) for (rho,) in traces(bits, 1))
    law = law_of_bits(kernel, bits)
    assert {value: Fraction(drawn[value], 2**bits) for value in law} == law
    for weight, probability in zip(weights, law.values(), strict=True):
        assert abs(probability - Fraction(weight, sum(weights))) < Fraction(1, 2**bits)


@pytest.mark.parametrize("weights", [(1, 3), (5, 3, 7, 1), (1,), (1, 1, 6, 8), (1,) * 16])
def test_weights_whose_sum_divides_the_trace_have_exactly_their_law(weights: tuple[int, ...]) -> None:
    for bits in (4, 5, 8):
        assert list(law_of_bits(weighted_values(weights), bits).values()) == [
            Fraction(w, sum(weights)) for w in weights
        ]


POLICIES = {
    "ALWAYS : WITH PROBABILITY 0.25 REJECT;": {None: (1, 4), "-": (3, 4)},
    "ALWAYS : RANDOM d FROM ('a', 3 OF 'b');": {"a": (1, 4), "b": (3, 4)},
    "ALWAYS : WITH PROBABILITY 0.75 REPLACE d WITH '*';": {"*": (3, 4), "-": (1, 4)},
    "ALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM ('a', 3 OF 'b');": {"-": (1, 2), "a": (1, 8), "b": (3, 8)},
    "ALWAYS : WITH PROBABILITY 0.5 REJECT THEN RANDOM d FROM ('a', 'b');": {
        None: (1, 2),
        "a": (1, 4),
        "b": (1, 4),
    },
}


@pytest.mark.parametrize("records", [1, 2])
@pytest.mark.parametrize("policy", POLICIES)
def test_records_are_independent(policy: str, records: int) -> None:
    """On all two-bit traces, the law of the output is the product of the laws of the records."""
    program = parse_and_check(policy, SAMPLER_SCHEMA)
    table = [(number, "-") for number in range(records)]
    found: Counter[tuple[object, ...]] = Counter()
    for trace in traces(2, 2 * records):
        left = dict(run_program(program, table, trace_of_values(trace)).records)
        found[tuple(left.get(number) for number in range(records))] += 1
    law = {outcome: Fraction(*share) for outcome, share in POLICIES[policy].items()}
    expected = {each: prod(law[one] for one in each) for each in product(law, repeat=records)}
    assert {each: Fraction(count, 4 ** (2 * records)) for each, count in found.items()} == expected


@LAW
@given(st.lists(st.integers(1, 2**20), min_size=1, max_size=12))
def test_every_cut_of_a_seed_is_at_its_integer(weights: list[int]) -> None:
    """An outcome ends before ⌈2⁵²c⌉. Each outcome is an interval, so the numbers at the cuts decide all 2⁵²."""
    kernel = weighted_values(weights)
    ends = [ceil(2**52 * cut) for cut in kernel.trace_cuts()]
    starts = [0, *ends[:-1]]
    for j, (start, end) in enumerate(zip(starts, ends, strict=True)):
        assert [pick(kernel.values, Fraction(h, 2**52)) for h in (start, end - 1)] == [j, j]
    assert ends[-1] == 2**52


@pytest.mark.parametrize("weights", [(1,), (5, 3, 2), (1, 2, 4, 8, 16, 32, 64, 128, 256), tuple(range(1, 41))])
def test_an_engine_compares_with_the_same_integers(weights: tuple[int, ...]) -> None:
    kernel = weighted_values(weights)
    with duckdb.connect() as con:
        session = DuckDBSession(con)
        ends = SeededTrace("").choose(session, 0, 1, kernel.trace_cuts()).ends
        numbers = [h for end in ends for h in (end - 1, end) if h < 2**52]
        table = session.upload((("h", "BIGINT"), ("c0", "BIGINT")), [(h, -1) for h in numbers])
        state = State(sql.select_all(sql.table(table)), (SAMPLER_SCHEMA[0],), has_row_key=False, records=len(numbers))
        decided = DecidedOutcomes(None, state, ends)
        value = decided.drawn_value([sql.integer(each.value) for each in kernel.values], 0)
        found = [drawn for (drawn,) in session.fetch(state.derive({0: value}).select)]
    assert found == [pick(kernel.values, Fraction(h, 2**52)) for h in numbers]


RESPONSE = "ALWAYS : WITH PROBABILITY 0.3 RANDOM d FROM (5 OF 'a', 3 OF 'b', 'c', 2 OF 'd');"


def response_law() -> dict[object, Fraction]:
    """The law of the answers to RESPONSE, given 2⁵² equally likely trace values."""
    drawn = Fraction(ceil(2**52 * Fraction(3, 10)), 2**52)
    answers = law_of_bits(Weighted(tuple(map(WeightedValue, "abcd", (5, 3, 1, 2)))), 52)
    return {"-": 1 - drawn, **{answer: drawn * share for answer, share in answers.items()}}


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_seeds_draw_by_the_law(seed: str) -> None:
    table = [(number, "-") for number in range(DRAWS)]
    meant = run_program(parse_and_check(RESPONSE, SAMPLER_SCHEMA), table, trace_of_seed(seed))
    relation = duckdb.sql(f"SELECT range AS Id, '-' AS d FROM range({DRAWS})").to_arrow_table()
    ran = acompass.run(RESPONSE, relation, seed=seed)
    assert ran.trace_used == meant.trace_used
    assert list(zip(*(column.to_pylist() for column in ran.table.columns), strict=True)) == meant.records
    answers = [answer for _, answer in meant.records]
    law = response_law()
    assert p_value_bound(Counter(answers), law) > LEVEL
    pairs = Counter(zip(answers[::2], answers[1::2], strict=True))
    assert p_value_bound(pairs, {(a, b): law[a] * law[b] for a, b in product(law, repeat=2)}) > LEVEL


@pytest.mark.parametrize("off", [Fraction(1, 60), Fraction(-1, 60)])
def test_a_slightly_different_law_is_rejected(off: Fraction) -> None:
    law = response_law()
    moved = {**law, "-": law["-"] + off, "a": law["a"] - off}
    counts = {answer: round(share * DRAWS) for answer, share in law.items()}
    assert p_value_bound(counts, law) > LEVEL
    assert p_value_bound(counts, moved) < LEVEL
