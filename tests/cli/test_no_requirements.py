"""A policy without requirements is an error wherever it is used (D29), and not where it is only read."""

import pytest

import acompass as library
from acompass.diagnostics import PolicyError

TEXTS = ["", "\n", "-- EACH RESULT : Age <= 80;\n", "/* nothing */"]
COMMANDS = [
    ("run", "policy.acp", "people.csv", "-o", "out.csv"),
    ("check", "policy.acp", "people.csv"),
    ("plan", "policy.acp", "people.csv"),
    ("prove", "policy.acp"),
    ("prove", "policy.acp", "--claim", "EACH RESULT : Age <= 80"),
    ("lint", "policy.acp"),
    ("lint", "policy.acp", "--fix"),
    ("explain", "policy.acp", "people.csv", "--record", "1"),
    ("explain", "policy.acp", "--algebra"),
    ("explain", "policy.acp", "people.csv", "--sql"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("text", TEXTS)
def test_it_is_an_error_of_every_command(acompass, policy, tmp_path, command, text):
    path = policy(text)
    ran = acompass(*command)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "error[AC410]: policy `policy.acp` has no requirements" in ran.stderr
    assert (tmp_path / path).read_text() == text
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("text", TEXTS)
def test_it_is_an_error_of_every_call(text):
    table = [{"Age": 1}]
    calls = [library.check, library.run, library.plan, library.explain]
    for call in [*(lambda p, c=call: c(p, table) for call in calls), library.prove, library.lint]:
        with pytest.raises(PolicyError, match="AC410"):
            call(text)
    with library.open(table) as session, pytest.raises(PolicyError, match="AC410"):
        session.check(library.parse(text))


@pytest.mark.parametrize("text", TEXTS)
def test_it_can_be_read_and_formatted(acompass, policy, text):
    assert library.parse(text).tree.requirements == ()
    assert acompass("fmt", policy(text)).exit_code == 0
