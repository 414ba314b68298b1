"""What does a cascade of ten class-level lines cost, compared with one REJECT over the same classes?"""

import acompass
from benchmarks.data import people
from benchmarks.policies import CASCADE, K_REJECT
from benchmarks.question import Answer, Question, Setting, at_most, ratio


def _ask(setting: Setting) -> Answer:
    table = people(setting.folder, setting.records)
    output = setting.folder / "ours.parquet"
    cascade, reject = acompass.parse(CASCADE), acompass.parse(K_REJECT)
    value = ratio(
        lambda: acompass.run(cascade, table, output=output),
        lambda: acompass.run(reject, table, output=output),
    )
    return Answer(value, "×", f"ours, {setting.records:,} records")


QUESTION = Question(
    "cascade",
    "a cascade of ten lines over three quasi-identifiers / one k REJECT, file to file",
    "≤ 1.5",
    at_most(1.5),
    _ask,
)
