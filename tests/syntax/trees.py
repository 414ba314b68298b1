"""Hypothesis strategies for trees, and for texts of trees with irregular spaces and comments."""

from decimal import Decimal

from hypothesis import strategies as st

from acompass.syntax import tree
from acompass.syntax.tokens import KEYWORDS

WORDS = st.from_regex(r"[A-Za-zéß東_][A-Za-z0-9_.é]{0,6}", fullmatch=True).filter(
    lambda word: word.lower() not in KEYWORDS
)
#: words that are keywords in some place of a form beyond the paper (X0)
CONTEXTUAL = st.sampled_from(
    [
        *("always", "in", "between", "like", "generalize", "drop", "then", "to", "of", "from", "up", "at"),
        *("else", "bands", "prefix", "level", "month", "YEAR", "probability"),
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


def _compound(inner: st.SearchStrategy[tree.Condition]) -> st.SearchStrategy[tree.Condition]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.builds(tree.Not, inner) | st.builds(tree.And, several) | st.builds(tree.Or, several)


CONDITIONS: st.SearchStrategy[tree.Condition] = st.recursive(
    COMPARISONS | PREDICATES, _compound, max_leaves=6
)

AGGREGATES = st.builds(
    tree.Aggregate,
    st.sampled_from([function for function in tree.Function if function is not tree.Function.COUNT]),
    NAMES,
) | st.just(tree.Aggregate(tree.Function.COUNT))

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
)
#: weights and probabilities that are far from the limits of X7
WEIGHTS = st.integers(1, 10**6).map(lambda value: tree.Number(Decimal(value)))
PROBABILITIES = st.integers(1, 10**4 - 1).map(lambda digits: tree.Number(Decimal(digits).scaleb(-4)))
BALLS = st.builds(tree.Ball, CONSTANTS, st.none() | WEIGHTS)
PLAIN = (
    st.just(tree.Reject())
    | st.builds(tree.Replace, NAMES, CONSTANTS)
    | st.builds(tree.Random, NAMES, INTEGERS | PARAMETERS, INTEGERS | PARAMETERS)
    | st.builds(tree.Draw, NAMES, st.lists(BALLS, min_size=1, max_size=4).map(tuple))
    | st.builds(tree.Generalize, NAMES, MAPS)
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
def written(draw: st.DrawFn, texts: list[str]) -> str:
    """Tokens separated by spaces, line ends and comments, mostly by one space."""
    out = [draw(GAPS | EMPTY)]
    for text in texts:
        out.append(text)
        out.append(draw(EMPTY | EMPTY | GAPS))
    return "".join(out)
