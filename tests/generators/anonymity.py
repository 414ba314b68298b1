"""The paper's definitions of anonymity on bags of records, word for word, independent of `semantics`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from acompass.semantics import Bag, Record


def equivalence_class(record: Record, columns: Sequence[int], bag: Bag) -> Bag:
    """Definition 13: [r] with respect to QI in R."""
    return [other for other in bag if all(other[column] == record[column] for column in columns)]


def is_k_anonymous(bag: Bag, quasi_identifiers: Sequence[int], k: int) -> bool:
    """Definition 14."""
    return all(len(equivalence_class(record, quasi_identifiers, bag)) >= k for record in bag)


def is_l_diverse(bag: Bag, quasi_identifiers: Sequence[int], sensitive: int, l: int) -> bool:  # noqa: E741
    """Definition 15."""
    return all(
        len({other[sensitive] for other in equivalence_class(record, quasi_identifiers, bag)}) >= l
        for record in bag
    )


def sub_bags(bag: Bag) -> Iterator[Bag]:
    """Every S ⊆ R, each once."""
    multiplicities = Counter(bag)
    for counts in product(*(range(most + 1) for most in multiplicities.values())):
        yield list(Counter(dict(zip(multiplicities, counts, strict=True))).elements())


def is_sub_bag(smaller: Iterable[Record], larger: Iterable[Record]) -> bool:
    return Counter(smaller) <= Counter(larger)
