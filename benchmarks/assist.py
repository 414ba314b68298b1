"""How long someone who types waits for verdicts: `python -m benchmarks.assist [--records 1000000]`.

Adult, or a table of as many records made from it by changing some values, with the policy of
examples/adult and with a k-anonymity requirement alone. CPU time is shown beside the time of a clock, as it
says more on a machine that others use.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from acompass.assist.context import Context
from acompass.assist.desk import Desk
from acompass.assist.diagnose import diagnose
from acompass.assist.document import Document
from acompass.assist.requirements import proofs, verdicts
from acompass.assist.table import table_facts

ADULT = Path(__file__).parents[1] / "examples" / "adult"
K_ANONYMITY = """
EACH PROCESS COUNT(*) AS n GROUP BY age, education, marital-status, race, sex, native-country
   : n >= k
   : REJECT;
"""
REPEATS = 5
#: some values of each copy of a record are changed, so that the combinations grow with the table
_CHANGED = """
SELECT * REPLACE (
    greatest(17, least(90, CAST(age AS INT) + CAST(hash(a.rowid, r) % 11 AS INT) - 5)) AS age,
    CASE WHEN hash(a.rowid * 3, r) % 20 = 0 THEN 'Other-service' ELSE occupation END AS occupation,
    CASE WHEN hash(a.rowid * 5, r) % 50 = 0 THEN 'Other' ELSE race END AS race,
    CASE WHEN hash(a.rowid * 7, r) % 30 = 0 THEN 'Mexico' ELSE "native-country" END AS "native-country"
)
FROM a, range({copies}) AS copies(r) LIMIT {records}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, help="more than Adult's 32,561")
    records = parser.parse_args().records
    with TemporaryDirectory() as folder:
        table = str(ADULT / "adult.csv.gz") if records is None else _larger(Path(folder), records)
        with Desk.open(table) as desk:
            _report(desk)


def _larger(folder: Path, records: int) -> str:
    path, copies = folder / "adult.csv", records // 32_561 + 1
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE a AS FROM read_csv('{ADULT / 'adult.csv.gz'}', all_varchar = true)")
        query = _CHANGED.format(copies=copies, records=records)
        con.execute(f"COPY (SELECT * EXCLUDE (r) FROM ({query})) TO '{path}' (HEADER)")
    return str(path)


def _report(desk: Desk) -> None:
    policy = ADULT / "policy.acp"
    whole = Document(policy.read_text(encoding="utf-8"), str(policy))
    alone = Document(K_ANONYMITY, str(policy))
    params: dict[str, Any] = {"k": 5, "l": 3}
    sample = desk.sample
    print(f"{desk.whole.records():,} records, {'all' if sample is None else f'{sample.records:,} sampled'}")
    questions: dict[str, Callable[[], object]] = {
        "verdicts, k-anonymity": lambda: verdicts(alone, params, desk.session),
        "verdicts, examples/adult": lambda: verdicts(whole, params, desk.session),
        "diagnostics, examples/adult": lambda: diagnose(whole, Context(params), desk.session),
        "proofs, examples/adult": lambda: proofs(whole, params, None),
        "facts about columns": lambda: table_facts(desk.session),
    }
    for name, question in questions.items():
        clock, cpu = min(_measured(question) for _ in range(REPEATS))
        print(f"{name:30} {clock * 1000:8.0f} ms, {cpu * 1000:6.0f} ms of CPU")


def _measured(question: Callable[[], object]) -> tuple[float, float]:
    clock, cpu = time.perf_counter(), time.process_time()
    question()
    return time.perf_counter() - clock, time.process_time() - cpu


if __name__ == "__main__":
    main()
