"""A record whose values have labels in every map of the policy."""

from collections.abc import Iterator
from contextlib import suppress

from acompass.checked.types import Kind, Schema, Value
from acompass.privacy.cuts import cuts_of
from acompass.privacy.domain import Domain
from acompass.privacy.mentions import Mentions
from acompass.privacy.text_values import labels_of
from acompass.privacy.undecided import Undecided
from acompass.prove.example_values import example_values
from acompass.prove.regions import Regions
from acompass.prove.value_order import order_of
from acompass.semantics import Record

#: how many values of a column are tried beside those that the policy mentions
_FEW = 4
_SIMILAR = 8


def base_record(schema: Schema, domain: Domain) -> Record:
    return tuple(plain_values(column, domain)[0] for column in range(len(schema)))


def plain_values(column: int, domain: Domain) -> list[Value]:
    """Values that every map of the column has a label for, then others."""
    mentions = domain.mentions(column)
    if mentions.type.kind is Kind.OPAQUE:
        return [0, 1]
    found = list(dict.fromkeys(_candidates(column, domain, mentions)))
    return sorted(found, key=lambda value: None in labels_of(value, mentions))


def similar_values(value: Value, column: int, domain: Domain) -> list[Value]:
    """Other values of the column: of the same kind first, as far as it is known."""
    mentions = domain.mentions(column)
    near: list[Value] = []
    with suppress(Undecided):
        if mentions.type.kind not in (Kind.TEXT, Kind.OPAQUE):
            regions = Regions(order_of(mentions.type), cuts_of(mentions))
            near = regions.values(regions.region_of(value), _SIMILAR)
    return [each for each in dict.fromkeys((*near, *plain_values(column, domain))) if each != value]


def _candidates(column: int, domain: Domain, mentions: Mentions) -> Iterator[Value]:
    """The representatives, where they are known, examples for its maps, and the usual values of the type."""
    with suppress(Undecided):
        yield from domain.representatives(column).values
    for lined in mentions.maps:
        yield from example_values(lined.map, mentions.type)
    yield from Regions(order_of(mentions.type), ()).values(0, _FEW)
