"""Texts that stand for all texts of a column, and the labels of values."""

from collections.abc import Iterator
from itertools import product

from acompass.checked.convert import to_text
from acompass.checked.maps.level import Level
from acompass.checked.maps.map import SUPPRESSED
from acompass.checked.maps.prefix import Prefix
from acompass.checked.types import INTEGER, Value
from acompass.privacy.mentions import LinedMap, Mentions, texts_drawn
from acompass.privacy.undecided import Undecided
from acompass.prove.label_cuts import is_small, texts_of
from acompass.prove.reading import read_text
from acompass.prove.regions import Regions, regions_in
from acompass.prove.value_order import TextOrder

#: letters that texts between two others end with
_LETTERS = "abxyz0129 !"


def labels_of(value: Value, mentions: Mentions) -> tuple[str | None, ...]:
    """The label of the value in each map of the column."""
    text = to_text(value, mentions.type)
    return tuple(lined.map.label(text) for lined in mentions.maps)


def text_kinds(mentions: Mentions) -> Iterator[tuple[str, ...]]:
    """Each text that is mentioned, two with each such prefix, and two others between ordered texts."""
    prefixes = _prefixes(mentions)
    points = mentions.points.union(*(_texts(lined) for lined in mentions.maps))
    if are_digits_told_apart(mentions):
        points |= texts_drawn(mentions)
    pairs: list[tuple[str, ...]] = []
    for prefix in reversed(prefixes):
        labels = {prefix.label(point) for point in points}
        points |= labels
        pairs += [_with_label(label, prefix) for label in sorted(labels) if len(label) > prefix.length]
    yield from ((point,) for point in sorted(points))
    yield from pairs
    known = points.union(*pairs)
    regions = Regions(TextOrder(), mentions.orders)
    for region in regions_in(regions.full):
        if regions.constant(region) is None:
            yield from _others(region, regions, known, mentions)


def are_digits_told_apart(mentions: Mentions) -> bool:
    """Whether integers that are drawn as text meet an order of texts or a map."""
    return bool(mentions.text_randoms and (mentions.orders or mentions.maps))


def _texts(lined: LinedMap) -> set[str]:
    """The texts that a map tells apart one by one."""
    match lined.map:
        case Prefix():
            return set()
        case Level() as level if is_small(level):
            return {SUPPRESSED, *texts_of(level)}
        case Level():
            raise Undecided(lined.line, "the hierarchy has too many texts")
        case _:
            raise Undecided(lined.line, "not every text has a label")


def _prefixes(mentions: Mentions) -> list[Prefix]:
    found = []
    for lined in mentions.maps:
        match lined.map:
            case Prefix(length) as prefix:
                _require_orders_within(length, lined.line, mentions)
                found.append(prefix)
            case _:
                pass
    return found


def _require_orders_within(length: int, line: int, mentions: Mentions) -> None:
    """Texts with the same prefix are then in the same order to all others."""
    for text, ordered in mentions.orders.items():
        if len(text) > length:
            raise Undecided(ordered, f"it orders texts by more characters than line {line} keeps")


def _with_label(label: str, prefix: Prefix) -> tuple[str, ...]:
    return tuple(label[: prefix.length] + letter * (len(label) - prefix.length) for letter in "ab")


def _others(region: int, regions: Regions, known: set[str], mentions: Mentions) -> Iterator[tuple[str, ...]]:
    """Two texts of a gap that are not known or drawn, and neither are their labels, which differ."""
    prefixes = _prefixes(mentions)
    found: list[tuple[str, set[str]]] = []
    for text in _texts_in(region, regions):
        labels = {text, *(prefix.label(text) for prefix in prefixes)}
        is_new = not labels & known and not _is_drawn(text, mentions)
        if is_new and all(labels.isdisjoint(others) for _, others in found):
            found.append((text, labels))
        if len(found) == 2:
            break
    if len(found) < min(2, regions.cardinality(1 << region) - len(known)):
        raise Undecided(None, "too few texts are known between two that are ordered")
    if found:
        yield tuple(text for text, _ in found)


def _is_drawn(text: str, mentions: Mentions) -> bool:
    value = read_text(text, INTEGER)
    return isinstance(value, int) and any(r.lower <= value <= r.upper for r in mentions.text_randoms)


def _texts_in(region: int, regions: Regions) -> Iterator[str]:
    """Readable texts first."""
    yield from map(str, regions.values(region, 30))
    low, _ = regions.bounds(region)
    for size in (2, 3):
        for letters in product(_LETTERS, repeat=size):
            text = f"{low or ''}{''.join(letters)}"
            if regions.region_at(text) == region:
                yield text
