"""Definitions 12 to 15 of the paper: indistinguishable records, equivalence classes, k-anonymity and l-diversity.

Each function transcribes one definition, as `core` does for the equations. No command uses them: the package computes
anonymity in SQL and proves it symbolically. The laws in tests/laws check `core`, and through it the engines and the
prover, against these definitions."""

from collections.abc import Sequence

from acompass.semantics.core import Bag, Record


def are_indistinguishable(one: Record, other: Record, columns: Sequence[int]) -> bool:
    """Definition 12, r₁ ∼ r₂ with respect to the columns; see docs/paper.md, 32."""
    return all(one[column] == other[column] for column in columns)


def equivalence_class(record: Record, columns: Sequence[int], bag: Bag) -> Bag:
    """Definition 13, [r] with respect to QI in R; see docs/paper.md, 33."""
    return [other for other in bag if are_indistinguishable(other, record, columns)]


def is_k_anonymous(bag: Bag, quasi_identifiers: Sequence[int], k: int) -> bool:
    """Definition 14: every class has at least k records."""
    return all(len(equivalence_class(record, quasi_identifiers, bag)) >= k for record in bag)


def is_l_diverse(bag: Bag, quasi_identifiers: Sequence[int], sensitive: int, l: int) -> bool:  # noqa: E741
    """Definition 15: every class has at least l distinct values of the sensitive column; see docs/paper.md, 28."""
    classes = (equivalence_class(record, quasi_identifiers, bag) for record in bag)
    return all(len({record[sensitive] for record in class_}) >= l for class_ in classes)
