"""Hypothesis strategies for trees, and for the same trees written by hand: odd spaces, cases and comments."""

from decimal import Decimal

from hypothesis import strategies as st

from acompass.diagnostics import Span
from acompass.syntax import tree
from acompass.syntax.tokens import KEYWORDS

NOWHERE = Span(0, 0)

WORDS = st.from_regex(r"[A-Za-zéß東_][A-Za-z0-9_.é]{0,6}", fullmatch=True).filter(
    lambda word: word.lower() not in KEYWORDS
)
BARE = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
AGGREGATE_WORDS = st.sampled_from(["Count", "COUNT DISTINCT", "Sum of x", "min", "Max", "Distinct"])
QUOTED = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
NAMES = st.builds(tree.Name, BARE | AGGREGATE_WORDS | QUOTED, st.just(NOWHERE))

NUMBERS = st.builds(
    lambda digits, scale: tree.Number(Decimal(digits).scaleb(-scale), NOWHERE),
    st.integers(-(10**12), 10**12),
    st.integers(0, 5),
)
INTEGERS = st.integers(-(2**63), 2**63 - 1).map(lambda value: tree.Number(Decimal(value), NOWHERE))
STRINGS = st.text(max_size=8).map(lambda text: tree.String(text, NOWHERE))
PARAMETERS = WORDS.map(lambda word: tree.Parameter(word, NOWHERE))
CONSTANTS = NUMBERS | STRINGS | PARAMETERS

COMPARISONS = st.builds(tree.Comparison, NAMES, st.sampled_from(tree.Operator), CONSTANTS, st.just(NOWHERE))


def _compound(inner: st.SearchStrategy[tree.Condition]) -> st.SearchStrategy[tree.Condition]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return (
        st.builds(tree.Not, inner, st.just(NOWHERE))
        | st.builds(tree.And, several, st.just(NOWHERE))
        | st.builds(tree.Or, several, st.just(NOWHERE))
    )


CONDITIONS: st.SearchStrategy[tree.Condition] = st.recursive(COMPARISONS, _compound, max_leaves=6)

AGGREGATES = st.builds(
    tree.Aggregate,
    st.sampled_from([function for function in tree.Function if function is not tree.Function.COUNT]),
    NAMES,
    st.just(NOWHERE),
) | st.just(tree.Aggregate(tree.Function.COUNT, None, NOWHERE))

RESULTS = (
    st.just(tree.Result(NOWHERE))
    | st.builds(tree.Filter, CONDITIONS, st.just(NOWHERE))
    | st.builds(
        tree.Process,
        AGGREGATES,
        NAMES,
        st.none() | CONDITIONS,
        st.lists(NAMES, max_size=3).map(tuple),
        st.just(NOWHERE),
    )
)
ASSERTIONS = st.builds(
    tree.Assertion, st.sampled_from(tree.Quantifier), RESULTS, CONDITIONS, st.just(NOWHERE)
)
ACTIONS = (
    st.just(tree.Reject(NOWHERE))
    | st.builds(tree.Replace, NAMES, CONSTANTS, st.just(NOWHERE))
    | st.builds(tree.Random, NAMES, INTEGERS | PARAMETERS, INTEGERS | PARAMETERS, st.just(NOWHERE))
)
REQUIREMENTS = st.builds(tree.Requirement, ASSERTIONS, st.none() | ACTIONS, st.just(NOWHERE))

#: what may stand between two tokens without a change of meaning
GAPS = st.sampled_from(["\n", "\r\n", "\t ", " -- a\n", " --\n", "/* b */", "\n\n/* c\n c */\n", "\n-- d\n"])
EMPTY = st.just(" ")


@st.composite
def written(draw: st.DrawFn, texts: list[str]) -> str:
    """Tokens with all sorts of space and comments around them, mostly with one space."""
    out = [draw(GAPS | EMPTY)]
    for text in texts:
        out.append(text)
        out.append(draw(EMPTY | EMPTY | GAPS))
    return "".join(out)
