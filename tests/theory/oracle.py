"""The interpreter that is extracted from the theory, compared with `semantics`."""

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from acompass.language.program import program
from acompass.language.program.effects import write_of
from acompass.language.program.kernels import Labels, Pseudonym, Shift
from acompass.language.program.keys import key_text_of
from acompass.language.program.program import Requirement
from acompass.language.program.types import to_text
from acompass.semantics import core
from acompass.testing.conformance.cases import Case, random_case
from tests.theory import expressions
from tests.theory.building import BUILD, make
from tests.theory.expressions import form


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
    bag, rest, verdicts, functions = list(case.records), core.trace_of_values(case.trace), [], {}
    for requirement in program.requirements:
        functions[requirement.index] = function_of(requirement, bag)
        bag, rest, verdict = core.perform_requirement(requirement, bag, rest)
        verdicts.append(verdict)
    checked = core.check_program(program, case.records)
    line = expressions.case(program.requirements, functions, case.records, case.trace)
    records = form(*sorted(map(expressions.record, bag)))
    return line, form(records, _verdicts(verdicts), _verdicts(checked), rest.used)


def function_of(requirement: Requirement, bag: core.Bag) -> dict[Any, Any]:
    """The label or pseudonym of each text of a table, and the days of each person: the theory knows neither maps nor
    keys."""
    write = write_of(requirement.action)
    if write is None:
        return {}
    converted = core.convert_types(bag, requirement.before, requirement.after)
    match write.kernel:
        case Labels(map_):
            found = {record[write.column]: map_.label(record[write.column]) for record in converted}
            return {text: label for text, label in found.items() if label is not None}
        case Pseudonym() as kernel:
            type_ = requirement.after[write.column].type
            return {
                text: next(kernel.outcomes(text, type_))[0] for text in {record[write.column] for record in converted}
            }
        case Shift(person, days, key):
            assert key is not None
            type_ = requirement.after[person].type
            return {
                value: key.days(key_text_of(to_text(value, type_), type_), days)
                for value in {record[person] for record in converted}
            }
        case _:
            return {}


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
