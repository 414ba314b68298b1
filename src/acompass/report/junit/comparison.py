"""A comparison as JUnit: one case per guarantee of the old policy, and one for what is released."""

from acompass.compare.answer import Comparison
from acompass.report.junit.document import Case, junit
from acompass.report.junit.proof import claim_case
from acompass.report.rows.comparison import impact_heading, impact_lines


def comparison_to_junit(comparison: Comparison, policy: str) -> str:
    return junit(policy, [*map(claim_case, comparison.old_by_new), _released(comparison)])


def _released(comparison: Comparison) -> Case:
    name = "releases nothing that the old policy could not"
    if comparison.ok or comparison.impact.released == ():
        return Case(name)
    impact = comparison.impact
    return Case(name, "failure", "released", impact_heading(impact), "\n".join(impact_lines(impact)))
