"""A record whose values have labels in every map of the policy."""

from collections.abc import Iterator

from acompass.checked.types import Kind, Schema, Value
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


def base_record(schema: Schema, domain: Domain) -> Record:
    return tuple(plain_values(column, domain)[0] for column in range(len(schema)))


def plain_values(column: int, domain: Domain) -> list[Value]:
    """Values that every map of the column has a label for, if there are any; simple ones first."""
    mentions = domain.mentions(column)
    if mentions.type.kind is Kind.OPAQUE:
        return [0, 1]
    found = list(dict.fromkeys(_candidates(column, domain, mentions)))
    labelled = [value for value in found if None not in labels_of(value, mentions)]
    return labelled or found


def _candidates(column: int, domain: Domain, mentions: Mentions) -> Iterator[Value]:
    """The usual values of the type, examples for its maps, and the representatives, where they are known."""
    regions = Regions(order_of(mentions.type), ())
    yield from regions.values(0, _FEW)
    for lined in mentions.maps:
        yield from example_values(lined.map, mentions.type)
    try:
        yield from domain.representatives(column).one_of_each
    except Undecided:
        return
