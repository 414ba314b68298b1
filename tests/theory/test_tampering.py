"""Tampered certificates are refused, or accepted for what `verify` prints about them."""

import copy
import random
from typing import Any

import pytest

from tests.length import at_length
from tests.prove.certify.campaign import statements
from tests.theory.building import needs
from tests.theory.statements import in_normal_form, meaning_of, read_back
from tests.theory.tampering import Changed, Outcome, count_files, dump, every_node, examples, load, run_share

pytestmark = [pytest.mark.slow, needs("make", "coqc", "ocamlfind")]


def test_what_is_printed_reads_back() -> None:
    """With every type, literal, conversion and action."""
    for certificate in examples():
        ((letters, *lines),) = statements([dump(load(certificate))])
        assert letters == "a" * len(certificate["claims"])
        assert in_normal_form(read_back(lines).meaning) == in_normal_form(meaning_of(certificate))


def test_every_node_of_a_certificate_matters_or_changes_nothing() -> None:
    outcome, rng, small = Outcome(), random.Random("every node"), examples()[-1]
    files = [Changed(small, change, text) for change, text in every_node(small, rng)]
    count_files(rng, files, outcome)
    assert outcome.broken == []
    assert outcome.files > 1_000
    assert outcome.outcomes["same meaning"] < outcome.files / 10


_ACTIONS = (
    *(["nearest", 0, "unchanged", [5, 1]], ["pseudonym", 0], ["shift", [0], 1, 30], ["add", 0, -1, 1]),
    *(["microaggregate", 0, "unchanged", 3], ["generalize", 0, "nearest"]),
)
_AGGREGATES = (["mode", 0], ["largest", 2, 0], ["reference", [0], []], ["share", 0])


@pytest.mark.parametrize("action", _ACTIONS)
def test_actions_of_published_rules_are_refused(action: list[Any]) -> None:
    """The checker does not know them, in no spelling."""
    certificate = copy.deepcopy(examples()[-1])
    certificate["program"][-1]["action"] = action
    ((letter, reason, *_),) = statements([dump(load(certificate))])
    assert (letter, reason) == ("?", "expected an action")


@pytest.mark.parametrize("aggregate", _AGGREGATES)
def test_aggregates_of_published_rules_are_refused(aggregate: list[Any]) -> None:
    certificate = copy.deepcopy(examples()[-1])
    certificate["program"][-1]["assertion"] = ["each", ["process", [aggregate], None, [0]], [">", 1, {"integer": "0"}]]
    ((letter, reason, *_),) = statements([dump(load(certificate))])
    assert letter == "?"
    assert reason in ("expected an aggregate", f"there is no function {aggregate[0]}")


@pytest.mark.campaign
def test_tampered_certificates_are_refused_or_printed_as_they_are() -> None:
    outcome = Outcome()
    run_share(0, at_length(500), outcome)
    assert outcome.broken == []
    assert all(outcome.outcomes[each] for each in ("not a certificate", "refused", "same meaning", "true"))
