"""How long tests with random cases run: `ACOMPASS_TEST_LENGTH` multiplies their number of cases.

`make test` runs each for a second or two, at length 1. `make test-product` runs the laws once more, at length
10, and `make fuzz` every test with the mark `campaign`, at any length: `make fuzz LENGTH=1000`."""

import os

LENGTH = int(os.environ.get("ACOMPASS_TEST_LENGTH", "1"))


def at_length(number: int) -> int:
    """The number of random cases of a test that has `number` of them at length 1."""
    return number * LENGTH
