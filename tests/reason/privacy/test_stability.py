"""Stability compared with the exact laws of all small tables and of their neighbors with one record less."""

from dataclasses import replace

import pytest

import acompass
from acompass.language.program.checker import check
from acompass.reason.privacy.stability import stability
from tests.generators.strategies import parse_and_check
from tests.length import at_length
from tests.reason.privacy.couplings import spread
from tests.reason.privacy.stability_policies import DOMAIN, SCHEMA, campaign

#: records of one class
CLASS = [(0, "x"), (0, "y")]
#: an action on the classes that violate n >= k, and its stability
ACTIONS = {
    "REJECT": lambda k: k,
    "WITH PROBABILITY 0.5 REJECT": lambda k: k,
    "REPLACE a WITH 7": lambda k: 2 * k - 1,
    "WITH PROBABILITY 0.5 REPLACE a WITH 7": lambda k: 2 * k - 1,
    "GENERALIZE a TO BANDS OF 5": lambda k: 2 * k - 1,
    "RANDOM a 7 8": lambda k: 2 * k - 1,
    "RANDOM b FROM ('v', 2 OF 'w')": lambda k: 2 * k - 1,
}


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("action", ACTIONS)
def test_a_lower_bound_on_counts_has_this_stability(action: str, k: int) -> None:
    program = parse_and_check(f"EACH PROCESS COUNT(*) AS n GROUP BY a : n >= {k} : {action};", SCHEMA)
    assert stability(program).policy == spread(program, CLASS, 4) == ACTIONS[action](k)


@pytest.mark.parametrize("most", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("REJECT", lambda most: most),
        ("WITH PROBABILITY 0.5 REJECT", lambda most: most + 1),
        ("REPLACE a WITH 7", lambda most: 2 * most + 1),
    ],
)
def test_an_upper_bound_on_counts_has_this_stability(action: str, expected: object, most: int) -> None:
    """With a probability, the new record itself may be kept while all others of its class are rejected."""
    program = parse_and_check(f"EACH PROCESS COUNT(*) AS n GROUP BY a : n <= {most} : {action};", SCHEMA)
    domain = [*CLASS, (0, "z")]
    assert stability(program).policy == spread(program, domain, most + 1) == expected(most)


#: requirements with their stability
SHAPES = {
    "EACH RESULT : a = 0 : REPLACE b WITH 'z';": 1,
    "EACH RESULT : a = 0 : REJECT;": 1,
    "EACH FILTER a = 0 : b = 'x' : RANDOM b FROM ('v', 'w');": 1,
    "ALWAYS : WITH PROBABILITY 0.5 REJECT;": 1,
    "ALWAYS : DROP b;": 1,
    "ALWAYS : GENERALIZE a TO BANDS OF 5;": 1,
    "ALWAYS : GENERALIZE a TO NEAREST 5;": 1,
    "ALWAYS : ADD RANDOM 0 1 TO a;": 1,
    "EACH PROCESS COUNT(*) AS n, SHARE OF MODE (b) AS s GROUP BY a : n <= 3 AND s <= 0.67 : REJECT;": 3,
    "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 3;": 1,
    "SOME RESULT : a = 0;": 1,
    "EACH PROCESS COUNT(*) AS n GROUP BY a : n = 2 : REJECT;": 2,
    "EACH PROCESS COUNT(*) AS n GROUP BY a : n = 2 : REPLACE a WITH 7;": 5,
    "EACH PROCESS COUNT(*) AS n GROUP BY a : n > 1 AND n <= 3 : REJECT;": 3,
    "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 3 OR a = 1 : REJECT;": 3,
    "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 3 AND n >= 2 : REJECT;": 3,
    "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 3 OR n < 3 : REJECT;": 1,
    "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 3 AND a = 5 AND a = 6 : REPLACE b WITH 'z';": 1,
    "EACH PROCESS COUNT(*) AS n : n >= 3 : REJECT;": 3,
    "SOME PROCESS COUNT(*) AS n : n >= 3 : REJECT;": 3,
    "EACH PROCESS COUNT(*) AS n WHERE b = 'x' GROUP BY a : n >= 3 : REPLACE b WITH 'z';": 5,
    "EACH PROCESS COUNT DISTINCT(b) AS l GROUP BY a : l >= 1 : REJECT;": 1,
    "EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(b) AS l GROUP BY a : n <= 3 AND l >= 2 : REJECT;": 3,
    "EACH PROCESS COUNT(*) AS n, MIN(a) AS m GROUP BY b : n >= 3 : REJECT;": 3,
}


