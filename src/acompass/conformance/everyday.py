"""Random requirements of the everyday language, beyond the paper (X1 to X6, X10, X11).

Whether one is well typed depends on the maps before it. So each is checked together with the requirements
before it, and one of the paper's language is written where it does not fit.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, assert_never

from acompass.checked.convert import convert
from acompass.checked.effects import column_written, cuts_of, plain_of
from acompass.checked.from_syntax import check
from acompass.checked.program import (
    Action,
    Draw,
    Drop,
    Generalize,
    Program,
    Random,
    Reject,
    Replace,
    Requirement,
)
from acompass.checked.types import INTEGER, TEXT, Column, Kind, Type, Value, decimal
from acompass.conformance.chances import random_probability, random_weights
from acompass.conformance.policies import Attribute, PolicyWriter, literal
from acompass.conformance.values import KINDS, random_value
from acompass.syntax import tree
from acompass.syntax.parse import parse

_ATTEMPTS = 3
_BANDS = (
    *("BANDS OF 5", "BANDS OF 10", "BANDS OF 1", "BANDS OF 5 UP TO 80", "BANDS OF 10 FROM 0 UP TO 80"),
    *("BANDS OF 20 FROM -20", "BANDS AT 0, 5, 80", "BANDS AT 80", "BANDS OF 40"),
)
_FINE_BANDS = ("BANDS OF 0.5", "BANDS OF 0.25 FROM -1 UP TO 2.5", "BANDS AT 0.1, 1, 2.50", "BANDS OF 1")
_DATE_UNITS = ("MONTH", "QUARTER", "YEAR", "DECADE")
_DATED = (Kind.DATE, Kind.TIMESTAMP)
_NO_WILDCARDS = str.maketrans("", "", "%_")
_URN_OF_TEXTS = ("*", "212**", "", "été", "n/a ", "10-14", "flu")


class EverydayWriter(PolicyWriter):
    def __init__(self, rng: random.Random, attributes: list[Attribute], kinds: Sequence[Kind] = KINDS):
        super().__init__(rng, attributes, kinds)
        self._schema = tuple(Column(attribute.name, attribute.type) for attribute in attributes)
        self._requirements: list[tree.Requirement] = []
        self._done = 0
        #: those of every probability and every urn so far
        self.cuts: list[Fraction] = []

    @property
    def steps(self) -> int:
        """The number of requirements so far, each step of a THEN counted."""
        return self._done

    def requirement(self) -> str:
        text = self._everyday_requirement() if self._rng.random() < 0.5 else None
        if text is None:
            text = super().requirement()
            self._requirements += _parsed(text)
            self._done += 1
        return text

    def _everyday_requirement(self) -> str | None:
        """One that fits what came before; None if none of a few attempts does."""
        for _ in range(_ATTEMPTS):
            attributes, params = list(self._attributes), dict(self.params)
            text = self._rng.choice((self._always, self._cascade, self._then))()
            requirements = [*self._requirements, *_parsed(text)]
            program = self._checked(requirements, text)
            self._attributes[:] = attributes
            if program is not None:
                self._requirements = requirements
                self._follow(program)
                return text
            self.params = params
        return None

    def _always(self) -> str:
        steps = [self._step(always=True) for _ in range(self._rng.choice((1, 1, 1, 2)))]
        return f"ALWAYS : {' THEN '.join(steps)};"

    def _cascade(self) -> str:
        """Records of violating classes are made coarser, column by column."""
        columns = self._rng.sample(self._attributes, self._rng.randint(1, min(3, len(self._attributes))))
        keys = ", ".join(column.spelling for column in columns)
        assertion = f"EACH PROCESS COUNT(*) AS n GROUP BY {keys} : n >= {self._rng.randint(2, 4)}"
        steps = [self._generalize(self._rng.choice(columns)) for _ in range(self._rng.randint(1, 3))]
        end = self._rng.choice(([], ["REJECT"], [f"REPLACE {columns[0].spelling} WITH '*'"]))
        return f"{assertion} : {' THEN '.join(map(self._perhaps, [*steps, *end]))};"

    def _then(self) -> str:
        steps = [self._step() for _ in range(self._rng.choice((1, 2, 2, 3)))]
        return f"{self._assertion()} : {' THEN '.join(steps)};"

    def _step(self, *, always: bool = False) -> str:
        column = self._rng.choice(self._attributes)
        roll = self._rng.random()
        if roll < 0.5 and Kind.TEXT in self._kinds:
            return self._perhaps(self._generalize(column))
        if always and roll < 0.6 and len(self._attributes) > 1:
            return f"DROP {column.spelling}"
        actions = (self._replace, self._replace, self._random, self._draw, self._draw, self._reject)
        return self._perhaps(self._rng.choice(actions)().removeprefix(" : "))

    def _perhaps(self, step: str) -> str:
        """Sometimes with a probability (X5)."""
        if self._rng.random() < 0.78:
            return step
        return f"WITH PROBABILITY {random_probability(self._rng)} {step}"

    def _draw(self) -> str:
        column = self._rng.choice(self._attributes)
        constants = [self._constant(*each) for each in self._urn(column)]
        weights = random_weights(self._rng, len(constants))
        balls = (
            constant if weight == 1 else f"{weight} OF {constant}"
            for weight, constant in zip(weights, constants, strict=True)
        )
        return f"RANDOM {column.spelling} FROM ({', '.join(balls)})"

    def _urn(self, column: Attribute) -> list[tuple[Value, Type]]:
        """Constants with their types. Some urns change the column's type (D12), some do not fit."""
        roll, count = self._rng.random(), self._rng.choice((1, 2, 2, 3, 4, 5))
        if roll < 0.15:
            return [(text, TEXT) for text in self._rng.sample(_URN_OF_TEXTS, count)]
        if roll < 0.3:
            scale = column.type.scale + self._rng.randint(0, 2)
            digits = self._rng.sample(range(-400, 400), count)
            return [(Decimal(each).scaleb(-scale), decimal(scale)) for each in digits]
        if roll < 0.4:
            many = range(self._rng.randint(9, 30))
            return [(each, INTEGER) if column.type.is_number else (f"{each}", TEXT) for each in many]
        values = [*column.pool, *(random_value(self._rng, column.type) for _ in range(count))]
        finite = (each for each in values if not isinstance(each, float) or math.isfinite(each))
        different = list(dict.fromkeys(finite)) or [0.0]
        chosen = self._rng.sample(different, min(count, len(different)))
        return [(value, column.type) for value in chosen]

    def _generalize(self, column: Attribute) -> str:
        return f"GENERALIZE {column.spelling} TO {self._map(column.type)}"

    def _map(self, type_: Type) -> str:
        if self._rng.random() < 0.15:
            return f"PREFIX OF {self._rng.randint(1, 5)}"
        if self._rng.random() < 0.15:
            otherwise = self._rng.choice(("", " ELSE 'other'", " ELSE '*'"))
            return f"LEVEL {self._rng.randint(1, 3)} OF {_hierarchy()}{otherwise}"
        if type_.is_number or type_.numbers is not None:
            kind = type_.kind if type_.is_number else type_.numbers
            return self._rng.choice(_BANDS if kind is Kind.INTEGER else (*_BANDS, *_FINE_BANDS))
        if type_.kind in _DATED or self._rng.random() < 0.1:
            return self._rng.choice(_DATE_UNITS)
        return f"PREFIX OF {self._rng.randint(1, 3)}"

    def _aggregates(self, groups: list[Attribute]) -> list[tuple[str, Attribute]]:
        """Sometimes two (X11)."""
        aggregates = super()._aggregates(groups)
        taken = {attribute.name.casefold() for attribute in (*groups, aggregates[0][1])}
        if self._rng.random() < 0.3 and "second" not in taken:
            column = self._rng.choice(self._attributes)
            second = Attribute("second", "second", INTEGER, list(range(5)))
            aggregates.append((f"COUNT DISTINCT({column.spelling})", second))
        return aggregates

    def _comparison(self, visible: list[Attribute]) -> str:
        if self._rng.random() < 0.75:
            return super()._comparison(visible)
        attribute = self._rng.choice(visible)
        negation = self._rng.choice(("", "", " NOT"))
        roll = self._rng.random()
        if roll < 0.3:
            return f"{attribute.spelling}{negation} IN ({', '.join(self._constants(attribute))})"
        if roll < 0.6:
            return f"{attribute.spelling}{negation} BETWEEN {' AND '.join(self._constants(attribute))}"
        prefix = str(self._near(attribute)).translate(_NO_WILDCARDS)[:2]
        if attribute.type.kind is Kind.TEXT and prefix and roll < 0.8:
            return f"{attribute.spelling}{negation} LIKE {literal(prefix + '%', attribute.type)}"
        sign, constant = self._rng.choice(("!=", "<>")), self._constant(self._near(attribute), attribute.type)
        return f"{attribute.spelling} {sign} {constant}"

    def _constants(self, attribute: Attribute) -> list[str]:
        return [self._constant(self._near(attribute), attribute.type) for _ in range(2)]

    def _checked(self, requirements: Sequence[tree.Requirement], text: str) -> Program | None:
        return check(tree.Program(tuple(requirements)), text, self._schema, self.params)[0]

    def _follow(self, program: Program) -> None:
        """The columns as the new requirements leave them."""
        for requirement in program.requirements[self._done :]:
            self.cuts += cuts_of(requirement.action)
            attributes = (self._after(requirement, attribute) for attribute in self._attributes)
            self._attributes[:] = [attribute for attribute in attributes if attribute is not None]
        self._done = len(program.requirements)

    def _after(self, requirement: Requirement, attribute: Attribute) -> Attribute | None:
        """The column after the requirement; None if it is dropped."""
        position = next(i for i, column in enumerate(self._schema) if column.name == attribute.name)
        type_ = requirement.after[position].type
        if type_.kind is Kind.DROPPED:
            return None
        pool = [convert(value, attribute.type, type_) for value in attribute.pool]
        if column_written(requirement.action) == position:
            pool += _written(requirement.action, pool, type_)
        return replace(attribute, type=type_, pool=pool)


def _parsed(text: str) -> tuple[tree.Requirement, ...]:
    """The requirements alone: each comes from a text of its own, so their places say nothing here."""
    program, findings = parse(text)
    assert not findings, (text, findings)
    return program.requirements


def _written(action: Action | None, pool: Sequence[Any], type_: Type) -> list[Any]:
    """Values that the action may write."""
    plain = plain_of(action)
    match plain:
        case Replace(_, value):
            return [value]
        case Draw(_, balls):
            return [ball.value for ball in balls]
        case Random(_, lower, upper):
            return [convert(bound, INTEGER, type_) for bound in (lower, upper)]
        case Generalize(_, map_):
            return [label for label in map(map_.label, pool) if label is not None]
        case None | Reject() | Drop():
            return []
        case _:
            assert_never(plain)


@cache
def _hierarchy() -> str:
    """The path of a hierarchy of texts that random tables have, as a constant."""
    return literal(str(files(__package__).joinpath("words.csv")), TEXT)
