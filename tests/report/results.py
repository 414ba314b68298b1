"""Handmade results to render."""

from acompass.result import RequirementOutcome, Result

AGES = RequirementOutcome(
    index=1,
    line=2,
    text="EACH RESULT\n   : Age <= 80\n   : REPLACE Age WITH 80",
    holds=False,
    affected=3,
    action="REPLACE",
    records=1000,
)
SIZES = RequirementOutcome(
    index=2,
    line=6,
    text="EACH PROCESS COUNT(*) AS Size GROUP BY Age : Size >= 2 : REJECT",
    holds=True,
    affected=0,
    action="REJECT",
    records=1000,
)
DIVERSITY = RequirementOutcome(
    index=3,
    line=7,
    text="EACH RESULT : Name < '<b>&' OR Name > '\x07'",
    holds=False,
    affected=1,
    action=None,
    records=1000,
)

MIXED = Result(
    records_in=1000, records_out=1000, ok=False, requirements=(AGES, SIZES, DIVERSITY), trace_used=1
)
EMPTY = Result(records_in=1, records_out=1, ok=True, requirements=(), trace_used=0)
