"""The guarantees of a policy, which of them another policy keeps, and what that one releases in addition."""

import pytest

import acompass
from acompass.prove.proof import Claim, ClaimVerdict
from acompass.reason.compare.answer import Comparison, is_implied
from tests.errors.pages import FOLDER, Page, read_page

K = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 5 : REJECT;"
INTEGER = {"Age": "integer"}


def _released_values(comparison: Comparison) -> list[tuple[str | None, str, bool]]:
    assert comparison.impact.released is not None, comparison.impact.reason
    return [(each.column, each.words, each.certain) for each in comparison.impact.released]


def test_a_stricter_policy_implies_the_guarantees_of_a_looser_one() -> None:
    comparison = acompass.compare(K.replace("5", "3"), K)
    assert is_implied(comparison.old_by_new) is True
    assert is_implied(comparison.new_by_old) is False
    assert comparison.equivalent is False
    assert comparison.ok


def test_a_looser_policy_loses_a_guarantee_with_a_counterexample() -> None:
    comparison = acompass.compare(K, K.replace("5", "3"))
    (lost,) = comparison.impact.lost
    assert (lost.verdict, lost.line) == (ClaimVerdict.REFUTED, 1)
    assert lost.counterexample is not None
    assert not comparison.ok


def test_a_check_is_a_guarantee() -> None:
    comparison = acompass.compare(f"EACH RESULT : Age <= 80; {K}", K)
    assert [claim.verdict for claim in comparison.old_by_new] == [ClaimVerdict.REFUTED, ClaimVerdict.PROVED]
    assert is_implied(comparison.old_by_new) is False


def test_an_assertion_that_a_later_line_breaks_is_not_a_guarantee() -> None:
    """The second line breaks the assertion of the first."""
    comparison = acompass.compare(f"{K} ALWAYS : WITH PROBABILITY 0.5 REJECT;", "ALWAYS : DROP Zip;")
    assert comparison.old_by_new == ()
    assert is_implied(comparison.old_by_new) is True


def test_a_guarantee_about_a_dropped_column_is_undecided() -> None:
    comparison = acompass.compare("EACH RESULT : Age <= 80 : REJECT;", "ALWAYS : DROP Age;")
    (claim,) = comparison.old_by_new
    assert claim.verdict is ClaimVerdict.UNDECIDED
    assert "does not fit" in claim.reason
    assert is_implied(comparison.old_by_new) is None


def test_values_that_only_the_new_policy_releases_are_listed() -> None:
    old, new = "EACH RESULT : Age < 90 : REJECT;", "EACH RESULT : Age < 95 : REJECT;"
    assert _released_values(acompass.compare(old, new, types=INTEGER)) == [
        (None, "`Age` from 90 and below 95", True),
        ("Age", "from 90 and below 95 unchanged", True),
    ]
    assert _released_values(acompass.compare(new, old, types=INTEGER)) == []


def test_a_column_that_is_no_longer_suppressed_is_listed() -> None:
    for suppressed in ("ALWAYS : DROP Name;", "ALWAYS : REPLACE Name WITH '*';"):
        comparison = acompass.compare(f"{suppressed} {K}", K)
        assert is_implied(comparison.old_by_new) is True
        ((column, words, certain),) = _released_values(comparison)
        assert (column, certain) == ("Name", False)
        assert words in ("unchanged", "all texts but '*' unchanged")
        assert not comparison.ok
        assert _released_values(acompass.compare(K, f"{suppressed} {K}")) == []


def test_finer_labels_reveal_more_and_coarser_ones_do_not() -> None:
    fine, coarse = "ALWAYS : GENERALIZE Age TO BANDS OF 5;", "ALWAYS : GENERALIZE Age TO BANDS OF 10;"
    assert _released_values(acompass.compare(coarse, fine, types=INTEGER)) == [("Age", "as labels such as 0-4", True)]
    assert _released_values(acompass.compare(fine, coarse, types=INTEGER)) == []
    assert acompass.compare(fine, coarse, types=INTEGER).ok


def test_finer_constants_reveal_more_and_coarser_ones_do_not() -> None:
    coarse = "ALWAYS : REPLACE Age WITH 30;"
    fine = "EACH RESULT : Age < 20 : REPLACE Age WITH 30; EACH RESULT : Age >= 20 : REPLACE Age WITH 10;"
    assert _released_values(acompass.compare(coarse, fine, types=INTEGER)) == [
        ("Age", "10 in place of values below 20", True),
    ]
    assert _released_values(acompass.compare(fine, coarse, types=INTEGER)) == []


