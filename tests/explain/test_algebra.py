"""The algebra theorem: every requirement is an expression of bag relational algebra over (R, T).

The output of `explain --algebra` is run as SQL without window functions or ORDER BY, and compared with
`semantics`. `python -m tests.explain.algebra_campaign --cases N` does so at any length."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, get_args

import pytest

from acompass.explain.algebra_text import to_algebra
from acompass.explain.counterfactual import alternatives
from acompass.explain.lives import _is_affected, _perform
from acompass.language.program.checker import check
from acompass.language.program.effects import effect_of, is_certain, kernel_of
from acompass.language.program.kernels import Kernel
from acompass.language.program.program import Action, Project, Remove
from acompass.language.program.types import INTEGER, Column
from acompass.language.text.parser import parse_text
from tests.explain.algebra_campaign import differing_cases, random_cases
from tests.explain.algebra_in_sql.queries import WORDS, keywords_in
from tests.length import at_length

CASES = at_length(12)

DRAWS = """\
ALWAYS : WITH PROBABILITY 0.75 REJECT;
EACH RESULT : Age <= 80 : RANDOM Age 20 30;
ALWAYS : RANDOM Illness FROM (5 OF 'flu', 3 OF 'asthma', 'other');
EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= k : WITH PROBABILITY 0.5 RANDOM Age low 9;
"""


@pytest.mark.campaign
def test_the_algebra_gives_the_table_and_the_trace_of_the_semantics() -> None:
    assert differing_cases(CASES, seed=16) == []


@pytest.mark.slow
def test_the_cases_contain_every_action() -> None:
    policies = [case.program() for case in random_cases(600, seed=16)]
    actions = [requirement.action for program in policies for requirement in program.requirements]
    certain = Counter(type(kernel_of(action) or effect_of(action)) for action in actions if is_certain(action))
    sometimes = Counter(type(kernel_of(action) or effect_of(action)) for action in actions if not is_certain(action))
    forms = (Remove, Project, *get_args(Kernel))
    assert {form: certain[form] for form in (*forms, type(None)) if certain[form] < 10} == {}
    assert {form: sometimes[form] for form in forms if sometimes[form] < 5} == {Project: 0}


def test_a_window_function_or_an_order_would_be_found() -> None:
    assert keywords_in("SELECT RANK() OVER (ORDER BY h) FROM 'no WORD'") - WORDS == {"RANK", "OVER", "ORDER"}


def test_draws_are_printed_with_the_trace_after_them() -> None:
    printed = to_algebra(parse_text(DRAWS)[0], DRAWS, {"k": 2}).split("\n\n")
    assert printed[0] == "R₀ is the table, T₀ the trace: a record (i, h) for each ρᵢ = h / 2⁵²"
    assert printed[1:5] == [
        "line 1\n  V₁ = R₀\n  W₁ = π[S](σ[h < ⌈0.75 · 2⁵²⌉](ranked(V₁, T₀)))\n  R₁ = R₀ − W₁\n  T₁ = tail(V₁, T₀)",
        "line 2\n"
        "  V₂ = σ[¬(Age ≤ 80)](R₁)\n"
        "  R₂ = (R₁ − V₂) ∪ π[20 + ⌊h · 11 / 2⁵²⌋ → Age, …](ranked(V₂, T₁))\n"
        "  T₂ = tail(V₂, T₁)",
        "line 3\n"
        "  V₃ = R₂\n"
        "  R₃ = π[('flu' if h < ⌈5/9 · 2⁵²⌉, 'asthma' if h < ⌈8/9 · 2⁵²⌉, else 'other') → Illness, …]"
        "(ranked(V₃, T₂))\n"
        "  T₃ = tail(V₃, T₂)",
        "line 4\n"
        "  V₄ = R₃ ⋉ σ[¬(n ≥ 2)](γ[Age; COUNT(*) → n](R₃))\n"
        "  W₄ = π[S](σ[h < ⌈0.5 · 2⁵²⌉](ranked(V₄, T₃)))\n"
        "  R₄ = (R₃ − W₄) ∪ π[low + ⌊h · (9 − low + 1) / 2⁵²⌋ → Age, …](ranked(W₄, tail(V₄, T₃)))\n"
        "  T₄ = tail(W₄, tail(V₄, T₃))",
    ]


def test_the_legend_defines_each_function_once() -> None:
    legend = to_algebra(parse_text(DRAWS)[0], DRAWS).split("\n\n")[-1]
    assert legend.splitlines()[1:] == [
        "  ranked(V, T) = π[S, h](L ⋈[last − m < i ∧ i ≤ last] T)",
        "    L = γ[y.S, y.m; SUM(x.m) → last](D as x ⋈[x.S ≤ y.S] D as y)",
        "    D = γ[S; COUNT(*) → m](V)",
        "  tail(V, T) = π[i − n → i, h](T ⋈[i > n] N)",
        "    N = γ[SUM(c) → n](π[1 → c](V) ∪ {0 → c})",
    ]


def test_a_policy_that_does_not_draw_is_printed_without_the_trace() -> None:
    policy = "ALWAYS : REPLACE Name WITH '*';"
    assert to_algebra(parse_text(policy)[0], policy) == (
        "R₀ is the table\n\nline 1\n  V₁ = R₀\n  R₁ = π['*' → Name, …](V₁)\n"
    )


POLICY = "EACH RESULT : Age <= 80 : REJECT;"


@dataclass(frozen=True)
class Unknown:
    """A node from a later version of the language."""


UNKNOWN: Any = Unknown()
TREE = parse_text(POLICY)[0]
(WRITTEN,) = TREE.requirements


def test_the_algebra_rejects_an_unknown_action() -> None:
    requirement = replace(WRITTEN, action=UNKNOWN)
    with pytest.raises(AssertionError):
        to_algebra(replace(TREE, requirements=(requirement,)), POLICY)


def test_following_a_record_rejects_an_unknown_action_and_an_unknown_result() -> None:
    program, _ = check(TREE, POLICY, (Column("Age", INTEGER),))
    assert program is not None
    (requirement,) = program.requirements
    with pytest.raises(AssertionError):
        _perform(replace(requirement, action=Action(UNKNOWN)), (86,), None)
    assertion = replace(requirement.assertion, result=UNKNOWN)
    with pytest.raises(AssertionError):
        _is_affected(replace(requirement, assertion=assertion), (86,), False, None)


def test_alternatives_reject_an_unknown_condition() -> None:
    with pytest.raises(AssertionError):
        list(alternatives(WRITTEN.assertion.condition, UNKNOWN))
