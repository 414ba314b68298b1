"""Numbers of any size in a policy give an answer or an error with a code, in every place where a number can be."""

from collections.abc import Callable
from decimal import Decimal
from itertools import product
from pathlib import Path

import pytest

import acompass
from tests.folding import folded
from tests.waiting import PATIENCE

NUMBERS = (
    "18446744073709551616", "9223372036854775808", "4294967296", "2147483648", "9" * 39, "1" + "0" * 400, "9" * 5000,
    "0." + "0" * 400 + "1", "-" + "9" * 400, "0",
)  # fmt: skip
POLICIES = (
    "ALWAYS : GENERALIZE s TO PREFIX OF {};",
    "ALWAYS : GENERALIZE a TO PREFIX OF {};",
    "ALWAYS : GENERALIZE a TO BANDS OF {};",
    "ALWAYS : GENERALIZE a TO BANDS OF 5 FROM {};",
    "ALWAYS : GENERALIZE a TO BANDS OF 5 FROM 0 UP TO {};",
    "ALWAYS : GENERALIZE a TO BANDS AT 1, {};",
    "ALWAYS : GENERALIZE p TO BANDS OF {};",
    "ALWAYS : GENERALIZE s TO LEVEL {} OF 'levels.csv';",
    "EACH RESULT : a <= {};",
    "EACH RESULT : a IN (1, {});",
    "EACH RESULT : p <= {} : REPLACE p WITH {};",
    "EACH RESULT : a <= 1 : RANDOM a 0 {};",
    "EACH RESULT : a <= 1 : RANDOM a FROM 1 WEIGHT {}, 2;",
    "EACH RESULT : a <= 1 : WITH PROBABILITY {} REPLACE a WITH 1;",
    "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= {};",
    "EACH PROCESS SUM(a) AS n GROUP BY s : n <= {};",
    "EACH RESULT : a <= k;",
)
TABLE = [{"a": i, "s": f"x{i}", "p": i / 2} for i in range(5)]


def _code(call: Callable[[], object]) -> str | None:
    try:
        call()
    except acompass.AcompassError as error:
        return error.diagnostics[0].code
    return None


@pytest.mark.slow
@folded(("policy", "number"), list(product(POLICIES, NUMBERS)))
def test_no_number_is_too_large_for_an_answer(policy: str, number: str, tmp_path: Path) -> None:
    (tmp_path / "levels.csv").write_text("".join(f"x{i};y;*\n" for i in range(5)))
    path = tmp_path / "p.acp"
    path.write_text(policy.replace("{}", number))
    params = {"k": Decimal(number)} if policy.endswith(" k;") else None
    for call in (
        lambda: acompass.run(path, TABLE, params=params, seed="0123456789abcdef"),
        lambda: acompass.run(path, TABLE, params=params, seed="0123456789abcdef", engine="reference"),
        lambda: acompass.lint(path, params=params, deadline=PATIENCE),
        lambda: acompass.prove(path, params=params, deadline=PATIENCE),
    ):
        assert _code(call) not in ("AC301", "AC901")


@pytest.mark.parametrize(
    ("map_", "problem"),
    [
        ("PREFIX OF 18446744073709551616", "at most 2,147,483,647"),
        (f"BANDS OF {'9' * 39}", "more than 38 digits"),
        (f"BANDS AT 1, {'9' * 39}", "more than 38 digits"),
        (f"PREFIX OF {'9' * 5000}", "more than 38 digits"),
    ],
)
def test_the_error_names_the_limit(map_: str, problem: str) -> None:
    with pytest.raises(acompass.PolicyError, match=problem):
        acompass.run(f"ALWAYS : GENERALIZE {'a' if 'BANDS' in map_ else 's'} TO {map_};", TABLE)
