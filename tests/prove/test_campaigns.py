"""Short runs of the campaigns: every claim of the corpus gets its verdict, and every counterexample replays."""

import random
from pathlib import Path

import pytest

from acompass.errors.diagnostics import PolicyError
from acompass.language.program.types import FLOAT, INTEGER, TEXT, Column, decimal
from acompass.language.text.parser import parse_text
from acompass.policy import as_policy
from acompass.prove.proof import ClaimVerdict
from acompass.prove.refute.candidate_tables import MOST_RECORDS
from acompass.prove.search.column_types import inferred_schema
from acompass.prove.search.verdicts import prove_policy
from acompass.semantics.core import holds, run_program, trace_of_values
from tests.folding import folded
from tests.generators.strategies import parse_and_check
from tests.length import at_length
from tests.prove.corpus import Case, cases
from tests.prove.decided import measure
from tests.prove.every_k import FAMILIES, codes, verdicts
from tests.prove.everyday_policies import EverydayCurator
from tests.prove.loading import fails_when_run
from tests.prove.mutants import find_unnoticed, harmless
from tests.prove.mutation import RULES, mutants
from tests.prove.policies import Claimed, Writer
from tests.prove.replaying import fails, prove_text
from tests.prove.soundness import campaign


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
@pytest.mark.slow
def test_every_claim_gets_its_true_verdict(case: Case) -> None:
    claim = case.prove()
    assert case.is_right(claim.verdict), claim.reason
    assert claim.reason
    assert (claim.counterexample is not None) == (claim.verdict is ClaimVerdict.REFUTED)
    if claim.counterexample is not None and not case.is_own:
        assert fails(case.parse(), case.policy, case.claim, claim.counterexample)


def test_there_are_enough_policies_both_ways() -> None:
    every = cases()
    assert len({case.policy for case in every}) >= 60
    assert sum(case.verdict == "proved" for case in every) >= 50
    assert sum(case.verdict == "refuted" for case in every) >= 50


_ANONYMITY = "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= {k}"


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.slow
def test_the_codes_are_the_same_for_every_k(name: str) -> None:
    family = FAMILIES[name]
    for k in (2, 3, 58, 119, 120, 121, 122, 123, 500, 900):
        assert codes(family, k) == family.codes, k


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.slow
def test_the_verdicts_are_the_same_for_every_k(name: str) -> None:
    family = FAMILIES[name]
    for k in (2, 3, 121, 122, 300):
        assert verdicts(family, k) == family.verdicts, k
        assert verdicts(family, k, [family.false]) == ("refuted",), k


@pytest.mark.parametrize("k", [500, 2000])
def test_a_large_counterexample_is_minimal(k: int) -> None:
    policy = _ANONYMITY.format(k=k) + " : REJECT;"
    (claim,) = prove_policy(parse_text(policy)[0], policy, [_ANONYMITY.format(k=k + 1)]).claims
    assert claim.counterexample is not None
    assert len(claim.counterexample.records) == k


def test_an_answer_says_that_larger_tables_are_not_tried() -> None:
    policy = f"{_ANONYMITY.format(k=MOST_RECORDS + 1)} : REJECT;\nEACH RESULT : Job = 'x' : REJECT;"
    claim = prove_policy(parse_text(policy)[0], policy).claims[0]
    assert claim.verdict is ClaimVerdict.UNDECIDED
    assert claim.reason.splitlines() == [
        "line 2: removes records that the claim relies on",
        "it may fail on a table of more than 10,000 records, the largest size tried",
    ]


CASCADE = """\
ALWAYS : DROP Name;
ALWAYS : GENERALIZE Age TO BANDS OF 5 UP TO 90;
EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Disease) AS d GROUP BY Age, Zip : n >= 3 AND d >= 2
   : GENERALIZE Zip TO PREFIX OF 3
   THEN GENERALIZE Age TO BANDS OF 10 UP TO 90
   THEN REJECT;
EACH RESULT : Zip <> '21201';
"""


def test_always_makes_no_claim_and_the_steps_of_a_then_make_one() -> None:
    first, second = prove_text(CASCADE).claims
    assert first.text.startswith("EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Disease) AS d")
    assert (first.line, first.verdict) == (3, ClaimVerdict.PROVED)
    assert first.reason == "line 6: removes every class that violates it"
    assert (second.text, second.line) == ("EACH RESULT : Zip <> '21201'", 7)


def test_a_policy_of_always_alone_claims_nothing() -> None:
    proof = prove_text("ALWAYS : REPLACE Name WITH '*';")
    assert proof.claims == ()
    assert proof.ok


