"""A small table, and a policy for it."""

from typing import Any

from acompass.assist.analysis import Context
from acompass.language.program.types import INTEGER, TEXT, Column
from acompass.measure.answer import Bar, ColumnFacts, Distribution
from acompass.policy import TableRoles

COLUMNS = ("Age", "Postal Code", "AEC (kWh)", "Illness", "Name")
SCHEMA = tuple(Column(name, INTEGER if name in ("Age", "AEC (kWh)") else TEXT) for name in COLUMNS)
POLICY = """\
ALWAYS : DROP Name;

EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Illness) AS l GROUP BY Age, Postal Code -- n is a name
   : n >= k AND l >= 2
   : GENERALIZE Age TO BANDS OF 10
     THEN REJECT;
"""


def people(number: int = 60) -> list[dict[str, Any]]:
    """Records of people; of 60, twelve have each illness."""
    illnesses = ("flu", "asthma", "gout", "rare illness" if number < 60 else "none", "cold")
    return [
        {
            "Age": 30 + place % 5,
            "Postal Code": f"212{place % 4:02}",
            "AEC (kWh)": 1000 + place,
            "Illness": illnesses[place % 5],
            "Name": f"Person {place}",
        }
        for place in range(number)
    ]


def illness_facts() -> ColumnFacts:
    bars = (Bar("flu", (40,)), Bar("it's asthma", (12,)))
    return ColumnFacts("Illness", "text", "text", 3, 7, Distribution("Illness", bars, (5,), (60,)))


def context(**changes: Any) -> Context:
    known: dict[str, Any] = {
        "params": {"k": 5},
        "columns": COLUMNS,
        "schema": SCHEMA,
        "facts": {"Illness": illness_facts()},
        "roles": TableRoles(("Age", "Postal Code"), ("Illness",), ("Name",)),
    }
    return Context(**(known | changes))
