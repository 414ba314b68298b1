"""`--paper`: report every form that the paper's language does not have (X0).

`core_random` returns the RANDOM of the paper that is equivalent to a RANDOM … FROM with equal weights (X6)."""

from decimal import Decimal
from itertools import pairwise
from typing import assert_never

from acompass.errors.diagnostics import Diagnostic, Label, Span, option_text
from acompass.language.text import tree, walk
from acompass.language.text.formatter import format_condition
from acompass.language.text.tokens import spell_constant, spell_name
from acompass.language.text.tree import place_of

_LONGEST_HELP = 120


def beyond_paper(program: tree.Program) -> tuple[Diagnostic, ...]:
    """A diagnostic for each form beyond the paper, in the order of the text."""
    return tuple(_report_form(form) for requirement in program.requirements for form in walk.beyond(requirement))


def _report_form(form: walk.Beyond) -> Diagnostic:
    word, span, help_ = _describe_form(form)
    message = f"{word} is not in the paper's language, which `{option_text('paper', True)}` requires"
    place = place_of(span)
    return Diagnostic("AC060", message, () if place is None else (Label(place),), help_)


def _describe_form(form: walk.Beyond) -> tuple[str, Span, str]:
    """The form in words, its place, and help with the paper's form."""
    match form:
        case tree.Always():
            return "`ALWAYS`", form.span, "write `EACH PROCESS COUNT(*) AS Records : Records < 1`"
        case tree.Unequal():
            return f"`{form.sign}`", form.span, _instead(form)
        case tree.In():
            return "`IN`", form.span, _instead(form)
        case tree.Between():
            return "`BETWEEN`", form.span, _instead(form)
        case tree.Like():
            return "`LIKE`", form.span, _instead(form)
        case tree.NamedAggregate(aggregate):
            return "a second aggregate", aggregate.span, "write one requirement for each aggregate"
        case tree.Aggregate(function, file=file):
            share = f"`{function}`", form.span, "compare `SUM`, `MIN`, `MAX` or a count, the paper's only aggregates"
            over_file = "an aggregate over a file", form.span, "add the numbers of the file to the table as a column"
            return share if file is None else over_file
        case tree.Draw() | tree.Generalize() | tree.Drop() | tree.Sometimes() | tree.Then():
            return _describe_action(form)
        case tree.Pseudonym() | tree.Shift() | tree.AddRandom() | tree.Microaggregate():
            return _describe_action(form)
        case _:
            assert_never(form)


def _describe_action(form: walk.BeyondAction) -> tuple[str, Span, str]:
    match form:
        case tree.Draw():
            return "`RANDOM … FROM`", form.span, _bounds_help(form)
        case tree.Generalize():
            return "`GENERALIZE`", form.span, "write one requirement with `REPLACE` for each label"
        case tree.Drop(names):
            return "`DROP`", form.span, _removal_help(names)
        case tree.Sometimes(probability):
            place = Span(form.span.start, probability.span.end)
            return "`WITH PROBABILITY`", place, "write the action alone, for all affected records"
        case tree.Then(steps):
            return "`THEN`", steps[1].span, "write one requirement for each action"
        case tree.Pseudonym(name):
            return "`PSEUDONYM`", form.span, f"write `REPLACE {spell_name(name.text)} WITH '*'`"
        case tree.Shift():
            return "`SHIFT`", form.span, "shift the dates before the policy runs, or replace them"
        case tree.AddRandom(lower, upper, name):
            bounds = f"{spell_constant(lower)} {spell_constant(upper)}"
            help_ = f"write `RANDOM {spell_name(name.text)} {bounds}`, which replaces the value instead"
            return "`ADD RANDOM`", form.span, help_
        case tree.Microaggregate(name):
            return "`MICROAGGREGATE`", form.span, "write one requirement with `REPLACE` for each group"
        case _:
            assert_never(form)


def unknown_function(action: tree.Plain | None) -> tuple[str, str] | None:
    """The action in words, and why no action of the paper writes the same; None if one does."""
    match action:
        case tree.Pseudonym():
            return "PSEUDONYM", "no action of the paper has a key"
        case tree.Shift():
            return "SHIFT", "no action of the paper has a key"
        case tree.AddRandom():
            return "ADD RANDOM", "what the paper draws does not depend on the value before"
        case tree.Microaggregate():
            return "MICROAGGREGATE", "what an action of the paper writes does not depend on other records"
        case None | tree.Reject() | tree.Replace() | tree.Random() | tree.Draw() | tree.Generalize() | tree.Drop():
            return None
        case _:
            assert_never(action)


def _instead(condition: tree.Condition) -> str:
    words = format_condition(walk.core(condition))
    if len(words) > _LONGEST_HELP:
        return "write one comparison for each value, joined by `OR`"
    is_bare = words.startswith("NOT ")
    return f"write `{words}`" if is_bare else f"write `({words})`"


def _bounds_help(draw: tree.Draw) -> str:
    random = core_random(draw)
    if random is None:
        return "write two bounds, as in `RANDOM Age 18 90`, between which all integers are equally probable"
    lower, upper = spell_constant(random.lower), spell_constant(random.upper)
    return f"write `RANDOM {spell_name(random.name.text)} {lower} {upper}`"


def _removal_help(names: tuple[tree.Name, ...]) -> str:
    columns = "the column" if len(names) == 1 else "the columns"
    return f"leave {columns} out of the table, or replace the values"


#: the bounds of RANDOM are 64-bit integers (D14)
_LOWEST, _HIGHEST = Decimal(-(2**63)), Decimal(2**63 - 1)


def core_random(draw: tree.Draw) -> tree.Random | None:
    """The action that draws the same values from the same trace; None unless the values are consecutive integers in
    ascending order with equal weights."""
    numbers = [each.constant for each in draw.values if isinstance(each.constant, tree.Number)]
    integers = [number.value for number in numbers if number.value.as_tuple().exponent == 0]
    is_without_gap = all(above - below == 1 for below, above in pairwise(integers))
    if len(integers) < len(draw.values) or not is_without_gap or len({each.times for each in draw.values}) > 1:
        return None
    if integers[0] < _LOWEST or integers[-1] > _HIGHEST:
        return None
    return tree.Random(draw.name, numbers[0], numbers[-1], draw.span)
