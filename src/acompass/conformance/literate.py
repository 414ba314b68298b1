"""Write a case as a literate test: Markdown with the policy, the table, and the outcome by `semantics`."""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from acompass import semantics
from acompass.checked.convert import to_text
from acompass.checked.effects import is_always
from acompass.checked.exact import EXACT
from acompass.checked.maps.map import Unlabelled
from acompass.checked.program import Program
from acompass.checked.types import Column, Kind, Schema, Type, remaining
from acompass.conformance.compare import SEED, Disagreement, without_negative_zeros
from acompass.conformance.generate import Case
from acompass.result import action_name
from acompass.semantics import Outcome, Verdict

_TITLES = {
    "answer": "The engine reports an error",
    "unlabelled": "The run does not stop at the same values without a label",
    "checked": "The verdicts of a check differ",
    "records": "The records differ",
    "seeded": "The records differ, given a seed",
    "trace_used": "The use of the trace differs",
    "verdicts": "The verdicts differ",
}
#: the kinds that the columns of a CSV have without a policy (D10)
_UNTYPED = frozenset({Kind.INTEGER, Kind.TEXT})


def literate(disagreement: Disagreement) -> str:
    case = without_negative_zeros(disagreement.case)
    outcome = _outcome(disagreement, case)
    drawn_from = _random_option(disagreement, len(case.trace) if outcome is None else outcome.trace_used)
    blocks = [
        ("acompass", f"{case.policy_text}\n"),
        ("options", "".join(f"{line}\n" for line in _options(case, drawn_from))),
        ("csv", _csv(case.schema, case.records)),
        *([] if outcome is None else _expected(case.program(), outcome)),
    ]
    fenced = (f"```{word}\n{text}```\n" for word, text in blocks)
    return "\n".join([f"## {_TITLES[disagreement.what]}\n", *fenced])


def _outcome(disagreement: Disagreement, case: Case) -> Outcome | None:
    """By `semantics`; None where it stops at a value without a label (X2)."""
    seeded = disagreement.what == "seeded"
    rho = semantics.trace_of_seed(SEED) if seeded else semantics.trace_of_values(case.trace)
    try:
        return semantics.run_program(case.program(), case.records, rho)
    except Unlabelled:
        return None


def _expected(program: Program, outcome: Outcome) -> list[tuple[str, str]]:
    after = semantics.canonical_order(program.final_schema, outcome.records)
    return [
        ("after", _csv(program.final_schema, after)),
        ("verdicts", _verdicts(program, outcome.requirements)),
    ]


def _random_option(disagreement: Disagreement, used: int) -> str | None:
    """The option that gives the random numbers; None where the run draws none."""
    if disagreement.what == "seeded":
        return f"seed: {SEED}"
    drawn = disagreement.case.trace[:used]
    return "trace: " + " ".join(_decimal(rho) for rho in drawn) if drawn else None


def _options(case: Case, random_option: str | None) -> Iterable[str]:
    yield from (f"set: {name}={value}" for name, value in case.params.items())
    if any(column.type.kind not in _UNTYPED for column in case.schema):
        yield "types: " + " ".join(_type(case, column) for column in case.schema)
    if random_option is not None:
        yield random_option
    yield "order: canonical"
    yield "force: yes"


def _type(case: Case, column: Column) -> str:
    if column.type.spelled:
        return "text"
    digits = case.digits.get(column.name)
    return str(column.type) if digits is None else f"decimal({digits},{column.type.scale})"


def _decimal(rho: Fraction) -> str:
    return format(EXACT.divide(Decimal(rho.numerator), Decimal(rho.denominator)), "f")


def _csv(schema: Schema, records: Iterable[tuple[Any, ...]]) -> str:
    kept = remaining(schema)
    lines = [[_quoted(schema[position].name) for position in kept]]
    lines += [[_field(record[position], schema[position].type) for position in kept] for record in records]
    return "".join(",".join(line) + "\n" for line in lines)


def _field(value: Any, type_: Type) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return _quoted(to_text(value, type_))


def _quoted(text: str) -> str:
    plain = text and text == text.strip() and not any(mark in text for mark in ',;\t|"\r\n#')
    doubled = text.replace('"', '""')
    return text if plain else f'"{doubled}"'


def _verdicts(program: Program, verdicts: Sequence[Verdict]) -> str:
    actions = [action_name(requirement.action) or "-" for requirement in program.requirements]
    words = [
        "-" if is_always(requirement) else "holds" if verdict.holds else "violated"
        for requirement, verdict in zip(program.requirements, verdicts, strict=True)
    ]
    return "".join(
        f"{i} {word} {verdict.affected} {action}\n"
        for i, (verdict, word, action) in enumerate(zip(verdicts, words, actions, strict=True), start=1)
    )
