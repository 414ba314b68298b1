"""Write ALWAYS : GENERALIZE in the core, as a REPLACE for each label over the values that the column can have."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import assert_never

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import Diagnostic, Label, Span
from acompass.language.program import effects
from acompass.language.program.label_maps import SUPPRESSED, Level, Map
from acompass.language.program.program import (
    Draw,
    Drop,
    Generalize,
    Program,
    Random,
    Reject,
    Replace,
    Requirement,
    Sometimes,
)
from acompass.language.program.types import Kind, to_text
from acompass.language.text import tree
from acompass.language.text.formatter import format_map
from acompass.language.text.tree import Operator, Quantifier, place_of

#: the maximum number of values that RANDOM may draw from if a later map must list them
_MOST_DRAWN = 10_000
#: kinds whose values are constants of the language
_LISTED = (Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.BOOLEAN, Kind.TEXT)
_NUMBERS = (Kind.INTEGER, Kind.DECIMAL)
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class Values:
    program: Program
    texts: Callable[[int], frozenset[str]] | None  # the distinct values of a column as text; None without a table


class _Impossible(Exception):
    def __init__(self, reason: str, help_: str | None = None):
        self.reason = reason
        self.help = help_
        super().__init__(reason)


def replace_labels(action: tree.Generalize, at: int, values: Values) -> list[tree.Requirement] | Diagnostic:
    """The requirements that an ALWAYS : GENERALIZE becomes; `at` is its index in `walk.steps`."""
    requirement = values.program.requirements[at]
    checked = effects.as_generalize(requirement.action)
    assert checked is not None, "the checked program has the same steps"
    try:
        return list(_requirements(action.name, checked, requirement, _texts(checked, at, values)))
    except _Impossible as error:
        form = f"`GENERALIZE … TO {format_map(action.map)}`"
        return impossible(form, action.span, error.reason, error.help)


def _texts(action: Generalize, at: int, values: Values) -> frozenset[str]:
    """The possible texts before the map: those of a hierarchy, or those that the column can have here."""
    hierarchy = _hierarchy_texts(action.map)
    if hierarchy is not None:
        return hierarchy
    if values.texts is None:
        raise _Impossible("the column's values are unknown", "name a table that has them with `--table`")
    texts = values.texts(action.column)
    for earlier in values.program.requirements[:at]:
        texts = _after(earlier, action.column, texts)
    return texts


def _hierarchy_texts(map_: Map) -> frozenset[str] | None:
    """The texts of a LEVEL's hierarchy; None for other maps."""
    if not isinstance(map_, Level):
        return None
    texts = {text for row in map_.hierarchy.rows for text in row} | {SUPPRESSED}
    return frozenset(texts if map_.otherwise is None else texts | {map_.otherwise})


def _after(requirement: Requirement, column: int, texts: frozenset[str]) -> frozenset[str]:
    """The texts that a column can have after a requirement."""
    action = requirement.action
    if effects.column_written(action) != column:
        return texts
    match action:
        case Replace(value=value):
            return texts | {to_text(value, requirement.after[column].type)}
        case Random(lower=lower, upper=upper):
            if upper - lower >= _MOST_DRAWN:
                raise _Impossible("an earlier RANDOM draws from too many values to list")
            return texts | {str(drawn) for drawn in range(lower, upper + 1)}
        case Draw(values=values):
            type_ = requirement.after[column].type
            return texts | {to_text(each.value, type_) for each in values}
        case Sometimes():
            raise AssertionError("`core.refusals` rejects WITH PROBABILITY")
        case Generalize(map=map_):
            labels = (map_.label(text) for text in texts)
            return frozenset(label for label in labels if label is not None)  # a run fails on the others
        case None | Reject() | Drop():
            return texts
        case _:
            assert_never(action)


def _requirements(
    name: tree.Name, action: Generalize, requirement: Requirement, texts: frozenset[str]
) -> Iterator[tree.Requirement]:
    """The first requirement makes the column text (D12, retyping), so the others compare it with texts."""
    kind = requirement.before[action.column].type.kind
    if kind not in _LISTED:
        raise _Impossible(f"a column of type {kind} cannot be compared with each of its values")
    column = _in_order(text for text in texts if _is_kind(kind, text))
    if kind is Kind.DECIMAL:
        _require_one_spelling(column)
    groups = _groups(action.map, texts)
    first = _first(groups, column, kind)
    if first is not None:
        label, members = first
        yield _replace(name, [_constant(kind, text) for text in members], label)
    for label, members in groups.items():
        others = members if first is None or label != first[0] else sorted(set(members) - set(first[1]))
        if others:
            yield _replace(name, [tree.String(text) for text in others], label)
    yield from _rest(name, action.map, texts)


