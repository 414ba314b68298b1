"""Random policies over two small columns, and small changes to them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from acompass.language.program.checker import check
from acompass.language.program.effects import with_key
from acompass.language.program.program import Program
from acompass.language.program.types import INTEGER, TEXT, Column
from acompass.language.text.parser import parse_text
from acompass.prove.refute.replay import EXAMPLE_KEY

SCHEMA = (Column("d", TEXT), Column("a", INTEGER))
_TEXTS = ("'a'", "'b'", "'c'")
_PROBABILITIES = ("0.5", "0.25", "0.75", "0.2")


@dataclass(frozen=True)
class Policy:
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def program(self) -> Program | None:
        """None if the lines do not fit together."""
        tree, problems = parse_text(self.text)
        if problems:
            return None
        program, _ = check(tree, self.text, SCHEMA, {})
        return None if program is None else with_key(program, EXAMPLE_KEY)


#: lines that leave few values, so that noise makes the ratio finite
_LIMITS = {
    "d": (
        "EACH RESULT : d IN ('a', 'b', 'c') : REPLACE d WITH 'c';",
        "EACH RESULT : d IN ('a', 'b') : RANDOM d FROM ('a', 'b');",
    ),
    "a": (
        "EACH RESULT : a BETWEEN 1 AND 2 : REPLACE a WITH 1;",
        "EACH RESULT : a BETWEEN 1 AND 2 : RANDOM a 1 2;",
    ),
}
_NOISE = {"d": "RANDOM d FROM ('a', 2 OF 'b', 'c')", "a": "RANDOM a FROM (1, 2)"}


def random_policy(rng: random.Random) -> Policy:
    while True:
        limits = [rng.choice(_LIMITS[column]) for column in "da" if rng.random() < 0.7]
        noise = [_noise(rng, column) for column in "da" if rng.random() < 0.6]
        lines = [*limits, *noise]
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3)) if noise else 2):
            lines.insert(rng.randint(0, len(lines)), _line(rng))
        policy = Policy(tuple(lines))
        if policy.program() is not None:
            return policy


def _noise(rng: random.Random, column: str) -> str:
    return f"ALWAYS : WITH PROBABILITY {rng.choice(_PROBABILITIES)} {_NOISE[column]};"


def _line(rng: random.Random) -> str:
    assertion = rng.choices((_always, _each, _classes, _some), (6, 3, 2, 1))[0](rng)
    action = _action(rng, assertion == "ALWAYS")
    return f"{assertion};" if action is None else f"{assertion} : {action};"


def _always(rng: random.Random) -> str:
    return "ALWAYS"


def _each(rng: random.Random) -> str:
    if rng.random() < 0.2:
        return f"EACH FILTER {_condition(rng)} : {_condition(rng)}"
    return f"EACH RESULT : {_condition(rng)}"


def _some(rng: random.Random) -> str:
    return f"SOME RESULT : {_condition(rng)}"


def _classes(rng: random.Random) -> str:
    aggregate, condition = rng.choice(
        (
            ("COUNT(*)", "n >= 2"),
            ("COUNT(*)", "n <= 1"),
            ("COUNT DISTINCT(d)", "n >= 2"),
            ("COUNT DISTINCT(a)", "n <= 1"),
            ("SUM(a)", "n >= 2"),
            ("MIN(a)", "n >= 2"),
            ("MAX(a)", "n < 2"),
            ("SHARE OF MODE (d)", "n <= 0.5"),
            ("SHARE OF LARGEST 1 (a)", "n < 1"),
        )
    )
    where = f" WHERE {_condition(rng)}" if rng.random() < 0.2 else ""
    groups = rng.choice(("", "d", "a", "d, a"))
    by = f" GROUP BY {groups}" if groups else ""
    return f"EACH PROCESS {aggregate} AS n{where}{by} : {condition}"


def _condition(rng: random.Random) -> str:
    if rng.random() < 0.3:
        return f"{_comparison(rng)} {rng.choice(('AND', 'OR'))} {_comparison(rng)}"
    return _comparison(rng)


def _comparison(rng: random.Random) -> str:
    match rng.randrange(4):
        case 0:
            return f"d {rng.choice(('=', '!='))} {rng.choice(_TEXTS)}"
        case 1:
            return f"d IN ({', '.join(rng.sample(_TEXTS, rng.choice((2, 3))))})"
        case 2:
            return f"a {rng.choice(('<', '<=', '=', '>=', '>'))} 2"
        case _:
            return rng.choice(("d < 'b'", "d LIKE 'b%'", "a IN (1, 2)", "a BETWEEN 1 AND 2"))


def _action(rng: random.Random, is_always: bool) -> str | None:
    if rng.random() < 0.05 and not is_always:
        return None
    if rng.random() < 0.05 and is_always:
        return f"DROP {rng.choice('da')}"
    plain = rng.choices((_reject, _replace, _random, _urn, _generalize, _word), (2, 2, 2, 6, 1, 3))[0](rng)
    return f"WITH PROBABILITY {rng.choice(_PROBABILITIES)} {plain}" if rng.random() < 0.5 else plain


def _reject(rng: random.Random) -> str:
    return "REJECT"


def _replace(rng: random.Random) -> str:
    return f"REPLACE d WITH {rng.choice(_TEXTS)}" if rng.random() < 0.6 else f"REPLACE a WITH {rng.choice((1, 2))}"


def _random(rng: random.Random) -> str:
    lower = rng.choice((1, 2))
    return f"RANDOM a {lower} {lower + rng.choice((0, 1, 2))}"


def _urn(rng: random.Random) -> str:
    column, values = ("d", _TEXTS) if rng.random() < 0.6 else ("a", ("1", "2"))
    chosen = values if rng.random() < 0.7 else rng.sample(values, 2)
    weighted = (rng.choice(("", "2 OF ", "3 OF ")) + value for value in chosen)
    return f"RANDOM {column} FROM ({', '.join(weighted)})"


def _generalize(rng: random.Random) -> str:
    return rng.choice(("GENERALIZE a TO BANDS OF 2", "GENERALIZE a TO BANDS AT 2", "GENERALIZE d TO PREFIX OF 1"))


def _word(rng: random.Random) -> str:
    """An action whose values are not followed."""
    return rng.choice(
        (
            f"PSEUDONYM {rng.choice('da')}",
            f"GENERALIZE a TO NEAREST {rng.choice((1, 2, 3))}",
            f"ADD RANDOM {rng.choice((-1, 0))} 1 TO a",
            "MICROAGGREGATE a BY 2",
            "SHIFT d BY a WITHIN 1 DAYS",
        )
    )


def mutants(rng: random.Random, policy: Policy) -> list[Policy]:
    """The policy with two lines swapped, without a column of GROUP BY, with a condition that reads a column, with
    another value to draw, or without a probability; only those that are valid."""
    lines = policy.lines
    at = rng.randrange(len(lines))
    changed = [
        lines[at].replace("GROUP BY d, a", rng.choice(("GROUP BY d", "GROUP BY a"))),
        lines[at].replace("ALWAYS", f"EACH RESULT : {_condition(rng)}"),
        lines[at].replace("'a'", "9 OF 'zz', 'a'") if "FROM" in lines[at] else lines[at],
        lines[at].replace("RANDOM a 1", "RANDOM a 0"),
        _certain(lines[at]),
    ]
    found = [Policy((*lines[:at], line, *lines[at + 1 :])) for line in changed if line != lines[at]]
    found += [Policy(_swap(rng, lines))] if len(lines) > 1 else []
    return [mutant for mutant in found if mutant.program() is not None]


def _certain(line: str) -> str:
    before, found, after = line.partition("WITH PROBABILITY ")
    return before + after.partition(" ")[2] if found else line


def _swap(rng: random.Random, lines: Sequence[str]) -> tuple[str, ...]:
    at = rng.randrange(len(lines) - 1)
    return (*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :])
