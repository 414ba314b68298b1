"""What a policy guarantees, what another keeps of it, and what it releases beyond it."""

import acompass
from acompass.compare import Comparison
from acompass.compare.answer import is_implied
from acompass.prove import ClaimVerdict

K = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 5 : REJECT;"
INTEGER = {"Age": "integer"}


def _released(comparison: Comparison) -> list[tuple[str | None, str, bool]]:
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


def test_what_a_policy_does_not_establish_is_no_guarantee() -> None:
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


def test_values_that_only_the_new_policy_releases() -> None:
    old, new = "EACH RESULT : Age < 90 : REJECT;", "EACH RESULT : Age < 95 : REJECT;"
    assert _released(acompass.compare(old, new, types=INTEGER)) == [
        (None, "`Age` from 90 and below 95", True),
        ("Age", "from 90 and below 95 unchanged", True),
    ]
    assert _released(acompass.compare(new, old, types=INTEGER)) == []


def test_a_column_that_is_no_longer_suppressed() -> None:
    for suppressed in ("ALWAYS : DROP Name;", "ALWAYS : REPLACE Name WITH '*';"):
        comparison = acompass.compare(f"{suppressed} {K}", K)
        assert is_implied(comparison.old_by_new) is True
        ((column, words, certain),) = _released(comparison)
        assert (column, certain) == ("Name", False)
        assert words in ("unchanged", "all texts but '*' unchanged")
        assert not comparison.ok
        assert _released(acompass.compare(K, f"{suppressed} {K}")) == []


def test_finer_labels_tell_more_and_coarser_ones_do_not() -> None:
    fine, coarse = "ALWAYS : GENERALIZE Age TO BANDS OF 5;", "ALWAYS : GENERALIZE Age TO BANDS OF 10;"
    assert _released(acompass.compare(coarse, fine, types=INTEGER)) == [
        ("Age", "as labels such as 0-4", True)
    ]
    assert _released(acompass.compare(fine, coarse, types=INTEGER)) == []
    assert acompass.compare(fine, coarse, types=INTEGER).ok


def test_finer_constants_tell_more_and_coarser_ones_do_not() -> None:
    coarse = "ALWAYS : REPLACE Age WITH 30;"
    fine = "EACH RESULT : Age < 20 : REPLACE Age WITH 30; EACH RESULT : Age >= 20 : REPLACE Age WITH 10;"
    assert _released(acompass.compare(coarse, fine, types=INTEGER)) == [
        ("Age", "10 in place of values below 20", True),
    ]
    assert _released(acompass.compare(fine, coarse, types=INTEGER)) == []


def test_texts_are_named() -> None:
    old, new = "EACH RESULT : Sex != 'x' : REJECT;", "EACH RESULT : Sex != 'y' : REJECT;"
    assert _released(acompass.compare(old, new)) == [
        (None, "`Sex` 'x'", True),
        ("Sex", "'x' unchanged", True),
    ]


def test_what_is_not_understood_is_not_claimed() -> None:
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


def test_lines_about_classes_that_guarantee_nothing_are_not_weighed() -> None:
    """The classes of `*` may be small, so that nothing is proved of either."""
    old = K.replace("REJECT", "REPLACE Zip WITH '*'")
    comparison = acompass.compare(old, old.replace("5", "3"))
    assert (comparison.equivalent, comparison.old_by_new) == (False, ())
    assert comparison.impact.reason == "line 1 of the old policy is about classes and not a guarantee"
    assert not comparison.ok
