"""A plan as the result that a run would have, and its stages. SQL is left out: it may contain values."""

from acompass.report.html.elements import tag
from acompass.report.notebook.elements import display, lines
from acompass.report.notebook.result import result_parts
from acompass.report.words import TO_REPAIR, records_in_and_out
from acompass.result import Plan


def plan_html(plan: Plan) -> str:
    caption = f"{records_in_and_out(plan.result, 'would be left')}; nothing was written"
    stages = tag("details", tag("summary", "Stages"), lines(plan.stages))
    return display(*result_parts(plan.result, caption, TO_REPAIR), stages)