@pytest.mark.parametrize("policy", SHAPES)
def test_each_requirement_has_its_stability(policy: str) -> None:
    program = parse_and_check(policy, SCHEMA)
    assert stability(program).policy == spread(program, DOMAIN, 4) == SHAPES[policy]


@pytest.mark.parametrize(
    "policy",
    [
        "EACH PROCESS COUNT DISTINCT(b) AS l GROUP BY a : l >= 2 : REJECT;",
        "EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(b) AS l GROUP BY a : n >= 2 AND l >= 2 : REJECT;",
        "EACH PROCESS SUM(a) AS s : s >= 1 : REJECT;",
        "EACH PROCESS SHARE OF MODE (b) AS s GROUP BY a : s <= 0.5 : REJECT;",
        "ALWAYS : MICROAGGREGATE a BY 2;",
        "EACH PROCESS MIN(a) AS m : m >= 1 : REPLACE b WITH 'z';",
        "EACH PROCESS MAX(b) AS m GROUP BY a : m <= 'x' : REJECT;",
        "SOME RESULT : a = 1 : REJECT;",
        "SOME PROCESS COUNT(*) AS n GROUP BY a : n >= 2 : REJECT;",
        "SOME PROCESS COUNT(*) AS n WHERE a = 1 : n >= 1 : REPLACE b WITH 'z';",
    ],
)
def test_without_a_bound_the_spread_grows_with_the_table(policy: str) -> None:
    program = parse_and_check(policy, SCHEMA)
    assert stability(program).policy is None
    domain = [*DOMAIN, *((a, "x") for a in range(2, 7))] if "SOME PROCESS" in policy else DOMAIN
    assert spread(program, domain, 2) < spread(program, domain, 4)


def test_the_stability_of_a_policy_is_the_product_of_its_lines() -> None:
    program = parse_and_check(
        """ALWAYS : WITH PROBABILITY 0.5 REJECT;
EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 2 : REJECT;
EACH PROCESS COUNT(*) AS n GROUP BY b : n >= 3 : REPLACE b WITH '*';""",
        SCHEMA,
    )
    found = stability(program)
    assert [(line.line, line.records) for line in found.requirements] == [(1, 1), (2, 2), (3, 5)]
    assert found.policy == 10
    assert [line.reason for line in found.requirements] == [
        "it treats each record independently",
        "one record can affect 1 other in its class",
        "one record can affect 2 others in its class",
    ]


def test_many_cells_are_bounded_by_the_constants() -> None:
    """With too many combinations of values to enumerate, every count near a constant may matter."""
    few = " OR ".join(f"(a = {number} AND b = 't{number}')" for number in range(200))
    program = parse_and_check(f"EACH PROCESS COUNT(*) AS n GROUP BY a, b : n >= 3 OR {few} : REJECT;", SCHEMA)
    assert stability(program).policy == 3 + 1
    distinct = "EACH PROCESS COUNT DISTINCT(b) AS l GROUP BY a, b"
    assert stability(parse_and_check(f"{distinct} : l >= 2 OR {few} : REJECT;", SCHEMA)).policy is None


@pytest.mark.campaign
def test_no_random_policy_spreads_further() -> None:
    found = campaign(at_length(30))
    assert found["infinite"] > at_length(2)
    assert found["attained"] > at_length(7)


def test_a_reference_table_does_not_change_with_the_records() -> None:
    """Its totals depend on the group alone, so only the count of the class matters."""
    text = "EACH PROCESS COUNT(*) AS n, COUNT(*) IN 'all.csv' AS p GROUP BY b : n >= 3 OR p >= 9 : REJECT;"
    policy = acompass.parse(text)
    tree = replace(policy.tree, hierarchies={"all.csv": b"b\nx\n"})
    program, problems = check(tree, text, SCHEMA, {})
    assert program is not None, problems
    assert stability(program).policy == spread(program, DOMAIN, 4) == 3
