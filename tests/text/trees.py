"""Hypothesis strategies for trees, and for texts of trees with irregular spaces and comments."""

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from acompass.language.text import tree
from acompass.language.text.formatter import format_program
from acompass.language.text.parser import parse_text
from acompass.language.text.tokens import KEYWORDS
from acompass.language.text.tree import (
    Aggregate,
    And,
    Assertion,
    Comparison,
    Condition,
    Filter,
    Function,
    Name,
    Number,
    Operator,
    Parameter,
    Process,
    Program,
    Quantifier,
    Reject,
    Replace,
    Requirement,
    Result,
    String,
)

WORDS = st.from_regex(r"[A-Za-zéß東_][A-Za-z0-9_.é]{0,6}", fullmatch=True).filter(
    lambda word: word.lower() not in KEYWORDS
)
#: words that are keywords only in some forms beyond the paper (X0)
CONTEXTUAL = st.sampled_from(
    [
        *("always", "in", "between", "like", "generalize", "drop", "then", "to", "of", "from", "up", "at"),
        *("else", "bands", "prefix", "level", "month", "YEAR", "probability"),
        *("nearest", "share", "largest", "mode", "pseudonym", "shift", "within", "days", "add", "microaggregate"),
    ]
)
BARE = st.lists(WORDS | CONTEXTUAL, min_size=1, max_size=3).map(" ".join)
AGGREGATE_WORDS = st.sampled_from(["Count", "COUNT DISTINCT", "Sum of x", "min", "Max", "Distinct"])
QUOTED = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
NAMES = st.builds(tree.Name, BARE | AGGREGATE_WORDS | QUOTED)

NUMBERS = st.builds(
    lambda digits, scale: tree.Number(Decimal(digits).scaleb(-scale)),
    st.integers(-(10**12), 10**12),
    st.integers(0, 5),
)
INTEGERS = st.integers(-(2**63), 2**63 - 1).map(lambda value: tree.Number(Decimal(value)))
STRINGS = st.text(max_size=8).map(lambda text: tree.String(text))
PARAMETERS = (WORDS | CONTEXTUAL).map(lambda word: tree.Parameter(word))
CONSTANTS = NUMBERS | STRINGS | PARAMETERS

COMPARISONS = st.builds(tree.Comparison, NAMES, st.sampled_from(tree.Operator), CONSTANTS)
PREFIXES = st.text(min_size=1, max_size=5).filter(lambda text: not set("%_") & set(text))
PREDICATES = (
    st.builds(tree.Unequal, NAMES, st.sampled_from(tree.Inequality), CONSTANTS)
    | st.builds(tree.In, NAMES, st.lists(CONSTANTS, min_size=1, max_size=3).map(tuple), st.booleans())
    | st.builds(tree.Between, NAMES, CONSTANTS, CONSTANTS, st.booleans())
    | st.builds(tree.Like, NAMES, PREFIXES.map(lambda text: tree.String(f"{text}%")), st.booleans())
)


def parse_requirement(text: str) -> tree.Requirement:
    """The single requirement of a policy without errors."""
    program, diagnostics = parse_text(text)
    assert diagnostics == ()
    (requirement,) = program.requirements
    return requirement


def _compound(inner: st.SearchStrategy[tree.Condition]) -> st.SearchStrategy[tree.Condition]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.builds(tree.Not, inner) | st.builds(tree.And, several) | st.builds(tree.Or, several)


CONDITIONS: st.SearchStrategy[tree.Condition] = st.recursive(COMPARISONS | PREDICATES, _compound, max_leaves=6)

BOUNDS = INTEGERS | PARAMETERS
AGGREGATES = (
    st.builds(
        tree.Aggregate,
        st.sampled_from(sorted(set(tree.Function) - {tree.Function.COUNT, tree.Function.SHARE_OF_LARGEST})),
        NAMES,
    )
    | st.just(tree.Aggregate(tree.Function.COUNT))
    | st.builds(tree.Aggregate, st.just(tree.Function.SHARE_OF_LARGEST), NAMES, largest=BOUNDS)
    | st.builds(tree.Aggregate, st.just(tree.Function.SUM), NAMES, file=STRINGS)
    | st.builds(tree.Aggregate, st.just(tree.Function.COUNT), file=STRINGS)
)

