"""Sub-bags of a bag of records."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product

from acompass.semantics.core import Bag, Record


def sub_bags(bag: Bag) -> Iterator[Bag]:
    """Every S ⊆ R, each once."""
    multiplicities = Counter(bag)
    for counts in product(*(range(most + 1) for most in multiplicities.values())):
        yield list(Counter(dict(zip(multiplicities, counts, strict=True))).elements())


def is_sub_bag(smaller: Iterable[Record], larger: Iterable[Record]) -> bool:
    return Counter(smaller) <= Counter(larger)
