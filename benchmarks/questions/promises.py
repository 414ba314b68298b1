"""What does it cost to verify the output of a run (D33)? With `paper=True`, a run of the same policy does not."""

import random

import acompass
from acompass.language.program.checker import check
from acompass.language.program.types import Column
from acompass.language.text.parser import parse_text
from acompass.prove.promises import prove_promises
from acompass.testing.conformance.cases import EverydayWriter, random_attributes
from benchmarks.data import people
from benchmarks.policies import K_CHECK, K_L_REJECT
from benchmarks.question import Answer, Question, Setting, alternate, at_most, ratio, seconds

#: the second line may leave classes of the first with fewer records
_UNDECIDED = """
EACH PROCESS COUNT(*) AS n GROUP BY age, zip, sex : n >= 3 : REJECT;
EACH RESULT : NOT (disease = 'd7') : REJECT;
"""
_POLICIES, _LINES = 300, 20


def _ask_proved(setting: Setting) -> Answer:
    table, output = people(setting.folder, setting.records), setting.folder / "ours.parquet"
    policy = acompass.parse(K_L_REJECT)
    assert [each.after for each in acompass.run(policy, table, output=output).requirements] == ["proved", "proved"]
    value = ratio(
        lambda: acompass.run(policy, table, output=output),
        lambda: acompass.run(policy, table, output=output, paper=True),
        times=5,
    )
    return Answer(value, "×", f"ours with `paper=True`, {setting.records:,} records")


def _ask_undecided(setting: Setting) -> Answer:
    table, output = people(setting.folder, setting.records), setting.folder / "ours.parquet"
    policy, k_check = acompass.parse(_UNDECIDED), acompass.parse(K_CHECK)
    assert acompass.run(policy, table, output=output, force=True).requirements[0].after in ("holds", "violated")
    verified, plain = alternate(
        lambda: acompass.run(policy, table, output=output, force=True),
        lambda: acompass.run(policy, table, output=output, paper=True),
        5,
    )
    one = min(seconds(lambda: acompass.check(k_check, table)) for _ in range(5))
    return Answer((min(verified) - min(plain)) / one, "×", f"one k-check, {setting.records:,} records")


def _ask_budget(_: Setting) -> Answer:
    """The prover's time for random policies, the worst of them."""
    worst = max(_prove_random(random.Random(seed)) for seed in range(_POLICIES))
    return Answer(worst, "s", f"the worst of {_POLICIES} random policies of {_LINES} lines")


def _prove_random(rng: random.Random) -> float:
    attributes = random_attributes(rng)
    schema = tuple(Column(each.name, each.type) for each in attributes)
    writer = EverydayWriter(rng, list(attributes))
    text = "\n".join(writer.requirement() for _ in range(_LINES))
    policy, _ = parse_text(text)
    program, _ = check(policy, text, schema, writer.params)
    assert program is not None
    return min(seconds(lambda: prove_promises(policy, text, program, writer.params)) for _ in range(3))


QUESTIONS = (
    Question(
        "promises-proved",
        "k and l REJECT, whose output is proved / the same without verifying it, file to file",
        "≤ 1.03",
        at_most(1.03),
        _ask_proved,
    ),
    Question(
        "promises-undecided",
        "k REJECT and a REJECT after it: the time to verify the output / one k-check",
        "≤ 1",
        at_most(1),
        _ask_undecided,
    ),
    Question("promises-budget", "time to prove the lines of a policy", "≤ 0.2 s", at_most(0.2), _ask_budget),
)
