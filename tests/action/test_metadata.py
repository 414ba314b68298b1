"""action.yml follows GitHub's documentation and passes the review of a careful user."""

import re
from typing import Any

import pytest

from tests.action.expressions import Context
from tests.action.runner import ACTION
from tests.repo.sources import ROOT

TEXT = (ROOT / "action.yml").read_text(encoding="utf-8")
SCRIPT = (ROOT / "action" / "review.sh").read_text(encoding="utf-8")
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
KNOWN = {"actions/setup-python", "actions/upload-artifact", "github/codeql-action/upload-sarif"}
PINNED = re.compile(r"uses: (?P<name>\S+)@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def test_the_keys_are_those_of_a_composite_action() -> None:
    assert set(ACTION) == {"name", "description", "author", "branding", "inputs", "outputs", "runs"}
    assert set(ACTION["runs"]) == {"using", "steps"}
    assert ACTION["runs"]["using"] == "composite"
    for step in STEPS:
        needed = {"name", "uses", "with"} if "uses" in step else {"name", "shell", "run"}
        assert needed <= set(step) <= needed | {"id", "if", "env"}


def test_other_actions_are_known_and_pinned_to_a_commit() -> None:
    lines = [line.strip() for line in TEXT.splitlines() if "uses:" in line]
    found = [PINNED.fullmatch(line) for line in lines]
    assert {match["name"] for match in found if match} == KNOWN
    assert None not in found


def test_no_script_contains_an_expression() -> None:
    """The runner would paste the value into the script, where it could run as code."""
    assert not [step["name"] for step in STEPS if "${{" in step.get("run", "")]
    assert "${{" not in SCRIPT


def test_every_input_has_a_description_a_text_default_and_a_use() -> None:
    for name, about in ACTION["inputs"].items():
        assert set(about) == {"description", "default"}, name
        assert isinstance(about["default"], str), name
        assert f"inputs.{name} " in TEXT, name


def test_the_script_gets_every_variable_that_it_reads() -> None:
    (review,) = (step for step in STEPS if step.get("id") == "review")
    switches = {f"INPUT_{name.upper()}" for name in ("fmt", "lint", "prove", "compare", "check")}
    assert set(re.findall(r"\bINPUT_[A-Z_]+[A-Z]\b", SCRIPT)) | switches == set(review["env"])


def test_the_script_writes_every_output() -> None:
    written = set(re.findall(r'^\s+echo "([a-z]+)=\$', SCRIPT, re.MULTILINE))
    assert written == {*ACTION["outputs"], "failed"}


@pytest.mark.parametrize(
    "condition", ["true", "${{ always() }}", "${{ inputs.a == inputs.b }}", "${{ inputs.a == 'x' || true }}"]
)
def test_an_unknown_condition_is_rejected(condition: str) -> None:
    with pytest.raises(ValueError, match="unknown"):
        Context({"a": "x", "b": "x"}, {}).holds(condition)


def test_an_unknown_expression_is_rejected() -> None:
    context = Context({"a": "x"}, {"one": {"b": "y"}})
    assert context.fill("${{ inputs.a }}-${{ steps.one.outputs.b }}-${{ steps.one.outputs.c }}") == "x-y-"
    with pytest.raises(ValueError, match="unknown"):
        context.fill("${{ github.token }}")
    with pytest.raises(KeyError):
        context.fill("${{ inputs.b }}")
    with pytest.raises(KeyError):
        context.fill("${{ steps.two.outputs.b }}")