def test_a_reason_names_the_line_that_generalizes() -> None:
    text = "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : REJECT;\nALWAYS : GENERALIZE Zip TO PREFIX OF 3;"
    (claim,) = prove_text(text).claims
    assert claim.reason.splitlines() == [
        "line 1: removes every class that violates it",
        "line 2: generalizes `Zip`, which at most merges whole classes",
    ]


def test_an_assertion_about_a_dropped_column_does_not_fit() -> None:
    (claim,) = prove_text("EACH RESULT : Age > 3 OR Zip > 'a' : REJECT;\nALWAYS : DROP Age;").claims
    assert claim.verdict is ClaimVerdict.UNDECIDED
    assert claim.reason == "line 2: column `Age` is dropped, so the claim does not fit the final table"


def test_a_claim_cannot_name_a_dropped_column() -> None:
    with pytest.raises(PolicyError) as raised:
        prove_text("ALWAYS : DROP Age;", ["EACH RESULT : Age > 3 OR Zip = 'a'"])
    assert [finding.code for finding in raised.value.diagnostics] == ["AC123"]


def test_a_counterexample_shows_no_dropped_column() -> None:
    (claim,) = prove_text("ALWAYS : DROP Name;", ["EACH RESULT : Age > 3"]).claims
    assert claim.counterexample is not None
    assert [column.name for column in claim.counterexample.schema] == ["Name", "Age"]
    assert [column.name for column in claim.counterexample.left_schema] == ["Age"]
    assert all(len(record) == 1 for record in claim.counterexample.left)


def test_a_table_with_a_value_without_a_label_is_not_a_counterexample() -> None:
    """Nothing is written for such a table. Every other value has one of the labels."""
    claim = "EACH RESULT : Day < 'a'"
    assert prove_text("ALWAYS : GENERALIZE Day TO YEAR;", [claim]).claims[0].verdict is ClaimVerdict.PROVED
    assert prove_text("ALWAYS : REPLACE Zip WITH 'x';", [claim]).claims[0].verdict is ClaimVerdict.REFUTED


def test_labels_of_integers_and_of_decimals_both_need_a_proof() -> None:
    text = "ALWAYS : GENERALIZE Age TO BANDS AT 18;"
    integers, decimals = "EACH RESULT : Age IN ('<18', '18+')", "EACH RESULT : Age IN ('<18', '18+', 'x')"
    assert [claim.verdict for claim in prove_text(text, [integers, decimals]).claims] == ["proved", "proved"]
    text = "ALWAYS : GENERALIZE Age TO BANDS AT 18, 65;"
    integers, decimals = (f"EACH RESULT : Age IN ('<18', '{middle}', '65+')" for middle in ("18-64", "[18,65)"))
    assert [claim.verdict for claim in prove_text(text, [integers, decimals]).claims] == ["refuted", "refuted"]
    typed = prove_text(text, [integers, decimals], types={"Age": "integer"})
    assert [claim.verdict for claim in typed.claims] == ["proved", "refuted"]


@pytest.mark.parametrize(
    ("map_", "type_"),
    [
        ("BANDS OF 5", INTEGER),
        ("BANDS OF 0.5", decimal(1)),
        ("BANDS AT 1, 2.25", decimal(2)),
        ("PREFIX OF 3", TEXT),
        ("MONTH", TEXT),
        ("LEVEL 1 OF 'jobs.csv'", TEXT),
    ],
)
def test_the_map_decides_the_inferred_type(map_: str, type_: object) -> None:
    tree, _ = parse_text(f"ALWAYS : GENERALIZE A TO {map_};")
    assert [column.type for column in inferred_schema(tree, {})] == [type_]


def test_a_policy_may_drop_all_columns_that_it_names() -> None:
    assert prove_text("ALWAYS : DROP Name, Age;").ok
    assert prove_text("ALWAYS : DROP another;").ok


POLICIES = at_length(12)
TABLES = 60


@pytest.mark.campaign
@pytest.mark.slow
def test_proved_claims_hold_on_random_tables_and_counterexamples_replay() -> None:
    figures = campaign(seed=6, policies=POLICIES, tables=TABLES)
    assert figures.broken == []
    assert figures.policies == POLICIES
    assert figures.verdicts["proved"] > POLICIES / 3, "too few proofs to be meaningful"
    assert figures.verdicts["refuted"] > POLICIES / 3, "too few counterexamples to be meaningful"


