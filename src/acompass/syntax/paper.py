"""`--paper`: every form that the paper's language does not have is an error at its place (X0)."""

from typing import assert_never

from acompass.diagnostics import Diagnostic, Label, Span
from acompass.syntax import core_actions, tree, walk
from acompass.syntax.format import format_condition
from acompass.syntax.spelling import spell_constant, spell_name
from acompass.syntax.tree import place_of

_LONGEST_HELP = 120


def beyond_paper(program: tree.Program) -> tuple[Diagnostic, ...]:
    """A diagnostic for each form that is not in the core, in the order of the text."""
    return tuple(_refused(form) for requirement in program.requirements for form in walk.beyond(requirement))


def _refused(form: walk.Beyond) -> Diagnostic:
    word, span, help_ = _described(form)
    message = f"{word} is not in the paper's language, which `--paper` asks for"
    place = place_of(span)
    return Diagnostic("AC060", message, () if place is None else (Label(place),), help_)


def _described(form: walk.Beyond) -> tuple[str, Span, str]:
    """The form in words, its place, and what the core has instead."""
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
        case tree.Draw() | tree.Generalize() | tree.Drop() | tree.Sometimes() | tree.Then():
            return _described_action(form)
        case _:
            assert_never(form)


def _described_action(form: walk.BeyondAction) -> tuple[str, Span, str]:
    match form:
        case tree.Draw():
            return "`RANDOM … FROM`", form.span, _with_bounds(form)
        case tree.Generalize():
            return "`GENERALIZE`", form.span, "write one requirement with `REPLACE` for each label"
        case tree.Drop(names):
            return "`DROP`", form.span, _without(names)
        case tree.Sometimes(probability):
            place = Span(form.span.start, probability.span.end)
            return "`WITH PROBABILITY`", place, "write the action alone, for all affected records"
        case tree.Then(steps):
            return "`THEN`", steps[1].span, "write one requirement for each action"
        case _:
            assert_never(form)


def _instead(condition: tree.Condition) -> str:
    words = format_condition(walk.core(condition))
    if len(words) > _LONGEST_HELP:
        return "write one comparison for each value, joined by `OR`"
    is_bare = words.startswith("NOT ")
    return f"write `{words}`" if is_bare else f"write `({words})`"


def _with_bounds(draw: tree.Draw) -> str:
    random = core_actions.random(draw)
    if random is None:
        return "write two bounds, as in `RANDOM Age 18 90`, between which all integers are equally probable"
    lower, upper = spell_constant(random.lower), spell_constant(random.upper)
    return f"write `RANDOM {spell_name(random.name.text)} {lower} {upper}`"


def _without(names: tuple[tree.Name, ...]) -> str:
    columns = "the column" if len(names) == 1 else "the columns"
    return f"leave {columns} out of the table, or replace the values"
