"""A disagreement with as little as possible around it: requirements, records and columns are left out, one
after the other, as long as what remains is a case and still disagrees."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from acompass.checked.from_syntax import check
from acompass.conformance.compare import Disagreement
from acompass.conformance.generate import Case
from acompass.syntax.parse import parse

Judge: TypeAlias = Callable[[Case], Disagreement | None]


def shrunk(disagreement: Disagreement, judge: Judge) -> Disagreement:
    while (smaller := _first_smaller(disagreement.case, judge)) is not None:
        disagreement = smaller
    return disagreement


def _first_smaller(case: Case, judge: Judge) -> Disagreement | None:
    for candidate in _smaller(case):
        if _is_case(candidate) and (found := judge(candidate)) is not None:
            return found
    return None


def _smaller(case: Case) -> Iterator[Case]:
    requirements = case.program().requirements
    for left_out in range(len(requirements)):
        rest = [each.text for i, each in enumerate(requirements) if i != left_out]
        yield _with_policy(case, rest)
    for i in range(len(case.records)):
        yield replace(case, records=[*case.records[:i], *case.records[i + 1 :]])
    for i in range(len(case.schema)):
        yield replace(
            case,
            schema=(*case.schema[:i], *case.schema[i + 1 :]),
            records=[(*record[:i], *record[i + 1 :]) for record in case.records],
        )


def _with_policy(case: Case, requirements: list[str]) -> Case:
    text = "\n".join(requirement.rstrip(";") + ";" for requirement in requirements)
    words = set(re.findall(r"\w+", text))
    params = {name: value for name, value in case.params.items() if name in words}
    return replace(case, policy_text=text, params=params)


def _is_case(case: Case) -> bool:
    if not case.schema:
        return False
    tree, findings = parse(case.policy_text)
    return not findings and check(tree, case.policy_text, case.schema, case.params)[0] is not None