@pytest.mark.campaign
def test_nine_of_ten_claims_are_decided() -> None:
    figures = measure(seed=7, policies=at_length(25))
    assert figures.decided_share >= 0.9, figures.undecided.most_common(5)


@pytest.mark.campaign
def test_nine_of_ten_claims_about_everyday_policies_are_decided() -> None:
    figures = measure(seed=8, policies=at_length(8), kind="everyday")
    assert figures.decided_share >= 0.9, figures.undecided.most_common(5)


#: one condition each about parts of classes, split classes, changes of type, and uncertain labels
NOTICED = [
    "laws._is_kept_by_parts: `self.diagrams.difference(parts, fact.allowed) is EMPTY` is True",
    "laws._cut_keys: `not self._laws.are_determined(wanted.groups, known, known_records)` is False",
    "write_rules.refuse_conversion: `before == after` is True",
    "write_rules.before_function: `uncertain is not EMPTY` is False",
]


@pytest.mark.slow
def test_some_mutants_are_noticed() -> None:
    found = {mutant.name: mutant for module in RULES for mutant in mutants(module)}
    assert not list(find_unnoticed((found[name] for name in NOTICED), workers=1))


def test_the_harmless_mutants_exist() -> None:
    names = {mutant.name for module in RULES for mutant in mutants(module)}
    assert harmless() <= names


_LONGEST = "9" * 38


def _curators(seed: int) -> Claimed:
    return Writer(random.Random(seed)).policy()


def _everyday(seed: int) -> Claimed:
    return EverydayCurator(random.Random(seed)).policy()


@pytest.mark.campaign
@folded("seed", range(at_length(4)))
@pytest.mark.parametrize("write", [_curators, _everyday])
@pytest.mark.slow
def test_counterexamples_of_random_policies_fail_when_run(write: object, seed: int, tmp_path: Path) -> None:
    case = write(seed)  # type: ignore[operator]
    types = {column.name: column.type for column in case.schema}
    for claim in prove_policy(parse_text(case.text)[0], case.text, case.claims, types).claims:
        if claim.counterexample is not None:
            assert fails_when_run(as_policy(case.text, False), claim.text, claim.counterexample, tmp_path)


@pytest.mark.parametrize(
    ("policy", "claim", "types"),
    [
        # the longest numbers: one more digit, or one after the point, cannot be loaded
        (f"EACH RESULT : Pay >= {_LONGEST[1:]} : REJECT;", f"EACH RESULT : Pay = {_LONGEST[1:]}", {}),
        (f"EACH RESULT : Pay >= {_LONGEST} : REJECT;", "EACH RESULT : Pay < 5", {"Pay": "decimal(0)"}),
        (f"EACH RESULT : Pay >= -{_LONGEST} : REJECT;", "EACH RESULT : Pay < 5", {"Pay": "decimal"}),
        (f"EACH RESULT : Pay <= {_LONGEST[2:]} : REJECT;", "EACH RESULT : Pay < 5", {"Pay": "decimal(2)"}),
        ("EACH RESULT : Pay > 0.2 : REJECT;", "EACH RESULT : Pay < 0.1", {"Pay": "decimal(38)"}),
        (f"EACH RESULT : Id > {2**63 - 2} : REJECT;", "EACH RESULT : Id < 5", {"Id": "integer"}),
        (f"EACH RESULT : Id < -{2**63 - 1} : REJECT;", "EACH RESULT : Id > 5", {"Id": "integer"}),
        # the first and the last days
        ("EACH RESULT : Day < '0001-01-02' : REJECT;", "EACH RESULT : Day > '2000-01-01'", {"Day": "date"}),
        ("EACH RESULT : Day > '9999-12-30' : REJECT;", "EACH RESULT : Day < '2000-01-01'", {"Day": "date"}),
        (
            "EACH RESULT : At > '9999-12-31T23:59:59.999998' : REJECT;",
            "EACH RESULT : At < '2000-01-01'",
            {"At": "timestamp"},
        ),
        # neighboring floats, and floats with the greatest and the least exponents
        ("EACH RESULT : W > 0 AND W < 0.1 : REJECT;", "EACH RESULT : W > 0.05", {"W": "float"}),
        ("EACH RESULT : W > 1 : REJECT;", "EACH RESULT : W > 1.0000000000000002", {"W": "float"}),
        ("EACH RESULT : W < -1 : REJECT;", "EACH RESULT : W > -1", {"W": "float"}),
        ("EACH RESULT : Ok = 'true' : REJECT;", "EACH RESULT : Ok = 'false'", {"Ok": "boolean"}),
        # the empty text, text with CSV syntax, text before any letter
        ("EACH RESULT : Zip < '!' : REJECT;", "EACH RESULT : Zip = ''", {}),
        ("EACH RESULT : Zip > '\"' AND Zip < '#' : REJECT;", "EACH RESULT : Zip = 'x'", {}),
        ("EACH RESULT : Zip LIKE 'a\n%' : REJECT;", "EACH RESULT : Zip = 'x'", {}),
        # text that is compared with a date has one (D28)
        ("EACH RESULT : Day < '2018-03-17' : REJECT;", "EACH RESULT : Day > '2019'", {}),
        (
            "EACH PROCESS MAX(Day) AS m GROUP BY Zip : m < '2018-03-17' : REJECT;",
            "EACH RESULT : Zip = 'x'",
            {},
        ),
        ("EACH RESULT : Zip = 'x' OR Day = '2018-03-17' : REJECT;", "EACH RESULT : Day = '2018-03-17'", {}),
        # text that a number orders is in the order of numbers (D24)
        ("EACH RESULT : Age <= '80' : REJECT;", "EACH RESULT : Age >= '80'", {}),
        ("EACH RESULT : Age >= '80' : REJECT;", "EACH RESULT : Age <= '80'", {}),
        ("EACH FILTER Age < '100' : Zip = 'x' : REJECT;", "EACH RESULT : Zip = 'x' OR Age > '9'", {}),
    ],
)
def test_a_counterexample_at_the_limits_fails_when_run(
    policy: str, claim: str, types: dict[str, str], tmp_path: Path
) -> None:
    (found,) = prove_policy(parse_text(policy)[0], policy, [claim], types=types).claims
    assert found.verdict is ClaimVerdict.REFUTED
    assert found.counterexample is not None
    assert fails_when_run(as_policy(policy, False), claim, found.counterexample, tmp_path)


