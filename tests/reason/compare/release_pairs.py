"""The law of releases: `compare` never fails on random pairs of policies, and `semantics` agrees with every verdict.

On random tables and traces, a policy that releases `no more` writes only records that the old one writes, with values
as they were or coarser; a policy that releases the `same` writes the same; and the table shown for `more` has a record
without a counterpart. This module shares no code with the verdicts: it reads tables as texts and matches records by
trying all counterparts.

python -m tests.reason.compare.release_pairs --pairs 2000"""

import argparse
import hmac
import random
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from acompass.errors.diagnostics import PolicyError
from acompass.language.program.checker import check
from acompass.language.program.effects import with_key
from acompass.language.program.kernels import UnfitValueError
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import Program
from acompass.language.program.types import INTEGER, TEXT, Column, Schema, remaining, to_text
from acompass.policy import parse
from acompass.prove.refute.replay import EXAMPLE_KEY
from acompass.reason.compare.answer import Comparison
from acompass.reason.compare.comparison import compare_policies
from acompass.semantics import core as semantics

SCHEMA: Schema = (Column("a", TEXT), Column("b", TEXT), Column("n", INTEGER))
#: number of tables for each pair
TABLES = 25

Row = tuple[str | None, ...]


class Writer:
    """Writes pairs of policies that share most of their lines."""

    def __init__(self, rng: random.Random):
        self._rng = rng

    def pair(self) -> tuple[str, str]:
        lines = [self._line() for _ in range(self._rng.randint(1, 3))]
        other = [self._changed(line) for line in lines]
        match self._rng.randrange(4):
            case 0:
                other.append(self._line())
            case 1:
                other.insert(0, self._line())
            case 2 if len(other) > 1:
                self._rng.shuffle(other)
        pair = ["\n".join(lines), "\n".join(other)]
        self._rng.shuffle(pair)
        return pair[0], pair[1]

    def _line(self) -> str:
        action = self._action()
        match self._rng.randrange(6):
            case 0:
                return f"ALWAYS : {action};"
            case 1:
                return f"EACH RESULT : {self._condition()} : {action};"
            case 2:
                return f"{self._choice('EACH', 'SOME')} FILTER {self._condition()} : {self._condition()} : {action};"
            case 3:
                return f"EACH RESULT : {self._condition()};"
            case _:
                return f"{self._classes()} : {action};"

    def _classes(self) -> str:
        where = f" WHERE {self._condition()}" if self._rng.random() < 0.2 else ""
        group = f" GROUP BY {self._choice('a', 'b', 'a, b', 'n')}"
        aggregate, limit = self._choice(
            ("COUNT(*)", "x >= 2"), ("COUNT(*)", "x >= 3"), ("COUNT DISTINCT(b)", "x >= 2"), ("MAX(n)", "x > 1"),
            ("SUM(n)", "x >= 2"), ("COUNT(*)", "x < 3"), ("SHARE OF MODE (b)", "x <= 0.5"),
            ("SHARE OF LARGEST 1 (n)", "x < 0.67"),
        )  # fmt: skip
        return f"EACH PROCESS {aggregate} AS x{where}{group} : {limit}"

    def _action(self) -> str:
        steps = [self._step() for _ in range(self._choice(1, 1, 1, 2))]
        return " THEN ".join(steps) if self._rng.random() < 0.9 else f"WITH PROBABILITY 0.5 {steps[0]}"

    def _step(self) -> str:
        column = self._choice("a", "a", "b")
        return self._choice(
            "REJECT", "REJECT", f"REPLACE {column} WITH '*'", f"REPLACE {column} WITH '{self._choice('5', '12')}'",
            f"GENERALIZE {column} TO PREFIX OF {self._choice(1, 2, 3)}", f"RANDOM {column} 4 {self._choice(6, 90)}",
            f"REPLACE n WITH {self._choice(0, 1)}", f"PSEUDONYM {column}",
            f"GENERALIZE n TO NEAREST {self._choice(2, 6)}", f"ADD RANDOM 0 {self._choice(1, 2)} TO n",
            f"MICROAGGREGATE n BY {self._choice(2, 3)}",
        )  # fmt: skip

    def _condition(self) -> str:
        name = self._choice("a", "a", "b")
        return self._choice(
            f"{name} = '{self._choice('12', '1*', '5', '*')}'", f"NOT {name} = '{self._choice('12', '1*')}'", "n <= 1",
            "n > 0",
        )  # fmt: skip

    def _changed(self, line: str) -> str:
        match self._rng.randrange(6):
            case 0:
                return re.sub(r"[0-9]", lambda digit: str(int(digit[0]) % 9 + 1), line, count=1)
            case 1:
                return line.replace("REJECT", "REPLACE b WITH '*' THEN REJECT", 1)
            case 2:
                return self._line()
            case _:
                return line

    def _choice(self, *choices):  # type: ignore[no-untyped-def]
        return self._rng.choice(choices)


def judge(rng: random.Random) -> str:
    """The verdict on a random pair; a wrong one fails."""
    while True:
        texts = Writer(rng).pair()
        try:
            programs = [_checked(text) for text in texts]
        except PolicyError:  # a prefix may follow a shorter one
            continue
        break
    old, new = texts
    schema = {column.name: column.type for column in SCHEMA}
    found = compare_policies(parse(old), parse(new), schema)
    require_agreement(rng, found, programs, f"{old}\n-- new:\n{new}")
    return f"{found.guarantees}, {found.releases}"


