"""Does a share cost about as much as a count of distinct values by the same groups?"""

from collections.abc import Callable
from functools import partial

import acompass
from benchmarks.data import people
from benchmarks.question import Answer, Question, Setting, at_most, ratio

#: both count the records too, so that both ask whether records are persons (D35)
_GROUPS = "AS s, COUNT(*) AS n GROUP BY age, zip : n >= 3 AND s"


def _ask(aggregate: str, column: str, setting: Setting) -> Answer:
    table = people(setting.folder, setting.records)
    ours = acompass.parse(f"EACH PROCESS SHARE OF {aggregate} ({column}) {_GROUPS} <= 0.67;")
    theirs = acompass.parse(f"EACH PROCESS COUNT DISTINCT({column}) {_GROUPS} >= 3;")
    value = ratio(lambda: acompass.check(ours, table), lambda: acompass.check(theirs, table))
    return Answer(value, "×", f"the same check with COUNT DISTINCT({column}), {setting.records:,} records")


def _question(name: str, ask: Callable[[Setting], Answer]) -> Question:
    text = f"{name} / a COUNT DISTINCT by the same groups, checked"
    return Question(name.lower(), text, "≤ 1.30", at_most(1.30), ask)


LARGEST = _question("SHARE OF LARGEST 2", partial(_ask, "LARGEST 2", "aec"))
MODE = _question("SHARE OF MODE", partial(_ask, "MODE", "disease"))
