"""A plan as text: the result that a run would have, or the stages and statements it would run."""

from acompass.report.text.result import intended_text, remarks
from acompass.report.text.style import PLAIN, Style
from acompass.report.words import RELEASED, TO_REPAIR, records_in_and_out
from acompass.result import Plan


def plan_text(planned: Plan, style: Style = PLAIN) -> str:
    result = planned.result
    summary = f"{records_in_and_out(result, 'would be left')}; nothing was written"
    return intended_text(result.requirements, [*remarks(result, RELEASED), summary], style, TO_REPAIR)


def stages_text(planned: Plan) -> str:
    return "".join(f"{stage}\n" for stage in planned.stages)


def statements_text(planned: Plan) -> str:
    return "".join(f"{statement};\n" for statement in planned.statements)
