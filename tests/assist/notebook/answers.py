"""An answer of every kind, about a table and a policy with hostile names."""

import random

import acompass
from acompass.errors.display import Answer

SCRIPT = "<script>alert(1)</script>"
#: a value that occurs once
SECRET = "Zebulon & <b>Pike</b>"
POLICY = f"""\
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
EACH RESULT : "{SCRIPT}" != '</code>{SCRIPT}' : REJECT;
EACH PROCESS COUNT(*) AS Size GROUP BY Age, "{SCRIPT}" : Size >= k : REJECT;
EACH RESULT : Age >= 18;
"""
PARAMS = {"k": 2}


def table() -> list[dict[str, object]]:
    rng = random.Random(3)
    others = [{"Name": f"person {i}", "Age": rng.randint(20, 90), SCRIPT: rng.choice("abc")} for i in range(100)]
    return [{"Name": SECRET, "Age": 97, SCRIPT: "a"}, *others]


def without_records() -> dict[str, Answer]:
    people, qi = table(), ["Age", SCRIPT]
    released = acompass.run(POLICY, people, params=PARAMS)
    return {
        "run": released,
        "check": acompass.check(POLICY, people, params=PARAMS, show=3),
        "plan": acompass.plan(POLICY, people, params=PARAMS),
        "proof": acompass.prove(
            POLICY, [f"EACH RESULT : \"{SCRIPT}\" = 'b'", "EACH RESULT : Age <= 80"], params=PARAMS
        ),
        "privacy": acompass.prove(POLICY, table=people, params=PARAMS, privacy=True),
        "comparison": acompass.compare(POLICY, f'{POLICY} ALWAYS : DROP "{SCRIPT}";', params=PARAMS),
        "measures": acompass.measure(
            released.table, qi=qi, sensitive=["Name"], against=people, hierarchies={"Age": "bands:5,10"}
        ),
        "suggestion": acompass.suggest(people, qi=qi, k=3, lines=4, compare=True),
        "estimate": acompass.estimate(people, acompass.pram(people, SCRIPT, 0.8), SCRIPT),
    }


def explanation() -> Answer:
    return acompass.explain(POLICY, table(), where=f"Age = 97 OR \"{SCRIPT}\" = 'c'", limit=3, params=PARAMS)
