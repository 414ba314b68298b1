"""How many examples each law is tested on: 300, fewer in `make test-fast`."""

from hypothesis import settings

LAW = settings(max_examples=3 * settings.default.max_examples)
