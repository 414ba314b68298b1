"""Parse, check, format, fix and render mutated and random texts, none of which may raise an exception.

`python -m tests.text.fuzz_texts --cases 1000000` uses all cores."""

import argparse
import os
import random
import sys
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor

from acompass.errors.diagnostics import Diagnostic, Fix, PolicyError, apply_edits
from acompass.errors.rendering import render_json, render_text
from acompass.language.program.checker import check
from acompass.language.program.types import BOOLEAN, DATE, FLOAT, INTEGER, OPAQUE, TEXT, TIMESTAMP, decimal, make_schema
from acompass.language.text.formatter import format_program
from acompass.language.text.parser import parse_text
from acompass.language.text.tokens import tokenize
from acompass.language.text.tree import Program
from tests.text.mistakes import MISTAKES
from tests.text.trees import PAPER

SCHEMA = make_schema(
    {
        "Record ID": INTEGER,
        "Age": INTEGER,
        "Postal Code": TEXT,
        "AEC": decimal(2),
        "Born": DATE,
        "Seen": TIMESTAMP,
        "Weight": FLOAT,
        "Active": BOOLEAN,
        "Photo": OPAQUE,
        "age": INTEGER,
    }
)
PARAMS = {"k": 3, "l": "x", "unused": 1}
TYPED = (
    "EACH RESULT : Born >= '1930-01-01' AND Seen < '2024-02-30 10:00' OR Active = 'true' : REJECT;",
    "SOME PROCESS SUM(Weight) AS W WHERE NOT Photo = 'x' GROUP BY Born, Active : W > 1.5 : RANDOM AEC k 9;",
    "EACH FILTER \"Record ID\" > 1 : AEC = 2.50 : REPLACE AEC WITH 'x'; EACH RESULT : AEC > 1;",
)
EVERYDAY = (
    "ALWAYS : DROP Photo, \"Record ID\"; ALWAYS : REPLACE Postal Code WITH '*';",
    "ALWAYS : GENERALIZE AEC TO BANDS OF 0.5 FROM 0 UP TO 90; ALWAYS : GENERALIZE Weight TO BANDS AT 1, 2;",
    "ALWAYS : GENERALIZE Postal Code TO PREFIX OF 3 THEN GENERALIZE Born TO MONTH -- c\n THEN REJECT;",
    "EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(AEC) AS d GROUP BY Age, Born : n >= k AND d != 2\n"
    " : GENERALIZE Born TO YEAR\n   THEN RANDOM AEC k 9\n   THEN REJECT;",
    "EACH FILTER AEC IN (2, k) AND NOT Age NOT BETWEEN k AND 9 : Postal Code LIKE '21%' OR Age <> 3;",
)
CHANCES = (
    "ALWAYS : WITH PROBABILITY 0.25 REJECT THEN WITH PROBABILITY 0.5 REPLACE Active WITH 'true';",
    "EACH RESULT : Age != 3 : RANDOM Postal Code FROM (5 OF '21201', 3 OF '21202', l);",
    "ALWAYS : WITH PROBABILITY 0.1 RANDOM AEC FROM (2.5, 4 OF k, -1)\n THEN RANDOM Born FROM ('2024-01-01');",
    "SOME RESULT : Weight = 1 : WITH PROBABILITY 0.999 GENERALIZE Born TO YEAR THEN RANDOM AEC k 9;",
)
PUBLISHED = (
    "ALWAYS : PSEUDONYM Postal Code THEN SHIFT Born, Seen BY Age WITHIN 30 DAYS THEN ADD RANDOM -5 k TO AEC;",
    'EACH RESULT : Age != 3 : RANDOM "Age" k l THEN PSEUDONYM Age; ALWAYS : MICROAGGREGATE Weight BY k;',
    "EACH PROCESS SHARE OF LARGEST 2 (AEC) AS s, SHARE OF MODE (Active) AS m GROUP BY Born : s <= 0.67 : REJECT;",
    "EACH PROCESS SUM(people) IN 'zip.csv' AS p, COUNT(*) IN 'zip.csv' AS n GROUP BY Age\n"
    " : p > k OR n IN (1) : GENERALIZE AEC TO NEAREST 0.5 THEN REJECT;",
)
SOUND = (*PAPER, *TYPED, *EVERYDAY, *CHANCES, *PUBLISHED)
SEEDS = (*SOUND, *(mistake.text for mistake in MISTAKES))
_TOKENS = [token.text for seed in SEEDS for token in tokenize(seed)[0]]
_ODD = list("();:,*<>=≤≥!'\"-/+.%@#[]{}\\\t\n\r\0\x1b\x85\u2028\ufeff\u202e‘”é東\ud800\udfff\U0001f642²½٣0_kK")
_ODD += ["--", "/*", "*/", "''", '""', "99999999999999999999", "-0.0", "1e5"]


