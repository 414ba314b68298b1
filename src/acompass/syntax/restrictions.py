"""Mistakes in requirements that the grammar accepts: fractions, patterns, DROP without ALWAYS."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from acompass.diagnostics import Diagnostic, Label
from acompass.diagnostics.edits import offer, replace, safe
from acompass.syntax import tree, walk
from acompass.syntax.spelling import spell_name, spell_string
from acompass.syntax.unexpected import quote

#: the smallest probability of an outcome (X7)
RAREST = Fraction(1, 2**32)
#: characters with a meaning in a pattern of SQL
_WILDCARDS = frozenset("%_")


def not_a_requirement(requirement: tree.Requirement) -> Diagnostic | None:
    """The first mistake."""
    return next(_mistakes(requirement), None)


def _mistakes(requirement: tree.Requirement) -> Iterator[Diagnostic]:
    for condition in walk.all_conditions(requirement):
        for leaf in walk.leaves(condition):
            yield from _pattern(leaf)
    for step in walk.steps_of(requirement):
        yield from _fractions(walk.step_of(step))
        yield from _dropped_sometimes(step)
        yield from _unlikely(walk.step_of(step))


def _pattern(condition: tree.Condition) -> Iterator[Diagnostic]:
    match condition:
        case tree.Like(pattern=pattern):
            if not _is_prefix(pattern.value):
                yield _not_a_prefix(condition)
        case tree.Comparison() | tree.Unequal() | tree.In() | tree.Between():
            pass
        case tree.Not() | tree.And() | tree.Or():
            pass
        case _:
            assert_never(condition)


def _is_prefix(pattern: str) -> bool:
    prefix = pattern.removesuffix("%")
    return len(prefix) == len(pattern) - 1 and prefix != "" and not _WILDCARDS & set(prefix)


def _not_a_prefix(like: tree.Like) -> Diagnostic:
    pattern = like.pattern.value
    message = f"unsupported pattern {quote(spell_string(pattern))} after `LIKE`"
    label = (Label(like.pattern.span),)
    if not pattern or _WILDCARDS & set(pattern):
        help_ = "a pattern is the beginning of a text, as in `'abc%'`; list other values with `IN ('a', 'b')`"
        return Diagnostic("AC034", message, label, help_)
    name = spell_name(like.name.text)
    equal = f"{name} {'!=' if like.negated else '='} {spell_string(pattern)}"
    beginning = spell_string(f"{pattern}%")
    help_ = f"write `{equal}` for the text itself, `LIKE {beginning}` for every text that begins with it"
    fixes = safe(f"write `{equal}`", replace(like.span, equal))
    return Diagnostic("AC034", message, label, help_, fixes=fixes)


def _fractions(action: tree.Step | None) -> Iterator[Diagnostic]:
    for what, number in _integers(action):
        if isinstance(number, tree.Number) and number.value.as_tuple().exponent != 0:
            yield _not_an_integer(what, number)


def _integers(action: tree.Step | None) -> Iterator[tuple[str, tree.Constant]]:
    """The constants that have to be integers, with their places in words."""
    plain = walk.plain_of(action)
    match plain:
        case tree.Random():
            yield "as the bound of `RANDOM`", plain.lower
            yield "as the bound of `RANDOM`", plain.upper
        case tree.Draw(balls=balls):
            yield from (("as a weight", ball.weight) for ball in balls if ball.weight is not None)
        case tree.Generalize(map=tree.PrefixOf(length)):
            yield "after `PREFIX OF`", length
        case tree.Generalize(map=tree.LevelOf(level)):
            yield "after `LEVEL`", level
        case None | tree.Reject() | tree.Replace() | tree.Generalize() | tree.Drop():
            pass
        case _:
            assert_never(plain)


def _not_an_integer(what: str, number: tree.Number) -> Diagnostic:
    found = f"{number.value:f}"
    whole = found.partition(".")[0]
    fix = safe if number.value == int(number.value) else offer
    return Diagnostic(
        "AC021",
        f"expected an integer {what}, found {quote(found)}",
        (Label(number.span),),
        help=f"write {quote(whole)}",
        fixes=fix(f"write {quote(whole)}", replace(number.span, whole)),
    )


def _dropped_sometimes(requirement: tree.Requirement) -> Iterator[Diagnostic]:
    action = walk.step_of(requirement)
    if walk.assertion_of(requirement) is None:
        return
    action = walk.plain_of(action)
    match action:
        case tree.Drop(names):
            listed = ", ".join(spell_name(name.text) for name in names)
            help_ = f"`ALWAYS : DROP {listed};` removes the column, `REJECT` the affected records"
            yield Diagnostic("AC048", "`DROP` needs `ALWAYS`", (Label(action.span),), help_)
        case None | tree.Reject() | tree.Replace() | tree.Random() | tree.Draw() | tree.Generalize():
            pass
        case _:
            assert_never(action)


def _unlikely(action: tree.Step | None) -> Iterator[Diagnostic]:
    """Probabilities and weights that are none (X5, X6), and outcomes that are too rare (X7)."""
    if isinstance(action, tree.Sometimes):
        yield from _no_probability(action)
    plain = walk.plain_of(action)
    if isinstance(plain, tree.Draw):
        yield from _no_weights(plain)


def _no_probability(action: tree.Sometimes) -> Iterator[Diagnostic]:
    number = action.probability
    label = (Label(number.span),)
    found = quote(f"{number.value:f}")
    if isinstance(action.action, tree.Drop):
        message = "`DROP` removes a column, so that no probability can precede it"
        yield Diagnostic("AC053", message, (Label(action.span),), "write `ALWAYS : DROP …` without it")
    elif not 0 < number.value < 1:
        message = f"expected a probability between 0 and 1, found {found}"
        yield Diagnostic("AC051", message, label, _meant_probability(number.value))
    elif min(Fraction(number.value), 1 - Fraction(number.value)) < RAREST:
        message = f"the probability {found} makes an outcome rarer than 2^-32"
        yield Diagnostic("AC054", message, label, "write a probability that is not so close to 0 or 1")


def _meant_probability(value: Decimal) -> str:
    if 1 < value < 100:
        return f"did you mean `{(value / 100).normalize():f}`?"
    return (
        "leave `WITH PROBABILITY` out to affect every record"
        if value == 1
        else "write a number such as `0.25`"
    )


def _no_weights(action: tree.Draw) -> Iterator[Diagnostic]:
    weights = [1 if ball.weight is None else int(ball.weight.value) for ball in action.balls]
    for ball, weight in zip(action.balls, weights, strict=True):
        if ball.weight is not None and weight <= 0:
            message = f"expected a positive weight, found {quote(str(weight))}"
            yield Diagnostic(
                "AC052", message, (Label(ball.weight.span),), "leave the value out to draw it never"
            )
            return
    total = sum(weights)
    for ball, weight in zip(action.balls, weights, strict=True):
        if weight < total * RAREST:
            message = "the weights make an outcome rarer than 2^-32"
            yield Diagnostic("AC054", message, (Label(ball.span),), "write weights that differ less")
            return
