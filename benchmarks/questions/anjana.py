"""How does ANJANA's k-anonymity on Adult compare with a policy that has the same generalization levels?

ANJANA searches for the levels, while a policy states them. The time of the search is included, because a
curator who uses ANJANA waits for it, and a curator who writes a policy does not.
"""

import csv
import gzip
import json
import subprocess
from pathlib import Path

import pyarrow

import acompass
from benchmarks.peers import interpreter, version
from benchmarks.question import Answer, Question, Setting, at_least, seconds

_ADULT = Path(__file__).parents[2] / "examples" / "adult"
_QUASI_IDENTIFIERS = ("age", "education", "marital-status", "occupation", "sex", "native-country")
_K, _SUPPRESSED = 10, 10
_SCRIPT = """
import json, sys, time, pandas
from anjana.anonymity import k_anonymity, utils
folder, table, k, suppressed, *names = sys.argv[1:]
data = pandas.read_csv(table, dtype=str, keep_default_na=False)
hierarchies = {
    name: dict(pandas.read_csv(f"{folder}/hierarchies/{name}.csv", sep=";", header=None, dtype=str))
    for name in names
}
start = time.perf_counter()
anonymous = k_anonymity(data, [], names, int(k), int(suppressed), hierarchies)
taken = time.perf_counter() - start
levels = utils.utils.get_transformation(anonymous, names, hierarchies)
print(json.dumps({"seconds": taken, "levels": [int(level) for level in levels], "records": len(anonymous)}))
"""


def _known_people(folder: Path) -> tuple[str, pyarrow.Table]:
    """Adult without the records that have `?` in a quasi-identifier: which the hierarchies do not contain."""
    with gzip.open(_ADULT / "adult.csv.gz", "rt", newline="") as file:
        people = [p for p in csv.DictReader(file) if "?" not in (p[name] for name in _QUASI_IDENTIFIERS)]
    path = folder / "known.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, people[0])
        writer.writeheader()
        writer.writerows(people)
    return str(path), pyarrow.Table.from_pylist(people)


def _policy(levels: list[int]) -> str:
    rules = [
        f"EACH RESULT : NOT ({name} = '{row[0]}') : REPLACE {name} WITH '{row[level]}';"
        for name, level in zip(_QUASI_IDENTIFIERS, levels, strict=True)
        if level
        for row in csv.reader((_ADULT / "hierarchies" / f"{name}.csv").read_text().splitlines(), delimiter=";")
    ]
    classes = ", ".join(_QUASI_IDENTIFIERS)
    return "\n".join([*rules, f"EACH PROCESS COUNT(*) AS n GROUP BY {classes} : n >= {_K} : REJECT;"])


def _ask(setting: Setting) -> Answer:
    python = interpreter(setting.folder, "anjana")
    path, table = _known_people(setting.folder)
    command = [python, "-c", _SCRIPT, str(_ADULT), path, str(_K), str(_SUPPRESSED), *_QUASI_IDENTIFIERS]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    policy = acompass.parse(_policy(theirs["levels"]))
    ours = min(seconds(lambda: acompass.run(policy, table)) for _ in range(5))
    left = acompass.run(policy, table).records_out
    note = (
        f"ANJANA {version(python, 'anjana')}, both in memory, levels {theirs['levels']}, "
        f"{theirs['records']:,} and {left:,} records left"
    )
    return Answer(theirs["seconds"] / ours, "×", note)


QUESTION = Question(
    "ANJANA",
    "ANJANA's k-anonymity on Adult / ours for the policy of the same generalization levels",
    "≥ 10",
    at_least(10),
    _ask,
)