def test_a_constant_in_place_of_labels_of_drawn_values_reveals_whom_it_replaces() -> None:
    """The old policy gives all records one label; the draw has fewer kinds of values than the column."""
    labels = "ALWAYS : GENERALIZE Age TO BANDS AT 10;"
    old = f"EACH RESULT : Age < 5 : RANDOM Age FROM (7); {labels}"
    assert _released_values(acompass.compare(old, "EACH RESULT : Age < 20 : REPLACE Age WITH '*';", INTEGER)) == [
        ("Age", "below 20 unchanged", True),
        ("Age", "* in place of values from 20 up", True),
    ]
    suppressed = acompass.compare(old, "ALWAYS : REPLACE Age WITH '*';", INTEGER)
    assert suppressed.releases == "no more"


def test_texts_are_named() -> None:
    old, new = "EACH RESULT : Sex != 'x' : REJECT;", "EACH RESULT : Sex != 'y' : REJECT;"
    assert _released_values(acompass.compare(old, new)) == [
        (None, "`Sex` 'x'", True),
        ("Sex", "'x' unchanged", True),
    ]


def test_a_comparison_that_is_not_understood_is_not_judged() -> None:
    old = "EACH RESULT : Age <= 80 : REPLACE Age WITH '*'; EACH RESULT : Age > '3' : REJECT;"
    new = "EACH RESULT : Age <= 80 : REPLACE Age WITH '*'; EACH RESULT : Age > '4' : REJECT;"
    comparison = acompass.compare(old, new)
    assert comparison.impact.released is None
    assert "orders numbers" in comparison.impact.reason
    assert not comparison.ok


def test_more_chance_of_the_same_values_is_not_nothing() -> None:
    old = "ALWAYS : WITH PROBABILITY 0.9 REPLACE Sex WITH '*';"
    comparison = acompass.compare(old, old.replace("0.9", "0.1"))
    assert comparison.impact.released is None
    assert not comparison.ok


def test_a_policy_without_guarantees_can_release_more() -> None:
    """The classes of `*` may be small, so nothing is proved about either policy."""
    old = K.replace("REJECT", "REPLACE Zip WITH '*'")
    comparison = acompass.compare(old, old.replace("5", "3"))
    assert (comparison.equivalent, comparison.old_by_new, comparison.guarantees) == (False, (), "kept")
    assert comparison.releases == "more"
    assert not comparison.ok


K3 = "EACH PROCESS COUNT(*) AS n GROUP BY a, s : n >= 3 : REJECT;"
THEN = K3.replace("REJECT", "REPLACE s WITH '*' THEN REJECT")
CASCADE = "EACH PROCESS COUNT(*) AS n GROUP BY a, z : n >= 3 : GENERALIZE z TO PREFIX OF 3 THEN REJECT;"
BANDS = "ALWAYS : GENERALIZE n TO BANDS OF 5;"
POSITIVE = "EACH RESULT : n > 0 : REJECT;"
NEAREST = "ALWAYS : GENERALIZE n TO NEAREST 5;"
SOME = "SOME RESULT : a = 'x'"
CHANCE = "ALWAYS : WITH PROBABILITY 0.5 REJECT;"


