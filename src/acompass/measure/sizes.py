"""Class sizes in the steps in which they are shown."""

from collections.abc import Iterator

from acompass.measure.result import Classes


def size_ranges(largest: int) -> Iterator[tuple[int, int]]:
    """From 1 to `largest` and beyond in steps of 1, 2, 5, 10, 20, 50, …: first and last size of each."""
    low = 1
    while low <= largest:
        end = low * 5 // 2 if str(low).startswith("2") else low * 2
        yield low, end - 1
        low = end


def size_label(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def classes_within(classes: Classes, low: int, high: int) -> tuple[int, int]:
    """How many classes have such a size, and how many records are in them."""
    inside = [(size, number) for size, number in classes.sizes if low <= size <= high]
    return sum(number for _, number in inside), sum(size * number for size, number in inside)