RESULTS = (
    st.just(tree.Result())
    | st.builds(tree.Filter, CONDITIONS)
    | st.builds(
        tree.Process,
        AGGREGATES,
        NAMES,
        st.none() | CONDITIONS,
        st.lists(NAMES, max_size=3).map(tuple),
        st.just(()) | st.lists(st.builds(tree.NamedAggregate, AGGREGATES, NAMES), max_size=2).map(tuple),
    )
)
ASSERTIONS = st.builds(tree.Assertion, st.sampled_from(tree.Quantifier), RESULTS, CONDITIONS)
MAPS = (
    st.builds(tree.BandsOf, NUMBERS, st.none() | NUMBERS, st.none() | NUMBERS)
    | st.builds(tree.BandsAt, st.lists(NUMBERS, min_size=1, max_size=3).map(tuple))
    | st.builds(tree.PrefixOf, INTEGERS)
    | st.builds(tree.DatePart, st.sampled_from(tree.DateUnit))
    | st.builds(tree.LevelOf, INTEGERS, STRINGS, st.none() | CONSTANTS)
    | st.builds(tree.Nearest, NUMBERS)
)
#: weights and probabilities far from the limits of X7
WEIGHTS = st.integers(1, 10**6).map(lambda value: tree.Number(Decimal(value)))
PROBABILITIES = st.integers(1, 10**4 - 1).map(lambda digits: tree.Number(Decimal(digits).scaleb(-4)))
WEIGHTED_VALUES = st.builds(tree.WeightedValue, CONSTANTS, st.none() | WEIGHTS)
PLAIN = (
    st.just(tree.Reject())
    | st.builds(tree.Replace, NAMES, CONSTANTS)
    | st.builds(tree.Random, NAMES, BOUNDS, BOUNDS)
    | st.builds(tree.Draw, NAMES, st.lists(WEIGHTED_VALUES, min_size=1, max_size=4).map(tuple))
    | st.builds(tree.Generalize, NAMES, MAPS)
    | st.builds(tree.Pseudonym, NAMES)
    | st.builds(tree.Shift, st.lists(NAMES, min_size=1, max_size=3).map(tuple), NAMES, BOUNDS)
    | st.builds(tree.AddRandom, BOUNDS, BOUNDS, NAMES)
    | st.builds(tree.Microaggregate, NAMES, BOUNDS)
)
STEPS = PLAIN | st.builds(tree.Sometimes, PROBABILITIES, PLAIN)
DROPS = st.builds(tree.Drop, st.lists(NAMES, min_size=1, max_size=3).map(tuple))


def _actions(steps: st.SearchStrategy[tree.Step]) -> st.SearchStrategy[tree.Action]:
    return steps | st.builds(tree.Then, st.lists(steps, min_size=2, max_size=4).map(tuple))


REQUIREMENTS = st.builds(tree.Requirement, ASSERTIONS, st.none() | _actions(STEPS)) | st.builds(
    tree.Requirement, st.just(tree.Always()), _actions(STEPS | DROPS)
)

#: separators of tokens that do not change the meaning
GAPS = st.sampled_from(["\n", "\r\n", "\t ", " -- a\n", " --\n", "/* b */", "\n\n/* c\n c */\n", "\n-- d\n"])
EMPTY = st.just(" ")


@st.composite
def join_tokens(draw: st.DrawFn, texts: list[str]) -> str:
    """Tokens separated by spaces, line ends and comments, mostly by one space."""
    out = [draw(GAPS | EMPTY)]
    for text in texts:
        out.append(text)
        out.append(draw(EMPTY | EMPTY | GAPS))
    return "".join(out)


def _each(result: Result | Filter | Process, condition: Condition) -> Assertion:
    return Assertion(Quantifier.EACH, result, condition)


def _top_coding(name: str, most: int) -> Requirement:
    limit = Number(Decimal(most))
    within = Comparison(Name(name), Operator.LE, limit)
    return Requirement(_each(Result(), within), Replace(Name(name), limit))


def _area(name: str, first: str, last: str, area: str) -> Requirement:
    column, general = Name(name), String(area)
    inside = And(
        (
            Comparison(column, Operator.GE, String(first)),
            Comparison(column, Operator.LE, String(last)),
        )
    )
    done = Comparison(column, Operator.EQ, general)
    return Requirement(_each(Filter(inside), done), Replace(column, general))


def _k_anonymity(*names: str) -> Requirement:
    classes = Process(Aggregate(Function.COUNT), Name("Class Size"), group_by=tuple(Name(name) for name in names))
    large = Comparison(Name("Class Size"), Operator.GE, Parameter("k"))
    return Requirement(_each(classes, large), Reject())