@pytest.mark.parametrize(
    ("old", "new", "forth", "back"),
    [
        # small classes are suppressed before they are rejected: both policies guarantee k, one writes more records
        (K3, THEN, "more", "no more"),
        # the classes do not depend on the suppressed column, so the second step rejects what the first one suppressed
        (K3.replace("a, s", "a"), THEN.replace("a, s", "a"), "no more", "no more"),
        (K3, K3.replace("3", "5"), "no more", "more"),
        (K3, f"{K3} ALWAYS : DROP a;", "no more", "more"),
        (K3, f"ALWAYS : REPLACE x WITH '*'; {K3}", "no more", "more"),
        # coarser keys make larger classes, of which fewer are rejected
        (K3, f"ALWAYS : GENERALIZE a TO PREFIX OF 2; {K3}", "more", "more"),
        (CASCADE, CASCADE.replace(">= 3", ">= 5"), "more", "more"),
        (CASCADE, f"{CASCADE} {K3.replace('a, s : n >= 3', 'a : n >= 5')}", "no more", "more"),
        (BANDS, BANDS.replace("5", "10"), "no more", "more"),
        (BANDS, BANDS.replace("5", "7"), "more", "more"),
        ("EACH RESULT : n <= 80 : REPLACE n WITH 80;", "EACH RESULT : n <= 70 : REPLACE n WITH 70;", "no more", "more"),
        ("ALWAYS : REPLACE a WITH 'x';", "ALWAYS : REPLACE a WITH 'y';", "no more", "no more"),
        # a check that fails writes nothing, a REJECT writes the other classes
        (K3.replace(" : REJECT", ""), K3, "more", "no more"),
        (
            K3.replace("REJECT", "GENERALIZE z TO PREFIX OF 3"),
            "ALWAYS : GENERALIZE z TO PREFIX OF 3;",
            "no more",
            "more",
        ),
        # on a table without such a record, the check writes nothing and the REJECT writes no record
        (f"{SOME} : REJECT;", f"{SOME};", "no more", "undecided"),
        (f"{CHANCE} {K3}", f"{CHANCE} {K3.replace('3', '5')}", "no more", "more"),
        (f"{K3} {CHANCE}", K3, "more", "no more"),
        # a pseudonym and a rounded number follow from the value
        (K3, f"{K3} ALWAYS : PSEUDONYM x;", "no more", "more"),
        (NEAREST, f"{NEAREST} {NEAREST.replace('5', '15')}", "no more", "more"),
        # some integers of 64 bits have a multiple of 15 and none of 5
        (NEAREST, NEAREST.replace("5", "15"), "undecided", "more"),
        (NEAREST, NEAREST.replace("5", "10"), "more", "more"),
        (BANDS.replace("GENERALIZE n TO BANDS OF 5", "REPLACE n WITH 5"), NEAREST, "more", "undecided"),
        # neither does the mean of several values, nor a date that another column shifts
        (
            "EACH RESULT : n > 0 : REJECT;",
            "EACH RESULT : n > 0 : REJECT; ALWAYS : MICROAGGREGATE n BY 3;",
            "undecided",
            "more",
        ),
        # a drawn value is not compared with the value that it replaces
        (K3, f"{K3} ALWAYS : RANDOM a 1 9;", "undecided", "more"),
        (K3.replace("n >= 3", "n <= 3"), K3.replace("n >= 3", "n <= 2"), "undecided", "more"),
    ],
)
def test_what_the_new_policy_releases(old: str, new: str, forth: str, back: str) -> None:
    types = {"n": "integer"} if " n TO" in old or " n WITH" in old or ("n >" in new and "n BY" in new) else None
    for one, other, verdict in ((old, new, forth), (new, old, back)):
        comparison = acompass.compare(one, other, types=types)
        assert comparison.releases == verdict, (one, other, comparison.impact.reason)
        assert comparison.ok == (comparison.guarantees == "kept" and verdict in ("same", "no more"))
        assert (comparison.impact.released == ()) == (verdict == "no more")
        if verdict == "more":
            assert comparison.difference is not None
            assert comparison.difference.new is not None
            assert comparison.difference.new.records


def test_suppressing_small_classes_before_rejecting_them_is_not_accepted() -> None:
    """All guarantees are kept, and yet a table shows records that the old policy rejects."""
    comparison = acompass.compare(K3, THEN)
    assert (comparison.guarantees, comparison.releases, comparison.ok) == ("kept", "more", False)
    assert comparison.difference is not None
    assert comparison.difference.old is not None
    assert comparison.difference.new is not None
    assert (len(comparison.difference.old.records), len(comparison.difference.new.records)) == (0, 3)


def test_a_policy_that_renames_releases_the_same() -> None:
    comparison = acompass.compare(K3, K3.replace("n >=", "m >=").replace("AS n", "AS m"))
    assert (comparison.equivalent, comparison.releases, comparison.ok) == (True, "same", True)


def test_labels_of_drawn_and_constant_values_in_one_column_are_described() -> None:
    """Kinds of drawn values are not those of the column: RANDOM, REPLACE and PREFIX write one column."""
    old = "ALWAYS : RANDOM a 4 90; ALWAYS : GENERALIZE a TO PREFIX OF 1;"
    new = "EACH RESULT : a = '12' : REPLACE a WITH '5'; ALWAYS : GENERALIZE a TO PREFIX OF 1;"
    for one, other in ((old, new), (new, old)):
        assert acompass.compare(one, other).releases in ("more", "undecided")


PROVED, REFUTED, UNDECIDED = ClaimVerdict.PROVED, ClaimVerdict.REFUTED, ClaimVerdict.UNDECIDED
POLICY_CLAIMS_K = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 3 : REJECT;"
CAP = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
POLICY = f"ALWAYS : DROP Name;\n{CAP}\nALWAYS : GENERALIZE Zip TO PREFIX OF 3;\n{POLICY_CLAIMS_K}"


