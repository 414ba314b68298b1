"""Without a schema, what is proved holds on every table that the policy can be run on (D31)."""

from pathlib import Path

import duckdb
import pytest

import acompass
from acompass.prove import ClaimVerdict, prove_policy
from acompass.syntax.parse import parse

_BANDS = (
    "EACH RESULT : Age >= 0 AND Age {last} : REJECT;\n"
    "EACH FILTER Age >= 0 AND Age {first} : Age = 5 : REPLACE Age WITH 5;\n"
    "EACH FILTER Age >= 10 AND Age {last} : Age = 15 : REPLACE Age WITH 15;"
)
_WITH_GAP = _BANDS.format(first="<= 9", last="<= 19")
_WITHOUT_GAP = _BANDS.format(first="< 10", last="< 20")
_AGES = "Age\n3\n9.5\n12\n19.5\n"
_PAYS = "Pay\n0.5\n0.55\n0.6\n0.5500001\n"
_TIMES = "At TIMESTAMP\n2020-01-01\n2019-12-31T23:59:00\n2020-01-01T00:00:01\n"
_TWO = "age,Age\n1,5\n5,1\n5,5\n5,9\n"
_FREQUENT = "EACH PROCESS COUNT(*) AS n GROUP BY {name} : n >= 3"


def _stored(table: str, folder: Path) -> Path:
    """A CSV file, or a Parquet file if the column has a type."""
    name, _, type_ = table.partition("\n")[0].partition(" ")
    text = folder / "before.csv"
    text.write_text(table, encoding="utf-8")
    if not type_:
        return text
    options = f"header = true, columns = {{'{name}': '{type_}'}}"
    duckdb.sql(f"FROM read_csv('{text}', {options})").write_parquet(str(folder / "before.parquet"))
    return folder / "before.parquet"


@pytest.mark.parametrize(
    ("policy", "claim", "table"),
    [
        (_WITH_GAP, "EACH RESULT : Age = 5 OR Age = 15", _AGES),
        (_WITH_GAP, "EACH RESULT : Age <= 9 OR Age >= 10", _AGES),
        (_WITHOUT_GAP, "EACH RESULT : Age = 5 OR Age = 15", _AGES),
        ("EACH RESULT : Pay > 0.5 AND Pay < 0.6 : REJECT;", "EACH RESULT : Pay = 7", _PAYS),
        ("EACH RESULT : Pay > 0.5 AND Pay < 0.6 : REJECT;", "EACH RESULT : Pay > 0.5", _PAYS),
        ("EACH RESULT : Pay > 0.5 : REJECT;", "EACH RESULT : Pay = 0.55 OR Pay >= 0.6 OR Pay < 0.55", _PAYS),
        ("EACH RESULT : At <= '2020-01-01' : REJECT;", "EACH RESULT : At < '2020-01-01T00:00:00'", _TIMES),
        ("EACH RESULT : At <= '2020-01-01' : REJECT;", "EACH RESULT : At < '2020-01-02'", _TIMES),
        ("EACH RESULT : At = '2020-01-01' : REJECT;", "EACH RESULT : At <> '2020-01-01T00:00:00'", _TIMES),
        ("EACH RESULT : age > 3 : REJECT;", "EACH RESULT : Age > 3", _TWO),
        ("EACH RESULT : age > 3 : REJECT;", "EACH RESULT : age > 3", _TWO),
        (f"{_FREQUENT.format(name='age')} : REJECT;", _FREQUENT.format(name="Age"), _TWO),
        (f"{_FREQUENT.format(name='age')} : REJECT;", _FREQUENT.format(name="age"), _TWO),
    ],
)
def test_proved_means_that_the_claim_holds_on_such_a_table(
    policy: str, claim: str, table: str, tmp_path: Path
) -> None:
    before = _stored(table, tmp_path)
    after = before.with_stem("after")
    acompass.run(policy, str(before), output=after)
    (found,) = acompass.check(f"{claim};", str(after)).requirements
    (proof,) = prove_policy(parse(policy)[0], policy, [claim]).claims
    assert proof.verdict is (ClaimVerdict.PROVED if found.holds else ClaimVerdict.REFUTED)


def test_an_answer_says_which_tables_it_is_about() -> None:
    policy = "EACH RESULT : age > 3 : REJECT;"
    (claim,) = prove_policy(parse(policy)[0], policy, ["EACH RESULT : Age > 3"]).claims
    assert claim.reason.splitlines()[-1] == "a table can have the columns `age` and `Age`"
    policy = "EACH RESULT : At <= '2020-01-01' : REJECT;"
    (claim,) = prove_policy(parse(policy)[0], policy, ["EACH RESULT : At < '2020-01-01T00:00'"]).claims
    assert claim.reason.splitlines()[-1] == "`At` can have timestamps"


def test_a_given_type_is_not_doubted() -> None:
    policy, claim = "EACH RESULT : At <= '2020-01-01' : REJECT;", "EACH RESULT : At < '2020-01-01T00:00'"
    (found,) = prove_policy(parse(policy)[0], policy, [claim], types={"At": "text"}).claims
    assert found.verdict is ClaimVerdict.PROVED
