"""The verdicts of `prove` and the codes of `lint` are the same for every k.

python -m tests.prove.every_k --to 2000"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from acompass.language.text.parser import parse_text
from acompass.prove.search.verdicts import prove_policy
from acompass.reason.lint.linter import lint_policy

_CLASSES = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= {k}"
_VALUES = "EACH PROCESS COUNT DISTINCT(D) AS l GROUP BY Age, Zip : l >= "
_BOTH = "EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(D) AS l GROUP BY Age, Zip : n >= {k} AND l >= 2"


@dataclass(frozen=True)
class Family:
    """A policy with k, its own verdicts and codes for every k, and a claim that is refuted for every k."""

    policy: str
    verdicts: tuple[str, ...]
    codes: tuple[str, ...]
    false: str = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= {k+1}"


FAMILIES = {
    "a record is removed": Family(
        f"{_CLASSES} : REJECT;\nEACH RESULT : Job = 'x' : REJECT;", ("refuted", "proved"), ("AC504",)
    ),
    "a sample": Family(f"{_CLASSES} : REJECT;\nALWAYS : WITH PROBABILITY 0.75 REJECT;", ("refuted",), ("AC504",)),
    "another column decides": Family(
        f"{_CLASSES} : REJECT;\nEACH FILTER Job = 'y' : Zip = 'x' : REPLACE Zip WITH 'x';",
        ("refuted", "proved"),
        ("AC504",),
    ),
    "a value is drawn": Family(
        f"{_CLASSES} : REJECT;\nEACH FILTER Age >= 10 : Zip <= 'b' : RANDOM Zip FROM ('a', 'b');",
        ("refuted", "proved"),
        ("AC504",),
    ),
    "a check": Family(f"{_CLASSES};\nEACH RESULT : Job = 'x' : REJECT;", ("refuted", "proved"), ("AC505",)),
    "k and l": Family(
        f"{_CLASSES} : REJECT;\n{_VALUES}2 : REJECT;\nEACH FILTER D >= 'm' : D = 'y' : REPLACE D WITH 'y';",
        ("proved", "refuted", "proved"),
        ("AC504",),
    ),
    "l": Family(
        f"{_VALUES}{{k}} : REJECT;\nALWAYS : WITH PROBABILITY 0.5 REPLACE D WITH 'y';",
        ("refuted",),
        ("AC504",),
    ),
    "both in one line": Family(
        f"{_BOTH} : REJECT;\nEACH FILTER Job = 'y' : D = 'x' : REPLACE D WITH 'x';",
        ("refuted", "proved"),
        ("AC504",),
    ),
    "another k": Family(
        f"{_CLASSES} : REJECT;\nEACH PROCESS COUNT(*) AS n GROUP BY Job : n >= {{2k}} : REJECT;",
        ("refuted", "proved"),
        ("AC504",),
    ),
    "suppression": Family(f"{_CLASSES} : REPLACE Zip WITH '*';", ("refuted",), ("AC503",)),
    "a cascade": Family(
        f"{_CLASSES} : GENERALIZE Zip TO PREFIX OF 3 THEN REJECT;\nEACH RESULT : Job = 'x' : REJECT;",
        ("refuted", "proved"),
        ("AC504",),
    ),
    "at most k": Family(
        "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n <= {k} : REJECT;\nALWAYS : REPLACE Zip WITH '*';",
        ("refuted",),
        ("AC504",),
    ),
    "nothing is wrong": Family(f"{_CLASSES} : REJECT;\nALWAYS : REPLACE Zip WITH '*';", ("proved",), ()),
}


def _with(text: str, k: int) -> str:
    return text.replace("{k}", str(k)).replace("{k+1}", str(k + 1)).replace("{2k}", str(2 * k))


def codes(family: Family, k: int) -> tuple[str, ...]:
    text = _with(family.policy, k)
    return tuple(finding.code for finding in lint_policy(parse_text(text)[0], text))


def verdicts(family: Family, k: int, claims: list[str] | None = None) -> tuple[str, ...]:
    text = _with(family.policy, k)
    asked = None if claims is None else [_with(claim, k) for claim in claims]
    return tuple(str(claim.verdict) for claim in prove_policy(parse_text(text)[0], text, asked).claims)


def exceptions(family: Family, numbers: Iterable[int]) -> dict[str, list[int]]:
    """The unexpected answers, and for which k they occur."""
    found: dict[str, list[int]] = defaultdict(list)
    for k in numbers:
        answers = (verdicts(family, k), codes(family, k), verdicts(family, k, [family.false]))
        if answers != (family.verdicts, family.codes, ("refuted",)):
            found[str(answers)].append(k)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--start", type=int, default=2)
    parser.add_argument("--to", type=int, default=2_000)
    parser.add_argument("--step", type=int, default=1)
    arguments = parser.parse_args()
    numbers = range(arguments.start, arguments.to + 1, arguments.step)
    found = {name: exceptions(family, numbers) for name, family in FAMILIES.items()}
    for name, different in found.items():
        sys.stdout.write(f"{name}: {dict(different) or 'the same for every k'}\n")
    sys.exit(any(found.values()))


if __name__ == "__main__":
    main()