def only(policy: str, claim: str, **settings: object) -> Claim:
    return acompass.prove(policy, [claim], **settings).claims[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("policy", "verdict"),
    [
        (POLICY, PROVED),
        (CAP, PROVED),
        (
            "EACH RESULT : Age != 1 : REPLACE Age WITH 2; EACH RESULT : Age != 0 : REPLACE Age WITH 1;",
            REFUTED,
        ),
        ("ALWAYS : RANDOM Age 0 9;", REFUTED),
        (f"ALWAYS : DROP Name THEN REPLACE Zip WITH '*'; {POLICY_CLAIMS_K}", PROVED),
        ("EACH RESULT : Age <= 80; EACH RESULT : Age < 50 : REPLACE Age WITH 99;", REFUTED),
        ("ALWAYS : GENERALIZE Age TO BANDS OF 5; ALWAYS : GENERALIZE Age TO BANDS OF 10;", PROVED),
        ("EACH RESULT : Age > 5 : REPLACE Age WITH '*';", UNDECIDED),
        ("EACH RESULT : Name != 'a' : REJECT; ALWAYS : DROP Name;", UNDECIDED),
    ],
)
def test_idempotence_is_decided(policy: str, verdict: ClaimVerdict) -> None:
    claim = only(policy, "idempotent", types={"Age": "integer"} if "Age" in policy else None)
    assert (claim.text, claim.line, claim.verdict) == ("idempotent", None, verdict), claim.reason
    if verdict is REFUTED:
        assert claim.counterexample is not None
        assert claim.counterexample.instead is not None
        assert claim.counterexample.instead.title == "after a second run"


def test_a_second_run_that_fails_is_shown() -> None:
    claim = only("EACH RESULT : Age <= 80; EACH RESULT : Age < 50 : REPLACE Age WITH 99;", "idempotent")
    assert claim.counterexample is not None
    assert claim.counterexample.instead is not None
    assert claim.counterexample.instead.records is None
    assert claim.counterexample.left


def test_a_policy_that_cannot_be_run_again_is_undecided_for_that_reason() -> None:
    claim = only("EACH RESULT : Name != 'a' : REJECT; ALWAYS : DROP Name;", "idempotent")
    assert claim.reason.startswith("the policy cannot be run on its own output: ")


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("order of 1, 2", PROVED),
        ("order of 1, 4", REFUTED),
        ("order of 2, 3", PROVED),
        ("Order of 3 and 2", PROVED),
        ("order of 2, 2", PROVED),
        ("order of 2, 4", REFUTED),
        ("order of 3, 4;", REFUTED),
    ],
)
def test_the_order_of_two_lines_is_decided(claim: str, verdict: ClaimVerdict) -> None:
    found = only(POLICY, claim)
    assert (found.text, found.verdict) == (claim, verdict), found.reason
    assert (found.counterexample is not None) == (verdict is REFUTED)


def test_the_steps_of_a_then_move_with_their_assertion() -> None:
    then = "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 3\n: REPLACE Zip WITH '*'\nTHEN REJECT;"
    policy = f"{then}\nALWAYS : DROP Name;"
    assert only(policy, "order of 1, 4").verdict is PROVED
    with pytest.raises(acompass.CallError) as raised:
        only(policy, "order of 3, 4")
    (found,) = raised.value.diagnostics
    assert (found.code, found.help) == ("AC561", "lines with a requirement: 1, 4")


def test_lines_that_cannot_be_exchanged_are_undecided() -> None:
    claim = only("EACH RESULT : Age > 5 : REJECT;\nALWAYS : REPLACE Age WITH '*';", "order of 1, 2")
    assert claim.verdict is UNDECIDED
    assert claim.reason.startswith("with the lines exchanged, the policy is not valid: ")


@pytest.mark.parametrize(
    ("policy", "claim", "verdict"),
    [
        (POLICY, "Age unchanged", REFUTED),
        (POLICY, "Zip unchanged", REFUTED),
        (POLICY, "Name unchanged", REFUTED),
        (POLICY_CLAIMS_K, "Zip unchanged", PROVED),
        (POLICY_CLAIMS_K, '"zip" unchanged', PROVED),
        ("EACH RESULT : Age != 5 : REPLACE Age WITH 5;", "Age unchanged", PROVED),
        ("EACH RESULT : Age != 5 : REPLACE Age WITH 6;", "Age unchanged", REFUTED),
        ("EACH RESULT : Age > 5 OR Age <= 5 : REPLACE Age WITH '*';", "Age unchanged", PROVED),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 3 : REPLACE Zip WITH '*';",
            "Zip unchanged",
            REFUTED,
        ),
        ("ALWAYS : WITH PROBABILITY 0.5 RANDOM Age 0 9;", "Age unchanged", REFUTED),
        ("ALWAYS : WITH PROBABILITY 0.5 REJECT;", "Age unchanged", PROVED),
    ],
)
def test_a_claim_that_a_column_is_unchanged_is_decided(policy: str, claim: str, verdict: ClaimVerdict) -> None:
    types = {"Age": "integer", "Zip": "text", "Name": "text"}
    found = only(policy, claim, schema=types)
    assert found.verdict is verdict, found.reason
    assert (found.counterexample is not None) == (verdict is REFUTED)


