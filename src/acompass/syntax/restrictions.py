"""Mistakes in requirements that the grammar accepts: fractions, patterns, DROP without ALWAYS."""

from collections.abc import Iterator
from typing import assert_never

from acompass.diagnostics import Diagnostic, Label, Span
from acompass.diagnostics.edits import delete, offer, replace, safe
from acompass.syntax import tree, walk
from acompass.syntax.chances import unlikely
from acompass.syntax.spelling import spell_name, spell_string
from acompass.syntax.unexpected import quote

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
        action = walk.step_of(step)
        yield from _fractions(action)
        yield from _drawn_drop(action)
        yield from _dropped_sometimes(step)
        yield from unlikely(action)


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
        case tree.Generalize(map=tree.PrefixOf(length)):
            yield "after `PREFIX OF`", length
        case tree.Generalize(map=tree.LevelOf(level)):
            yield "after `LEVEL`", level
        case None | tree.Reject() | tree.Replace() | tree.Draw() | tree.Generalize() | tree.Drop():
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


def _drawn_drop(action: tree.Step | None) -> Iterator[Diagnostic]:
    """DROP is a change of the schema, which no probability can leave to chance."""
    match action:
        case tree.Sometimes(_, tree.Drop() as drop):
            chance = Span(action.span.start, drop.span.start)
            help_ = (
                "remove `WITH PROBABILITY`, or hide values at random, as in `WITH PROBABILITY 0.5 REPLACE …`"
            )
            fixes = offer("remove the probability", delete(chance))
            message = "`DROP` removes a whole column, so that it takes no probability"
            yield Diagnostic("AC053", message, (Label(action.span),), help_, fixes=fixes)
        case None | tree.Reject() | tree.Replace() | tree.Random() | tree.Draw() | tree.Generalize():
            pass
        case tree.Drop() | tree.Sometimes():
            pass
        case _:
            assert_never(action)


def _dropped_sometimes(requirement: tree.Requirement) -> Iterator[Diagnostic]:
    if walk.assertion_of(requirement) is None:
        return
    action = walk.plain_of(walk.step_of(requirement))
    match action:
        case tree.Drop(names):
            listed = ", ".join(spell_name(name.text) for name in names)
            help_ = f"`ALWAYS : DROP {listed};` removes the column, `REJECT` the affected records"
            yield Diagnostic("AC048", "`DROP` needs `ALWAYS`", (Label(action.span),), help_)
        case None | tree.Reject() | tree.Replace() | tree.Random() | tree.Draw() | tree.Generalize():
            pass
        case _:
            assert_never(action)
