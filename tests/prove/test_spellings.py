"""One number of a CSV may have several spellings, `2` and `2.0`, which become several texts (D26)."""

from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass.checked.types import decimal

CLAIM = "EACH PROCESS COUNT DISTINCT(Pay) AS d : d <= 1"
ONLY_TWO = "EACH RESULT : Pay = 2 : REJECT;"
INTO_TEXT = [
    "ALWAYS : GENERALIZE Pay TO PREFIX OF 1;",
    "EACH FILTER Pay = 3 : Pay = 2 : REPLACE Pay WITH '*';",
    "EACH FILTER Pay = 3 : Pay = 2 : WITH PROBABILITY 0.5 REPLACE Pay WITH '*';",
]


def _released(policy: str, folder: Path) -> set[str]:
    (folder / "pay.csv").write_text("Pay\n2\n2.0\n2.00\n", encoding="utf-8")
    acompass.run(policy, folder / "pay.csv", output=folder / "out.csv")
    return set((folder / "out.csv").read_text(encoding="utf-8").splitlines()[1:])


@pytest.mark.parametrize("line", INTO_TEXT)
def test_several_spellings_are_several_texts(line: str, tmp_path: Path) -> None:
    policy = f"{ONLY_TWO}\n{line}"
    assert len(_released(policy, tmp_path)) == 3
    (claim,) = acompass.prove(policy, claims=[CLAIM]).claims
    assert claim.verdict != "proved"


def _verdict(policy: str, claim: str, **types: Any) -> str:
    (found,) = acompass.prove(policy, claims=[claim], **types).claims
    return str(found.verdict)


#: numbers whose texts are not constants of the policy
BETWEEN = "EACH RESULT : Pay >= 1 AND Pay <= 1.1 : REJECT;"


@pytest.mark.parametrize("line", INTO_TEXT)
def test_numbers_of_a_fixed_scale_have_one_text(line: str) -> None:
    claim = CLAIM.replace("<= 1", "<= 2")
    assert _verdict(f"{BETWEEN}\n{line}", claim, schema={"Pay": decimal(1)}) == "proved"


def test_numbers_of_a_csv_have_several_texts(tmp_path: Path) -> None:
    (tmp_path / "pay.csv").write_text("Pay\n1\n1.0\n1.1\n", encoding="utf-8")
    claim = CLAIM.replace("<= 1", "<= 2")
    for line in INTO_TEXT:
        assert _verdict(f"{BETWEEN}\n{line}", claim, table=tmp_path / "pay.csv") != "proved"


@pytest.mark.parametrize("line", INTO_TEXT)
def test_a_column_that_forms_classes_has_one_spelling_of_a_number(line: str, tmp_path: Path) -> None:
    policy = f"{ONLY_TWO}\nEACH PROCESS COUNT(*) AS n GROUP BY Pay : n >= 1;\n{line}"
    assert len(_released(policy, tmp_path)) == 1
    (claim,) = acompass.prove(policy, claims=[CLAIM]).claims
    assert claim.verdict == "proved"
