"""The values of each column that some lines of a policy tell apart."""

from collections.abc import Sequence

from acompass.checked.program import Requirement
from acompass.checked.types import Schema
from acompass.privacy.mentions import Mentions, mentions_of
from acompass.privacy.representatives import Representatives, representatives


class Domain:
    def __init__(self, schema: Schema, requirements: Sequence[Requirement]):
        self._schema = schema
        self.requirements = requirements
        self._mentions: dict[int, Mentions] = {}
        self._representatives: dict[int, Representatives] = {}

    def mentions(self, column: int) -> Mentions:
        if column not in self._mentions:
            type_ = self._schema[column].type
            self._mentions[column] = mentions_of(column, type_, self.requirements)
        return self._mentions[column]

    def representatives(self, column: int) -> Representatives:
        if column not in self._representatives:
            self._representatives[column] = representatives(self.mentions(column))
        return self._representatives[column]
