"""Random policies with requirements about records only, and claims about records."""

import random
from dataclasses import dataclass, replace
from importlib.resources import files

from acompass.language.program.types import INTEGER, TEXT, Column, Schema, Type, Value, decimal, types_by_name
from acompass.testing.conformance.cases import EverydayWriter
from acompass.testing.conformance.policies import KINDS, Attribute, literal, random_type, random_value

_NAMES = ("Age", "Zip", "Job", "Pay", "Day")
#: decimals of this scale represent numbers of any scale, as in `prove`
USUAL_SCALE = 2
LARGEST_SCALE = 10
_REQUIREMENTS = (1, 1, 2, 2, 3, 3, 4, 5)
_HIERARCHY = files("acompass.testing.conformance").joinpath("words.csv")
#: maps of numbers with finitely many labels
_BANDS = ("BANDS OF 10 FROM 0 UP TO 80", "BANDS AT 0, 5, 80", "BANDS AT 80", "BANDS AT 1, 2")


@dataclass(frozen=True)
class RecordPolicy:
    """`any_scale` has the names of the decimal columns whose numbers may have any scale."""

    text: str
    claim: str
    schema: Schema
    any_scale: frozenset[str]

    def __str__(self) -> str:
        columns = ", ".join(f"{name} {type_}" for name, type_ in self.types.items())
        return f"{self.text}\nclaim {self.claim}\n{columns}"

    @property
    def types(self) -> dict[str, str | Type]:
        """As `prove` takes them."""
        return types_by_name(self.schema) | dict.fromkeys(self.any_scale, "decimal")


class RecordWriter(EverydayWriter):
    """Writes requirements about records. Most of its maps have finitely many labels."""

    def claim(self) -> str:
        return self._assertion()

    def _assertion(self) -> str:
        result, visible = self._rng.choice((self._everything, self._filter))()
        return f"EACH {result} : {self._condition(visible, depth=2)}"

    def _parameter(self, value: Value) -> str:
        return literal(value, TEXT if isinstance(value, str) else INTEGER)

    def _cascade(self) -> str:
        return self._then()

    def _map(self, type_: Type) -> str:
        if self._rng.random() < 0.05:
            return super()._map(type_)
        if type_.is_number or type_.numbers is not None:
            return self._rng.choice(_BANDS)
        return super()._map(type_) if self._rng.random() < 0.1 else self._level()

    def _none(self) -> None:
        """The decision procedure does not know what published rules write."""

    _pseudonym = _shift = _add_random = _microaggregate = _none

    def _level(self) -> str:
        return f"LEVEL {self._rng.randint(1, 2)} OF '{_HIERARCHY}' ELSE {self._rng.choice(('other', '*'))!r}"


def random_policy(rng: random.Random) -> RecordPolicy:
    attributes = [_attribute(rng, name) for name in rng.sample(_NAMES, rng.randint(1, 4))]
    schema = tuple(Column(attribute.name, attribute.type) for attribute in attributes)
    writer = RecordWriter(rng, attributes)
    text = "\n".join(writer.requirement() for _ in range(rng.choice(_REQUIREMENTS)))
    numbers = (column.name for column in schema if column.type == decimal(USUAL_SCALE))
    return RecordPolicy(text, writer.claim(), schema, frozenset(numbers))


def _attribute(rng: random.Random, name: str) -> Attribute:
    """Never a spelled decimal, which has any scale for the theory, but not for `prove`.

    Its scale is small, so that decimals have room for digits before the point: the theory's numbers have any size.
    """
    drawn = random_type(rng, KINDS)
    type_ = replace(drawn, spelled=False, scale=min(drawn.scale, LARGEST_SCALE))
    pool = [random_value(rng, type_) for _ in range(rng.randint(1, 4))]
    return Attribute(name, name, type_, pool)