README = Program(
    (
        _top_coding("Age", 80),
        _area("Postal Code", "21200", "21299", "212**"),
        _area("Postal Code", "21400", "21499", "214**"),
        _k_anonymity("Age", "Postal Code"),
    )
)

#: the README's policy without its comments, as the formatter writes it
README_TEXT = """\
EACH RESULT
   : Age <= 80
   : REPLACE Age WITH 80;

EACH FILTER Postal Code >= '21200' AND Postal Code <= '21299'
   : Postal Code = '212**'
   : REPLACE Postal Code WITH '212**';

EACH FILTER Postal Code >= '21400' AND Postal Code <= '21499'
   : Postal Code = '214**'
   : REPLACE Postal Code WITH '214**';

EACH PROCESS COUNT(*) AS Class Size GROUP BY Age, Postal Code
   : Class Size >= k
   : REJECT;
"""

PAPER = (
    "EACH RESULT\n : Age ≤ 80\n : REPLACE Age WITH 80;",
    "EACH FILTER Postal code > '21200' AND Postal code < '21299'\n"
    " : Postal code = '212**'\n : REPLACE Postal code WITH '212**';",
    "EACH FILTER Postal code > '21400' AND Postal code < '21499'\n"
    " : Postal code = '214**'\n : REPLACE Postal code WITH '214**';",
    "EACH FILTER Postal code > '21100' AND Postal code < '21199'\n"
    " : Postal code = '211**'\n : REPLACE Postal code WITH '211**';",
    "EACH RESULT\n : NOT (Postal code = '21410')\n : REPLACE Postal code WITH '214**' ;",
    "EACH RESULT\n : AEC ≥ 3000\n : REPLACE AEC WITH 6200;",
    "EACH RESULT\n : AEC ≥ 3000\n : RANDOM AEC 3000 4000;",
    "EACH PROCESS COUNT(*) AS Class Size GROUP BY Age, Postal Code\n : Class Size ≥ k;",
    "EACH PROCESS COUNT DISTINCT AEC AS Diversity AEC GROUP BY Age, Postal Code\n : Diversity AEC ≥ l;",
    "EACH PROCESS COUNT DISTINCT AEC AS Diversity AEC GROUP BY Age, Postal Code\n : Diversity AEC > 1\n : REJECT;",
)

# The core programs of tests/language, the examples and the documentation, with digests of their trees.
#
# `python -m tests.text.trees ROOT` wrote `core_programs.json` with the parser and the formatter that
# preceded the everyday language (X0). Do not write it again.


RECORDED = Path(__file__).parent / "core_programs.json"
_BLOCK = re.compile(r"^```acompass[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: fields that trees did not have then, and their values in a core program
_ADDED = (("others", ()), ("folder", ""), ("hierarchies", {}), ("largest", None), ("file", None))


def recorded_digests() -> dict[str, list[str]]:
    """For each program, the digests of its tree and of its canonical text."""
    programs: dict[str, list[str]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return programs


def digests(text: str) -> list[str]:
    return [_digest(_describe(parse_text(text)[0])), _digest(format_program(text))]


def _describe(node: Any) -> str:
    """A tree with all its spans, without empty fields that trees did not have then."""
    if isinstance(node, tuple):
        return f"({', '.join(_describe(each) for each in node)})"
    if not is_dataclass(node):
        return repr(node)
    given = ((field.name, getattr(node, field.name)) for field in fields(node))
    parts = (f"{name}={_describe(value)}" for name, value in given if (name, value) not in _ADDED)
    return f"{type(node).__name__}({', '.join(parts)})"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def _programs(root: Path) -> Iterator[str]:
    """Every policy that parses."""
    pages = [root / "README.md", *(root / "docs").rglob("*.md"), *(root / "tests/language").rglob("*.md")]
    blocks = [block for page in pages for block in _BLOCK.findall(page.read_text(encoding="utf-8"))]
    files = [path.read_text(encoding="utf-8") for path in (root / "examples").rglob("*.acp")]
    return (text for text in [*blocks, *files] if not parse_text(text)[1])


def main() -> None:
    parser = argparse.ArgumentParser(description="Record the core programs of a checkout in core_programs.json.")
    parser.add_argument("root", type=Path, help="the checkout; must precede the everyday language")
    root = parser.parse_args().root
    programs = {text: digests(text) for text in sorted(set(_programs(root)))}
    RECORDED.write_text(json.dumps(programs, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