def test_a_number_that_no_table_has_is_not_a_counterexample() -> None:
    policy, claim = f"EACH RESULT : Id > {2**63 - 1} : REJECT;", "EACH RESULT : Id = 5"
    (found,) = prove_policy(parse_text(policy)[0], policy, [claim], types={"Id": "integer"}).claims
    assert found.verdict is ClaimVerdict.UNDECIDED


@pytest.mark.campaign
def test_what_is_proved_of_sums_without_types_is_true_of_floats() -> None:
    """D13 and D31: a number may be a float, and the sums of floats are rounded."""
    rng = random.Random(5)
    verdicts: list[ClaimVerdict] = []
    for _ in range(at_length(12)):
        lines = [_line_about_doses(rng) for _ in range(rng.randint(1, 3))]
        policy, claim = (
            "\n".join(f"{line} : REJECT;" for line in lines),
            rng.choice((lines[-1], _line_about_doses(rng))),
        )
        (found,) = prove_text(policy, [claim]).claims
        verdicts.append(found.verdict)
        if found.counterexample is not None:
            assert fails(as_policy(policy).tree, policy, claim, found.counterexample)
        elif found.verdict is ClaimVerdict.PROVED:
            schema = (Column("Dose", FLOAT), Column("Zip", TEXT))
            program, asked = (parse_and_check(text, schema) for text in (policy, f"{claim};"))
            for _ in range(200):
                records = [(rng.choice((0.1, 0.2, 0.3, 0.7, 1.0)), rng.choice("ab")) for _ in range(rng.randint(0, 6))]
                left = run_program(program, records, trace_of_values(())).records
                assert holds(left, asked.requirements[0].assertion), (policy, claim, records)
    assert {ClaimVerdict.PROVED, ClaimVerdict.REFUTED} <= set(verdicts)


def _line_about_doses(rng: random.Random) -> str:
    limit, count = rng.choice(("0.1", "0.3", "0.7", "1")), rng.choice((2, 3))
    return rng.choice(
        (
            f"EACH RESULT : Dose {rng.choice(('=', '>=', '<='))} {limit}",
            f"EACH PROCESS SUM(Dose) AS s GROUP BY Zip : s {rng.choice(('>=', '<='))} {limit}",
            f"EACH PROCESS SUM(Dose) AS s : s {rng.choice(('>=', '<='))} {rng.choice((limit, '0.6', '0.9'))}",
            f"EACH PROCESS COUNT(*) AS n{rng.choice(('', ' GROUP BY Zip'))} : n {rng.choice(('>=', '<='))} {count}",
        )
    )