def test_the_line_that_changes_a_column_is_named() -> None:
    assert only(POLICY, "Zip unchanged").reason.splitlines()[1] == "line 3 changes it"


def test_an_unknown_column_is_rejected() -> None:
    with pytest.raises(acompass.CallError) as raised:
        only(POLICY_CLAIMS_K, "Sex unchanged")
    (found,) = raised.value.diagnostics
    assert (found.code, found.help) == ("AC562", "columns: Age, Zip")


def test_claims_keep_their_order() -> None:
    claims = ["idempotent", "EACH RESULT : Age <= 80", "Zip unchanged", "EACH RESULT : Age <= 70"]
    proof = acompass.prove(f"{CAP} {POLICY_CLAIMS_K}", claims)
    assert [claim.text for claim in proof.claims] == claims
    assert [claim.verdict for claim in proof.claims] == [PROVED, PROVED, PROVED, REFUTED]


@pytest.mark.parametrize(
    ("claim", "assumed", "verdict"),
    [
        ("EACH RESULT : Age <= 70", "EACH RESULT : Age <= 60", PROVED),
        ("EACH RESULT : Age <= 70", "EACH RESULT : Age <= 75", REFUTED),
        ("Age unchanged", "EACH RESULT : Age < 81", PROVED),
        ("Age unchanged", "EACH RESULT : Age < 82", REFUTED),
        ("order of 1, 2", "EACH RESULT : Age <= 80", PROVED),
        ("order of 1, 2", "EACH RESULT : Age <= 81", REFUTED),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 5",
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 5",
            REFUTED,
        ),
    ],
)
def test_a_claim_may_depend_on_an_assumption(claim: str, assumed: str, verdict: ClaimVerdict) -> None:
    found = only(f"{CAP}\n{POLICY_CLAIMS_K}", claim, assume=[assumed], types={"Age": "integer"})
    assert found.verdict is verdict, found.reason


def test_an_assumption_about_classes_is_known() -> None:
    assumed = "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= k"
    claim = only(CAP, assumed, assume=[assumed], params={"k": 5})
    assert claim.verdict is PROVED
    assert claim.reason.splitlines()[0] == f"assumed: {assumed}"


def test_own_claims_know_assumptions() -> None:
    policy = "EACH RESULT : Age <= 80;"
    (claim,) = acompass.prove(policy, assume=["EACH RESULT : Age <= 60"]).claims
    assert (claim.verdict, claim.line) == (PROVED, 1)
    (claim,) = acompass.prove(policy).claims
    assert claim.verdict is REFUTED


def test_a_counterexample_satisfies_the_assumptions() -> None:
    claim = only(POLICY_CLAIMS_K, "EACH RESULT : Age = 7", assume=["EACH RESULT : Age > 20 AND Zip = 'x'"])
    assert claim.counterexample is not None
    assert {(age > 20, zip_) for age, zip_ in claim.counterexample.records} == {(True, "x")}  # type: ignore[operator]


@pytest.mark.parametrize("assumed", ["EACH RESULT : Age = 1 : REJECT", "ALWAYS : DROP Age"])
def test_an_assumption_is_an_assertion(assumed: str) -> None:
    with pytest.raises(acompass.CallError) as raised:
        only(POLICY_CLAIMS_K, "idempotent", assume=[assumed])
    assert raised.value.diagnostics[0].code == "AC560"


PAGES = [read_page(FOLDER / f"{code}.md") for code in ("AC560", "AC561", "AC562")]


def _codes(policy: str, blocks: dict[str, str]) -> list[str]:
    claims, assumed = ([blocks[kind]] if kind in blocks else None for kind in ("claim", "assumption"))
    try:
        acompass.prove(policy, claims, assume=assumed)
    except acompass.AcompassError as error:
        return [finding.code for finding in error.diagnostics]
    return []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_example_gives_the_error_and_the_fix_does_not(page: Page) -> None:
    assert _codes(page.example["acompass"], page.example) == [page.code]
    assert _codes(page.example["acompass"], page.fix) == []
