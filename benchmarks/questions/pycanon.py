"""How does a distinct l-diversity check compare with pycanon's?"""

import duckdb

import acompass
from benchmarks.data import people
from benchmarks.peers import interpreter, run_timed, version
from benchmarks.question import Answer, Question, Setting, at_least, seconds

RECORDS = 100_000
_POLICY = "EACH PROCESS COUNT DISTINCT disease AS d GROUP BY age, zip, sex : d >= 2;"
_SCRIPT = """
import sys, time, pandas
from pycanon import anonymity
table = pandas.read_csv(sys.argv[1], dtype=str)
start = time.perf_counter()
anonymity.l_diversity(table, ["age", "zip", "sex"], ["disease"])
print(time.perf_counter() - start)
"""


def _ask(setting: Setting) -> Answer:
    python = interpreter(setting.folder, "pycanon")
    table = people(setting.folder, RECORDS)
    csv = str(setting.folder / "people.csv")
    with duckdb.connect() as con:
        con.execute(f"COPY (FROM '{table}') TO '{csv}'")
    theirs = run_timed(python, _SCRIPT, csv)
    policy = acompass.parse(_POLICY)
    ours = min(seconds(lambda: acompass.check(policy, table)) for _ in range(5))
    note = f"pycanon {version(python, 'pycanon')}, {RECORDS:,} records, reading not counted for pycanon"
    return Answer(theirs / ours, "×", note)


QUESTION = Question("pycanon", "distinct l-diversity check, pycanon / ours", "≥ 100", at_least(100), _ask)
