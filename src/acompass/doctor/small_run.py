"""The made-up table and the policy that engines are asked to run."""

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acompass.conformance.generate import Case

PARAMS = {"k": 3}
#: each kind of action, and a class that is rejected
POLICY = """\
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
ALWAYS : GENERALIZE Area TO PREFIX OF 3;
EACH FILTER Job = 'teacher' : Age < 30 : RANDOM Age 30 40;
EACH PROCESS COUNT(*) AS Size, SUM(Amount) AS Total GROUP BY Area : Size >= k AND Total >= 50 : REJECT;
"""
_COLUMNS = ("Age", "Area", "Job", "Amount")
_RECORDS = [
    (34, "21201", "nurse", 10),
    (36, "21202", "nurse", 20),
    (38, "21203", "teacher", 30),
    (81, "21401", "farmer", 40),
    (83, "21402", "farmer", 50),
]
CSV = "".join(f"{','.join(map(str, row))}\n" for row in (_COLUMNS, *_RECORDS))


def small_case() -> "Case":
    """The same for a session of an engine."""
    from acompass.checked.types import INTEGER, TEXT, Column
    from acompass.conformance.generate import Case

    types = (INTEGER, TEXT, TEXT, INTEGER)
    schema = tuple(map(Column, _COLUMNS, types))
    return Case(POLICY, schema, list(_RECORDS), [Fraction(1, 3)] * len(_RECORDS), dict(PARAMS))
