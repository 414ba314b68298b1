"""How does ANJANA's k-anonymity on Adult compare with our policy of the same generalization levels?

ANJANA searches for the levels and we are told them, so its search is part of what is compared: a curator who
uses it waits for it, and one who writes a policy does not.
"""

import json
import subprocess
from pathlib import Path

import acompass
from benchmarks.peers import interpreter, version
from benchmarks.question import Answer, Question, Setting, at_least, seconds

_ADULT = Path(__file__).parents[2] / "examples" / "adult" / "adult.csv.gz"
_K = 10
_SCRIPT = """
import json, sys, time, pandas
from anjana.anonymity import k_anonymity, utils
data = pandas.read_csv(sys.argv[1], dtype=str, keep_default_na=False)[["age", "sex", "race", "income"]]
def decades(width):
    return [f"{int(a) // width * width}+{width}" for a in data["age"]]
star = ["*"] * len(data)
hierarchies = {
    "age": {0: data["age"].values, 1: decades(5), 2: decades(10), 3: decades(20), 4: star},
    "sex": {0: data["sex"].values, 1: star},
    "race": {0: data["race"].values, 1: star},
}
names = ["age", "sex", "race"]
start = time.perf_counter()
anonymous = k_anonymity(data, [], names, int(sys.argv[2]), 5, hierarchies)
taken = time.perf_counter() - start
levels = utils.utils.get_transformation(anonymous, names, hierarchies)
mapping = {
    name: dict(zip(data[name], hierarchies[name][level])) for name, level in zip(names, levels) if level
}
print(json.dumps({"seconds": taken, "mapping": mapping, "records": len(anonymous)}))
"""


def _policy(mapping: dict[str, dict[str, str]]) -> str:
    rules = [
        f"EACH RESULT : NOT ({name} = '{value}') : REPLACE {name} WITH '{general}';"
        for name, values in mapping.items()
        for value, general in values.items()
    ]
    k = f"EACH PROCESS COUNT(*) AS n GROUP BY age, sex, race : n >= {_K} : REJECT;"
    return "\n".join([*rules, k])


def _ask(setting: Setting) -> Answer:
    python = interpreter(setting.folder, "anjana")
    command = [python, "-c", _SCRIPT, str(_ADULT), str(_K)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    policy = acompass.parse(_policy(theirs["mapping"]))
    output = setting.folder / "adult.csv"
    ours = min(seconds(lambda: acompass.run(policy, str(_ADULT), output=output)) for _ in range(5))
    found = acompass.check(policy, str(output))
    assert found.requirements[-1].holds, "the result is not k-anonymous"
    note = f"ANJANA {version(python, 'anjana')}, {theirs['records']:,} records left, ours file to file"
    return Answer(theirs["seconds"] / ours, "×", note)


QUESTION = Question(
    "ANJANA",
    "ANJANA's k-anonymity on Adult / ours for the policy of the same generalization levels",
    "≥ 10",
    at_least(10),
    _ask,
)