def _groups(map_: Map, texts: Iterable[str]) -> dict[str, list[str]]:
    """The texts that each label replaces, in order."""
    groups: dict[str, list[str]] = {}
    for text in _in_order(texts):
        label = map_.label(text)
        if label is not None and label != text:
            groups.setdefault(label, []).append(text)
    return groups


def _first(groups: Mapping[str, list[str]], column: list[str], kind: Kind) -> tuple[str, list[str]] | None:
    """A label and the values of the column's own type to replace first; None if the column is text."""
    if kind is Kind.TEXT:
        return None
    own = set(column)
    for label, members in groups.items():
        listed = [text for text in members if text in own]
        if listed:
            return label, listed
    if not column:
        raise _Impossible("the table has no values")
    return column[0], [column[0]]


def _rest(name: tree.Name, map_: Map, texts: frozenset[str]) -> Iterator[tree.Requirement]:
    """Handle values without a label: ELSE replaces them, otherwise a check fails and no table is written."""
    without = _in_order(text for text in texts if map_.label(text) is None)
    if without:
        yield _check(tree.Not(_one_of(name, list(map(tree.String, without)))))
    if isinstance(map_, Level):
        labels = _in_order(text for text in texts if map_.label(text) == text)
        in_hierarchy = _one_of(name, list(map(tree.String, labels)))
        if map_.otherwise is None:
            yield _check(in_hierarchy)
        else:
            yield _requirement(in_hierarchy, name, map_.otherwise)


def _check(condition: tree.Condition) -> tree.Requirement:
    return tree.Requirement(tree.Assertion(Quantifier.EACH, tree.Result(), condition))


def _replace(name: tree.Name, constants: list[tree.Constant], label: str) -> tree.Requirement:
    return _requirement(tree.Not(_one_of(name, constants)), name, label)


def _requirement(condition: tree.Condition, name: tree.Name, label: str) -> tree.Requirement:
    assertion = tree.Assertion(Quantifier.EACH, tree.Result(), condition)
    return tree.Requirement(assertion, tree.Replace(name, tree.String(label)))


def _one_of(name: tree.Name, constants: list[tree.Constant]) -> tree.Condition:
    equal = tuple(tree.Comparison(name, Operator.EQ, constant) for constant in constants)
    return equal[0] if len(equal) == 1 else tree.Or(equal)


def _constant(kind: Kind, text: str) -> tree.Constant:
    return tree.Number(Decimal(text)) if kind in _NUMBERS else tree.String(text)


def _is_kind(kind: Kind, text: str) -> bool:
    """Whether a value of this kind can have the text."""
    match kind:
        case Kind.INTEGER:
            return _INTEGER.fullmatch(text) is not None
        case Kind.DECIMAL:
            return _NUMBER.fullmatch(text) is not None
        case Kind.DATE:
            return _DATE.fullmatch(text) is not None
        case Kind.BOOLEAN:
            return text in ("true", "false")
        case Kind.TEXT:
            return True
        case Kind.FLOAT | Kind.TIMESTAMP | Kind.OPAQUE | Kind.DROPPED:
            return False
        case _:
            assert_never(kind)


def _require_one_spelling(texts: list[str]) -> None:
    """Raise if one number has two spellings, because retyping may turn both into a third (D26)."""
    if len({Decimal(text) for text in texts}) < len(texts):
        raise _Impossible("the column has two spellings of one number")


def _in_order(texts: Iterable[str]) -> list[str]:
    """Sort numbers by size, then other texts by code point."""
    return sorted(texts, key=_sort_key)


def _sort_key(text: str) -> tuple[bool, Decimal, str]:
    is_number = _NUMBER.fullmatch(text) is not None
    return not is_number, Decimal(text) if is_number else Decimal(0), text


def impossible(form: str, span: Span, reason: str, help_: str | None = None) -> Diagnostic:
    place = place_of(span)
    message = f"{form} cannot be written in the core: {reason}"
    return Diagnostic("AC061", message, () if place is None else (Label(place),), help_)
