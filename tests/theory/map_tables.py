"""Maps of GENERALIZE as the theory represents them: a label for each part of the values of a type, and for each
text that the policy itself writes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from acompass.language.program.bands import Bands, Number
from acompass.language.program.effects import map_of, write_of
from acompass.language.program.kernels import Map
from acompass.language.program.label_maps import SUPPRESSED, Level
from acompass.language.program.program import Program, Requirement
from acompass.language.program.types import BOOLEAN, Kind, Type, Value, to_text
from acompass.prove.diagrams.cuts import read_text
from tests.theory.expressions import Functions, field, form

#: a condition about the value of the column, and the label of the values that satisfy it
Part = tuple[str, str]


def parts(map_: Map, type_: Type, *, any_scale: bool) -> list[Part] | None:
    """None if some value has no label, or if there are infinitely many labels.

    The text of a number of any scale is not a function of the number, so a hierarchy has no such table.
    """
    match map_:
        case _ if type_.kind is Kind.BOOLEAN:
            return _parts_of_booleans(map_)
        case Bands() if type_.is_number and map_.labels() is not None:
            return [(_guard(band.lower, band.upper, type_), band.label) for band in map_.bands_between(None, None)]
        case Level(otherwise=str()) if not any_scale:
            return _parts_of_level(map_, type_)
        case _:
            return None


def _parts_of_booleans(map_: Map) -> list[Part] | None:
    labels = {each: map_.label(to_text(each, BOOLEAN)) for each in (True, False)}
    found = [(form("=", 0, field(each)), label) for each, label in labels.items() if label is not None]
    return found if len(found) == len(labels) else None


def _guard(lower: Number | None, upper: Number | None, type_: Type) -> str:
    bounds = ((">=", lower), ("<", upper))
    return form("and", *(form(sign, 0, field(_as(each, type_))) for sign, each in bounds if each is not None))


def _as(bound: Number, type_: Type) -> Value:
    """The bound as conditions on the column compare it (D9)."""
    return float(bound) if type_.kind is Kind.FLOAT else bound


def _parts_of_level(map_: Level, type_: Type) -> list[Part]:
    assert map_.otherwise is not None
    guards: dict[str, list[str]] = defaultdict(list)
    for text in (*map_.hierarchy.lowest_level, SUPPRESSED):
        value = _value(text, type_)
        if value is not None:
            guards[str(map_.label(text))].append(form("=", 0, field(value)))
    known = [(form("or", *each), label) for label, each in guards.items()]
    return [*known, (form("not", form("or", *(guard for guard, _ in known))), map_.otherwise)]


def _value(text: str, type_: Type) -> Value | None:
    return text if type_.kind is Kind.TEXT else read_text(text, type_)


def labels_of_texts(program: Program, texts: Iterable[str]) -> Functions:
    """For each map, the labels of these texts and of the constants and labels that the program writes."""
    written = {text for requirement in program.requirements for text in _written_texts(requirement)}
    maps = ((each.index, map_of(each.action)) for each in program.requirements)
    return {at: _labels(map_, {*texts, *written}) for at, map_ in maps if map_ is not None}


def _labels(map_: Map, texts: set[str]) -> dict[str, str]:
    found = ((text, map_.label(text)) for text in texts)
    return {text: label for text, label in found if label is not None}


def _written_texts(requirement: Requirement) -> Iterator[str]:
    write = write_of(requirement.action)
    if write is not None:
        type_ = requirement.after[write.columns[0]].type
        yield from (to_text(value, type_) for value in write.kernel.listed_values() or ())
        map_ = write.kernel.label_map()
        yield from () if map_ is None else map_.labels() or ()
