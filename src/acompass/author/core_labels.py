"""Write ALWAYS : GENERALIZE in the core, as a REPLACE for each label over the values that the column can have.

NEAREST becomes a REPLACE for each multiple that some value is rounded to, and keeps the column's type."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import Diagnostic, Label, Span, option_text
from acompass.language.program.effects import is_always, write_of
from acompass.language.program.kernels import ManyValues, Map, Nearest
from acompass.language.program.label_maps import SUPPRESSED
from acompass.language.program.program import Program, Requirement
from acompass.language.program.types import Kind, Type
from acompass.language.text import tree
from acompass.language.text.formatter import format_map
from acompass.language.text.tree import Operator, Quantifier, place_of

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
#: the texts of values, for each kind whose values are constants of the language
_TEXTS = {
    Kind.INTEGER: re.compile(r"0|-?[1-9][0-9]*"),
    Kind.DECIMAL: _NUMBER,
    Kind.DATE: re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    Kind.BOOLEAN: re.compile(r"true|false"),
    Kind.TEXT: re.compile(r".*", re.DOTALL),
}


@dataclass(frozen=True)
class Values:
    program: Program
    texts: Callable[[int], frozenset[str]] | None  # the distinct values of a column as text; None without a table


class _Impossible(Exception):
    def __init__(self, reason: str, help_: str | None = None):
        super().__init__(reason, help_)
        self.reason = reason
        self.help = help_


def replace_labels(action: tree.Generalize, at: int, values: Values) -> list[tree.Requirement] | Diagnostic:
    """The requirements that an ALWAYS : GENERALIZE becomes; `at` is its index in `walk.steps`."""
    requirement = values.program.requirements[at]
    write = write_of(requirement.action)
    assert write is not None, "the checked program has the same steps"
    kernel, before = write.kernel, requirement.before[write.column].type
    try:
        rounding = kernel.rounding()
        if rounding is not None:
            _require_same_numbers(before, requirement.after[write.column].type)
            return list(_roundings(action.name, rounding, before, _column_texts(write.column, at, values)))
        map_ = kernel.label_map()
        assert map_ is not None, "GENERALIZE rounds or has a map"
        return list(_requirements(action.name, map_, before.kind, _texts(map_, write.column, at, values)))
    except _Impossible as error:
        form = f"`GENERALIZE … TO {format_map(action.map)}`"
        return impossible(form, action.span, error.reason, error.help)


def _texts(map_: Map, column: int, at: int, values: Values) -> frozenset[str]:
    """The possible texts before the map: those of a hierarchy, or those that the column can have here."""
    if map_.listed_texts is not None:
        others = () if map_.otherwise is None else (map_.otherwise,)
        return frozenset((SUPPRESSED, *map_.listed_texts, *others))
    return _column_texts(column, at, values)


def _column_texts(column: int, at: int, values: Values) -> frozenset[str]:
    """The texts that a column can have before a step."""
    if values.texts is None:
        help_ = f"name a table that has them with `{option_text('table')}`"
        raise _Impossible("the column's values are unknown", help_)
    texts = values.texts(column)
    for earlier in values.program.requirements[:at]:
        texts = _after(earlier, column, texts)
    return texts


def _after(requirement: Requirement, column: int, texts: frozenset[str]) -> frozenset[str]:
    """The texts that a column can have after a requirement."""
    write = write_of(requirement.action)
    if write is None or column not in write.columns:
        return texts
    try:
        written = write.kernel.texts_after(texts, requirement.after[column].type)
    except ManyValues:
        if write.kernel.reads_value:
            raise _Impossible(f"the values that an earlier {write.kernel.keyword} writes are unknown") from None
        raise _Impossible("an earlier RANDOM draws from too many values to list") from None
    return frozenset(written) if write.kernel.reads_value and is_always(requirement) else texts.union(written)


def _require_same_numbers(before: Type, after: Type) -> None:
    if before.kind not in (Kind.INTEGER, Kind.DECIMAL):
        raise _Impossible(f"a column of type {before.kind} cannot be compared with each of its values")
    if before.is_spelled_decimal or after.is_spelled_decimal:
        raise _Impossible("it changes how the column's numbers are spelled (D26)")
    if before != after:
        raise _Impossible("it turns the column's integers into decimals")


def _roundings(name: tree.Name, kernel: Nearest, type_: Type, texts: frozenset[str]) -> Iterator[tree.Requirement]:
    """A multiple is rounded to itself, so that no REPLACE changes what another one has written."""
    groups: dict[Decimal, list[tree.Constant]] = {}
    for number in map(Decimal, _in_order(texts)):
        rounded = kernel.nearest(number, type_)
        if rounded is None:
            raise _Impossible("a number of the table cannot be rounded")
        if rounded != number:
            groups.setdefault(Decimal(str(rounded)), []).append(tree.Number(number))
    for rounded, numbers in groups.items():
        yield _requirement(tree.Not(_one_of(name, numbers)), name, tree.Number(rounded))


def _requirements(name: tree.Name, map_: Map, kind: Kind, texts: frozenset[str]) -> Iterator[tree.Requirement]:
    """The first requirement makes the column text (D12, retyping), so the others compare it with texts. `kind` is the
    column's before."""
    if kind not in _TEXTS:
        raise _Impossible(f"a column of type {kind} cannot be compared with each of its values")
    column = _in_order(filter(_TEXTS[kind].fullmatch, texts))
    # retyping may turn both spellings of a number into a third (D26)
    if kind is Kind.DECIMAL and len({Decimal(text) for text in column}) < len(column):
        raise _Impossible("the column has two spellings of one number")
    groups = _groups(map_, texts)
    first = _first(groups, column, kind)
    if first is not None:
        label, members = first
        is_number = kind in (Kind.INTEGER, Kind.DECIMAL)
        yield _replace(
            name, [tree.Number(Decimal(each)) if is_number else tree.String(each) for each in members], label
        )
    for label, members in groups.items():
        others = members if first is None or label != first[0] else sorted(set(members) - set(first[1]))
        if others:
            yield _replace(name, [tree.String(text) for text in others], label)
    yield from _rest(name, map_, texts)


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
    if map_.listed_texts is not None:
        labels = _in_order(text for text in texts if map_.label(text) == text)
        in_hierarchy = _one_of(name, list(map(tree.String, labels)))
        if map_.otherwise is None:
            yield _check(in_hierarchy)
        else:
            yield _requirement(in_hierarchy, name, tree.String(map_.otherwise))


def _check(condition: tree.Condition) -> tree.Requirement:
    return tree.Requirement(tree.Assertion(Quantifier.EACH, tree.Result(), condition))


def _replace(name: tree.Name, constants: list[tree.Constant], label: str) -> tree.Requirement:
    return _requirement(tree.Not(_one_of(name, constants)), name, tree.String(label))


def _requirement(condition: tree.Condition, name: tree.Name, value: tree.Constant) -> tree.Requirement:
    assertion = tree.Assertion(Quantifier.EACH, tree.Result(), condition)
    return tree.Requirement(assertion, tree.Replace(name, value))


def _one_of(name: tree.Name, constants: list[tree.Constant]) -> tree.Condition:
    equal = tuple(tree.Comparison(name, Operator.EQ, constant) for constant in constants)
    return equal[0] if len(equal) == 1 else tree.Or(equal)


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
