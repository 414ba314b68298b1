"""Does the time grow no faster than the table?"""

import acompass
from benchmarks.data import people
from benchmarks.policies import full
from benchmarks.question import Answer, Question, Setting, at_most, ratio


def _ask(setting: Setting) -> Answer:
    large = people(setting.folder, setting.records)
    small = people(setting.folder, setting.records // 10)
    output = setting.folder / "ours.parquet"
    policy = acompass.parse(full())
    value = ratio(
        lambda: acompass.run(policy, large, output=output, seed="benchmark"),
        lambda: acompass.run(policy, small, output=output, seed="benchmark"),
    )
    return Answer(value, "×", f"ours, {setting.records:,} against {setting.records // 10:,} records")


QUESTION = Question("growth", "time at ten times the records", "≤ 11", at_most(11), _ask)
