"""The interpreter that is extracted from the theory, compared with `semantics`."""

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from acompass.language.program import program
from acompass.language.program.effects import write_of
from acompass.language.program.kernels import Labels, Map
from acompass.language.program.program import Program, Requirement
from acompass.semantics import core
from acompass.testing.conformance.cases import Case, random_case
from tests.theory import expressions
from tests.theory.building import BUILD, make
from tests.theory.expressions import form


@dataclass(frozen=True)
class Recorder:
    """A map that records its labels, because the theory represents a map by the labels of texts."""

    map: Map
    labels: dict[str, str] = field(default_factory=dict)

    def label(self, text: str) -> str | None:
        label = self.map.label(text)
        if label is not None:
            self.labels[text] = label
        return label


@dataclass(frozen=True)
class Difference:
    case: Case
    semantics: str
    theory: str


def random_cases(seeds: Iterable[str]) -> list[Case]:
    return [random_case(Random(seed)) for seed in seeds]


def differences(cases: Sequence[Case]) -> list[Difference]:
    """The cases on which the theory and `semantics` differ."""
    asked = [_question_and_answer(case) for case in cases]
    pairs = zip(cases, asked, answers([line for line, _ in asked]), strict=True)
    return [Difference(case, expected, found) for case, (_, expected), found in pairs if expected != _in_order(found)]


def answers(lines: Sequence[str]) -> list[str]:
    """The answers of the extracted functions to each line."""
    make("oracle")
    command = [BUILD / "oracle"]
    finished = subprocess.run(command, input="".join(f"{line}\n" for line in lines), capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.splitlines()


def _question_and_answer(case: Case) -> tuple[str, str]:
    program = case.program()
    recorders, recording = _recording(program)
    trace = core.trace_of_values(case.trace)
    outcome = core.run_program(recording, case.records, trace)
    checked = core.check_program(program, case.records)
    labels = {index: recorder.labels for index, recorder in recorders.items()}
    line = expressions.case(program.requirements, labels, case.records, case.trace)
    records = form(*sorted(map(expressions.record, outcome.records)))
    return line, form(records, _verdicts(outcome.requirements), _verdicts(checked), outcome.trace_used)


def _recording(program: Program) -> tuple[dict[int, Recorder], Program]:
    recorders: dict[int, Recorder] = {}
    requirements = tuple(_record_labels(each, recorders) for each in program.requirements)
    return recorders, replace(program, requirements=requirements)


def _record_labels(requirement: Requirement, recorders: dict[int, Recorder]) -> Requirement:
    write = write_of(requirement.action)
    map_ = None if write is None else write.kernel.label_map()
    if requirement.action is None or write is None or map_ is None:
        return requirement
    recorder: Any = recorders.setdefault(requirement.index, Recorder(map_))
    return replace(requirement, action=replace(requirement.action, effect=replace(write, kernel=Labels(recorder))))


def _verdicts(verdicts: Iterable[program.Verdict]) -> str:
    return form(*(form(str(each.holds).lower(), each.affected, each.records) for each in verdicts))


def _in_order(answer: str) -> str:
    """The answer with its records in the order of their texts: a table is a bag."""
    records, rest = _split(answer[1:])
    inner = records[1:-1]
    found = []
    while inner:
        first, inner = _split(inner)
        found.append(first)
    return f"({form(*sorted(found))} {rest}"


def _split(text: str) -> tuple[str, str]:
    """The first form of a text, and the rest without the space between."""
    depth = 0
    for at, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return text[: at + 1], text[at + 1 :].removeprefix(" ")
    raise AssertionError("a form that does not end")
