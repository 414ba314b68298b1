"""How many examples each law is tested on."""

from hypothesis import settings

LAW = settings(max_examples=300)
