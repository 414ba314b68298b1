"""A mistake in a policy's text, and what the parser says about it."""

from typing import NamedTuple


class Mistake(NamedTuple):
    text: str
    code: str
    place: str
    help: str
