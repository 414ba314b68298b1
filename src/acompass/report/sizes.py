"""Class sizes, grouped into the ranges that reports show."""

from collections.abc import Iterator

from acompass.measures import Classes, Persons


def size_ranges(largest: Persons) -> Iterator[tuple[int, int]]:
    """The first and last size of each range; ranges start at 0, 1, 2, 5, 10, 20, 50, … and cover `largest`.

    Only weights below 1 make classes of the first range. A range ends where the next begins: with decimal
    weights, 4.5 belongs to 2 to 4.
    """
    yield 0, 0
    low = 1
    while low <= largest:
        end = low * 5 // 2 if str(low).startswith("2") else low * 2
        yield low, end - 1
        low = end


def size_label(low: int, high: int) -> str:
    if high == 0:
        return "below 1"
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def classes_within(classes: Classes, low: int, high: int) -> tuple[int, Persons]:
    """The number of classes with a size in the range, and the number of records in them."""
    inside = [(size, number) for size, number in classes.sizes if low <= size < high + 1]
    return sum(number for _, number in inside), sum(size * number for size, number in inside)