def texts(seed: int, count: int) -> Iterator[str]:
    """The same texts for the same seed."""
    source = random.Random(seed)
    for _ in range(count):
        text = source.choice(source.choice((SOUND, SOUND, SEEDS)))
        for _ in range(source.randint(0, 3)):
            text = source.choice(_MUTATIONS)(source, text)
        yield text


def _edit_characters(source: random.Random, text: str) -> str:
    at = source.randint(0, len(text))
    return text[:at] + source.choice(_ODD) * source.choice((0, 1, 1, 2)) + text[at + source.randint(0, 2) :]


def _edit_tokens(source: random.Random, text: str) -> str:
    """Delete, double, swap or replace a token, with one space between tokens."""
    tokens = [token.text for token in tokenize(text)[0]] or [";"]
    at, other = source.randrange(len(tokens)), source.randrange(len(tokens))
    match source.randrange(4):
        case 0:
            del tokens[at]
        case 1:
            tokens.insert(at, tokens[at])
        case 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case _:
            tokens[at] = source.choice(_TOKENS)
    return " ".join(tokens)


def _splice(source: random.Random, text: str) -> str:
    other = source.choice(SOUND)
    return text[: source.randint(0, len(text))] + other[source.randint(0, len(other)) :]


def _comment(source: random.Random, text: str) -> str:
    at = source.randint(0, len(text))
    return text[:at] + source.choice((" -- c\n", "/* c */", "\n-- c\n", "/*\n*/")) + text[at:]


def _noise(source: random.Random, text: str) -> str:
    return "".join(source.choice((source.choice(_ODD), source.choice(_TOKENS), " ")) for _ in range(20))


def _repeat(source: random.Random, text: str) -> str:
    return (text + source.choice((" ", "\n", ";", "("))) * source.randint(2, 4)


_MUTATIONS: tuple[Callable[[random.Random, str], str], ...] = (
    *(_edit_characters, _edit_characters, _edit_tokens, _edit_tokens, _edit_tokens),
    *(_splice, _comment, _noise, _repeat),
)


def exercise(text: str) -> None:
    """Do everything that needs no table."""
    program, diagnostics = parse_text(text)
    _, findings = check(program, text, SCHEMA, PARAMS)
    every = (*diagnostics, *findings)
    render_text(every, text, "policy.acp", color=True)
    render_json(every, text, "policy.acp")
    for diagnostic in every:
        for fix in diagnostic.fixes:
            _require_no_other_change(text, diagnostic, fix)
    if diagnostics:
        _require_unformatted(text)
        return
    formatted = format_program(text)
    assert parse_text(formatted)[0] == program, "formatting changed the tree or the comments"
    assert format_program(formatted) == formatted, "formatting twice differs"


def _words(program: Program) -> list[str]:
    """The comments without their marks, which a fix may correct."""
    return [comment.text.lstrip("#/-") for comment in program.comments]


def _require_no_other_change(text: str, diagnostic: Diagnostic, fix: Fix) -> None:
    (program, before), fixed = parse_text(text), apply_edits(text, fix.edits)
    after, left = parse_text(fixed)
    assert fixed != text, "a fix changed nothing"
    comments = iter(_words(after))  # an offered fix may close a quoted name before a comment
    assert all(words in comments for words in _words(program)), "a fix changed a comment"
    if not fix.is_safe:
        return
    assert len(after.comments) == len(program.comments), "a safe fix made a comment"
    rest = iter(after.requirements)
    assert all(each in rest for each in program.requirements), "a fix changed another requirement"
    place = (diagnostic.code, diagnostic.labels[0].span)
    is_gone = place not in [(each.code, each.labels[0].span) for each in left]
    assert is_gone or len(left) < len(before), "a fix fixed nothing"


def _require_unformatted(text: str) -> None:
    try:
        format_program(text)
    except PolicyError:
        return
    raise AssertionError("a policy with an error was formatted")


def failures(seed: int, count: int) -> list[str]:
    """The texts that raised, each with its traceback."""
    found = []
    for text in texts(seed, count):
        try:
            exercise(text)
        except Exception:
            found.append(f"{text!r}\n{traceback.format_exc()}")
    return found


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--cases", type=int, default=1_000_000)
    arguments.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    given = arguments.parse_args()
    batch = 2_000
    counts = [min(batch, given.cases - start) for start in range(0, given.cases, batch)]
    seeds = range(given.seed, given.seed + len(counts))
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = [failure for batch_found in pool.map(failures, seeds, counts) for failure in batch_found]
    for failure in found[:10]:
        print(failure, file=sys.stderr)
    print(f"{given.cases} texts, {len(found)} exceptions (seed {given.seed})")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
