"""Do 1,000 generalization rules take about as long as one?"""

import acompass
from benchmarks.data import people
from benchmarks.policies import rules
from benchmarks.question import Answer, Question, Setting, at_most, ratio


def _ask(setting: Setting) -> Answer:
    table = people(setting.folder, setting.records)
    output = setting.folder / "ours.parquet"
    value = ratio(
        lambda: acompass.run(rules(1000), table, output=output),
        lambda: acompass.run(rules(1), table, output=output),
    )
    return Answer(value, "×", f"ours, {setting.records:,} records")


QUESTION = Question("1,000 rules", "1,000 generalization rules / 1 rule, file to file", "≤ 1.3", at_most(1.3), _ask)
