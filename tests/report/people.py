"""A table of people that is large enough for charts, and a policy that changes it."""

import random

POLICY = """\
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
EACH FILTER Zip >= '21000' AND Zip <= '21199' : Zip = '211**' : REPLACE Zip WITH '211**';
EACH PROCESS COUNT(*) AS Size GROUP BY Age, Zip : Size >= k : REJECT;
EACH PROCESS COUNT DISTINCT Disease AS Kinds GROUP BY Age, Zip : Kinds >= 1;
"""
#: they occur once in the table, and therefore in no report
NAME, RARE = "Zebulon Pike", "kuru"


def people(records: int = 400) -> str:
    rng = random.Random(7)
    rows = [
        f"Person {i},{rng.randint(30, 90)},{rng.choice((21101, 21102, 21103, 21501))},"
        f"{rng.choice(('flu', 'asthma', 'gout'))}"
        for i in range(records)
    ]
    return "\n".join(["Name,Age,Zip,Disease", f"{NAME},97,21777,{RARE}", *rows]) + "\n"