def _checked(text: str) -> Program:
    policy = parse(text)
    program, problems = check(policy.tree, policy.text, SCHEMA, {})
    if program is None:
        raise PolicyError(problems, text)
    return with_key(program, EXAMPLE_KEY)


def require_agreement(rng: random.Random, found: Comparison, programs: Sequence[Program], policies: str) -> None:
    assert found.ok == (found.guarantees == "kept" and found.releases in ("same", "no more")), policies
    if found.difference is not None:
        trace = [Fraction(rho) for rho in found.difference.trace]
        old, new = (written(program, found.difference.records, trace) for program in programs)
        assert _bag(old) != _bag(new), policies
        if found.releases == "more":
            assert not has_counterparts(old, new, programs[1]), policies
    else:
        assert found.releases != "more", policies
    if found.guarantees == "lost":
        assert any(claim.counterexample is not None for claim in found.old_by_new), policies
    for _ in range(TABLES if found.releases in ("same", "no more") else 0):
        records, trace = random_table(rng), [Fraction(rng.randrange(1000), 1000) for _ in range(80)]
        old, new = (written(program, records, trace) for program in programs)
        if found.releases == "same":
            assert _bag(old) == _bag(new), f"{policies}\n{records}\n{trace}"
        assert has_counterparts(old, new, programs[1]), f"{policies}\n{records}\n{trace}"


def random_table(rng: random.Random) -> list[tuple[str, str, int]]:
    texts = rng.sample(["12", "1*", "5", "*", "121", "122", "13", "x", "6"], rng.randint(1, 4))
    distinct = [(rng.choice(texts), rng.choice(texts), rng.randint(0, 2)) for _ in range(rng.randint(1, 4))]
    return [rng.choice(distinct) for _ in range(rng.randint(0, 9))]


def written(program: Program, records: Sequence[tuple[object, ...]], trace: Sequence[Fraction]) -> list[Row] | None:
    """The records that a run writes, as texts, None in a dropped column; None if the run writes nothing."""
    rho = semantics.Trace(lambda i: trace[i - 1] if i <= len(trace) else Fraction(1, 2))
    try:
        outcome = semantics.run_program(program, records, rho)  # type: ignore[arg-type]
    except (UnlabeledValueError, UnfitValueError):
        return None
    lines = zip(program.requirements, outcome.requirements, strict=True)
    if any(line.action is None and not verdict.holds for line, verdict in lines):
        return None
    kept, final = set(remaining(program.final_schema)), program.final_schema
    return [
        tuple(to_text(value, final[at].type) if at in kept else None for at, value in enumerate(record))
        for record in outcome.records
    ]


def _bag(rows: list[Row] | None) -> Counter[Row] | None:
    return None if rows is None else Counter(rows)


def has_counterparts(old: list[Row] | None, new: list[Row] | None, program: Program) -> bool:
    """Whether each new record has an old one of its own with the same or finer values."""
    if not new:
        return True
    if old is None:
        return False
    partner: dict[int, int] = {}

    def assign(at: int, seen: set[int]) -> bool:
        for other, row in enumerate(old):
            if other not in seen and all(map(_may_be_coarser, range(len(row)), row, new[at], [program] * len(row))):
                seen.add(other)
                if other not in partner or assign(partner[other], seen):
                    partner[other] = at
                    return True
        return False

    return all(assign(at, set()) for at in range(len(new)))


def _may_be_coarser(column: int, old: str | None, new: str | None, program: Program) -> bool:
    """A prefix, a pseudonym and a rounded number of the old text are coarser; a constant that the policy writes and a
    drawn text may be."""
    if new in (old, "*", None):
        return True
    actions = [line.text for line in program.requirements]
    name = re.escape(SCHEMA[column].name)
    if old is not None and new in _results(old, name, actions):
        return True
    if any(re.search(rf"RANDOM {name} ", text) for text in actions):
        return True
    constants = {constant for text in actions for constant in re.findall(rf"REPLACE {name} WITH '?([^';\s]+)", text)}
    is_labelled = any(f"GENERALIZE {name} " in text for text in actions)
    if new in constants or (is_labelled and any(_is_prefix(constant, new) for constant in constants)):
        return True
    return old is not None and "*" in new and _is_prefix(old, new)


def _results(text: str, name: str, actions: Sequence[str]) -> set[str]:
    """The text, and what pseudonyms, rounding and prefixes make of it."""
    found = {text}
    for action in actions:
        for size in re.findall(rf"GENERALIZE {name} TO PREFIX OF ([0-9])", action):
            found |= {each[: int(size)] + "*" * (len(each) - int(size)) for each in found}
        for step in re.findall(rf"GENERALIZE {name} TO NEAREST ([0-9])", action):
            found |= {str((int(each) + int(step) // 2) // int(step) * int(step)) for each in found if each.isdecimal()}
        if re.search(rf"PSEUDONYM {name}\b", action):
            keyed = (hmac.new(EXAMPLE_KEY.secret, each.encode(), "sha256").hexdigest() for each in found)
            found |= {digest[:24] for digest in keyed}
    return found


def _is_prefix(text: str, label: str) -> bool:
    beginning = label.rstrip("*")
    return text == label or (len(text) == len(label) and text.startswith(beginning))


def campaign(pairs: int, seed: int) -> Counter[str]:
    rng = random.Random(seed)
    return Counter(judge(rng) for _ in range(pairs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(dict(campaign(arguments.pairs, arguments.seed)))


if __name__ == "__main__":
    main()
